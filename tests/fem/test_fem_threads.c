/* Bodies that several threads assemble: the bits of one thread. */
#include <omp.h>

#include "base/share.h"
#include "fem/body_parts.h"
#include "fem/fem_test.h"
#include "fem/recovery/recovery.h"

enum { THREADS = 3, RESULTS = 16 };

typedef struct results {
  int      num;
  uint64_t hash[RESULTS];
} results;

static void keep(results *r, const void *bytes, size_t size) {
  const unsigned char *byte = bytes;
  uint64_t             h = 14695981039346656037u;
  for (size_t i = 0; i < size; i++) h = (h ^ byte[i]) * 1099511628211u;
  CU_ASSERT_FATAL(r->num < RESULTS);
  r->hash[r->num++] = h;
}

/** A bar of enough cells for three threads, with irregular inner vertices and two materials. */
typedef struct bar {
  sup_fem_body *body;
  sup_recovery *recovery;
  size_t        vertices, cells, values, points, sites;
  double *x, *v, *A, *f, *damping, *cell_work, *pull, *strain, *reference, *point, *site, *error,
      *c;
  sup_m3 *R;
} bar;

static sup_mesh *bar_mesh(sup_cell_type type) {
  static const double size[3] = {1.6, .5, .5};
  static const int    bricks[3] = {32, 6, 6}, kuhn[3] = {32, 6, 6}, quadratic[3] = {16, 3, 3};
  sup_mesh           *mesh = NULL, *t10 = NULL;
  const int          *n = type == SUP_CELL_H8 ? bricks : type == SUP_CELL_T4 ? kuhn : quadratic;
  OK(sup_mesh_box(&mesh, size, n, type == SUP_CELL_H8 ? SUP_PATTERN_HEX : SUP_PATTERN_KUHN));
  if (type != SUP_CELL_T10) return mesh;
  OK(sup_mesh_to_t10(&t10, mesh));
  sup_mesh_destroy(&mesh);
  return t10;
}

/** Cell c of the mesh that mix() has made is this one of the mesh before; 2311 has no factor in
 * common with the numbers of cells of the bars. */
static int mixed_from(int c, int num_cells) { return (int)((long)c * 2311 % num_cells); }

static sup_mesh *mix(const sup_mesh *mesh) {
  sup_mesh *mixed = NULL;
  int       n = sup_cell_num_vertices(mesh->type);
  OK(sup_mesh_copy(&mixed, mesh));
  for (int c = 0; c < mesh->num_cells; c++)
    memcpy(mixed->cell + n * c, sup_mesh_cell(mesh, mixed_from(c, mesh->num_cells)),
           (size_t)n * sizeof *mesh->cell);
  return mixed;
}

