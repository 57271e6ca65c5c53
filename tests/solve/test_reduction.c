#include "solve/reduction.h"

#include <string.h>

#include "la_case.h"
#include "law_case.h"

enum { MOST_BLOCKS = 80, MOST_CONTACTS = 30 };

/** Random dynamics of many blocks, contacts and a PD row on some of them. */
typedef struct fixture {
  la_case            A;
  int                n; /* scalars */
  double             p[3 * MOST_BLOCKS];
  sup_constraint     constraint[MOST_CONTACTS];
  sup_jacobian_block jacobian[2 * MOST_CONTACTS];
  double             value[18 * MOST_CONTACTS];
  sup_problem        problem;
  sup_arena         *arena;
} fixture;

static sup_law random_contact(test_random *random) {
  double     k = pow(10, 5 + 2 * test_uniform(random)), phi = 2e-4 * test_uniform(random);
  sup_normal normal =
      normal_law(SUP_NORMAL_HUNT_CROSSLEY, .01, k, 10 * (1 + test_uniform(random)), phi);
  sup_law law = coulomb_law(SUP_LAW_LAGGED, normal, .8, 1e-4, -.01);
  sup_law_set_lagged_impulse(&law, law.coulomb.gn0 + 1e-3);
  return law;
}

/** p and contacts for the matrix there is; they touch block columns below `touched` alone. */
static void add_contacts(fixture *f, int touched, int num_contacts, uint64_t seed) {
  test_random random = {seed};
  size_t      used = 0;
  f->n = f->A.pattern.num_scalars;
  for (int i = 0; i < f->n; i++) f->p[i] = test_uniform(&random);
  for (int i = 0; i < num_contacts; i++) {
    sup_constraint *c = &f->constraint[i];
    int             first = la_case_pick(&random, touched), second = la_case_pick(&random, touched);
    *c = (sup_constraint){
        .law = random_contact(&random), .first_vc = 3 * i, .first_block = 2 * i, .num_blocks = 2};
    if (second == first) second = (first + 1) % touched;
    for (int k = 0; k < 2; k++) {
      int block = k ? second : first,
          size = f->A.pattern.offset[block + 1] - f->A.pattern.offset[block];
      f->jacobian[2 * i + k] = (sup_jacobian_block){block, used};
      for (int j = 0; j < 3 * size; j++) f->value[used++] = test_uniform(&random);
    }
  }
  f->problem = (sup_problem){.A_pattern = &f->A.pattern,
                             .A = f->A.values,
                             .p = f->p,
                             .num_constraints = num_contacts,
                             .num_vc = 3 * num_contacts,
                             .num_jacobian_blocks = 2 * num_contacts,
                             .constraint = f->constraint,
                             .jacobian = f->jacobian,
                             .jacobian_value = f->value};
  OK(sup_arena_create(&f->arena, 1 << 20));
}

static void make(fixture *f, int num_blocks, int touched, int num_contacts, uint64_t seed) {
  memset(f, 0, sizeof *f);
  la_case_random(&f->A, num_blocks, 3, 4, seed);
  add_contacts(f, touched, num_contacts, seed);
}

static void drop(fixture *f) {
  la_case_free(&f->A);
  sup_arena_destroy(&f->arena);
}

static const sup_solve_options tight = {1e-12, 100, 1, .01};

static sup_solve_report solve(fixture *f, sup_reduction *c, double *v, double *gamma) {
  sup_solve_report report;
  int              analysed = 0;
  OK(sup_reduction_analyse(c, &f->problem, f->arena, &analysed));
  OK(sup_reduction_solve(c, &f->problem, &tight, f->arena, &(sup_solution){v, gamma, NULL},
                         &report));
  return report;
}

