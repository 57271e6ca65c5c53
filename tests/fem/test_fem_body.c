/* Forces and matrices of bodies: derivatives, invariance, masses, broken input. */
#include "fem_test.h"

enum { NUM_TYPES = 4 };
static const sup_cell_type types[NUM_TYPES] = {SUP_CELL_T4, SUP_CELL_H8, SUP_CELL_T10,
                                               SUP_CELL_T10};
static const int           forms[NUM_TYPES] = {0, 0, 0, SUP_FEM_MEAN_DILATATION};

/* A body on an irregular mesh with vectors of its size. */
typedef struct setup {
  sup_fem_body *body;
  size_t        size; /* scalars */
  sup_m3       *R;
  double       *x, *d, *f, *g, *K;
} setup;

static setup make_setup(sup_mesh *mesh, const sup_material_def *material, int lumped,
                        test_random *random) {
  setup s = {.body = fem_test_body(mesh, material, lumped)};
  s.size = 3 * (size_t)sup_fem_mesh(s.body)->num_vertices;
  s.x = fem_test_array(s.size), s.d = fem_test_array(s.size), s.f = fem_test_array(s.size);
  s.g = fem_test_array(s.size),
  s.K = fem_test_array(sup_block_pattern_num_values(sup_fem_pattern(s.body)));
  for (size_t i = 0; i < s.size; i++) {
    s.x[i] = sup_fem_mesh(s.body)->x[i] + 0.05 * test_uniform(random);
    s.d[i] = test_uniform(random);
  }
  s.R = fem_test_rotations(s.body, s.x);
  return s;
}

static void free_setup(setup *s) {
  sup_fem_body_destroy(&s->body);
  SUP_FREE(s->x), SUP_FREE(s->d), SUP_FREE(s->f), SUP_FREE(s->g), SUP_FREE(s->K), SUP_FREE(s->R);
}

