/* Laws at points in batches against the laws one point after another, in every instruction set that
 * runs here.  Damping: tests/fem/test_increment.c. */
#include "fem/body_parts.h"
#include "fem/kernel/point_batch.h"
#include "fem_test.h"

enum { MAX_SETS = 3, NUM_LAWS = 5, N = 10, PAIRS = N * (N + 1) / 2, SIZE = 3 * N };

static int find_sets(const sup_point_kernels **set) {
  int count = 0;
  for (int k = 0, end = 0;; k++) {
    const sup_point_kernels *kernels = sup_point_kernels_set(k, &end);
    if (end) return count;
    if (kernels) set[count++] = kernels;
  }
}

/** T4, T10, T10 with the mean of the dilatation, of all laws. */
typedef struct setup {
  sup_fem_body *body;
  double       *x;
} setup;

/** @param[in] strain  size of random displacements over an edge: above .5 cells turn inside out */
static setup make_setup(int kind, double strain) {
  sup_material_def material[NUM_LAWS];
  test_random      random = {29};
  sup_mesh        *mesh = fem_test_irregular_box(kind == 0 ? SUP_CELL_T4 : SUP_CELL_T10, 30);
  setup            s = {0};
  int             *cell_material = NULL;
  sup_m3           Q = fem_test_rotation(&random);
  for (int k = 0; k < NUM_LAWS; k++)
    material[k] = fem_test_material((sup_material_model)(SUP_MATERIAL_COROTATIONAL + k), 3 + k,
                                    .25 + .05 * k);
  OK(SUP_CALLOC(cell_material, mesh->num_cells));
  for (int c = 0; c < mesh->num_cells; c++) cell_material[c] = c % NUM_LAWS;
  OK(sup_fem_body_create_parts(&s.body, mesh, NUM_LAWS, material, cell_material,
                               kind == 2 ? SUP_FEM_MEAN_DILATATION : 0));
  s.x = fem_test_array(3 * (size_t)mesh->num_vertices);
  for (int a = 0; a < 3 * mesh->num_vertices; a += 3) {
    sup_v3 u = {test_uniform(&random), test_uniform(&random), test_uniform(&random)};
    sup_v3_store(s.x + a, sup_m3_apply(Q, sup_v3_madd(sup_v3_load(mesh->x + a), .2 * strain, u)));
  }
  SUP_FREE(cell_material);
  sup_mesh_destroy(&mesh);
  return s;
}

static void free_setup(setup *s) {
  sup_fem_body_destroy(&s->body);
  SUP_FREE(s->x);
}

/** The cells of batch k from `first` on. */
static sup_batch cells_of(const setup *s, int k, int first, int count, sup_point_batch *out) {
  sup_batch batch = sup_fem_batch(s->body, k);
  if (count > batch.num_cells - first) count = batch.num_cells - first;
  *out = (sup_point_batch){
      .X = s->body->mesh->x, .x = s->x, .is_mean = s->body->element == &sup_element_t10b};
  for (int l = 0; l < count; l++) {
    int                   c = SUP_BATCH * k + first + l;
    const sup_fem_matter *m = sup_fem_matter_of(s->body, c);
    out->law[l] = m->law, out->lame[l] = m->lame;
    out->volume[l] = sup_fem_volume_of(s->body, c), out->turns[l] = 1;
    out->gradient[l] = sup_fem_gradient_of(s->body, c), out->stiff[l] = 1.5;
  }
  batch.num_cells = count, batch.cell += batch.num_vertices * first;
  return batch;
}

/** A cell by the laws at its points. */
typedef struct expected {
  double energy, f[SIZE], K[SIZE][SIZE];
} expected;

static void add_blocks(expected *e, int n, double factor, const sup_v3 *h) {
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      sup_m3 block = sup_m3_outer(h[a], h[b]);
      for (int i = 0; i < 9; i++)
        e->K[3 * a + i / 3][3 * b + i % 3] += factor * block.m[i / 3][i % 3];
    }
}

