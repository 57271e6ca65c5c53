/* PETSc as a linear solver against our own factor.  Where the plug-in was not built all is
 * skipped. */
#include <unistd.h>

#include "fem_test.h"
#include "la_case.h"

#define ITERATE "-ksp_type cg -ksp_norm_type unpreconditioned -pc_type gamg"

static double *random_vector(int n, uint64_t seed) {
  double     *x = calloc((size_t)n + 1, sizeof *x);
  test_random random = {seed};
  for (int i = 0; i < n; i++) x[i] = test_uniform(&random);
  return x;
}

/** Largest difference of x from the solution of our own factor, over its largest number. */
static double difference_from_factor(const la_case *c, const double *x, const double *b) {
  sup_linear_solver *direct;
  int                n = c->pattern.num_scalars;
  double            *y = calloc((size_t)n + 1, sizeof *y), difference = 0, size = 0;
  memcpy(y, b, (size_t)n * sizeof *y);
  OK(sup_linear_solver_create(&direct, SUP_BACKEND_SUPERNODAL, NULL));
  OK(sup_linear_solver_analyse(direct, &c->pattern, NULL));
  OK(sup_linear_solver_setup(direct, SUP_MATRIX(&c->pattern, c->values)));
  OK(sup_linear_solver_solve(direct, 0, y, NULL));
  for (int i = 0; i < n; i++)
    difference = fmax(difference, fabs(x[i] - y[i])), size = fmax(size, fabs(y[i]));
  free(y);
  sup_linear_solver_destroy(&direct);
  return difference / size;
}

/* Blocks of 1 to 12 scalars, which PETSc sees as blocks of 3. */
static void it_solves_random_matrices(const char *options) {
  sup_linear_solver *petsc;
  la_case            c = {0};
  OK(sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC, options));
  for (int round = 0; round < 20; round++) {
    sup_linear_report report;
    la_case_random(&c, 1 + round * 7, round % 3 ? 3 : 12, 6, (uint64_t)round + 1);
    int     n = c.pattern.num_scalars;
    double *b = random_vector(n, 5), *x = random_vector(n, 5);
    OK(sup_linear_solver_analyse(petsc, &c.pattern, NULL));
    for (int again = 0; again < 2; again++) { /* the second setup keeps the analysis */
      OK(sup_linear_solver_setup(petsc, SUP_MATRIX(&c.pattern, c.values)));
      memcpy(x, b, (size_t)n * sizeof *x);
      OK(sup_linear_solver_solve(petsc, 1e-12, x, &report));
      CHECK(report.residual <= 2e-12 && strstr(report.reason, "CONVERGED") != NULL);
      NEAR(difference_from_factor(&c, x, b), 0, 0, 1e-9);
      for (size_t k = 0; k < sup_block_pattern_num_values(&c.pattern); k++) c.values[k] *= 1.25;
    }
    free(x), free(b);
  }
  la_case_free(&c);
  sup_linear_solver_destroy(&petsc);
}

static void mumps_solves_random_matrices(void) {
  NEED_PETSC;
  it_solves_random_matrices(NULL);
}

static void multigrid_solves_random_matrices(void) {
  NEED_PETSC;
  it_solves_random_matrices(ITERATE);
}

static void a_matrix_type_that_the_user_asks_for_is_taken(void) {
  NEED_PETSC;
  it_solves_random_matrices("-mat_type sbaij -pc_type icc -ksp_type cg");
}

/** C = sum of `num` products of columns, as a matrix beside A. */
typedef struct beside {
  int           num, n;
  const double *column, *row; /* [num x n] */
  double        scale;
} beside;

static void add_beside(const void *self, const double *x, double *y) {
  const beside *c = self;
  for (int k = 0; k < c->num; k++) {
    double sum = 0;
    for (int i = 0; i < c->n; i++) sum += c->row[k * c->n + i] * x[i];
    for (int i = 0; i < c->n; i++) y[i] += c->scale * sum * c->column[k * c->n + i];
  }
}

