/* Solvers that iterate on impulses, against closed forms and their definitions (THEORY 8). */
#include "dual_case.h"
#include "one_block.h"

static const double dt = .01;

/** Normal impulse a (vhat - v)+ with R = 1/a, c* = vhat. */
static sup_law spring(double R, double vhat, double mu) {
  double k = 1 / (R * dt * dt);
  return (sup_law){
      .kind = SUP_LAW_LAGGED,
      .coulomb = {
          .normal = {.kind = SUP_NORMAL_KELVIN_VOIGT, .dt = dt, .k = k, .f0 = k * dt * vhat},
          .mu = mu,
          .slip = 1e-4,
          .eps = 1e-4}};
}

/* ---- one contact ----------------------------------------------------------------------------- */

/** One contact of three scalars with J = 1 and A = G^-1: velocity g without impulse. */
static sup_solve_report one_contact(one_block_solver *s, sup_contact_solver solver,
                                    const double G[9], const double g[3], const sup_law *law,
                                    one_block *b) {
  double            L[9], inverse[9];
  sup_solve_options options = dual_options(solver, 1e-12);
  double            det = G[0] * (G[4] * G[8] - G[5] * G[7]) - G[1] * (G[3] * G[8] - G[5] * G[6]) +
               G[2] * (G[3] * G[7] - G[4] * G[6]);
  memcpy(L, G, sizeof L);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int a = (j + 1) % 3, c = (j + 2) % 3, e = (i + 1) % 3, f = (i + 2) % 3;
      inverse[3 * i + j] = (G[3 * a + e] * G[3 * c + f] - G[3 * a + f] * G[3 * c + e]) / det;
    }
  *b = (one_block){.n = 3, .num = 1, .law = {*law}};
  memcpy(b->A, inverse, sizeof inverse);
  for (int i = 0; i < 3; i++) {
    b->J[0][4 * i] = 1;
    for (int j = 0; j < 3; j++) b->p[i] += inverse[3 * i + j] * g[j];
  }
  return one_block_solve(b, s, &options);
}

/** All that iterate on impulses and have Coulomb's law, or at one contact the same solution. */
static const sup_contact_solver ncp_solvers[] = {SUP_CONTACT_SOLVER_NCP_PGS};
enum { NUM_NCP = sizeof ncp_solvers / sizeof *ncp_solvers };

static void one_contact_sticks_slips_and_opens_as_in_closed_form(void) {
  static const double G[9] = {2, 0, 0, 0, 2, 0, 0, 0, 1.5}, R = .25, vhat = .1;
  test_random         random = {5};
  one_block_solver    s;
  one_block           b;
  int                 count[3] = {0, 0, 0};
  one_block_solver_create(&s);
  for (int trial = 0; trial < 150; trial++) {
    double  mu = trial % 10 == 0 ? 0 : .7 + .5 * test_uniform(&random), g[3], lambda[3] = {0, 0, 0};
    sup_law law = spring(R, vhat, mu);
    for (int k = 0; k < 3; k++) g[k] = test_uniform(&random);
    if (g[2] < vhat) {
      lambda[2] = (vhat - g[2]) / (G[8] + R);
      double t = hypot(g[0], g[1]), bound = mu * lambda[2], size = fmin(bound, t / G[0]);
      lambda[0] = -size * g[0] / t, lambda[1] = -size * g[1] / t;
      count[size < bound]++;
    } else {
      count[2]++;
    }
    for (int m = 0; m < NUM_NCP; m++) {
      sup_solve_report report = one_contact(&s, ncp_solvers[m], G, g, &law, &b);
      CHECK(report.reason > 0 && report.law.relative <= 1e-12);
      for (int k = 0; k < 3; k++) {
        NEAR(b.gamma[k], lambda[k], 0, 1e-11);
        NEAR(b.v[k], g[k] + G[4 * k] * lambda[k], 0, 1e-11);
      }
    }
  }
  CHECK(count[0] > 10 && count[1] > 10 && count[2] > 10);
  one_block_solver_destroy(&s);
}

/* Sticking with G_TT = diag(1, 10): the printed step 1/min(G_xx, G_yy) goes apart (THEORY 8). */
static void anisotropic_delassus_matrices_do_not_drive_the_steps_apart(void) {
  static const double G[9] = {1, 0, 0, 0, 10, 0, 0, 0, 1}, g[3] = {.3, .3, -1};
  one_block_solver    s;
  one_block           b;
  sup_law             law = spring(1e-9, 0, .9);
  one_block_solver_create(&s);
  for (int m = 0; m < NUM_NCP; m++) {
    sup_solve_report report = one_contact(&s, ncp_solvers[m], G, g, &law, &b);
    CHECK(report.law.relative <= 1e-12);
    NEAR(b.gamma[0], -.3, 0, 1e-8);
    NEAR(b.gamma[1], -.03, 0, 1e-8);
    NEAR(b.gamma[2], 1, 0, 1e-8);
  }
  one_block_solver_destroy(&s);
}