/** Newton on the whole problem, by sup_solve with a Hessian of all pairs. */
static sup_solve_report solve_whole(fixture *f, double *v, double *gamma) {
  int                n = f->A.pattern.num_blocks, *size = calloc((size_t)n, sizeof *size);
  int               *pair = calloc((size_t)(n * n), 2 * sizeof *pair);
  int               *A_to_H = calloc((size_t)f->A.pattern.col_start[n], sizeof *A_to_H);
  sup_block_pattern  H = {0};
  sup_problem        problem = f->problem;
  sup_linear_solver *factor;
  sup_solve_report   report;
  for (int k = 0; k < n * n; k++) pair[2 * k] = k / n, pair[2 * k + 1] = k % n;
  for (int b = 0; b < n; b++) size[b] = f->A.pattern.offset[b + 1] - f->A.pattern.offset[b];
  OK(sup_block_pattern_build(&H, n, size, (size_t)(n * n), pair));
  for (int j = 0; j < n; j++)
    for (int e = f->A.pattern.col_start[j]; e < f->A.pattern.col_start[j + 1]; e++)
      A_to_H[e] = sup_block_pattern_find(&H, f->A.pattern.row[e], j);
  problem.H_pattern = &H, problem.A_to_H = A_to_H;
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  OK(sup_linear_solver_analyse(factor, &H, NULL));
  OK(sup_solve(&problem, factor, &tight, f->arena, &(sup_solution){v, gamma, NULL}, &report));
  sup_linear_solver_destroy(&factor);
  sup_block_pattern_free(&H);
  free(A_to_H);
  free(pair);
  free(size);
  return report;
}

/** ||D (A v - p - J^T gamma)|| / max(||D A v||, ||D J^T gamma||) from the definition. */
static double momentum_error(const fixture *f, const double *v, const double *gamma) {
  double  Av[3 * MOST_BLOCKS], JTg[3 * MOST_BLOCKS], r = 0, a = 0, g = 0;
  double *dense = la_case_dense(&f->A);
  sup_block_multiply(&f->A.pattern, f->A.values, v, Av);
  sup_problem_generalized_impulse(&f->problem, gamma, JTg);
  for (int i = 0; i < f->n; i++) {
    double d = 1 / dense[i * f->n + i], residual = Av[i] - f->p[i] - JTg[i];
    r += d * residual * residual, a += d * Av[i] * Av[i], g += d * JTg[i] * JTg[i];
  }
  free(dense);
  return sqrt(r / fmax(a, g));
}

/* Elimination of block columns without a law: the solution is that of Newton on the whole problem,
 * and so is the momentum error. */
static void condensed_and_whole_problem_have_one_solution(void) {
  int num_iterations = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    fixture f;
    double  v[3 * MOST_BLOCKS], w[3 * MOST_BLOCKS], gamma[3 * MOST_CONTACTS],
        delta[3 * MOST_CONTACTS];
    int blocks = 5 + (int)(seed * 7 % 75),
        touched = seed % 4 == 0 ? blocks : 2 + (int)(seed * 5 % 20) % blocks;
    test_random    random = {seed};
    sup_reduction *c;
    if (touched > blocks) touched = blocks;
    make(&f, blocks, touched, 1 + (int)(seed % 30), seed);
    OK(sup_reduction_create(&c, SUP_BACKEND_SUPERNODAL, NULL, &f.A.pattern));
    for (int i = 0; i < f.n; i++) v[i] = w[i] = test_uniform(&random);
    sup_solve_report report = solve(&f, c, v, gamma), whole = solve_whole(&f, w, delta);
    CHECK(report.reason > 0 && whole.reason > 0);
    num_iterations += report.iterations;
    for (int i = 0; i < f.n; i++) NEAR(v[i], w[i], 1e-9, 1e-9);
    for (int i = 0; i < f.problem.num_vc; i++) NEAR(gamma[i], delta[i], 1e-9, 1e-9);
    NEAR(report.momentum_error, momentum_error(&f, v, gamma), 0, 1e-14);
    CHECK(report.residual && report.worst_block >= 0 && report.worst_block < blocks);
    sup_reduction_destroy(&c);
    drop(&f);
  }
  CHECK(num_iterations > 80);
}

