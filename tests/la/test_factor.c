#include <omp.h>

#include "base/memory.h"
#include "la/supernodal/elimination.h"
#include "la_case.h"

static double *random_vector(int n, uint64_t seed) {
  double     *x = calloc((size_t)n + 1, sizeof *x);
  test_random random = {seed};
  for (int i = 0; i < n; i++) x[i] = test_uniform(&random);
  return x;
}

/** Solve with a random right-hand side; the residual relative to |A| |x| + |b|. */
static double solve_residual(sup_linear_solver *factor, const la_case *c) {
  int     n = c->pattern.num_scalars;
  double *b = random_vector(n, 99), *x = random_vector(n, 99);
  OK(sup_linear_solver_solve(factor, 0, x, NULL));
  double residual = la_case_residual(c, x, b);
  free(b);
  free(x);
  return residual;
}

/** Analyse, factor, solve. */
static void check_case(sup_linear_solver *factor, const la_case *c, const unsigned char *last) {
  OK(sup_linear_solver_analyse(factor, &c->pattern, last));
  OK(sup_linear_solver_setup(factor, SUP_MATRIX(&c->pattern, c->values)));
  CHECK(sup_linear_solver_failed_block(factor) == SUP_NONE);
  NEAR(solve_residual(factor, c), 0, 0, 1e-15);
}

static void random_matrices_solve_to_round_off(void) {
  sup_linear_solver *factor;
  la_case            c = {0};
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  for (int round = 0; round < 60;
       round++) { /* sizes rise and fall: the same object, other patterns */
    int blocks = 1 + round * 37 % 101, max_size = round % 4 == 0   ? 3
                                                  : round % 4 == 1 ? 1
                                                  : round % 4 == 2 ? 9
                                                                   : 40;
    la_case_random(&c, blocks, max_size, 1 + round % 7, (uint64_t)round);
    check_case(factor, &c, NULL);
  }
  la_case_free(&c);
  sup_linear_solver_destroy(&factor);
}

/** Scale rows and columns of scalar i by 2^e[i], exactly. */
static void grade(la_case *c, const int *e) {
  const sup_block_pattern *p = &c->pattern;
  for (int j = 0; j < p->num_blocks; j++)
    for (int k = p->col_start[j]; k < p->col_start[j + 1]; k++) {
      int first = p->offset[p->row[k]], rows = p->offset[p->row[k] + 1] - first;
      int cols = p->offset[j + 1] - p->offset[j];
      for (int m = 0; m < rows * cols; m++)
        c->values[p->value_start[k] + (size_t)m] =
            ldexp(c->values[p->value_start[k] + (size_t)m],
                  e[first + m % rows] + e[p->offset[j] + m / rows]);
    }
}

/* Stiffness from vertex to vertex 1e13 times as large and more costs no digit when it is a matter
 * of scale alone. */
static void a_graded_matrix_has_the_bits_of_its_even_one(void) {
  sup_linear_solver *factor;
  la_case            c = {0};
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  for (uint64_t seed = 1; seed <= 10; seed++) {
    la_case_random(&c, 60, 6, 5, seed);
    test_random random = {seed};
    int         n = c.pattern.num_scalars, *e = calloc((size_t)n, sizeof *e);
    double     *x = random_vector(n, 7), *y = random_vector(n, 7),
           *pivot = calloc((size_t)n, 2 * sizeof *pivot);
    for (int i = 0; i < n; i++)
      e[i] = la_case_pick(&random, 45) - 22; /* squared: 2^88 = 3e26 from end to end */
    OK(sup_linear_solver_analyse(factor, &c.pattern, NULL));
    OK(sup_linear_solver_setup(factor, SUP_MATRIX(&c.pattern, c.values)));
    OK(sup_linear_solver_solve(factor, 0, x, NULL));
    CHECK(sup_linear_solver_pivots(factor, pivot));
    grade(&c, e);
    for (int i = 0; i < n; i++) y[i] = ldexp(y[i], e[i]);
    OK(sup_linear_solver_setup(factor, SUP_MATRIX(&c.pattern, c.values)));
    OK(sup_linear_solver_solve(factor, 0, y, NULL));
    CHECK(sup_linear_solver_pivots(factor, pivot + n));
    for (int i = 0; i < n; i++) CHECK(ldexp(y[i], e[i]) == x[i]);
    for (int i = 0; i < n; i++) NEAR(ldexp(pivot[n + i], -2 * e[i]), pivot[i], 1e-14, 0);
    free(e), free(x), free(y), free(pivot);
  }
  la_case_free(&c);
  sup_linear_solver_destroy(&factor);
}

