/* Stress at vertices, its principal values, and the error of the stress in the cells. */
#include "fem/body_parts.h"
#include "fem/patch.h"
#include "fem/recovery/recovery.h"
#include "manufactured.h"

enum { NUM_TYPES = 4 };
static const sup_cell_type types[NUM_TYPES] = {SUP_CELL_T4, SUP_CELL_H8, SUP_CELL_T10,
                                               SUP_CELL_T10};
static const int           forms[NUM_TYPES] = {0, 0, 0, SUP_FEM_MEAN_DILATATION};

/* Arrays of a body's stress. */
typedef struct recovered {
  sup_recovery    *recovery;
  double          *point, *vertex, *cell;
  sup_stress_error error;
} recovered;

static void take_stress(recovered *r, const sup_fem_body *body, const double *x) {
  sup_fem_stress stress = {.point = r->point};
  sup_fem_stress_at(body, x, NULL, &stress);
  sup_recovery_apply(r->recovery, r->point, r->vertex);
  r->error = sup_recovery_error(r->recovery, r->point, r->vertex, r->cell);
}

static recovered recover(const sup_fem_body *body, const double *x, sup_recovery_method method) {
  const sup_mesh *mesh = sup_fem_mesh(body);
  recovered       r;
  r.point = fem_test_array(6 * (size_t)mesh->num_cells * (size_t)sup_fem_num_points(body));
  r.vertex = fem_test_array(6 * (size_t)mesh->num_vertices);
  r.cell = fem_test_array((size_t)mesh->num_cells);
  OK(sup_recovery_create(&r.recovery, body, method));
  take_stress(&r, body, x);
  return r;
}

static void free_recovered(recovered *r) {
  sup_recovery_destroy(&r->recovery);
  SUP_FREE(r->point), SUP_FREE(r->vertex), SUP_FREE(r->cell);
}

/* ---- fields that must come back -------------------------------------------------------------- */

/* Component i of a field of degree 1, or 2. */
static double field_at(sup_v3 x, int i, int degree) {
  double k = 1 + i, linear = 2 + k * x.x - 3 * x.y + (5 - k) * x.z;
  return degree < 2 ? linear : linear + k * x.x * x.x - x.y * x.z + 2 * x.x * x.y - k * x.z * x.z;
}

/* The field at the points of the cells; 1 when it stands at all vertices, too. */
static int comes_back(sup_mesh *mesh, int degree, int num_means) {
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1, 0.3);
  sup_fem_body    *body = fem_test_body(mesh, &material, 0);
  const sup_mesh  *m = sup_fem_mesh(body);
  recovered        r = recover(body, m->x, SUP_RECOVERY_PATCH);
  int              n = sup_fem_num_points(body), good = 1;
  for (int k = 0; k < n * m->num_cells; k++) {
    double N[SUP_CELL_MAX_VERTICES];
    sup_v3 x = {0, 0, 0};
    body->element->shape(k % n, N);
    for (int a = 0; a < sup_cell_num_vertices(m->type); a++)
      x = sup_v3_madd(x, N[a], sup_mesh_vertex(m, sup_mesh_cell(m, k / n)[a]));
    for (int i = 0; i < 6; i++) r.point[6 * k + i] = field_at(x, i, degree);
  }
  sup_recovery_apply(r.recovery, r.point, r.vertex);
  for (int k = 0; k < 6 * m->num_vertices; k++)
    good = good && fabs(r.vertex[k] - field_at(sup_mesh_vertex(m, k / 6), k % 6, degree)) < 1e-10;
  CHECK(sup_recovery_num_means(r.recovery) == num_means);
  sup_fem_body_destroy(&body);
  free_recovered(&r);
  return good;
}

static void linear_stress_comes_back_at_every_vertex(void) {
  for (uint64_t seed = 1; seed < 6; seed++)
    for (int t = 0; t < 3; t++) CHECK(comes_back(fem_test_irregular_box(types[t], seed), 1, 0));
}

/* One cell through walls and ribs: no corner is inside, and bricks alone can tell the two sides of
 * a wall apart by their own points. */
