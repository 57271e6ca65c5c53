/* Newton's method where the tolerance is below what sums of 16 digits leave. */
#include "solve/accept.h"
#include "solve/numerics.h"
#include "solve/round_off.h"

#include <float.h>
#include <math.h>

#include "one_block.h"

enum { N = 6, CONTACTS = 2, PROBLEMS = 60 };

/** A point-like body of six unknowns slides on stiff contacts: spring and dissipation of a steel
 * sole, friction. */
static void make(one_block *b, uint64_t seed, double stiffness) {
  test_random  random = {seed};
  const double dt = .01;
  *b = (one_block){.n = N, .num = CONTACTS};
  double L[N * N];
  for (int i = 0; i < N * N; i++) L[i] = test_uniform(&random);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      b->A[j * N + i] = i == j ? 1 : 0;
      for (int k = 0; k < N; k++) b->A[j * N + i] += L[i * N + k] * L[j * N + k];
    }
  for (int i = 0; i < N; i++) b->p[i] = test_uniform(&random);
  for (int i = 0; i < CONTACTS; i++) {
    for (int k = 0; k < 3 * N; k++) b->J[i][k] = test_uniform(&random);
    for (int k = 0; k < 2; k++) b->bias[i][k] = test_uniform(&random); /* a belt */
    sup_normal normal = normal_law(SUP_NORMAL_HUNT_CROSSLEY, dt, stiffness, 100, -1e-6);
    b->law[i] = coulomb_law(seed % 2 ? SUP_LAW_LAGGED : SUP_LAW_SIMILAR, normal, .4, 1e-4, -.1);
  }
}

static double distance(const double *a, const double *b) {
  double sum = 0, size = 0;
  for (int i = 0; i < N; i++) sum += (a[i] - b[i]) * (a[i] - b[i]), size += b[i] * b[i];
  return sqrt(sum / size);
}

static void what_rounding_leaves_is_accepted_as_that(void) {
  static const sup_solve_options tight = {1e-15, 200, 1, .01}, loose = {1e-6, 200, 1, .01};
  one_block_solver               solver;
  int                            rounded = 0;
  double                         largest = 0, farthest = 0;
  one_block_solver_create(&solver);
  for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
    one_block b, other;
    make(&b, seed, pow(10, 6 + (double)(seed % 4)));
    other = b;
    sup_solve_report report = one_block_solve(&b, &solver, &tight);
    if (report.reason <= 0 || report.iterations > 60)
      printf("seed %d: %d %d %g\n", (int)seed, report.reason, report.iterations,
             report.momentum_error);
    CHECK(report.reason > 0 && report.iterations < 60);
    if (report.reason == SUP_REASON_ROUND_OFF) {
      rounded++;
      CHECK(report.momentum_error > tight.tolerance &&
            report.momentum_error <= sup_solve_numerics.round_off);
      largest = fmax(largest, report.momentum_error);
    }
    CHECK(one_block_solve(&other, &solver, &loose).reason > 0);
    farthest = fmax(farthest, distance(other.v, b.v));
  }
  printf("\n    %d of %d end as round-off, of at most %.1e; a tolerance of 1e-6 is off by %.1e",
         rounded, PROBLEMS, largest, farthest);
  CHECK(rounded >= PROBLEMS / 4 && farthest < 1e-5);
  one_block_solver_destroy(&solver);
}

/* Stopped after any number of iterations, the method says that it has not converged, unless it has.
 */
static void what_has_not_converged_is_no_round_off(void) {
  one_block_solver solver;
  int              failed = 0;
  one_block_solver_create(&solver);
  for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
    const double      stiffness = pow(10, 6 + (double)(seed % 4));
    sup_solve_options options = {1e-15, 200, 1, .01};
    one_block         whole, part;
    make(&whole, seed, stiffness);
    int needed = one_block_solve(&whole, &solver, &options).iterations;
    for (int most = 1; most < needed; most++) {
      make(&part, seed, stiffness);
      options.max_iterations = most;
      sup_solve_report report = one_block_solve(&part, &solver, &options);
      double           away = distance(part.v, whole.v);
      if (away > 1e-7)
        CHECK(report.reason == SUP_REASON_MAX_ITERATIONS ||
              report.reason == SUP_REASON_LINE_SEARCH);
      failed += report.reason < 0;
    }
  }
  CHECK(failed > PROBLEMS);
  one_block_solver_destroy(&solver);
}