static double dot(const double *a, const double *b, size_t n) {
  double s = 0;
  for (size_t i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

static double largest(const double *a, size_t n) {
  double s = 0;
  for (size_t i = 0; i < n; i++) s = fmax(s, fabs(a[i]));
  return s;
}

/* out = x + h d */
static void advance(const setup *s, double h, double *out) {
  for (size_t i = 0; i < s->size; i++) out[i] = s->x[i] + h * s->d[i];
}

/* With frozen rotations the energy is quadratic and the force linear: differences are exact but for
 * round-off. */
static void force_and_stiffness_are_derivatives_of_the_energy(void) {
  test_random            random = {41};
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 3, 0.4);
  for (int t = 0; t < NUM_TYPES; t++) {
    setup   s = make_setup(fem_test_irregular_box(types[t], 42), &material, 1 | forms[t], &random);
    double *y = fem_test_array(s.size), *Kd = fem_test_array(s.size);
    for (int c = 0; c < sup_fem_mesh(s.body)->num_cells; c++)
      s.R[c] = fem_test_rotation(&random); /* any will do */
    sup_fem_elastic_force(s.body, s.R, s.x, s.f);
    advance(&s, 0.5, y);
    double ahead = sup_fem_elastic_energy(s.body, s.R, y);
    advance(&s, -0.5, y);
    double behind = sup_fem_elastic_energy(s.body, s.R, y);
    NEAR(ahead - behind, -dot(s.f, s.d, s.size), 1e-12, 0);
    advance(&s, 1, y);
    sup_fem_elastic_force(s.body, s.R, y, s.g);
    sup_fem_stiffness(s.body, s.R, s.x, s.K);
    sup_block_multiply(sup_fem_pattern(s.body), s.K, s.d, Kd);
    for (size_t i = 0; i < s.size; i++)
      NEAR(s.f[i] - s.g[i], Kd[i], 0, 1e-13 * largest(Kd, s.size));
    free_setup(&s);
    SUP_FREE(y), SUP_FREE(Kd);
  }
}

/* With rotations that move, too; of tetrahedra with every material and of the other cells. */
static void energy_force_is_the_derivative_of_the_energy(void) {
  for (int k = 1 - NUM_TYPES; k < SUP_NUM_MATERIALS; k++) {
    int                    t = k < 0 ? -k : 0;
    test_random            random = {43};
    const sup_material_def material =
        fem_test_material(k < 0 ? SUP_MATERIAL_LINEAR_COROTATIONAL : (sup_material_model)k, 3, 0.3);
    setup   s = make_setup(fem_test_distorted_cell(types[t], 44), &material, 1 | forms[t], &random);
    double *y = fem_test_array(s.size), kept[5];
    double  energy = sup_fem_elastic_energy(s.body, s.R, s.x), h = 1e-2;
    sup_fem_energy_force(s.body, s.R, s.x, s.f);
    for (int i = 0; i < 5; i++, h /= 2) {
      advance(&s, h, y);
      sup_m3 *R = fem_test_rotations(s.body, y);
      kept[i] = fabs(sup_fem_elastic_energy(s.body, R, y) - energy + h * dot(s.f, s.d, s.size));
      if (i > 0) NEAR(kept[i - 1] / kept[i], 4, 0, 0.2);
      SUP_FREE(R);
    }
    free_setup(&s);
    SUP_FREE(y);
  }
}

/* Tangents of nonlinear materials at small strains, where nothing is projected away, and that they
   are refused by bricks. */
static void tangents_of_nonlinear_materials(void) {
  for (int k = SUP_MATERIAL_COROTATIONAL; k < SUP_NUM_MATERIALS; k++) {
    test_random            random = {47};
    const sup_material_def material = fem_test_material((sup_material_model)k, 3, 0.3);
    setup   s = make_setup(fem_test_irregular_box(SUP_CELL_T4, 42), &material, 1, &random);
    double *y = fem_test_array(s.size), *Kd = fem_test_array(s.size), worst = 0;
    for (size_t i = 0; i < s.size; i++)
      s.x[i] = sup_fem_mesh(s.body)->x[i] * (1 + .02 * (double)(i % 3));
    sup_fem_stiffness(s.body, s.R, s.x, s.K);
    sup_block_multiply(sup_fem_pattern(s.body), s.K, s.d, Kd);
    advance(&s, 1e-6, y);
    sup_fem_energy_force(s.body, s.R, y, s.f);
    advance(&s, -1e-6, y);
    sup_fem_energy_force(s.body, s.R, y, s.g);
    for (size_t i = 0; i < s.size; i++) worst = fmax(worst, fabs((s.g[i] - s.f[i]) / 2e-6 - Kd[i]));
    CHECK(worst < 1e-6 * largest(Kd, s.size));
    free_setup(&s);
    SUP_FREE(y), SUP_FREE(Kd);
    sup_fem_body *body;
    sup_mesh     *brick = fem_test_distorted_cell(SUP_CELL_H8, 44);
    if (k == SUP_MATERIAL_COROTATIONAL)
      OK(sup_fem_body_create(&body, brick, &material, 1));
    else
      FAILS(sup_fem_body_create(&body, brick, &material, 1), SUP_E_ARG,
            "needs T4 or T10 cells; H8 cells, whose incompatible modes");
    sup_fem_body_destroy(&body);
    sup_mesh_destroy(&brick);
  }
}

/* Cells with straight edges, too: quadratic fields that a distorted cell does not have might cost
 * nothing there. */
static sup_mesh *cell_for_modes(int t, int is_straight, uint64_t seed) {
  test_random random = {seed};
  if (!is_straight || types[t] != SUP_CELL_T10) return fem_test_distorted_cell(types[t], seed);
  return fem_test_quadratic(fem_test_distorted_cell(SUP_CELL_T4, seed), 0, &random);
}

static void stiffness_has_six_zero_modes_and_no_negative_one(void) {
  test_random  random = {45};
  const double ratios[3] = {-0.5, 0.3, 0.499};
  for (int t = 0; t < NUM_TYPES; t++)
    for (int k = 0; k < 6; k++) {
      sup_material_def material =
          fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 1, ratios[k % 3]);
      sup_mesh *cell = cell_for_modes(t, k / 3, 46 + (uint64_t)k);
      setup     s = make_setup(cell, &material, 1 | forms[t], &random);
      double    A[30 * 30], eigenvalue[30];
      int       n = (int)s.size;
      sup_fem_stiffness(s.body, s.R, s.x, s.K);
      for (int j = 0; j < n; j++) {
        memset(s.d, 0, s.size * sizeof *s.d);
        s.d[j] = 1;
        sup_block_multiply(sup_fem_pattern(s.body), s.K, s.d, s.f);
        for (int i = 0; i < n; i++) A[n * i + j] = s.f[i];
      }
      fem_test_eigenvalues(n, A, eigenvalue);
      for (int i = 0; i < 6; i++) NEAR(eigenvalue[i], 0, 0, 1e-14 * eigenvalue[n - 1]);
      CHECK(eigenvalue[6] > (types[t] == SUP_CELL_T10 ? 1e-5 : 1e-4) * eigenvalue[n - 1]);
      free_setup(&s);
    }
}