/** A free net of springs k 2^.. with masses m, all exact in 16 digits as long as the sums are: A 1
 * = m. */
static void make_net(la_case *c, double m, double k) {
  sup_block_pattern *p = &c->pattern;
  la_case_random(c, 50, 1, 6, 3);
  for (int j = 0; j + 1 < p->num_blocks; j++) c->values[p->value_start[p->col_start[j]]] = 0;
  c->values[p->value_start[p->col_start[p->num_blocks - 1]]] = 0;
  for (int j = 0; j < p->num_blocks; j++)
    for (int e = p->col_start[j] + 1; e < p->col_start[j + 1]; e++) {
      c->values[p->value_start[e]] = -k;
      c->values[p->value_start[p->col_start[j]]] += k;
      c->values[p->value_start[p->col_start[p->row[e]]]] += k;
    }
  for (int j = 0; j < p->num_blocks; j++) c->values[p->value_start[p->col_start[j]]] += m;
}

/* Nearly singular: either the error stays below what the pivots foretell, or the block is named. */
static void a_net_of_light_masses_is_solved_as_its_pivots_foretell_or_refused(void) {
  sup_linear_solver *factor;
  int                refused = 0, poor = 0;
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  for (int digits = 2; digits <= 20; digits++) {
    la_case c = {0};
    double  m = pow(10, -digits), x[50], pivot[50], foretold = 0, error = 0;
    make_net(&c, m, 1);
    OK(sup_linear_solver_analyse(factor, &c.pattern, NULL));
    sup_status status = sup_linear_solver_setup(factor, SUP_MATRIX(&c.pattern, c.values));
    if (status != SUP_OK) {
      CHECK(status == SUP_E_NOT_SPD && sup_linear_solver_failed_block(factor) >= 0 && digits > 13);
      refused++;
    } else {
      for (int i = 0; i < 50; i++) x[i] = m;
      OK(sup_linear_solver_solve(factor, 0, x, NULL));
      CHECK(sup_linear_solver_pivots(factor, pivot));
      for (int i = 0; i < 50; i++) {
        foretold =
            fmax(foretold,
                 DBL_EPSILON * c.values[c.pattern.value_start[c.pattern.col_start[i]]] / pivot[i]);
        error = fmax(error, fabs(x[i] - 1));
      }
      printf("\n    m/k 1e-%d: error %.1e, foretold %.1e", digits, error, foretold);
      CHECK(error < 20 * foretold && foretold < 20 * DBL_EPSILON / m);
      poor += foretold > .01;
    }
    la_case_free(&c);
  }
  CHECK(refused + poor >= 5);
  sup_linear_solver_destroy(&factor);
}

/** Dense Cholesky and solve in place, the textbook way. */
static void dense_solve(int n, double *a, double *x) {
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < n; i++) a[j * n + i] -= a[k * n + i] * a[k * n + j];
    double d = sqrt(a[j * n + j]);
    for (int i = j; i < n; i++) a[j * n + i] /= d;
  }
  for (int j = 0; j < n; j++) {
    x[j] /= a[j * n + j];
    for (int i = j + 1; i < n; i++) x[i] -= a[j * n + i] * x[j];
  }
  for (int j = n - 1; j >= 0; j--) {
    for (int i = j + 1; i < n; i++) x[j] -= a[j * n + i] * x[i];
    x[j] /= a[j * n + j];
  }
}

static void solution_agrees_with_dense_cholesky(void) {
  sup_linear_solver *factor;
  la_case            c = {0};
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  for (uint64_t seed = 0; seed < 12; seed++) {
    la_case_random(&c, 5 + 3 * (int)seed, seed % 2 ? 3 : 7, 4, seed);
    int     n = c.pattern.num_scalars;
    double *a = la_case_dense(&c), *x = random_vector(n, 5), *y = random_vector(n, 5);
    dense_solve(n, a, x);
    OK(sup_linear_solver_analyse(factor, &c.pattern, NULL));
    OK(sup_linear_solver_setup(factor, SUP_MATRIX(&c.pattern, c.values)));
    OK(sup_linear_solver_solve(factor, 0, y, NULL));
    for (int i = 0; i < n; i++) NEAR(y[i], x[i], 1e-12, 1e-14);
    free(a);
    free(x);
    free(y);
  }
  la_case_free(&c);
  sup_linear_solver_destroy(&factor);
}