/* One reduction for whatever touches a matrix, one problem after the other: nothing, a few, all
 * block columns, some of which A couples to nothing.  SUPPLE_FUZZ=10000 sets the number of
 * matrices. */
static void any_constraints_on_any_matrix_have_the_solution_of_the_whole(void) {
  const char *text = getenv("SUPPLE_FUZZ");
  long        num = text ? atol(text) : 60;
  for (uint64_t seed = 1; seed <= (uint64_t)num; seed++) {
    fixture     f = {0};
    test_random random = {1000 + seed};
    int         blocks = 1 + la_case_pick(&random, MOST_BLOCKS), degree = la_case_pick(&random, 6);
    sup_reduction *c;
    la_case_random(&f.A, blocks, 3, degree, seed);
    OK(sup_reduction_create(&c, SUP_BACKEND_SUPERNODAL, NULL, &f.A.pattern));
    for (int set = 0; set < 4; set++) {
      double v[3 * MOST_BLOCKS], w[3 * MOST_BLOCKS], gamma[3 * MOST_CONTACTS],
          delta[3 * MOST_CONTACTS];
      int touched = 1 + la_case_pick(&random, blocks),
          contacts = la_case_pick(&random, 2 * MOST_CONTACTS);
      if (contacts >= MOST_CONTACTS) contacts = MOST_CONTACTS - 1, touched = blocks;
      add_contacts(&f, touched, touched > 1 ? contacts : 0, 10 * seed + (uint64_t)set);
      for (int i = 0; i < f.n; i++) v[i] = w[i] = test_uniform(&random);
      sup_solve_report report = solve(&f, c, v, gamma), whole = solve_whole(&f, w, delta);
      CHECK(report.reason > 0 && whole.reason > 0);
      for (int i = 0; i < f.n; i++) NEAR(v[i], w[i], 1e-8, 1e-8);
      for (int i = 0; i < f.problem.num_vc; i++) NEAR(gamma[i], delta[i], 1e-8, 1e-8);
      NEAR(report.momentum_error, momentum_error(&f, v, gamma), 0, 1e-14);
      CHECK(report.round_off < 1e-9);
      sup_arena_destroy(&f.arena);
    }
    sup_reduction_destroy(&c);
    la_case_free(&f.A);
  }
}

/* Contacts all along a strip leave more than they touch: a sparse problem in the place of a dense
 * one. */
static void what_is_left_of_a_strip_is_sparse(void) {
  fixture f = {0};
  double  v[3 * MOST_BLOCKS] = {0}, w[3 * MOST_BLOCKS] = {0}, gamma[3 * MOST_CONTACTS],
               delta[3 * MOST_CONTACTS];
  sup_reduction *c;
  la_case_grid(&f.A, 2, 1, MOST_BLOCKS / 2, 3);
  add_contacts(&f, MOST_BLOCKS, MOST_CONTACTS, 3);
  for (int k = 0; k < MOST_CONTACTS; k++) { /* where they couple no more than the strip does */
    int block = 2 * (k % (MOST_BLOCKS / 2));
    f.jacobian[2 * k].block = block, f.jacobian[2 * k + 1].block = block + 1;
  }
  OK(sup_reduction_create(&c, SUP_BACKEND_SUPERNODAL, NULL, &f.A.pattern));
  sup_solve_report report = solve(&f, c, v, gamma), whole = solve_whole(&f, w, delta);
  double           dense = 3 * 2 * MOST_CONTACTS;
  CHECK(sup_reduction_info(c).trailing_flops < dense * dense * dense / 3 / 5);
  CHECK(report.reason > 0 && whole.reason > 0 && report.iterations > 0);
  for (int i = 0; i < f.n; i++) NEAR(v[i], w[i], 1e-9, 1e-9);
  NEAR(report.momentum_error, momentum_error(&f, v, gamma), 0, 1e-14);
  sup_reduction_destroy(&c);
  drop(&f);
}

