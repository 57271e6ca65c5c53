/* Stiffness against reference solutions: cases F04 and F08 (cantilever), G01a (FinRay finger). */
#include "fem/material.h"
#include "fem_test.h"
#include "mesh/quadratic.h"

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

/* How many vertices an edge of a tetrahedron has, and what its dilatation is. */
typedef enum element { LINEAR, QUADRATIC, MEAN_DILATATION } element;

static sup_fem_body *element_body(sup_mesh *mesh, element kind, const sup_material_def *material) {
  test_random random = {1};
  if (kind != LINEAR) mesh = fem_test_quadratic(mesh, 0, &random);
  return fem_test_body(mesh, material, kind == MEAN_DILATATION ? SUP_FEM_MEAN_DILATATION : 0);
}

/* Tip deflection of the standard bar 0.1 x 0.01 x 0.01 m, 10 n x n x n bricks, under 0.005 N across. */
static double bar_tip(int n, sup_mesh_pattern pattern, element kind, double nu) {
  const double     size[3] = {0.1, 0.01, 0.01}, force[3] = {0, 0, -0.005};
  const int        cells[3] = {10 * n, n, n};
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 2.5e6, nu);
  sup_mesh        *mesh = NULL;
  OK(sup_mesh_box(&mesh, size, cells, pattern));
  sup_fem_body  *body = element_body(mesh, kind, &material);
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
      NEAR(bar_tip(n[k], SUP_PATTERN_KUHN, LINEAR, row[r].nu) / row[r].exact, row[r].ratio[k], 0, 0.01);
}

/* Mean displacement under 1 N across the front face of FinRay-S at heights 28 to 50 mm [m]. */
static double finger_compliance(const sup_finray *finray, element kind, double nu, int *num_vertices) {
  const double     force[3] = {1, 0, 0};
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 2.5e6, nu);
  sup_mesh        *mesh = NULL;
  OK(sup_mesh_finray(&mesh, finray));
  sup_fem_body  *body = element_body(mesh, kind, &material);
  unsigned char *base = select_slab(sup_fem_mesh(body), Y, 0, 0), *load = select_slab(sup_fem_mesh(body), X, 0, 0);
  unsigned char *band = select_slab(sup_fem_mesh(body), Y, 0.028, 0.050);
  *num_vertices = sup_fem_mesh(body)->num_vertices;
  for (int i = 0; i < *num_vertices; i++) load[i] = load[i] && band[i];
  double result = compliance(body, base, load, force);
  sup_fem_body_destroy(&body);
  SUP_FREE(base), SUP_FREE(load), SUP_FREE(band);
  return result;
}

static sup_finray hexahedral_finger(int inner_cells, int cavity_cells, int depth_cells) {
  sup_finray finray = sup_default_finray();
  finray.pattern = SUP_PATTERN_HEX;
  finray.inner_cells = inner_cells;
  finray.cavity_cells = cavity_cells;
  finray.depth_cells = depth_cells;
  return finray;
}

static void finger_of_tetrahedra_has_the_known_compliance(void) {
  sup_finray finray = sup_default_finray();
  int        num_vertices;
  finray.pattern = SUP_PATTERN_KUHN;
  NEAR(finger_compliance(&finray, LINEAR, 0.3, &num_vertices), 2.675e-3, 1e-3, 0);
  NEAR(finger_compliance(&finray, LINEAR, 0.49, &num_vertices), 2.034e-3, 1e-3, 0);
  CHECK(num_vertices == 660);
}

/* Shares of the extrapolated compliances 1.045e-2 (nu = 0.3) and 9.2e-3 m/N (nu = 0.49) of cases.md; THEORY 15.1. */
static void finger_of_hexahedra_is_near_its_converged_compliance(void) {
  int        num_vertices;
  sup_finray coarse = hexahedral_finger(3, 3, 4), fine = hexahedral_finger(8, 8, 2);
  NEAR(finger_compliance(&coarse, LINEAR, 0.3, &num_vertices) / 1.045e-2, 0.83, 0, 0.005);
  NEAR(finger_compliance(&coarse, LINEAR, 0.49, &num_vertices) / 9.2e-3, 0.83, 0, 0.005);
  CHECK(num_vertices == 660);
  NEAR(finger_compliance(&fine, LINEAR, 0.3, &num_vertices) / 1.045e-2, 0.91, 0, 0.005);
  NEAR(finger_compliance(&fine, LINEAR, 0.49, &num_vertices) / 9.2e-3, 0.91, 0, 0.005);
  CHECK(num_vertices == 966);
}

enum { GAUSS = 5, RULE = GAUSS * GAUSS * GAUSS };