/** (A + C) x = b, of columns of any number. */
static void check_beside(sup_linear_solver *petsc, const la_case *c, const beside *C,
                         const double *b) {
  int                       n = c->pattern.num_scalars, is_negative;
  double                   *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
  const sup_linear_addition addition = {add_beside, C};
  sup_linear_report         report;
  memcpy(x, b, (size_t)n * sizeof *x);
  OK(sup_linear_solver_solve_added(petsc, &addition, 1e-12, x, &report, &is_negative));
  sup_block_multiply(&c->pattern, c->values, x, y);
  add_beside(C, x, y);
  CHECK(!report.is_missed && report.iterations > 0);
  for (int i = 0; i < n; i++) NEAR(y[i], b[i], 1e-8, 1e-8);
  free(x), free(y);
}

/** det(I + scale A^-1 column row^T) = 1 + scale row . A^-1 column: its sign is told. */
static void check_sign(sup_linear_solver *petsc, const la_case *c, const double *column,
                       const double *row, const double *b) {
  int     n = c->pattern.num_scalars, is_negative;
  double *x = calloc((size_t)n, sizeof *x), along = 0;
  memcpy(x, column, (size_t)n * sizeof *x);
  OK(sup_linear_solver_solve(petsc, 1e-12, x, NULL));
  for (int i = 0; i < n; i++) along += row[i] * x[i];
  for (int k = -3; k <= 3; k += 2) {
    const beside              C = {1, n, column, row, k / along};
    const sup_linear_addition addition = {add_beside, &C};
    sup_linear_report         report;
    memcpy(x, b, (size_t)n * sizeof *x);
    if (k == -1) continue; /* singular */
    OK(sup_linear_solver_solve_added(petsc, &addition, 1e-12, x, &report, &is_negative));
    CHECK(is_negative == (1 + k < 0));
  }
  free(x);
}

static void a_matrix_that_is_not_symmetric_beside_it_is_solved_with(void) {
  NEED_PETSC;
  static const char *const options[] = {NULL, ITERATE};
  enum { NUM = 4 };
  for (int k = 0; k < 2; k++) {
    sup_linear_solver *petsc;
    la_case            c = {0};
    la_case_random(&c, 60, 3, 6, 11);
    int     n = c.pattern.num_scalars;
    double *b = random_vector(n, 5), *column = random_vector(NUM * n, 6),
           *row = random_vector(NUM * n, 7);
    OK(sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC, options[k]));
    CHECK(sup_linear_solver_can_add(petsc));
    OK(sup_linear_solver_analyse(petsc, &c.pattern, NULL));
    OK(sup_linear_solver_setup(petsc, SUP_MATRIX(&c.pattern, c.values)));
    for (double scale = 1e-3; scale < 1e3; scale *= 10)
      check_beside(petsc, &c, &(beside){NUM, n, column, row, scale}, b);
    check_sign(petsc, &c, column, row, b);
    sup_linear_solver_destroy(&petsc);
    la_case_free(&c);
    free(b), free(column), free(row);
  }
}

static void a_matrix_that_is_not_positive_definite_is_refused(void) {
  NEED_PETSC;
  static const char *const options[] = {NULL, "-ksp_type cg -pc_type none"};
  sup_block_pattern        pattern = {0};
  int                      size[2] = {1, 1}, pair[2] = {1, 0};
  double                   bad_block[3] = {1, 0.5, -1}, bad_whole[3] = {1, 2, 1};
  OK(sup_block_pattern_build(&pattern, 2, size, 1, pair));
  for (int k = 0; k < 2; k++) {
    sup_linear_solver *petsc;
    double             x[2] = {1, -1};
    OK(sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC, options[k]));
    OK(sup_linear_solver_analyse(petsc, &pattern, NULL));
    FAILS(sup_linear_solver_setup(petsc, SUP_MATRIX(&pattern, bad_block)), SUP_E_NOT_SPD,
          "not positive");
    CHECK(sup_linear_solver_failed_block(petsc) == 1);
    sup_status status = sup_linear_solver_setup(petsc, SUP_MATRIX(&pattern, bad_whole));
    if (status == SUP_OK) status = sup_linear_solver_solve(petsc, 1e-8, x, NULL);
    CHECK(status == SUP_E_NOT_SPD);
    CHECK(x[0] == 1 && x[1] == -1); /* as it was */
    sup_linear_solver_destroy(&petsc);
  }
  sup_block_pattern_free(&pattern);
}

