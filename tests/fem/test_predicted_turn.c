/* Turns that are predicted for a step (THEORY 23.2c, 23.3): what damping and elastic forces do not
 * see of them. */
#include "fem_test.h"

enum { NUM_TYPES = 4 };
static const sup_cell_type types[NUM_TYPES] = {SUP_CELL_T4, SUP_CELL_H8, SUP_CELL_T10,
                                               SUP_CELL_T10};
static const int           forms[NUM_TYPES] = {0, 0, 0, SUP_FEM_MEAN_DILATATION};
static const double        dt = 2e-3, beta[2] = {.05, .01};

/** A body of two materials that is strained, and turns about an axis by an angle a step. */
typedef struct turning {
  sup_fem_body *body;
  size_t        size;
  sup_m3       *R;
  sup_v3        sine;
  double       *x, *v0, *way, *plain, *ahead, *damping, *cell_work, *values, *expected;
} turning;

static turning make_turning(int type, double strain, sup_v3 axis, double angle) {
  sup_material_def material[2] = {fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 1e5, .3),
                                  fem_test_material(SUP_MATERIAL_LINEAR_COROTATIONAL, 3e5, .4)};
  test_random      random = {91};
  sup_mesh        *mesh = fem_test_irregular_box(types[type], 92);
  turning          t = {.size = 3 * (size_t)mesh->num_vertices};
  int             *cell_material = NULL, inverted;
  double         **vector[] = {&t.x, &t.v0, &t.way, &t.plain, &t.ahead, &t.damping, &t.expected};
  OK(SUP_CALLOC(cell_material, mesh->num_cells));
  for (int c = 0; c < mesh->num_cells; c++) cell_material[c] = c % 2;
  for (int k = 0; k < 2; k++) material[k].stiffness_damping = beta[k];
  OK(sup_fem_body_create_parts(&t.body, mesh, 2, material, cell_material, forms[type]));
  for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) *vector[k] = fem_test_array(t.size);
  t.values = fem_test_array(sup_block_pattern_num_values(sup_fem_pattern(t.body)));
  OK(SUP_CALLOC(t.R, mesh->num_cells));
  OK(SUP_CALLOC(t.cell_work, mesh->num_cells));
  sup_m3 Q = fem_test_rotation(&random);
  axis = sup_v3_unit(axis), t.sine = sup_v3_scale(sin(angle), axis);
  sup_m3 turn = sup_quat_matrix(sup_quat_exp(sup_v3_scale(angle, axis)));
  for (size_t a = 0; a < t.size; a += 3) {
    sup_v3 X = sup_v3_load(mesh->x + a);
    for (int k = 0; k < 3; k++) t.x[a + (size_t)k] = strain * test_uniform(&random);
    sup_v3 x = sup_m3_apply(Q, sup_v3_add(X, sup_v3_load(t.x + a)));
    sup_v3_store(t.x + a, x);
    sup_v3_store(t.v0 + a, sup_v3_scale(1 / dt, sup_v3_sub(x, sup_m3_apply_t(turn, x))));
    sup_v3_store(t.way + a, sup_v3_sub(sup_m3_apply(turn, x), x));
  }
  sup_fem_rotations(t.body, t.x, t.R, &inverted);
  SUP_FREE(cell_material);
  sup_mesh_destroy(&mesh);
  return t;
}

static void free_turning(turning *t) {
  sup_fem_body_destroy(&t->body);
  SUP_FREE(t->x), SUP_FREE(t->v0), SUP_FREE(t->way), SUP_FREE(t->plain), SUP_FREE(t->ahead),
      SUP_FREE(t->damping), SUP_FREE(t->cell_work);
  SUP_FREE(t->values), SUP_FREE(t->expected), SUP_FREE(t->R);
}

/** ahead := what is predicted of the force with a body that turns at w; plain: without. */
static sup_fem_prediction predict(turning *t, sup_v3 w, int is_damped) {
  sup_fem_prediction ahead = {is_damped ? t->v0 : NULL, t->damping, t->cell_work, 0};
  sup_fem_step_system(t->body, t->R, t->x, dt, NULL, 1, w, NULL, NULL, NULL, t->values, t->plain,
                      NULL);
  sup_fem_step_system(t->body, t->R, t->x, dt, NULL, 1, w, &ahead, NULL, NULL, t->values, t->ahead,
                      NULL);
  for (size_t i = 0; i < t->size; i++) t->ahead[i] -= t->plain[i];
  return ahead;
}

