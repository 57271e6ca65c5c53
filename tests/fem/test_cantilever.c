/* Stiffness against reference solutions: cases F04 and F08 (cantilever), G01a (FinRay finger). */
#include "fem_test.h"

enum { X = 0, Y = 1, Z = 2 };

/* Vertices whose coordinate `axis` lies in [low, high], all else 0. */
static unsigned char *select_slab(const sup_mesh *mesh, int axis, double low, double high) {
  unsigned char *selected = NULL;
  OK(SUP_CALLOC(selected, mesh->num_vertices));
  for (int i = 0; i < mesh->num_vertices; i++)
    selected[i] = mesh->x[3 * i + axis] >= low - 1e-9 && mesh->x[3 * i + axis] <= high + 1e-9;
  return selected;
}

/* Work of the force over its size: displacement under the load, weighted by it. */
static double compliance(const sup_fem_body *body, const unsigned char *clamped, const unsigned char *loaded,
                         const double force[3]) {
  size_t  size = 3 * (size_t)sup_fem_mesh(body)->num_vertices;
  double *f = fem_test_array(size), *u = fem_test_array(size), work = 0;
  OK(sup_fem_traction(body, loaded, force, f));
  fem_test_statics(body, clamped, f, u);
  for (size_t i = 0; i < size; i++) work += f[i] * u[i];
  SUP_FREE(f), SUP_FREE(u);
  return work / sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
}

/* Tip deflection of the standard bar 0.1 x 0.01 x 0.01 m, 10 n x n x n bricks, under 0.005 N across. */
static double bar_tip(int n, sup_mesh_pattern pattern, double nu) {
  const double     size[3] = {0.1, 0.01, 0.01}, force[3] = {0, 0, -0.005};
  const int        cells[3] = {10 * n, n, n};
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 2.5e6, nu);
  sup_mesh        *mesh = NULL;
  OK(sup_mesh_box(&mesh, size, cells, pattern));
  sup_fem_body  *body = fem_test_body(mesh, &material, 1);
  unsigned char *root = select_slab(sup_fem_mesh(body), X, 0, 0), *tip = select_slab(sup_fem_mesh(body), X, 0.1, 0.1);
  double         result = compliance(body, root, tip, force);
  sup_fem_body_destroy(&body);
  SUP_FREE(root), SUP_FREE(tip);
  return result;
}

static void tetrahedra_reach_the_known_share_of_a_cantilever(void) {
  const struct {
    double nu, exact, ratio[3];
  } row[] = {{0.3, 8.0055e-4, {0.2209, 0.5073, 0.7927}},
             {0, 8.0481e-4, {0.2438, 0.5496, 0.8243}},
             {0.49, 7.905e-4, {0.0366, 0.1064, 0.2937}}};
  const int n[3] = {1, 2, 4};
  for (int r = 0; r < 3; r++)
    for (int k = 0; k < 3; k++)
      NEAR(bar_tip(n[k], SUP_PATTERN_KUHN, row[r].nu) / row[r].exact, row[r].ratio[k], 0, 0.01);
}

SUITE_TESTS(cantilever, TEST(tetrahedra_reach_the_known_share_of_a_cantilever));
