/* Batches of cells against cells one by one, in every instruction set that runs here. */
#include "fem/body_parts.h"
#include "fem/kernel/polar.h"
#include "fem/kernel/stress_kernel.h"
#include "fem/kernel/turning.h"
#include "fem/law/stretch_law.h"
#include "fem/recovery/recovery.h"
#include "fem_test.h"
#include "mesh/quadratic.h"

enum { MAX_SETS = 3, NUM_TYPES = 3 };
static const sup_cell_type types[NUM_TYPES] = {SUP_CELL_T4, SUP_CELL_H8, SUP_CELL_T10};

static int find_sets(const sup_batch_kernels **set) {
  int count = 0;
  for (int k = 0, end = 0;; k++) {
    const sup_batch_kernels *kernels = sup_batch_set(k, &end);
    if (end) return count;
    if (kernels) set[count++] = kernels;
  }
}

/** A body of three materials, cell after cell, deformed and turned by any rotations. */
typedef struct setup {
  sup_fem_body *body;
  sup_m3       *R;
  double       *x, *scale, *values, *f, *expected_values, *expected_f;
  double       *v, *turned, turned_work; /* v NULL: no turns are predicted */
  size_t        num_values, num_scalars;
} setup;

static setup make_setup(sup_cell_type type) {
  sup_material_def material[3] = {fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 3e6, 0.4),
                                  fem_test_material(SUP_MATERIAL_LINEAR, 1e5, 0.3),
                                  fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 2e6, 0.49)};
  test_random      random = {17};
  sup_mesh        *mesh = fem_test_irregular_box(type, 18);
  setup            s = {0};
  int             *cell_material = NULL;
  OK(SUP_CALLOC(cell_material, mesh->num_cells));
  for (int c = 0; c < mesh->num_cells; c++) cell_material[c] = c % 3;
  OK(sup_fem_body_create_parts(&s.body, mesh, 3, material, cell_material, 0));
  s.num_scalars = 3 * (size_t)mesh->num_vertices;
  s.num_values = sup_block_pattern_num_values(sup_fem_pattern(s.body));
  s.x = fem_test_array(s.num_scalars), s.f = fem_test_array(s.num_scalars);
  s.expected_f = fem_test_array(s.num_scalars), s.scale = fem_test_array((size_t)mesh->num_cells);
  s.values = fem_test_array(s.num_values), s.expected_values = fem_test_array(s.num_values);
  OK(SUP_CALLOC(s.R, mesh->num_cells));
  for (size_t i = 0; i < s.num_scalars; i++) s.x[i] = mesh->x[i] + 0.05 * test_uniform(&random);
  for (int c = 0; c < mesh->num_cells; c++)
    s.R[c] = fem_test_rotation(&random), s.scale[c] = 1 + 0.5 * test_uniform(&random);
  SUP_FREE(cell_material);
  sup_mesh_destroy(&mesh);
  return s;
}

static void free_setup(setup *s) {
  sup_fem_body_destroy(&s->body);
  SUP_FREE(s->x), SUP_FREE(s->f), SUP_FREE(s->expected_f), SUP_FREE(s->scale);
  SUP_FREE(s->values), SUP_FREE(s->expected_values), SUP_FREE(s->R), SUP_FREE(s->v),
      SUP_FREE(s->turned);
}

static const double tension = 1.7;
static const sup_v3 spin = {.3, -.2, .5};

