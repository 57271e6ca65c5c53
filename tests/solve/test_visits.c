/* Gauss-Seidel visits: one contact's law with all others as they are. */
#include <math.h>

#include "one_block.h"
#include "solve/newton/visits.h"

static const double dt = 5e-3;

/** The problem of one block column b, visited `most` times; v: [n] of the impulses.  Velocities of
 * the contacts in vc, the visits' own in local.  Returns the scalars in the rows of constraint 0.
 */
static int visit(const one_block *b, int most, double *gamma, double *vc, double *local) {
  sup_block_pattern  pattern = {0};
  sup_constraint     constraint[ONE_MAX_CONTACTS];
  sup_jacobian_block jacobian[ONE_MAX_CONTACTS];
  double             value[ONE_MAX_CONTACTS * 3 * ONE_MAX_SCALARS], v[ONE_MAX_SCALARS];
  int                A_to_H = 0, num_vc = 0;
  sup_arena         *arena;
  sup_visits         visits;
  OK(sup_block_pattern_build(&pattern, 1, &b->n, 0, NULL));
  for (int i = 0; i < b->num; i++) {
    int size = sup_law_dimension(b->law[i].kind);
    constraint[i] =
        (sup_constraint){.law = b->law[i], .first_vc = num_vc, .first_block = i, .num_blocks = 1};
    memcpy(constraint[i].bias, b->bias[i], sizeof b->bias[i]);
    jacobian[i] = (sup_jacobian_block){0, (size_t)(3 * b->n * i)};
    memcpy(value + 3 * b->n * i, b->J[i], (size_t)(3 * b->n) * sizeof *value);
    num_vc += size;
  }
  sup_problem problem = {&pattern, b->A,   b->p,       &pattern, &A_to_H, b->num,
                         num_vc,   b->num, constraint, jacobian, value};
  OK(sup_arena_create(&arena, 1 << 16));
  CHECK(sup_visits_apply(&problem));
  OK(sup_visits_create(&visits, &problem, arena));
  sup_visits_start(&visits);
  sup_visits_sweep(&visits, b->law, most);
  sup_visits_velocity(&visits, v);
  sup_problem_constraint_velocity(&problem, v, 1, vc);
  memcpy(gamma, visits.impulse, (size_t)num_vc * sizeof *gamma);
  memcpy(local, visits.local, (size_t)num_vc * sizeof *local);
  int scalars = 0;
  for (int k = 0; k < visits.visit->num_parts; k++) scalars += visits.visit->part[k].size;
  sup_arena_destroy(&arena);
  sup_block_pattern_free(&pattern);
  return scalars;
}

/** Largest difference of the impulses to those of the laws at the velocities, bounds of coupled
 * friction by the impulse there, relative to the largest. */
static double law_error(const one_block *b, const double *gamma, const double *vc) {
  double worst = 0, largest = 0;
  for (int i = 0, at = 0; i < b->num; i++) {
    sup_law       law = b->law[i];
    sup_law_value value;
    int           n = sup_law_dimension(law.kind);
    if (sup_law_is_coupled(&law)) sup_law_set_lagged_impulse(&law, gamma[at + 2]);
    sup_law_evaluate(&law, vc + at, &value);
    for (int k = 0; k < n; k++, at++) {
      worst = fmax(worst, fabs(value.gamma[k] - gamma[at]));
      largest = fmax(largest, fabs(gamma[at]));
    }
  }
  return largest > 0 ? worst / largest : worst;
}

/** A ball of 2 kg that meets something at 1 m/s and 0.5 m/s along it. */
static void make_ball(one_block *b) {
  *b = (one_block){.n = 6, .num = 1};
  for (int i = 0; i < 6; i++) b->A[7 * i] = i < 3 ? 2 : .01;
  b->p[0] = 1, b->p[2] = -2;
  for (int k = 0; k < 3; k++) b->J[0][6 * k + k] = 1;
}

static sup_law contact(sup_normal_law normal, double mu, int is_coupled) {
  sup_law law = coulomb_law(SUP_LAW_LAGGED, normal_law(normal, dt, 1e5, .5, -1e-4), mu, 1e-4, -.2);
  law.coulomb.is_coupled = is_coupled;
  return law;
}

/** One visit ends where law and dynamics both hold. */
static void check_alone(const one_block *b) {
  double gamma[3], vc[3], local[3];
  visit(b, 1, gamma, vc, local);
  for (int k = 0; k < sup_law_dimension(b->law[0].kind); k++) NEAR(local[k], vc[k], 1e-9, 1e-12);
  CHECK(law_error(b, gamma, vc) < 1e-7);
}

static void one_contact_is_solved_by_one_visit(void) {
  static const sup_normal_law normal[] = {SUP_NORMAL_HUNT_CROSSLEY, SUP_NORMAL_KELVIN_VOIGT,
                                          SUP_NORMAL_HERTZ};
  static const double         mu[] = {0, .2, 1}; /* without friction, sliding, sticking */
  for (int k = 0; k < 18; k++) {
    one_block b;
    double    stretch[2] = {1e-5, -2e-5};
    make_ball(&b);
    b.law[0] = contact(normal[k % 3], mu[k / 3 % 3], 1);
    if (k >= 9) sup_law_set_spring(&b.law[0], 1e4, 1e-3, stretch);
    check_alone(&b);
  }
}