enum { NUM_SHAPES = 7 };

/** Sets of last blocks: none, one, all, a stride, the front half, random, all but one. */
static unsigned char *last_set(int n, int shape) {
  unsigned char *last = calloc((size_t)n + 1, 1);
  test_random    random = {(uint64_t)shape};
  for (int b = 0; b < n; b++) {
    int in[NUM_SHAPES] = {0,         b == n / 3, 1, b % 5 == 2, b<n / 2, test_uniform(&random)> 0.6,
                          b != n / 2};
    last[b] = (unsigned char)in[shape];
  }
  return last;
}

static void last_sets_of_every_shape_solve_to_round_off(void) {
  sup_linear_solver *factor;
  la_case            c = {0};
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  for (int round = 0; round < 4; round++) {
    if (round == 0)
      la_case_grid(&c, 3, 4, 9, 1);
    else
      la_case_random(&c, 30 * round, 3 * round, 3, (uint64_t)round);
    for (int shape = 0; shape < NUM_SHAPES; shape++) {
      unsigned char *last = last_set(c.pattern.num_blocks, shape);
      check_case(factor, &c, last);
      sup_linear_info info = sup_linear_solver_info(factor);
      if (shape == 0) CHECK(info.trailing_flops == 0);
      if (shape == 2) CHECK(info.trailing_flops == info.flops);
      CHECK(info.trailing_flops <= info.flops && info.nonzeros >= c.pattern.num_scalars);
      free(last);
    }
  }
  la_case_free(&c);
  sup_linear_solver_destroy(&factor);
}

/** Change blocks whose row and column are both last: entries shrink, so the matrix stays positive
 * definite. */
static void change_trailing(la_case *c, const unsigned char *last, double factor) {
  const sup_block_pattern *p = &c->pattern;
  for (int j = 0; j < p->num_blocks; j++) {
    if (!last[j]) continue;
    for (int e = p->col_start[j] + 1; e < p->col_start[j + 1]; e++)
      for (size_t k = p->value_start[e]; last[p->row[e]] && k < p->value_start[e + 1]; k++)
        c->values[k] *= factor;
    la_case_shift(c, j, factor);
  }
}

/** S as the dense matrix says, and a solve by elimination, S and substitution. */
static void check_elimination(sup_linear_solver *factor, const la_case *c,
                              const unsigned char *last) {
  sup_block_pattern pattern = {0};
  int               n = c->pattern.num_scalars;
  OK(sup_linear_solver_analyse(factor, &c->pattern, last));
  OK(sup_linear_solver_schur_pattern(factor, &pattern));
  la_case S = {pattern, calloc(sup_block_pattern_num_values(&pattern) + 1, sizeof(double))};
  OK(sup_linear_solver_eliminate(factor, c->values, &S.pattern, S.values, NULL));
  double *b = random_vector(n, 7), *x = random_vector(n, 7),
         *trailing = random_vector(S.pattern.num_scalars, 8);
  OK(sup_linear_solver_forward(factor, x));
  for (int k = 0, pass = 0; pass < 2; pass++, k = 0) { /* gather, solve, scatter */
    for (int i = 0; i < c->pattern.num_blocks; i++)
      for (int a = c->pattern.offset[i]; last[i] && a < c->pattern.offset[i + 1]; a++, k++)
        if (pass == 0)
          trailing[k] = x[a];
        else
          x[a] = trailing[k];
    CHECK(k == S.pattern.num_scalars);
    if (pass == 1) break;
    double *dense = la_case_dense(&S);
    dense_solve(S.pattern.num_scalars, dense, trailing);
    free(dense);
  }
  OK(sup_linear_solver_backward(factor, x));
  NEAR(la_case_residual(c, x, b), 0, 0, 1e-14);
  OK(sup_linear_solver_update(factor,
                              SUP_MATRIX(&c->pattern, c->values))); /* completes the factor */
  NEAR(solve_residual(factor, c), 0, 0, 1e-15);
  la_case_free(&S);
  free(b);
  free(x);
  free(trailing);
}

