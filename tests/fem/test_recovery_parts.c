/* Stress at the vertices of bodies of several materials: it jumps at interfaces, which is no error.
 */
#include "fem/body_parts.h"
#include "fem/recovery/recovery.h"
#include "fem_test.h"

static const sup_cell_type types[] = {SUP_CELL_T4, SUP_CELL_H8, SUP_CELL_T10};
enum { NUM_TYPES = 3 };

/* A bar 0.4 x 0.2 x 0.1 m with cells of size 0.1 / n, of two materials: the second beyond `at`
 * along direction d. */
typedef struct bar {
  sup_fem_body    *body;
  const sup_mesh  *mesh;
  sup_material_def material[2];
  int              d;
  double           at;
  sup_recovery    *recovery;
  double          *point, *site, *vertex, *cell, *x;
  sup_stress_error error;
} bar;

static bar make_bar(sup_cell_type type, int n, int d, double at, double nu) {
  const double size[3] = {.4, .2, .1};
  const int    count[3] = {4 * n, 2 * n, n};
  bar          b = {.material = {fem_test_material(SUP_MATERIAL_LINEAR, 1e6, nu),
                                 fem_test_material(SUP_MATERIAL_LINEAR, 7e6, nu)},
                    .d = d,
                    .at = at};
  test_random  random = {1};
  int         *part = NULL;
  sup_mesh    *mesh = NULL;
  OK(sup_mesh_box(&mesh, size, count, type == SUP_CELL_H8 ? SUP_PATTERN_HEX : SUP_PATTERN_MIRROR));
  if (type == SUP_CELL_T10) mesh = fem_test_quadratic(mesh, 0, &random);
  OK(SUP_CALLOC(part, mesh->num_cells));
  int vertices = sup_cell_num_vertices(type);
  for (int k = 0; k < vertices * mesh->num_cells; k++)
    if (mesh->x[3 * mesh->cell[k] + d] > at + 1e-9) part[k / vertices] = 1;
  OK(sup_fem_body_create_parts(&b.body, mesh, 2, b.material, part, 0));
  b.mesh = sup_fem_mesh(b.body);
  OK(sup_recovery_create(&b.recovery, b.body, SUP_RECOVERY_PATCH));
  b.point = fem_test_array(6 * (size_t)(mesh->num_cells * sup_fem_num_points(b.body)));
  b.site = fem_test_array(6 * (size_t)sup_recovery_num_sites(b.recovery));
  b.vertex = fem_test_array(6 * (size_t)mesh->num_vertices);
  b.cell = fem_test_array((size_t)mesh->num_cells);
  b.x = fem_test_array(3 * (size_t)mesh->num_vertices);
  sup_mesh_destroy(&mesh);
  SUP_FREE(part);
  return b;
}

static void free_bar(bar *b) {
  sup_recovery_destroy(&b->recovery);
  sup_fem_body_destroy(&b->body);
  SUP_FREE(b->point), SUP_FREE(b->site), SUP_FREE(b->vertex), SUP_FREE(b->cell), SUP_FREE(b->x);
}

/* From the stress at the points of the cells. */
static void recover(bar *b) {
  sup_recovery_apply(b->recovery, b->point, b->site);
  sup_recovery_mean(b->recovery, b->site, b->vertex);
  b->error = sup_recovery_error(b->recovery, b->point, b->site, b->cell);
}

static void take_stress(bar *b, const double *u) {
  sup_fem_stress stress = {.point = b->point};
  for (int i = 0; i < 3 * b->mesh->num_vertices; i++) b->x[i] = b->mesh->x[i] + u[i];
  sup_fem_stress_at(b->body, b->x, NULL, &stress);
  recover(b);
}

static int is_on_interface(const bar *b, int vertex) {
  return fabs(b->mesh->x[3 * vertex + b->d] - b->at) < 1e-9;
}

/* Component i of the field of material m. */
static double field_at(sup_v3 x, int i, int m) {
  double k = 1 + i + 9 * m;
  return 2 - 7 * m + k * x.x - 3 * x.y + (5 - k) * x.z;
}

