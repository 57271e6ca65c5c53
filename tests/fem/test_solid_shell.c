/* Solid-shells (THEORY 21): one cell, patches of cells with distorted plans, derivatives, stress.
 * Strips and rings are in tests/step/test_thin_strips.c. */
#include "fem/body_parts.h"
#include "fem/cell_operator.h"
#include "fem/recovery/recovery.h"
#include "fem_test.h"
#include "sheet.h"

static const double E = 1e6;

static sup_fem_body *shell_of(sup_mesh *mesh, double nu) {
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, E, nu);
  return fem_test_body(mesh, &material, SUP_FEM_SOLID_SHELL);
}

/** A cell of 1 x .8 x .05 m with its vertices off their places, fibres slanted, too. */
static sup_mesh *distorted_cell(void) {
  const double size[3] = {1, .8, .05};
  const int    n[3] = {1, 1, 1};
  test_random  random = {21};
  sup_mesh    *mesh = NULL;
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_HEX));
  for (int i = 0; i < 24; i++) mesh->x[i] += (i % 3 < 2 ? .02 : .005) * test_uniform(&random);
  return mesh;
}

/** [24 x 24] of one cell, in its own order of vertices. */
static void dense_stiffness(const sup_fem_body *body, double *K) {
  const sup_mesh *mesh = sup_fem_mesh(body);
  double         *e = fem_test_array(24), *y = fem_test_array(24);
  sup_m3         *R = fem_test_rotations(body, mesh->x);
  sup_fem_cells   cells = sup_fem_cells_of_stiffness(body, R, 1);
  for (int j = 0; j < 24; j++) {
    memset(e, 0, 24 * sizeof *e);
    e[j] = 1;
    sup_fem_cells_multiply(&cells, e, y);
    for (int i = 0; i < 24; i++) K[24 * i + j] = y[i];
  }
  SUP_FREE(e), SUP_FREE(y), SUP_FREE(R);
}

static void a_cell_has_six_motions_without_energy(void) {
  sup_fem_body *body = shell_of(distorted_cell(), .3);
  double        K[576], value[24], asymmetry = 0;
  dense_stiffness(body, K);
  for (int i = 0; i < 576; i++) asymmetry = fmax(asymmetry, fabs(K[i] - K[24 * (i % 24) + i / 24]));
  fem_test_eigenvalues(24, K, value);
  CHECK(asymmetry <= 1e-12 * value[23]);
  for (int k = 0; k < 6; k++) NEAR(value[k], 0, 0, 1e-12 * value[23]);
  CHECK(value[6] > 1e-9 * value[23]);
  sup_fem_body_destroy(&body);
}

static void a_turned_cell_has_the_turned_stiffness(void) {
  test_random   random = {4};
  sup_m3        Q = fem_test_rotation(&random);
  sup_mesh     *mesh = distorted_cell();
  sup_fem_body *body = shell_of(mesh, .3), *turned;
  double        K[576], T[576], most = 0;
  mesh = distorted_cell();
  for (int a = 0; a < 8; a++)
    sup_v3_store(mesh->x + 3 * a, sup_m3_apply(Q, sup_v3_load(mesh->x + 3 * a)));
  turned = shell_of(mesh, .3);
  dense_stiffness(body, K), dense_stiffness(turned, T);
  for (int i = 0; i < 576; i++) most = fmax(most, fabs(K[i]));
  for (int a = 0; a < 8; a++)
    for (int b = 0; b < 8; b++) {
      sup_m3 block;
      for (int i = 0; i < 9; i++) block.m[i / 3][i % 3] = K[24 * (3 * a + i / 3) + 3 * b + i % 3];
      block = sup_m3_mul(Q, sup_m3_mul(block, sup_m3_transpose(Q)));
      for (int i = 0; i < 9; i++)
        NEAR(T[24 * (3 * a + i / 3) + 3 * b + i % 3], block.m[i / 3][i % 3], 0, 1e-11 * most);
    }
  sup_fem_body_destroy(&body), sup_fem_body_destroy(&turned);
}

/* ---- patches --------------------------------------------------------------------------------- */