static void walls_of_one_cell_have_two_sides(void) {
  sup_finray finray = sup_default_finray();
  sup_mesh  *mesh = NULL, *t4 = NULL;
  finray.pattern = SUP_PATTERN_HEX;
  OK(sup_mesh_finray(&mesh, &finray));
  CHECK(comes_back(mesh, 1, 0));
  finray.pattern = SUP_PATTERN_MIRROR;
  OK(sup_mesh_finray(&t4, &finray));
  CHECK(comes_back(t4, 1, 0));
}

/* A single cell has one sample as T4, whose mean stands at all corners; the points of the others
 * tell a linear field.
 */
static void a_single_cell_gives_what_it_can(void) {
  CHECK(!comes_back(fem_test_distorted_cell(SUP_CELL_T4, 3), 1, 4));
  CHECK(comes_back(fem_test_distorted_cell(SUP_CELL_H8, 3), 1, 0));
  CHECK(comes_back(fem_test_distorted_cell(SUP_CELL_T10, 3), 1, 0));
}

static void constant_stress_is_kept_and_has_no_error(void) {
  const sup_m3 F = {{{1.2, 0.3, -0.1}, {-0.2, 0.9, 0.15}, {0.1, -0.25, 1.1}}};
  for (int k = 0; k < 2 * NUM_TYPES; k++) {
    sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 2.5e6, 0.3);
    sup_lame         lame = sup_fem_lame(2.5e6, 0.3);
    sup_fem_body    *body =
        fem_test_body(fem_test_irregular_box(types[k / 2], 32), &material, forms[k / 2]);
    const sup_mesh *mesh = sup_fem_mesh(body);
    double         *x = fem_test_array(3 * (size_t)mesh->num_vertices);
    for (int i = 0; i < mesh->num_vertices; i++)
      sup_v3_store(x + 3 * i,
                   sup_v3_add(sup_m3_apply(F, sup_mesh_vertex(mesh, i)), sup_v3_make(0.3, -2, 5)));
    sup_m3 P;
    sup_fem_corotational(&lame, &F, &P);
    sup_m3    sigma = sup_fem_cauchy(SUP_MATERIAL_LINEAR_COROTATIONAL, &P, &F);
    recovered r = recover(body, x, k % 2 ? SUP_RECOVERY_PATCH : SUP_RECOVERY_MEAN);
    for (int i = 0; i < mesh->num_vertices; i++) {
      sup_m3 found = sup_fem_tensor(r.vertex + 6 * i);
      for (int j = 0; j < 9; j++)
        NEAR(found.m[j / 3][j % 3], sigma.m[j / 3][j % 3], 0, 1e-9 * 2.5e6);
    }
    CHECK(r.error.relative < 1e-9);
    sup_fem_body_destroy(&body);
    free_recovered(&r);
    SUP_FREE(x);
  }
}

/* ---- order and effectivity ------------------------------------------------------------------- */

typedef struct errors {
  double computed, recovered, estimate; /* squares in the energy norm */
} errors;

static void stress_of(const sup_lame *lame, const sup_m3 *slope, double six[6]) {
  sup_m3 P, F = sup_m3_add(*slope, sup_m3_identity()), I = sup_m3_identity();
  sup_fem_linear(lame, &I, &F, &P);
  const double found[6] = {P.m[0][0], P.m[1][1], P.m[2][2], P.m[0][1], P.m[1][2], P.m[0][2]};
  memcpy(six, found, sizeof found);
}

/* d : C^-1 : d, d = s - t, for E = 1, nu = 0.3. */
static double square(const double s[6], const double t[6]) {
  double d[6], sum = 0;
  for (int i = 0; i < 6; i++) d[i] = s[i] - t[i], sum += 1.3 * (i < 3 ? 1 : 2) * d[i] * d[i];
  return sum - 0.3 * (d[0] + d[1] + d[2]) * (d[0] + d[1] + d[2]);
}

/* Slope of the shape functions alone. */
static sup_m3 compatible_slope(const sup_mesh *mesh, int c, const double *u,
                               const manufactured_point *p) {
  const int *v = sup_mesh_cell(mesh, c);
  sup_m3     slope = sup_m3_zero();
  for (int a = 0; a < sup_cell_num_vertices(mesh->type); a++)
    slope = sup_m3_add(slope, sup_m3_outer(sup_v3_load(u + 3 * v[a]), p->gradient[a]));
  return slope;
}

