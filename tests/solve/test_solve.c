#include "solve/newton/coupling.h"
#include "solve/solver.h"

#include <string.h>

#include "law_case.h"
#include "one_block.h"

enum { N = 6, NUM_BLOCKS = 4, NUM_CONTACTS = 5 };

/** A random problem: block columns of 3, 3, 1 and 6 scalars, contacts between neighbours, one PD
 * row. */
typedef struct fixture {
  sup_block_pattern  A_pattern, H_pattern;
  double            *A, p[13];
  int                A_to_H[64];
  sup_constraint     constraint[NUM_CONTACTS + 1];
  sup_jacobian_block jacobian[2 * NUM_CONTACTS + 1];
  double             value[512];
  sup_cluster        cluster;
  sup_problem        problem;
  sup_law            law[NUM_CONTACTS + 1]; /* in force after a solution */
  sup_linear_solver *factor;
  sup_arena         *arena;
} fixture;

static const int size[NUM_BLOCKS] = {3, 3, 1, 6};

static void fill_dynamics(fixture *f, test_random *random) {
  const sup_block_pattern *P = &f->A_pattern;
  for (int b = 0; b < NUM_BLOCKS; b++) {
    int     n = size[b];
    double *D = f->A + P->value_start[P->col_start[b]], B[36];
    for (int i = 0; i < n * n; i++) B[i] = test_uniform(random);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        D[j * n + i] = i == j ? 2 : 0;
        for (int k = 0; k < n; k++) D[j * n + i] += B[i * n + k] * B[j * n + k];
      }
  }
}

static sup_law random_contact(test_random *random) {
  sup_law    law;
  double     k = pow(10, 5 + 2 * test_uniform(random)), phi = 2e-4 * test_uniform(random);
  sup_normal normal =
      normal_law(SUP_NORMAL_HUNT_CROSSLEY, .01, k, 10 * (1 + test_uniform(random)), phi);
  law = coulomb_law(SUP_LAW_LAGGED, normal, .8, 1e-4, -.01);
  sup_law_set_lagged_impulse(&law, law.coulomb.gn0 + 1e-3);
  return law;
}

static void make(fixture *f, uint64_t seed, sup_backend backend) {
  test_random random = {seed};
  memset(f, 0, sizeof *f);
  int           pair[2 * (NUM_CONTACTS + 1)], num_pairs = 0;
  unsigned char last[NUM_BLOCKS] = {0};
  OK(sup_block_pattern_build(&f->A_pattern, NUM_BLOCKS, size, 0, NULL));
  OK(SUP_CALLOC(f->A, sup_block_pattern_num_values(&f->A_pattern)));
  fill_dynamics(f, &random);
  size_t used = 0;
  int    blocks = 0;
  for (int i = 0; i <= NUM_CONTACTS; i++) {
    sup_constraint *c = &f->constraint[i];
    int             pd = i == NUM_CONTACTS, dim = pd ? 1 : 3;
    c->law = pd ? (sup_law){.kind = SUP_LAW_PD, .pd = {.01, 30 * test_uniform(&random), 40, 5}}
                : random_contact(&random);
    c->first_vc = 3 * i, c->first_block = blocks;
    for (int k = 0; k < (pd ? 1 : 2); k++) {
      int block = pd ? 2 : (i + k) % NUM_BLOCKS;
      f->jacobian[blocks++] = (sup_jacobian_block){block, used};
      last[block] = 1;
      pair[2 * num_pairs + k] = block;
      if (pd) pair[2 * num_pairs + 1] = block;
      c->num_blocks++;
      for (int j = 0; j < dim * size[block]; j++) f->value[used++] = test_uniform(&random);
    }
    num_pairs++;
    c->bias[0] = .1 * test_uniform(&random);
  }
  OK(sup_block_pattern_build(&f->H_pattern, NUM_BLOCKS, size, (size_t)num_pairs, pair));
  for (int b = 0; b < NUM_BLOCKS; b++) f->A_to_H[b] = sup_block_pattern_find(&f->H_pattern, b, b);
  for (int i = 0; i < 13; i++) f->p[i] = test_uniform(&random);
  f->problem = (sup_problem){
      &f->A_pattern,        f->A,   f->p,          &f->H_pattern, f->A_to_H, NUM_CONTACTS + 1,
      3 * NUM_CONTACTS + 1, blocks, f->constraint, f->jacobian,   f->value};
  OK(sup_linear_solver_create(&f->factor, backend, NULL));
  OK(sup_linear_solver_analyse(f->factor, &f->H_pattern, last));
  OK(sup_arena_create(&f->arena, 1 << 16));
}