/** The residual's change when each velocity moves by its last bit, at random. */
static double jitter(const sup_problem *problem, const double *v, const double *inv_sqrt_d,
                     test_random *random) {
  double sum = 0, Av[2][N], w[N], vc[3 * CONTACTS], gamma[3 * CONTACTS], impulse[2][N];
  for (int i = 0; i < N; i++)
    w[i] = nextafter(v[i], test_uniform(random) < 0 ? -HUGE_VAL : HUGE_VAL);
  for (int k = 0; k < 2; k++) {
    const double *at = k ? w : v;
    sup_block_multiply(problem->A_pattern, problem->A, at, Av[k]);
    sup_problem_constraint_velocity(problem, at, 1, vc);
    sup_problem_evaluate(problem, NULL, vc, gamma, NULL);
    sup_problem_generalized_impulse(problem, gamma, impulse[k]);
  }
  for (int i = 0; i < N; i++) {
    double change = inv_sqrt_d[i] * (Av[1][i] - Av[0][i] - impulse[1][i] + impulse[0][i]);
    sum += change * change;
  }
  return sqrt(sum);
}

/* A bound, and no more than some hundred times what happens. */
static void the_estimate_is_what_the_last_bit_of_velocities_does(void) {
  static const sup_solve_options options = {1e-10, 200, 1, .01};
  one_block_solver               solver;
  test_random                    random = {7};
  double                         least = HUGE_VAL, most = 0;
  one_block_solver_create(&solver);
  for (uint64_t seed = 1; seed <= PROBLEMS; seed++) {
    sup_block_pattern  pattern = {0};
    sup_constraint     constraint[CONTACTS];
    sup_jacobian_block jacobian[CONTACTS];
    double             value[CONTACTS * 3 * N], inv_sqrt_d[N], vc[3 * CONTACTS], work[N], noise = 0;
    one_block          b;
    make(&b, seed, pow(10, 6 + (double)(seed % 4)));
    one_block_solve(&b, &solver, &options);
    OK(sup_block_pattern_build(&pattern, 1, &b.n, 0, NULL));
    for (int i = 0; i < CONTACTS; i++) {
      constraint[i] =
          (sup_constraint){.law = b.law[i], .first_vc = 3 * i, .first_block = i, .num_blocks = 1};
      memcpy(constraint[i].bias, b.bias[i], sizeof b.bias[i]);
      jacobian[i] = (sup_jacobian_block){0, (size_t)(3 * N * i)};
      memcpy(value + 3 * N * i, b.J[i], 3 * N * sizeof *value);
    }
    sup_problem problem = {.A_pattern = &pattern,
                           .A = b.A,
                           .p = b.p,
                           .num_constraints = CONTACTS,
                           .num_vc = 3 * CONTACTS,
                           .num_jacobian_blocks = CONTACTS,
                           .constraint = constraint,
                           .jacobian = jacobian,
                           .jacobian_value = value};
    CHECK(sup_momentum_scaling(&problem, inv_sqrt_d) == SUP_NONE);
    sup_problem_constraint_velocity(&problem, b.v, 1, vc);
    double estimate = sup_residual_round_off(&problem, NULL, b.v, vc, inv_sqrt_d, work).in_all;
    for (int k = 0; k < 20; k++) noise = fmax(noise, jitter(&problem, b.v, inv_sqrt_d, &random));
    least = fmin(least, estimate / noise), most = fmax(most, estimate / noise);
    sup_block_pattern_free(&pattern);
  }
  printf("\n    the estimate is %.2g to %.2g times what was found", least, most);
  CHECK(least > .5 && most < 200);
  one_block_solver_destroy(&solver);
}

SUITE_TESTS(round_off, TEST(what_rounding_leaves_is_accepted_as_that),
            TEST(what_has_not_converged_is_no_round_off),
            TEST(the_estimate_is_what_the_last_bit_of_velocities_does));