/* Internal modes of a brick: -K_aa^-1 times the force that the stress of the others has on them. */
static void internal_modes(const sup_fem_body *body, int c, const double *u, double mode[9]) {
  const sup_mesh *mesh = sup_fem_mesh(body);
  sup_lame        lame = sup_fem_lame(1, 0.3);
  double          force[9] = {0}, s[6];
  memset(mode, 0, 9 * sizeof *mode);
  if (mesh->type != SUP_CELL_H8) return;
  for (int q = 0; q < MANUFACTURED_RULE; q++) {
    manufactured_point p = manufactured_rule(mesh, c, q);
    sup_m3             slope = compatible_slope(mesh, c, u, &p);
    stress_of(&lame, &slope, s);
    sup_m3 S = sup_fem_tensor(s);
    for (int k = 0; k < 3; k++)
      sup_v3_accumulate(force + 3 * k, p.share, sup_m3_apply(S, p.mode[k]));
  }
  const double *inverse = sup_fem_lane_of(body, body->compliance, SUP_ELEMENT_MAX_COMPLIANCE, c);
  for (int i = 0; i < 9; i++)
    for (int j = 0; j < 9; j++)
      mode[i] -=
          inverse[SUP_BATCH * (i > j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i)] * force[j];
}

static void add_errors(const sup_fem_body *body, int c, const double *u, const double *vertex,
                       errors *e) {
  const sup_mesh *mesh = sup_fem_mesh(body);
  const int      *v = sup_mesh_cell(mesh, c);
  sup_lame        lame = sup_fem_lame(1, 0.3);
  double          mode[9];
  internal_modes(body, c, u, mode);
  for (int q = 0; q < MANUFACTURED_RULE; q++) {
    manufactured_point p = manufactured_rule(mesh, c, q);
    double             exact[3], force[3], true_stress[6], computed[6], at[6] = {0};
    sup_m3             slope, found = compatible_slope(mesh, c, u, &p);
    manufactured(p.x, &lame, exact, &slope, force);
    for (int a = 0; a < sup_cell_num_vertices(mesh->type); a++)
      for (int i = 0; i < 6; i++) at[i] += p.N[a] * vertex[6 * v[a] + i];
    for (int k = 0; k < 3; k++)
      found = sup_m3_add(found, sup_m3_outer(sup_v3_load(mode + 3 * k), p.mode[k]));
    stress_of(&lame, &slope, true_stress), stress_of(&lame, &found, computed);
    e->computed += p.share * square(true_stress, computed);
    e->recovered += p.share * square(true_stress, at);
  }
}

static errors manufactured_errors(sup_cell_type type, int n) {
  double         *u;
  sup_fem_body   *body = manufactured_solve(type, n, .3, &u);
  const sup_mesh *mesh = sup_fem_mesh(body);
  double         *x = fem_test_array(3 * (size_t)mesh->num_vertices), sum = 0;
  errors          e = {0};
  for (int i = 0; i < 3 * mesh->num_vertices; i++) x[i] = mesh->x[i] + u[i];
  recovered r = recover(body, x, SUP_RECOVERY_PATCH);
  for (int c = 0; c < mesh->num_cells; c++) add_errors(body, c, u, r.vertex, &e), sum += r.cell[c];
  e.estimate = 2 * r.error.energy;
  NEAR(sum, r.error.energy, 1e-12, 0);
  NEAR(r.error.relative, sqrt(e.estimate / (2 * r.error.stress_energy + e.estimate)), 1e-12, 0);
  free_recovered(&r);
  sup_fem_body_destroy(&body);
  SUP_FREE(u), SUP_FREE(x);
  return e;
}

/* Case F12: recovered stress converges faster than that of the cells, and the estimate to the true
 * error. */
static void estimate_approaches_the_true_error(void) {
  const struct {
    sup_cell_type type;
    int           n;
    double        order, recovered, off; /* at least, at least, at most of the effectivity from 1 */
  } row[] = {{SUP_CELL_T4, 4, 0.9, 1.3, 0.03},
             {SUP_CELL_H8, 8, 0.97, 1.75, 0.08},
             {SUP_CELL_T10, 4, 1.85, 3, 0.01}};
  for (int k = 0; k < 3; k++) {
    errors e[2] = {manufactured_errors(row[k].type, row[k].n),
                   manufactured_errors(row[k].type, 2 * row[k].n)};
    double index[2], order = 0.5 * log2(e[0].computed / e[1].computed);
    double recovered_order = 0.5 * log2(e[0].recovered / e[1].recovered);
    for (int i = 0; i < 2; i++) index[i] = sqrt(e[i].estimate / e[i].computed);
    printf("%s: order %.2f, recovered %.2f, effectivity %.4f, %.4f; ", sup_cell_name(row[k].type),
           order, recovered_order, index[0], index[1]);
    CHECK(order > row[k].order && recovered_order > row[k].recovered &&
          recovered_order > order + 0.4);
    CHECK(fabs(index[1] - 1) < row[k].off && fabs(index[1] - 1) < 0.5 * fabs(index[0] - 1));
  }
}