/* Case F07 for bodies: Q x + p stores nothing, forces turn with the body. */
static void rigid_motions_change_nothing(void) {
  test_random            random = {47};
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 2.5e6, 0.3);
  const double           degrees[4] = {0, 30, 90, 179};
  for (int t = 0; t < NUM_TYPES; t++) {
    setup s = make_setup(fem_test_irregular_box(types[t], 48), &material, 1 | forms[t], &random);
    const sup_mesh *mesh = sup_fem_mesh(s.body);
    double         *y = fem_test_array(s.size), *v = fem_test_array((size_t)mesh->num_cells);
    double         *w = fem_test_array((size_t)mesh->num_cells);
    sup_fem_stress  before = {.von_mises = v}, after = {.von_mises = w};
    sup_fem_elastic_force(s.body, s.R, s.x, s.f);
    sup_fem_stress_at(s.body, s.x, NULL, &before);
    for (int k = 0; k < 4; k++) {
      sup_v3 axis = sup_v3_unit(sup_v3_make(1, -2, 0.5)), p = {3, -1, 2};
      sup_m3 Q = sup_quat_matrix(sup_quat_exp(sup_v3_scale(degrees[k] * acos(-1) / 180, axis)));
      for (int i = 0; i < mesh->num_vertices; i++)
        sup_v3_store(y + 3 * i, sup_v3_add(p, sup_m3_apply(Q, sup_mesh_vertex(mesh, i))));
      sup_m3 *R = fem_test_rotations(s.body, y);
      sup_fem_elastic_force(s.body, R, y, s.g);
      CHECK(sup_fem_elastic_energy(s.body, R, y) < 1e-20 * 2.5e6);
      CHECK(largest(s.g, s.size) < 1e-12 * largest(s.f, s.size));
      SUP_FREE(R);
      for (int i = 0; i < mesh->num_vertices; i++)
        sup_v3_store(y + 3 * i, sup_v3_add(p, sup_m3_apply(Q, sup_v3_load(s.x + 3 * i))));
      R = fem_test_rotations(s.body, y);
      sup_fem_elastic_force(s.body, R, y, s.g);
      NEAR(sup_fem_elastic_energy(s.body, R, y), sup_fem_elastic_energy(s.body, s.R, s.x), 1e-12,
           0);
      for (int i = 0; i < mesh->num_vertices; i++) {
        sup_v3 turned = sup_m3_apply(Q, sup_v3_load(s.f + 3 * i));
        NEAR(s.g[3 * i], turned.x, 0, 1e-11 * largest(s.f, s.size));
        NEAR(s.g[3 * i + 1], turned.y, 0, 1e-11 * largest(s.f, s.size));
        NEAR(s.g[3 * i + 2], turned.z, 0, 1e-11 * largest(s.f, s.size));
      }
      sup_fem_stress_at(s.body, y, NULL, &after);
      for (int c = 0; c < mesh->num_cells; c++) NEAR(w[c], v[c], 1e-10, 0);
      SUP_FREE(R);
    }
    free_setup(&s);
    SUP_FREE(y), SUP_FREE(v), SUP_FREE(w);
  }
}

static void internal_forces_balance(void) {
  test_random            random = {49};
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 1, 0.3);
  for (int t = 0; t < NUM_TYPES; t++) {
    setup  s = make_setup(fem_test_irregular_box(types[t], 50), &material, 1 | forms[t], &random);
    sup_v3 force = {0, 0, 0}, torque = {0, 0, 0};
    sup_fem_elastic_force(s.body, s.R, s.x, s.f);
    for (size_t i = 0; i < s.size; i += 3) {
      force = sup_v3_add(force, sup_v3_load(s.f + i));
      torque = sup_v3_add(torque, sup_v3_cross(sup_v3_load(s.x + i), sup_v3_load(s.f + i)));
    }
    NEAR(sup_v3_norm(force), 0, 0, 1e-13 * largest(s.f, s.size));
    if (types[t] == SUP_CELL_T4)
      NEAR(sup_v3_norm(torque), 0, 0, 1e-13); /* R of the current F: P F^T is symmetric */
    free_setup(&s);
  }
}

/** Moment of forces about the origin. */
static double moment_of(const setup *s) {
  sup_v3 moment = {0, 0, 0};
  for (size_t i = 0; i < s->size; i += 3)
    moment = sup_v3_add(moment, sup_v3_cross(sup_v3_load(s->x + i), sup_v3_load(s->f + i)));
  return sup_v3_norm(moment);
}

/* The mean rotation of a brick is not the one of least energy: with frozen rotations bending leaves
 * a moment. */
static void strained_bricks_do_not_turn_themselves(void) {
  test_random            random = {51};
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 1, 0.3);
  setup s = make_setup(fem_test_irregular_box(SUP_CELL_H8, 52), &material, 1, &random);
  sup_fem_elastic_force(s.body, s.R, s.x, s.f);
  double frozen = moment_of(&s), force = largest(s.f, s.size);
  sup_fem_energy_force(s.body, s.R, s.x, s.f);
  printf("%.2g, with frozen rotations %.2g of the largest force times 1 m ", moment_of(&s) / force,
         frozen / force);
  CHECK(frozen > 1e-3 * force && moment_of(&s) < 1e-13 * force);
  free_setup(&s);
}

/* The energy that stress recovery finds at the stress points is the energy of the condensed
 * stiffness. */
