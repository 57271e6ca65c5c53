/* Stiffness damping by increments of strain (THEORY 23.2a): potential, force and tangent; what it
 * does not see. */
#include "fem_test.h"

static const fem_test_kind kinds[] = {
    FEM_TEST_KINDS,
    {"T4 linear", SUP_CELL_T4, 0, {SUP_MATERIAL_LINEAR, SUP_MATERIAL_LINEAR_COROTATIONAL}},
    {"H8 linear", SUP_CELL_H8, 0, {SUP_MATERIAL_LINEAR, SUP_MATERIAL_LINEAR_COROTATIONAL}},
    {"T10 mean, one rotation",
     SUP_CELL_T10,
     SUP_FEM_MEAN_DILATATION,
     {SUP_MATERIAL_COROTATIONAL, SUP_MATERIAL_COROTATIONAL}}};
enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

/** A body at x, and the increments from another state; workspace. */
typedef struct setup {
  sup_fem_body     *body;
  size_t            size, strains, values;
  sup_m3           *R;
  double           *x, *x0, *y, *d, *f, *g, *start, *strain, *K;
  sup_fem_increment inc;
} setup;

static double *aligned(size_t count) {
  size_t  bytes = (count * sizeof(double) + 63) / 64 * 64;
  double *p = aligned_alloc(64, bytes ? bytes : 64);
  memset(p, 0, bytes);
  return p;
}

static void rotate(setup *s, const double *x) {
  int inverted;
  sup_fem_rotations(s->body, x, s->R, &inverted);
}

/** @param[in] strain  size of random displacements, of fem_test_kind_share */
static setup make_setup(const fem_test_kind *k, double strain) {
  sup_material_def material[2] = {fem_test_material(k->model[0], 3, .4),
                                  fem_test_material(k->model[1], 5, .3)};
  test_random      random = {71};
  sup_mesh        *mesh = fem_test_kind_box(k, 72);
  setup            s = {.size = 3 * (size_t)mesh->num_vertices};
  int             *cell_material = NULL;
  OK(SUP_CALLOC(cell_material, mesh->num_cells));
  for (int c = 0; c < mesh->num_cells; c++) cell_material[c] = c % 2;
  material[0].stiffness_damping = .02, material[1].stiffness_damping = .05;
  OK(sup_fem_body_create_parts(&s.body, mesh, 2, material, cell_material, k->form));
  double **vector[] = {&s.x, &s.x0, &s.y, &s.d, &s.f, &s.g};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) *vector[i] = fem_test_array(s.size);
  s.strains = sup_fem_strain_size(s.body),
  s.values = sup_block_pattern_num_values(sup_fem_pattern(s.body));
  s.start = aligned(s.strains), s.strain = aligned(s.strains), s.K = fem_test_array(s.values);
  OK(SUP_CALLOC(s.R, mesh->num_cells));
  strain *= fem_test_kind_share(k);
  int    is_linear = k->model[0] == SUP_MATERIAL_LINEAR;
  sup_m3 turn = fem_test_rotation(&random), Q = is_linear ? sup_m3_identity() : turn;
  for (size_t a = 0; a < s.size; a += 3) {
    sup_v3 u = {test_uniform(&random), test_uniform(&random), test_uniform(&random)};
    sup_v3 w = {test_uniform(&random), test_uniform(&random), test_uniform(&random)},
           X = sup_v3_load(mesh->x + a);
    sup_v3_store(s.x + a, sup_m3_apply(Q, sup_v3_madd(X, strain, u)));
    sup_v3_store(s.x0 + a, sup_v3_madd(X, strain, w));
    for (size_t i = a; i < a + 3; i++) s.d[i] = test_uniform(&random);
  }
  rotate(&s, s.x0);
  sup_fem_strains(s.body, s.R, s.x0, s.start);
  s.inc = (sup_fem_increment){s.start, 100};
  rotate(&s, s.x);
  SUP_FREE(cell_material);
  sup_mesh_destroy(&mesh);
  return s;
}