static void drop(fixture *f) {
  sup_block_pattern_free(&f->A_pattern);
  sup_block_pattern_free(&f->H_pattern);
  SUP_FREE(f->A);
  sup_linear_solver_destroy(&f->factor);
  sup_arena_destroy(&f->arena);
}

/** The problem's laws, to start from. */
static sup_law *start_laws(fixture *f) {
  sup_problem_copy_laws(&f->problem, f->law);
  return f->law;
}

static const sup_solve_options tight = {1e-11, 100, 1, .01};

#ifdef SUP_WITH_CHOLMOD
static const sup_backend other_backend = SUP_BACKEND_CHOLMOD;
#else
static const sup_backend other_backend = SUP_BACKEND_SUPERNODAL;
#endif

/* Strictly convex: one minimiser from every start, with either backend. */
static void newton_finds_the_one_minimiser_from_far_starts(void) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    double reference[13], gamma[3 * NUM_CONTACTS + 1];
    for (int start = 0; start < 3; start++) {
      fixture          f;
      double           v[13];
      test_random      random = {seed * 77 + (uint64_t)start};
      sup_solve_report report;
      make(&f, seed, start == 2 ? other_backend : SUP_BACKEND_SUPERNODAL);
      for (int i = 0; i < 13; i++) v[i] = start == 0 ? 0 : 10 * test_uniform(&random);
      OK(sup_solve(&f.problem, f.factor, &tight, f.arena, &(sup_solution){v, gamma, NULL},
                   &report));
      CHECK(report.reason > 0);
      if (start == 0) memcpy(reference, v, sizeof v);
      for (int i = 0; i < 13; i++) NEAR(v[i], reference[i], 1e-7, 1e-8);
      /* the momentum balance holds: A v - p = J^T gamma */
      double Av[13], JTg[13];
      sup_block_multiply(&f.A_pattern, f.A, v, Av);
      sup_problem_generalized_impulse(&f.problem, gamma, JTg);
      for (int i = 0; i < 13; i++) NEAR(Av[i] - f.p[i], JTg[i], 0, 1e-8);
      drop(&f);
    }
  }
}

/* H of the iteration is the derivative of the residual. */
static void hessian_is_the_derivative_of_the_gradient(void) {
  fixture         f;
  sup_hessian_map map;
  double v[13], e[13], vc[16], gamma[16], G[9 * (NUM_CONTACTS + 1)], up[13], down[13], Hd[13];
  make(&f, 5, SUP_BACKEND_SUPERNODAL);
  test_random random = {9};
  double     *H;
  OK(SUP_CALLOC(H, sup_block_pattern_num_values(&f.H_pattern)));
  OK(sup_hessian_map_create(&map, &f.problem, f.arena));
  for (int i = 0; i < 13; i++) v[i] = .01 * test_uniform(&random), e[i] = test_uniform(&random);
  sup_problem_constraint_velocity(&f.problem, v, 1, vc);
  sup_problem_evaluate(&f.problem, NULL, vc, gamma, G);
  sup_hessian_set_dynamics(&f.problem, H);
  sup_hessian_set_constraints(&f.problem, &map, G, H);
  sup_block_multiply(&f.H_pattern, H, e, Hd);
  double h = 1e-7;
  for (int side = 0; side < 2; side++) {
    double w[13], JTg[13], *r = side ? down : up;
    for (int i = 0; i < 13; i++) w[i] = v[i] + (side ? -h : h) * e[i];
    sup_problem_constraint_velocity(&f.problem, w, 1, vc);
    sup_problem_evaluate(&f.problem, NULL, vc, gamma, NULL);
    sup_problem_generalized_impulse(&f.problem, gamma, JTg);
    sup_block_multiply(&f.A_pattern, f.A, w, r);
    for (int i = 0; i < 13; i++) r[i] -= JTg[i];
  }
  for (int i = 0; i < 13; i++) NEAR((up[i] - down[i]) / (2 * h), Hd[i], 1e-5, 1e-4);
  SUP_FREE(H);
  drop(&f);
}