/* ---- rotations, crumpled cells --------------------------------------------------------------- */

static void turned_bodies_have_turned_stress(void) {
  const double degrees[2] = {90, 179};
  test_random  random = {9};
  for (int k = 0; k < 2 * (NUM_TYPES + 1); k++) {
    int              t = k / 2 % NUM_TYPES;
    sup_material_def material = fem_test_material(
        k / 2 < NUM_TYPES ? SUP_MATERIAL_LINEAR_COROTATIONAL : SUP_MATERIAL_STABLE_NEO_HOOKEAN,
        2.5e6, 0.3);
    sup_fem_body   *body = fem_test_body(fem_test_irregular_box(types[t], 48), &material, forms[t]);
    const sup_mesh *mesh = sup_fem_mesh(body);
    double         *x = fem_test_array(3 * (size_t)mesh->num_vertices),
           *y = fem_test_array(3 * (size_t)mesh->num_vertices);
    sup_v3 axis = sup_v3_unit(sup_v3_make(1, -2, 0.5)), p = {3, -1, 2};
    sup_m3 Q = sup_quat_matrix(sup_quat_exp(sup_v3_scale(degrees[k % 2] * acos(-1) / 180, axis)));
    for (int i = 0; i < 3 * mesh->num_vertices; i++)
      x[i] = 1.1 * mesh->x[i] + 0.005 * test_uniform(&random);
    for (int i = 0; i < mesh->num_vertices; i++)
      sup_v3_store(y + 3 * i, sup_v3_add(p, sup_m3_apply(Q, sup_v3_load(x + 3 * i))));
    recovered before = recover(body, x, SUP_RECOVERY_PATCH),
              after = recover(body, y, SUP_RECOVERY_PATCH);
    for (int i = 0; i < mesh->num_vertices; i++) {
      sup_m3 found = sup_fem_tensor(after.vertex + 6 * i),
             S = sup_fem_tensor(before.vertex + 6 * i);
      sup_m3 turned = sup_m3_mul(sup_m3_mul(Q, S), sup_m3_transpose(Q));
      for (int j = 0; j < 9; j++)
        NEAR(found.m[j / 3][j % 3], turned.m[j / 3][j % 3], 0, 1e-9 * 2.5e6);
    }
    NEAR(after.error.energy, before.error.energy, 1e-9, 0);
    free_recovered(&before), free_recovered(&after);
    sup_fem_body_destroy(&body);
    SUP_FREE(x), SUP_FREE(y);
  }
}

static int all_finite(const double *a, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(a[i])) return 0;
  return 1;
}