static void energy_densities_add_up_to_the_energy(void) {
  test_random random = {51};
  for (int t = 0; t < NUM_TYPES; t++)
    for (int model = 0; model < 2; model++) {
      const sup_material_def material = fem_test_material((sup_material_model)model, 1, 0.45);
      setup s = make_setup(fem_test_irregular_box(types[t], 52), &material, 1 | forms[t], &random);
      const sup_mesh *mesh = sup_fem_mesh(s.body);
      double         *density = fem_test_array((size_t)mesh->num_cells), sum = 0;
      sup_fem_stress  stress = {.energy_density = density};
      sup_fem_stress_at(s.body, s.x, NULL, &stress);
      for (int c = 0; c < mesh->num_cells; c++) sum += sup_mesh_cell_volume(mesh, c) * density[c];
      NEAR(sum, sup_fem_elastic_energy(s.body, s.R, s.x), 1e-12, 0);
      free_setup(&s);
      SUP_FREE(density);
    }
}

static void inverted_and_flattened_cells_stay_finite(void) {
  test_random            random = {53};
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 1, 0.3);
  const sup_v3           stretch[5] = {{1, 1, -1}, {-1, -1, -1}, {1, 1, 0}, {1, 0, 0}, {0, 0, 0}};
  for (int t = 0; t < NUM_TYPES; t++) {
    setup s = make_setup(fem_test_irregular_box(types[t], 54), &material, 1 | forms[t], &random);
    const sup_mesh *mesh = sup_fem_mesh(s.body);
    double         *cauchy = fem_test_array(9 * (size_t)mesh->num_cells);
    double         *mises = fem_test_array((size_t)mesh->num_cells);
    int             inverted;
    sup_fem_rotations(s.body, s.x, s.R, &inverted);
    CHECK(inverted == 0 ||
          types[t] != SUP_CELL_H8); /* the random field turns slivers and small parts over */
    for (int k = 0; k < 5; k++) {
      for (size_t i = 0; i < s.size; i += 3) {
        s.x[i] = stretch[k].x * mesh->x[i];
        s.x[i + 1] = stretch[k].y * mesh->x[i + 1];
        s.x[i + 2] = stretch[k].z * mesh->x[i + 2];
      }
      sup_fem_rotations(s.body, s.x, s.R, &inverted);
      CHECK(inverted == mesh->num_cells);
      sup_fem_elastic_force(s.body, s.R, s.x, s.f);
      sup_fem_stiffness(s.body, s.R, s.x, s.K);
      sup_fem_stress stress = {.cauchy = cauchy, .von_mises = mises};
      sup_fem_stress_at(s.body, s.x, NULL, &stress);
      for (int c = 0; c < mesh->num_cells; c++) NEAR(sup_m3_det(&s.R[c]), 1, 0, 1e-14);
      CHECK(isfinite(dot(s.f, s.f, s.size)) && largest(s.f, s.size) > 0);
      CHECK(isfinite(dot(s.K, s.K, sup_block_pattern_num_values(sup_fem_pattern(s.body)))));
      CHECK(isfinite(dot(cauchy, cauchy, 9 * (size_t)mesh->num_cells)));
      CHECK(isfinite(dot(mises, mises, (size_t)mesh->num_cells)));
    }
    free_setup(&s);
    SUP_FREE(cauchy), SUP_FREE(mises);
  }
}

static void one_turned_cell_is_counted_once(void) {
  test_random            random = {55};
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1, 0.3);
  for (int t = 0; t < NUM_TYPES; t++) {
    setup s = make_setup(fem_test_distorted_cell(types[t], 56), &material, 1 | forms[t], &random);
    const sup_mesh *mesh = sup_fem_mesh(s.body);
    sup_v3          corner = sup_mesh_vertex(mesh, 0), inside = {0, 0, 0};
    int             inverted;
    for (int i = 1; i < mesh->num_vertices; i++)
      inside = sup_v3_add(inside, sup_mesh_vertex(mesh, i));
    inside = sup_v3_scale(1.0 / (mesh->num_vertices - 1), inside);
    memcpy(s.x, mesh->x, s.size * sizeof *s.x);
    double near =
        types[t] == SUP_CELL_T10 ? 0.9 : 0.3; /* the vertices on the edges stay where they are */
    sup_v3_store(s.x, sup_v3_madd(inside, near, sup_v3_sub(corner, inside)));
    sup_fem_rotations(s.body, s.x, s.R, &inverted);
    CHECK(inverted == 0);
    sup_v3_store(s.x, sup_v3_madd(inside, -2, sup_v3_sub(corner, inside)));
    sup_fem_rotations(s.body, s.x, s.R, &inverted);
    CHECK(inverted == 1);
    for (int i = 0; i < 9; i++)
      NEAR(s.R[0].m[i / 3][i % 3], i % 4 == 0, 0, 0); /* linear: the identity */
    free_setup(&s);
  }
}