/* THEORY 15.4: the sweeps' limit is friction with the normal impulse of the same step. */
static void sweeps_end_with_friction_of_the_present_normal_impulse(void) {
  for (uint64_t seed = 50; seed < 60; seed++) {
    fixture           f;
    double            v[13] = {0}, gamma[16];
    sup_solve_options options = {1e-11, 100, 60, 1e-9};
    sup_solve_report  report;
    make(&f, seed, SUP_BACKEND_SUPERNODAL);
    OK(sup_solve(&f.problem, f.factor, &options, f.arena, &(sup_solution){v, gamma, start_laws(&f)},
                 &report));
    if (report.sweep_change <= 1e-9)
      for (int i = 0; i < NUM_CONTACTS; i++)
        NEAR(f.law[i].coulomb.gn0, gamma[3 * i + 2], 1e-6, 1e-10);
    else
      CHECK(report.sweeps == 60);
    drop(&f);
  }
}

/* ---- friction by the normal impulse of the solution ------------------------------------------ */

/** F = A v - p - J^T gamma with friction's bounds of v itself [13]. */
/** Let friction go by the normal impulse of the solution, or not. */
static void couple(fixture *f, int is_coupled) {
  for (int i = 0; i < NUM_CONTACTS; i++) f->constraint[i].law.coulomb.is_coupled = is_coupled;
}

static void coupled_residual(fixture *f, const double *v, double *r) {
  double vc[16], gamma[16], Av[13], impulse[13];
  sup_block_multiply(&f->A_pattern, f->A, v, Av);
  sup_problem_constraint_velocity(&f->problem, v, 1, vc);
  sup_problem_evaluate(&f->problem, NULL, vc, gamma, NULL);
  sup_coupling_set_bounds(&f->problem, start_laws(f), gamma);
  sup_problem_evaluate(&f->problem, f->law, vc, gamma, NULL);
  sup_problem_generalized_impulse(&f->problem, gamma, impulse);
  for (int i = 0; i < 13; i++) r[i] = Av[i] - f->p[i] - impulse[i];
}

/** All contacts between two blocks, as a cluster J_i = S_i T. */
static void gather(fixture *f, test_random *random) {
  enum { OF_S = 0, OF_T = OF_S + 18 * NUM_CONTACTS, OF_J = OF_T + 6 * 9 };
  const int block[2] = {3, 0};
  double   *T = f->value + OF_T, *J = f->value + OF_J;
  f->cluster = (sup_cluster){0, NUM_CONTACTS, {{3, OF_T}, {0, OF_T + 36}}, OF_S};
  for (int k = 0; k < OF_J; k++) f->value[k] = test_uniform(random);
  for (int i = 0, blocks = 0; i < NUM_CONTACTS; i++)
    for (int k = 0; k < 2; k++, blocks++) {
      int           n = size[block[k]];
      const double *S = f->value + OF_S + 18 * i, *Tk = T + 36 * k;
      f->jacobian[blocks] = (sup_jacobian_block){block[k], (size_t)(J - f->value)};
      for (int r = 0; r < 3; r++)
        for (int j = 0; j < n; j++, J++) {
          *J = 0;
          for (int e = 0; e < 6; e++) *J += S[6 * r + e] * Tk[e * n + j];
        }
    }
  f->jacobian[2 * NUM_CONTACTS].value = (size_t)(J - f->value); /* of the drive */
  *J = test_uniform(random);
  f->problem.cluster = &f->cluster, f->problem.num_clusters = 1;
}

/* THEORY 16.1: dv = F'^-1 r, by finite differences of F along dv; with anisotropic friction and
 * with a cluster, too. */
