#include "la/supernodal/elimination.h"
#include "la_case.h"

static double *random_vector(int n, uint64_t seed) {
  double     *x = calloc((size_t)n + 1, sizeof *x);
  test_random random = {seed};
  for (int i = 0; i < n; i++) x[i] = test_uniform(&random);
  return x;
}

static void it_solves_random_matrices_to_the_tolerance(void) {
  static const double tolerance[] = {1e-2, 1e-6, 1e-12};
  sup_linear_solver  *cg, *direct;
  la_case             c = {0};
  OK(sup_linear_solver_create(&cg, SUP_BACKEND_CONJUGATE_GRADIENT, NULL));
  OK(sup_linear_solver_create(&direct, SUP_BACKEND_SUPERNODAL, NULL));
  CHECK(!sup_linear_solver_can_eliminate(cg) && sup_linear_solver_can_eliminate(direct));
  for (int round = 0; round < 30; round++) {
    la_case_random(&c, 1 + round * 7, round % 3 ? 3 : 12, 6, (uint64_t)round + 1);
    int     n = c.pattern.num_scalars, before = 0;
    double *x = random_vector(n, 5), *y = random_vector(n, 5), *b = random_vector(n, 5);
    OK(sup_linear_solver_analyse(cg, &c.pattern, NULL));
    OK(sup_linear_solver_setup(cg, SUP_MATRIX(&c.pattern, c.values)));
    for (int k = 0; k < 3; k++) {
      sup_linear_report report;
      memcpy(x, b, (size_t)n * sizeof *x);
      OK(sup_linear_solver_solve(cg, tolerance[k], x, &report));
      CHECK(report.residual <= tolerance[k] && report.iterations >= before);
      before = report.iterations;
    }
    OK(sup_linear_solver_analyse(direct, &c.pattern, NULL));
    OK(sup_linear_solver_setup(direct, SUP_MATRIX(&c.pattern, c.values)));
    OK(sup_linear_solver_solve(direct, 0, y, NULL));
    double difference = 0, size = 0;
    for (int i = 0; i < n; i++)
      difference = fmax(difference, fabs(x[i] - y[i])), size = fmax(size, fabs(y[i]));
    NEAR(difference / size, 0, 0, 1e-9);
    free(x), free(y), free(b);
  }
  la_case_free(&c);
  sup_linear_solver_destroy(&cg);
  sup_linear_solver_destroy(&direct);
}

/* A 3 x 3 block that couples nothing is solved by its own factor: one iteration. */
static void blocks_that_couple_nothing_take_one_iteration(void) {
  sup_linear_solver *cg;
  la_case            c = {0};
  sup_linear_report  report;
  OK(sup_linear_solver_create(&cg, SUP_BACKEND_CONJUGATE_GRADIENT, NULL));
  la_case_random(&c, 20, 5, 0, 3);
  double *x = random_vector(c.pattern.num_scalars, 5);
  OK(sup_linear_solver_analyse(cg, &c.pattern, NULL));
  OK(sup_linear_solver_setup(cg, SUP_MATRIX(&c.pattern, c.values)));
  OK(sup_linear_solver_solve(cg, 1e-13, x, &report));
  CHECK(report.iterations == 1);
  memset(x, 0, (size_t)c.pattern.num_scalars * sizeof *x); /* nothing to do */
  OK(sup_linear_solver_solve(cg, 1e-13, x, &report));
  CHECK(report.iterations == 0 && report.residual == 0 && x[0] == 0);
  free(x);
  la_case_free(&c);
  sup_linear_solver_destroy(&cg);
}

static void an_indefinite_matrix_is_refused(void) {
  sup_linear_solver *cg;
  sup_block_pattern  pattern = {0};
  int                size[2] = {1, 1}, pair[2] = {1, 0};
  double             bad_block[3] = {1, 0.5, -1}, bad_whole[3] = {1, 2, 1}, x[2] = {1, -1};
  OK(sup_linear_solver_create(&cg, SUP_BACKEND_CONJUGATE_GRADIENT, NULL));
  OK(sup_block_pattern_build(&pattern, 2, size, 1, pair));
  OK(sup_linear_solver_analyse(cg, &pattern, NULL));
  FAILS(sup_linear_solver_setup(cg, SUP_MATRIX(&pattern, bad_block)), SUP_E_NOT_SPD,
        "block column 1");
  CHECK(sup_linear_solver_failed_block(cg) == 1);
  OK(sup_linear_solver_setup(cg, SUP_MATRIX(&pattern, bad_whole)));
  FAILS(sup_linear_solver_solve(cg, 1e-8, x, NULL), SUP_E_NOT_SPD, "x^T A x = -");
  CHECK(x[0] == 1 && x[1] == -1); /* as it was */
  FAILS(sup_linear_solver_forward(cg, x), SUP_E_ARG, "solves whole systems only");
  sup_block_pattern_free(&pattern);
  sup_linear_solver_destroy(&cg);
}

SUITE_TESTS(conjugate_gradient, TEST(it_solves_random_matrices_to_the_tolerance),
            TEST(blocks_that_couple_nothing_take_one_iteration),
            TEST(an_indefinite_matrix_is_refused));