/** Tension by the eigenvectors of tr(sigma) I - sigma: turns about them (fem/tension.c). */
static void expect_tension(setup *s, int c) {
  const sup_lame *lame = &sup_fem_matter_of(s->body, c)->lame;
  int             n = s->body->element->num_vertices, at[SUP_CELL_MAX_VERTICES];
  sup_m3          R = s->R[c], F = sup_fem_deformation(s->body, c, s->x),
         U = sup_m3_mul(sup_m3_transpose(R), F);
  double     T[3][3], value[3], Q[3][3], trace = U.m[0][0] + U.m[1][1] + U.m[2][2] - 3;
  const int *vertex = s->body->vertex + n * c;
  sup_v3     turned = sup_m3_apply(F, sup_m3_apply_t(R, spin));
  if (sup_fem_matter_of(s->body, c)->material.model == SUP_MATERIAL_LINEAR) return;
  sup_fem_cell_order(s->body, c, at);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      T[i][j] = (i == j ? 2 * (lame->lambda + lame->mu) * trace + 2 * lame->mu : 0) -
                lame->mu * (U.m[i][j] + U.m[j][i]);
  sup_fem_eigen(T, value, Q);
  sup_m3 B = sup_m3_mul(F, sup_m3_transpose(R));
  sup_v3 rate = sup_v3_sub(sup_v3_scale(B.m[0][0] + B.m[1][1] + B.m[2][2], spin), turned);
  for (int k = 0; k < 3; k++) {
    sup_v3 axis = sup_m3_apply(R, (sup_v3){Q[0][k], Q[1][k], Q[2][k]}), turn[SUP_CELL_MAX_VERTICES];
    double size = 0.25 * s->body->volume[c] * fmax(value[k], 0);
    for (int a = 0; a < n; a++) {
      turn[a] =
          sup_v3_cross(axis, sup_m3_apply(R, sup_v3_load(s->body->gradient + 3 * (n * c + at[a]))));
      sup_v3_accumulate(s->expected_f + 3 * vertex[a], size * sup_v3_dot(axis, rate), turn[a]);
      for (int b = 0; b <= a; b++) {
        sup_m3  block = sup_m3_outer(turn[a], turn[b]);
        double *to = s->expected_values +
                     9 * s->body->entry[s->body->element->num_pairs * c + a * (a + 1) / 2 + b];
        for (int i = 0; i < 9; i++) to[i] += tension * size * block.m[i % 3][i / 3];
      }
    }
  }
}

/** Stiffness by the forces of unit displacements, and forces, from sup_element.force. */
static void expect_cell(setup *s, int c) {
  static const double zero[3 * SUP_CELL_MAX_VERTICES];
  const sup_element  *element = s->body->element;
  int                 n = element->num_vertices;
  const int    *vertex = s->body->vertex + n * c, *entry = s->body->entry + element->num_pairs * c;
  const double *stiffness = sup_fem_stiffness_of(s->body, c);
  double        X[3 * SUP_CELL_MAX_VERTICES] = {0}, x[3 * SUP_CELL_MAX_VERTICES] = {0},
               f[3 * SUP_CELL_MAX_VERTICES];
  sup_fem_gather(s->body->mesh->x, vertex, n, X);
  sup_fem_gather(s->x, vertex, n, x);
  element->force(stiffness, s->R + c, X, x, f);
  for (int i = 0; i < 3 * n; i++) s->expected_f[3 * vertex[i / 3] + i % 3] += f[i];
  for (int j = 0; j < 3 * n; j++) {
    double unit[3 * SUP_CELL_MAX_VERTICES] = {0}, rest[3 * SUP_CELL_MAX_VERTICES];
    unit[j] = 1;
    element->force(stiffness, s->R + c, zero, zero,
                   rest); /* T4: of the shape at rest, all in one place */
    element->force(stiffness, s->R + c, zero, unit, f);
    for (int i = j / 3 * 3; i < 3 * n; i++) {
      int pair = i / 3 * (i / 3 + 1) / 2 + j / 3;
      s->expected_values[9 * entry[pair] + 3 * (j % 3) + i % 3] += s->scale[c] * (rest[i] - f[i]);
    }
  }
}