/* THEORY 6.6: with M = mu S friction is -mu gamma_n S S v_t / |S v_t|. */
static void anisotropic_friction_is_that_of_maximum_dissipation(void) {
  static const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, g[3] = {2, 1, -.5};
  one_block_solver    s;
  one_block           b;
  sup_law             law = spring(1e-6, 0, .5);
  law.anisotropy = (sup_anisotropy){1, .9, .2, .6};
  one_block_solver_create(&s);
  for (int m = 0; m < NUM_NCP; m++) {
    sup_solve_report report = one_contact(&s, ncp_solvers[m], G, g, &law, &b);
    CHECK(report.law.relative <= 1e-12);
    double u[2] = {.9 * b.v[0] + .2 * b.v[1], .2 * b.v[0] + .6 * b.v[1]}, size = hypot(u[0], u[1]);
    NEAR(b.gamma[0], -.5 * b.gamma[2] * (.9 * u[0] + .2 * u[1]) / size, 1e-9, 0);
    NEAR(b.gamma[1], -.5 * b.gamma[2] * (.2 * u[0] + .6 * u[1]) / size, 1e-9, 0);
    NEAR(b.gamma[2], .5, 1e-5, 0);
  }
  one_block_solver_destroy(&s);
}

/* The law itself, not its tangent: Hunt and Crossley, Hertz, and a force without stiffness. */
static void nonlinear_normal_laws_hold_at_the_solution(void) {
  static const double G[9] = {2, .3, .5, .3, 1, -.2, .5, -.2, 1.5}, g[3] = {.1, .05, -.5};
  one_block_solver    s;
  one_block           b;
  one_block_solver_create(&s);
  for (int m = 0; m < NUM_NCP; m++)
    for (int kind = 0; kind < 4; kind++) {
      double     k = kind == 3 ? 0 : 1e4, phi = kind == 0 ? 1e-3 : -2e-3;
      sup_normal normal = normal_law(kind == 2 ? SUP_NORMAL_HERTZ : SUP_NORMAL_HUNT_CROSSLEY, dt, k,
                                     kind == 1 ? 5 : 2, phi);
      if (kind == 3) normal.f0 = 20;
      sup_law          law = coulomb_law(SUP_LAW_LAGGED, normal, .5, 1e-4, 0);
      sup_solve_report report = one_contact(&s, ncp_solvers[m], G, g, &law, &b);
      double           cost, n, slope;
      CHECK(report.law.relative <= 1e-12);
      sup_normal_evaluate(&normal, b.v[2], &cost, &n, &slope);
      CHECK(n > 0);
      NEAR(b.gamma[2], n, 1e-7, 0);
    }
  one_block_solver_destroy(&s);
}

/* ---- several --------------------------------------------------------------------------------- */

/** Worst violation of Coulomb's law with R and c* at the contacts, of the laws of joints, and of
 * the momentum balance, each in its unit. */
static double violation(const dual_case *q, double R, double vhat) {
  double c[CASE_VC], Av[CASE_SCALARS], JTg[CASE_SCALARS], worst = 0;
  dual_case_velocity(q, c);
  sup_block_multiply(&q->A_pattern, q->A, q->v, Av);
  sup_problem_generalized_impulse(&q->problem, q->gamma, JTg);
  for (int k = 0; k < CASE_SCALARS; k++) worst = fmax(worst, fabs(Av[k] - q->p[k] - JTg[k]));
  for (int i = 0; i < q->num_contacts; i++) {
    const double *lambda = q->gamma + 3 * i, *v = c + 3 * i;
    double        mu = q->constraint[i].law.coulomb.mu, slip = hypot(v[0], v[1]);
    double        u = v[2] + R * lambda[2] - vhat, bound = mu * lambda[2];
    worst = fmax(worst, fmax(-lambda[2], fmax(-u, fabs(lambda[2] * u))));
    worst = fmax(worst, hypot(lambda[0], lambda[1]) - bound);
    for (int k = 0; k < 2; k++) /* lambda_t |v_t| = -bound v_t */
      worst = fmax(worst, fabs(lambda[k] * slip + bound * v[k]) *
                              (slip > 1e-9)); /* sticking: any lambda in the disc */
  }
  for (int i = q->num_contacts; i < q->problem.num_constraints; i++) {
    const sup_constraint *row = &q->constraint[i];
    sup_law_value         value;
    sup_law_evaluate(&row->law, c + row->first_vc, &value);
    worst = fmax(worst, fabs(value.gamma[0] - q->gamma[row->first_vc]) *
                            (value.G[0] > 0 ? 1 / value.G[0] : 1));
  }
  return worst;
}