static expected expect(const setup *s, int c, int project) {
  const sup_element    *element = s->body->element;
  const sup_fem_matter *m = sup_fem_matter_of(s->body, c);
  const int            *cell = sup_mesh_cell(s->body->mesh, c);
  int                   n = element->num_vertices, num = 1, is_mean = element == &sup_element_t10b;
  double volume = sup_fem_volume_of(s->body, c), weight[SUP_ELEMENT_MAX_POINTS] = {volume},
         mean = 0, g[SUP_ELEMENT_MAX_POINTS * SIZE], X[SIZE], slope[2] = {0, 0};
  sup_m3   F[SUP_ELEMENT_MAX_POINTS] = {{{{0}}}};
  sup_v3   change[N] = {{0, 0, 0}};
  expected e = {0};
  sup_fem_gather(s->body->mesh->x, cell, n, X);
  if (element->integration)
    num = element->integration(X, weight, g);
  else
    memcpy(g, sup_fem_gradient_of(s->body, c), 12 * sizeof *g);
  for (int q = 0; q < num; q++) {
    for (int a = 0; a < n; a++)
      F[q] = sup_m3_add(
          F[q], sup_m3_outer(sup_v3_load(s->x + 3 * cell[a]), sup_v3_load(g + 3 * (n * q + a))));
    if (is_mean) mean += weight[q] / volume * sup_fem_dilatation(m->law, &F[q], NULL);
  }
  if (is_mean) e.energy = volume * m->lame.lambda * m->law->volumetric(mean, slope);
  for (int q = 0; q < num; q++) {
    sup_tangent_modes t;
    sup_m3            P, D;
    double psi = is_mean ? sup_fem_split_law(m->law, &m->lame, m->lame.lambda * slope[0], &F[q], &P,
                                             project, &t)
                         : sup_fem_stretch_law(m->law, &m->lame, &F[q], &P, project, &t);
    e.energy += weight[q] * psi;
    if (is_mean) sup_fem_dilatation(m->law, &F[q], &D);
    for (int k = 0; k < 9; k++) {
      sup_v3 h[N];
      for (int a = 0; a < n; a++) h[a] = sup_m3_apply(t.mode[k], sup_v3_load(g + 3 * (n * q + a)));
      add_blocks(&e, n, weight[q] * t.value[k], h);
    }
    for (int a = 0; a < n; a++) {
      sup_v3 ga = sup_v3_load(g + 3 * (n * q + a));
      sup_v3_accumulate(e.f + 3 * a, -weight[q], sup_m3_apply(P, ga));
      if (is_mean) change[a] = sup_v3_madd(change[a], weight[q], sup_m3_apply(D, ga));
    }
  }
  double modulus = m->lame.lambda * slope[1] / volume;
  if (is_mean) add_blocks(&e, n, project ? fmax(modulus, 0) : modulus, change);
  return e;
}

static double largest(const double *a, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

/** Largest difference of the cell in lane l from what is expected, over its size. */
static double difference(const expected *e, int n, int l, const double *K, const double *f,
                         double energy) {
  double most = 0, stiffness = largest(e->K[0], SIZE * SIZE), force = largest(e->f, 3 * n);
  if (!isfinite(e->energy)) return isfinite(energy);
  for (int i = 0; i < 3 * n; i++)
    most = fmax(most, fabs(1.5 * e->f[i] - f[SUP_BATCH * i + l]) / force);
  for (int a = 0, pair = 0; a < n; a++)
    for (int b = 0; b <= a; b++, pair++)
      for (int i = 0; i < 9; i++)
        most = fmax(most, fabs(1.5 * e->K[3 * a + i % 3][3 * b + i / 3] -
                               K[SUP_BATCH * (9 * pair + i) + l]) /
                              stiffness);
  return fmax(most, fabs(1.5 * e->energy - energy) / e->energy);
}

static void check_bits(const double *a, const double *b, int l, int count) {
  int same = 1;
  for (int i = 0; i < count; i++) same &= a[SUP_BATCH * i + l] == b[SUP_BATCH * i];
  CHECK(same);
}

static double block[9 * PAIRS * SUP_BATCH] __attribute__((aligned(64)));
static double alone[9 * PAIRS * SUP_BATCH] __attribute__((aligned(64)));
static double force[SIZE * SUP_BATCH] __attribute__((aligned(64)));
static double alone_force[SIZE * SUP_BATCH] __attribute__((aligned(64)));

/** Batch k by a set; returns how far off it is. */
static double check_batch(const sup_point_kernels *set, const setup *s, int k, int project) {
  sup_point_batch points;
  sup_batch       batch = cells_of(s, k, 0, SUP_BATCH, &points);
  int             n = batch.num_vertices, num = batch.num_cells;
  double          energy[SUP_BATCH], alone_energy[SUP_BATCH], most = 0;
  points.project = project;
  set->stiffness(&batch, &points, block);
  set->force(&batch, &points, force);
  set->energy(&batch, &points, energy);
  for (int l = 0; l < num; l++) {
    expected e = expect(s, SUP_BATCH * k + l, project);
    most = fmax(most, difference(&e, n, l, block, force, energy[l]));
    batch = cells_of(s, k, l, 1, &points);
    points.project = project;
    set->stiffness(&batch, &points, alone);
    set->force(&batch, &points, alone_force);
    set->energy(&batch, &points, alone_energy);
    check_bits(block, alone, l, 9 * n * (n + 1) / 2);
    check_bits(force, alone_force, l, 3 * n);
    CHECK(energy[l] == alone_energy[0] || !isfinite(energy[l]));
  }
  return most;
}

static void batches_have_the_laws_of_their_points(void) {
  const sup_point_kernels *set[MAX_SETS];
  int                      num = find_sets(set);
  for (int kind = 0; kind < 3; kind++)
    for (int big = 0; big < 2; big++) {
      setup  s = make_setup(kind, big ? 1 : .1);
      double most = 0;
      for (int j = 0; j < num; j++)
        for (int k = 0; k < sup_fem_num_batches(s.body); k++)
          for (int project = 0; project < 2; project++)
            most = fmax(most, check_batch(set[j], &s, k, project));
      printf("%.1e ", most);
      CHECK(most < 1e-9);
      free_setup(&s);
    }
}

SUITE_TESTS(point_batch, TEST(batches_have_the_laws_of_their_points));
