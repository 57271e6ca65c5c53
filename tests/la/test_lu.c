/* LU of matrices whose pattern is symmetric and whose numbers are not. */
#include "la/lu.h"

#include <string.h>

#include "base/memory.h"
#include "la/linear_solver.h"
#include "test.h"

enum { NUM_BLOCKS = 5, N = 14 };

static const int size[NUM_BLOCKS] = {3, 1, 6, 3, 1}, pair[] = {1, 0, 3, 0, 2, 1, 4, 2, 4, 3};

typedef struct matrix {
  sup_block_pattern pattern;
  double           *lower, *upper, full[N * N]; /* row-major */
} matrix;

static void make(matrix *m, uint64_t seed) {
  test_random random = {seed};
  memset(m, 0, sizeof *m);
  OK(sup_block_pattern_build(&m->pattern, NUM_BLOCKS, size, 5, pair));
  OK(SUP_CALLOC(m->lower, sup_block_pattern_num_values(&m->pattern)));
  OK(SUP_CALLOC(m->upper, sup_block_pattern_num_values(&m->pattern)));
  const sup_block_pattern *P = &m->pattern;
  for (int b = 0; b < NUM_BLOCKS; b++)
    for (int e = P->col_start[b]; e < P->col_start[b + 1]; e++) {
      int rows = size[P->row[e]];
      for (int c = 0; c < size[b]; c++)
        for (int r = 0; r < rows; r++) {
          size_t k = P->value_start[e] + (size_t)(c * rows + r);
          int    i = P->offset[P->row[e]] + r, j = P->offset[b] + c;
          m->lower[k] = test_uniform(&random), m->upper[k] = test_uniform(&random);
          if (i == j) m->lower[k] += 3;
          if (i < j) continue; /* of diagonal blocks the lower triangle is read */
          m->full[i * N + j] = m->lower[k];
          if (i != j) m->full[j * N + i] = m->upper[k];
        }
    }
}

static void drop(matrix *m) {
  sup_block_pattern_free(&m->pattern);
  SUP_FREE(m->lower);
  SUP_FREE(m->upper);
}

static void solutions_solve_both_triangles(void) {
  if (!sup_lu_is_built_in()) SKIP("built with UMFPACK=0");
  sup_linear_solver *solver;
  OK(sup_linear_solver_create(&solver, SUP_BACKEND_SUPERNODAL, NULL));
  for (uint64_t seed = 1; seed < 20; seed++) {
    matrix m;
    make(&m, seed);
    OK(sup_linear_solver_analyse(solver, &m.pattern, NULL));
    for (int again = 0; again < 2; again++) { /* other numbers in the same pattern */
      double x[N], b[N];
      bool   is_singular;
      for (int i = 0; i < N; i++) x[i] = b[i] = cos(i + 1.);
      OK(sup_linear_solver_setup_general(solver, m.lower, m.upper, &is_singular));
      CHECK(!is_singular);
      OK(sup_linear_solver_solve_general(solver, x));
      for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) sum += m.full[i * N + j] * x[j];
        NEAR(sum, b[i], 0, 1e-13);
      }
      m.full[N + 1] = m.lower[m.pattern.value_start[m.pattern.col_start[0]] + 4] += 1;
    }
    drop(&m);
  }
  sup_linear_solver_destroy(&solver);
}

static void a_singular_matrix_is_no_failure_and_leaves_nothing_to_solve_with(void) {
  if (!sup_lu_is_built_in()) SKIP("built with UMFPACK=0");
  matrix             m;
  sup_linear_solver *solver;
  bool               is_singular = 0;
  double             b[N] = {1};
  make(&m, 3);
  size_t num = sup_block_pattern_num_values(&m.pattern);
  for (size_t k = 0; k < num; k++) m.lower[k] = m.upper[k] = 1;
  OK(sup_linear_solver_create(&solver, SUP_BACKEND_SUPERNODAL, NULL));
  FAILS(sup_linear_solver_setup_general(solver, m.lower, m.upper, &is_singular), SUP_E_ARG,
        "analyse the pattern first");
  OK(sup_linear_solver_analyse(solver, &m.pattern, NULL));
  OK(sup_linear_solver_setup_general(solver, m.lower, m.upper, &is_singular));
  CHECK(is_singular);
  FAILS(sup_linear_solver_solve_general(solver, b), SUP_E_ARG, "no LU factor");
  sup_linear_solver_destroy(&solver);
  drop(&m);
}

static void without_UMFPACK_it_says_what_to_do(void) {
  sup_lu *lu = NULL;
  if (sup_lu_is_built_in())
    OK(sup_lu_create(&lu));
  else
    FAILS(sup_lu_create(&lu), SUP_E_ARG, "UMFPACK=1");
  CHECK((lu != NULL) == sup_lu_is_built_in());
  sup_lu_destroy(&lu);
}

SUITE_TESTS(lu, TEST(solutions_solve_both_triangles),
            TEST(a_singular_matrix_is_no_failure_and_leaves_nothing_to_solve_with),
            TEST(without_UMFPACK_it_says_what_to_do));
