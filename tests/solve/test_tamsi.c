/* TAMSI against finite differences, against the solvers whose equations it shares, and where it has
 * to divide the step. */
#include <string.h>

#include "la/lu.h"
#include "law_case.h"
#include "one_block.h"
#include "solve/newton/coupling.h"

enum { N = 6, NUM = 3 };

static const sup_tamsi_options two_way = {.max_iterations = 20, .max_substeps = 20},
                               one_way = {.coupling = SUP_TAMSI_ONE_WAY,
                                          .max_iterations = 20,
                                          .max_substeps = 20};

/** Contacts on one body that press and slide, as in check_tamsi.py. */
static void make(one_block *b, uint64_t seed, sup_friction_softening softening, double eps) {
  test_random random = {seed};
  double      B[N * N];
  memset(b, 0, sizeof *b);
  b->n = N, b->num = NUM;
  for (int i = 0; i < N * N; i++) B[i] = test_uniform(&random);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      b->A[i * N + j] = i == j ? 6 : 0;
      for (int k = 0; k < N; k++) b->A[i * N + j] += B[i * N + k] * B[j * N + k];
    }
  for (int i = 0; i < N; i++) b->p[i] = .2 * test_uniform(&random);
  for (int c = 0; c < NUM; c++) {
    for (int i = 0; i < 3 * N; i++) b->J[c][i] = test_uniform(&random);
    b->bias[c][0] = .05 * test_uniform(&random);
    b->law[c] = coulomb_law(SUP_LAW_LAGGED,
                            normal_law(SUP_NORMAL_HUNT_CROSSLEY, .003, 1e4, .5, -1e-3), .6, eps, 0);
    b->law[c].coulomb.softening = softening;
    if (seed % 3 == 0) b->law[c].anisotropy = (sup_anisotropy){1, 1.3, .2, .8};
  }
}

static sup_solve_report run(one_block *b, sup_contact_solver solver, sup_tamsi_options tamsi,
                            double tolerance, int is_coupled) {
  one_block_solver  s;
  sup_solve_options options = {
      .tolerance = tolerance, .max_iterations = 200, .sweeps = 1, .solver = solver, .tamsi = tamsi};
  for (int c = 0; c < b->num; c++) b->law[c].coulomb.is_coupled = is_coupled;
  one_block_solver_create(&s);
  sup_solve_report report = one_block_solve(b, &s, &options);
  report.residual = report.momentum = report.impulse = report.scaling = NULL; /* of the arena */
  one_block_solver_destroy(&s);
  return report;
}

/** r = A v - p - J^T gamma with friction by the normal impulses of v. */
static void residual(const one_block *b, const double *v, double *r) {
  for (int i = 0; i < N; i++) {
    r[i] = -b->p[i];
    for (int j = 0; j < N; j++) r[i] += b->A[j * N + i] * v[j];
  }
  for (int c = 0; c < NUM; c++) {
    sup_law       law = b->law[c];
    sup_law_value value;
    double        vc[3], cost, n, slope;
    for (int k = 0; k < 3; k++) {
      vc[k] = b->bias[c][k];
      for (int j = 0; j < N; j++) vc[k] += b->J[c][k * N + j] * v[j];
    }
    sup_normal_evaluate(&law.coulomb.normal, vc[2], &cost, &n, &slope);
    law.coulomb.gn0 = n;
    sup_law_evaluate(&law, vc, &value);
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < N; j++) r[j] -= b->J[c][k * N + j] * value.gamma[k];
  }
}

/* W_tt, W_nn and W_tn: one iteration without TALS takes r'(v) dv = -r, and the derivative of r
 * along dv by differences is -r. */