static void crumpled_flat_and_inverted_cells_give_numbers(void) {
  const sup_v3             stretch[6] = {{1, 1, -1}, {-1, -1, -1}, {1, 1, 0},
                                         {1, 0, 0},  {0, 0, 0},    {100, 0.01, -3}};
  const sup_material_model models[3] = {SUP_MATERIAL_LINEAR_COROTATIONAL, SUP_MATERIAL_NEO_HOOKEAN,
                                        SUP_MATERIAL_STABLE_NEO_HOOKEAN};
  test_random              random = {53};
  for (int k = 0; k < NUM_TYPES + 2; k++) {
    int              t = k % NUM_TYPES;
    sup_material_def material =
        fem_test_material(models[k < NUM_TYPES ? 0 : k - NUM_TYPES + 1], 1, 0.3);
    if (k >= NUM_TYPES) t = 0;
    sup_fem_body   *body = fem_test_body(fem_test_irregular_box(types[t], 54), &material, forms[t]);
    const sup_mesh *mesh = sup_fem_mesh(body);
    recovered       r = recover(body, mesh->x, SUP_RECOVERY_PATCH);
    double         *x = fem_test_array(3 * (size_t)mesh->num_vertices);
    CHECK(r.error.relative == 0); /* at rest: no round-off over round-off */
    for (int j = 0; j < 7; j++) {
      for (int i = 0; i < 3 * mesh->num_vertices; i += 3) {
        for (int d = 0; d < 3 && j == 6; d++) x[i + d] = test_uniform(&random);
        if (j == 6) continue;
        x[i] = stretch[j].x * mesh->x[i];
        x[i + 1] = stretch[j].y * mesh->x[i + 1];
        x[i + 2] = stretch[j].z * mesh->x[i + 2];
      }
      take_stress(&r, body, x);
      CHECK(all_finite(r.vertex, 6 * (size_t)mesh->num_vertices) &&
            all_finite(r.cell, (size_t)mesh->num_cells));
      CHECK(isfinite(r.error.energy) && r.error.relative >= 0 && r.error.relative <= 1);
    }
    free_recovered(&r);
    sup_fem_body_destroy(&body);
    SUP_FREE(x);
  }
}

/* ---- a bar that bends ------------------------------------------------------------------------ */

/* The bar of case F04, 0.1 x 0.01 x 0.01 m with 10 n x n x n bricks or six tetrahedra each, bent by
 * 5 mN at its end: the largest deviation of the axial stress from F (L - x) z / I, over its value
 * at the surface there, 1500 Pa, on both surfaces in the middle of the length; `mean`: of means in
 * place of fits. */
static double bent_bar(sup_cell_type type, int n, double *mean) {
  const double     size[3] = {0.1, 0.01, 0.01}, force[3] = {0, 0, -0.005}, top = 1500;
  const int        cells[3] = {10 * n, n, n};
  sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 2.5e6, 0.3);
  test_random      random = {1};
  sup_mesh        *mesh = NULL;
  OK(sup_mesh_box(&mesh, size, cells, type == SUP_CELL_H8 ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN));
  if (type == SUP_CELL_T10) mesh = fem_test_quadratic(mesh, 0, &random);
  sup_fem_body   *body = fem_test_body(mesh, &material, 0);
  unsigned char  *held = NULL, *loaded = NULL;
  const sup_mesh *m = sup_fem_mesh(body);
  double         *f = fem_test_array(3 * (size_t)m->num_vertices),
         *x = fem_test_array(3 * (size_t)m->num_vertices), worst = 0;
  OK(SUP_CALLOC(held, m->num_vertices));
  OK(SUP_CALLOC(loaded, m->num_vertices));
  for (int i = 0; i < m->num_vertices; i++)
    held[i] = m->x[3 * i]<1e-9, loaded[i] = m->x[3 * i]> 0.1 - 1e-9;
  OK(sup_fem_traction(body, loaded, force, f));
  fem_test_statics(body, held, f, x);
  for (int i = 0; i < 3 * m->num_vertices; i++) x[i] += m->x[i];
  for (int method = 0; method < 2; method++) {
    recovered r = recover(body, x, method ? SUP_RECOVERY_PATCH : SUP_RECOVERY_MEAN);
    worst = 0;
    for (int i = 0; i < m->num_vertices; i++) {
      if (fabs(m->x[3 * i] - 0.05) > 1e-9 || fabs(fabs(m->x[3 * i + 2] - 0.005) - 0.005) > 1e-9)
        continue;
      worst = fmax(worst, fabs(r.vertex[6 * i] / top - (m->x[3 * i + 2] > 0.005 ? 1 : -1)));
    }
    if (!method) *mean = worst;
    free_recovered(&r);
  }
  sup_fem_body_destroy(&body);
  SUP_FREE(held), SUP_FREE(loaded), SUP_FREE(f), SUP_FREE(x);
  return worst;
}

static void surface_of_a_bent_bar_has_the_stress_of_the_beam(void) {
  const struct {
    sup_cell_type type;
    int           n;
    double        off;
  } row[] = {{SUP_CELL_H8, 1, 0.01},
             {SUP_CELL_H8, 2, 0.01},
             {SUP_CELL_T10, 1, 0.08},
             {SUP_CELL_T10, 2, 0.01},
             {SUP_CELL_T4, 4, 0.3}};
  for (int k = 0; k < 5; k++) {
    double mean, off = bent_bar(row[k].type, row[k].n, &mean);
    printf("%s n %d: %.4f (means %.4f); ", sup_cell_name(row[k].type), row[k].n, off, mean);
    CHECK(off < row[k].off && off < mean);
  }
}

