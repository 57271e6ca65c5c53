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
        NEAR(v, 1e-3 * .01 * g * sin(pi / 9), .1,
             0); /* a point mass; corners have inverse masses of their own */
    }
    test_example_end(&e);
  }
}

/* Without rotation every corner is a point mass of inverse mass 1/m with a quarter of the weight;
 * SAP's creep is then sigma dt g sin(theta)/4, the others' that of the point. */
static void a_box_that_does_not_turn_creeps_like_points(void) {
  double point = 1e-4 * tan(pi / 9) / sqrt(.64 - tan(pi / 9) * tan(pi / 9));
  double expected[TEST_NUM_MODELS] = {point, point, point, point, 1e-3 * .01 * g * sin(pi / 9) / 4};
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

/** The scene with gravity turned so that its plane is steeper or flatter: `degrees` from the
 * horizontal. */
static void start_tilted(test_example *e, double degrees, const char *const *more, int num_more) {
  char        gravity[96];
  const char *sets[6] = {gravity};
  double      turn = (degrees - 20) * pi / 180;
  snprintf(gravity, sizeof gravity, "gravity=[%.17g, 0, %.17g]", g * sin(turn), -g * cos(turn));
  for (int k = 0; k < num_more; k++) sets[1 + k] = more[k];
  test_example_start(e, "incline", sets, 1 + num_more);
}

/* A box begins to slide within 0.05 degrees of atan(mu): 16.699244, 26.565051, 38.659808 degrees.
 */
static void boxes_begin_to_slide_at_the_angle_of_friction(void) {
  static const char *const names[3] = {"mu30", "mu50", "mu80"};
  static const double      mu[3] = {.3, .5, .8}, critical[3] = {16.699244, 26.565051, 38.659808};
  for (int b = 0; b < 3; b++) {
    NEAR(atan(mu[b]) * 180 / pi, critical[b], 1e-7, 0);
    for (int above = 0; above < 2; above++) {
      test_example e;
      double       angle = critical[b] + (above ? .05 : -.05),
             a = g * (sin(angle * pi / 180) - mu[b] * cos(angle * pi / 180));
      start_tilted(&e, angle, NULL, 0);
      for (int i = 0; i < 100; i++) test_step(&e.s);
      double v = speed(&e, names[b]), s = tan(angle * pi / 180) / mu[b];
      NEAR(v, above ? a * 1.0 : 1e-4 * s / sqrt(1 - s * s), .3, 0);
      CHECK(above ? v > 5e-3 : v < 3e-3);
      test_example_end(&e);
    }
  }
}

/* A block of half width .1 and half height .15 tips over its edge at atan(.1/.15) = 33.690068
 * degrees.  It stands stiffly and begins without a gap and with friction from its first step: 0.05
 * degrees below, 0.7 uJ of rocking would tip it. */
static void a_block_tips_where_its_weight_leaves_its_base(void) {
  char        place[128];
  const char *more[] = {"rigid.mu80.shape.box.size=[0.2, 0.2, 0.3]", place, "time.step=2e-3",
                        "contact.defaults.point.stiffness=1e10", "contact.friction_sweeps=6"};
  double      critical = atan(.1 / .15) * 180 / pi;
  snprintf(place, sizeof place, "rigid.mu80.pose.position=[%.17g, 0.3, %.17g]", .15 * sin(pi / 9),
           .15 * cos(pi / 9));
  NEAR(critical, 33.690068, 1e-7, 0);
  for (int above = 0; above < 2; above++) {
    test_example e;
    start_tilted(&e, critical + (above ? .05 : -.05), more, 5);
    for (int i = 0; i < 500; i++) test_step(&e.s);
    double spin = test_example_spin(&e, "mu80").y;
    CHECK(above ? spin > 1e-2 : fabs(spin) < 1e-4);
    test_example_end(&e);
  }
}

SUITE_TESTS(incline, TEST(boxes_slide_or_creep_as_friction_says),
            TEST(a_box_that_does_not_turn_creeps_like_points),
            TEST(boxes_begin_to_slide_at_the_angle_of_friction),
            TEST(a_block_tips_where_its_weight_leaves_its_base));
