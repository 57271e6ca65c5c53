/* Stiffness without its matrix (fem/cell_operator.c), and solutions by it. */
#include "fem/cell_operator.h"

#include "fem_test.h"

/** A bar of distorted cells, 2:1:1. */
static sup_mesh *bar(int n, sup_cell_type type) {
  const double size[3] = {2, 1, 1};
  test_random  random = {3};
  sup_mesh    *mesh = NULL, *t10 = NULL;
  OK(sup_mesh_box(&mesh, size, (int[3]){2 * n, n, n},
                  type == SUP_CELL_H8 ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN));
  for (int i = 0; i < mesh->num_vertices; i++) {
    double *x = mesh->x + 3 * i;
    if (x[0] > 1e-9) /* the clamped side stays where it is */
      for (int k = 0; k < 3; k++) x[k] += 0.1 / n * test_uniform(&random);
  }
  if (type == SUP_CELL_H8) return mesh;
  OK(sup_mesh_to_t10(&t10, mesh));
  sup_mesh_destroy(&mesh);
  return t10;
}

typedef struct system {
  sup_fem_body *body;
  sup_m3       *R;
  double       *K, *x, *y;
  int           n;
} system_;

static system_ begin(int n, sup_cell_type type) {
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 1e5, 0.3);
  system_          s = {.body = fem_test_body(bar(n, type), &material, 0)};
  test_random      random = {5};
  const double    *X = sup_fem_mesh(s.body)->x;
  s.n = 3 * sup_fem_mesh(s.body)->num_vertices;
  s.x = fem_test_array((size_t)s.n), s.y = fem_test_array((size_t)s.n);
  for (int i = 0; i < s.n; i++) s.x[i] = X[i] + 0.02 / n * test_uniform(&random);
  s.R = fem_test_rotations(s.body, s.x);
  s.K = fem_test_array(sup_block_pattern_num_values(sup_fem_pattern(s.body)));
  sup_fem_stiffness(s.body, s.R, s.x, s.K);
  for (int i = 0; i < s.n; i++) s.x[i] = test_uniform(&random);
  return s;
}

static void end(system_ *s) {
  sup_fem_body_destroy(&s->body);
  SUP_FREE(s->R), SUP_FREE(s->K), SUP_FREE(s->x), SUP_FREE(s->y);
}

static double largest(const double *a, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

static void products_are_those_of_the_matrix(void) {
  for (int type = 0; type < 2; type++) {
    system_ s = begin(4, type ? SUP_CELL_T10 : SUP_CELL_H8);
    double *z = fem_test_array((size_t)s.n);
    CHECK(sup_fem_has_cell_stiffness(s.body));
    sup_block_multiply(sup_fem_pattern(s.body), s.K, s.x, z);
    sup_fem_apply_stiffness(s.body, s.R, 0.5, s.x, s.y);
    double most = largest(z, s.n);
    for (int i = 0; i < s.n; i++) NEAR(s.y[i], 0.5 * z[i], 0, 1e-13 * most);
    SUP_FREE(z);
    end(&s);
  }
}

typedef struct sum {
  const sup_block_pattern *P;
  double                  *values;
} sum;

static void add(void *user, int n, const int *block, const double *K) {
  sum *s = user;
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      if (block[b] > block[a]) continue;
      double *to =
          s->values + sup_block_value(s->P, sup_block_pattern_find(s->P, block[a], block[b]));
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) to[3 * j + i] += K[(3 * a + i) * 3 * n + 3 * b + j];
    }
}

static void cells_add_up_to_the_matrix(void) {
  for (int type = 0; type < 2; type++) {
    system_                  s = begin(3, type ? SUP_CELL_T10 : SUP_CELL_H8);
    const sup_block_pattern *P = sup_fem_pattern(s.body);
    int                      num = (int)sup_block_pattern_num_values(P);
    sum                      all = {P, fem_test_array((size_t)num)};
    sup_fem_visit_stiffness(s.body, s.R, 1, add, &all);
    double most = largest(s.K, num);
    for (int i = 0; i < num; i++) NEAR(all.values[i], s.K[i], 0, 1e-13 * most);
    SUP_FREE(all.values);
    end(&s);
  }
}

/* ---- solutions ------------------------------------------------------------------------------- */

static int is_held(const system_ *s, int v) { return sup_fem_mesh(s->body)->x[3 * v] < 1e-9; }

static const double firm = 1e8;