static void the_coupled_direction_inverts_the_derivative(sup_backend backend) {
  int sliding = 0;
  for (uint64_t seed = 70; seed < 84; seed++) {
    fixture     f;
    test_random random = {seed};
    double v[13], r[13], dv[13], vc[16], gamma[16], G[9 * (NUM_CONTACTS + 1)], trial[13], high[13],
        low[13];
    double         *H;
    sup_hessian_map map;
    sup_coupling    coupling;
    const double    e = 1e-6;
    make(&f, seed, backend);
    if (seed >= 78) gather(&f, &random);
    for (int i = 0; i < 13; i++) v[i] = .2 * test_uniform(&random), r[i] = test_uniform(&random);
    for (int i = 0; i < NUM_CONTACTS;
         i++) { /* springs, so that contacts close and no second kink is near */
      f.constraint[i].law.coulomb.normal.d = 0, f.constraint[i].law.coulomb.slip = .05;
      if (seed % 2) f.constraint[i].law.anisotropy = (sup_anisotropy){1, 1.3, .2, .8};
    }
    couple(&f, 1);
    coupled_residual(&f, v, low); /* sets the bounds */
    OK(SUP_ARENA(f.arena, H, sup_block_pattern_num_values(&f.H_pattern)));
    OK(sup_hessian_map_create(&map, &f.problem, f.arena));
    sup_problem_constraint_velocity(&f.problem, v, 1, vc);
    sup_problem_evaluate(&f.problem, f.law, vc, gamma, G);
    sup_hessian_set_dynamics(&f.problem, H);
    sup_hessian_set_constraints(&f.problem, &map, G, H);
    OK(sup_linear_solver_setup(f.factor, SUP_MATRIX(&f.H_pattern, H)));
    memcpy(dv, r, sizeof dv);
    if (sup_linear_solver_can_add(f.factor)) {
      sup_linear_report linear;
      OK(sup_coupling_create(&coupling, &f.problem, f.factor, 1, f.arena));
      sup_coupling_linearise(&coupling, f.law, vc, gamma, G);
      OK(sup_coupling_solve(&coupling, 1e-10, dv, &linear));
    } else {
      OK(sup_linear_solver_solve(f.factor, 0, dv, NULL));
      OK(sup_coupling_create(&coupling, &f.problem, f.factor, SUP_COUPLING_MOST, f.arena));
      sup_coupling_linearise(&coupling, f.law, vc, gamma, G);
      OK(sup_coupling_correct(&coupling, 1e-3, dv));
    }
    for (int i = 0; i < NUM_CONTACTS; i++) sliding += gamma[3 * i + 2] > 0;
    double longest = 0;
    for (int i = 0; i < 13; i++) longest = fmax(longest, fabs(dv[i]));
    for (int i = 0; i < 13; i++) trial[i] = v[i] + e / longest * dv[i];
    coupled_residual(&f, trial, high);
    for (int i = 0; i < 13; i++) trial[i] = v[i] - e / longest * dv[i];
    coupled_residual(&f, trial, low);
    for (int i = 0; i < 13; i++) NEAR((high[i] - low[i]) * longest / (2 * e), r[i], 1e-4, 1e-4);
    drop(&f);
  }
  CHECK(sliding > 10);
}

static void coupled_direction_inverts_the_derivative(void) {
  the_coupled_direction_inverts_the_derivative(SUP_BACKEND_SUPERNODAL);
}

/* The same direction by one iteration with the coupling beside H. */
static void coupled_direction_by_iteration_inverts_the_derivative(void) {
  NEED_PETSC;
  the_coupled_direction_inverts_the_derivative(SUP_BACKEND_PETSC);
}

/* Coupled friction converges to the solution of convergent sweeps, in fewer iterations. */
static void coupled_friction_is_what_sweeps_end_with(void) {
  int ended = 0;
  for (uint64_t seed = 50; seed < 60; seed++) {
    fixture           f;
    double            v[13] = {0}, w[13] = {0}, gamma[16];
    sup_solve_options sweeps = {1e-11, 100, 60, 1e-9}, coupled = {1e-11, 100, 1, 0};
    sup_solve_report  report, whole;
    make(&f, seed, SUP_BACKEND_SUPERNODAL);
    OK(sup_solve(&f.problem, f.factor, &sweeps, f.arena, &(sup_solution){v, gamma, NULL}, &report));
    couple(&f, 1);
    OK(sup_solve(&f.problem, f.factor, &coupled, f.arena, &(sup_solution){w, gamma, start_laws(&f)},
                 &whole));
    CHECK(whole.reason > 0);
    for (int i = 0; i < NUM_CONTACTS; i++)
      NEAR(f.law[i].coulomb.gn0, gamma[3 * i + 2], 1e-8, 1e-12);
    if (report.sweep_change <= 1e-9) {
      ended++;
      for (int i = 0; i < 13; i++) NEAR(w[i], v[i], 1e-6, 1e-8);
      CHECK(whole.iterations < report.iterations);
    }
    drop(&f);
  }
  CHECK(ended >= 5);
}

/** A point in the plane slides with friction mu against a spring, n = at_rest - c v_n: v_t > 0 by
 * far.  W = A^-1. */