static double largest(const double *a, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

static sup_v3 moment(const turning *t, const double *f) {
  sup_v3 sum = {0, 0, 0};
  for (size_t a = 0; a < t->size; a += 3)
    sum = sup_v3_add(sum, sup_v3_cross(sup_v3_load(t->x + a), sup_v3_load(f + a)));
  return sum;
}

static const double strains[] = {0, .05}, angles[] = {.01, .3, 1.2};

/* -beta K(R) (v - v_rigid) = 0 for v of a rigid turn, whatever the strain and the angle; without
   the prediction it is that of 1 - cos. */
static void damping_does_not_see_a_body_turn(void) {
  for (int type = 0; type < NUM_TYPES; type++)
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < 3; j++) {
        turning            t = make_turning(type, strains[k], (sup_v3){.3, -.5, .8}, angles[j]);
        sup_fem_prediction ahead = predict(&t, (sup_v3){0, 0, 0}, 1);
        double             work = 0, scale, bound = 1e-9;
        sup_fem_add_damping_force(t.body, t.R, t.way, -1 / dt, t.expected); /* beta K way/dt */
        scale = largest(t.expected, t.size);
        CHECK(scale > 1e-3);
        for (size_t i = 0; i < t.size; i++) {
          NEAR(t.ahead[i], t.expected[i], 0, bound * scale);
          NEAR(t.damping[i], t.expected[i], 0, bound * scale);
          work += t.way[i] * t.expected[i];
        }
        NEAR(ahead.work, work, 1e-7, 0);
        free_turning(&t);
      }
}

/* f = -K(R) (x0 + dt v - y - X): along a rigid turn of the body as a whole the force of the start,
 * to round-off. */
static void elastic_forces_do_not_see_a_body_turn(void) {
  for (int type = 0; type < NUM_TYPES; type++)
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < 3; j++) {
        turning t = make_turning(type, strains[k], (sup_v3){.3, -.5, .8}, angles[j]);
        predict(&t, sup_v3_scale(1 / dt, t.sine), 0);
        double *K = fem_test_array(sup_block_pattern_num_values(sup_fem_pattern(t.body)));
        sup_fem_stiffness(t.body, t.R, t.x, K);
        sup_block_multiply(sup_fem_pattern(t.body), K, t.way, t.expected);
        double scale = largest(t.expected, t.size);
        CHECK(scale > 1e-3);
        for (size_t i = 0; i < t.size; i++) NEAR(t.ahead[i], t.expected[i], 0, 1e-9 * scale);
        SUP_FREE(K);
        free_turning(&t);
      }
}

/* Rates of strain at the step's start: the damping force of the step at them has no moment, as
 * large as it is. */
static void damping_has_no_moment_about_strained_cells(void) {
  for (int type = 0; type < NUM_TYPES; type++) {
    turning     t = make_turning(type, .05, (sup_v3){.3, -.5, .8}, 0);
    test_random random = {93};
    for (size_t i = 0; i < t.size; i++) t.v0[i] = 1e-5 / dt * test_uniform(&random), t.plain[i] = 0;
    predict(&t, (sup_v3){0, 0, 0}, 1);
    sup_fem_add_damping_force(t.body, t.R, t.v0, 1, t.expected);
    double before = sup_v3_norm(moment(&t, t.expected));
    for (size_t i = 0; i < t.size; i++) t.expected[i] += t.ahead[i];
    double after = sup_v3_norm(moment(&t, t.expected));
    printf("%.1e of %.1e, ", after, before);
    CHECK(after < 1e-3 * before); /* of the second order in the turn */
    free_turning(&t);
  }
}

SUITE_TESTS(predicted_turn, TEST(damping_does_not_see_a_body_turn),
            TEST(elastic_forces_do_not_see_a_body_turn),
            TEST(damping_has_no_moment_about_strained_cells));