static void leading_blocks_are_eliminated_exactly(void) {
  sup_linear_solver *factor;
  la_case            c = {0};
  test_random        random = {31};
  unsigned char      last[100];
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  for (int round = 0; round < 40; round++) {
    int blocks = 1 + round * 31 % 100;
    if (round % 3)
      la_case_random(&c, blocks, round % 2 ? 3 : 9, 1 + round % 6, (uint64_t)round);
    else
      la_case_grid(&c, 2, 2, blocks = 4 * (1 + round % 7), (uint64_t)round), blocks *= 4;
    if (blocks > 100) continue;
    for (int b = 0; b < blocks; b++)
      last[b] = test_uniform(&random) < round % 5 / 2. - 1; /* none to all */
    check_elimination(factor, &c, last);
  }
  double x = 1;
  OK(sup_linear_solver_analyse(factor, &c.pattern, NULL));
  FAILS(sup_linear_solver_forward(factor, &x), SUP_E_ARG, "not factored");
  la_case_shift(&c, 3, -1e6);
  FAILS(sup_linear_solver_eliminate(factor, c.values, &c.pattern, NULL, NULL), SUP_E_NOT_SPD,
        "not positive definite");
  FAILS(sup_linear_solver_backward(factor, &x), SUP_E_ARG, "not factored");
  la_case_free(&c);
  sup_linear_solver_destroy(&factor);
}

static void update_of_trailing_blocks_equals_a_full_factorisation(void) {
  sup_linear_solver *factor, *fresh;
  la_case            c = {0};
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  OK(sup_linear_solver_create(&fresh, SUP_BACKEND_SUPERNODAL, NULL));
  for (int shape = 0; shape < NUM_SHAPES; shape++) {
    la_case_random(&c, 70, 6, 5, (uint64_t)shape);
    int            n = c.pattern.num_scalars;
    unsigned char *last = last_set(c.pattern.num_blocks, shape);
    check_case(factor, &c, last);
    for (int round = 0; round < 3; round++) {
      change_trailing(&c, last, 0.7 - 0.3 * round);
      OK(sup_linear_solver_update(factor, SUP_MATRIX(&c.pattern, c.values)));
      check_case(fresh, &c, last);
      double *x = random_vector(n, 8), *y = random_vector(n, 8);
      OK(sup_linear_solver_solve(factor, 0, x, NULL));
      OK(sup_linear_solver_solve(fresh, 0, y, NULL));
      CHECK(memcmp(x, y, (size_t)n * sizeof *x) == 0); /* the same operations in the same order */
      NEAR(solve_residual(factor, &c), 0, 0, 1e-15);
      free(x);
      free(y);
    }
    free(last);
  }
  la_case_free(&c);
  sup_linear_solver_destroy(&factor);
  sup_linear_solver_destroy(&fresh);
}

/* The kept updates must not be touched by an update that fails. */
static void update_recovers_after_an_indefinite_trailing_part(void) {
  sup_linear_solver *factor;
  la_case            c = {0};
  la_case_grid(&c, 3, 3, 12, 5);
  unsigned char *last = last_set(c.pattern.num_blocks, 3);
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  check_case(factor, &c, last);
  la_case_shift(&c, 52, -100);
  FAILS(sup_linear_solver_update(factor, SUP_MATRIX(&c.pattern, c.values)), SUP_E_NOT_SPD,
        "block column 52");
  double dummy = 0;
  FAILS(sup_linear_solver_solve(factor, 0, &dummy, NULL), SUP_E_ARG, "no factor");
  la_case_shift(&c, 52, 100);
  OK(sup_linear_solver_update(factor, SUP_MATRIX(&c.pattern, c.values)));
  NEAR(solve_residual(factor, &c), 0, 0, 1e-15);
  free(last);
  la_case_free(&c);
  sup_linear_solver_destroy(&factor);
}