static void slides(double mu, double W_tn, int sweeps_end) {
  const double W_tt = 4, W_nn = 1, dt = .01, k = 1e6, phi0 = -1e-4, c = dt * dt * k,
               at_rest = -dt * k * phi0;
  const double      det = W_tt * W_nn - W_tn * W_tn, free_t = 500, free_n = -.2;
  sup_solve_options sweeps = {1e-12, 100, 200, 1e-10}, coupled = {1e-12, 100, 1, 0};
  one_block_solver  s;
  sup_law   law = coulomb_law(SUP_LAW_LAGGED, normal_law(SUP_NORMAL_HUNT_CROSSLEY, dt, k, 0, phi0),
                              mu, 1e-6, 0);
  one_block b = {.n = 2,
                 .num = 1,
                 .A = {W_nn / det, -W_tn / det, -W_tn / det, W_tt / det},
                 .law = {law},
                 .v = {free_t, 0}};
  b.J[0][0] = b.J[0][5] = 1;
  for (int i = 0; i < 2; i++) b.p[i] = b.A[2 * i] * free_t + b.A[2 * i + 1] * free_n;
  one_block start = b;
  double    n = (at_rest - c * free_n) / (1 + c * (W_nn - mu * W_tn));
  one_block_solver_create(&s);
  b.law[0].coulomb.is_coupled = 1;
  sup_solve_report report = one_block_solve(&b, &s, &coupled);
  CHECK(report.reason > 0 && report.iterations <= 12);
  CHECK(b.v[0] > 1);
  NEAR(b.gamma[2], n, 1e-9, 0);
  NEAR(b.gamma[0], -mu * n, 1e-9, 0);
  NEAR(b.v[0], free_t + n * (W_tn - mu * W_tt), 1e-9, 0);
  report = one_block_solve(&start, &s, &sweeps);
  CHECK((report.sweep_change <= 1e-10) == sweeps_end);
  one_block_solver_destroy(&s);
}

/* The sweeps' rate is mu W_tn / (W_nn + 1/c) = -.89 and -1.78: the first take 197 of them, the
 * second do not end. */
static void coupled_friction_needs_no_contraction(void) {
  slides(.6, -1.5, 1);
  slides(1.2, -1.5, 0);
}

/** A point mass with momentum p starts at v; no constraint. */
static sup_solve_report solve_free(double mass, const double p[3], double v[3],
                                   const sup_solve_options *options) {
  one_block_solver solver;
  one_block        b = {.n = 3};
  for (int i = 0; i < 3; i++) b.A[4 * i] = mass, b.p[i] = p[i], b.v[i] = v[i];
  one_block_solver_create(&solver);
  sup_solve_report report = one_block_solve(&b, &solver, options);
  for (int i = 0; i < 3; i++) v[i] = b.v[i];
  one_block_solver_destroy(&solver);
  return report;
}

/* A start within the tolerance lacks the step's impulse; an impulse of any size is one, as on a
 * body of micrometres, and nothing left is a solution. */
static void a_start_within_the_tolerance_is_not_accepted(void) {
  static const sup_solve_options options = {1e-5, 100, 1, .01};
  double                         v[3] = {1000, 0, 0}, p[3] = {2000, 0, -2 * 9.81e-3};
  sup_solve_report               report = solve_free(2, p, v, &options);
  NEAR(v[2], -9.81e-3, 1e-15, 0);
  CHECK(report.iterations == 1 && report.reason == SUP_REASON_TOLERANCE);
  report = solve_free(2, p, v, &options);
  CHECK(report.iterations <= 1 && report.reason > 0 && report.momentum_error < 1e-15);
  double rest[3] = {0, 0, 0}, tiny[3] = {0, 3e-15, 4e-15};
  report = solve_free(1, tiny, rest, &options);
  CHECK(report.reason == SUP_REASON_TOLERANCE && report.iterations == 1);
  NEAR(rest[1], 3e-15, 1e-15, 0), NEAR(rest[2], 4e-15, 1e-15, 0);
  double none[3] = {0, 0, 0}, still[3] = {0, 0, 0};
  report = solve_free(1, none, still, &options);
  CHECK(report.reason > 0 && report.iterations == 0 && report.momentum_residual == 0);
}