static void free_setup(setup *s) {
  sup_fem_body_destroy(&s->body);
  SUP_FREE(s->x), SUP_FREE(s->x0), SUP_FREE(s->y), SUP_FREE(s->d), SUP_FREE(s->f), SUP_FREE(s->g),
      SUP_FREE(s->K);
  SUP_FREE(s->R);
  free(s->start), free(s->strain);
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/** y := x + h d, and the rotations there. */
static void move(setup *s, double h) {
  for (size_t i = 0; i < s->size; i++) s->y[i] = s->x[i] + h * s->d[i];
  rotate(s, s->y);
}

static double largest(const double *a, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

/** f := the damping force alone at y, with the rotations there. */
static void damping_force(setup *s, const double *y, double *f) {
  double *elastic = fem_test_array(s->size);
  sup_fem_step_force(s->body, s->R, y, &s->inc, f);
  sup_fem_energy_force(s->body, s->R, y, elastic);
  for (size_t i = 0; i < s->size; i++) f[i] -= elastic[i];
  SUP_FREE(elastic);
}

static void the_force_is_the_slope_of_the_potential(void) {
  const double h = 1e-5;
  for (int k = 0; k < NUM_KINDS; k++) {
    setup  s = make_setup(&kinds[k], .05);
    double at[2], work[2];
    sup_fem_step_force(s.body, s.R, s.x, &s.inc, s.f);
    damping_force(&s, s.x, s.g);
    for (int side = 0; side < 2; side++) {
      move(&s, side ? h : -h);
      at[side] = sup_fem_step_energy(s.body, s.R, s.y, &s.inc);
      sup_fem_strains(s.body, s.R, s.y, s.strain);
      work[side] = .5 * s.inc.rate * sup_fem_strain_work(s.body, s.strain, s.start, s.start);
    }
    double slope = (at[1] - at[0]) / (2 * h), damping = (work[1] - work[0]) / (2 * h);
    printf("%s %.1e, ", kinds[k].name, fabs(damping / -dot(s.g, s.d, s.size) - 1));
    NEAR(slope, -dot(s.f, s.d, s.size), 1e-6, 0);
    NEAR(damping, -dot(s.g, s.d, s.size), 1e-6, 0);
    free_setup(&s);
  }
}

/* Exact at points; with one rotation a cell but for the moment of its forces times the second
 * derivative of the turn.
 */
static void the_tangent_is_the_slope_of_the_force(void) {
  const double h = 1e-6;
  for (int k = 0; k < NUM_KINDS; k++) {
    setup   s = make_setup(&kinds[k], .008); /* no cell is turned inside out */
    double *Kd = fem_test_array(s.size), close = kinds[k].type == SUP_CELL_T4 ? 1e-6 : .01;
    int     is_exact = kinds[k].model[0] == SUP_MATERIAL_STABLE_NEO_HOOKEAN;
    int is_of_damping = kinds[k].type == SUP_CELL_T4 && kinds[k].model[0] == SUP_MATERIAL_LINEAR;
    if (is_exact) close = 1e-6;
    sup_fem_add_step_stiffness(s.body, s.R, s.x, 1, &s.inc, 1, s.K);
    if (is_of_damping) { /* of the damping alone */
      double *elastic = fem_test_array(s.values);
      sup_fem_add_step_stiffness(s.body, s.R, s.x, 1, NULL, 1, elastic);
      for (size_t i = 0; i < s.values; i++) s.K[i] -= elastic[i];
      SUP_FREE(elastic), close = 1e-6;
    }
    sup_block_multiply(sup_fem_pattern(s.body), s.K, s.d, Kd);
    move(&s, -h);
    if (is_of_damping)
      damping_force(&s, s.y, s.f);
    else
      sup_fem_step_force(s.body, s.R, s.y, &s.inc, s.f);
    move(&s, h);
    if (is_of_damping)
      damping_force(&s, s.y, s.g);
    else
      sup_fem_step_force(s.body, s.R, s.y, &s.inc, s.g);
    double scale = largest(Kd, s.size), off = 0;
    for (size_t i = 0; i < s.size; i++) off = fmax(off, fabs((s.f[i] - s.g[i]) / (2 * h) - Kd[i]));
    printf("%s %.1e, ", kinds[k].name, off / scale);
    CHECK(off < close * scale);
    SUP_FREE(Kd);
    free_setup(&s);
  }
}

/** Largest eigenvalue of shift - K, or of K when the shift is 0, by power iteration; overwrites d
 * and y. */
static double largest_eigenvalue(setup *s, double shift) {
  test_random random = {74};
  double      value = 0;
  for (size_t i = 0; i < s->size; i++) s->d[i] = test_uniform(&random);
  for (int k = 0; k < 200; k++) {
    double size = sqrt(dot(s->d, s->d, s->size));
    for (size_t i = 0; i < s->size; i++) s->d[i] /= size;
    sup_block_multiply(sup_fem_pattern(s->body), s->K, s->d, s->y);
    for (size_t i = 0; i < s->size && shift > 0; i++) s->y[i] = shift * s->d[i] - s->y[i];
    value = dot(s->d, s->y, s->size);
    memcpy(s->d, s->y, s->size * sizeof *s->d);
  }
  return value;
}

/* The other tangent: no direction in which it is negative. */
static void the_projected_tangent_is_positive_semidefinite(void) {
  for (int k = 0; k < NUM_KINDS; k++) {
    setup s = make_setup(&kinds[k], .1);
    sup_fem_add_step_stiffness(s.body, s.R, s.x, 1, &s.inc, 0, s.K);
    double most = 1.1 * largest_eigenvalue(&s, 0);
    CHECK(most > 0 && most - largest_eigenvalue(&s, most) > -1e-10 * most);
    free_setup(&s);
  }
}

/* A finite turn of a strained body from the step's start to its end; forces without a moment
 * wherever it is. */
static void a_turn_is_not_damped_and_damping_has_no_moment(void) {
  test_random random = {73};
  for (int k = 0; k < NUM_KINDS; k++) {
    setup s = make_setup(&kinds[k], .05);
    if (kinds[k].model[0] != SUP_MATERIAL_LINEAR) {
      sup_v3 moment = {0, 0, 0};
      double size = 0;
      damping_force(&s, s.x, s.f);
      for (size_t a = 0; a < s.size; a += 3) {
        sup_v3 part = sup_v3_cross(sup_v3_load(s.x + a), sup_v3_load(s.f + a));
        moment = sup_v3_add(moment, part), size += sup_v3_norm(part);
      }
      NEAR(sup_v3_norm(moment), 0, 0, 1e-10 * size);
      double before = largest(s.f, s.size);
      sup_m3 Q = fem_test_rotation(&random);
      for (size_t a = 0; a < s.size; a += 3)
        sup_v3_store(s.y + a,
                     sup_v3_add(sup_m3_apply(Q, sup_v3_load(s.x0 + a)), (sup_v3){1, 2, 3}));
      rotate(&s, s.y);
      damping_force(&s, s.y, s.f);
      CHECK(before > 1e-2);
      NEAR(largest(s.f, s.size), 0, 0, 1e-8 * before);
    }
    free_setup(&s);
  }
}

SUITE_TESTS(increment, TEST(the_force_is_the_slope_of_the_potential),
            TEST(the_tangent_is_the_slope_of_the_force),
            TEST(the_projected_tangent_is_positive_semidefinite),
            TEST(a_turn_is_not_damped_and_damping_has_no_moment));