/** MacNeal's plate of .24 x .12 m in five cells. */
static sup_mesh *plate(double h) {
  static const double at[8][2] = {{0, 0},     {.24, 0},   {.24, .12}, {0, .12},
                                  {.04, .02}, {.18, .03}, {.16, .08}, {.08, .08}};
  static const int    plan[5][4] = {
         {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}};
  sup_mesh *mesh = NULL;
  OK(sup_mesh_create(&mesh, SUP_CELL_H8, 16, 5));
  for (int i = 0; i < 16; i++)
    sup_v3_store(mesh->x + 3 * i, sup_v3_make(at[i % 8][0], at[i % 8][1], i < 8 ? -h / 2 : h / 2));
  for (int i = 0; i < 40; i++) mesh->cell[i] = plan[i / 8][i % 4] + (i % 8 < 4 ? 0 : 8);
  return mesh;
}

typedef sup_v3 field(sup_v3 x, double nu);

/** Plane stress in the plane and any turn of the whole. */
static sup_v3 membrane(sup_v3 x, double nu) {
  sup_m3 G = {{{.3, -.2, -.7}, {.5, .4, .6}, {.7, -.6, -nu / (1 - nu) * .7}}};
  return sup_m3_apply(G, x);
}

/** Kirchhoff's plate of constant curvatures and twist in plane stress. */
static sup_v3 bending(sup_v3 x, double nu) {
  const double xx = .7, yy = .4, xy = .3;
  return sup_v3_make(-x.z * (xx * x.x + xy * x.y), -x.z * (yy * x.y + xy * x.x),
                     .5 * xx * x.x * x.x + .5 * yy * x.y * x.y + xy * x.x * x.y +
                         nu / (1 - nu) * (xx + yy) * x.z * x.z / 2);
}

static double patch_error(field *of, double nu) {
  sup_fem_body   *body = shell_of(plate(.001), nu);
  const sup_mesh *mesh = sup_fem_mesh(body);
  double          u[48], f[48] = {0}, worst = 0, most = 0;
  unsigned char   held[16];
  for (int i = 0; i < 16; i++) {
    held[i] = i % 8 < 4;
    sup_v3_store(u + 3 * i, of(sup_v3_load(mesh->x + 3 * i), nu));
  }
  fem_test_statics(body, held, f, u);
  for (int i = 0; i < 16; i++) {
    sup_v3 exact = of(sup_v3_load(mesh->x + 3 * i), nu);
    most = fmax(most, sup_v3_norm(exact));
    worst = fmax(worst, sup_v3_norm(sup_v3_sub(sup_v3_load(u + 3 * i), exact)));
  }
  sup_fem_body_destroy(&body);
  return worst / most;
}

static void plates_of_distorted_plan_stretch_and_bend_exactly(void) {
  for (int k = 0; k < 3; k++) {
    static const double nu[] = {0, .3, .49};
    NEAR(patch_error(membrane, nu[k]), 0, 0, 1e-9);
    NEAR(patch_error(bending, nu[k]), 0, 0, 1e-9);
  }
}

/* ---- derivatives ----------------------------------------------------------------------------- */

/** A quarter of a circle in six cells, bent stretched by up to .2 %, with random ways of .1 % of
 * the thickness. */
static sup_fem_body *bent_arc(double *x) {
  sup_fem_body *body = shell_of(test_sheet(test_quarter_circle, .3, .02, 6, .1), .3);
  test_random   random = {7};
  for (int i = 0; i < 3 * 28; i++) {
    double X = sup_fem_mesh(body)->x[i];
    x[i] = X + (i % 3 == 0 ? .001 * X * X : 0) + 2e-5 * test_uniform(&random);
  }
  return body;
}

static double energy_at(const sup_fem_body *body, const double *x) {
  sup_m3 *R = fem_test_rotations(body, x);
  double  energy = sup_fem_elastic_energy(body, R, x);
  SUP_FREE(R);
  return energy;
}

static void force_at(const sup_fem_body *body, const double *x, double *f) {
  sup_m3 *R = fem_test_rotations(body, x);
  sup_fem_energy_force(body, R, x, f);
  SUP_FREE(R);
}