/* v = omega x X about z stores omega^2 (Ixx + ...) exactly with consistent mass: linear fields are
 * in both elements. */
static void masses_are_those_of_the_box(void) {
  test_random            random = {57};
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1, 0.3);
  const double           mass = 1000 * 1 * 0.8 * 0.6;
  for (int t = 0; t < NUM_TYPES; t++)
    for (int lumped = 0; lumped < 2; lumped++) {
      setup s =
          make_setup(fem_test_irregular_box(types[t], 58), &material, lumped | forms[t], &random);
      const sup_mesh *mesh = sup_fem_mesh(s.body);
      double          sum = 0;
      NEAR(sup_fem_mass(s.body), mass, 1e-14, 0);
      for (size_t i = 0; i < s.size; i++) s.d[i] = 1;
      sup_fem_mass_multiply(s.body, s.d, s.f);
      for (int i = 0; i < mesh->num_vertices; i++) {
        NEAR(s.f[3 * i], sup_fem_vertex_mass(s.body)[i], 1e-14, 0);
        CHECK(sup_fem_vertex_mass(s.body)[i] > 0 || (types[t] == SUP_CELL_T10 && !lumped));
        sum += sup_fem_vertex_mass(s.body)[i];
      }
      NEAR(sum, mass, 1e-14, 0);
      for (int i = 0; i < mesh->num_vertices; i++)
        sup_v3_store(s.d + 3 * i, sup_v3_make(-mesh->x[3 * i + 1], mesh->x[3 * i], 0));
      sup_fem_mass_multiply(s.body, s.d, s.f);
      double inertia = mass * (1 + 0.8 * 0.8) / 3;
      if (lumped)
        CHECK(dot(s.d, s.f, s.size) > inertia * 1.01); /* mass moved outwards */
      else
        NEAR(dot(s.d, s.f, s.size), inertia, 1e-13, 0);
      free_setup(&s);
    }
}

static void consistent_mass_of_a_tetrahedron_and_a_brick(void) {
  test_random            random = {59};
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1, 0.3);
  setup  s = make_setup(fem_test_distorted_cell(SUP_CELL_T4, 60), &material, 0, &random);
  double unit = 1000 * sup_mesh_cell_volume(sup_fem_mesh(s.body), 0) / 20;
  for (int b = 0; b < 4; b++) {
    memset(s.d, 0, s.size * sizeof *s.d);
    s.d[3 * b + 1] = 1;
    sup_fem_mass_multiply(s.body, s.d, s.f);
    for (int a = 0; a < 4; a++)
      NEAR(s.f[3 * a + 1], unit * (a == b ? 2 : 1), 1e-14, 0), NEAR(s.f[3 * a], 0, 0, 0);
  }
  free_setup(&s);
  const double size[3] = {1, 0.8, 0.6};
  const int    one[3] = {1, 1, 1};
  sup_mesh    *mesh = NULL;
  OK(sup_mesh_box(&mesh, size, one, SUP_PATTERN_HEX));
  s = make_setup(mesh, &material, 0, &random);
  memset(s.d, 0, s.size * sizeof *s.d);
  s.d[0] = 1;
  sup_fem_mass_multiply(s.body, s.d, s.f);
  for (int a = 0; a < 8;
       a++) { /* rho V / 27 halved for each direction in which the vertices differ */
    int differences = (a & 1) + (a >> 1 & 1) + (a >> 2 & 1);
    NEAR(s.f[3 * a], 480.0 / 27 / (1 << differences), 1e-13, 0);
  }
  free_setup(&s);
}

/* THEORY 4.6: M 420 / (rho V), and what is lumped. */
static void masses_of_a_straight_quadratic_tetrahedron(void) {
  static const int       edge[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1, 0.3);
  for (int lumped = 0; lumped < 2; lumped++) {
    test_random random = {68};
    sup_mesh   *mesh = fem_test_quadratic(fem_test_distorted_cell(SUP_CELL_T4, 69), 0, &random);
    const int  *v = sup_mesh_cell(mesh, 0);
    int         number[10];
    for (int a = 0; a < 10; a++) number[a] = v[a];
    setup  s = make_setup(mesh, &material, lumped, &random);
    double mass = 1000 * sup_mesh_cell_volume(sup_fem_mesh(s.body), 0);
    for (int b = 0; b < 10; b++) {
      memset(s.d, 0, s.size * sizeof *s.d);
      s.d[3 * number[b]] = 1;
      sup_fem_mass_multiply(s.body, s.d, s.f);
      for (int a = 0; a < 10; a++) {
        int entry = a == b ? 6 : 1; /* of two corners */
        if (a < 4 && b >= 4) entry = edge[b - 4][0] == a || edge[b - 4][1] == a ? -4 : -6;
        if (a >= 4 && b < 4) entry = edge[a - 4][0] == b || edge[a - 4][1] == b ? -4 : -6;
        if (a >= 4 && b >= 4) {
          int shared = 0;
          for (int k = 0; k < 4; k++) shared += edge[a - 4][k / 2] == edge[b - 4][k % 2];
          entry = shared == 2 ? 32 : shared == 1 ? 16 : 8;
        }
        double expected = lumped ? (a != b ? 0 : a < 4 ? 1. / 36 : 4. / 27) : entry / 420.;
        NEAR(s.f[3 * number[a]] / mass, expected, 0, 1e-15);
      }
    }
    if (!lumped) /* what gravity sees */
      for (int a = 0; a < 10; a++)
        NEAR(sup_fem_vertex_mass(s.body)[number[a]] / mass, a < 4 ? -1. / 20 : 1. / 5, 0, 1e-15);
    free_setup(&s);
  }
}