/* Without constraints there is nothing to iterate. */
static void without_constraints_the_motion_is_free(void) {
  fixture        f;
  sup_reduction *c;
  double         v[3 * MOST_BLOCKS] = {0}, gamma[1];
  make(&f, 40, 2, 0, 3);
  OK(sup_reduction_create(&c, SUP_BACKEND_SUPERNODAL, NULL, &f.A.pattern));
  sup_solve_report report = solve(&f, c, v, gamma);
  CHECK(report.reason > 0 && report.iterations == 0);
  NEAR(la_case_residual(&f.A, v, f.p), 0, 0, 1e-15);
  sup_reduction_destroy(&c);
  drop(&f);
}

/* Stiffness that moves rigidly cancels in A v: the first elimination leaves a residual above the
 * tolerance. */
static void cancelling_stiffness_is_refined(void) {
  fixture        f;
  sup_reduction *c;
  double         v[3 * MOST_BLOCKS] = {0}, gamma[3 * MOST_CONTACTS];
  make(&f, 60, 6, 10, 5);
  sup_block_pattern *P = &f.A.pattern;
  for (int j = 0; j < P->num_blocks;
       j++) /* a chain of springs between the first scalars of the blocks */
    for (int e = P->col_start[j] + 1; e < P->col_start[j + 1]; e++) {
      double k = 1e9;
      f.A.values[P->value_start[e]] -= k;
      f.A.values[P->value_start[P->col_start[j]]] += k;
      f.A.values[P->value_start[P->col_start[P->row[e]]]] += k;
    }
  OK(sup_reduction_create(&c, SUP_BACKEND_SUPERNODAL, NULL, P));
  for (int b = 0; b < P->num_blocks; b++) v[P->offset[b]] = 100;
  sup_solve_report report = solve(&f, c, v, gamma);
  CHECK(report.reason == SUP_REASON_TOLERANCE);
  printf("error %.1e; ", report.momentum_error);
  CHECK(report.momentum_error <= tight.tolerance);
  NEAR(report.momentum_error, momentum_error(&f, v, gamma), 0, 1e-13);
  sup_reduction_destroy(&c);
  drop(&f);
}

/* A block that is not positive definite is named by its number in the whole problem, eliminated or
 * not. */
static void the_indefinite_block_is_named(void) {
  for (int block = 0; block < 30; block += 7) {
    fixture        f;
    sup_reduction *c;
    double         v[3 * MOST_BLOCKS] = {0}, gamma[3 * MOST_CONTACTS];
    make(&f, 30, 10, 8, 9);
    la_case_random(&f.A, 30, 3, 0, 9); /* without couplings there is one culprit */
    f.problem.A = f.A.values;
    int     first = f.A.pattern.offset[block], size = f.A.pattern.offset[block + 1] - first;
    double *D = f.A.values + f.A.pattern.value_start[f.A.pattern.col_start[block]];
    if (size > 1)
      D[1] = 1e9;
    else
      D[0] = -1e9;
    OK(sup_reduction_create(&c, SUP_BACKEND_SUPERNODAL, NULL, &f.A.pattern));
    sup_solve_report report = solve(&f, c, v, gamma);
    CHECK(report.reason == SUP_REASON_NOT_SPD && report.worst_block == block);
    sup_reduction_destroy(&c);
    drop(&f);
  }
}