static void options_that_petsc_does_not_know_are_named(void) {
  NEED_PETSC;
  sup_linear_solver *petsc;
  la_case            c = {0};
  la_case_random(&c, 20, 3, 6, 3);
  double *x = random_vector(c.pattern.num_scalars, 5);
  OK(sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC, "-ksp_tpye cg"));
  OK(sup_linear_solver_analyse(petsc, &c.pattern, NULL));
  OK(sup_linear_solver_setup(petsc, SUP_MATRIX(&c.pattern, c.values)));
  FAILS(sup_linear_solver_solve(petsc, 1e-8, x, NULL), SUP_E_ARG, "-ksp_tpye");
  sup_linear_solver_destroy(&petsc);
  OK(sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC, "-ksp_type conjugate"));
  OK(sup_linear_solver_analyse(petsc, &c.pattern, NULL));
  FAILS(sup_linear_solver_setup(petsc, SUP_MATRIX(&c.pattern, c.values)), SUP_E_ARG, "conjugate");
  sup_linear_solver_destroy(&petsc);
  free(x);
  la_case_free(&c);
}

static void a_tolerance_that_is_missed_is_told(void) {
  NEED_PETSC;
  sup_linear_solver *petsc;
  la_case            c = {0};
  sup_linear_report  report;
  la_case_random(&c, 200, 3, 6, 3);
  double *x = random_vector(c.pattern.num_scalars, 5);
  OK(sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC,
                              "-ksp_type cg -pc_type none -ksp_max_it 2"));
  OK(sup_linear_solver_analyse(petsc, &c.pattern, NULL));
  OK(sup_linear_solver_setup(petsc, SUP_MATRIX(&c.pattern, c.values)));
  OK(sup_linear_solver_solve(petsc, 1e-10, x, &report));
  CHECK(report.residual > 1e-10 && report.iterations == 2);
  CHECK(strcmp(report.reason, "DIVERGED_ITS") == 0);
  free(x);
  la_case_free(&c);
  sup_linear_solver_destroy(&petsc);
}

typedef struct bar_case {
  int    n;           /* 4 n x n x n cells .. */
  int    is_plate;    /* .. or 6 n x 5 n x 1 */
  int    knows_space; /* PETSc is told what the block columns stand for .. */
  int    knows_zone;  /* .. and which of them contact stiffens */
  double contact;     /* stiffness of springs in random directions along the upper edges of a
                         quarter of the length, over that of the bar */
  const char *options;
  double      tolerance; /* 0: 1e-10 */
  double     *residual;  /* out, of the solution; NULL: not asked for */
} bar_case;

/** Springs between vertices that share a cell; marks those on which they act. */
static void add_springs(const sup_block_pattern *P, const double *x, double stiffness, double *K,
                        unsigned char *touched) {
  test_random random = {7};
  for (int j = 0; j < P->num_blocks; j++)
    touched[j] = stiffness > 0 && x[3 * j] > 3 - 1e-9 && x[3 * j + 2] > 1 - 1e-9;
  for (int j = 0; j < P->num_blocks; j++)
    for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++) {
      int i = sup_block_row(P, e);
      if (!touched[i] || !touched[j] || i == j) continue;
      double k = stiffness * pow(10, 2 * test_uniform(&random)), n[3];
      for (int a = 0; a < 3; a++) n[a] = test_uniform(&random);
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
          double value = k * n[a] * n[b];
          K[sup_block_value(P, e) + (size_t)(3 * a + b)] -= value;
          K[sup_block_diagonal(P, i) + (size_t)(3 * a + b)] += value;
          K[sup_block_diagonal(P, j) + (size_t)(3 * a + b)] += value;
        }
    }
}