static void step_matrix_is_mass_damping_and_stiffness(void) {
  test_random random = {61};
  for (int t = 0; t < NUM_TYPES; t++)
    for (int lumped = 0; lumped < 2; lumped++) {
      sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 1e4, 0.3);
      const double     dt = 0.01, alpha = 3, beta = 0.02;
      material.mass_damping = alpha, material.stiffness_damping = beta;
      setup s =
          make_setup(fem_test_irregular_box(types[t], 62), &material, lumped | forms[t], &random);
      double *Md = fem_test_array(s.size), *Kd = fem_test_array(s.size);
      sup_fem_mass_multiply(s.body, s.d, Md);
      sup_fem_stiffness(s.body, s.R, s.x, s.K);
      sup_block_multiply(sup_fem_pattern(s.body), s.K, s.d, Kd);
      double *c = fem_test_array(s.size / 3), *MCd = fem_test_array(s.size),
             *Cd = fem_test_array(s.size);
      for (size_t i = 0; i < s.size; i++) c[i / 3] = i / 3 % 3 ? 1 : 1.5, Cd[i] = c[i / 3] * s.d[i];
      sup_fem_mass_multiply(s.body, Cd, MCd);
      for (double w = 1; w < 2; w += .5) { /* implicit Euler; BDF2 but for some vertices */
        for (size_t i = 0; i < sup_block_pattern_num_values(sup_fem_pattern(s.body)); i++)
          s.K[i] = 1e30; /* stale */
        sup_fem_step_matrix(s.body, s.R, s.x, dt, w > 1 ? c : NULL, w, s.K);
        sup_block_multiply(sup_fem_pattern(s.body), s.K, s.d, s.f);
        for (size_t i = 0; i < s.size; i++)
          NEAR(s.f[i],
               (w > 1 ? c[i / 3] * MCd[i] : Md[i]) + w * dt * alpha * Md[i] +
                   dt * (w * beta + dt) * Kd[i],
               0, 1e-13 * largest(s.f, s.size));
      }
      SUP_FREE(c), SUP_FREE(MCd), SUP_FREE(Cd);
      free_setup(&s);
      SUP_FREE(Md), SUP_FREE(Kd);
    }
}

/* Into a larger matrix, whose other numbers stay as they are. */
static void blocks_of_the_step_system_go_where_they_are_wanted(void) {
  enum { GAP = 5 };
  test_random random = {65};
  for (int t = 0; t < NUM_TYPES; t++)
    for (int lumped = 0; lumped < 2; lumped++) {
      sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 1e4, 0.3);
      material.mass_damping = 3, material.stiffness_damping = .02;
      setup s =
          make_setup(fem_test_irregular_box(types[t], 66), &material, lumped | forms[t], &random);
      size_t  num = sup_block_pattern_num_values(sup_fem_pattern(s.body)) / 9, *place = NULL;
      double *wide = fem_test_array((9 + GAP) * num), *c = fem_test_array(s.size / 3),
             *f = fem_test_array(s.size);
      sup_v3 w = {.3, -.2, .1};
      OK(SUP_CALLOC(place, num));
      for (size_t e = 0; e < num; e++) place[e] = (9 + GAP) * (num - 1 - e) + e % GAP;
      for (size_t a = 0; a < s.size / 3; a++) c[a] = a % 2 ? 1 : 1.5;
      for (size_t k = 0; k < (9 + GAP) * num; k++) wide[k] = 1e30;
      sup_fem_step_system(s.body, s.R, s.x, .01, c, 1.5, w, NULL, NULL, NULL, s.K, s.f, NULL);
      sup_fem_step_system(s.body, s.R, s.x, .01, c, 1.5, w, NULL, NULL, place, wide, f, NULL);
      size_t stale = 0;
      for (size_t e = 0; e < num; e++)
        CHECK(memcmp(wide + place[e], s.K + 9 * e, 9 * sizeof *wide) == 0);
      for (size_t k = 0; k < (9 + GAP) * num; k++) stale += wide[k] == 1e30;
      CHECK(stale == GAP * num && memcmp(f, s.f, s.size * sizeof *f) == 0);
      SUP_FREE(wide), SUP_FREE(c), SUP_FREE(f), SUP_FREE(place);
      free_setup(&s);
    }
}

