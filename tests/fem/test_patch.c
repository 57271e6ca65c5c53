/* Case F01: the patch test, and what constant strain must look like in both cell types. */
#include "fem/material.h"
#include "fem_test.h"

static const double gradient[3][3] = {
    {1e-3, 0.4e-3, -0.2e-3}, {0.3e-3, -0.5e-3, 0.1e-3}, {-0.1e-3, 0.2e-3, 0.6e-3}};

enum { NUM_TYPES = 4 };
static const sup_cell_type types[NUM_TYPES] = {SUP_CELL_T4, SUP_CELL_H8, SUP_CELL_T10,
                                               SUP_CELL_T10};
static const int           forms[NUM_TYPES] = {0, 0, 0, SUP_FEM_MEAN_DILATATION};

static int on_boundary(const sup_mesh *mesh, int i) {
  const double *x = mesh->x + 3 * i, tiny = 1e-12;
  return x[0] < tiny || x[0] > 1 - tiny || x[1] < tiny || x[1] > 0.8 - tiny || x[2] < tiny ||
         x[2] > 0.6 - tiny;
}

/* u = H X at vertex i. */
static void linear_field(const sup_mesh *mesh, int i, double u[3]) {
  for (int k = 0; k < 3; k++) {
    u[k] = 0;
    for (int l = 0; l < 3; l++) u[k] += gradient[k][l] * mesh->x[3 * i + l];
  }
}

static void check_listed_stress(const double *cauchy, double energy_density) {
  const double sigma[9] = {
      3509.615384615385, 673.076923076923,  -288.461538461538, 673.076923076923, 625,
      288.461538461538,  -288.461538461538, 288.461538461538,  2740.384615384615};
  for (int k = 0; k < 9; k++) NEAR(cauchy[k], sigma[k], 0, 1e-9 * sigma[0]);
  NEAR(energy_density, 2.742788461538, 1e-9, 0);
}

static void linear_displacements_of_the_boundary_reach_the_inside(void) {
  for (int t = 0; t < NUM_TYPES; t++) {
    sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 2.5e6, 0.3);
    sup_fem_body    *body =
        fem_test_body(fem_test_irregular_box(types[t], 31), &material, 1 | forms[t]);
    const sup_mesh *mesh = sup_fem_mesh(body);
    size_t          n = (size_t)mesh->num_vertices, cells = (size_t)mesh->num_cells;
    double *u = fem_test_array(3 * n), *f = fem_test_array(3 * n), *x = fem_test_array(3 * n);
    double *cauchy = fem_test_array(9 * cells), *energy = fem_test_array(cells);
    unsigned char *held = NULL;
    OK(SUP_CALLOC(held, n));
    for (int i = 0; i < mesh->num_vertices; i++)
      if (on_boundary(mesh, i)) held[i] = 1, linear_field(mesh, i, u + 3 * i);
    fem_test_statics(body, held, f, u);
    for (int i = 0; i < mesh->num_vertices; i++) {
      double exact[3];
      linear_field(mesh, i, exact);
      for (int k = 0; k < 3; k++) {
        NEAR(u[3 * i + k], exact[k], 0, 1e-12 * 1e-3);
        x[3 * i + k] = mesh->x[3 * i + k] + u[3 * i + k];
      }
    }
    sup_fem_stress stress = {.cauchy = cauchy, .energy_density = energy};
    sup_fem_stress_at(body, x, NULL, &stress);
    for (size_t c = 0; c < cells; c++) check_listed_stress(cauchy + 9 * c, energy[c]);
    sup_fem_body_destroy(&body);
    SUP_FREE(u), SUP_FREE(f), SUP_FREE(x), SUP_FREE(cauchy), SUP_FREE(energy), SUP_FREE(held);
  }
}

/* A large homogeneous deformation: no force inside, one stress in every cell, that of the material
 * law, in both types.
 */