static void what_is_apart_stays_apart(void) {
  one_block b;
  double    gamma[3], vc[3], local[3];
  make_ball(&b);
  b.law[0] = contact(SUP_NORMAL_HUNT_CROSSLEY, .5, 1);
  b.law[0].coulomb.normal.f0 = -1e5, b.law[0].coulomb.gn0 = 0;
  visit(&b, 1, gamma, vc, local);
  CHECK(gamma[0] == 0 && gamma[1] == 0 && gamma[2] == 0);
  NEAR(vc[2], -1, 1e-14, 0);
}

static void joints_are_solved_by_one_visit(void) {
  for (int k = 0; k < 4; k++) {
    one_block b;
    make_ball(&b);
    if (k < 2)
      b.law[0] =
          (sup_law){.kind = k ? SUP_LAW_LIMIT : SUP_LAW_COUPLER, .limit = {.vhat = .8, .H = 5}};
    else
      b.law[0] = (sup_law){.kind = SUP_LAW_PD,
                           .pd = {.dt = dt, .u0 = 100, .slope = 30, .effort = k == 2 ? 10 : 1e3}};
    check_alone(&b);
  }
}

/* Three bodies that a dozen contacts and a drive push: where sweeps end, all laws hold at one
 * velocity, though friction's inverse mass is not the same in all directions. */
static void sweeps_end_at_the_solution(void) {
  test_random r = {7};
  one_block   b = {.n = 18, .num = ONE_MAX_CONTACTS};
  double      gamma[3 * ONE_MAX_CONTACTS], vc[3 * ONE_MAX_CONTACTS], local[3 * ONE_MAX_CONTACTS];
  for (int i = 0; i < b.n; i++) b.A[i * b.n + i] = i % 6 < 3 ? 1 : .02, b.p[i] = test_uniform(&r);
  for (int c = 0; c < b.num; c++) {
    int first = 6 * (c % 3), second = 6 * ((c + 1) % 3);
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 6; j++) {
        b.J[c][k * b.n + first + j] = j < 3 ? j == k : .1 * test_uniform(&r);
        if (c > 2) b.J[c][k * b.n + second + j] = j < 3 ? -(j == k) : .1 * test_uniform(&r);
      }
    b.law[c] = contact(SUP_NORMAL_HUNT_CROSSLEY, .3, c % 2);
  }
  b.law[8] = (sup_law){.kind = SUP_LAW_PD, .pd = {.dt = dt, .u0 = 10, .slope = 30, .effort = 20}};
  visit(&b, 20000, gamma, vc, local);
  double error = law_error(&b, gamma, vc);
  printf("laws are off by %.1e ", error);
  CHECK(error < 1e-4);
}

/* Contacts on the third of three branches of 6 joints, on a floating link: their rows have these 6
 * joints and the link alone, and are solved as others are. */
static void contacts_on_a_branch_leave_the_others_out(void) {
  test_random r = {8};
  one_block   b = {.n = 24, .num = 4};
  double      gamma[12], vc[12], local[12], L[24 * 24] = {0};
  for (int i = 0; i < 24; i++)
    for (int j = 0; j <= i; j++)
      if (j < 6 || j / 6 == i / 6) L[24 * i + j] = i == j ? 1.5 : .3 * test_uniform(&r);
  for (int i = 0; i < 24; i++)
    for (int j = 0; j < 24; j++)
      for (int k = 0; k < 24; k++) b.A[24 * i + j] += L[24 * k + i] * L[24 * k + j];
  for (int i = 0; i < 24; i++) b.p[i] = test_uniform(&r);
  for (int c = 0; c < 4; c++) {
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 24; j++)
        if (j < 6 || j >= 18) b.J[c][24 * k + j] = test_uniform(&r);
    b.law[c] = contact(SUP_NORMAL_HUNT_CROSSLEY, .3, 1);
  }
  CHECK(visit(&b, 20000, gamma, vc, local) == 12);
  CHECK(law_error(&b, gamma, vc) < 1e-4);
}

static void other_laws_are_not_visited(void) {
  sup_block_pattern pattern = {0};
  int               size = 6;
  OK(sup_block_pattern_build(&pattern, 1, &size, 0, NULL));
  for (int k = 0; k < 4; k++) {
    sup_constraint c = {.law = contact(SUP_NORMAL_HUNT_CROSSLEY, .3, 1), .num_blocks = 1};
    if (k == 1) c.law.anisotropy = (sup_anisotropy){1, 1.4, .3, .6};
    if (k == 2) c.law.kind = SUP_LAW_SIMILAR;
    if (k == 3) c.law.coulomb.normal.kind = SUP_NORMAL_IPC_BARRIER;
    sup_problem problem = {.A_pattern = &pattern, .num_constraints = 1, .constraint = &c};
    CHECK(sup_visits_apply(&problem) == (k == 0));
  }
  sup_block_pattern_free(&pattern);
}

SUITE_TESTS(visits, TEST(one_contact_is_solved_by_one_visit), TEST(what_is_apart_stays_apart),
            TEST(joints_are_solved_by_one_visit), TEST(sweeps_end_at_the_solution),
            TEST(contacts_on_a_branch_leave_the_others_out), TEST(other_laws_are_not_visited));