static void coulombs_law_and_those_of_joints_hold_in_random_problems(void) {
  static const double R = 1e-3, vhat = .05;
  sup_law             law = spring(R, vhat, 0);
  int                 saturated = 0, limited = 0, solved[NUM_NCP] = {0};
  for (uint64_t seed = 1; seed <= 30; seed++)
    for (int m = 0; m < NUM_NCP; m++) {
      dual_case         q;
      sup_solve_options options = dual_options(ncp_solvers[m], 1e-12);
      dual_case_make(&q, seed, &law, 1);
      sup_solve_report report = dual_case_solve(&q, &options);
      CHECK(report.reason > 0 && report.momentum_error < 1e-12);
      NEAR(violation(&q, R, vhat), 0, 0, 1e-7); /* the residual is of second order in the slip */
      saturated += fabs(q.gamma[CASE_VC - 1]) == dt * 5;
      limited += q.gamma[CASE_VC - 4] > 0;
      solved[m] += report.law.relative <= 1e-12;
      dual_case_drop(&q);
    }
  CHECK(saturated > 0 && limited > 0);
  for (int m = 0; m < NUM_NCP; m++) CHECK(solved[m] == 30);
}

/* The law in force gives the impulses that were found, whatever the velocity. */
static void laws_in_force_are_the_impulses(void) {
  dual_case         q;
  sup_law           law = spring(1e-3, .05, 0);
  double            c[CASE_VC] = {0}, gamma[CASE_VC];
  sup_solve_options options = dual_options(SUP_CONTACT_SOLVER_NCP_PGS, 1e-10);
  law.anisotropy = (sup_anisotropy){1, .9, .2, .6};
  dual_case_make(&q, 3, &law, 1);
  dual_case_solve(&q, &options);
  sup_problem_evaluate(&q.problem, q.law, c, gamma, NULL);
  for (int k = 0; k < CASE_VC; k++) NEAR(gamma[k], q.gamma[k], 1e-14, 1e-16);
  dual_case_drop(&q);
}

/* From the impulses of the solution nothing is left to do. */
static void a_start_from_the_solution_takes_no_iterations(void) {
  for (int m = 0; m < NUM_NCP; m++) {
    dual_case         q;
    sup_law           law = spring(1e-3, .05, 0);
    sup_solve_options options = dual_options(ncp_solvers[m], 1e-9);
    dual_case_make(&q, 4, &law, 1);
    CHECK(dual_case_solve(&q, &options).iterations > 3);
    options.dual.tolerance = 2e-9;
    CHECK(dual_case_solve(&q, &options).iterations == 0);
    dual_case_drop(&q);
  }
}

/* A cap that is too small leaves a residual that is told, and the momenta balance all the same. */
static void what_the_cap_leaves_is_told(void) {
  dual_case         q;
  sup_law           law = spring(1e-3, .05, 0);
  sup_solve_options options = dual_options(SUP_CONTACT_SOLVER_NCP_PGS, 1e-12);
  options.dual.max_iterations = 3;
  dual_case_make(&q, 5, &law, 1);
  sup_solve_report report = dual_case_solve(&q, &options);
  CHECK(report.reason > 0 && report.iterations == 3);
  CHECK(report.law.relative > 1e-12 && report.momentum_error < 1e-12);
  dual_case_drop(&q);
}

/* ---- cones ----------------------------------------------------------------------------------- */

/* Moreau: x = P_K(x) - P_K*(-x), and the distances are those to the projections. */
static void cones_and_their_duals_split_every_vector(void) {
  test_random random = {11};
  for (int trial = 0; trial < 400; trial++) {
    double mu = trial % 20 ? 1.1 + test_uniform(&random) : 0, x[3], a[3], b[3];
    for (int k = 0; k < 3; k++) a[k] = x[k] = test_uniform(&random);
    sup_cone_project(mu, a);
    for (int k = 0; k < 3; k++) b[k] = x[k] - a[k]; /* in the polar cone -K*, across a */
    NEAR(a[0] * b[0] + a[1] * b[1] + a[2] * b[2], 0, 0, 1e-14);
    NEAR(sup_cone_distance(mu, a), 0, 0, 1e-14);
    NEAR(sup_cone_distance(mu, x), sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]), 1e-12, 1e-14);
    double minus[3] = {-x[0], -x[1], -x[2]}, away[3] = {-b[0], -b[1], -b[2]};
    NEAR(sup_dual_cone_distance(mu, away), 0, 0, 1e-14);
    NEAR(sup_dual_cone_distance(mu, minus), sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), 1e-12,
         1e-14);
  }
}

SUITE_TESTS(dual, TEST(one_contact_sticks_slips_and_opens_as_in_closed_form),
            TEST(anisotropic_delassus_matrices_do_not_drive_the_steps_apart),
            TEST(anisotropic_friction_is_that_of_maximum_dissipation),
            TEST(nonlinear_normal_laws_hold_at_the_solution),
            TEST(coulombs_law_and_those_of_joints_hold_in_random_problems),
            TEST(laws_in_force_are_the_impulses),
            TEST(a_start_from_the_solution_takes_no_iterations), TEST(what_the_cap_leaves_is_told),
            TEST(cones_and_their_duals_split_every_vector));