static void indefinite_matrix_is_reported_with_its_block(sup_backend backend) {
  sup_linear_solver *factor;
  la_case            c = {0};
  la_case_grid(&c, 3, 3, 8, 2);
  OK(sup_linear_solver_create(&factor, backend, NULL));
  OK(sup_linear_solver_analyse(factor, &c.pattern, NULL));
  for (int block = 0; block < c.pattern.num_blocks; block += 7) {
    la_case_shift(&c, block, -1000);
    FAILS(sup_linear_solver_setup(factor, SUP_MATRIX(&c.pattern, c.values)), SUP_E_NOT_SPD,
          "not positive definite");
    CHECK(sup_linear_solver_failed_block(factor) == block);
    la_case_shift(&c, block, 1000);
  }
  OK(sup_linear_solver_setup(factor, SUP_MATRIX(&c.pattern, c.values)));
  CHECK(sup_linear_solver_failed_block(factor) == SUP_NONE);
  NEAR(solve_residual(factor, &c), 0, 0, 1e-15);
  la_case_free(&c);
  sup_linear_solver_destroy(&factor);
}

static void supernodal_names_the_indefinite_block(void) {
  indefinite_matrix_is_reported_with_its_block(SUP_BACKEND_SUPERNODAL);
}

static void nan_infinity_and_zero_are_not_positive_definite(void) {
  sup_linear_solver *factor;
  la_case            c = {0};
  const double       bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  la_case_grid(&c, 2, 2, 6, 4);
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  OK(sup_linear_solver_analyse(factor, &c.pattern, NULL));
  for (int k = 0; k < 3; k++) { /* anywhere in the part that is read */
    for (int e = 0; e < c.pattern.col_start[c.pattern.num_blocks]; e += 3) {
      double *value = &c.values[c.pattern.value_start[e] + 2], old = *value;
      *value = bad[k];
      FAILS(sup_linear_solver_setup(factor, SUP_MATRIX(&c.pattern, c.values)), SUP_E_NOT_SPD,
            "not positive definite");
      CHECK(sup_linear_solver_failed_block(factor) >= 0);
      *value = old;
    }
  }
  memset(c.values, 0, sup_block_pattern_num_values(&c.pattern) * sizeof *c.values);
  FAILS(sup_linear_solver_setup(factor, SUP_MATRIX(&c.pattern, c.values)), SUP_E_NOT_SPD,
        "pivot 0");
  la_case_free(&c);
  sup_linear_solver_destroy(&factor);
}

static void smallest_matrices_work(void) {
  sup_linear_solver *factor;
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  la_case c = {0};
  for (int size = 1; size <= 40; size++) { /* a single block of any width */
    OK(sup_block_pattern_build(&c.pattern, 1, &size, 0, NULL));
    la_case_fill(&c, (uint64_t)size);
    check_case(factor, &c, NULL);
    check_case(factor, &c, (const unsigned char[]){1});
  }
  int    one = 1;
  double four = 4, b = 6;
  OK(sup_block_pattern_build(&c.pattern, 1, &one, 0, NULL));
  OK(sup_linear_solver_analyse(factor, &c.pattern, NULL));
  OK(sup_linear_solver_setup(factor, SUP_MATRIX(&c.pattern, &four)));
  OK(sup_linear_solver_solve(factor, 0, &b, NULL));
  NEAR(b, 1.5, 0, 0);
  OK(sup_block_pattern_build(&c.pattern, 0, NULL, 0, NULL));
  OK(sup_linear_solver_analyse(factor, &c.pattern, NULL));
  OK(sup_linear_solver_setup(factor, SUP_MATRIX(&c.pattern, &four)));
  OK(sup_linear_solver_solve(factor, 0, &b, NULL));
  la_case_free(&c);
  sup_linear_solver_destroy(&factor);
}

static void wrong_order_of_calls_is_refused(void) {
  sup_linear_solver *factor;
  double             x = 1;
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  FAILS(sup_linear_solver_setup(factor, SUP_MATRIX(NULL, &x)), SUP_E_ARG, "analyse");
  FAILS(sup_linear_solver_update(factor, SUP_MATRIX(NULL, &x)), SUP_E_ARG, "whole matrix");
  FAILS(sup_linear_solver_solve(factor, 0, &x, NULL), SUP_E_ARG, "no factor");
  CHECK(sup_linear_solver_info(factor).flops == 0);
  sup_linear_solver_destroy(&factor);
  CHECK(factor == NULL);
  sup_linear_solver_destroy(&factor);
}