static void forces_are_the_slope_of_the_energy(void) {
  const double  step = 1e-6;
  double        x[84], f[84], most = 0;
  sup_fem_body *body = bent_arc(x);
  force_at(body, x, f);
  for (int i = 0; i < 84; i++) most = fmax(most, fabs(f[i]));
  for (int i = 0; i < 84; i++) {
    double at = x[i], ends[2];
    for (int e = 0; e < 2; e++) x[i] = at + (e ? step : -step), ends[e] = energy_at(body, x);
    x[i] = at;
    NEAR(f[i], -(ends[1] - ends[0]) / (2 * step), 0, 1e-6 * most);
  }
  sup_fem_body_destroy(&body);
}

/** But for what the moment of their forces about the rotation adds: strains of 1e-3 here. */
static void tangents_are_the_slope_of_the_forces(void) {
  const double             step = 1e-6;
  double                   x[84], low[84], high[84], column[84], e[84], most = 0, worst = 0;
  sup_fem_body            *body = bent_arc(x);
  const sup_block_pattern *pattern = sup_fem_pattern(body);
  double                  *K = fem_test_array(sup_block_pattern_num_values(pattern));
  sup_m3                  *R = fem_test_rotations(body, x);
  sup_fem_add_tangent(body, R, x, 1, NULL, K);
  for (int i = 0; i < 84; i++) {
    double at = x[i];
    x[i] = at - step, force_at(body, x, low);
    x[i] = at + step, force_at(body, x, high);
    x[i] = at;
    memset(e, 0, sizeof e), e[i] = 1;
    sup_fem_multiply(body, K, e, column);
    for (int j = 0; j < 84; j++) {
      double slope = -(high[j] - low[j]) / (2 * step);
      most = fmax(most, fabs(slope)), worst = fmax(worst, fabs(column[j] - slope));
    }
  }
  NEAR(worst, 0, 0, 2e-5 * most);
  SUP_FREE(K), SUP_FREE(R);
  sup_fem_body_destroy(&body);
}

/* ---- stress ---------------------------------------------------------------------------------- */

/** At the points of a straight strip that is bent to a constant curvature. */
static void bent_strips_have_the_stress_of_bars(void) {
  enum { N = 8, VERTICES = 4 * (N + 1) };
  static const double h = .002, nu = .3, curvature = 1e-6;
  sup_fem_body       *body = shell_of(test_sheet(test_straight, .1, h, N, .1), nu);
  const sup_mesh     *mesh = sup_fem_mesh(body);
  double              x[3 * VERTICES], point[48 * N], energy[N], von_mises[N];
  for (int i = 0; i < VERTICES; i++) {
    const double *X = mesh->x + 3 * i;
    x[3 * i] = X[0] - curvature * X[0] * X[2], x[3 * i + 1] = X[1];
    x[3 * i + 2] = X[2] + curvature / 2 * (X[0] * X[0] + nu / (1 - nu) * X[2] * X[2]);
  }
  sup_fem_stress_at(
      body, x, NULL,
      &(sup_fem_stress){.point = point, .energy_density = energy, .von_mises = von_mises});
  double bent = E / (1 - nu * nu) * curvature * h / 2 / sqrt(3);
  for (int q = 0; q < 8 * N; q++) {
    const double *s = point + 6 * q;
    double        sign = q % 8 < 4 ? 1 : -1; /* below the middle it is stretched */
    NEAR(s[0], sign * bent, .002, 0);
    NEAR(s[1], sign * nu * bent, .002, 0);
    for (int k = 2; k < 6; k++) NEAR(s[k], 0, 0, .01 * bent); /* turned by up to .01 */
  }
  for (int c = 0; c < N; c++) {
    NEAR(energy[c], E / (1 - nu * nu) * pow(curvature * h, 2) / 24, 1e-4, 0);
    NEAR(von_mises[c], bent * sqrt(1 - nu + nu * nu), .002, 0);
  }
  sup_fem_body_destroy(&body);
}