static void run(const sup_batch_kernels *set, setup *s, int is_turning, double pull) {
  memset(s->values, 0, s->num_values * sizeof *s->values);
  memset(s->f, 0, s->num_scalars * sizeof *s->f);
  if (s->v) memset(s->turned, 0, s->num_scalars * sizeof *s->turned);
  s->turned_work = 0;
  for (int k = 0; k < sup_fem_num_batches(s->body); k++) {
    sup_batch            batch = sup_fem_batch(s->body, k);
    double               work[SUP_BATCH] = {0};
    const sup_batch_step step = {.X = s->body->mesh->x,
                                 .x = s->x,
                                 .R = s->R + SUP_BATCH * k,
                                 .scale = s->scale + SUP_BATCH * k,
                                 .values = s->values,
                                 .place = sup_fem_pattern(s->body)->value_start,
                                 .f = s->f,
                                 .is_turning = is_turning,
                                 .tension = pull,
                                 .w = spin,
                                 .is_carried = s->v != NULL,
                                 .turn = spin,
                                 .v = s->v,
                                 .dt = .3,
                                 .rate = s->scale + SUP_BATCH * k,
                                 .turned = s->turned,
                                 .turned_work = work};
    (s->body->element->is_dense ? set->dense : set->t4)(&batch, &step);
    for (int l = 0; l < batch.num_cells; l++) s->turned_work += work[l];
  }
}

