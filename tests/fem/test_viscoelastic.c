/* Prony series of all elements and laws (THEORY 22): force, tangent and stress of a step,
 * relaxation, energies, turns. */
#include "fem/growth.h"
#include "fem/viscoelastic.h"

#include "fem/material.h"
#include "fem_test.h"

static const fem_test_kind kinds[] = {
    FEM_TEST_KINDS,
    {"T4 linear_corotational",
     SUP_CELL_T4,
     0,
     {SUP_MATERIAL_LINEAR_COROTATIONAL, SUP_MATERIAL_LINEAR_COROTATIONAL}},
    {"T4 linear", SUP_CELL_T4, 0, {SUP_MATERIAL_LINEAR, SUP_MATERIAL_LINEAR}},
    {"H8 linear_corotational",
     SUP_CELL_H8,
     0,
     {SUP_MATERIAL_LINEAR_COROTATIONAL, SUP_MATERIAL_LINEAR_COROTATIONAL}},
    {"H8 linear", SUP_CELL_H8, 0, {SUP_MATERIAL_LINEAR, SUP_MATERIAL_LINEAR}},
    {"H8 solid-shell, linear_corotational",
     SUP_CELL_H8,
     SUP_FEM_SOLID_SHELL,
     {SUP_MATERIAL_LINEAR_COROTATIONAL, SUP_MATERIAL_LINEAR_COROTATIONAL}},
    {"T10 fixed, Saint-Venant",
     SUP_CELL_T10,
     0,
     {SUP_MATERIAL_FIXED_COROTATIONAL, SUP_MATERIAL_SAINT_VENANT_KIRCHHOFF}},
    {"T10 mean, linear",
     SUP_CELL_T10,
     SUP_FEM_MEAN_DILATATION,
     {SUP_MATERIAL_LINEAR_COROTATIONAL, SUP_MATERIAL_LINEAR_COROTATIONAL}}};
enum { NUM_KINDS = sizeof kinds / sizeof *kinds };

