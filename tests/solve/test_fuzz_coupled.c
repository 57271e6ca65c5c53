/* Random problems of friction that goes by the normal impulse of the solution (THEORY 16.4): 2 to
 * 4 bodies of 10 g to 100 kg with 3 to 9 contacts in random frames, harder than stacks are.
 * SUPPLE_FUZZ=100000 sets the number of problems. */
#include <math.h>
#include <stdlib.h>

#include "one_block.h"

static const double dt = 1e-2, tolerance = 1e-8;

static int num_problems(void) {
  const char *text = getenv("SUPPLE_FUZZ");
  return text ? atoi(text) : 300;
}

static double uniform(test_random *r, double low, double high) {
  return low + .5 * (high - low) * (test_uniform(r) + 1);
}

static double normal(test_random *r) {
  double u = 0;
  for (int i = 0; i < 12; i++) u += uniform(r, -.5, .5);
  return u;
}

/** A random rotation, row-major. */
static void random_frame(test_random *r, double R[9]) {
  double q[4], size = 0;
  for (int i = 0; i < 4; i++) q[i] = normal(r), size += q[i] * q[i];
  for (int i = 0; i < 4; i++) q[i] /= sqrt(size);
  double w = q[0], x = q[1], y = q[2], z = q[3];
  double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                 2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                 2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(R, m, sizeof m);
}

/** Mass and a full inertia tensor of body k. */
static double add_body(test_random *r, one_block *b, int k) {
  double m = pow(10, uniform(r, -2, 2)), L = .1 * cbrt(m), Q[9], I[3];
  random_frame(r, Q);
  for (int i = 0; i < 3; i++) I[i] = m * L * L * uniform(r, .1, .6);
  for (int i = 0; i < 3; i++) b->A[(6 * k + i) * b->n + 6 * k + i] = m;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int l = 0; l < 3; l++)
        b->A[(6 * k + 3 + i) * b->n + 6 * k + 3 + j] += Q[3 * i + l] * I[l] * Q[3 * j + l];
  return m;
}

/** Columns of a body in contact c: sign R [1, -[arm]x]. */
static void add_side(one_block *b, int c, int body, double sign, const double *R,
                     const double *arm) {
  for (int i = 0; i < 3; i++) {
    double *row = b->J[c] + i * b->n + 6 * body;
    for (int j = 0; j < 3; j++) row[j] += sign * R[3 * i + j];
    row[3] += sign * (arm[1] * R[3 * i + 2] - arm[2] * R[3 * i + 1]);
    row[4] += sign * (arm[2] * R[3 * i] - arm[0] * R[3 * i + 2]);
    row[5] += sign * (arm[0] * R[3 * i + 1] - arm[1] * R[3 * i]);
  }
}

/** J_n A^-1 J_n^T of contact c. */
static double inverse_mass(const one_block *b, int c) {
  double        L[ONE_MAX_SCALARS * ONE_MAX_SCALARS], x[ONE_MAX_SCALARS], sum = 0;
  const double *J = b->J[c] + 2 * b->n;
  int           n = b->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double a = b->A[i * n + j];
      for (int k = 0; k < j; k++) a -= L[i * n + k] * L[j * n + k];
      L[i * n + j] = i == j ? sqrt(a) : a / L[j * n + j];
    }
  for (int i = 0; i < n; i++) {
    x[i] = J[i];
    for (int k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
    x[i] /= L[i * n + i];
    sum += x[i] * x[i];
  }
  return sum;
}

static void add_contact(test_random *r, one_block *b, int c, int num_bodies, const double *mass,
                        double slip, int is_anisotropic) {
  double R[9], arm[3];
  int    first = test_one_of(r, num_bodies), second = test_one_of(r, num_bodies - 1);
  second += second >= first;
  random_frame(r, R);
  for (int side = 0; side < 2; side++) {
    int body = side ? second : first;
    for (int i = 0; i < 3; i++) arm[i] = .06 * cbrt(mass[body]) * normal(r);
    if (side && uniform(r, 0, 1) < .4) continue;
    add_side(b, c, body, side ? -1 : 1, R, arm);
  }
  double vn = 0;
  for (int i = 0; i < b->n; i++) vn += b->J[c][2 * b->n + i] * b->v[i];
  double period = .1 * dt / (2 * 3.14159265358979323846);
  double k = fmin(pow(10, uniform(r, 4, 8)), 1 / (period * period * inverse_mass(b, c)));
  double d = pow(10, uniform(r, -1, 1.3));
  double phi0 = uniform(r, 0, 1) < .6 ? -uniform(r, 0, 1e-3) : 0;
  b->law[c] = coulomb_law(SUP_LAW_LAGGED, normal_law(SUP_NORMAL_HUNT_CROSSLEY, dt, k, d, phi0),
                          uniform(r, .2, 2), slip, vn);
  b->law[c].coulomb.is_coupled = 1;
  if (is_anisotropic) b->law[c].anisotropy = (sup_anisotropy){1, 1.4, .3, .6};
}