static bar make_bar(const sup_mesh *mesh, sup_material_model model, int form) {
  test_random      random = {17};
  sup_material_def material[2] = {fem_test_material(model, 2e5, .3),
                                  fem_test_material(model, 5e5, .4)};
  int             *cell_material = NULL;
  bar              b = {.vertices = (size_t)mesh->num_vertices, .cells = (size_t)mesh->num_cells};
  material[0].stiffness_damping = .01, material[1].mass_damping = .2;
  OK(SUP_CALLOC(cell_material, mesh->num_cells));
  for (int c = 0; c < mesh->num_cells; c++) cell_material[c] = c > mesh->num_cells / 3;
  OK(sup_fem_body_create_parts(&b.body, mesh, 2, material, cell_material, form));
  OK(sup_recovery_create(&b.recovery, b.body, SUP_RECOVERY_PATCH));
  b.values = sup_block_pattern_num_values(sup_fem_pattern(b.body));
  b.points = 6 * b.cells * (size_t)sup_fem_num_points(b.body);
  b.sites = 6 * (size_t)sup_recovery_num_sites(b.recovery);
  double *x = fem_test_array(3 * b.vertices), *v = fem_test_array(3 * b.vertices);
  for (size_t i = 0; i < 3 * b.vertices; i++)
    x[i] = (i % 3 ? .98 : 1.05) * mesh->x[i] + .002 * test_uniform(&random),
    v[i] = test_uniform(&random);
  b.x = x, b.v = v, b.A = fem_test_array(b.values), b.f = fem_test_array(3 * b.vertices);
  b.damping = fem_test_array(3 * b.vertices), b.cell_work = fem_test_array(b.cells);
  b.c = fem_test_array(b.vertices);
  for (size_t i = 0; i < b.vertices; i++) b.c[i] = i % 5 ? 1.5 : 1;
  b.pull = aligned_alloc(64, sup_fem_tension_size(b.body) * sizeof(double));
  b.strain = aligned_alloc(64, (sup_fem_strain_size(b.body) + 8) / 8 * 64);
  b.reference = aligned_alloc(64, (sup_fem_strain_size(b.body) + 8) / 8 * 64);
  memset(b.strain, 0, (sup_fem_strain_size(b.body) + 8) / 8 * 64);
  memset(b.reference, 0, (sup_fem_strain_size(b.body) + 8) / 8 * 64);
  b.point = fem_test_array(b.points), b.site = fem_test_array(b.sites);
  b.error = fem_test_array(b.cells);
  OK(SUP_CALLOC(b.R, b.cells));
  SUP_FREE(cell_material);
  return b;
}

static void free_bar(bar *b) {
  double **array[] = {&b->x,     &b->v,    &b->A,         &b->f,     &b->damping,
                      &b->pull,  &b->c,    &b->cell_work, &b->point, &b->strain,
                      &b->error, &b->site, &b->reference};
  sup_recovery_destroy(&b->recovery);
  sup_fem_body_destroy(&b->body);
  for (size_t k = 0; k < sizeof array / sizeof *array; k++) SUP_FREE(*array[k]);
  SUP_FREE(b->R);
}

/** A, p and what they are made of; twice, as a step that is made again. */
static void assemble(bar *b, results *r) {
  sup_fem_prediction ahead = {b->v, b->damping, b->cell_work, 0};
  sup_v3             w = {.1, -.2, .3};
  int                inverted, is_linear = sup_fem_body_is_linear(b->body);
  for (int round = 0; round < 2; round++) {
    r->num = 0;
    sup_fem_rotations(b->body, b->x, b->R, &inverted);
    keep(r, b->R, b->cells * sizeof *b->R), keep(r, &inverted, sizeof inverted);
    sup_fem_step_system(b->body, b->R, b->x, .01, b->c, 1.5, w, is_linear ? &ahead : NULL, NULL,
                        NULL, b->A, b->f, is_linear ? b->pull : NULL);
    keep(r, b->A, b->values * sizeof *b->A), keep(r, b->f, 3 * b->vertices * sizeof *b->f);
    if (!is_linear) continue;
    double work[2] = {ahead.work, sup_fem_tension_work(b->body, b->R, b->pull, b->v)};
    CHECK(work[0] != 0 && work[1] > 0);
    keep(r, work, sizeof work), keep(r, b->damping, 3 * b->vertices * sizeof *b->damping);
    keep(r, b->pull, sup_fem_tension_size(b->body) * sizeof *b->pull);
    sup_fem_add_damping_force(b->body, b->R, b->v, -.01, b->f);
    keep(r, b->f, 3 * b->vertices * sizeof *b->f);
  }
}