/* Each side of an interface has its own field; their mean stands at the vertex, by volume.  */
static void each_side_of_an_interface_has_its_own_stress(void) {
  for (int k = 0; k < 3 * NUM_TYPES; k++) {
    sup_cell_type type = types[k / 3];
    int           interface = 0;
    bar           b = make_bar(type, 2, k % 3, k % 3 == 0 ? .2 : k % 3 == 1 ? .1 : .05, .3);
    int           n = sup_fem_num_points(b.body);
    for (int p = 0; p < n * b.mesh->num_cells; p++) {
      double N[SUP_CELL_MAX_VERTICES];
      sup_v3 x = {0, 0, 0};
      b.body->element->shape(p % n, N);
      for (int a = 0; a < sup_cell_num_vertices(type); a++)
        x = sup_v3_madd(x, N[a], sup_mesh_vertex(b.mesh, sup_mesh_cell(b.mesh, p / n)[a]));
      for (int i = 0; i < 6; i++)
        b.point[6 * p + i] = field_at(x, i, sup_fem_cell_material(b.body)[p / n]);
    }
    recover(&b);
    CHECK(sup_recovery_num_means(b.recovery) == 0);
    for (int i = 0, site = 0; i < b.mesh->num_vertices; i++) {
      sup_v3 x = sup_mesh_vertex(b.mesh, i);
      int    both = is_on_interface(&b, i), m = b.mesh->x[3 * i + b.d] > b.at;
      for (int j = 0; j < 6; j++) {
        double low = field_at(x, j, 0), high = field_at(x, j, 1);
        NEAR(b.site[6 * site + j], both || m == 0 ? low : high, 0, 1e-10);
        if (!both) NEAR(b.vertex[6 * i + j], b.site[6 * site + j], 0, 1e-12);
        if (!both) continue;
        NEAR(b.site[6 * (site + 1) + j], high, 0, 1e-10);
        NEAR(b.vertex[6 * i + j], .5 * (low + high), 0,
             1e-10); /* mirrored cells: as much on both sides */
      }
      site += 1 + both, interface += both;
    }
    CHECK(interface > 0 && sup_recovery_num_sites(b.recovery) == b.mesh->num_vertices + interface);
    free_bar(&b);
  }
}

/* nu = 0: the bar that is pulled has one strain with the materials side by side, and one stress
 * with one behind the other; both are constant in each material. */
static void bars_in_parallel_and_in_series_have_no_error(void) {
  const double eps = 1e-3, length = .4;
  for (int k = 0; k < 3 * NUM_TYPES; k++) {
    int            d = k % 3, n;
    bar            b = make_bar(types[k / 3], 2, d, d == 0 ? .1 : d == 1 ? .1 : .05, 0);
    unsigned char *held = NULL;
    n = b.mesh->num_vertices;
    double *u = fem_test_array(3 * (size_t)n), *f = fem_test_array(3 * (size_t)n);
    OK(SUP_CALLOC(held, n));
    for (int i = 0; i < n; i++) {
      held[i] = b.mesh->x[3 * i] < 1e-9 || b.mesh->x[3 * i] > length - 1e-9;
      u[3 * i] = b.mesh->x[3 * i] < 1e-9 ? 0 : eps * length;
    }
    fem_test_statics(b.body, held, f, u);
    take_stress(&b, u);
    double stress[2] = {1e6 * eps, 7e6 * eps};
    if (d == 0) stress[0] = stress[1] = eps / (.25 / 1e6 + .75 / 7e6);
    for (int i = 0, site = 0; i < n; i++) {
      int both = is_on_interface(&b, i), m = b.mesh->x[3 * i + d] > b.at;
      NEAR(b.site[6 * site], stress[both ? 0 : m], 1e-9, 0);
      if (both) NEAR(b.site[6 * (site + 1)], stress[1], 1e-9, 0);
      NEAR(b.vertex[6 * i], both ? .5 * (stress[0] + stress[1]) : stress[m], 1e-9, 0);
      site += 1 + both;
    }
    CHECK(b.error.relative < 1e-9 && b.error.stress_energy > 0);
    free_bar(&b);
    SUP_FREE(held), SUP_FREE(u), SUP_FREE(f);
  }
}

/* Pure bending of curvature 1 about y = 0.07, exact for one nu in both materials: stress E (y -
 * 0.07) along x alone. */
static void bend(const double *x, double nu, double u[3]) {
  double y = x[1] - .07;
  u[0] = x[0] * y, u[1] = -.5 * (x[0] * x[0] + nu * (y * y - x[2] * x[2])), u[2] = -nu * y * x[2];
}