static void repetition_gives_identical_bits(void) {
  sup_linear_solver *factor[2];
  la_case            c = {0};
  la_case_grid(&c, 4, 4, 20, 11);
  int     n = c.pattern.num_scalars;
  double *x[4];
  for (int k = 0; k < 2; k++)
    OK(sup_linear_solver_create(&factor[k], SUP_BACKEND_SUPERNODAL, NULL));
  for (int k = 0; k < 4; k++) {
    x[k] = random_vector(n, 1);
    if (k != 1) OK(sup_linear_solver_analyse(factor[k / 2], &c.pattern, NULL));
    OK(sup_linear_solver_setup(factor[k / 2], SUP_MATRIX(&c.pattern, c.values)));
    OK(sup_linear_solver_solve(factor[k / 2], 0, x[k], NULL));
    CHECK(memcmp(x[0], x[k], (size_t)n * sizeof(double)) == 0);
  }
  for (int k = 0; k < 4; k++) free(x[k]);
  for (int k = 0; k < 2; k++) sup_linear_solver_destroy(&factor[k]);
  la_case_free(&c);
}

/* The slender finger: a good order and amalgamation keep flops and entries near those of the scalar
 * factor that CHOLMOD finds in its own order (18.8 Mflop, 227,628 entries). */
static void slender_grid_keeps_its_factor_small(void) {
  sup_linear_solver *factor;
  la_case            c = {0};
  la_case_grid(&c, 4, 4, 63, 1);
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  check_case(factor, &c, NULL);
  sup_linear_info info = sup_linear_solver_info(factor);
  CHECK(info.nonzeros < 1.25 * 227628);
  CHECK(info.flops < 1.25 * 18.8e6);
  CHECK(info.num_supernodes < c.pattern.num_blocks / 4);
  la_case_free(&c);
  sup_linear_solver_destroy(&factor);
}

/** A compact grid: nested dissection, supernodes in pieces, packed tiles, work for several threads.
 */
static void compact_grid(la_case *c) { la_case_grid(c, 9, 9, 9, 3); }

static void any_number_of_threads_gives_identical_bits(void) {
  sup_linear_solver *factor[3];
  la_case            c = {0};
  int                before = omp_get_max_threads();
  compact_grid(&c);
  size_t bytes = (size_t)c.pattern.num_scalars * sizeof(double);
  for (int k = 0; k < 3; k++)
    OK(sup_linear_solver_create(&factor[k], SUP_BACKEND_SUPERNODAL, NULL));
  for (int shape = 0; shape < NUM_SHAPES; shape += 3) { /* none, a stride, all but one */
    unsigned char *last = last_set(c.pattern.num_blocks, shape);
    double        *x[3], *y[3];
    for (int k = 0; k < 3; k++) {
      omp_set_num_threads(k + 1);
      x[k] = random_vector(c.pattern.num_scalars, 1);
      y[k] = random_vector(c.pattern.num_scalars, 2);
      check_case(factor[k], &c, last);
      OK(sup_linear_solver_solve(factor[k], 0, x[k], NULL));
      OK(sup_linear_solver_update(factor[k], SUP_MATRIX(&c.pattern, c.values)));
      OK(sup_linear_solver_solve(factor[k], 0, y[k], NULL));
      CHECK(memcmp(x[0], x[k], bytes) == 0);
      CHECK(memcmp(y[0], y[k], bytes) == 0);
    }
    for (int k = 0; k < 3; k++) {
      free(x[k]);
      free(y[k]);
    }
    free(last);
  }
  omp_set_num_threads(before);
  for (int k = 0; k < 3; k++) sup_linear_solver_destroy(&factor[k]);
  la_case_free(&c);
}

/* The right-hand side goes forward with the elimination, on threads whose number changes, or after
 * it on one. */