/** Terms of a body solved to the step's end: energy, force and both stiffnesses with damping. */
static void take_nonlinear(bar *b, results *r) {
  sup_fem_increment inc = {b->reference, 100};
  double            energy = sup_fem_step_energy(b->body, b->R, b->x, &inc);
  CHECK(isfinite(energy) && energy > 0);
  sup_fem_strains(b->body, b->R, b->x, b->strain);
  keep(r, &energy, sizeof energy);
  keep(r, b->strain, sup_fem_strain_size(b->body) * sizeof *b->strain);
  sup_fem_step_force(b->body, b->R, b->x, &inc, b->f);
  keep(r, b->f, 3 * b->vertices * sizeof *b->f);
  for (int is_exact = 0; is_exact < 2; is_exact++) {
    sup_fem_mass_matrix(b->body, 2, b->A);
    sup_fem_add_step_stiffness(b->body, b->R, b->x, 1e-4, &inc, is_exact, b->A);
    sup_fem_add_tension(b->body, b->R, b->x, 1e-4, (sup_v3){0, 0, 0}, NULL, b->A, NULL);
    keep(r, b->A, b->values * sizeof *b->A);
  }
}

/** Output quantities: energy, stress, recovered stress and its error. */
static void observe(bar *b, results *r) {
  double energy = sup_fem_elastic_energy(b->body, b->R, b->x);
  keep(r, &energy, sizeof energy);
  sup_fem_stress_at(b->body, b->x, NULL, &(sup_fem_stress){.point = b->point});
  keep(r, b->point, b->points * sizeof *b->point);
  sup_recovery_apply(b->recovery, b->point, b->site);
  keep(r, b->site, b->sites * sizeof *b->site);
  sup_stress_error error = sup_recovery_error(b->recovery, b->point, b->site, b->error);
  CHECK(energy > 0 && error.relative > 0);
  keep(r, &error, sizeof error), keep(r, b->error, b->cells * sizeof *b->error);
}

static void check(const sup_mesh *mesh, sup_material_model model, int form,
                  void (*part)(bar *b, results *r)) {
  bar     b = make_bar(mesh, model, form);
  results first = {0};
  int     before = omp_get_max_threads();
  sup_fem_rotations(b.body, b.x, b.R, &first.num);
  for (int threads = 1; threads <= THREADS; threads++) {
    results r = {0};
    omp_set_num_threads(threads);
    CHECK(sup_fem_threads(b.body) == threads); /* the bar is worth that many */
    part(&b, &r);
    if (threads == 1) first = r;
    CHECK(r.num == first.num);
    for (int k = 0; k < r.num; k++) CHECK(r.hash[k] == first.hash[k]);
  }
  omp_set_num_threads(before);
  free_bar(&b);
}

typedef struct kind {
  sup_cell_type      type;
  sup_material_model model;
  int                form;
} kind;

