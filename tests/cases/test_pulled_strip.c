/* A thin strip, clamped at one end, is pulled five hundred times as hard as it could be pressed
 * before it buckles, or pressed almost so, and sags under its weight. */
#include "scene_test.h"

typedef struct strip {
  test_scene       s;
  sup_region       root;
  sup_traction_def pull;
} strip;

/** @param[in] pull  against Euler's load; gravity [m/s^2] */
static void begin(strip *t, sup_material_model model, int bdf2, double dt, double pull,
                  double gravity) {
  const double L = .1, width = .01, thickness = 1e-3, E = 1e6,
               buckles = 9.8696 * E * width * pow(thickness, 3) / 12 / (4 * L * L);
  test_scene_init(&t->s);
  sup_soft_def *d = test_add_soft_box(&t->s, "strip", L, width, thickness, 20, 2, 1,
                                      SUP_PATTERN_HEX, E, .3, 1000);
  d->material.model = model, d->material.stiffness_damping = 2e-3;
  t->root = (sup_region){.type = SUP_REGION_BOX, .lower = {-1, -1, -1}, .upper = {1e-6, 1, 1}};
  t->pull = (sup_traction_def){
      .marker = SUP_INITIALISED,
      .region = {.type = SUP_REGION_BOX, .lower = {L - 1e-6, -1, -1}, .upper = {1, 1, 1}},
      .total_force = {pull * buckles, 0, 0}};
  d->num_clamps = 1, d->clamps = &t->root, d->num_tractions = 1, d->tractions = &t->pull;
  t->s.options.dt = dt, t->s.options.soft_bdf2 = bdf2;
  t->s.options.gravity[2] = -gravity;
  test_start(&t->s);
}

static double tip(const test_scene *s) {
  const double *x0 = s->model->soft[0].x0;
  for (int i = 0; i < s->model->num_vertices; i++)
    if (x0[3 * i] > .1 - 1e-9 && x0[3 * i + 1] < 1e-9 && x0[3 * i + 2] < 1e-9)
      return s->state->x[3 * i + 2];
  return (double)NAN;
}

/* At steps far longer than the strip's vibrations: with forces that only know the axes of the
   step's start its swing nearly doubled from step to step, and a nonlinear step did not converge.
 */
static void a_pulled_strip_comes_to_rest_where_statics_says(void) {
  static const struct {
    sup_material_model model;
    int                bdf2;
    double             dt, close; /* BDF2 swings for longer */
  } row[] = {{SUP_MATERIAL_LINEAR_COROTATIONAL, 0, .01, 1e-3},
             {SUP_MATERIAL_LINEAR_COROTATIONAL, 0, .04, 1e-3},
             {SUP_MATERIAL_COROTATIONAL, 0, .01, 1e-3},
             {SUP_MATERIAL_LINEAR_COROTATIONAL, 1, .01, .1}};
  strip t;
  begin(&t, SUP_MATERIAL_COROTATIONAL, 0, .01, 500, 9.81);
  test_static(&t.s, 1);
  double expected = tip(&t.s);
  printf("%.4f mm ", 1e3 * expected);
  CHECK(expected < -2e-3);
  test_end(&t.s);
  for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
    int most = 0;
    begin(&t, row[k].model, row[k].bdf2, row[k].dt, 500, 9.81);
    while (t.s.state->time < 2 - 1e-9) {
      test_step(&t.s);
      most = t.s.report.linearisations > most ? t.s.report.linearisations : most;
    }
    printf("%.4f mm, %d linearisations at most; ", 1e3 * tip(&t.s), most);
    NEAR(tip(&t.s), expected, row[k].close, 0);
    CHECK(most <= 6);
    test_end(&t.s);
  }
}

/* Compression takes most of what resists bending, which the projected stiffness does not know: it
   needs seven linearisations here, the exact one four. */
static void a_strip_near_buckling_is_solved_by_newtons_method(void) {
  strip t;
  int   most = 0;
  begin(&t, SUP_MATERIAL_COROTATIONAL, 0, .05, -.9, .05);
  for (int i = 0; i < 40; i++) {
    test_step(&t.s);
    most = t.s.report.linearisations > most ? t.s.report.linearisations : most;
  }
  printf("%.4f mm, %d linearisations at most ", 1e3 * tip(&t.s), most);
  CHECK(most <= 5);
  test_end(&t.s);
}

/* Damping takes u . dt beta K u with the rotations of the step's start, without tension's
   share of A; from rest, where no turns are predicted. */
static void damping_does_not_count_what_tension_holds(void) {
  strip t;
  begin(&t, SUP_MATERIAL_LINEAR_COROTATIONAL, 0, .01, 500, 9.81);
  for (int i = 0; i < 3; i++) test_step(&t.s);
  const sup_fem_body *fem = t.s.model->soft[0].fem;
  int                 n = 3 * t.s.model->num_vertices, inverted;
  double             *u = NULL, *f = NULL, taken = 0;
  sup_m3             *R = NULL;
  OK(SUP_CALLOC(u, n));
  OK(SUP_CALLOC(f, n));
  OK(SUP_CALLOC(R, t.s.mesh[0]->num_cells));
  sup_fem_rotations(fem, t.s.state->x, R, &inverted);
  for (int i = 0; i < n; i++) u[i] = -t.s.state->x[i] / .01, t.s.state->xdot[i] = 0;
  test_step(&t.s);
  for (int i = 0; i < n; i++) u[i] += t.s.state->x[i] / .01;
  sup_fem_add_damping_force(fem, R, u, -.01, f);
  for (int i = 0; i < n; i++) taken += u[i] * f[i];
  NEAR(t.s.report.soft_damping, taken, 1e-9, 0);
  CHECK(taken > 1e-9);
  SUP_FREE(u);
  SUP_FREE(f);
  SUP_FREE(R);
  test_end(&t.s);
}

SUITE_TESTS(pulled_strip, TEST(damping_does_not_count_what_tension_holds),
            TEST(a_pulled_strip_comes_to_rest_where_statics_says),
            TEST(a_strip_near_buckling_is_solved_by_newtons_method));