static void elimination_gives_identical_bits_on_any_number_of_threads(void) {
  enum { ROUNDS = 12 };
  sup_linear_solver *factor;
  sup_block_pattern  pattern = {0};
  la_case            c = {0};
  int                before = omp_get_max_threads();
  double            *S[2] = {NULL, NULL}, *x[2];
  compact_grid(&c);
  unsigned char *last = last_set(c.pattern.num_blocks, 3);
  size_t         bytes = (size_t)c.pattern.num_scalars * sizeof(double), S_bytes = 0;
  for (int round = 0; round < ROUNDS; round++) {
    int k = round > 0;
    omp_set_num_threads(1 + round % 3);
    OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
    OK(sup_linear_solver_analyse(factor, &c.pattern, last));
    CHECK(sup_linear_solver_info(factor).nonzeros >
          120000); /* three threads have something to do */
    OK(sup_linear_solver_schur_pattern(factor, &pattern));
    S_bytes = sup_block_pattern_num_values(&pattern) * sizeof(double);
    S[k] = malloc(S_bytes);
    x[k] = random_vector(c.pattern.num_scalars, 3);
    OK(sup_linear_solver_eliminate(factor, c.values, &pattern, S[k], round % 2 ? x[k] : NULL));
    if (round % 2 == 0) OK(sup_linear_solver_forward(factor, x[k]));
    CHECK(memcmp(S[0], S[k], S_bytes) == 0);
    OK(sup_linear_solver_backward(factor, x[k]));
    CHECK(memcmp(x[0], x[k], bytes) == 0);
    sup_linear_solver_destroy(&factor);
    if (k) free(S[1]), free(x[1]);
  }
  omp_set_num_threads(before);
  free(S[0]);
  free(x[0]);
  free(last);
  sup_block_pattern_free(&pattern);
  la_case_free(&c);
}

/* Several blocks fail: the one that is eliminated first is named, whoever meets which first. */
static void any_number_of_threads_names_the_same_indefinite_block(void) {
  sup_linear_solver *factor;
  la_case            c = {0};
  int                before = omp_get_max_threads();
  int                first = SUP_NONE;
  compact_grid(&c);
  for (int b = 100; b < 729; b += 200) la_case_shift(&c, b, -1000);
  for (int round = 0; round < 9; round++) {
    omp_set_num_threads(1 + round % 3);
    OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
    OK(sup_linear_solver_analyse(factor, &c.pattern, NULL));
    FAILS(sup_linear_solver_setup(factor, SUP_MATRIX(&c.pattern, c.values)), SUP_E_NOT_SPD,
          "not positive definite");
    if (round == 0) first = sup_linear_solver_failed_block(factor);
    CHECK(first >= 0 && sup_linear_solver_failed_block(factor) == first);
    sup_linear_solver_destroy(&factor);
  }
  omp_set_num_threads(before);
  la_case_free(&c);
}

static void separate_bodies_factor_together(void) {
  sup_linear_solver *factor;
  la_case            c = {0};
  int                size[41] = {0}, pair[2 * 39], num_pairs = 0;
  for (int b = 0; b < 41; b++) size[b] = b % 3 ? 3 : 7;
  for (int b = 0; b + 1 < 40; b++) /* four chains of ten, and a block alone */
    if (b % 10 != 9) pair[2 * num_pairs] = b, pair[2 * num_pairs++ + 1] = b + 1;
  OK(sup_block_pattern_build(&c.pattern, 41, size, (size_t)num_pairs, pair));
  la_case_fill(&c, 3);
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  check_case(factor, &c, NULL);
  la_case_free(&c);
  sup_linear_solver_destroy(&factor);
}

static void every_failed_allocation_is_reported_and_survived(void) {
  la_case c = {0};
  la_case_grid(&c, 3, 3, 5, 1);
  unsigned char *last = last_set(c.pattern.num_blocks, 3);
  int            done = 0;
  for (long k = 1; !done; k++) {
    sup_linear_solver *factor = NULL;
    sup_memory_fail_at(k);
    sup_status status = sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL);
    if (status == SUP_OK) status = sup_linear_solver_analyse(factor, &c.pattern, last);
    sup_memory_fail_at(0);
    CHECK(status == SUP_OK || status == SUP_E_MEMORY);
    done = status == SUP_OK;
    if (factor) check_case(factor, &c, last);
    sup_linear_solver_destroy(&factor);
    if (done) CHECK(k > 12);
  }
  free(last);
  la_case_free(&c);
}