static const kind kinds[] = {
    {SUP_CELL_H8, SUP_MATERIAL_LINEAR_COROTATIONAL, SUP_FEM_LUMPED},
    {SUP_CELL_H8, SUP_MATERIAL_COROTATIONAL, SUP_FEM_CONSISTENT},
    {SUP_CELL_H8, SUP_MATERIAL_COROTATIONAL, SUP_FEM_LUMPED | SUP_FEM_SOLID_SHELL},
    {SUP_CELL_T4, SUP_MATERIAL_LINEAR_COROTATIONAL, SUP_FEM_CONSISTENT},
    {SUP_CELL_T4, SUP_MATERIAL_STABLE_NEO_HOOKEAN, SUP_FEM_LUMPED},
    {SUP_CELL_T10, SUP_MATERIAL_LINEAR_COROTATIONAL, SUP_FEM_LUMPED},
    {SUP_CELL_T10, SUP_MATERIAL_COROTATIONAL, SUP_FEM_LUMPED},
    {SUP_CELL_T10, SUP_MATERIAL_NEO_HOOKEAN, SUP_FEM_LUMPED | SUP_FEM_MEAN_DILATATION}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void check_kind(const kind *of, int is_mixed, void (*part)(bar *b, results *r)) {
  sup_mesh *mesh = bar_mesh(of->type);
  if (of->form & SUP_FEM_SOLID_SHELL) /* two thirds of the cells are thin */
    for (int i = 0; i < mesh->num_vertices; i++)
      mesh->x[3 * i + 2] *= mesh->x[3 * i + 2] > .34 ? 1 : .2;
  sup_mesh *mixed = mix(mesh);
  check(is_mixed ? mixed : mesh, of->model, of->form, part);
  sup_mesh_destroy(&mesh), sup_mesh_destroy(&mixed);
}

static void a_body_is_assembled_with_the_bits_of_one_thread(void) {
  for (int k = 0; k < KINDS; k++) check_kind(&kinds[k], 0, assemble);
}

static void energies_and_tangents_have_the_bits_of_one_thread(void) {
  for (int k = 0; k < KINDS; k++)
    if (kinds[k].model != SUP_MATERIAL_LINEAR_COROTATIONAL)
      check_kind(&kinds[k], 0, take_nonlinear);
}

static void stress_its_recovery_and_its_error_have_the_bits_of_one_thread(void) {
  for (int k = 0; k < KINDS; k++) check_kind(&kinds[k], 0, observe);
}

/* ---- cells whose neighbours are far away in number ------------------------------------------- */

/** They are put in an order that threads can share, and every range then has little more than its
 * part. */
static void cells_without_order_are_put_in_one(void) {
  for (int type = 0; type < SUP_NUM_CELL_TYPES; type++) {
    sup_material_def material = fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 2e5, .3);
    sup_mesh        *mesh = bar_mesh((sup_cell_type)type), *mixed = mix(mesh);
    sup_fem_body    *plain = NULL, *body = NULL;
    OK(sup_fem_body_create(&plain, mesh, &material, SUP_FEM_LUMPED));
    OK(sup_fem_body_create(&body, mixed, &material, SUP_FEM_LUMPED));
    CHECK(plain->number == NULL && body->number != NULL);
    CHECK(sup_ranges_longest(&body->batch_ranges, 2) < .6 * body->batch_ranges.num_items);
    for (int c = 0; c < mesh->num_cells; c++) CHECK(body->place[body->number[c]] == c);
    CHECK(memcmp(sup_fem_mesh(body)->cell, mixed->cell,
                 (size_t)(sup_cell_num_vertices(mesh->type) * mesh->num_cells) *
                     sizeof *mixed->cell) == 0);
    sup_fem_body_destroy(&plain), sup_fem_body_destroy(&body);
    sup_mesh_destroy(&mesh), sup_mesh_destroy(&mixed);
  }
}

/** Results of a body of two materials at its cells and vertices. */
typedef struct view {
  double *von_mises, *stiffness, *error, *site, *mean, *f, energy;
} view;

static view recover(const sup_mesh *mesh, const int *cell_material, const double *x) {
  sup_material_def material[2] = {fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 2e5, .3),
                                  fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 5e5, .4)};
  sup_fem_body    *body = NULL;
  sup_recovery    *recovery = NULL;
  int              inverted;
  OK(sup_fem_body_create_parts(&body, mesh, 2, material, cell_material, SUP_FEM_LUMPED));
  OK(sup_recovery_create(&recovery, body, SUP_RECOVERY_PATCH));
  CHECK(memcmp(sup_fem_cell_material(body), cell_material,
               (size_t)mesh->num_cells * sizeof *cell_material) == 0);
  view    v = {.von_mises = fem_test_array((size_t)mesh->num_cells),
               .stiffness = fem_test_array((size_t)mesh->num_cells),
               .error = fem_test_array((size_t)mesh->num_cells),
               .site = fem_test_array(6 * (size_t)sup_recovery_num_sites(recovery)),
               .mean = fem_test_array((size_t)mesh->num_vertices),
               .f = fem_test_array(3 * (size_t)mesh->num_vertices)};
  double *point = fem_test_array(6 * (size_t)(sup_fem_num_points(body) * mesh->num_cells));
  sup_m3 *R = NULL;
  OK(SUP_CALLOC(R, mesh->num_cells));
  sup_fem_rotations(body, x, R, &inverted);
  sup_fem_elastic_force(body, R, x, v.f);
  v.energy = sup_fem_elastic_energy(body, R, x);
  sup_fem_stress_at(body, x, NULL, &(sup_fem_stress){.von_mises = v.von_mises, .point = point});
  sup_recovery_apply(recovery, point, v.site);
  sup_recovery_error(recovery, point, v.site, v.error);
  sup_fem_vertex_average(body, v.von_mises, v.mean);
  for (int c = 0; c < mesh->num_cells; c++) v.stiffness[c] = sup_fem_face_stiffness(body, c, 1e-4);
  SUP_FREE(point), SUP_FREE(R);
  sup_recovery_destroy(&recovery);
  sup_fem_body_destroy(&body);
  return v;
}