/** A body at x after some steps from x0, and the next step; workspace. */
typedef struct setup {
  sup_fem_body       *body;
  size_t              size, values, num_internal;
  sup_m3             *R;
  double             *x, *x0, *y, *d, *f, *g, *K, *internal, *damped, *strain;
  sup_fem_relaxing    work;
  sup_fem_relaxation *relaxation;
  sup_fem_increment   inc;
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

static void begin(setup *s, const double *x, double dt) {
  rotate(s, x);
  sup_fem_begin_relaxation(s->body, s->R, x, dt, s->internal, &s->work, s->relaxation);
}

/** A step of dt from x0 to x; returns what was dissipated. */
static double go(setup *s, const double *x0, const double *x, double dt) {
  double done[2];
  begin(s, x0, dt);
  rotate(s, x);
  sup_fem_end_relaxation(s->body, x0, s->R, x, dt, &s->work, s->internal, done);
  return done[0];
}

enum { DAMPED = 1, GROWS = 2, WAYS = 4 };

static bool may_grow(const fem_test_kind *k) {
  sup_material_model m = k->model[0];
  return m == SUP_MATERIAL_LINEAR || m == SUP_MATERIAL_LINEAR_COROTATIONAL ||
         (m == SUP_MATERIAL_COROTATIONAL && k->type == SUP_CELL_H8);
}

/** Two growths, of every second cell and of all. */
static void grow(setup *s, int num_cells) {
  static const double strain[2][3] = {{.02, -.03, .01}, {.004, .01, 0}};
  unsigned char      *is_cell = NULL;
  OK(SUP_CALLOC(is_cell, num_cells));
  for (int k = 0; k < 2; k++) {
    for (int c = 0; c < num_cells; c++) is_cell[c] = k == 1 || c % 2 == 0;
    OK(sup_fem_add_growth(s->body, strain[k], is_cell));
  }
  s->work.growth = fem_test_array(2);
  s->work.growth[0] = .8, s->work.growth[1] = -.5;
  SUP_FREE(is_cell);
}

/** The two materials: two terms, and one with the same share in the long run. */
static void two_materials(const fem_test_kind *k, sup_material_def material[2]) {
  for (int i = 0; i < 2; i++) {
    material[i] = fem_test_material(k->model[i], i ? 5 : 3, i ? .3 : .4);
    material[i].moduli = SUP_MODULI_INSTANTANEOUS;
  }
  material[0].num_prony = 2;
  material[0].prony[0] = (sup_prony_term){.3, .01}, material[0].prony[1] = (sup_prony_term){.2, .5};
  material[1].num_prony = 1;
  material[1].prony[0] = (sup_prony_term){.5, .1};
}

/** @param[in] strain  size of random displacements, of fem_test_kind_share
 *  @param[in] how     DAMPED, GROWS */
static setup make_setup(const fem_test_kind *k, double strain, int how) {
  sup_material_def material[2];
  test_random      random = {71};
  sup_mesh        *mesh = fem_test_kind_box(k, 72);
  setup            s = {.size = 3 * (size_t)mesh->num_vertices};
  int             *cell_material = NULL;
  bool             is_damped = how & DAMPED, grows = how & GROWS && may_grow(k);
  two_materials(k, material);
  if (grows) material[1].num_prony = 0; /* a history of growth alone */
  for (int i = 0; i < 2; i++) material[i].stiffness_damping = is_damped ? .02 + .03 * i : 0;
  OK(SUP_CALLOC(cell_material, mesh->num_cells));
  for (int c = 0; c < mesh->num_cells; c++) cell_material[c] = c % 2;
  OK(sup_fem_body_create_parts(&s.body, mesh, 2, material, cell_material, k->form));
  if (grows) grow(&s, mesh->num_cells);
  double **vector[] = {&s.x, &s.x0, &s.y, &s.d, &s.f, &s.g};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) *vector[i] = fem_test_array(s.size);
  s.values = sup_block_pattern_num_values(sup_fem_pattern(s.body)), s.K = fem_test_array(s.values);
  s.num_internal = sup_fem_num_internal(s.body);
  CHECK(s.num_internal == (grows ? 3 : 2) * sup_fem_history_size(s.body));
  s.internal = fem_test_array(s.num_internal);
  s.work.start = aligned(sup_fem_history_size(s.body));
  s.work.history = aligned(sup_fem_history_size(s.body));
  s.damped = aligned(sup_fem_strain_size(s.body)), s.strain = aligned(sup_fem_strain_size(s.body));
  OK(SUP_CALLOC(s.R, mesh->num_cells));
  OK(SUP_CALLOC(s.relaxation, 1));
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
  go(&s, mesh->x, s.x0, .02);
  begin(&s, s.x0, .03);
  if (is_damped) {
    sup_fem_strains(s.body, s.R, s.x0, s.damped);
    s.inc.start = s.damped, s.inc.rate = 100;
  }
  s.inc.relaxation = s.relaxation;
  rotate(&s, s.x);
  SUP_FREE(cell_material);
  sup_mesh_destroy(&mesh);
  return s;
}