static void make(one_block *b, uint64_t seed, double slip, int is_anisotropic) {
  test_random r = {seed};
  int         num_bodies = 2 + test_one_of(&r, 3);
  double      mass[4], v[ONE_MAX_SCALARS];
  *b = (one_block){.n = 6 * num_bodies, .num = 3 + test_one_of(&r, 7)};
  for (int k = 0; k < num_bodies; k++) mass[k] = add_body(&r, b, k);
  for (int i = 0; i < b->n; i++) {
    b->v[i] = .3 * normal(&r);
    v[i] = b->v[i] - (i % 6 == 2 ? dt * 9.81 : 0);
  }
  for (int i = 0; i < b->n; i++)
    for (int j = 0; j < b->n; j++) b->p[i] += b->A[i * b->n + j] * v[j];
  for (int c = 0; c < b->num; c++) add_contact(&r, b, c, num_bodies, mass, slip, is_anisotropic);
}

/** ||D (A v - p - J^T gamma)|| over the larger of the momenta, computed here.  *law: largest
 * difference of gamma to what the laws say at v, friction by the normal impulse there, over what
 * the rounding of v_t allows: friction turns within v_s. */
static double error(const one_block *b, double *law_error) {
  double r = 0, a = 0, g = 0, fastest = 0, impulse[ONE_MAX_SCALARS] = {0};
  for (int i = 0; i < b->n; i++) fastest = fmax(fastest, fabs(b->v[i]));
  *law_error = 0;
  for (int c = 0; c < b->num; c++) {
    sup_law       law = b->law[c];
    sup_law_value value;
    const double *gamma = b->gamma + 3 * c;
    double        vc[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < b->n; i++) vc[k] += b->J[c][k * b->n + i] * b->v[i];
    sup_law_evaluate(&law, vc, &value);
    sup_law_set_lagged_impulse(&law, value.gamma[2]);
    sup_law_evaluate(&law, vc, &value);
    double noise = 1e-13 * fastest;
    double bound = law.coulomb.mu * gamma[2] * noise / hypot(hypot(vc[0], vc[1]), law.coulomb.eps);
    bound += 1e-10 * gamma[2] + value.G[8] * noise * (1 + 2 * law.coulomb.mu) + 1e-300;
    CHECK(b->law[c].coulomb.gn0 == gamma[2]); /* no lag */
    for (int k = 0; k < 3; k++) {
      *law_error = fmax(*law_error, fabs(value.gamma[k] - gamma[k]) / bound);
      for (int i = 0; i < b->n; i++) impulse[i] += b->J[c][k * b->n + i] * gamma[k];
    }
  }
  for (int i = 0; i < b->n; i++) {
    double Av = 0, D = 1 / b->A[i * b->n + i];
    for (int j = 0; j < b->n; j++) Av += b->A[i * b->n + j] * b->v[j];
    a += D * Av * Av, g += D * impulse[i] * impulse[i];
    r += D * (Av - b->p[i] - impulse[i]) * (Av - b->p[i] - impulse[i]);
  }
  return sqrt(r / fmax(a, g));
}

typedef struct tally {
  int    failed, most, ambiguous;
  double mean;
} tally;

static tally solve_all(int num, double slip, double limit, int is_anisotropic) {
  const sup_solve_options options = {limit, 80, 1, .01};
  one_block_solver        s;
  tally                   out = {0};
  one_block_solver_create(&s);
  for (int seed = 1; seed <= num; seed++) {
    one_block b;
    make(&b, (uint64_t)seed, slip, is_anisotropic);
    sup_solve_report report = one_block_solve(&b, &s, &options);
    double           law_error, left = error(&b, &law_error);
    int              ok = report.reason > 0 && !(report.at_cap & 1u << SUP_STRATEGY_RELAXATION) &&
             left <= 1.01 * limit && law_error <= 1;
    if (!ok && out.failed < 5)
      printf("problem %d: reason %d, error %.2e, laws %.1e, %d iterations, %d sweeps; ", seed,
             report.reason, left, law_error, report.iterations, report.sweeps);
    out.failed += !ok, out.ambiguous += report.ambiguous,
        out.mean += report.iterations / (double)num;
    if (report.iterations > out.most) out.most = report.iterations;
  }
  one_block_solver_destroy(&s);
  printf("v_s %.0e m/s: %d of %d failed, mean %.1f, at most %d iterations, %d ambiguous, ", slip,
         out.failed, num, out.mean, out.most, out.ambiguous);
  return out;
}

static void no_random_problem_is_left(void) {
  tally out = solve_all(num_problems(), 1e-4, tolerance, 0);
  CHECK(out.failed == 0);
  CHECK(out.mean < 25);
}

static void friction_tensors_are_no_harder(void) {
  CHECK(solve_all(num_problems() / 3, 1e-4, tolerance, 1).failed == 0);
}

/* THEORY 16.5: rounding of v_t bounds the tolerance from below by 1e-15 |v| / v_s. */
static void a_small_stiction_tolerance_takes_as_many_iterations(void) {
  tally wide = solve_all(num_problems() / 3, 1e-4, tolerance, 0);
  for (int k = 6; k <= 8; k += 2) {
    double slip = pow(10, -k);
    tally  out = solve_all(num_problems() / 3, slip, fmax(tolerance, 1e-14 / slip), 0);
    CHECK(out.failed == 0);
    CHECK(out.mean < 2 * wide.mean);
  }
}

SUITE_TESTS(fuzz_coupled, TEST(no_random_problem_is_left), TEST(friction_tensors_are_no_harder),
            TEST(a_small_stiction_tolerance_takes_as_many_iterations));