/** Point q of the rule: barycentric coordinates; returns its weight, the sum of which is 1/6. */
static double folded_point(int q, double L[4]) {
  static const double at[GAUSS] = {-0.90617984593866399, -0.53846931010568309, 0, 0.53846931010568309,
                                   0.90617984593866399};
  static const double weight[GAUSS] = {0.23692688505618909, 0.47862867049936647, 0.56888888888888889,
                                       0.47862867049936647, 0.23692688505618909};
  int                 i = q / GAUSS / GAUSS, j = q / GAUSS % GAUSS, k = q % GAUSS;
  double              u = 0.5 * (1 + at[i]), v = 0.5 * (1 + at[j]), w = 0.5 * (1 + at[k]);
  L[1] = u, L[2] = (1 - u) * v, L[3] = (1 - u) * (1 - v) * w, L[0] = 1 - L[1] - L[2] - L[3];
  return 0.125 * weight[i] * weight[j] * weight[k] * (1 - u) * (1 - u) * (1 - v);
}

/** Displacement, its gradient and the body force -div sigma of case F12 at x. */
static void manufactured(sup_v3 x, const sup_lame *lame, double u[3], sup_m3 *gradient, double force[3]) {
  const double pi = acos(-1), c[3] = {0.1, 0.05, -0.075}, p[3] = {x.x, x.y, x.z};
  double       s[3], d[3], product, second[3][3], trace;
  for (int i = 0; i < 3; i++) s[i] = sin(pi * p[i]), d[i] = pi * cos(pi * p[i]);
  product = s[0] * s[1] * s[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) /* of the product of sines */
      second[i][j] = i == j ? -pi * pi * product : d[i] * d[j] * s[3 - i - j];
  trace = second[0][0] + second[1][1] + second[2][2];
  for (int i = 0; i < 3; i++) {
    double slope[3] = {d[0] * s[1] * s[2], s[0] * d[1] * s[2], s[0] * s[1] * d[2]};
    u[i] = c[i] * product;
    for (int j = 0; j < 3; j++) gradient->m[i][j] = c[i] * slope[j];
    force[i] = -lame->mu * c[i] * trace;
    for (int j = 0; j < 3; j++) force[i] -= (lame->lambda + lame->mu) * c[j] * second[i][j];
  }
}

/** What a cell adds: its body force to f (u NULL), or the squares of the errors of u. */
static void visit_cell(const sup_mesh *mesh, int cell, const sup_lame *lame, const double *u, double *f,
                       double error[2]) {
  const int *v = sup_mesh_cell(mesh, cell);
  double     rest[30];
  sup_m3     corner[SUP_T10_POINTS];
  for (int a = 0; a < 10; a++) sup_v3_store(rest + 3 * a, sup_mesh_vertex(mesh, v[a]));
  sup_t10_jacobians(rest, corner);
  for (int q = 0; q < RULE; q++) {
    double L[4], N[10], exact[3], force[3], share = folded_point(q, L);
    sup_v3 dN[10], x = {0, 0, 0};
    sup_m3 slope, J = sup_t10_jacobian(corner, L), inverse = sup_m3_inverse(J);
    share *= sup_m3_det(&J);
    sup_t10_shape(L, N);
    sup_t10_gradient(L, dN);
    for (int a = 0; a < 10; a++) x = sup_v3_madd(x, N[a], sup_v3_load(rest + 3 * a));
    manufactured(x, lame, exact, &slope, force);
    for (int a = 0; a < 10; a++)
      for (int i = 0; i < 3; i++) {
        if (!u) f[3 * v[a] + i] += share * N[a] * force[i];
        if (!u) continue;
        sup_v3 g = sup_m3_apply_t(inverse, dN[a]);
        exact[i] -= N[a] * u[3 * v[a] + i];
        slope.m[i][0] -= g.x * u[3 * v[a] + i], slope.m[i][1] -= g.y * u[3 * v[a] + i],
            slope.m[i][2] -= g.z * u[3 * v[a] + i];
      }
    if (!u) continue;
    for (int i = 0; i < 3; i++) {
      error[0] += share * exact[i] * exact[i];
      for (int j = 0; j < 3; j++) error[1] += share * slope.m[i][j] * slope.m[i][j];
    }
  }
}

static void manufactured_errors(int n, double *l2, double *h1) {
  const double     size[3] = {1, 1, 1};
  const int        cells[3] = {n, n, n};
  sup_lame         lame = sup_fem_lame(1, 0.3);
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1, 0.3);
  sup_mesh        *mesh = NULL;
  double           error[2] = {0, 0};
  OK(sup_mesh_box(&mesh, size, cells, SUP_PATTERN_KUHN));
  sup_fem_body   *body = element_body(mesh, QUADRATIC, &material);
  const sup_mesh *t10 = sup_fem_mesh(body);
  double         *f = fem_test_array(3 * (size_t)t10->num_vertices), *u = fem_test_array(3 * (size_t)t10->num_vertices);
  unsigned char  *held = NULL;
  OK(SUP_CALLOC(held, t10->num_vertices));
  for (int i = 0; i < t10->num_vertices; i++)
    for (int k = 0; k < 3; k++)
      if (t10->x[3 * i + k] < 1e-9 || t10->x[3 * i + k] > 1 - 1e-9) held[i] = 1;
  for (int c = 0; c < t10->num_cells; c++) visit_cell(t10, c, &lame, NULL, f, error);
  fem_test_statics(body, held, f, u);
  for (int c = 0; c < t10->num_cells; c++) visit_cell(t10, c, &lame, u, f, error);
  *l2 = sqrt(error[0]), *h1 = sqrt(error[1]);
  sup_fem_body_destroy(&body);
  SUP_FREE(f), SUP_FREE(u), SUP_FREE(held);
}