/** Iterations for a bar that is held at one end. */
static int bar_iterations(const bar_case *c) {
  const double       length[3] = {4, 1, 1};
  const int          cells[3] = {(c->is_plate ? 6 : 4) * c->n, (c->is_plate ? 5 : 1) * c->n,
                        c->is_plate ? 1 : c->n};
  sup_material_def   material = fem_test_material(SUP_MATERIAL_LINEAR, 1e6, 0.3);
  sup_mesh          *mesh = NULL;
  sup_linear_solver *petsc;
  sup_linear_report  report;
  OK(sup_mesh_box(&mesh, length, cells, SUP_PATTERN_HEX));
  sup_fem_body            *body = fem_test_body(mesh, &material, 1);
  const sup_block_pattern *P = sup_fem_pattern(body);
  const sup_mesh          *of = sup_fem_mesh(body);
  sup_m3                  *R = fem_test_rotations(body, of->x);
  double                  *K = fem_test_array(sup_block_pattern_num_values(P)),
         *b = random_vector(P->num_scalars, 3);
  int           *whose = calloc((size_t)P->num_blocks, sizeof *whose);
  unsigned char *touched = calloc((size_t)P->num_blocks, sizeof *touched);
  sup_fem_stiffness(body, R, of->x, K);
  add_springs(P, of->x, 1e6 / c->n * c->contact, K, touched);
  for (int v = 0; v < P->num_blocks; v++)
    for (int i = 0; of->x[3 * v] < 1e-9 && i < 3; i++)
      K[sup_block_diagonal(P, v) + (size_t)(4 * i)] *= 1e6;
  sup_block_space     space = {of->x, whose, 1};
  sup_linear_operator A = {.pattern = P, .values = K, .space = c->knows_space ? &space : NULL};
  OK(sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC, c->options));
  OK(sup_linear_solver_analyse(petsc, P, c->knows_zone ? touched : NULL));
  OK(sup_linear_solver_setup(petsc, &A));
  double tolerance = c->tolerance > 0 ? c->tolerance : 1e-10;
  OK(sup_linear_solver_solve(petsc, tolerance, b, &report));
  CHECK(report.residual <= 2 * tolerance && !report.is_missed);
  if (c->residual) *c->residual = report.residual;
  sup_linear_solver_destroy(&petsc);
  sup_fem_body_destroy(&body);
  SUP_FREE(R), SUP_FREE(K);
  free(b), free(whose), free(touched);
  return report.iterations;
}

static void rigid_motions_keep_the_iterations_of_multigrid_low(void) {
  NEED_PETSC;
  enum { NUM = 3 };
  int with[NUM], without[NUM];
  for (int k = 0; k < NUM; k++) {
    bar_case c = {.n = 3 << k, .knows_space = 1, .options = ITERATE};
    with[k] = bar_iterations(&c);
    c.knows_space = 0;
    without[k] = bar_iterations(&c);
  }
  printf("iterations %d, %d, %d; without rigid motions %d, %d, %d ... ", with[0], with[1], with[2],
         without[0], without[1], without[2]);
  CHECK(with[2] <= 1.5 * with[0] && with[2] < 0.7 * without[2]);
}

/* The residual that the iteration leaves tells digits of the product: with another coarse matrix it
 * would differ.  Tiles of 3 x 6 and 6 x 6 with rigid motions, of 3 x 3 without. */
static void products_by_tiles_are_those_of_petsc(void) {
  NEED_PETSC;
  for (int k = 0; k < 2; k++) {
    double   ours, others;
    bar_case c = {.n = 6, .knows_space = k, .contact = 1, .tolerance = 1e-4, .options = ITERATE};
    c.residual = &ours;
    int iterations = bar_iterations(&c);
    c.options = ITERATE " -matptap_via scalable", c.residual = &others;
    CHECK(bar_iterations(&c) == iterations);
    NEAR(ours, others, 1e-9, 0);
  }
}

/* Estimated eigenvalues made the preconditioner indefinite here.  Without its zone the iteration is
 * slow, but it converges: report.is_missed. */
static void multigrid_is_positive_definite_and_quick_where_contact_stiffens(void) {
  NEED_PETSC;
  bar_case c = {.n = 6, .knows_space = 1, .knows_zone = 1, .options = ITERATE};
  int      free_of_contact = bar_iterations(&c);
  c.contact = 1e5;
  int with_zone = bar_iterations(&c);
  c.knows_zone = 0;
  int without = bar_iterations(&c);
  printf("iterations %d, in contact %d, in contact that it knows nothing of %d ... ",
         free_of_contact, with_zone, without);
  CHECK(with_zone <= 1.3 * free_of_contact && without > 3 * with_zone);
}