static void free_view(view *v) {
  double **array[] = {&v->von_mises, &v->stiffness, &v->error, &v->site, &v->mean, &v->f};
  for (size_t k = 0; k < sizeof array / sizeof *array; k++) SUP_FREE(*array[k]);
}

/** Cells keep their numbers, whatever the order in which the body goes over them. */
static void cells_without_order_keep_their_numbers(void) {
  for (int type = 0; type < SUP_NUM_CELL_TYPES; type++) {
    test_random random = {23};
    sup_mesh   *mesh = bar_mesh((sup_cell_type)type), *mixed = mix(mesh);
    int         n = mesh->num_cells, *material = NULL, *mixed_material = NULL;
    double     *x = fem_test_array(3 * (size_t)mesh->num_vertices);
    OK(SUP_CALLOC(material, n));
    OK(SUP_CALLOC(mixed_material, n));
    for (int i = 0; i < 3 * mesh->num_vertices; i++)
      x[i] = (i % 3 ? .98 : 1.05) * mesh->x[i] + .002 * test_uniform(&random);
    for (int c = 0; c < n; c++) material[c] = c > n / 3;
    for (int c = 0; c < n; c++) mixed_material[c] = material[mixed_from(c, n)];
    view a = recover(mesh, material, x), b = recover(mixed, mixed_material, x);
    for (int c = 0; c < n; c++) {
      NEAR(b.von_mises[c], a.von_mises[mixed_from(c, n)], 1e-9, 1e-6);
      NEAR(b.stiffness[c], a.stiffness[mixed_from(c, n)], 1e-12, 0);
      NEAR(b.error[c], a.error[mixed_from(c, n)], 1e-6, 1e-12 * a.energy);
    }
    for (int i = 0; i < mesh->num_vertices; i++) NEAR(b.mean[i], a.mean[i], 1e-9, 1e-6);
    for (int i = 0; i < 3 * mesh->num_vertices; i++) NEAR(b.f[i], a.f[i], 1e-9, 1e-9);
    NEAR(b.energy, a.energy, 1e-10, 0);
    free_view(&a), free_view(&b);
    SUP_FREE(x), SUP_FREE(material), SUP_FREE(mixed_material);
    sup_mesh_destroy(&mesh), sup_mesh_destroy(&mixed);
  }
}

static void a_mesh_without_order_is_assembled_with_the_same_bits(void) {
  for (int k = 0; k < KINDS; k++) {
    check_kind(&kinds[k], 1, assemble);
    check_kind(&kinds[k], 1, observe);
  }
}

SUITE_TESTS(fem_threads, TEST(a_body_is_assembled_with_the_bits_of_one_thread),
            TEST(energies_and_tangents_have_the_bits_of_one_thread),
            TEST(stress_its_recovery_and_its_error_have_the_bits_of_one_thread),
            TEST(cells_without_order_are_put_in_one), TEST(cells_without_order_keep_their_numbers),
            TEST(a_mesh_without_order_is_assembled_with_the_same_bits));
