/* Bodies of several materials: each cell has its own stiffness, density, damping and law. */
#include "fem/material.h"
#include "fem_test.h"

enum { NUM_TYPES = 4 };
static const sup_cell_type types[NUM_TYPES] = {SUP_CELL_T4, SUP_CELL_H8, SUP_CELL_T10,
                                               SUP_CELL_T10};
static const int           forms[NUM_TYPES] = {0, 0, 0, SUP_FEM_MEAN_DILATATION};

/** Two materials that differ in every number. */
static void two_materials(sup_material_model model, double nu, sup_material_def material[2]) {
  material[0] = fem_test_material(model, 1e6, nu);
  material[1] = fem_test_material(model, 7e6, nu > 0 ? .2 : 0);
  material[1].density = 2500;
  for (int k = 0; k < 2; k++)
    material[k].mass_damping = 3 + 5 * k, material[k].stiffness_damping = .01 + .02 * k;
}

/** The materials of the cells, 1 where the centre lies beyond `at` along direction d. */
static int *halves(const sup_mesh *mesh, int d, double at) {
  int *cell = NULL, n = sup_cell_num_vertices(mesh->type);
  OK(SUP_CALLOC(cell, mesh->num_cells));
  for (int c = 0; c < mesh->num_cells; c++) {
    double mean = 0;
    for (int a = 0; a < n; a++) mean += mesh->x[3 * sup_mesh_cell(mesh, c)[a] + d] / n;
    cell[c] = mean > at;
  }
  return cell;
}

static int *random_parts(const sup_mesh *mesh) {
  int        *cell = NULL;
  test_random random = {5};
  OK(SUP_CALLOC(cell, mesh->num_cells));
  for (int c = 0; c < mesh->num_cells; c++) cell[c] = test_uniform(&random) > 0;
  return cell;
}

static sup_fem_body *create(const sup_mesh *mesh, const sup_material_def *material, const int *cell,
                            int form) {
  sup_fem_body *body = NULL;
  OK(sup_fem_body_create_parts(&body, mesh, 2, material, cell, form));
  return body;
}

static sup_mesh *bar(sup_cell_type type) {
  const double size[3] = {.4, .2, .1};
  const int    n[3] = {4, 2, 2};
  sup_mesh    *mesh = NULL, *linear;
  OK(sup_mesh_box(&mesh, size, n, type == SUP_CELL_H8 ? SUP_PATTERN_HEX : SUP_PATTERN_MIRROR));
  if (type == SUP_CELL_T10) {
    linear = mesh;
    OK(sup_mesh_to_t10(&mesh, linear));
    sup_mesh_destroy(&linear);
  }
  return mesh;
}

/* nu = 0: a bar that is pulled does not narrow, and all elements hold piecewise constant strain
   exactly. In series strains are F/(E A), with the materials side by side (d = 1, 2) one strain and
   forces E A eps. */
static void bars_of_two_materials_in_series_and_in_parallel(void) {
  const double length = .4, area = .02;
  for (int t = 0; t < NUM_TYPES; t++)
    for (int d = 0; d < 3; d++) {
      sup_material_def material[2];
      sup_mesh        *mesh = bar(types[t]);
      int *cell = halves(mesh, d, d == 0 ? .1 : d == 1 ? .1 : .05), n = mesh->num_vertices;
      two_materials(SUP_MATERIAL_LINEAR, 0, material);
      double E[2] = {material[0].youngs_modulus, material[1].youngs_modulus},
             share = d == 0 ? .25 : .5;
      double modulus =
          d == 0 ? 1 / (share / E[0] + (1 - share) / E[1]) : share * E[0] + (1 - share) * E[1];
      double eps = 1e-3, *u = fem_test_array(3 * (size_t)n), *f = fem_test_array(3 * (size_t)n),
             force = 0;
      double *x = fem_test_array(3 * (size_t)n),
             *cauchy = fem_test_array(9 * (size_t)mesh->num_cells);
      unsigned char *held = NULL;
      OK(SUP_CALLOC(held, n));
      sup_fem_body *body = create(mesh, material, cell, 1 | forms[t]);
      for (int i = 0; i < n; i++) {
        double at = mesh->x[3 * i];
        held[i] = at < 1e-12 || at > length - 1e-12;
        u[3 * i] = at < 1e-12 ? 0 : eps * length;
      }
      fem_test_statics(body, held, f, u);
      for (int i = 0; i < 3 * n; i++) x[i] = mesh->x[i] + u[i];
      sup_m3 *R = fem_test_rotations(body, x);
      sup_fem_elastic_force(body, R, x, f);
      for (int i = 0; i < n; i++) {
        double at = mesh->x[3 * i], strain = modulus * eps;
        double exact = d > 0     ? eps * at
                       : at < .1 ? strain / E[0] * at
                                 : eps * length - strain / E[1] * (length - at);
        NEAR(u[3 * i], exact, 0, 1e-12);
        NEAR(u[3 * i + 1], 0, 0, 1e-12);
        if (at < 1e-12) force += f[3 * i];
        if (!held[i]) NEAR(f[3 * i], 0, 0, 1e-9 * modulus * eps * area);
      }
      NEAR(force, modulus * eps * area, 1e-10, 0);
      sup_fem_stress stress = {.cauchy = cauchy};
      sup_fem_stress_at(body, x, NULL, &stress);
      for (int c = 0; c < mesh->num_cells; c++)
        NEAR(cauchy[9 * c], d == 0 ? modulus * eps : E[cell[c]] * eps, 1e-9, 0);
      NEAR(sup_fem_elastic_energy(body, R, x), .5 * modulus * eps * eps * area * length, 1e-10, 0);
      NEAR(sup_fem_mass(body), area * length * (share * 1000 + (1 - share) * 2500), 1e-13, 0);
      sup_fem_body_destroy(&body);
      sup_mesh_destroy(&mesh);
      SUP_FREE(u), SUP_FREE(f), SUP_FREE(x), SUP_FREE(held), SUP_FREE(cell), SUP_FREE(R),
          SUP_FREE(cauchy);
    }
}