/* Three of its six rigid motions are none: coarse unknowns without a diagonal. */
static void an_aggregate_of_one_vertex_does_no_harm(void) {
  NEED_PETSC;
  bar_case c = {.n = 6, .knows_space = 1};
  c.options = ITERATE " -pc_gamg_aggressive_coarsening 0";
  int iterations = bar_iterations(&c);
  printf("%d iterations ... ", iterations);
  CHECK(iterations < 20);
}

/* Both have 51,000 unknowns: the plate's factor takes a tenth of the operations. */
static void a_thin_body_is_factored_where_a_thick_one_is_iterated(void) {
  NEED_PETSC;
  bar_case plate = {.n = 17, .is_plate = 1, .knows_space = 1, .options = ""},
           bar = {.n = 16, .knows_space = 1, .options = ""};
  CHECK(bar_iterations(&plate) == 1);
  CHECK(bar_iterations(&bar) > 5);
}

static void equal_systems_have_equal_bits(void) {
  NEED_PETSC;
  la_case c = {0};
  double *x[2];
  la_case_random(&c, 300, 3, 6, 3);
  for (int k = 0; k < 2; k++) {
    sup_linear_solver *petsc;
    x[k] = random_vector(c.pattern.num_scalars, 5);
    OK(sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC, ITERATE));
    OK(sup_linear_solver_analyse(petsc, &c.pattern, NULL));
    OK(sup_linear_solver_setup(petsc, SUP_MATRIX(&c.pattern, c.values)));
    OK(sup_linear_solver_solve(petsc, 1e-8, x[k], NULL));
    sup_linear_solver_destroy(&petsc);
  }
  CHECK(memcmp(x[0], x[1], (size_t)c.pattern.num_scalars * sizeof(double)) == 0);
  free(x[0]), free(x[1]);
  la_case_free(&c);
}

/** Resident size of this process [byte]; 0: not known. */
static double resident(void) {
  long  all = 0, in = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f) return 0;
  if (fscanf(f, "%ld %ld", &all, &in) != 2) in = 0;
  fclose(f);
  return (double)in * (double)sysconf(_SC_PAGESIZE);
}

/* SuperLU_DIST, which comes with PETSc, tells the allocator to keep what is freed. */
static void what_is_freed_goes_back_to_the_system(void) {
  enum { SIZE = 128 << 20 }; /* more than what other tests freed within the heap */
  NEED_PETSC;
#ifdef SUP_SANITIZED
  SKIP("sanitizers keep what is freed");
#endif
  if (resident() == 0) SKIP("no /proc");
  volatile char *large = malloc(SIZE);
  void          *behind = malloc(100);
  CHECK(large && behind);
  for (size_t k = 0; large && k < SIZE; k += 1024) large[k] = 1;
  double before = resident();
  free((void *)(uintptr_t)large);
  CHECK(before - resident() > 0.9 * SIZE);
  free(behind);
}

SUITE_TESTS(petsc, TEST(mumps_solves_random_matrices), TEST(multigrid_solves_random_matrices),
            TEST(a_matrix_type_that_the_user_asks_for_is_taken),
            TEST(a_matrix_that_is_not_symmetric_beside_it_is_solved_with),
            TEST(a_matrix_that_is_not_positive_definite_is_refused),
            TEST(options_that_petsc_does_not_know_are_named),
            TEST(a_tolerance_that_is_missed_is_told),
            TEST(rigid_motions_keep_the_iterations_of_multigrid_low),
            TEST(products_by_tiles_are_those_of_petsc),
            TEST(multigrid_is_positive_definite_and_quick_where_contact_stiffens),
            TEST(an_aggregate_of_one_vertex_does_no_harm),
            TEST(a_thin_body_is_factored_where_a_thick_one_is_iterated),
            TEST(equal_systems_have_equal_bits), TEST(what_is_freed_goes_back_to_the_system));