static void one_iteration_inverts_the_derivative_of_the_residual(void) {
  if (!sup_lu_is_built_in()) SKIP("built with UMFPACK=0");
  int pressing = 0;
  for (int kind = 0; kind < SUP_NUM_FRICTION_SOFTENINGS; kind++)
    for (int scale = 0; scale < 3; scale++)
      for (uint64_t seed = 1; seed < 12; seed++) {
        one_block   b;
        test_random random = {seed + 100};
        double      v[N], dv[N], r[N], high[N], low[N], at[N], longest = 0, size = 0;
        make(&b, seed, (sup_friction_softening)kind, 1e-4);
        for (int c = 0; c < NUM; c++) b.bias[c][0] = 0;
        for (int i = 0; i < N; i++) b.v[i] = v[i] = pow(10, 2 * scale - 5) * test_uniform(&random);
        residual(&b, v, r);
        run(&b, SUP_CONTACT_SOLVER_TAMSI,
            (sup_tamsi_options){.is_unlimited = 1, .max_iterations = 1, .max_substeps = 1}, 1e-14,
            0);
        for (int i = 0; i < N; i++)
          dv[i] = b.v[i] - v[i], longest = fmax(longest, fabs(dv[i])),
          size = fmax(size, fabs(r[i]));
        double e = 1e-9 / longest;
        for (int i = 0; i < N; i++) at[i] = v[i] + e * dv[i];
        residual(&b, at, high);
        for (int i = 0; i < N; i++) at[i] = v[i] - e * dv[i];
        residual(&b, at, low);
        for (int i = 0; i < N; i++) NEAR((high[i] - low[i]) / (2 * e), -r[i], 0, 1e-4 * size);
        for (int c = 0; c < NUM; c++) pressing += b.gamma[3 * c + 2] > 0;
      }
  CHECK(pressing > 100);
}

/* THEORY 16.1: with the soft norm two-way TAMSI has the equations of coupled friction. */
static void with_the_soft_norm_it_ends_where_coupled_friction_does(void) {
  if (!sup_lu_is_built_in()) SKIP("built with UMFPACK=0");
  for (int small = 0; small < 3; small++)
    for (uint64_t seed = 1; seed < 15; seed++) {
      one_block a, b;
      double    eps = small == 0 ? 1e-2 : small == 1 ? 1e-4 : 1e-6;
      make(&a, seed, SUP_FRICTION_SOFTENING_SOFT_NORM, eps);
      b = a;
      sup_solve_report x = run(&a, SUP_CONTACT_SOLVER_TAMSI, two_way, 1e-12, 0),
                       y = run(&b, SUP_CONTACT_SOLVER_NEWTON, two_way, 1e-12, 1);
      CHECK(x.reason > 0 && y.reason > 0);
      for (int i = 0; i < N; i++) NEAR(a.v[i], b.v[i], 0, 1e-11);
      for (int i = 0; i < 3 * NUM; i++) NEAR(a.gamma[i], b.gamma[i], 1e-9, 1e-10);
    }
}

/* S05, coupled: the root of CASES.md. */
static void one_contact_has_the_root_of_S05(void) {
  if (!sup_lu_is_built_in()) SKIP("built with UMFPACK=0");
  one_block b = {.n = 3,
                 .num = 1,
                 .A = {.4, 0, .2, 0, 1. / 3, 0, .2, 0, .6},
                 .J = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};
  double    free_velocity[3] = {.2, 0, -.1081};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) b.p[i] += b.A[3 * j + i] * free_velocity[j];
  b.law[0] = coulomb_law(SUP_LAW_LAGGED, normal_law(SUP_NORMAL_HUNT_CROSSLEY, .01, 1e5, 20, -1e-5),
                         .5, 1e-4, -.01);
  CHECK(run(&b, SUP_CONTACT_SOLVER_TAMSI, two_way, 1e-12, 0).reason > 0);
  NEAR(b.v[0], .0948694995, 1e-8, 0);
  NEAR(b.v[2], -2.96947613e-3, 1e-8, 0);
  NEAR(b.gamma[2], .0420522142, 1e-8, 0);
}