/* One cell through walls and ribs, 2 over the depth: shares of the same compliances, which bricks of 966 vertices reach
 * to 91 %. */
static void finger_of_quadratic_tetrahedra_is_near_its_converged_compliance(void) {
  const double nu[2] = {0.3, 0.49}, converged[2] = {1.045e-2, 9.2e-3}, share[2][2] = {{0.848, 1.011}, {0.700, 1.125}};
  for (int r = 0; r < 2; r++)
    for (int k = 0; k < 2; k++) {
      sup_finray finray = hexahedral_finger(3, 3, 2);
      int        num_vertices;
      finray.pattern = SUP_PATTERN_MIRROR;
      double found = finger_compliance(&finray, k ? MEAN_DILATATION : QUADRATIC, nu[r], &num_vertices) / converged[r];
      printf("nu %g: %.4f (%d vertices) ", nu[r], found, num_vertices);
      NEAR(found, share[r][k], 0, 0.005);
    }
}

/* Case F12: u = 0.1 sin(pi x) sin(pi y) sin(pi z) (1, 0.5, -0.75) on the unit cube, held on its faces, E = 1, nu = 0.3;
 * errors of the displacement in L2 and of its gradient by a rule of its own (Gauss points of the folded cube). */
static void manufactured_solution_converges(void) {
  double l2[2], h1[2];
  for (int k = 0; k < 2; k++) manufactured_errors(k ? 8 : 4, &l2[k], &h1[k]);
  printf("L2 %.4g, %.4g, order %.2f; H1 %.4g, %.4g, order %.2f ", l2[0], l2[1], log2(l2[0] / l2[1]), h1[0], h1[1],
         log2(h1[0] / h1[1]));
  CHECK(log2(l2[0] / l2[1]) > 2.8);
  CHECK(log2(h1[0] / h1[1]) > 1.9);
}

/* One element through the thickness, where tetrahedra reach 22 % (nu = 0.3) and 4 % (0.49) of the true deflection; what
 * remains is the clamped root, and refinement takes it away. */
static void hexahedra_bend_without_locking(void) {
  const struct {
    double nu, exact, largest_error[3];
  } row[] = {{0, 8.0481e-4, {0.01, 0.005, 0.002}},
             {0.3, 8.0055e-4, {0.01, 0.01, 0.005}},
             {0.49, 7.905e-4, {0.06, 0.04, 0.02}},
             {0.499, 7.898e-4, {0.15, 0.08, 0.05}}};
  const int n[3] = {1, 2, 4};
  for (int r = 0; r < 4; r++)
    for (int k = 0; k < 3; k++)
      NEAR(bar_tip(n[k], SUP_PATTERN_HEX, LINEAR, row[r].nu) / row[r].exact, 1, 0, row[r].largest_error[k]);
}

/* C3D10 of CalculiX on the same meshes. */
static void quadratic_tetrahedra_equal_those_of_calculix(void) {
  const struct {
    double nu, exact, ratio[3];
  } row[] = {{0.3, 8.0055e-4, {0.9826, 0.9959, 0.9990}}, {0.49, 7.905e-4, {0.9011, 0.9734, 0.9930}}};
  const int n[3] = {1, 2, 4};
  for (int r = 0; r < 2; r++)
    for (int k = 0; k < 3; k++)
      NEAR(bar_tip(n[k], SUP_PATTERN_KUHN, QUADRATIC, row[r].nu) / row[r].exact, row[r].ratio[k], 0, 1e-4);
}

/* F08: with four elements through the thickness, where linear tetrahedra reach 29 % and 5 %. */
static void mean_dilatation_does_not_lock(void) {
  const double nu[2] = {0.49, 0.499}, exact[2] = {7.905e-4, 7.898e-4};
  for (int r = 0; r < 2; r++) {
    double ratio = bar_tip(4, SUP_PATTERN_KUHN, MEAN_DILATATION, nu[r]) / exact[r];
    printf("nu %g: %.4f ", nu[r], ratio);
    NEAR(ratio, 1, 0, 0.01);
  }
}

SUITE_TESTS(stiffness, TEST(quadratic_tetrahedra_equal_those_of_calculix), TEST(mean_dilatation_does_not_lock),
            TEST(manufactured_solution_converges),
            TEST(finger_of_quadratic_tetrahedra_is_near_its_converged_compliance),
            TEST(tetrahedra_reach_the_known_share_of_a_cantilever), TEST(hexahedra_bend_without_locking),
            TEST(finger_of_tetrahedra_has_the_known_compliance),
            TEST(finger_of_hexahedra_is_near_its_converged_compliance));