static void homogeneous_deformation_has_one_stress_everywhere(void) {
  const sup_m3 F = {{{1.2, 0.3, -0.1}, {-0.2, 0.9, 0.15}, {0.1, -0.25, 1.1}}};
  for (int t = 0; t < NUM_TYPES; t++) {
    sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 2.5e6, 0.3);
    sup_lame         lame = sup_fem_lame(2.5e6, 0.3);
    sup_fem_body    *body =
        fem_test_body(fem_test_irregular_box(types[t], 32), &material, 1 | forms[t]);
    const sup_mesh *mesh = sup_fem_mesh(body);
    size_t          n = (size_t)mesh->num_vertices, cells = (size_t)mesh->num_cells;
    double         *x = fem_test_array(3 * n), *f = fem_test_array(3 * n),
           *cauchy = fem_test_array(9 * cells);
    double *energy = fem_test_array(cells), *ratio = fem_test_array(cells),
           *mises = fem_test_array(cells);
    for (int i = 0; i < mesh->num_vertices; i++) {
      sup_v3 moved = sup_v3_add(sup_m3_apply(F, sup_mesh_vertex(mesh, i)), sup_v3_make(0.3, -2, 5));
      sup_v3_store(x + 3 * i, moved);
    }
    sup_m3 P, sigma, *R = fem_test_rotations(body, x);
    double psi = sup_fem_corotational(&lame, &F, &P);
    sigma = sup_fem_cauchy(SUP_MATERIAL_LINEAR_COROTATIONAL, &P, &F);
    sup_fem_elastic_force(body, R, x, f);
    for (int i = 0; i < mesh->num_vertices; i++)
      for (int k = 0; k < 3; k++)
        if (!on_boundary(mesh, i)) NEAR(f[3 * i + k], 0, 0, 1e-9 * 2.5e6);
    sup_fem_stress stress = {cauchy, mises, energy, ratio};
    sup_fem_stress_at(body, x, NULL, &stress);
    for (size_t c = 0; c < cells; c++) {
      NEAR(energy[c], psi, 1e-9, 0);
      NEAR(ratio[c], sup_m3_det(&F), 1e-12, 0);
      NEAR(mises[c], sup_fem_von_mises(&sigma), 1e-9, 0);
      for (int k = 0; k < 9; k++)
        NEAR(cauchy[9 * c + (size_t)k], sigma.m[k / 3][k % 3], 0, 1e-9 * 2.5e6);
    }
    sup_fem_body_destroy(&body);
    SUP_FREE(x), SUP_FREE(f), SUP_FREE(cauchy), SUP_FREE(energy), SUP_FREE(ratio), SUP_FREE(mises),
        SUP_FREE(R);
  }
}

/* Pure bending of one brick, kappa = 0.01 1/m: u = kappa (-x y, (x^2 + nu (y^2 - z^2)) / 2, nu y z)
 * about its centre line stores E I kappa^2 L / 2.  The internal modes carry the squares; without
 * them the brick would be far too stiff.
 */
static void a_brick_bends_exactly(void) {
  const double     size[3] = {1, 0.1, 0.2}, kappa = 0.01, nu = 0.45, E = 1e6;
  const int        cells[3] = {2, 1, 1};
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, E, nu);
  sup_mesh        *mesh = NULL;
  double           x[36];
  OK(sup_mesh_box(&mesh, size, cells, SUP_PATTERN_HEX));
  sup_fem_body *body = fem_test_body(mesh, &material, 1);
  for (int i = 0; i < 12; i++) {
    sup_v3 X = sup_mesh_vertex(sup_fem_mesh(body), i);
    double y = X.y - 0.05, z = X.z - 0.1;
    sup_v3 u = {-kappa * X.x * y, 0.5 * kappa * (X.x * X.x + nu * (y * y - z * z)),
                kappa * nu * y * z};
    sup_v3_store(x + 3 * i, sup_v3_add(X, u));
  }
  sup_m3        *R = fem_test_rotations(body, x);
  double         inertia = 0.2 * 1e-3 / 12, mises[2];
  sup_fem_stress stress = {.von_mises = mises};
  NEAR(sup_fem_elastic_energy(body, R, x), 0.5 * E * inertia * kappa * kappa, 1e-9, 0);
  sup_fem_stress_at(body, x, NULL,
                    &stress); /* |sigma| = E kappa |y| at the Gauss points y = +- h / (2 sqrt(3)) */
  NEAR(mises[0], E * kappa * 0.05 / sqrt(3.0), 1e-9, 0);
  sup_fem_body_destroy(&body);
  SUP_FREE(R);
}

static void vertex_average_keeps_constants_and_weights_by_volume(void) {
  for (int t = 0; t < NUM_TYPES; t++) {
    sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1e6, 0.3);
    sup_fem_body    *body =
        fem_test_body(fem_test_irregular_box(types[t], 33), &material, 1 | forms[t]);
    const sup_mesh *mesh = sup_fem_mesh(body);
    double         *cell = fem_test_array((size_t)mesh->num_cells),
           *vertex = fem_test_array((size_t)mesh->num_vertices);
    for (int c = 0; c < mesh->num_cells; c++) cell[c] = 7.25;
    sup_fem_vertex_average(body, cell, vertex);
    for (int i = 0; i < mesh->num_vertices; i++) NEAR(vertex[i], 7.25, 1e-15, 0);
    cell[0] += 1; /* one cell stands out: its share of the volume around the vertex */
    double around = 0;
    int    first = sup_mesh_cell(mesh, 0)[0];
    for (int c = 0; c < mesh->num_cells; c++)
      for (int a = 0; a < sup_cell_num_vertices(mesh->type); a++)
        if (sup_mesh_cell(mesh, c)[a] == first) around += sup_mesh_cell_volume(mesh, c);
    sup_fem_vertex_average(body, cell, vertex);
    NEAR(vertex[first], 7.25 + sup_mesh_cell_volume(mesh, 0) / around, 1e-14, 0);
    sup_fem_body_destroy(&body);
    SUP_FREE(cell), SUP_FREE(vertex);
  }
}

SUITE_TESTS(patch, TEST(linear_displacements_of_the_boundary_reach_the_inside),
            TEST(homogeneous_deformation_has_one_stress_everywhere), TEST(a_brick_bends_exactly),
            TEST(vertex_average_keeps_constants_and_weights_by_volume));