/* One-way, for every softening function, is the Lagged model by another way. */
static void one_way_ends_where_lagged_does(void) {
  for (int kind = 0; kind < SUP_NUM_FRICTION_SOFTENINGS; kind++)
    for (uint64_t seed = 1; seed < 15; seed++) {
      one_block a, b;
      make(&a, seed, (sup_friction_softening)kind, 1e-4);
      b = a;
      sup_solve_report x = run(&a, SUP_CONTACT_SOLVER_TAMSI, one_way, 1e-12, 0),
                       y = run(&b, SUP_CONTACT_SOLVER_NEWTON, one_way, 1e-12, 0);
      CHECK(x.reason > 0 && y.reason > 0 && x.substeps == 1);
      for (int i = 0; i < N; i++) NEAR(a.v[i], b.v[i], 0, 1e-11);
      for (int i = 0; i < 3 * NUM; i++) NEAR(a.gamma[i], b.gamma[i], 1e-9, 1e-10);
    }
}

/* A factor that serves for several iterations leads to the same end. */
static void quasi_newton_ends_where_full_newton_does(void) {
  if (!sup_lu_is_built_in()) SKIP("built with UMFPACK=0");
  for (uint64_t seed = 1; seed < 15; seed++) {
    one_block         a, b;
    sup_tamsi_options quasi = two_way;
    quasi.is_quasi = 1, quasi.max_iterations = 60;
    make(&a, seed, SUP_FRICTION_SOFTENING_QUADRATIC, 1e-3);
    b = a;
    CHECK(run(&a, SUP_CONTACT_SOLVER_TAMSI, two_way, 1e-12, 0).reason > 0);
    CHECK(run(&b, SUP_CONTACT_SOLVER_TAMSI, quasi, 1e-12, 0).reason > 0);
    for (int i = 0; i < N; i++) NEAR(a.v[i], b.v[i], 0, 1e-10);
  }
}

/** A box of 0.33 kg that presses with its weight, pushed for a step from velocity v0 (P2 IV-A). */
static void make_box(one_block *b, double v0, double force, double h) {
  const double m = .33, g = 9.8, k = 2e5;
  memset(b, 0, sizeof *b);
  b->n = 3, b->num = 1;
  for (int i = 0; i < 3; i++) b->A[4 * i] = m, b->J[0][4 * i] = 1;
  b->p[0] = m * v0 + h * force, b->p[2] = -m * g * h, b->v[0] = v0;
  b->law[0] = coulomb_law(SUP_LAW_LAGGED, normal_law(SUP_NORMAL_HUNT_CROSSLEY, h, k, 0, -m * g / k),
                          1, 1e-4, 0);
  b->law[0].coulomb.softening = SUP_FRICTION_SOFTENING_LINEAR;
}

/* P2 Figs 2 and 4: from slip into stiction in one step of 10 ms. */
static void plain_newton_cycles_over_stiction_and_TALS_ends_in_it(void) {
  if (!sup_lu_is_built_in()) SKIP("built with UMFPACK=0");
  one_block         b;
  sup_tamsi_options plain = two_way;
  plain.is_unlimited = 1, plain.max_substeps = 1, plain.max_iterations = 100;
  double v0 = .0327, force = 1.927; /* those of t = .160 s by implicit Euler */
  make_box(&b, v0, force, .01);
  sup_solve_report report = run(&b, SUP_CONTACT_SOLVER_TAMSI, plain, 1e-8, 0);
  CHECK(report.reason == SUP_REASON_MAX_ITERATIONS && report.iterations >= 100);
  make_box(&b, v0, force, .01);
  report = run(&b, SUP_CONTACT_SOLVER_TAMSI, two_way, 1e-8, 0);
  printf("%d iterations with TALS ", report.iterations);
  CHECK(report.reason > 0 && report.substeps == 1 && report.iterations <= 6);
  NEAR(b.v[0], 1e-4 * (.33 * v0 / .01 + force) / (.33 * 9.8), 1e-2, 0); /* a creep below v_s */
}