/* The bimaterial bar with bent ends; its estimate. */
static double bent(sup_cell_type type, int n) {
  bar            b = make_bar(type, n, 1, .1, .3);
  double        *u = fem_test_array(3 * (size_t)b.mesh->num_vertices);
  double        *f = fem_test_array(3 * (size_t)b.mesh->num_vertices);
  unsigned char *held = NULL;
  OK(SUP_CALLOC(held, b.mesh->num_vertices));
  for (int i = 0; i < b.mesh->num_vertices; i++) {
    held[i] = fabs(b.mesh->x[3 * i] - .2) > .2 - 1e-9;
    if (held[i]) bend(b.mesh->x + 3 * i, .3, u + 3 * i);
  }
  fem_test_statics(b.body, held, f, u);
  take_stress(&b, u);
  double relative = b.error.relative;
  for (int i = 0, site = 0; i < b.mesh->num_vertices && type != SUP_CELL_T4; i++) {
    double strain = b.mesh->x[3 * i + 1] - .07;
    int    both = is_on_interface(&b, i);
    NEAR(b.site[6 * site], (both || strain < .03 ? 1e6 : 7e6) * strain, 0, 1e-4);
    if (both) NEAR(b.site[6 * (site + 1)], 7e6 * strain, 0, 1e-4);
    site += 1 + both;
  }
  free_bar(&b);
  SUP_FREE(u), SUP_FREE(f), SUP_FREE(held);
  return relative;
}

static void bent_bimaterial_bar_has_the_error_of_its_elements(void) {
  double coarse = bent(SUP_CELL_T4, 2), fine = bent(SUP_CELL_T4, 4);
  printf("T4: %.4f, %.4f; ", coarse, fine);
  CHECK(log2(coarse / fine) > .85 && log2(coarse / fine) < 1.3);
  for (int t = 1; t < NUM_TYPES; t++) CHECK(bent(types[t], 2) < 1e-8);
}

/* A bar with a load at its end, nu = 0: stress E (0.4 - x)(y - 0.07), of the displacements at the
 * vertices. */
static double loaded(sup_cell_type type, int n) {
  bar     b = make_bar(type, n, 1, .1, 0);
  double *u = fem_test_array(3 * (size_t)b.mesh->num_vertices);
  for (int i = 0; i < b.mesh->num_vertices; i++) {
    double x = b.mesh->x[3 * i], y = b.mesh->x[3 * i + 1] - .07;
    u[3 * i] = (.4 * x - .5 * x * x) * y, u[3 * i + 1] = -(.2 * x * x - x * x * x / 6);
  }
  take_stress(&b, u);
  double relative = b.error.relative;
  free_bar(&b);
  SUP_FREE(u);
  return relative;
}

static void the_estimate_has_the_order_of_the_element(void) {
  const double order[NUM_TYPES] = {1, 1, 2};
  for (int t = 0; t < NUM_TYPES; t++) {
    double e[2] = {loaded(types[t], 2), loaded(types[t], 4)};
    printf("%s: %.2e, %.2e; ", sup_cell_name(types[t]), e[0], e[1]);
    CHECK(log2(e[0] / e[1]) > order[t] - .15 && e[1] > 1e-6);
  }
}

static void running_out_of_memory_leaves_nothing_behind(void) {
  bar        b = make_bar(SUP_CELL_H8, 1, 0, .2, .3);
  sup_status status = SUP_E_MEMORY;
  int        k = 1;
  sup_recovery_destroy(&b.recovery);
  for (; status == SUP_E_MEMORY && k < 100; k++) {
    sup_memory_fail_at(k);
    status = sup_recovery_create(&b.recovery, b.body, SUP_RECOVERY_PATCH);
    CHECK((status == SUP_OK) == (b.recovery != NULL));
  }
  sup_memory_fail_at(0);
  CHECK(status == SUP_OK && k > 15);
  free_bar(&b);
}

SUITE_TESTS(recovery_parts, TEST(each_side_of_an_interface_has_its_own_stress),
            TEST(bars_in_parallel_and_in_series_have_no_error),
            TEST(bent_bimaterial_bar_has_the_error_of_its_elements),
            TEST(the_estimate_has_the_order_of_the_element),
            TEST(running_out_of_memory_leaves_nothing_behind));