/** values += dt times the sum of beta K(R) over the materials: K is linear in the moduli. */
static void add_stiffness_damping(const sup_mesh *mesh, const sup_material_def *material,
                                  const int *cell, int form, const sup_m3 *R, double dt,
                                  double *values) {
  sup_material_def damping[2] = {material[0], material[1]};
  for (int m = 0; m < 2; m++) damping[m].youngs_modulus *= material[m].stiffness_damping;
  sup_fem_body *body = create(mesh, damping, cell, form);
  sup_fem_add_stiffness(body, R, mesh->x, dt, values);
  sup_fem_body_destroy(&body);
}

/** Values of the step matrix, and of M and K, of the body with these materials. */
static void matrices(const sup_mesh *mesh, const sup_material_def *material, const int *cell,
                     int form, double dt, double *A, double *M, double *K, double *D) {
  sup_fem_body *body = create(mesh, material, cell, form);
  sup_m3       *R = fem_test_rotations(body, mesh->x);
  sup_fem_step_matrix(body, R, mesh->x, dt, NULL, 1, A);
  sup_fem_mass_matrix(body, 1, M);
  sup_fem_stiffness(body, R, mesh->x, K);
  sup_fem_step_mass(body, dt, NULL, NULL, D);
  add_stiffness_damping(mesh, material, cell, form, R, dt, D);
  sup_fem_add_stiffness(body, R, mesh->x, dt * dt, D);
  sup_fem_body_destroy(&body);
  SUP_FREE(R);
}

/* K is linear in the moduli and M in the densities: what a material adds is what doubling its
 * number adds. */