/** Stress at vertices is fitted to points .6 of the thickness apart: it is that of the faces. */
static void recovered_stress_is_that_of_the_faces(void) {
  enum { N = 8, VERTICES = 4 * (N + 1) };
  static const double thickness[] = {.02, .002, .0002}, curvature = 1e-6;
  for (int k = 0; k < 3; k++) {
    double           h = thickness[k];
    sup_fem_body    *body = shell_of(test_sheet(test_straight, .1, h, N, .1), 0);
    sup_recovery    *recovery = NULL;
    double           x[3 * VERTICES], point[48 * N], site[6 * VERTICES], cell[N];
    sup_stress_error error;
    OK(sup_recovery_create(&recovery, body, SUP_RECOVERY_PATCH));
    for (int i = 0; i < VERTICES; i++) {
      const double *X = sup_fem_mesh(body)->x + 3 * i;
      sup_v3_store(x + 3 * i, sup_v3_make(X[0] - curvature * X[0] * X[2], X[1],
                                          X[2] + curvature / 2 * X[0] * X[0]));
    }
    sup_fem_stress_at(body, x, NULL, &(sup_fem_stress){.point = point});
    sup_recovery_apply(recovery, point, site);
    error = sup_recovery_error(recovery, point, site, cell);
    CHECK(sup_recovery_num_means(recovery) == 0);
    for (int i = 0; i < VERTICES; i++)
      NEAR(site[6 * i], E * curvature * h / 2 * (i % 4 < 2 ? 1 : -1), .01, 0);
    NEAR(error.relative, 0, 0, .02);
    sup_recovery_destroy(&recovery);
    sup_fem_body_destroy(&body);
  }
}

static void bricks_that_are_not_thin_are_those_of_incompatible_modes(void) {
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, E, .3);
  sup_mesh        *mesh = fem_test_irregular_box(SUP_CELL_H8, 3), *copy = NULL;
  test_random      random = {5};
  OK(sup_mesh_copy(&copy, mesh));
  sup_fem_body *body[2] = {fem_test_body(mesh, &material, 0),
                           fem_test_body(copy, &material, SUP_FEM_SOLID_SHELL)};
  mesh = (sup_mesh *)(uintptr_t)sup_fem_mesh(body[0]);
  size_t  cells = (size_t)mesh->num_cells, size = 3 * (size_t)mesh->num_vertices;
  double *x = fem_test_array(size), *f[2], *point[2], *energy[2];
  for (size_t i = 0; i < size; i++) x[i] = mesh->x[i] + .01 * test_uniform(&random);
  for (int k = 0; k < 2; k++) {
    f[k] = fem_test_array(size), point[k] = fem_test_array(48 * cells);
    energy[k] = fem_test_array(cells);
    force_at(body[k], x, f[k]);
    sup_fem_stress_at(body[k], x, NULL,
                      &(sup_fem_stress){.point = point[k], .energy_density = energy[k]});
  }
  for (size_t i = 0; i < size; i++) CHECK(f[0][i] == f[1][i]);
  for (size_t i = 0; i < cells; i++) NEAR(energy[1][i], energy[0][i], 1e-10, 0);
  for (size_t i = 0; i < 48 * cells; i++) NEAR(point[1][i], point[0][i], 0, 1e-9 * E);
  for (int k = 0; k < 2; k++) {
    SUP_FREE(f[k]), SUP_FREE(point[k]), SUP_FREE(energy[k]);
    sup_fem_body_destroy(&body[k]);
  }
  SUP_FREE(x);
}

SUITE_TESTS(solid_shell, TEST(a_cell_has_six_motions_without_energy),
            TEST(a_turned_cell_has_the_turned_stiffness),
            TEST(plates_of_distorted_plan_stretch_and_bend_exactly),
            TEST(forces_are_the_slope_of_the_energy), TEST(tangents_are_the_slope_of_the_forces),
            TEST(bent_strips_have_the_stress_of_bars), TEST(recovered_stress_is_that_of_the_faces),
            TEST(bricks_that_are_not_thin_are_those_of_incompatible_modes));
