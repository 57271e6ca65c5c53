/* R11: boxes on an incline of 20 degrees, examples/incline.yaml. */
#include "example.h"

static const double pi = 3.14159265358979323846, g = 9.81;

/** Speed down the plane. */
static double speed(const test_example *e, const char *body) {
  sup_v3 v = test_example_velocity(e, body);
  return cos(pi / 9) * v.x - sin(pi / 9) * v.z;
}

static void boxes_slide_or_creep_as_friction_says(void) {
  static const char *const names[4] = {"mu20", "mu30", "mu50", "mu80"};
  static const double      mu[4] = {.2, .3, .5, .8};
  for (int model = 0; model < TEST_NUM_MODELS; model++) {
    test_example e;
    double       half[4];
    test_example_start(&e, "incline", &test_models[model], 1);
    for (int i = 0; i < 50; i++) test_step(&e.s);
    for (int b = 0; b < 4; b++) half[b] = speed(&e, names[b]);
    for (int i = 0; i < 50; i++) test_step(&e.s);
    for (int b = 0; b < 4; b++) {
      double v = speed(&e, names[b]), s = tan(pi / 9) / mu[b];
      if (s > 1)
        NEAR((v - half[b]) / .5, g * (sin(pi / 9) - mu[b] * cos(pi / 9)), 1e-6, 0);
      else if (model != TEST_SAP)
        NEAR(v, 1e-4 * s / sqrt(1 - s * s), 1e-8, 0);
      else
        NEAR(v, 1e-3 * .01 * g * sin(pi / 9), .1, 0); /* a point mass; corners have inverse masses of their own */
    }
    test_example_end(&e);
  }
}

/* Without rotation every corner is a point mass of inverse mass 1/m with a quarter of the weight; SAP's creep is then
 * sigma dt g sin(theta)/4, the others' that of the point. */
static void a_box_that_does_not_turn_creeps_like_points(void) {
  double point = 1e-4 * tan(pi / 9) / sqrt(.64 - tan(pi / 9) * tan(pi / 9));
  double expected[TEST_NUM_MODELS] = {point, point, point, 1e-3 * .01 * g * sin(pi / 9) / 4};
  for (int model = 0; model < TEST_NUM_MODELS; model++) {
    const char  *sets[] = {test_models[model], "rigid.mu80.joint=translation"};
    test_example e;
    test_example_start(&e, "incline", sets, 2);
    for (int i = 0; i < 50; i++) test_step(&e.s);
    NEAR(speed(&e, "mu80"), expected[model], 1e-6, 0);
    NEAR(sup_v3_norm(test_example_spin(&e, "mu80")), 0, 0, 0);
    test_example_end(&e);
  }
}

SUITE_TESTS(incline, TEST(boxes_slide_or_creep_as_friction_says), TEST(a_box_that_does_not_turn_creeps_like_points));