static void each_material_is_damped_by_its_own_numbers(void) {
  const double dt = .02;
  for (int t = 0; t < NUM_TYPES; t++)
    for (int lumped = 0; lumped < 2; lumped++) {
      sup_material_def material[2], more[2];
      sup_mesh        *mesh = fem_test_irregular_box(types[t], 7);
      int             *cell = random_parts(mesh), form = lumped | forms[t];
      two_materials(SUP_MATERIAL_LINEAR_COROTATIONAL, .3, material);
      sup_fem_body *body = create(mesh, material, cell, form);
      size_t        n = sup_block_pattern_num_values(sup_fem_pattern(body));
      double       *v[4], *w[4], *expected = fem_test_array(n), largest = 0;
      for (int k = 0; k < 4; k++) v[k] = fem_test_array(n), w[k] = fem_test_array(n);
      matrices(mesh, material, cell, form, dt, v[0], v[1], v[2], v[3]);
      memcpy(expected, v[1], n * sizeof *expected);
      for (int m = 0; m < 2; m++) {
        memcpy(more, material, sizeof more);
        more[m].youngs_modulus *= 2, more[m].density *= 2;
        matrices(mesh, more, cell, form, dt, w[0], w[1], w[2], w[3]);
        for (size_t i = 0; i < n; i++)
          expected[i] += dt * material[m].mass_damping * (w[1][i] - v[1][i]) +
                         dt * (material[m].stiffness_damping + dt) * (w[2][i] - v[2][i]);
      }
      for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(expected[i]));
      for (size_t i = 0; i < n; i++)
        if (fabs(v[0][i] - expected[i]) > 1e-12 * largest ||
            fabs(v[3][i] - v[0][i]) > 1e-12 * largest)
          CU_FAIL("the step matrix");
      /* the products with C and beta K are those of their matrices */
      int     vertices = mesh->num_vertices;
      double *u = fem_test_array(3 * (size_t)vertices), *a = fem_test_array(3 * (size_t)vertices);
      double *b = fem_test_array(3 * (size_t)vertices);
      test_random random = {3};
      for (int i = 0; i < 3 * vertices; i++) u[i] = test_uniform(&random);
      sup_fem_damped_mass_multiply(body, dt, u, a);
      sup_fem_step_mass(body, dt, NULL, NULL, v[0]);
      sup_block_multiply(sup_fem_pattern(body), v[0], u, b);
      for (int i = 0; i < 3 * vertices; i++) NEAR(a[i], b[i], 1e-12, 1e-9);
      sup_m3 *R = fem_test_rotations(body, mesh->x);
      double  size = 0;
      for (int k = 0; k < mesh->num_cells; k++) R[k] = fem_test_rotation(&random);
      memset(v[0], 0, n * sizeof *v[0]), memset(a, 0, 3 * (size_t)vertices * sizeof *a);
      add_stiffness_damping(mesh, material, cell, form, R, dt, v[0]);
      sup_block_multiply(sup_fem_pattern(body), v[0], u, b);
      sup_fem_add_damping_force(body, R, u, -dt, a);
      for (int i = 0; i < 3 * vertices; i++) size = fmax(size, fabs(b[i]));
      for (int i = 0; i < 3 * vertices; i++) NEAR(a[i], b[i], 0, 1e-13 * size);
      SUP_FREE(R);
      sup_fem_body_destroy(&body);
      sup_mesh_destroy(&mesh);
      for (int k = 0; k < 4; k++) SUP_FREE(v[k]), SUP_FREE(w[k]);
      SUP_FREE(expected), SUP_FREE(cell), SUP_FREE(u), SUP_FREE(a), SUP_FREE(b);
    }
}

static void two_equal_materials_are_one_to_the_bit(void) {
  for (int t = 0; t < NUM_TYPES; t++) {
    sup_material_def material[2];
    sup_mesh        *mesh = fem_test_irregular_box(types[t], 8);
    int             *cell = random_parts(mesh);
    two_materials(SUP_MATERIAL_LINEAR_COROTATIONAL, .3, material);
    material[1] = material[0];
    sup_fem_body *two = create(mesh, material, cell, forms[t]), *one;
    OK(sup_fem_body_create(&one, mesh, material, forms[t]));
    size_t  n = sup_block_pattern_num_values(sup_fem_pattern(one));
    double *a = fem_test_array(n), *b = fem_test_array(n);
    sup_m3 *R = fem_test_rotations(one, mesh->x);
    sup_fem_step_matrix(one, R, mesh->x, .01, NULL, 1, a);
    sup_fem_step_matrix(two, R, mesh->x, .01, NULL, 1, b);
    CHECK(memcmp(a, b, n * sizeof *a) == 0 && sup_fem_mass(one) == sup_fem_mass(two));
    sup_fem_body_destroy(&one);
    sup_fem_body_destroy(&two);
    sup_mesh_destroy(&mesh);
    SUP_FREE(a), SUP_FREE(b), SUP_FREE(R), SUP_FREE(cell);
  }
}

/* Central differences of the energy, at a large random deformation. */
static void forces_are_the_gradient_of_the_energy_of_all_materials(void) {
  static const struct {
    sup_cell_type      type;
    sup_material_model model[2];
  } cases[] = {{SUP_CELL_T4, {SUP_MATERIAL_NEO_HOOKEAN, SUP_MATERIAL_SAINT_VENANT_KIRCHHOFF}},
               {SUP_CELL_T4, {SUP_MATERIAL_STABLE_NEO_HOOKEAN, SUP_MATERIAL_COROTATIONAL}},
               {SUP_CELL_H8, {SUP_MATERIAL_COROTATIONAL, SUP_MATERIAL_COROTATIONAL}},
               {SUP_CELL_H8, {SUP_MATERIAL_LINEAR, SUP_MATERIAL_LINEAR_COROTATIONAL}},
               {SUP_CELL_T10, {SUP_MATERIAL_LINEAR_COROTATIONAL, SUP_MATERIAL_LINEAR}}};
  for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
    sup_material_def material[2];
    sup_mesh        *mesh = fem_test_irregular_box(cases[t].type, 9);
    int             *cell = random_parts(mesh), n = 3 * mesh->num_vertices;
    two_materials(SUP_MATERIAL_LINEAR, .3, material);
    for (int k = 0; k < 2; k++) material[k].model = cases[t].model[k];
    sup_fem_body *body = create(mesh, material, cell, 0);
    double       *x = fem_test_array((size_t)n), *f = fem_test_array((size_t)n), norm = 0;
    test_random   random = {4};
    for (int i = 0; i < n; i++) x[i] = mesh->x[i] + .004 * test_uniform(&random);
    sup_m3 *R = fem_test_rotations(body, x);
    sup_fem_energy_force(body, R, x, f);
    for (int i = 0; i < n; i++) norm = fmax(norm, fabs(f[i]));
    for (int i = 0; i < n; i += 7) {
      const double h = 1e-6;
      double       energy[2], keep = x[i];
      for (int k = 0; k < 2; k++) {
        int inverted;
        x[i] = keep + (k ? h : -h);
        sup_fem_rotations(body, x, R, &inverted);
        energy[k] = sup_fem_elastic_energy(body, R, x);
      }
      x[i] = keep;
      NEAR(f[i], -(energy[1] - energy[0]) / (2 * h), 0, 1e-6 * norm);
    }
    sup_fem_body_destroy(&body);
    sup_mesh_destroy(&mesh);
    SUP_FREE(x), SUP_FREE(f), SUP_FREE(R), SUP_FREE(cell);
  }
}

