/* Solvers that iterate on impulses, against closed forms and their definitions (THEORY 8). */
#include "dual_case.h"
#include "la/dense_eigen.h"
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
static const sup_contact_solver ncp_solvers[] = {SUP_CONTACT_SOLVER_NCP_PGS,
                                                 SUP_CONTACT_SOLVER_NCP_STAGGERED};
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

/* The law itself, not its tangent: Hunt and Crossley, Hertz, a force without stiffness, and a law
 * that begins where the contact is, with slope 0 on one side: ADMM stepped to and fro there. */
static void nonlinear_normal_laws_hold_at_the_solution(void) {
  static const double G[9] = {2, .3, .5, .3, 1, -.2, .5, -.2, 1.5}, g[3] = {.1, .05, -.5};
  one_block_solver    s;
  one_block           b;
  one_block_solver_create(&s);
  for (int m = 0; m <= NUM_NCP; m++)
    for (int kind = 0; kind < 5; kind++) {
      double     k = kind == 3 ? 0 : 1e4, phi = kind == 4 ? 0 : kind == 0 ? 1e-3 : -2e-3;
      sup_normal normal = normal_law(kind == 2 ? SUP_NORMAL_HERTZ : SUP_NORMAL_HUNT_CROSSLEY, dt, k,
                                     kind == 1 ? 5 : 2, phi);
      if (kind == 3) normal.f0 = 20;
      sup_law          law = coulomb_law(SUP_LAW_LAGGED, normal, .5, 1e-4, 0);
      sup_solve_report report = one_contact(
          &s, m < NUM_NCP ? ncp_solvers[m] : SUP_CONTACT_SOLVER_CCP_ADMM, G, g, &law, &b);
      double cost, n, slope;
      CHECK(report.law.relative <= 1e-12);
      sup_normal_evaluate(&normal, b.v[2], &cost, &n, &slope);
      CHECK(n > 0);
      if (m < NUM_NCP) NEAR(b.gamma[2], n, 1e-7, 0); /* the relaxation lifts what slides */
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

/* Solvers of Coulomb's law find the same impulses where the solution is unique. */
static void solvers_of_coulombs_law_agree(void) {
  sup_law law = spring(1e-3, .05, 0);
  for (uint64_t seed = 1; seed <= 30; seed++) {
    double reference[CASE_VC];
    for (int m = 0; m < NUM_NCP; m++) {
      dual_case         q;
      sup_solve_options options = dual_options(ncp_solvers[m], 1e-13);
      dual_case_make(&q, seed, &law, 1);
      dual_case_solve(&q, &options);
      if (m == 0) memcpy(reference, q.gamma, sizeof reference);
      for (int k = 0; k < CASE_VC; k++) NEAR(q.gamma[k], reference[k], 0, 1e-8);
      dual_case_drop(&q);
    }
  }
}

/* The convex relaxation on SAP's laws is SAP: Newton's method is the oracle, joints included. */
static void the_convex_relaxation_of_saps_laws_is_sap(void) {
  static const sup_contact_solver ccp[] = {SUP_CONTACT_SOLVER_CCP_PGS, SUP_CONTACT_SOLVER_CCP_ADMM};
  sup_law                         law = sap_law(dt, 1e5, dt, -1e-3, .5, 1e-2, 1, .15, .15);
  for (uint64_t seed = 1; seed <= 20; seed++) {
    dual_case         newton, q;
    sup_solve_options options = dual_options(SUP_CONTACT_SOLVER_NEWTON, 0);
    dual_case_make(&newton, seed, &law, 1);
    CHECK(dual_case_solve(&newton, &options).reason > 0);
    for (int m = 0; m < 2; m++) {
      options = dual_options(ccp[m], 1e-12);
      dual_case_make(&q, seed, &law, 1);
      CHECK(dual_case_solve(&q, &options).law.relative <= 1e-11);
      for (int k = 0; k < CASE_SCALARS; k++) NEAR(q.v[k], newton.v[k], 0, 1e-8);
      for (int k = 0; k < CASE_VC; k++) NEAR(q.gamma[k], newton.gamma[k], 0, 1e-8);
      dual_case_drop(&q);
    }
    dual_case_drop(&newton);
  }
}

/* Sliding lifts off by mu |c_T|: the gap of Anitescu's relaxation. */
static void the_convex_relaxation_lifts_what_slides(void) {
  static const double             G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, g[3] = {2, 0, -.5};
  static const sup_contact_solver ccp[] = {SUP_CONTACT_SOLVER_CCP_PGS, SUP_CONTACT_SOLVER_CCP_ADMM};
  one_block_solver                s;
  one_block                       b;
  sup_law                         law = spring(1e-9, 0, .5);
  one_block_solver_create(&s);
  for (int m = 0; m < 2; m++) {
    CHECK(one_contact(&s, ccp[m], G, g, &law, &b).law.relative <= 1e-11);
    CHECK(b.gamma[2] > .1);
    NEAR(b.v[2], .5 * hypot(b.v[0], b.v[1]), 1e-7, 0);
  }
  one_block_solver_destroy(&s);
}

/* Energy of ccp_pgs after k sweeps, k = 0 .. 60. */
static void sweeps_of_the_convex_relaxation_never_raise_its_energy(void) {
  sup_law law = spring(1e-3, .05, 0);
  for (uint64_t seed = 1; seed <= 10; seed++) {
    double before = HUGE_VAL, fallen = 0;
    for (int k = 1; k <= 60; k++) {
      dual_case         q;
      sup_solve_options options = dual_options(SUP_CONTACT_SOLVER_CCP_PGS, 1e-12);
      options.dual.max_iterations = k;
      dual_case_make(&q, seed, &law, 1);
      dual_case_solve(&q, &options);
      double energy = 0, c[CASE_VC]; /* 1/2 v A v - p v and what compliance holds */
      dual_case_velocity(&q, c);
      for (int i = 0; i < q.problem.num_constraints; i++) {
        sup_dual_row row;
        sup_dual_row_of_law(&q.constraint[i].law, &options.dual, &row);
        for (int r = 0; r < row.dimension; r++) {
          double lambda = q.gamma[q.constraint[i].first_vc + r];
          energy +=
              .5 * row.R[r] * lambda * lambda + lambda * (q.constraint[i].bias[r] - row.target[r]);
        }
      }
      double Av[CASE_SCALARS];
      sup_block_multiply(&q.A_pattern, q.A, q.v, Av);
      for (int j = 0; j < CASE_SCALARS; j++) energy += .5 * q.v[j] * Av[j];
      CHECK(energy <= before + 1e-13);
      fallen += before < HUGE_VAL ? before - energy : 0;
      before = energy;
      dual_case_drop(&q);
    }
    CHECK(fallen > 1e-6);
  }
}

/* ---- methods that have a law of their own ---------------------------------------------------- */

/** 1/2 l G l + g l with R in G. */
static double local_energy(const double G[9], double R, const double g[3], const double l[3]) {
  double sum = .5 * R * l[2] * l[2];
  for (int i = 0; i < 3; i++) {
    sum += g[i] * l[i];
    for (int j = 0; j < 3; j++) sum += .5 * l[i] * G[3 * i + j] * l[j];
  }
  return sum;
}

/* THEORY 8: one contact of RaiSim has u_N = 0, the least energy on the rim, and slip opposite to
 * lambda_T + mu^2 lambda_N / G_NN G_NT, which is not Coulomb's law. */
static void raisim_slides_where_the_energy_on_the_ellipse_is_least(void) {
  static const double R = 1e-6;
  test_random         random = {17};
  one_block_solver    s;
  one_block           b;
  int                 count = 0;
  one_block_solver_create(&s);
  for (int trial = 0; trial < 200; trial++) {
    double B[9], G[9], g[3], mu = .45 + .25 * test_uniform(&random);
    for (int i = 0; i < 9; i++) B[i] = test_uniform(&random);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        G[3 * i + j] = i == j ? .5 : 0;
        for (int k = 0; k < 3; k++) G[3 * i + j] += B[3 * i + k] * B[3 * j + k];
      }
    for (int k = 0; k < 3; k++) g[k] = test_uniform(&random);
    g[2] = -fabs(g[2]);
    sup_law law = spring(R, 0, mu);
    one_contact(&s, SUP_CONTACT_SOLVER_RAISIM, G, g, &law, &b);
    double *l = b.gamma, *c = b.v, t = hypot(l[0], l[1]);
    if (t < mu * l[2] * (1 - 1e-9) || !(G[8] / mu > hypot(G[6], G[7]))) continue; /* sticks */
    count++;
    NEAR(c[2] + R * l[2], 0, 0, 1e-9);
    double least = HUGE_VAL;
    for (int k = 0; k < 20000; k++) {
      double angle = k * 3.14159265358979e-4, x = cos(angle), y = sin(angle);
      double r = -g[2] / ((G[8] + R) / mu + G[6] * x + G[7] * y);
      least = fmin(least, local_energy(G, R, g, (double[3]){r * x, r * y, r / mu}));
    }
    CHECK(local_energy(G, R, g, l) <= least + 1e-9);
    double law_x = -l[0] - mu * mu * l[2] / (G[8] + R) * G[6],
           law_y = -l[1] - mu * mu * l[2] / (G[8] + R) * G[7];
    NEAR((law_x * c[1] - law_y * c[0]) / (hypot(law_x, law_y) * hypot(c[0], c[1])), 0, 0, 1e-4);
  }
  CHECK(count > 100);
  one_block_solver_destroy(&s);
}

/* The square's friction is at its corner, sqrt(2) times Coulomb's bound, whatever the slip. */
static void friction_on_a_square_is_drawn_to_its_corners(void) {
  static const double             G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, g[3] = {1.5, .75, -1};
  static const sup_contact_solver lcp[] = {SUP_CONTACT_SOLVER_LCP_PGS,
                                           SUP_CONTACT_SOLVER_LCP_STAGGERED};
  one_block_solver                s;
  one_block                       b;
  sup_law                         law = spring(1e-9, 0, .3);
  one_block_solver_create(&s);
  for (int m = 0; m < 2; m++) {
    CHECK(one_contact(&s, lcp[m], G, g, &law, &b).law.relative <= 1e-12);
    NEAR(b.gamma[0], -.3 * b.gamma[2], 1e-12, 0);
    NEAR(b.gamma[1], -.3 * b.gamma[2], 1e-12, 0);
    NEAR(hypot(b.gamma[0], b.gamma[1]), sqrt(2) * .3 * b.gamma[2], 1e-12, 0);
  }
  one_block_solver_destroy(&s);
}

static void solvers_of_the_square_agree(void) {
  sup_law law = spring(1e-3, .05, 0);
  for (uint64_t seed = 1; seed <= 20; seed++) {
    dual_case         q[2];
    sup_solve_options options[2] = {dual_options(SUP_CONTACT_SOLVER_LCP_PGS, 1e-13),
                                    dual_options(SUP_CONTACT_SOLVER_LCP_STAGGERED, 1e-13)};
    for (int m = 0; m < 2; m++) {
      dual_case_make(&q[m], seed, &law, 1);
      CHECK(dual_case_solve(&q[m], &options[m]).law.relative <= 1e-13);
    }
    for (int k = 0; k < CASE_VC; k++) NEAR(q[0].gamma[k], q[1].gamma[k], 0, 1e-8);
    for (int m = 0; m < 2; m++) dual_case_drop(&q[m]);
  }
}

/* R = alpha diag(G): what sticks creeps by R_T lambda_T, and alpha adds to the scene's compliance.
 */
static void mujocos_compliance_is_a_share_of_the_inverse_mass(void) {
  static const double G[9] = {2, 0, 0, 0, 2, 0, 0, 0, 1.5}, g[3] = {.1, 0, -1};
  one_block_solver    s;
  one_block           b;
  sup_law             law = spring(.25, 0, .9);
  one_block_solver_create(&s);
  one_contact(&s, SUP_CONTACT_SOLVER_MUJOCO, G, g, &law, &b);
  double alpha = sup_default_options().dual.alpha;
  NEAR(b.gamma[2], 1 / (1.5 * (1 + alpha) + .25), 1e-9, 0);
  NEAR(b.gamma[0], -.1 / (2 * (1 + alpha)), 1e-9, 0);
  NEAR(b.v[0], -alpha * 2 * b.gamma[0], 1e-9, 0);
  one_block_solver_destroy(&s);
}

/* Beyond Painleve's point, mu |G_NT| > G_NN, sweeps that take normal and friction in turns went to
 * and fro between two impulses; here one sweep is enough. */
static void a_rod_beyond_painleves_point_slides_on(void) {
  static const double G[9] = {3.4, 0, -1.2, 0, 4, 0, -1.2, 0, 1.6}, g[3] = {1, 0, -.0981};
  static const sup_contact_solver all[] = {
      SUP_CONTACT_SOLVER_NCP_PGS, SUP_CONTACT_SOLVER_LCP_PGS, SUP_CONTACT_SOLVER_RAISIM,
      SUP_CONTACT_SOLVER_NCP_STAGGERED, SUP_CONTACT_SOLVER_LCP_STAGGERED};
  one_block_solver s;
  one_block        b;
  sup_law          law = spring(1e-12, 0, 2);
  one_block_solver_create(&s);
  for (int m = 0; m < 5; m++) {
    sup_solve_report report = one_contact(&s, all[m], G, g, &law, &b);
    CHECK(report.law.relative <= 1e-12 && report.iterations <= (m < 3 ? 2 : 20));
    NEAR(b.gamma[2], .024525, 1e-9, 0);
    NEAR(b.gamma[0], -2 * .024525, 1e-9, 0);
  }
  one_block_solver_destroy(&s);
}

/* ---- what the methods cannot do -------------------------------------------------------------- */

/** Contacts 0 and 1 of one body have the same friction directions: how they share is undetermined.
 */
static void gauss_seidel_alone_leaves_internal_forces(void) {
  static const sup_contact_solver solvers[] = {
      SUP_CONTACT_SOLVER_CCP_PGS, SUP_CONTACT_SOLVER_NCP_PGS, SUP_CONTACT_SOLVER_CCP_ADMM,
      SUP_CONTACT_SOLVER_NCP_STAGGERED, SUP_CONTACT_SOLVER_LCP_STAGGERED};
  for (int m = 0; m < 5; m++) {
    one_block_solver  s;
    one_block         b = {.n = 2, .num = 2};
    sup_solve_options options = dual_options(solvers[m], 1e-11);
    one_block_solver_create(&s);
    for (int i = 0; i < 2; i++) {
      b.law[i] = spring(1e-3, 0, .9);
      b.A[3 * i] = 1;
      b.J[i][0] = b.J[i][5] = 1; /* rows t, the other tangent, n on scalars t, n */
    }
    b.p[0] = .2, b.p[1] = -1;
    CHECK(one_block_solve(&b, &s, &options).law.relative <= 1e-10);
    NEAR(b.gamma[0] + b.gamma[3], -.2, 1e-8, 0);
    double uneven = fabs(b.gamma[0] - b.gamma[3]);
    CHECK(m < 2 ? uneven > .05 : uneven < 1e-8);
    one_block_solver_destroy(&s);
  }
}

/** A body of 1e6 kg on one of 1 kg on the ground, in 10 ms of gravity. */
static sup_solve_report heavy_on_light(sup_contact_solver solver, int cap, int subspace,
                                       double v[2]) {
  one_block_solver  s;
  one_block         b = {.n = 2, .num = 2, .A = {1, 0, 0, 1e6}};
  sup_solve_options options = dual_options(solver, 1e-8);
  options.dual.max_iterations = cap, options.dual.subspace = subspace;
  one_block_solver_create(&s);
  for (int i = 0; i < 2; i++) b.law[i] = spring(1e-9, 0, .5);
  b.J[0][4] = 1;                 /* n of the lower one on the ground */
  b.J[1][4] = -1, b.J[1][5] = 1; /* and of the upper one on it */
  b.p[0] = -.0981, b.p[1] = -.0981e6;
  sup_solve_report report = one_block_solve(&b, &s, &options);
  memcpy(v, b.v, 2 * sizeof *v);
  one_block_solver_destroy(&s);
  return report;
}

/* A body that leaves two contacts which pushed in the step before: relative to itself an impulse
 * that fades is never small, so that 0 must be tried. */
static void contacts_that_open_end_without_impulse(void) {
  for (int m = 0; m < SUP_NUM_CONTACT_SOLVERS; m++) {
    one_block_solver  s;
    one_block         b = {.n = 3, .num = 2};
    sup_solve_options options = dual_options((sup_contact_solver)m, 1e-5);
    if (m == SUP_CONTACT_SOLVER_TAMSI) continue; /* not of the dual form */
    one_block_solver_create(&s);
    for (int i = 0; i < 2; i++) {
      b.law[i] = spring(1e-3, -1.5, .95);
      b.J[i][0] = b.J[i][4] = b.J[i][8] = 1;
      b.gamma[3 * i] = -.4, b.gamma[3 * i + 2] = .5;
    }
    for (int k = 0; k < 3; k++) b.A[4 * k] = 1;
    b.p[0] = 1.36, b.p[2] = 1.48;
    sup_solve_report report = one_block_solve(&b, &s, &options);
    CHECK(report.iterations < 100);
    for (int k = 0; k < 6; k++) NEAR(b.gamma[k], 0, 0, 1e-12);
    for (int k = 0; k < 3; k++) NEAR(b.v[k], b.p[k], 0, 1e-12);
    one_block_solver_destroy(&s);
  }
}

static void a_mass_ratio_of_a_million_defeats_gauss_seidel_alone(void) {
  double v[2];
  for (int m = 0; m < 2; m++) {
    sup_contact_solver pgs = m ? SUP_CONTACT_SOLVER_CCP_PGS : SUP_CONTACT_SOLVER_NCP_PGS;
    sup_solve_report   report = heavy_on_light(pgs, 2000, 0, v);
    CHECK(report.law.relative > 1e-4 && report.reason > 0); /* and says so */
    CHECK(v[1] < -.05);                                     /* it falls through */
  }
  for (int m = 0; m < 3; m++) {
    static const sup_contact_solver all[] = {SUP_CONTACT_SOLVER_CCP_ADMM,
                                             SUP_CONTACT_SOLVER_NCP_STAGGERED,
                                             SUP_CONTACT_SOLVER_LCP_STAGGERED};
    CHECK(heavy_on_light(all[m], 1000, 0, v).law.relative <= 1e-7);
    NEAR(v[1], 0, 0, 1e-3);
  }
  CHECK(heavy_on_light(SUP_CONTACT_SOLVER_NEWTON, 1000, 0, v).reason > 0);
  NEAR(v[1], 0, 0, 1e-3);
}

/** A chain of bodies on elastic ties, each with a contact: sweeps hand on from neighbour to
 * neighbour. */
static sup_solve_report chain(sup_contact_solver solver, int subspace, one_block *b) {
  enum { NUM = 6 };
  one_block_solver  s;
  sup_solve_options options = dual_options(solver, 1e-10);
  *b = (one_block){.n = 3 * NUM, .num = NUM};
  options.dual.subspace = subspace, options.dual.max_iterations = 2000;
  one_block_solver_create(&s);
  for (int i = 0; i < NUM; i++) {
    b->law[i] = spring(1e-4, 0, .4 + .1 * (i % 3));
    for (int r = 0; r < 3; r++) {
      int at = 3 * i + r;
      b->A[at * b->n + at] = .01;
      b->J[i][r * b->n + at] = 1;
      if (i == 0) continue;
      int to = at - 3; /* a tie to the one before */
      b->A[at * b->n + at] += 10, b->A[to * b->n + to] += 10;
      b->A[at * b->n + to] -= 10, b->A[to * b->n + at] -= 10;
    }
    b->p[3 * i] = .02 * (i - 1), b->p[3 * i + 1] = .01, b->p[3 * i + 2] = i == 4 ? .01 : -.05;
  }
  sup_solve_report report = one_block_solve(b, &s, &options);
  one_block_solver_destroy(&s);
  return report;
}

/* Steps of all contacts at once change the way and not the end. */
static void steps_of_all_contacts_end_where_sweeps_do(void) {
  static const sup_contact_solver pgs[] = {SUP_CONTACT_SOLVER_NCP_PGS, SUP_CONTACT_SOLVER_CCP_PGS,
                                           SUP_CONTACT_SOLVER_LCP_PGS, SUP_CONTACT_SOLVER_RAISIM};
  for (int m = 0; m < 4; m++) {
    sup_law law = spring(1e-3, .05, 0);
    int     sweeps[2] = {0, 0};
    for (uint64_t seed = 1; seed <= 20; seed++) {
      dual_case q[2];
      for (int k = 0; k < 2; k++) {
        sup_solve_options options = dual_options(pgs[m], 1e-12);
        options.dual.subspace = k ? 6 : 0;
        dual_case_make(&q[k], seed, &law, 1);
        sup_solve_report report = dual_case_solve(&q[k], &options);
        if (m < 3) CHECK(report.law.relative <= 1e-12);
        sweeps[k] += report.iterations;
      }
      for (int k = 0; k < CASE_SCALARS && m < 3; k++) NEAR(q[1].v[k], q[0].v[k], 0, 1e-8);
      for (int k = 0; k < 2; k++) dual_case_drop(&q[k]);
    }
    CHECK(sweeps[1] < sweeps[0]);
  }
}

static void steps_of_all_contacts_solve_a_chain_and_a_mass_ratio_of_a_million(void) {
  static const sup_contact_solver pgs[] = {SUP_CONTACT_SOLVER_NCP_PGS, SUP_CONTACT_SOLVER_CCP_PGS,
                                           SUP_CONTACT_SOLVER_LCP_PGS, SUP_CONTACT_SOLVER_RAISIM};
  for (int m = 0; m < 4; m++) {
    one_block        b;
    double           v[2];
    int              plain = chain(pgs[m], 0, &b).iterations;
    sup_solve_report report = chain(pgs[m], 6, &b);
    CHECK(report.law.relative <= 1e-10 && 5 * report.iterations < plain);
    CHECK(heavy_on_light(pgs[m], 300, 6, v).law.relative <= 1e-8);
    NEAR(v[1], 0, 0, 1e-3);
  }
}

/* A soft and a hard contact on each of two bodies, of which one is light: all weights alike would
 * suit none of them. */
static void admm_takes_few_iterations_where_rows_are_unlike(void) {
  one_block_solver  s;
  one_block         b = {.n = 6, .num = 4};
  sup_solve_options options = dual_options(SUP_CONTACT_SOLVER_CCP_ADMM, 1e-8);
  for (int i = 0; i < 4; i++) {
    b.law[i] = spring(i % 2 ? 1e3 : 1e-3, .01, .5);
    for (int r = 0; r < 3; r++) b.J[i][r * b.n + 3 * (i / 2) + r] = 1;
  }
  for (int k = 0; k < 6; k++) b.A[k * (b.n + 1)] = k < 3 ? 1 : .01;
  b.p[0] = b.p[3] = .02, b.p[2] = -.05, b.p[5] = -.001;
  one_block_solver_create(&s);
  sup_solve_report report = one_block_solve(&b, &s, &options);
  one_block_solver_destroy(&s);
  CHECK(report.law.relative <= 1e-8 && report.iterations < 100);
}

/* Beyond each contact's own solution it is faster; the printed update, which damps, would be
 * slower. */
static void over_relaxation_saves_sweeps(void) {
  int     sweeps[2] = {0, 0};
  sup_law law = spring(1e-3, .05, 0);
  for (uint64_t seed = 1; seed <= 20; seed++)
    for (int k = 0; k < 2; k++) {
      dual_case         q;
      sup_solve_options options = dual_options(SUP_CONTACT_SOLVER_CCP_PGS, 1e-10);
      options.dual.over_relaxation = k ? 1.4 : 1;
      dual_case_make(&q, seed, &law, 1);
      sup_solve_report report = dual_case_solve(&q, &options);
      CHECK(report.law.relative <= 1e-10);
      sweeps[k] += report.iterations;
      dual_case_drop(&q);
    }
  CHECK(sweeps[1] < .9 * sweeps[0]);
}

/* ---- what scenes may ask for ----------------------------------------------------------------- */

/** Normal velocity and impulse of one contact that overlaps by 1 mm and comes at 1 m/s. */
static void impact(const sup_dual_options *dual, double *vn, double *gn) {
  one_block_solver  s;
  one_block         b = {.n = 3, .num = 1, .A = {.5, 0, 0, 0, .5, 0, 0, 0, .5}};
  sup_solve_options options = dual_options(SUP_CONTACT_SOLVER_NCP_PGS, 1e-13);
  options.dual = *dual;
  options.dual.tolerance = 1e-13;
  one_block_solver_create(&s);
  b.law[0] = spring(.25, .1, .5);
  b.law[0].coulomb.normal.phi0 = -1e-3;
  b.law[0].coulomb.vn0 = -1;
  for (int k = 0; k < 3; k++) b.J[0][4 * k] = 1;
  b.p[2] = -.5; /* 1 m/s */
  CHECK(one_block_solve(&b, &s, &options).law.relative <= 1e-13);
  *vn = b.v[2], *gn = b.gamma[2];
  one_block_solver_destroy(&s);
}

static void compliance_baumgarte_and_restitution_set_the_target(void) {
  double           vn, gn;
  sup_dual_options o = sup_default_options().dual;
  impact(&o, &vn, &gn); /* the spring */
  NEAR(gn, 1.1 / 2.25, 1e-12, 0);
  o.restitution = .8;
  impact(&o, &vn, &gn); /* the spring's compliance about the rebound */
  NEAR(gn, 1.8 / 2.25, 1e-12, 0);
  o.rigid = 1;
  impact(&o, &vn, &gn);
  NEAR(vn, .8, 1e-12, 0);
  NEAR(gn, .9, 1e-12, 0);
  o.restitution = 0, o.baumgarte = .2;
  impact(&o, &vn, &gn); /* a fifth of 1 mm in 10 ms */
  NEAR(vn, .02, 1e-12, 0);
}

static void what_is_left_is_handed_over(void) {
  dual_case         q;
  sup_law           law = spring(1e-3, .05, 0);
  sup_solve_options options = dual_options(SUP_CONTACT_SOLVER_NCP_PGS, 1e-10);
  dual_case_make(&q, 5, &law, 1);
  options.dual.max_iterations = 3;
  sup_solve_report left = dual_case_solve(&q, &options);
  CHECK(left.handed_over == 0 && left.law.relative > 1e-6);
  memset(q.v, 0, sizeof q.v), memset(q.gamma, 0, sizeof q.gamma);
  options.dual.hand_over = SUP_CONTACT_SOLVER_NEWTON, options.dual.hand_over_above = 1e-6;
  sup_solve_report report = dual_case_solve(&q, &options);
  CHECK(report.handed_over == 1 && report.reason > 0);
  CHECK(report.iterations > 3 && report.momentum_error < 1e-10);
  memset(q.v, 0, sizeof q.v), memset(q.gamma, 0, sizeof q.gamma);
  options.dual.restitution = .5; /* of which newton knows nothing */
  CHECK(dual_case_solve(&q, &options).handed_over == 0);
  dual_case_drop(&q);
}

static void the_log_has_every_iteration(void) {
  dual_case         q;
  sup_law           law = spring(1e-3, .05, 0);
  sup_solve_options options = dual_options(SUP_CONTACT_SOLVER_CCP_PGS, 1e-9);
  options.log = 1;
  dual_case_make(&q, 5, &law, 1);
  options.dual.max_iterations = 1000;
  sup_solve_report     report = dual_case_solve(&q, &options);
  const sup_iteration *row = report.log.first;
  double               energy = row->residual.energy;
  CHECK(report.iterations > 5);
  for (int k = 0; row; k++, energy = row->residual.energy, row = row->next) {
    CHECK(row->number == k && row->residual.energy <= energy + 1e-13);
    CHECK(row != report.log.last ||
          (k == report.iterations && row->residual.relative == report.law.relative));
  }
  dual_case_drop(&q);
}

/* ---- problems of others ---------------------------------------------------------------------- */

/** Doubles of the array NAME.npy in an uncompressed .npz; 0: it is not there. */
static int read_array(const char *path, const char *name, int count, double *out) {
  static char bytes[1 << 16];
  FILE       *file = fopen(path, "rb");
  if (!file) return 0;
  size_t size = fread(bytes, 1, sizeof bytes, file), length = strlen(name);
  fclose(file);
  for (size_t i = 0; i + length < size; i++) {
    if (memcmp(bytes + i, name, length) != 0) continue;
    for (size_t k = i; k + 10 < size; k++) { /* the array's own head */
      if (memcmp(bytes + k, "\x93NUMPY", 6) != 0) continue;
      size_t at = k + 10 + (unsigned char)bytes[k + 8] + 256u * (unsigned char)bytes[k + 9];
      if (at + (size_t)count * sizeof *out > size) return 0;
      memcpy(out, bytes + at, (size_t)count * sizeof *out);
      return 1;
    }
  }
  return 0;
}

/** G = J J^T with J = Q sqrt(Lambda), A = 1: a problem in velocities with that Delassus matrix. */
static int stored_problem(const char *path, int num, one_block *b, double *G, double *g) {
  enum { MOST = ONE_MAX_SCALARS };
  double mu[ONE_MAX_CONTACTS], A[MOST * MOST], Q[MOST * MOST];
  int    n = 3 * num;
  if (!read_array(path, "G.npy", n * n, G) || !read_array(path, "g.npy", n, g) ||
      !read_array(path, "mus.npy", num, mu))
    return 0;
  memcpy(A, G, (size_t)(n * n) * sizeof *A);
  sup_dense_eigen(n, A, Q);
  *b = (one_block){.n = n, .num = num};
  for (int i = 0; i < num; i++) {
    b->law[i] = spring(1e-12, 0, mu[i]);
    for (int r = 0; r < 3; r++) {
      b->bias[i][r] = g[3 * i + r];
      for (int j = 0; j < n; j++)
        b->J[i][r * n + j] = Q[(3 * i + r) * n + j] * sqrt(fmax(0, A[j * (n + 1)]));
    }
  }
  for (int j = 0; j < n; j++) b->A[j * (n + 1)] = 1;
  return 1;
}

/* CASES.md S01: every contact lifts off by mu times its slip. */
static void a_sliding_cube_of_contactbench_has_the_values_of_S01(void) {
  static const sup_contact_solver ccp[] = {SUP_CONTACT_SOLVER_CCP_PGS, SUP_CONTACT_SOLVER_CCP_ADMM};
  double                          G[ONE_MAX_SCALARS * ONE_MAX_SCALARS], g[ONE_MAX_SCALARS];
  one_block                       b;
  for (int m = 0; m < 2; m++) {
    one_block_solver  s;
    sup_solve_options options = dual_options(ccp[m], 1e-10);
    if (!stored_problem("../shared/data/contactbench/sliding_cube.npz", 4, &b, G, g))
      SKIP("no ../shared/data/contactbench");
    one_block_solver_create(&s);
    CHECK(one_block_solve(&b, &s, &options).law.relative <= 1e-8);
    double cost = 0, sum = 0;
    for (int i = 0; i < 12; i++) {
      double c = g[i];
      for (int j = 0; j < 12; j++) c += G[12 * i + j] * b.gamma[j];
      cost += b.gamma[i] * .5 * (c + g[i]);
      if (i % 3 == 2) sum += b.gamma[i];
      NEAR(c, i % 3 == 0 ? -.0793353 : i % 3 == 1 ? .7140180 : .6465708, 0, 1e-6);
    }
    NEAR(cost, -.389906353590, 0, 1e-6);
    NEAR(sum, .65638080, 0, 1e-5);
    one_block_solver_destroy(&s);
  }
}

/* S02, a mass ratio of 1e6: ADMM solves it, Gauss-Seidel says that it has not. */
static void two_cubes_of_contactbench_have_the_values_of_S02(void) {
  double            G[ONE_MAX_SCALARS * ONE_MAX_SCALARS], g[ONE_MAX_SCALARS];
  one_block         b;
  one_block_solver  s;
  sup_solve_options options = dual_options(SUP_CONTACT_SOLVER_CCP_ADMM, 1e-8);
  if (!stored_problem("../shared/data/contactbench/2cubes_t0.npz", 8, &b, G, g))
    SKIP("no ../shared/data/contactbench");
  one_block_solver_create(&s);
  options.dual.max_iterations = 30000;
  CHECK(one_block_solve(&b, &s, &options).law.relative <= 1e-8);
  double cost = 0, sum = 0;
  for (int i = 0; i < 24; i++) {
    double c = g[i];
    for (int j = 0; j < 24; j++) c += G[24 * i + j] * b.gamma[j];
    cost += b.gamma[i] * .5 * (c + g[i]);
    if (i % 3 == 2) sum += b.gamma[i];
    NEAR(c, 0, 0, 1e-6);
  }
  NEAR(cost, -4.811807406843e-2, 1e-4, 0);
  NEAR(sum, 19.62001, 1e-4, 0);
  stored_problem("../shared/data/contactbench/2cubes_t0.npz", 8, &b, G, g);
  options = dual_options(SUP_CONTACT_SOLVER_CCP_PGS, 1e-9);
  options.dual.max_iterations = 2000;
  CHECK(one_block_solve(&b, &s, &options).law.relative > 1e-6);
  one_block_solver_destroy(&s);
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

/** x, y := turned by the angle with cosine c and sine s. */
static void turn_pair(double c, double s, double *x, double *y) {
  double a = *x, b = *y;
  *x = c * a - s * b, *y = s * a + c * b;
}

/** Velocities j and k of a body in axes that are turned: A, p and the columns of J. */
static void turn_axes(dual_case *q, int body, int j, int k, double c, double s) {
  double *A = q->A + 36 * body;
  for (int i = 0; i < 6; i++) turn_pair(c, s, &A[6 * i + j], &A[6 * i + k]);
  for (int i = 0; i < 6; i++) turn_pair(c, s, &A[6 * j + i], &A[6 * k + i]);
  turn_pair(c, s, &q->p[6 * body + j], &q->p[6 * body + k]);
  for (int i = 0; i < q->problem.num_constraints; i++)
    for (int b = 0; b < q->constraint[i].num_blocks; b++) {
      const sup_jacobian_block *block = &q->jacobian[q->constraint[i].first_block + b];
      int                       dim = sup_law_dimension(q->constraint[i].law.kind);
      for (int r = 0; r < dim && block->block == body; r++)
        turn_pair(c, s, &q->value[block->value + (size_t)(6 * r + j)],
                  &q->value[block->value + (size_t)(6 * r + k)]);
    }
}

/** Tangents of all contacts, turned. */
static void turn_tangents(dual_case *q, double c, double s) {
  for (int i = 0; i < q->num_contacts; i++) {
    turn_pair(c, s, &q->constraint[i].bias[0], &q->constraint[i].bias[1]);
    for (int b = 0; b < q->constraint[i].num_blocks; b++) {
      double *J = q->value + q->jacobian[q->constraint[i].first_block + b].value;
      for (int j = 0; j < 6; j++) turn_pair(c, s, &J[j], &J[6 + j]);
    }
  }
}

/* Scales and compliances are made of whole blocks and of both tangents, so that neither the axes of
 * a body's velocities nor the choice of tangents changes an impulse.  The square has directions of
 * its own. */
static void turned_axes_and_tangents_change_no_impulse(void) {
  static const sup_contact_solver all[] = {SUP_CONTACT_SOLVER_MUJOCO,   SUP_CONTACT_SOLVER_NCP_PGS,
                                           SUP_CONTACT_SOLVER_CCP_PGS,  SUP_CONTACT_SOLVER_RAISIM,
                                           SUP_CONTACT_SOLVER_CCP_ADMM, SUP_CONTACT_SOLVER_LCP_PGS};
  sup_law                         law = spring(1e-3, .05, 0);
  test_random                     random = {53};
  for (int m = 0; m < 6; m++)
    for (uint64_t seed = 1; seed <= 5; seed++) {
      sup_solve_options options = dual_options(all[m], 1e-12);
      dual_case         q[2];
      int               square = all[m] == SUP_CONTACT_SOLVER_LCP_PGS;
      double            angle = square ? 0 : 3 * test_uniform(&random), moved = 0;
      options.dual.alpha = .3; /* of mujoco: what an error of the estimate changes is seen */
      for (int k = 0; k < 2; k++) dual_case_make(&q[k], seed, &law, 1);
      for (int body = 0; body < CASE_BODIES; body++)
        for (int k = 0; k < 20; k++) {
          double turn = 3 * test_uniform(&random);
          int    j = k % 6;
          turn_axes(&q[1], body, j, (j + 1 + k % 5) % 6, cos(turn), sin(turn));
        }
      turn_tangents(&q[1], cos(angle), sin(angle));
      for (int k = 0; k < 2; k++) CHECK(dual_case_solve(&q[k], &options).reason > 0);
      for (int i = 0; i < q[1].num_contacts; i++)
        turn_pair(cos(angle), -sin(angle), &q[1].gamma[3 * i], &q[1].gamma[3 * i + 1]);
      for (int k = 0; k < CASE_VC; k++) {
        NEAR(q[1].gamma[k], q[0].gamma[k], 0, 1e-9);
        moved = fmax(moved, fabs(q[0].gamma[k]));
      }
      CHECK(moved > 1e-2);
      for (int k = 0; k < 2; k++) dual_case_drop(&q[k]);
    }
}

/** Compliance of a contact of Hertz's law linearised at this normal velocity, over G_NN. */
static double compliance(double open, double vn, double normal) {
  sup_law      law = {.kind = SUP_LAW_LAGGED,
                      .coulomb = {.normal = normal_law(SUP_NORMAL_HERTZ, dt, 1e12, 0, -open * dt)}};
  sup_dual_row row = {.open = open, .normal = normal};
  sup_dual_row_linearise(&row, &law, vn);
  return row.R[2] / normal;
}

/* Beyond the onset, where the slope of Hertz's law is 0, the tangent is that a little before it. */
static void tangents_of_laws_that_are_open_are_those_of_a_light_touch(void) {
  NEAR(compliance(-1, 0, 1), compliance(-1, -1 - 1e-6, 1), 1e-6, 0);
  NEAR(compliance(-1e-5, 0, 1), compliance(-1e-5, -1e-5 - 1e-9, 1), 1e-3, 0);
  CHECK(compliance(-1, 0, 1) < .1 * compliance(-1e-5, 0, 1));
  NEAR(compliance(-1, 0, 1e-18), 1e8, 1e-12, 0); /* never softer */
}

SUITE_TESTS(
    dual, TEST(tangents_of_laws_that_are_open_are_those_of_a_light_touch),
    TEST(one_contact_sticks_slips_and_opens_as_in_closed_form),
    TEST(anisotropic_delassus_matrices_do_not_drive_the_steps_apart),
    TEST(anisotropic_friction_is_that_of_maximum_dissipation),
    TEST(nonlinear_normal_laws_hold_at_the_solution),
    TEST(coulombs_law_and_those_of_joints_hold_in_random_problems),
    TEST(laws_in_force_are_the_impulses), TEST(a_start_from_the_solution_takes_no_iterations),
    TEST(what_the_cap_leaves_is_told), TEST(solvers_of_coulombs_law_agree),
    TEST(the_convex_relaxation_of_saps_laws_is_sap), TEST(the_convex_relaxation_lifts_what_slides),
    TEST(sweeps_of_the_convex_relaxation_never_raise_its_energy),
    TEST(a_rod_beyond_painleves_point_slides_on),
    TEST(raisim_slides_where_the_energy_on_the_ellipse_is_least),
    TEST(friction_on_a_square_is_drawn_to_its_corners), TEST(solvers_of_the_square_agree),
    TEST(mujocos_compliance_is_a_share_of_the_inverse_mass),
    TEST(turned_axes_and_tangents_change_no_impulse),
    TEST(gauss_seidel_alone_leaves_internal_forces), TEST(contacts_that_open_end_without_impulse),
    TEST(a_mass_ratio_of_a_million_defeats_gauss_seidel_alone),
    TEST(steps_of_all_contacts_end_where_sweeps_do),
    TEST(steps_of_all_contacts_solve_a_chain_and_a_mass_ratio_of_a_million),
    TEST(admm_takes_few_iterations_where_rows_are_unlike), TEST(over_relaxation_saves_sweeps),
    TEST(compliance_baumgarte_and_restitution_set_the_target), TEST(what_is_left_is_handed_over),
    TEST(the_log_has_every_iteration), TEST(a_sliding_cube_of_contactbench_has_the_values_of_S01),
    TEST(two_cubes_of_contactbench_have_the_values_of_S02),
    TEST(cones_and_their_duals_split_every_vector));