static double largest(const double *a, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

/* The numbers of cells are no multiples of a batch. */
static void batches_are_their_cells(void) {
  const sup_batch_kernels *set[MAX_SETS];
  int                      num_sets = find_sets(set);
  CHECK(num_sets > 0 && set[0] == sup_batch_select());
  for (int t = 0; t < NUM_TYPES; t++) {
    setup s = make_setup(types[t]);
    CHECK(sup_fem_mesh(s.body)->num_cells % SUP_BATCH != 0);
    for (int c = 0; c < sup_fem_mesh(s.body)->num_cells; c++) expect_cell(&s, c);
    double K = largest(s.expected_values, s.num_values), f = largest(s.expected_f, s.num_scalars);
    for (int k = 0; k < num_sets; k++) {
      run(set[k], &s, 0, 0);
      for (size_t i = 0; i < s.num_values; i++)
        NEAR(s.values[i], s.expected_values[i], 0, 1e-14 * K);
      for (size_t i = 0; i < s.num_scalars; i++) NEAR(s.f[i], s.expected_f[i], 0, 1e-14 * f);
    }
    run(set[0], &s, 1, 0);
    memcpy(s.expected_f, s.f,
           s.num_scalars * sizeof *s.f); /* of cells that turn; tension adds to it */
    f = largest(s.f, s.num_scalars);
    for (int c = 0; c < sup_fem_mesh(s.body)->num_cells; c++) expect_tension(&s, c);
    for (int k = 0; k < num_sets; k++) {
      run(set[k], &s, 1, tension);
      for (size_t i = 0; i < s.num_values; i++)
        NEAR(s.values[i], s.expected_values[i], 0, 1e-14 * K);
      for (size_t i = 0; i < s.num_scalars; i++) NEAR(s.f[i], s.expected_f[i], 0, 1e-13 * f);
    }
    free_setup(&s);
  }
}

/* Sets with fused multiply-adds are those before the plain one. */
static void fused_sets_have_the_same_bits(void) {
  const sup_batch_kernels *set[MAX_SETS];
  int                      num_sets = find_sets(set);
  for (int t = 0; t < NUM_TYPES; t++) {
    setup       s = make_setup(types[t]);
    test_random random = {20};
    double     *turned = fem_test_array(s.num_scalars);
    s.v = fem_test_array(s.num_scalars), s.turned = fem_test_array(s.num_scalars);
    for (size_t i = 0; i < s.num_scalars; i++) s.v[i] = test_uniform(&random);
    run(set[0], &s, 1, tension);
    memcpy(s.expected_values, s.values, s.num_values * sizeof *s.values);
    memcpy(s.expected_f, s.f, s.num_scalars * sizeof *s.f);
    memcpy(turned, s.turned, s.num_scalars * sizeof *turned);
    double f = largest(s.f, s.num_scalars), g = largest(turned, s.num_scalars),
           work = s.turned_work;
    CHECK(work > 0);
    for (int k = 1; k < num_sets; k++) {
      run(set[k], &s, 1, tension);
      if (k < num_sets - 1) {
        CHECK(memcmp(s.values, s.expected_values, s.num_values * sizeof *s.values) == 0);
        CHECK(memcmp(s.f, s.expected_f, s.num_scalars * sizeof *s.f) == 0);
        CHECK(memcmp(s.turned, turned, s.num_scalars * sizeof *turned) == 0 &&
              s.turned_work == work);
      }
      NEAR(s.turned_work, work, 1e-12, 0);
      for (size_t i = 0; i < s.num_scalars; i++) {
        NEAR(s.f[i], s.expected_f[i], 0, 1e-13 * f);
        NEAR(s.turned[i], turned[i], 0, 1e-13 * g);
      }
    }
    SUP_FREE(turned);
    free_setup(&s);
  }
}

/** `most` batches at a time. */
static int rotate(sup_batch_rotate *set, const setup *s, int most, sup_m3 *R) {
  int       num_inverted = 0, num_batches = sup_fem_num_batches(s->body);
  sup_batch batch[3];
  for (int k = 0, count = 0; k < num_batches; k += count) {
    for (count = 0; count < most && k + count < num_batches; count++)
      batch[count] = sup_fem_batch(s->body, k + count);
    num_inverted += set(batch, count, s->x, R + SUP_BATCH * k);
  }
  return num_inverted;
}

/** Quadratic tetrahedra: inside out at one point at least. */
static int is_inside_out(const setup *s, int c) {
  const int *cell = sup_mesh_cell(sup_fem_mesh(s->body), c);
  double     x[30];
  sup_m3     J[SUP_T10_POINTS];
  int        is = 0;
  for (int i = 0; i < 30; i++) x[i] = s->x[3 * cell[i / 3] + i % 3];
  sup_t10_jacobians(x, J);
  for (int q = 0; q < SUP_T10_POINTS; q++) is |= !(sup_m3_det(&J[q]) > 0);
  return is;
}

/* Cells that are turned inside out among them, whose rotations are not found by the vectors'
 * iteration. */
static void rotations_have_the_same_bits_in_every_set(void) {
  for (int t = 0; t < NUM_TYPES; t++) {
    setup             s = make_setup(types[t]);
    const sup_mesh   *mesh = sup_fem_mesh(s.body);
    size_t            bytes = (size_t)mesh->num_cells * sizeof(sup_m3);
    sup_m3           *R = NULL;
    sup_batch_rotate *set;
    test_random       random = {19};
    int               num_inverted = -1, end = 0, inside_out = 0;
    OK(SUP_CALLOC(R, mesh->num_cells));
    for (size_t i = 0; i < s.num_scalars; i++) s.x[i] = mesh->x[i] + 0.4 * test_uniform(&random);
    for (int k = 0; !end; k++) {
      if (!(set = sup_batch_rotate_set(k, &end))) continue;
      for (int most = 1; most <= 3; most++) {
        int found = rotate(set, &s, most, R);
        if (num_inverted < 0) num_inverted = found, memcpy(s.R, R, bytes);
        CHECK(found == num_inverted && memcmp(R, s.R, bytes) == 0);
      }
    }
    for (int c = 0; c < mesh->num_cells; c++) {
      sup_m3 F = sup_fem_deformation(s.body, c, s.x), expected = sup_fem_polar(&F);
      inside_out += types[t] == SUP_CELL_T10 ? is_inside_out(&s, c) : !(sup_m3_det(&F) > 0);
      if (sup_fem_matter_of(s.body, c)->material.model == SUP_MATERIAL_LINEAR)
        expected = sup_m3_identity();
      for (int i = 0; i < 9; i++) NEAR(s.R[c].m[i / 3][i % 3], expected.m[i / 3][i % 3], 0, 1e-11);
    }
    CHECK(inside_out > 0);
    if (types[t] != SUP_CELL_H8) CHECK(num_inverted == inside_out);
    SUP_FREE(R);
    free_setup(&s);
  }
}

/** Values of `count` cells of batch k. */
static void stress_of(const sup_stress_kernels *set, const setup *s, int k, int count,
                      sup_batch_points *out) {
  sup_batch        batch = sup_fem_batch(s->body, k);
  sup_batch_stress in = {.X = s->body->mesh->x, .x = s->x};
  bool             is_brick = batch.num_vertices == 8;
  if (is_brick)
    in.compliance = s->body->compliance + (ptrdiff_t)SUP_ELEMENT_MAX_COMPLIANCE * SUP_BATCH * k;
  batch.num_cells = count;
  for (int l = 0; l < SUP_BATCH; l++) in.point[l] = &out->point[l][0][0];
  for (int l = 0; l < count; l++) {
    const sup_fem_matter *m = sup_fem_matter_of(s->body, SUP_BATCH * k + l);
    in.lambda[l] = m->lame.lambda, in.mu[l] = m->lame.mu;
    in.is_linear[l] = m->material.model == SUP_MATERIAL_LINEAR;
  }
  memset(out, 0, sizeof *out);
  (is_brick ? set->brick : set->t4)(&batch, &in, out);
}

/* Value of the cell in a lane. */
static int has_same_bits(const sup_batch_points *a, const sup_batch_points *b, int lane) {
  enum {
    OTHERS = sizeof a->point / sizeof(double), /* a cell a lane from there on */
    NUMBERS = sizeof *a / sizeof(double)
  };
  if (memcmp(a->point[lane], b->point[lane], sizeof a->point[lane]) != 0) return 0;
  for (int i = OTHERS + lane; i < NUMBERS; i += SUP_BATCH)
    if (memcmp((const double *)a + i, (const double *)b + i, sizeof(double)) != 0) return 0;
  return 1;
}

/** (e - a) . K0 (e - b) of a cell, one number after another; [3 x num_vertices x SUP_BATCH]. */
static double work_of(const setup *s, int cell, const double *e, const double *a, const double *b) {
  double d[3 * SUP_CELL_MAX_VERTICES], f[3 * SUP_CELL_MAX_VERTICES], sum = 0;
  double zero[3 * SUP_CELL_MAX_VERTICES] = {0};
  sup_m3 I = sup_m3_identity();
  int    n = 3 * s->body->element->num_vertices;
  for (int i = 0; i < n; i++) d[i] = e[SUP_BATCH * i + cell] - b[SUP_BATCH * i + cell];
  s->body->element->force(sup_fem_stiffness_of(s->body, cell), &I, zero, d, f);
  for (int i = 0; i < n; i++) sum -= f[i] * (e[SUP_BATCH * i + cell] - a[SUP_BATCH * i + cell]);
  return sum;
}

static void work_is_that_of_one_cell_in_every_set(void) {
  static const sup_cell_type dense[] = {SUP_CELL_H8, SUP_CELL_T10};
  static double strain[3][3 * SUP_CELL_MAX_VERTICES * SUP_BATCH] __attribute__((aligned(64)));
  for (int t = 0; t < 2; t++) {
    setup       s = make_setup(dense[t]);
    test_random random = {43};
    int         end = 0;
    sup_batch   batch = sup_fem_batch(s.body, 0);
    double      work[SUP_BATCH], first = 0;
    int         is_first = 1;
    for (int k = 0; k < 3 * 3 * SUP_CELL_MAX_VERTICES * SUP_BATCH; k++)
      strain[k % 3][k / 3] = test_uniform(&random);
    for (int k = 0; !end; k++) {
      const sup_turning_kernels *set = sup_turning_kernels_set(k, &end);
      for (int count = 1; count <= SUP_BATCH && set; count += SUP_BATCH - 1) {
        batch.num_cells = count;
        set->work(&batch, strain[0], strain[1], strain[2], work);
        if (is_first) first = work[0], is_first = 0;
        CHECK(memcmp(work, &first, sizeof first) == 0);
        for (int c = 0; c < count; c++)
          NEAR(work[c], work_of(&s, c, strain[0], strain[1], strain[2]), 1e-12, 0);
      }
    }
    free_setup(&s);
  }
}

/* Energies are those of one cell at a time; whoever is beside a cell, damped. */
static void turning_stiffness_has_the_same_bits_in_every_set(void) {
  static const sup_cell_type dense[] = {SUP_CELL_H8, SUP_CELL_T10};
  static double expected[9 * SUP_TURNING_MAX_PAIRS * SUP_BATCH] __attribute__((aligned(64))),
      found[9 * SUP_TURNING_MAX_PAIRS * SUP_BATCH] __attribute__((aligned(64))),
      start[3 * SUP_CELL_MAX_VERTICES * SUP_BATCH] __attribute__((aligned(64)));
  for (int t = 0; t < 2; t++) {
    setup       s = make_setup(dense[t]);
    test_random random = {41};
    int         end = 0;
    sup_batch   batch = sup_fem_batch(s.body, 0);
    sup_turning in = {.X = s.body->mesh->x, .x = s.x, .R = s.R};
    double      energy[SUP_BATCH], one[SUP_BATCH];
    for (int k = 0; k < 3 * SUP_CELL_MAX_VERTICES * SUP_BATCH; k++)
      start[k] = test_uniform(&random);
    for (int l = 0; l < SUP_BATCH; l++) in.stiff[l] = 1;
    sup_turning_kernels_select()->energy(&batch, &in, energy);
    for (int c = 0; c < SUP_BATCH; c++) {
      double X[3 * SUP_CELL_MAX_VERTICES], x[3 * SUP_CELL_MAX_VERTICES];
      sup_fem_gather(in.X, batch.vertex + c * batch.num_vertices, batch.num_vertices, X);
      sup_fem_gather(in.x, batch.vertex + c * batch.num_vertices, batch.num_vertices, x);
      NEAR(energy[c], s.body->element->force(sup_fem_stiffness_of(s.body, c), s.R + c, X, x, NULL),
           1e-12, 0);
    }
    in.start = start;
    for (int l = 0; l < SUP_BATCH; l++) in.damped[l] = 0.1 * l;
    batch.num_cells = SUP_BATCH;
    sup_turning_kernels_select()->stiffness(&batch, &in, expected);
    sup_turning_kernels_select()->energy(&batch, &in, energy);
    for (int k = 0; !end; k++) {
      const sup_turning_kernels *set = sup_turning_kernels_set(k, &end);
      for (int count = 1; count <= SUP_BATCH && set; count += SUP_BATCH - 1) {
        batch.num_cells = count;
        set->stiffness(&batch, &in, found);
        set->energy(&batch, &in, one);
        CHECK(memcmp(one, energy, (size_t)count * sizeof *one) == 0);
        for (int i = 0; i < 9 * batch.num_pairs * SUP_BATCH; i++)
          if (i % SUP_BATCH < count) CHECK(memcmp(found + i, expected + i, sizeof *found) == 0);
      }
    }
    free_setup(&s);
  }
}

/** Value of the cell in a lane, but for round-off of its largest stress. */
static void is_near(const sup_batch_points *a, const sup_batch_points *b, int lane, double by) {
  double largest = 0;
  for (int i = 0; i < 48; i++) largest = fmax(largest, fabs(b->point[lane][i / 6][i % 6]));
  for (int i = 0; i < 48; i++)
    NEAR(a->point[lane][i / 6][i % 6], b->point[lane][i / 6][i % 6], 0, by * largest);
  for (int i = 0; i < 6; i++) NEAR(a->cauchy[i][lane], b->cauchy[i][lane], 0, by * largest);
  NEAR(a->von_mises[lane], b->von_mises[lane], by, 0);
  NEAR(a->energy_density[lane], b->energy_density[lane], by, 0);
  NEAR(a->volume_ratio[lane], b->volume_ratio[lane], by, 0);
  for (int q = 0; q < 8; q++) NEAR(a->weight[q][lane], b->weight[q][lane], 1e-14, 0);
}

/** 1: set k of the stress kernels is the last one, without fused operations. */
static int is_plain(int k) {
  int end;
  (void)sup_stress_kernels_set(k + 1, &end);
  return end;
}

/** Sets with fused operations: the same bits, whoever is beside a cell; plain code but for
 * round-off. */
static void compare_stress_sets(const setup *s, double round_off) {
  sup_batch_points expected, found;
  for (int b = 0; b < sup_fem_num_batches(s->body); b++) {
    int count = sup_fem_batch(s->body, b).num_cells, end = 0;
    stress_of(sup_stress_kernels_select(), s, b, count, &expected);
    for (int l = 0; l < count; l++)
      CHECK(isfinite(expected.von_mises[l]) && expected.energy_density[l] > 0);
    for (int k = 0; !end; k++) {
      const sup_stress_kernels *set = sup_stress_kernels_set(k, &end);
      if (!set) continue;
      stress_of(set, s, b, count, &found);
      for (int l = 0; l < count && !is_plain(k); l++) CHECK(has_same_bits(&found, &expected, l));
      for (int l = 0; l < count; l++) is_near(&found, &expected, l, round_off);
      if (is_plain(k)) expected = found;
      stress_of(set, s, b, 1, &found);
      CHECK(has_same_bits(&found, &expected, 0));
    }
  }
}

/** Linear tetrahedra against the laws of one cell. */
static void compare_with_law(const setup *s) {
  for (int c = 0; c < s->body->mesh->num_cells && s->body->mesh->type == SUP_CELL_T4; c++) {
    const sup_fem_matter *m = sup_fem_matter_of(s->body, c);
    sup_batch_points      found;
    int                   l = c % SUP_BATCH, b = c / SUP_BATCH;
    sup_m3                F = sup_fem_deformation(s->body, c, s->x), R = sup_m3_identity(), P;
    if (m->material.model != SUP_MATERIAL_LINEAR) R = sup_fem_polar(&F);
    double energy = sup_fem_linear(&m->lame, &R, &F, &P);
    sup_m3 cauchy = sup_fem_cauchy(m->material.model, &P, &F);
    stress_of(sup_stress_kernels_select(), s, b, sup_fem_batch(s->body, b).num_cells, &found);
    NEAR(found.energy_density[l], energy, 1e-9, 0);
    NEAR(found.von_mises[l], sup_fem_von_mises(&cauchy), 1e-9, 0);
    NEAR(found.volume_ratio[l], sup_m3_det(&F), 1e-9, 1e-12);
    NEAR(found.point[l][0][4], cauchy.m[1][2], 1e-9, 1e-9 * sup_fem_von_mises(&cauchy));
  }
}

/* Cells that are turned inside out among them. */
static void compare_stress_of(sup_cell_type type) {
  setup       s = make_setup(type);
  test_random random = {23};
  for (size_t i = 0; i < s.num_scalars; i++)
    s.x[i] = s.body->mesh->x[i] + 0.4 * test_uniform(&random);
  compare_stress_sets(&s, 1e-10);
  for (size_t i = 0; i < s.num_scalars; i++)
    s.x[i] = s.body->mesh->x[i] + 0.02 * test_uniform(&random);
  compare_stress_sets(&s, 1e-12);
  compare_with_law(&s);
  free_setup(&s);
}

static void stress_of_cells_is_the_same_in_every_set(void) {
  compare_stress_of(SUP_CELL_H8), compare_stress_of(SUP_CELL_T4);
}

/* Recovered stress and its distance from the computed one; of numbers of samples that elements
 * have, with points before them. */
static void recovered_stress_is_the_same_in_every_set(void) {
  enum { CELLS = 7, VERTICES = 3, POINTS = 12 };
  static const size_t row[VERTICES + 1] = {0, 4, 4, 9};
  static const int    samples[3] = {1, 4, 8}, cell[9] = {6, 0, 3, 2, 1, 1, 6, 5, 4};
  double              point[6 * POINTS * CELLS], weight[8 * 9], shape[64], share[8], sum[4];
  double              expected[6 * VERTICES], site[6 * VERTICES], first_sum[4];
  const double       *v[8];
  test_random         random = {31};
  int                 end = 0, num_sets = 0;
  for (int i = 0; i < 6 * POINTS * CELLS; i++) point[i] = test_uniform(&random);
  for (int i = 0; i < 8 * 9; i++) weight[i] = test_uniform(&random);
  for (int q = 0; q < 8; q++) sup_element_h8.shape(q, shape + 8 * q);
  for (int a = 0; a < 8; a++) share[a] = 0.125 * (1 + a), v[a] = point + 60 * a;
  for (int k = 0; !end; k++) {
    const sup_stress_kernels *set = sup_stress_kernels_set(k, &end);
    if (!set) continue;
    set->brick_difference(v, point + 6, share, sum);
    if (num_sets == 0) memcpy(first_sum, sum, sizeof sum);
    CHECK(is_plain(k) || memcmp(sum, first_sum, sizeof sum) == 0);
    for (int i = 0; i < 4; i++) NEAR(sum[i], first_sum[i], 1e-13, 0);
    for (int j = 0; j < 3; j++) {
      sup_stress_rows rows = {row, cell, weight, point, POINTS, POINTS - samples[j], samples[j]};
      for (int i = 0; i < VERTICES; i++) {
        for (int c = 0; c < 6; c++) expected[6 * i + c] = 0;
        for (size_t e = row[i]; e < row[i + 1]; e++)
          for (int q = 0; q < samples[j]; q++)
            for (int c = 0; c < 6; c++)
              expected[6 * i + c] += weight[samples[j] * (int)e + q] *
                                     point[6 * (POINTS * (cell[e] + 1) - samples[j] + q) + c];
      }
      set->rows(0, VERTICES, &rows, site);
      for (int i = 0; i < 6 * VERTICES; i++) NEAR(site[i], expected[i], 0, 1e-14);
      static double of_first[3][6 * VERTICES];
      if (num_sets == 0) memcpy(of_first[j], site, sizeof site);
      CHECK(is_plain(k) || memcmp(of_first[j], site, sizeof site) == 0);
    }
    num_sets++;
  }
  for (int j = 0; j < 2; j++) { /* against the sums as they are written */
    double square = 0, traces = 0;
    for (int q = 0; q < 8; q++) {
      double d[6], trace = 0;
      for (int c = 0; c < 6; c++) {
        d[c] = j == 0 ? point[6 + 6 * q + c] : -point[6 + 6 * q + c];
        for (int a = 0; a < 8 && j == 1; a++) d[c] += shape[8 * q + a] * v[a][c];
        square += share[q] * (c < 3 ? 1 : 2) * d[c] * d[c], trace += c < 3 ? d[c] : 0;
      }
      traces += share[q] * trace * trace;
    }
    NEAR(first_sum[2 * j], square, 1e-13, 0), NEAR(first_sum[2 * j + 1], traces, 1e-12, 0);
  }
}

/* Full, diagonal and zero tensors, and with values that are equal, side by side. */
static void principal_values_are_those_of_one_tensor_in_every_set(void) {
  enum { COUNT = 83 };
  double      six[6 * COUNT] = {0}, value[3 * COUNT];
  test_random random = {29};
  int         end = 0;
  for (int i = 0; i < 6 * COUNT; i++) {
    int kind = i / 6 % 5;
    if (kind == 0 || (kind == 1 && i % 6 < 3)) six[i] = 1e5 * test_uniform(&random);
    if (kind == 2)
      six[i] = i % 6 < 3 ? 1 + 1e-9 * test_uniform(&random) : 1e-9 * test_uniform(&random);
    if (kind == 3 && i % 6 < 3) six[i] = 7;
  }
  for (int k = 0; !end; k++) {
    const sup_stress_kernels *set = sup_stress_kernels_set(k, &end);
    if (!set) continue;
    set->principal(COUNT, six, value);
    for (int i = 0; i < COUNT; i++) {
      sup_m3 S = sup_fem_tensor(six + 6 * i);
      double V[3][3], one[3], *v = value + 3 * i;
      sup_fem_eigen(S.m, one, V);
      CHECK(v[0] >= v[1] && v[1] >= v[2]);
      for (int j = 0; j < 3; j++) CHECK(v[j] == one[0] || v[j] == one[1] || v[j] == one[2]);
      CHECK(fmax(one[0], fmax(one[1], one[2])) == v[0] &&
            fmin(one[0], fmin(one[1], one[2])) == v[2]);
    }
  }
}

SUITE_TESTS(batch, TEST(batches_are_their_cells), TEST(fused_sets_have_the_same_bits),
            TEST(rotations_have_the_same_bits_in_every_set),
            TEST(recovered_stress_is_the_same_in_every_set),
            TEST(stress_of_cells_is_the_same_in_every_set),
            TEST(work_is_that_of_one_cell_in_every_set),
            TEST(turning_stiffness_has_the_same_bits_in_every_set),
            TEST(principal_values_are_those_of_one_tensor_in_every_set));