static void free_setup(setup *s) {
  sup_fem_body_destroy(&s->body);
  SUP_FREE(s->x), SUP_FREE(s->x0), SUP_FREE(s->y), SUP_FREE(s->d), SUP_FREE(s->f), SUP_FREE(s->g),
      SUP_FREE(s->K), SUP_FREE(s->internal), SUP_FREE(s->relaxation);
  SUP_FREE(s->R), SUP_FREE(s->work.growth);
  free(s->work.start), free(s->work.history), free(s->damped), free(s->strain);
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double largest(const double *a, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

/** y := x + h d, and the rotations there. */
static void move(setup *s, double h) {
  for (size_t i = 0; i < s->size; i++) s->y[i] = s->x[i] + h * s->d[i];
  rotate(s, s->y);
}

static void the_force_is_the_slope_of_the_potential(void) {
  const double h = 1e-5;
  for (int k = 0; k < WAYS * NUM_KINDS; k++) {
    setup  s = make_setup(&kinds[k / WAYS], .05, k % WAYS);
    double at[2];
    sup_fem_step_force(s.body, s.R, s.x, &s.inc, s.f);
    for (int side = 0; side < 2; side++) {
      move(&s, side ? h : -h);
      at[side] = sup_fem_step_energy(s.body, s.R, s.y, &s.inc);
    }
    double slope = (at[1] - at[0]) / (2 * h);
    printf("%s %.1e, ", kinds[k / WAYS].name, fabs(slope / -dot(s.f, s.d, s.size) - 1));
    double cancels = k % WAYS & GROWS ? 1e-7 * sqrt(dot(s.f, s.f, s.size)) : 0; /* of h^2 */
    NEAR(slope, -dot(s.f, s.d, s.size), 1e-6, cancels);
    free_setup(&s);
  }
}

/* Exact at points; with one rotation a cell but for the moment of its forces times the second
 * derivative of the turn. */
static void the_tangent_is_the_slope_of_the_force(void) {
  const double h = 1e-6;
  for (int k = 0; k < WAYS * NUM_KINDS; k++) {
    const fem_test_kind *of = &kinds[k / WAYS];
    setup                s = make_setup(of, .008, k % WAYS);
    double              *Kd = fem_test_array(s.size), close = 1e-6;
    int                  has_turns = of->model[0] == SUP_MATERIAL_COROTATIONAL ||
                    of->model[0] == SUP_MATERIAL_LINEAR_COROTATIONAL;
    if (of->type != SUP_CELL_T4 && has_turns) close = .01; /* one rotation a cell */
    sup_fem_add_step_stiffness(s.body, s.R, s.x, 1, &s.inc, 1, s.K);
    sup_block_multiply(sup_fem_pattern(s.body), s.K, s.d, Kd);
    move(&s, -h);
    sup_fem_step_force(s.body, s.R, s.y, &s.inc, s.f);
    move(&s, h);
    sup_fem_step_force(s.body, s.R, s.y, &s.inc, s.g);
    double scale = largest(Kd, s.size), off = 0;
    for (size_t i = 0; i < s.size; i++) off = fmax(off, fabs((s.f[i] - s.g[i]) / (2 * h) - Kd[i]));
    printf("%s %.1e, ", of->name, off / scale);
    CHECK(off < close * scale);
    SUP_FREE(Kd);
    free_setup(&s);
  }
}

/** Largest eigenvalue of shift - K, or of K when the shift is 0, by power iteration. */
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

static void the_projected_tangent_is_positive_semidefinite(void) {
  for (int k = 0; k < NUM_KINDS; k++) {
    setup s = make_setup(&kinds[k], .1, 0);
    sup_fem_add_step_stiffness(s.body, s.R, s.x, 1, &s.inc, 0, s.K);
    double most = 1.1 * largest_eigenvalue(&s, 0);
    CHECK(most > 0 && most - largest_eigenvalue(&s, most) > -1e-10 * most);
    free_setup(&s);
  }
}

/* Bodies that are linear in a step: A = M + dt^2 m K(R), and the same force. */
static void the_system_of_a_linear_step_has_the_share_of_the_stiffness(void) {
  for (int k = 0; k < NUM_KINDS; k++) {
    if (!(kinds[k].model[0] == SUP_MATERIAL_LINEAR ||
          kinds[k].model[0] == SUP_MATERIAL_LINEAR_COROTATIONAL))
      continue;
    setup   s = make_setup(&kinds[k], .05, GROWS);
    double  dt = .03, *A = fem_test_array(s.values), *M = fem_test_array(s.values);
    sup_v3  none = {0, 0, 0};
    double *Kd = fem_test_array(s.size);
    sup_fem_step_system(s.body, s.R, s.x, dt, NULL, 1, none, NULL, s.relaxation, NULL, A, s.f,
                        NULL);
    sup_fem_step_force(s.body, s.R, s.x, &s.inc, s.g);
    for (size_t i = 0; i < s.size; i++) NEAR(s.f[i], s.g[i], 0, 1e-12 * largest(s.g, s.size));
    sup_fem_mass_matrix(s.body, 1, M);
    sup_fem_add_step_stiffness(s.body, s.R, s.x, dt * dt, &s.inc, 0, M);
    if (kinds[k].model[0] == SUP_MATERIAL_LINEAR) /* no tension */
      for (size_t i = 0; i < s.values; i++) NEAR(A[i], M[i], 1e-12, 1e-12);
    SUP_FREE(A), SUP_FREE(M), SUP_FREE(Kd);
    free_setup(&s);
  }
}

/** The share of the stress that is left of a sudden strain, of material 0. */
static double left(double t) { return .5 + .3 * exp(-t / .01) + .2 * exp(-t / .5); }

/** A body of the first material alone, held at x since a sudden strain. */
static setup make_sudden(const fem_test_kind *k, double strain) {
  setup            s = make_setup(k, strain, 0);
  sup_material_def material[2];
  sup_mesh        *mesh = fem_test_kind_box(k, 72);
  two_materials(k, material);
  sup_fem_body_destroy(&s.body);
  OK(sup_fem_body_create(&s.body, mesh, material, k->form));
  memset(s.internal, 0, s.num_internal * sizeof *s.internal);
  go(&s, mesh->x, s.x, 0);
  sup_mesh_destroy(&mesh);
  return s;
}

/* By steps of any length: force, stress and energy of all elements and laws. */
static void a_sudden_strain_relaxes_as_its_series_says(void) {
  static const double steps[] = {.001, .004, .02, .3, 5};
  for (int k = 0; k < NUM_KINDS; k++) {
    setup          s = make_sudden(&kinds[k], .02);
    size_t         points = 6 * (size_t)sup_fem_num_points(s.body);
    size_t         cells = (size_t)sup_fem_mesh(s.body)->num_cells;
    double        *was = fem_test_array(points * cells), *is = fem_test_array(points * cells);
    sup_fem_stress before = {.point = was}, after = {.point = is};
    double         t = 0;
    rotate(&s, s.x);
    sup_fem_energy_force(s.body, s.R, s.x, s.f);
    sup_fem_stress_at(s.body, s.x, NULL, &before);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
      begin(&s, s.x, steps[i]), t += steps[i];
      sup_fem_step_force(s.body, s.R, s.x, &s.inc, s.g);
      go(&s, s.x, s.x, steps[i]);
      sup_fem_stress_at(s.body, s.x, s.internal, &after);
      double off = 0, size = largest(s.f, s.size);
      for (size_t a = 0; a < s.size; a++) off = fmax(off, fabs(s.g[a] - left(t) * s.f[a]));
      CHECK(off < 1e-13 * size);
      off = 0, size = largest(was, points * cells);
      for (size_t a = 0; a < points * cells; a++) off = fmax(off, fabs(is[a] - left(t) * was[a]));
      CHECK(off < 1e-10 * size);
    }
    SUP_FREE(was), SUP_FREE(is);
    free_setup(&s);
  }
}

/* Cells with K0: of their work along a straight way nothing is missing, and no step gains energy.
 */
static void the_work_of_the_path_is_stored_or_dissipated(void) {
  for (int k = 0; k < NUM_KINDS; k++) {
    if (kinds[k].model[0] != SUP_MATERIAL_LINEAR) continue;
    setup  s = make_setup(&kinds[k], .05, GROWS);
    double work = 0, taken = 0, least = HUGE_VAL, dt = .004;
    double stored = sup_fem_stored_energy(s.body, s.R, s.x0, s.internal);
    for (int step = 0; step < 400; step++) { /* there and back, by small steps */
      double a = .5 - .5 * cos(.05 * step), b = .5 - .5 * cos(.05 * (step + 1));
      for (size_t i = 0; i < s.size; i++) {
        s.y[i] = s.x0[i] + a * (s.x[i] - s.x0[i]), s.g[i] = s.x0[i] + b * (s.x[i] - s.x0[i]);
      }
      begin(&s, s.y, 0); /* the stress at the start */
      sup_fem_step_force(s.body, s.R, s.y, &s.inc, s.f);
      for (size_t i = 0; i < s.size; i++) work -= .5 * s.f[i] * (s.g[i] - s.y[i]);
      double now = go(&s, s.y, s.g, dt);
      taken += now, least = fmin(least, now);
      begin(&s, s.g, 0);
      sup_fem_step_force(s.body, s.R, s.g, &s.inc, s.f);
      for (size_t i = 0; i < s.size; i++) work -= .5 * s.f[i] * (s.g[i] - s.y[i]);
    }
    stored = sup_fem_stored_energy(s.body, s.R, s.g, s.internal) - stored;
    printf("%s: work %.6g, stored %.6g, dissipated %.6g J\n", kinds[k].name, work, stored, taken);
    CHECK(least >= 0 && taken > .1 * fabs(stored));
    NEAR(work, stored + taken, 0,
         3e-3 * taken); /* trapezoids of a stress that is no straight line */
    free_setup(&s);
  }
}

/* Cells with K0, elastic: a growth that comes at the step's start does the change of their energy
 * there. */
static void growth_does_the_work_that_is_stored(void) {
  for (int k = 0; k < NUM_KINDS; k++) {
    if (!may_grow(&kinds[k])) continue;
    setup            s = make_setup(&kinds[k], .005, GROWS);
    sup_material_def material[2];
    sup_mesh        *mesh = fem_test_kind_box(&kinds[k], 72);
    double           done[2];
    two_materials(&kinds[k], material);
    material[0].num_prony = 0;
    sup_fem_body_destroy(&s.body);
    OK(sup_fem_body_create(&s.body, mesh, material, kinds[k].form));
    SUP_FREE(s.work.growth);
    grow(&s, mesh->num_cells);
    sup_fem_set_growth(s.body, s.work.growth, s.internal);
    rotate(&s, s.x);
    double before = sup_fem_stored_energy(s.body, s.R, s.x, s.internal);
    s.work.growth[0] = -.3, s.work.growth[1] = 1.2;
    begin(&s, s.x, .03);
    sup_fem_end_relaxation(s.body, s.x, s.R, s.x, .03, &s.work, s.internal, done);
    double after = sup_fem_stored_energy(s.body, s.R, s.x, s.internal);
    NEAR(done[1], after - before, 1e-12, 1e-12 * before);
    CHECK(done[0] == 0 && fabs(done[1]) > .01 * before);
    sup_mesh_destroy(&mesh);
    free_setup(&s);
  }
}

/* A body that is strained, kept so and turned: its force turns with it, and there is no moment. */
static void forces_turn_with_the_body_and_have_no_moment(void) {
  test_random random = {73};
  for (int k = 0; k < NUM_KINDS; k++) {
    if (kinds[k].model[0] == SUP_MATERIAL_LINEAR) continue;
    setup  s = make_setup(&kinds[k], .05, GROWS), still = make_setup(&kinds[k], .05, GROWS);
    sup_m3 Q = fem_test_rotation(&random);
    sup_v3 moment = {0, 0, 0};
    double size = 0, off = 0;
    for (size_t a = 0; a < s.size; a += 3)
      sup_v3_store(s.y + a, sup_v3_add(sup_m3_apply(Q, sup_v3_load(s.x0 + a)), (sup_v3){1, 2, 3}));
    go(&still, s.x0, s.x0, .03), go(&s, s.x0, s.y, .03);
    begin(&still, s.x0, .03), begin(&s, s.y, .03);
    sup_fem_step_force(still.body, still.R, still.x0, &still.inc, s.f);
    sup_fem_step_force(s.body, s.R, s.y, &s.inc, s.g);
    for (size_t a = 0; a < s.size; a += 3) {
      sup_v3 turned = sup_m3_apply(Q, sup_v3_load(s.f + a)), force = sup_v3_load(s.g + a),
             part = sup_v3_cross(sup_v3_load(s.y + a), force);
      moment = sup_v3_add(moment, part), size += sup_v3_norm(part);
      off = fmax(off, sup_v3_norm(sup_v3_sub(turned, force)));
    }
    CHECK(off < 1e-9 * largest(s.g, s.size));
    NEAR(sup_v3_norm(moment), 0, 0, 1e-10 * size);
    free_setup(&s), free_setup(&still);
  }
}

/* tan delta = E''/E' at the frequency, by the closed forms of a series. */
static void a_loss_factor_is_one_term(void) {
  sup_material_def m = fem_test_material(SUP_MATERIAL_COROTATIONAL, 1e6, .4);
  m.loss_factor = .2, m.loss_frequency = 5;
  sup_prony p = sup_fem_prony(&m);
  double    w = 2 * acos(-1) * 5, z = w * p.time[0], storage = p.long_term, loss = 0;
  storage += p.share[0] * z * z / (1 + z * z), loss += p.share[0] * z / (1 + z * z);
  CHECK(p.num == 1);
  NEAR(loss / storage, .2, 1e-14, 0);
  NEAR(sup_fem_instantaneous_modulus(&m) * p.long_term, 1e6, 1e-14, 0);
  m.loss_factor = 1;
  CHECK(sup_fem_check_material(&m) == SUP_E_ARG);
  m.loss_factor = 0, m.num_prony = 2;
  m.prony[0] = (sup_prony_term){.6, 1}, m.prony[1] = (sup_prony_term){.4, 2};
  CHECK(sup_fem_check_material(&m) == SUP_E_ARG);
  m.prony[1].share = .3;
  OK(sup_fem_check_material(&m));
}

SUITE_TESTS(viscoelastic, TEST(growth_does_the_work_that_is_stored),
            TEST(the_force_is_the_slope_of_the_potential),
            TEST(the_tangent_is_the_slope_of_the_force),
            TEST(the_projected_tangent_is_positive_semidefinite),
            TEST(the_system_of_a_linear_step_has_the_share_of_the_stiffness),
            TEST(a_sudden_strain_relaxes_as_its_series_says),
            TEST(the_work_of_the_path_is_stored_or_dissipated),
            TEST(forces_turn_with_the_body_and_have_no_moment), TEST(a_loss_factor_is_one_term));