/* THEORY 15.3: 10 (lambda + 2 mu) / h with h the height of the cell over the face. */
static void contact_layer_is_ten_times_stiffer_than_the_cell(void) {
  const double     size[3] = {0.2, 0.1, 0.05};
  const int        n[3] = {2, 1, 1};
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1e6, 0.3);
  double           modulus = 1e6 * 0.7 / (1.3 * 0.4); /* lambda + 2 mu */
  sup_mesh        *mesh = NULL;
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_HEX));
  sup_fem_body *body = fem_test_body(mesh, &material, 1);
  NEAR(sup_fem_face_stiffness(body, 1, 0.1 * 0.1), modulus / 0.05, 1e-13, 0);
  sup_fem_body_destroy(&body);
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_KUHN));
  body = fem_test_body(mesh, &material, 1);
  NEAR(sup_fem_face_stiffness(body, 3, 0.5 * 0.1 * 0.1), modulus / 0.05, 1e-13, 0);
  sup_fem_body_destroy(&body);
  test_random random = {70};
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_KUHN));
  body = fem_test_body(fem_test_quadratic(mesh, 0, &random), &material, 1);
  NEAR(sup_fem_face_stiffness(body, 3, 0.125 * 0.1 * 0.1), modulus / 0.025, 1e-13,
       0); /* of its parts */
  sup_fem_body_destroy(&body);
}

/* Force and first moment of a uniform traction: linear fields are integrated exactly on distorted
 * faces. */
static void traction_has_the_resultant_of_the_face(void) {
  test_random            random = {63};
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1, 0.3);
  const double           force[3] = {3, -2, 7};
  for (int t = 0; t < NUM_TYPES; t++) {
    sup_mesh      *mesh = fem_test_irregular_box(types[t], 64);
    unsigned char *selected = NULL;
    OK(SUP_CALLOC(selected, mesh->num_vertices));
    for (int i = 0; i < mesh->num_vertices; i++) {
      selected[i] = mesh->x[3 * i + 2] == 0;
      int inner = mesh->x[3 * i] > 0 && mesh->x[3 * i] < 1 && mesh->x[3 * i + 1] > 0 &&
                  mesh->x[3 * i + 1] < 0.8;
      for (int k = 0; k < 2; k++)
        if (selected[i] && inner)
          mesh->x[3 * i + k] += (types[t] == SUP_CELL_T10 ? 0.015 : 0.05) * test_uniform(&random);
    }
    setup s = make_setup(mesh, &material, 1, &random);
    OK(sup_fem_traction(s.body, selected, force, s.f));
    for (int k = 0; k < 3; k++) {
      double sum = 0, moment[2] = {0, 0};
      for (size_t i = 0; i < s.size; i += 3) {
        sum += s.f[i + (size_t)k];
        for (int l = 0; l < 2; l++)
          moment[l] += s.f[i + (size_t)k] * sup_fem_mesh(s.body)->x[i + (size_t)l];
        if (!selected[i / 3]) NEAR(s.f[i + (size_t)k], 0, 0, 0);
      }
      NEAR(sum, force[k], 1e-14, 0), NEAR(moment[0], 0.5 * force[k], 1e-13, 0),
          NEAR(moment[1], 0.4 * force[k], 1e-13, 0);
    }
    memset(selected, 0, s.size / 3);
    selected[0] = 1;
    FAILS(sup_fem_traction(s.body, selected, force, s.f), SUP_E_ARG, "no boundary face");
    free_setup(&s);
    SUP_FREE(selected);
  }
}

static void corners_of_straight_quadratic_faces_get_no_traction(void) {
  test_random            random = {71};
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1, 0.3);
  const double           force[3] = {0, 0, 6};
  sup_mesh      *mesh = fem_test_quadratic(fem_test_distorted_cell(SUP_CELL_T4, 72), 0, &random);
  unsigned char *selected = NULL;
  int            face[SUP_CELL_FACE_MAX_VERTICES];
  OK(SUP_CALLOC(selected, mesh->num_vertices));
  CHECK(sup_mesh_cell_face(mesh, 0, 2, face) == 6);
  for (int a = 0; a < 6; a++) selected[face[a]] = 1;
  setup s = make_setup(mesh, &material, 1, &random);
  OK(sup_fem_traction(s.body, selected, force, s.f));
  for (int a = 0; a < 6; a++) NEAR(s.f[3 * face[a] + 2], a < 3 ? 0 : 2, 0, 1e-14);
  selected[face[4]] = 0;
  FAILS(sup_fem_traction(s.body, selected, force, s.f), SUP_E_ARG, "no boundary face");
  free_setup(&s);
  SUP_FREE(selected);
}