/* 10 (lambda + 2 mu) / h: as the moduli. */
static void contact_layers_have_the_stiffness_of_their_cell(void) {
  sup_material_def material[2];
  sup_mesh        *mesh = bar(SUP_CELL_H8);
  int             *cell = halves(mesh, 0, .1);
  two_materials(SUP_MATERIAL_LINEAR, 0, material);
  sup_fem_body *body = create(mesh, material, cell, 0);
  for (int c = 0; c < mesh->num_cells; c++)
    NEAR(sup_fem_face_stiffness(body, c, .01), material[cell[c]].youngs_modulus / .05, 1e-12, 0);
  double *x = fem_test_array(
      3 * (size_t)mesh->num_vertices); /* twice as long where the second material is */
  for (int i = 0; i < 3 * mesh->num_vertices; i++)
    x[i] = mesh->x[i] + (i % 3 == 0 ? fmax(mesh->x[i] - .1, 0) : 0);
  double *strain = fem_test_array((size_t)mesh->num_cells);
  sup_fem_stress_at(body, x, NULL, &(sup_fem_stress){.strain = strain});
  for (int c = 0; c < mesh->num_cells; c++) NEAR(strain[c], cell[c] == 1 ? 3 : 0, 1e-12, 1e-13);
  NEAR(sup_fem_stretches(body, 0, x, strain).most, 1, 1e-12, 0);
  NEAR(sup_fem_stretches(body, 1, x, strain).most, 2, 1e-12, 0);
  SUP_FREE(strain);
  sup_fem_body_destroy(&body);
  sup_mesh_destroy(&mesh);
  SUP_FREE(cell), SUP_FREE(x);
}

static void materials_that_do_not_fit_are_refused(void) {
  sup_material_def material[2];
  sup_mesh        *mesh = bar(SUP_CELL_T4);
  sup_fem_body    *body;
  int             *cell = halves(mesh, 0, .1);
  two_materials(SUP_MATERIAL_NEO_HOOKEAN, .3, material);
  strcpy(material[1].name, "tpu");
  material[1].model = SUP_MATERIAL_LINEAR_COROTATIONAL;
  FAILS(sup_fem_body_create_parts(&body, mesh, 2, material, cell, 0), SUP_E_ARG,
        "material 'test' has the model neo_hookean and 'tpu' linear_corotational: in one body all "
        "models must be");
  material[1].model = SUP_MATERIAL_NEO_HOOKEAN, material[1].poissons_ratio = .5;
  FAILS(sup_fem_body_create_parts(&body, mesh, 2, material, cell, 0), SUP_E_ARG,
        "material 'tpu': Poisson's ratio");
  material[1].poissons_ratio = .4, cell[3] = 2;
  FAILS(sup_fem_body_create_parts(&body, mesh, 2, material, cell, 0), SUP_E_ARG,
        "cell 3 has the material 2 of 2");
  FAILS(sup_fem_body_create_parts(&body, mesh, 0, material, cell, 0), SUP_E_ARG,
        "a soft body of 0 materials");
  sup_mesh_destroy(&mesh);
  SUP_FREE(cell);
}

SUITE_TESTS(parts, TEST(bars_of_two_materials_in_series_and_in_parallel),
            TEST(each_material_is_damped_by_its_own_numbers),
            TEST(two_equal_materials_are_one_to_the_bit),
            TEST(forces_are_the_gradient_of_the_energy_of_all_materials),
            TEST(contact_layers_have_the_stiffness_of_their_cell),
            TEST(materials_that_do_not_fit_are_refused));