/* H^-1 by elimination. */
static void the_inverse_hessian_is_that_of_the_whole(void) {
  for (int touched = 10; touched <= 50; touched += 40) {
    fixture        f;
    sup_reduction *c;
    int            analysed = 0;
    double v[3 * MOST_BLOCKS], x[3 * MOST_BLOCKS], Hx[3 * MOST_BLOCKS], g[3 * MOST_CONTACTS],
        vc[3 * MOST_CONTACTS], G[9 * MOST_CONTACTS], work[3 * MOST_BLOCKS];
    test_random random = {4};
    make(&f, 50, touched, 20, 11);
    OK(sup_reduction_create(&c, SUP_BACKEND_SUPERNODAL, NULL, &f.A.pattern));
    for (int i = 0; i < f.n; i++) v[i] = x[i] = test_uniform(&random);
    for (int i = 0; i < 9 * 20; i++) G[i] = i % 9 % 4 == 0 ? 100 * (1 + test_uniform(&random)) : 0;
    OK(sup_reduction_analyse(c, &f.problem, f.arena, &analysed));
    CHECK(analysed == 1);
    analysed = 0;
    OK(sup_reduction_analyse(c, &f.problem, f.arena, &analysed)); /* nothing is new */
    CHECK(analysed == 0);
    OK(sup_reduction_factor(c, &f.problem, G, f.arena));
    OK(sup_reduction_apply_inverse(c, x, work));
    sup_problem_constraint_velocity(&f.problem, x, 0, vc);
    for (int i = 0; i < f.problem.num_vc; i++) g[i] = G[9 * (i / 3) + 4 * (i % 3)] * vc[i];
    sup_problem_generalized_impulse(&f.problem, g, Hx);
    sup_block_multiply(&f.A.pattern, f.A.values, x, work);
    for (int i = 0; i < f.n; i++) NEAR(Hx[i] + work[i], v[i], 0, 1e-12);
    sup_reduction_destroy(&c);
    drop(&f);
  }
}

/* One reduction goes from one set of touched block columns to another and back: it analyses when
 * the set is another than the last one's, and its bits are those of a reduction that saw no other.
 */
static void an_analysis_knows_no_history(void) {
  static const int turn[] = {0, 0, 1, 2, 2, 0, 1, 1};
  enum { PROBLEMS = 3, TURNS = sizeof turn / sizeof *turn };
  static fixture f[PROBLEMS];
  sup_reduction *c, *alone;
  for (int k = 0; k < PROBLEMS; k++) {
    make(&f[k], 60, 5 + 20 * k, 12, 21); /* one matrix */
    f[k].problem.A_pattern = &f->A.pattern, f[k].problem.A = f->A.values;
  }
  OK(sup_reduction_create(&c, SUP_BACKEND_SUPERNODAL, NULL, &f->A.pattern));
  for (int k = 0; k < TURNS; k++) {
    fixture         *g = &f[turn[k]];
    double           v[2][3 * MOST_BLOCKS] = {{0}}, gamma[2][3 * MOST_CONTACTS] = {{0}};
    int              analysed = 0;
    sup_solve_report report;
    OK(sup_reduction_analyse(c, &g->problem, g->arena, &analysed));
    CHECK(analysed == (k == 0 || turn[k] != turn[k - 1]));
    OK(sup_reduction_solve(c, &g->problem, &tight, g->arena, &(sup_solution){v[0], gamma[0], NULL},
                           &report));
    OK(sup_reduction_create(&alone, SUP_BACKEND_SUPERNODAL, NULL, &f->A.pattern));
    CHECK(report.reason > 0 && solve(g, alone, v[1], gamma[1]).reason > 0);
    CHECK(memcmp(v[0], v[1], sizeof v[0]) == 0 && memcmp(gamma[0], gamma[1], sizeof gamma[0]) == 0);
    sup_reduction_destroy(&alone);
  }
  sup_reduction_destroy(&c);
  for (int k = 0; k < PROBLEMS; k++) drop(&f[k]);
}

/** With another p and other laws on the same block columns. */
static void what_was_eliminated_of_an_A_serves_again(void) {
  fixture        f;
  sup_reduction *c, *fresh;
  make(&f, 60, 20, 12, 7);
  double *v = calloc((size_t)f.n, sizeof *v), *w = calloc((size_t)f.n, sizeof *w);
  double  gamma[3 * MOST_CONTACTS];
  OK(sup_reduction_create(&c, SUP_BACKEND_SUPERNODAL, NULL, &f.A.pattern));
  solve(&f, c, v, gamma);
  for (int i = 0; i < f.n; i++) f.p[i] = 1 - 2 * f.p[i];
  f.constraint[3].law.coulomb.normal.phi0 += 1e-4;
  memset(v, 0, (size_t)f.n * sizeof *v);
  sup_solve_options again = tight;
  sup_solve_report  report;
  again.is_same = 1;
  OK(sup_reduction_solve(c, &f.problem, &again, f.arena, &(sup_solution){v, gamma, NULL}, &report));
  OK(sup_reduction_create(&fresh, SUP_BACKEND_SUPERNODAL, NULL, &f.A.pattern));
  solve(&f, fresh, w, gamma);
  CHECK(memcmp(v, w, (size_t)f.n * sizeof *v) == 0);
  sup_reduction_destroy(&c), sup_reduction_destroy(&fresh);
  free(v), free(w);
  drop(&f);
}