static void running_out_of_memory_leaves_nothing_behind(void) {
  const sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR, 1, 0.3);
  for (int t = 0; t < NUM_TYPES; t++) {
    sup_fem_body *body = fem_test_body(fem_test_distorted_cell(types[t], 67), &material, forms[t]);
    sup_recovery *recovery = NULL;
    sup_status    status = SUP_E_MEMORY;
    int           k = 1;
    for (; status == SUP_E_MEMORY && k < 100; k++) {
      sup_memory_fail_at(k);
      status = sup_recovery_create(&recovery, body, SUP_RECOVERY_PATCH);
      CHECK((status == SUP_OK) == (recovery != NULL));
    }
    sup_memory_fail_at(0);
    CHECK(status == SUP_OK && k > 10);
    sup_recovery_destroy(&recovery);
    sup_recovery_destroy(&recovery);
    sup_fem_body_destroy(&body);
  }
}

/* ---- principal values ------------------------------------------------------------------------ */

static void check_principal(const double want[3], const sup_m3 *Q) {
  sup_m3 D = sup_m3_zero();
  double found[3], size = fmax(fabs(want[0]), fabs(want[2]));
  for (int i = 0; i < 3; i++) D.m[i][i] = want[i];
  sup_m3       S = sup_m3_mul(sup_m3_mul(*Q, D), sup_m3_transpose(*Q));
  const double six[6] = {S.m[0][0], S.m[1][1], S.m[2][2], S.m[0][1], S.m[1][2], S.m[0][2]};
  sup_fem_principal(1, six, found);
  for (int i = 0; i < 3; i++) NEAR(found[i], want[i], 0, 4e-15 * size);
  CHECK(found[0] >= found[1] && found[1] >= found[2]);
  double trace = six[0] + six[1] + six[2], det = sup_m3_det(&S),
         second = six[0] * six[1] + six[1] * six[2] + six[0] * six[2] - six[3] * six[3] -
                  six[4] * six[4] - six[5] * six[5];
  NEAR(found[0] + found[1] + found[2], trace, 0, 1e-14 * size);
  NEAR(found[0] * found[1] + found[1] * found[2] + found[0] * found[2], second, 0,
       1e-14 * size * size);
  NEAR(found[0] * found[1] * found[2], det, 0, 1e-14 * size * size * size);
}

static void principal_values_of_turned_tensors(void) {
  const double want[][3] = {{3, 2, 1},   {1, 1, 1},         {5, 5, -2},
                            {4, -1, -1}, {1e6, 1e-3, -1e6}, {0, 0, 0},
                            {7, 0, 0},   {-1, -2, -3},      {1 + 1e-9, 1, 1 - 1e-9}};
  test_random  random = {77};
  sup_m3       I = sup_m3_identity();
  for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
    check_principal(want[k], &I);
    for (int j = 0; j < 50; j++) {
      sup_m3 Q = fem_test_rotation(&random);
      check_principal(want[k], &Q);
    }
  }
  const double shear[6] = {0, 0, 0, 2, 0, 0};
  double       found[3];
  sup_fem_principal(1, shear, found);
  NEAR(found[0], 2, 1e-15, 0), NEAR(found[1], 0, 0, 1e-15), NEAR(found[2], -2, 1e-15, 0);
}

/* The third coordinate of the samples is a share of their size beside the first two. */
static void samples_nearly_in_a_plane_fit_no_line_across(void) {
  const double share[2] = {3e-4, 3e-5};
  for (int k = 0; k < 2; k++) {
    double x[3 * 8], Q[4 * 8], W[4 * 8];
    for (int i = 0; i < 8; i++) {
      x[3 * i] = i & 1 ? 1 : -1, x[3 * i + 1] = i & 2 ? 1 : -1;
      x[3 * i + 2] = x[3 * i] + (i & 4 ? share[k] : -share[k]);
    }
    CHECK(sup_patch_fit(x, 8, 4, Q, W) == (k == 0));
  }
}

/* ---- strength: bounds spare eigenvalues -------------------------------------------------------
 */