/* cases of THEORY 7: 4 N sine of 1 Hz for a second in steps of 10 ms, implicit Euler. */
static void over_a_second_TALS_fails_in_no_step_and_saves_nine_iterations_of_ten(void) {
  if (!sup_lu_is_built_in()) SKIP("built with UMFPACK=0");
  int failed[2] = {0, 0}, iterations[2] = {0, 0};
  for (int plain = 0; plain < 2; plain++) {
    double            v = 0;
    sup_tamsi_options tamsi = two_way;
    tamsi.is_unlimited = plain, tamsi.max_substeps = 1, tamsi.max_iterations = 100;
    for (int k = 1; k <= 100; k++) {
      one_block b;
      make_box(&b, v, 4 * sin(2 * 3.14159265358979323846 * .01 * k), .01);
      sup_solve_report report = run(&b, SUP_CONTACT_SOLVER_TAMSI, tamsi, 1e-6, 0);
      failed[plain] += report.reason < 0, iterations[plain] += report.iterations;
      v = b.v[0]; /* as in the catalogue: the next step begins where the iteration ended */
    }
  }
  printf("failed steps %d, without TALS %d; iterations %d, %d ", failed[0], failed[1],
         iterations[0], iterations[1]);
  CHECK(failed[0] == 0);
  CHECK(failed[1] >= 10 && failed[1] <= 30);
  CHECK(iterations[1] > 5 * iterations[0]);
}

/* The sum of the substeps' impulses keeps the balance of the step, and a sliding box in substeps is
 * where it is in as many steps. */
static void substeps_keep_the_balance_of_the_step(void) {
  if (!sup_lu_is_built_in()) SKIP("built with UMFPACK=0");
  const double      v0 = 1e-3, force = 5, h = .01, m = .33, g = 9.8;
  one_block         b;
  sup_tamsi_options plain = two_way;
  plain.max_iterations = 5; /* so that the step has to be divided */
  make_box(&b, -v0, force, h);
  b.law[0].coulomb.normal.d = 10;
  b.v[2] = -.1, b.p[2] += m * b.v[2]; /* an impact: many iterations undivided */
  sup_solve_report report = run(&b, SUP_CONTACT_SOLVER_TAMSI, plain, 1e-6, 0);
  printf("%d substeps ", report.substeps);
  CHECK(report.reason > 0 && report.substeps > 1 && report.momentum_error < 1e-6);
  for (int i = 0; i < 3; i++)
    NEAR(m * b.v[i], b.p[i] + b.gamma[i], 0, 1e-6 * m * g * h + 1e-6 * fabs(b.p[i]));
  CHECK(b.law[0].coulomb.gn0 == b.gamma[2]);
  /* as many steps: gap and velocity go on from one to the next */
  double v[3] = {-v0, 0, -.1}, phi = -m * g / 2e5, sum = 0;
  int    count = report.substeps;
  for (int k = 0; k < count; k++) {
    one_block c;
    make_box(&c, v[0], force, h / count);
    c.law[0].coulomb.normal = normal_law(SUP_NORMAL_HUNT_CROSSLEY, h / count, 2e5, 10, phi);
    c.v[2] = v[2], c.p[2] += m * v[2];
    CHECK(run(&c, SUP_CONTACT_SOLVER_TAMSI, two_way, 1e-10, 0).reason > 0);
    memcpy(v, c.v, sizeof v);
    phi += h / count * v[2], sum += c.gamma[2];
  }
  for (int i = 0; i < 3; i += 2) NEAR(b.v[i], v[i], 1e-4, 1e-8);
  NEAR(b.gamma[2], sum, 1e-4, 0);
}

/* 20 substeps with one iteration each solve no impact: it says so. */
static void what_no_substeps_solve_is_told(void) {
  if (!sup_lu_is_built_in()) SKIP("built with UMFPACK=0");
  one_block         b;
  sup_tamsi_options hopeless = two_way;
  hopeless.max_iterations = 1;
  make(&b, 4, SUP_FRICTION_SOFTENING_LINEAR, 1e-4);
  sup_solve_report report = run(&b, SUP_CONTACT_SOLVER_TAMSI, hopeless, 1e-12, 0);
  CHECK(report.reason == SUP_REASON_MAX_ITERATIONS && report.substeps == 20);
  CHECK(report.at_cap == 1u << SUP_STRATEGY_SUBSTEPS);
}