static void unusable_meshes_are_refused(void) {
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1, 0.3);
  sup_material_def       bad = material;
  sup_fem_body          *body = NULL;
  for (int t = 0; t < NUM_TYPES; t++) {
    sup_mesh *mesh = fem_test_distorted_cell(types[t], 65);
    int       n = sup_cell_num_vertices(types[t]), keep = mesh->cell[0];
    mesh->cell[0] = mesh->cell[1], mesh->cell[1] = keep;
    FAILS(sup_fem_body_create(&body, mesh, &material, 1), SUP_E_GEOMETRY, "is inverted or flat");
    CHECK(body == NULL);
    mesh->cell[1] = mesh->cell[0];
    FAILS(sup_fem_body_create(&body, mesh, &material, 1), SUP_E_GEOMETRY, "cell 0 has vertex");
    mesh->cell[1] = n;
    FAILS(sup_fem_body_create(&body, mesh, &material, 1), SUP_E_GEOMETRY,
          "cell 0 refers to vertex");
    sup_mesh_destroy(&mesh);
    mesh = fem_test_distorted_cell(types[t], 65);
    for (int i = 0; i < n; i++) mesh->x[3 * i + 2] = 0.1;
    FAILS(sup_fem_body_create(&body, mesh, &material, 1), SUP_E_GEOMETRY, "cell 0");
    bad.poissons_ratio = 0.6;
    FAILS(sup_fem_body_create(&body, mesh, &bad, 1), SUP_E_ARG, "Poisson's ratio is 0.6");
    mesh->num_cells = 0;
    FAILS(sup_fem_body_create(&body, mesh, &material, 1), SUP_E_GEOMETRY, "at least one cell");
    sup_mesh_destroy(&mesh);
  }
  sup_mesh *lonely = NULL, *cell = fem_test_distorted_cell(SUP_CELL_T4, 66);
  OK(sup_mesh_create(&lonely, SUP_CELL_T4, 5, 1));
  memcpy(lonely->x, cell->x, 12 * sizeof *cell->x);
  memcpy(lonely->cell, cell->cell, 4 * sizeof *cell->cell);
  FAILS(sup_fem_body_create(&body, lonely, &material, 1), SUP_E_GEOMETRY,
        "vertex 4 belongs to no cell");
  sup_mesh_destroy(&lonely);
  FAILS(sup_fem_body_create(&body, cell, &material, SUP_FEM_MEAN_DILATATION), SUP_E_ARG,
        "needs T10 cells");
  sup_mesh_destroy(&cell);
}

static void running_out_of_memory_leaves_nothing_behind(void) {
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1, 0.3);
  for (int t = 0; t < NUM_TYPES; t++) {
    sup_mesh     *mesh = fem_test_distorted_cell(types[t], 67);
    sup_fem_body *body = NULL;
    sup_status    status = SUP_E_MEMORY;
    int           k = 1;
    for (; status == SUP_E_MEMORY && k < 100; k++) {
      sup_memory_fail_at(k);
      status = sup_fem_body_create(&body, mesh, &material, 0);
      CHECK((status == SUP_OK) == (body != NULL));
    }
    sup_memory_fail_at(0);
    CHECK(status == SUP_OK && k > 10);
    sup_fem_body_destroy(&body);
    sup_fem_body_destroy(&body);
    sup_mesh_destroy(&mesh);
  }
}

SUITE_TESTS(fem_body, TEST(force_and_stiffness_are_derivatives_of_the_energy),
            TEST(energy_force_is_the_derivative_of_the_energy),
            TEST(tangents_of_nonlinear_materials),
            TEST(stiffness_has_six_zero_modes_and_no_negative_one),
            TEST(rigid_motions_change_nothing), TEST(internal_forces_balance),
            TEST(strained_bricks_do_not_turn_themselves),
            TEST(energy_densities_add_up_to_the_energy),
            TEST(inverted_and_flattened_cells_stay_finite), TEST(one_turned_cell_is_counted_once),
            TEST(masses_are_those_of_the_box), TEST(consistent_mass_of_a_tetrahedron_and_a_brick),
            TEST(masses_of_a_straight_quadratic_tetrahedron),
            TEST(step_matrix_is_mass_damping_and_stiffness),
            TEST(blocks_of_the_step_system_go_where_they_are_wanted),
            TEST(contact_layer_is_ten_times_stiffer_than_the_cell),
            TEST(traction_has_the_resultant_of_the_face),
            TEST(corners_of_straight_quadratic_faces_get_no_traction),
            TEST(unusable_meshes_are_refused), TEST(running_out_of_memory_leaves_nothing_behind));