/* A step may analyse again: once the memory has grown, nothing is allocated. */
static void analysis_and_factorisation_allocate_nothing_again(void) {
  sup_linear_solver *factor;
  la_case            big = {0}, small = {0};
  la_case_grid(&big, 4, 4, 12, 1);
  la_case_grid(&small, 4, 4, 11, 1);
  unsigned char *last = last_set(big.pattern.num_blocks, 3);
  OK(sup_linear_solver_create(&factor, SUP_BACKEND_SUPERNODAL, NULL));
  check_case(factor, &big, last);
  double *x = random_vector(small.pattern.num_scalars, 1);
  sup_memory_fail_at(1);
  OK(sup_linear_solver_analyse(factor, &small.pattern, last));
  OK(sup_linear_solver_setup(factor, SUP_MATRIX(&small.pattern, small.values)));
  OK(sup_linear_solver_update(factor, SUP_MATRIX(&small.pattern, small.values)));
  OK(sup_linear_solver_solve(factor, 0, x, NULL));
  sup_memory_fail_at(0);
  free(x);
  free(last);
  la_case_free(&big);
  la_case_free(&small);
  sup_linear_solver_destroy(&factor);
}

#ifdef SUP_WITH_CHOLMOD
static void cholmod_agrees_with_the_supernodal_factor(void) {
  sup_linear_solver *ours, *theirs;
  la_case            c = {0};
  OK(sup_linear_solver_create(&ours, SUP_BACKEND_SUPERNODAL, NULL));
  OK(sup_linear_solver_create(&theirs, SUP_BACKEND_CHOLMOD, NULL));
  for (int round = 0; round < 6; round++) {
    if (round == 0)
      la_case_grid(&c, 4, 4, 10, 1);
    else
      la_case_random(&c, 40, 4 * round, 4, (uint64_t)round);
    unsigned char *last = last_set(c.pattern.num_blocks, 3);
    check_case(ours, &c, last);
    check_case(theirs, &c, last);
    change_trailing(&c, last, 0.5);
    OK(sup_linear_solver_update(ours, SUP_MATRIX(&c.pattern, c.values)));
    OK(sup_linear_solver_update(theirs, SUP_MATRIX(&c.pattern, c.values)));
    int     n = c.pattern.num_scalars;
    double *x = random_vector(n, 2), *y = random_vector(n, 2);
    OK(sup_linear_solver_solve(ours, 0, x, NULL));
    OK(sup_linear_solver_solve(theirs, 0, y, NULL));
    for (int i = 0; i < n; i++) NEAR(x[i], y[i], 1e-11, 1e-13);
    CHECK(sup_linear_solver_info(theirs).nonzeros > 0);
    free(x);
    free(y);
    free(last);
  }
  la_case_free(&c);
  sup_linear_solver_destroy(&ours);
  sup_linear_solver_destroy(&theirs);
}

static void cholmod_names_the_indefinite_block(void) {
  indefinite_matrix_is_reported_with_its_block(SUP_BACKEND_CHOLMOD);
}
#else
static void cholmod_agrees_with_the_supernodal_factor(void) {
  sup_linear_solver *factor;
  FAILS(sup_linear_solver_create(&factor, SUP_BACKEND_CHOLMOD, NULL), SUP_E_ARG, "CHOLMOD=0");
  CHECK(factor == NULL);
}

static void cholmod_names_the_indefinite_block(void) { SKIP("built with CHOLMOD=0"); }
#endif

SUITE_TESTS(
    factor, TEST(random_matrices_solve_to_round_off), TEST(solution_agrees_with_dense_cholesky),
    TEST(a_graded_matrix_has_the_bits_of_its_even_one),
    TEST(a_net_of_light_masses_is_solved_as_its_pivots_foretell_or_refused),
    TEST(last_sets_of_every_shape_solve_to_round_off), TEST(leading_blocks_are_eliminated_exactly),
    TEST(update_of_trailing_blocks_equals_a_full_factorisation),
    TEST(update_recovers_after_an_indefinite_trailing_part),
    TEST(supernodal_names_the_indefinite_block),
    TEST(nan_infinity_and_zero_are_not_positive_definite), TEST(smallest_matrices_work),
    TEST(wrong_order_of_calls_is_refused), TEST(repetition_gives_identical_bits),
    TEST(slender_grid_keeps_its_factor_small), TEST(any_number_of_threads_gives_identical_bits),
    TEST(elimination_gives_identical_bits_on_any_number_of_threads),
    TEST(any_number_of_threads_names_the_same_indefinite_block),
    TEST(separate_bodies_factor_together), TEST(every_failed_allocation_is_reported_and_survived),
    TEST(analysis_and_factorisation_allocate_nothing_again),
    TEST(cholmod_agrees_with_the_supernodal_factor), TEST(cholmod_names_the_indefinite_block));