/** A problem, a reduction that solves it, and what is kept. */
typedef struct keeper {
  fixture          f;
  sup_reduction   *c;
  sup_kept_matrix  kept;
  sup_solve_report report;
} keeper;

static void start_keeper(keeper *k, int touched, int num_contacts, uint64_t seed) {
  *k = (keeper){0};
  make(&k->f, 60, touched, num_contacts, seed);
  OK(sup_reduction_create(&k->c, SUP_BACKEND_SUPERNODAL, NULL, &k->f.A.pattern));
}

static void end_keeper(keeper *k) {
  sup_kept_matrix_free(&k->kept);
  sup_reduction_destroy(&k->c);
  drop(&k->f);
}

/** Scale the diagonal of A by 1 + change to 1 + 3 change; the solution by a kept factor is that by
 * A's own. */
static void solve_beside(keeper *k, double change) {
  double                   v[2][3 * MOST_BLOCKS] = {{0}}, gamma[2][3 * MOST_CONTACTS] = {{0}};
  sup_solve_options        options = tight;
  sup_reduction           *own;
  int                      analysed = 0;
  const sup_block_pattern *P = &k->f.A.pattern;
  for (int b = 0; b < P->num_blocks; b++) { /* stays symmetric and positive definite */
    int     size = P->offset[b + 1] - P->offset[b];
    double *D = k->f.A.values + P->value_start[P->col_start[b]];
    for (int i = 0; i < size; i++) D[i * size + i] *= 1 + change * (1 + b % 3);
  }
  options.kept = &k->kept;
  OK(sup_reduction_analyse(k->c, &k->f.problem, k->f.arena, &analysed));
  OK(sup_reduction_solve(k->c, &k->f.problem, &options, k->f.arena,
                         &(sup_solution){v[0], gamma[0], NULL}, &k->report));
  CHECK(k->report.reason > 0 && k->report.momentum_error <= tight.tolerance);
  OK(sup_reduction_create(&own, SUP_BACKEND_SUPERNODAL, NULL, P));
  CHECK(solve(&k->f, own, v[1], gamma[1]).reason > 0);
  for (int i = 0; i < k->f.n; i++) NEAR(v[0][i], v[1][i], 1e-9, 1e-9);
  sup_reduction_destroy(&own);
}

/* The matrix that is kept stays while refinement is quick, and the solution is that by the factor
 * of the step's own matrix. */
static void a_kept_factor_is_renewed_where_it_refines_slowly(void) {
  keeper k;
  start_keeper(&k, 3, 4, 31);
  solve_beside(&k, 0);
  uint64_t stamp = k.kept.stamp;
  CHECK(k.kept.count > 0 && !k.kept.is_stale);
  solve_beside(&k, 1e-10);
  CHECK(k.kept.stamp == stamp && !k.kept.is_stale); /* one refinement at most */
  solve_beside(&k, 1e-5);
  CHECK(k.kept.stamp == stamp && k.kept.is_stale && k.kept.wait == 0);
  solve_beside(&k, 0);
  CHECK(k.kept.stamp != stamp && !k.kept.is_stale);
  end_keeper(&k);
}

/* A factor of a matrix that is far away fails; A is factored then, and alone for the steps after
 * it: 8 of them, 16 after a second failure, at most 64. */
