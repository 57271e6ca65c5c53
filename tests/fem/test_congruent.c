/* Congruent cells share their stiffness (fem/congruent.c). */
#include "fem/body_parts.h"
#include "fem_test.h"

enum { SMALL = 6, LARGE = 17 };
static const double side = 0.013;

/** Bricks of one size, n in each direction, or six T10 in each. */
static sup_mesh *grid(int n, sup_cell_type type) {
  const double size[3] = {n * side, n * 1.1 * side, n * 0.9 * side};
  sup_mesh    *mesh = NULL, *quadratic = NULL;
  OK(sup_mesh_box(&mesh, size, (int[3]){n, n, n},
                  type == SUP_CELL_H8 ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN));
  if (type != SUP_CELL_T10) return mesh;
  OK(sup_mesh_to_t10(&quadratic, mesh));
  sup_mesh_destroy(&mesh);
  return quadratic;
}

static double *stiffness_of(const sup_fem_body *body) {
  double *K = fem_test_array(sup_block_pattern_num_values(sup_fem_pattern(body)));
  sup_m3 *R = fem_test_rotations(body, sup_fem_mesh(body)->x);
  sup_fem_stiffness(body, R, sup_fem_mesh(body)->x, K);
  SUP_FREE(R);
  return K;
}

static int number(int n, int i, int j, int k) { return (i * (n + 1) + j) * (n + 1) + k; }

/** Largest difference of the columns of vertex a in A and b in B, over the largest number there. */
static double difference(const sup_fem_body *A, const double *KA, int a, const sup_fem_body *B,
                         const double *KB, int b) {
  const sup_block_pattern *P = sup_fem_pattern(A), *Q = sup_fem_pattern(B);
  size_t                   n = sup_block_value(P, sup_block_column(P, a + 1)), at, to;
  double                   most = 0, worst = 0;
  at = sup_block_value(P, sup_block_column(P, a)), to = sup_block_value(Q, sup_block_column(Q, b));
  CHECK(n - at == sup_block_value(Q, sup_block_column(Q, b + 1)) - to);
  for (; at < n; at++, to++) {
    worst = fmax(worst, fabs(KA[at] - KB[to]));
    most = fmax(most, fabs(KB[to]));
  }
  return worst / most;
}

static void bricks_have_the_stiffness_of_their_own(void) {
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 1e6, 0.3);
  sup_fem_body    *small = fem_test_body(grid(SMALL, SUP_CELL_H8), &material, 0),
               *large = fem_test_body(grid(LARGE, SUP_CELL_H8), &material, 0);
  double *Ks = stiffness_of(small), *Kl = stiffness_of(large), worst = 0;
  CHECK(small->num_lanes == sup_fem_num_batches(small));
  CHECK(large->num_lanes <= 2); /* the last batch is not full */
  for (int i = 1; i < LARGE; i++)
    for (int j = 1; j < LARGE; j++)
      for (int k = 1; k < LARGE; k++)
        worst = fmax(worst, difference(large, Kl, number(LARGE, i, j, k), small, Ks,
                                       number(SMALL, SMALL / 2, SMALL / 2, SMALL / 2)));
  CHECK(worst < 1e-12);
  NEAR(sup_fem_mass(large), 1000 * pow(LARGE * side, 3) * 0.99, 1e-12, 0);
  SUP_FREE(Ks), SUP_FREE(Kl);
  sup_fem_body_destroy(&small), sup_fem_body_destroy(&large);
}

/** Energy of a bend of T10, whose shared stiffness is that of cells by themselves: at a place that
 * differs by 1e-9 of a cell, where nothing is shared. */
static void quadratic_tetrahedra_share_by_batches(void) {
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1e6, 0.3);
  sup_mesh        *mesh = grid(10, SUP_CELL_T10), *moved = grid(10, SUP_CELL_T10);
  test_random      random = {7};
  for (int i = 0; i < 3 * moved->num_vertices; i++)
    moved->x[i] += 1e-9 * side * test_uniform(&random);
  sup_fem_body *shared = fem_test_body(mesh, &material, 0),
               *own = fem_test_body(moved, &material, 0);
  printf("%d of %d batches differ; ", shared->num_lanes, sup_fem_num_batches(shared));
  CHECK(shared->num_lanes <= 4);
  CHECK(own->num_lanes == sup_fem_num_batches(own));
  double *Ks = stiffness_of(shared), *Ko = stiffness_of(own), worst = 0;
  for (int v = 0; v < sup_fem_mesh(shared)->num_vertices; v++)
    worst = fmax(worst, difference(shared, Ks, v, own, Ko, v));
  CHECK(worst < 1e-7);
  SUP_FREE(Ks), SUP_FREE(Ko);
  sup_fem_body_destroy(&shared), sup_fem_body_destroy(&own);
}

/** Cells of two materials that alternate, and no others, share. */
static void materials_keep_apart(void) {
  sup_material_def material[2] = {fem_test_material(SUP_MATERIAL_LINEAR, 1e6, 0.3),
                                  fem_test_material(SUP_MATERIAL_LINEAR, 2e6, 0.2)};
  sup_mesh        *mesh = grid(LARGE, SUP_CELL_H8);
  int              part[LARGE * LARGE * LARGE];
  sup_fem_body    *body = NULL;
  for (int c = 0; c < mesh->num_cells; c++) part[c] = c / 8 % 2;
  OK(sup_fem_body_create_parts(&body, mesh, 2, material, part, 0));
  CHECK(body->num_lanes <= 3);
  CHECK(body->lanes_of[0] == body->lanes_of[2] && body->lanes_of[0] != body->lanes_of[1]);
  double *K = body->stiffness;
  CHECK(K[0] > 0 && K[0] < K[SUP_BATCH * (size_t)body->element->stiffness_size]);
  sup_mesh_destroy(&mesh);
  sup_fem_body_destroy(&body);
}

SUITE_TESTS(congruent, TEST(bricks_have_the_stiffness_of_their_own),
            TEST(quadratic_tetrahedra_share_by_batches), TEST(materials_keep_apart));