/* The step that was divided is not, and ends where coupled friction, one-way lagged, does. */
static void what_TALS_does_not_end_goes_down_to_the_same_solution(void) {
  if (!sup_lu_is_built_in()) SKIP("built with UMFPACK=0");
  for (uint64_t seed = 1; seed <= 20; seed++)
    for (int one = 0; one < 2; one++) {
      one_block         b, c;
      sup_tamsi_options hopeless = one ? one_way : two_way;
      hopeless.max_iterations = 1, hopeless.descends = 1;
      make(&b, seed, SUP_FRICTION_SOFTENING_SOFT_NORM, 1e-4);
      for (int i = 0; i < NUM && one; i++) b.law[i].coulomb.gn0 = .02;
      c = b;
      sup_solve_report report = run(&b, SUP_CONTACT_SOLVER_TAMSI, hopeless, 1e-11, 0);
      CHECK(report.reason > 0 && report.substeps == 1 && report.iterations > 1);
      CHECK(report.momentum_error <= 1e-10);
      CHECK(run(&c, SUP_CONTACT_SOLVER_NEWTON, two_way, 1e-12, !one).reason > 0);
      for (int i = 0; i < N; i++) NEAR(b.v[i], c.v[i], 0, 1e-8);
    }
}

static void other_laws_are_refused_by_name(void) {
  const sup_contact_solver_row *row = sup_contact_solver_table(SUP_CONTACT_SOLVER_TAMSI);
  one_block                     b;
  one_block_solver              s;
  sup_solve_options             options = {1e-6, 100, 1, .01, .solver = SUP_CONTACT_SOLVER_TAMSI};
  sup_solve_report              report;
  CHECK(!row->accepts(SUP_LAW_SIMILAR) && !row->accepts(SUP_LAW_SAP));
  CHECK(row->accepts(SUP_LAW_PD) && row->accepts(SUP_LAW_LIMIT) && row->accepts(SUP_LAW_COUPLER));
  make(&b, 1, SUP_FRICTION_SOFTENING_LINEAR, 1e-4);
  b.law[1].coulomb.normal.kind = SUP_NORMAL_IPC_BARRIER;
  one_block_solver_create(&s);
  const int          size = N;
  const double       zero[N] = {0};
  sup_block_pattern  pattern = {0};
  sup_constraint     c = {.law = b.law[1], .num_blocks = 1};
  sup_jacobian_block j = {0, 0};
  int                entry = 0;
  double             v[N] = {0}, gamma[3];
  OK(sup_block_pattern_build(&pattern, 1, &size, 0, NULL));
  sup_problem problem = {&pattern, b.A, zero, &pattern, &entry, 1, 3, 1, &c, &j, b.J[0]};
  FAILS(sup_solve(&problem, s.factor, &options, s.arena, &(sup_solution){v, gamma, NULL}, &report),
        SUP_E_ARG, "ipc_barrier");
  sup_block_pattern_free(&pattern);
  one_block_solver_destroy(&s);
}

SUITE_TESTS(tamsi, TEST(one_iteration_inverts_the_derivative_of_the_residual),
            TEST(with_the_soft_norm_it_ends_where_coupled_friction_does),
            TEST(one_contact_has_the_root_of_S05), TEST(one_way_ends_where_lagged_does),
            TEST(quasi_newton_ends_where_full_newton_does),
            TEST(plain_newton_cycles_over_stiction_and_TALS_ends_in_it),
            TEST(over_a_second_TALS_fails_in_no_step_and_saves_nine_iterations_of_ten),
            TEST(substeps_keep_the_balance_of_the_step), TEST(what_no_substeps_solve_is_told),
            TEST(what_TALS_does_not_end_goes_down_to_the_same_solution),
            TEST(other_laws_are_refused_by_name));