static void apply(const sup_linear_operator *op, const double *x, double *y) {
  const system_ *s = op->self;
  sup_fem_apply_stiffness(s->body, s->R, 1, x, y);
  for (int i = 0; i < s->n; i++)
    if (is_held(s, i / 3)) y[i] += firm * x[i];
}

static void diagonal(const sup_linear_operator *op, double *d) {
  const system_           *s = op->self;
  const sup_block_pattern *P = sup_fem_pattern(s->body);
  for (int v = 0; v < P->num_blocks; v++)
    for (int i = 0; i < 3; i++)
      d[3 * v + i] = s->K[sup_block_diagonal(P, v) + (size_t)(4 * i)] + (is_held(s, v) ? firm : 0);
}

static void cliques(const sup_linear_operator *op, sup_clique_visitor *visit, void *user) {
  const system_ *s = op->self;
  sup_fem_visit_stiffness(s->body, s->R, 1, visit, user);
}

/** Iterations of a solution to 1e-9, which is compared with that of the matrix by a factor. */
static int solve(int n, sup_cell_type type) {
  system_                  s = begin(n, type);
  const sup_block_pattern *P = sup_fem_pattern(s.body);
  sup_block_pattern        alone = {0};
  sup_linear_solver       *direct = NULL, *petsc = NULL;
  sup_linear_report        report = {0};
  int                     *whose = NULL, *size = NULL;
  OK(SUP_CALLOC(whose, P->num_blocks));
  OK(SUP_CALLOC(size, P->num_blocks));
  for (int v = 0; v < P->num_blocks; v++) size[v] = 3, whose[v] = is_held(&s, v) ? SUP_NONE : 0;
  OK(sup_block_pattern_build(&alone, P->num_blocks, size, 0, NULL));
  sup_block_space     space = {sup_fem_mesh(s.body)->x, whose, 1,
                           type == SUP_CELL_T10 ? 0.5 / n : 1. / n};
  sup_linear_operator op = {.pattern = &alone,
                            .space = &space,
                            .apply = apply,
                            .diagonal = diagonal,
                            .cliques = cliques,
                            .self = &s};
  OK(sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC, NULL));
  OK(sup_linear_solver_analyse(petsc, &alone, NULL));
  OK(sup_linear_solver_setup(petsc, &op));
  memcpy(s.y, s.x, (size_t)s.n * sizeof *s.y);
  OK(sup_linear_solver_solve(petsc, 1e-9, s.y, &report));
  CHECK(!report.is_missed && report.residual <= 1.1e-9);
  for (int v = 0; v < P->num_blocks; v++)
    for (int i = 0; i < 3 && is_held(&s, v); i++)
      s.K[sup_block_diagonal(P, v) + (size_t)(4 * i)] += firm;
  OK(sup_linear_solver_create(&direct, SUP_BACKEND_SUPERNODAL, NULL));
  OK(sup_linear_solver_analyse(direct, P, NULL));
  OK(sup_linear_solver_setup(direct, SUP_MATRIX(P, s.K)));
  OK(sup_linear_solver_solve(direct, 0, s.x, NULL));
  double most = largest(s.x, s.n);
  for (int i = 0; i < s.n; i++) NEAR(s.y[i], s.x[i], 0, 1e-6 * most);
  sup_linear_solver_destroy(&petsc), sup_linear_solver_destroy(&direct);
  sup_block_pattern_free(&alone);
  SUP_FREE(whose), SUP_FREE(size);
  end(&s);
  return report.iterations;
}

static void solutions_are_those_of_the_matrix(void) {
  sup_linear_solver *petsc = NULL;
  int                has = sup_linear_solver_create(&petsc, SUP_BACKEND_PETSC, NULL) == SUP_OK;
  sup_linear_solver_destroy(&petsc);
  if (!has) {
    printf("no plug-in ... ");
    test_count_skip();
    return;
  }
  int coarse = solve(6, SUP_CELL_H8), fine = solve(12, SUP_CELL_H8),
      coarse10 = solve(3, SUP_CELL_T10), fine10 = solve(6, SUP_CELL_T10);
  printf("iterations of H8 %d, %d, of T10 %d, %d ... ", coarse, fine, coarse10, fine10);
  CHECK(fine <= 1.5 * coarse && fine10 <= 1.5 * coarse10);
  CHECK(fine < 40 && fine10 < 50);
}

SUITE_TESTS(cell_operator, TEST(products_are_those_of_the_matrix), TEST(cells_add_up_to_the_matrix),
            TEST(solutions_are_those_of_the_matrix));