static void a_kept_factor_that_fails_waits_ever_longer(void) {
  keeper k;
  start_keeper(&k, 3, 4, 37);
  for (int n = 0, wait = 8; n < 5; n++, wait = wait < 64 ? 2 * wait : 64) {
    solve_beside(&k, 0);
    uint64_t stamp = k.kept.stamp;
    solve_beside(&k, 1);
    CHECK(k.kept.wait == wait && k.kept.stamp == stamp);
    for (int i = 0; i < wait; i++) solve_beside(&k, 0);
    CHECK(k.kept.wait == 0 && k.kept.stamp == stamp);
  }
  end_keeper(&k);
}

/* Each step factors its own matrix if the constraints touch most block columns. */
static void a_factor_is_kept_where_most_is_eliminated(void) {
  keeper k;
  start_keeper(&k, 30, 30, 31);
  solve_beside(&k, 0);
  CHECK(k.kept.count == 0);
  end_keeper(&k);
}

/* Another reduction makes the factor of the kept matrix again: a state that is read goes on with
 * equal bits. */
static void a_kept_factor_that_refines_slowly_waits(void) {
  keeper k;
  start_keeper(&k, 3, 4, 31);
  for (int n = 1; n < 11; n++) {
    solve_beside(&k, 0);
    CHECK(k.kept.count > 0 && !k.kept.is_stale);
    solve_beside(&k, 1e-5);
    const int wait = k.kept.wait;
    CHECK(k.kept.is_stale && wait == (n < 8 ? 0 : n));
    for (int i = 0; i < wait; i++) solve_beside(&k, 0);
  }
  end_keeper(&k);
}

static void a_kept_factor_is_made_again_with_equal_bits(void) {
  keeper           k;
  sup_reduction   *other;
  sup_kept_matrix  copy = {0};
  sup_solve_report report;
  double           v[2][3 * MOST_BLOCKS] = {{0}}, gamma[2][3 * MOST_CONTACTS] = {{0}};
  int              analysed = 0;
  start_keeper(&k, 3, 4, 41);
  OK(sup_reduction_create(&other, SUP_BACKEND_SUPERNODAL, NULL, &k.f.A.pattern));
  solve_beside(&k, 0);
  solve_beside(&k, 1e-10);
  OK(sup_kept_matrix_copy(&copy, &k.kept));
  sup_kept_matrix_stamp(&copy);
  CHECK(copy.stamp == k.kept.stamp);
  OK(sup_reduction_analyse(other, &k.f.problem, k.f.arena, &analysed));
  sup_solve_options options = tight;
  options.kept = &k.kept;
  OK(sup_reduction_solve(k.c, &k.f.problem, &options, k.f.arena,
                         &(sup_solution){v[0], gamma[0], NULL}, &report));
  options.kept = &copy;
  OK(sup_reduction_solve(other, &k.f.problem, &options, k.f.arena,
                         &(sup_solution){v[1], gamma[1], NULL}, &report));
  CHECK(memcmp(v[0], v[1], sizeof v[0]) == 0 && copy.stamp == k.kept.stamp);
  sup_kept_matrix_free(&copy);
  sup_reduction_destroy(&other);
  end_keeper(&k);
}

SUITE_TESTS(reduction, TEST(what_was_eliminated_of_an_A_serves_again),
            TEST(condensed_and_whole_problem_have_one_solution),
            TEST(any_constraints_on_any_matrix_have_the_solution_of_the_whole),
            TEST(what_is_left_of_a_strip_is_sparse), TEST(without_constraints_the_motion_is_free),
            TEST(cancelling_stiffness_is_refined), TEST(the_indefinite_block_is_named),
            TEST(the_inverse_hessian_is_that_of_the_whole), TEST(an_analysis_knows_no_history),
            TEST(a_kept_factor_is_renewed_where_it_refines_slowly),
            TEST(a_factor_is_kept_where_most_is_eliminated),
            TEST(a_kept_factor_that_fails_waits_ever_longer),
            TEST(a_kept_factor_that_refines_slowly_waits),
            TEST(a_kept_factor_is_made_again_with_equal_bits));