enum { FAR_BELOW = -1000000000 }; /* stress that no vertex has [Pa] */

/* Largest values over the vertices one by one: the others are pressed far below any. */
static sup_fem_strength largest_of_vertices(const recovered *r, const double *x,
                                            const sup_fem_stress *stress, int num_vertices,
                                            double *scratch) {
  sup_fem_strength most = {-HUGE_VAL, -HUGE_VAL, 0, {0, 0, 0}};
  double          *site = fem_test_array(6 * (size_t)num_vertices);
  for (int i = 0; i < num_vertices; i++) {
    for (int k = 0; k < 6 * num_vertices; k++) site[k] = k % 6 < 3 ? FAR_BELOW : 0;
    memcpy(site + 6 * i, r->vertex + 6 * i, 6 * sizeof *site);
    sup_fem_strength own = sup_recovery_strength(r->recovery, x, stress, site, scratch);
    most.stress = fmax(most.stress, own.stress), most.strain = fmax(most.strain, own.strain);
    if (own.use > most.use) most.use = own.use, most.place = own.place;
  }
  SUP_FREE(site);
  return most;
}

static void largest_stress_and_strain_are_those_of_a_vertex(void) {
  static const sup_material_model law[] = {SUP_MATERIAL_LINEAR, SUP_MATERIAL_COROTATIONAL,
                                           SUP_MATERIAL_STABLE_NEO_HOOKEAN};
  test_random                     random = {11};
  static const double             strain[] = {1e-4, .003, .03, .3, 1.2};
  for (int k = 0; k < 90; k++) {
    const int        t = k / 3 % 3; /* of types; bricks have no such law */
    sup_material_def material =
        fem_test_material(law[t == 1 ? k % 2 : k % 3], 1e6, k % 4 ? .3 : .49);
    material.strength = k & 1 ? 1e5 : 0, material.strain_at_break = k & 2 ? .2 : 0;
    sup_fem_body   *body = fem_test_body(fem_test_irregular_box(types[t], 48), &material, 0);
    const sup_mesh *mesh = sup_fem_mesh(body);
    const size_t    n = (size_t)mesh->num_vertices, cells = (size_t)mesh->num_cells;
    double *x = fem_test_array(3 * n), *scratch = fem_test_array(2 * n), bend = strain[k % 5];
    for (int i = 0; i < 3 * mesh->num_vertices; i++)
      x[i] = mesh->x[i] * (1 + bend * mesh->x[i - i % 3]) + bend / 50 * test_uniform(&random);
    recovered      r = recover(body, x, SUP_RECOVERY_PATCH);
    sup_fem_stress stress = {.cauchy = fem_test_array(9 * cells), .strain = fem_test_array(cells)};
    sup_fem_stress_at(body, x, NULL, &stress);
    const sup_fem_strength found = sup_recovery_strength(r.recovery, x, &stress, r.vertex, scratch);
    const sup_fem_strength want = largest_of_vertices(&r, x, &stress, mesh->num_vertices, scratch);
    NEAR(found.stress, want.stress, 1e-14, 0), NEAR(found.strain, want.strain, 1e-14, 0);
    NEAR(found.use, want.use, 1e-14, 0);
    CHECK(want.stress > 0 && want.strain > 0 && (want.use > 0) == (k % 4 > 0));
    SUP_FREE(x), SUP_FREE(scratch), SUP_FREE(stress.cauchy), SUP_FREE(stress.strain);
    free_recovered(&r), sup_fem_body_destroy(&body);
  }
}

SUITE_TESTS(recovery, TEST(linear_stress_comes_back_at_every_vertex),
            TEST(walls_of_one_cell_have_two_sides), TEST(a_single_cell_gives_what_it_can),
            TEST(constant_stress_is_kept_and_has_no_error),
            TEST(estimate_approaches_the_true_error), TEST(turned_bodies_have_turned_stress),
            TEST(crumpled_flat_and_inverted_cells_give_numbers),
            TEST(surface_of_a_bent_bar_has_the_stress_of_the_beam),
            TEST(principal_values_of_turned_tensors),
            TEST(largest_stress_and_strain_are_those_of_a_vertex),
            TEST(running_out_of_memory_leaves_nothing_behind),
            TEST(samples_nearly_in_a_plane_fit_no_line_across));