static void failures_are_reasons_with_a_place(void) {
  fixture          f;
  double           v[13] = {0}, gamma[16];
  sup_solve_report report;
  make(&f, 3, SUP_BACKEND_SUPERNODAL);
  sup_solve_options once = {1e-14, 1, 1, .01};
  OK(sup_solve(&f.problem, f.factor, &once, f.arena, &(sup_solution){v, gamma, NULL}, &report));
  CHECK(report.reason == SUP_REASON_MAX_ITERATIONS && report.worst_block >= 0);
  double Av[13], JTg[13];
  sup_block_multiply(&f.A_pattern, f.A, v, Av);
  sup_problem_generalized_impulse(&f.problem, gamma, JTg);
  for (int i = 0; i < 13; i++) NEAR(report.residual[i], Av[i] - f.p[i] - JTg[i], 1e-9, 1e-9);
  f.p[4] = (double)NAN;
  OK(sup_solve(&f.problem, f.factor, &tight, f.arena, &(sup_solution){v, gamma, NULL}, &report));
  CHECK(report.reason == SUP_REASON_NONFINITE && isnan(report.residual[4]));
  CHECK(f.A_pattern.offset[report.worst_block] <= 4 &&
        4 < f.A_pattern.offset[report.worst_block + 1]);
  f.p[4] = 0;
  memset(v, 0, sizeof v);
  f.A[f.A_pattern.value_start[f.A_pattern.col_start[2]]] = -1;
  OK(sup_solve(&f.problem, f.factor, &tight, f.arena, &(sup_solution){v, gamma, NULL}, &report));
  CHECK(report.reason == SUP_REASON_NOT_SPD && report.worst_block == 2 && !report.residual);
  drop(&f);
}

/* Friction bounds far above what moves the blocks, and a soft norm that bends within 1e-8 of the
 * start's velocities: Newton on the velocities alone takes up to 34 iterations here. */
static void stiction_takes_few_iterations_however_sharply_friction_bends(void) {
  int most = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    fixture          f;
    double           v[13], gamma[3 * NUM_CONTACTS + 1];
    test_random      random = {seed};
    sup_solve_report report;
    make(&f, seed, SUP_BACKEND_SUPERNODAL);
    for (int i = 0; i < NUM_CONTACTS; i++) {
      f.constraint[i].law.coulomb.slip = 1e-8;
      sup_law_set_lagged_impulse(&f.constraint[i].law, .5);
    }
    for (int i = 0; i < 13; i++) v[i] = test_uniform(&random);
    OK(sup_solve(&f.problem, f.factor, &tight, f.arena, &(sup_solution){v, gamma, NULL}, &report));
    CHECK(report.reason > 0);
    if (report.iterations > most) most = report.iterations;
    drop(&f);
  }
  printf("at most %d iterations, ", most);
  CHECK(most <= 25);
}

/* Similar couples friction to springs that are a million times stiffer than dt resolves: without
 * softer springs first, Newton gives up after 100 iterations in some of these. */
static void near_rigid_springs_with_coupled_friction_are_solved(void) {
  const sup_solve_options options = {1e-5, 100, 1, .01};
  int                     most = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    fixture          f;
    double           v[13], gamma[3 * NUM_CONTACTS + 1];
    test_random      random = {seed};
    sup_solve_report report;
    make(&f, seed, SUP_BACKEND_SUPERNODAL);
    for (int i = 0; i < NUM_CONTACTS; i++) {
      sup_law *law = &f.constraint[i].law;
      law->kind = SUP_LAW_SIMILAR;
      law->coulomb.normal.f0 *= 1e10 / law->coulomb.normal.k;
      law->coulomb.normal.k = 1e10;
    }
    for (int i = 0; i < 13; i++) v[i] = 10 * test_uniform(&random);
    OK(sup_solve(&f.problem, f.factor, &options, f.arena, &(sup_solution){v, gamma, start_laws(&f)},
                 &report));
    CHECK(report.reason > 0);
    for (int i = 0; i < NUM_CONTACTS; i++) CHECK(f.law[i].coulomb.normal.k == 1e10);
    if (report.iterations > most) most = report.iterations;
    drop(&f);
  }
  printf("at most %d iterations, ", most);
}

SUITE_TESTS(solve, TEST(newton_finds_the_one_minimiser_from_far_starts),
            TEST(hessian_is_the_derivative_of_the_gradient),
            TEST(stiction_takes_few_iterations_however_sharply_friction_bends),
            TEST(near_rigid_springs_with_coupled_friction_are_solved),
            TEST(sweeps_end_with_friction_of_the_present_normal_impulse),
            TEST(coupled_direction_inverts_the_derivative),
            TEST(coupled_direction_by_iteration_inverts_the_derivative),
            TEST(coupled_friction_is_what_sweeps_end_with),
            TEST(coupled_friction_needs_no_contraction),
            TEST(a_start_within_the_tolerance_is_not_accepted),
            TEST(failures_are_reasons_with_a_place));
