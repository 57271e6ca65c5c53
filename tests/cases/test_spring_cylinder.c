/* R05, P3 VI-B: a cylinder on a spring rolls by friction, examples/spring_cylinder.yaml.
 * tests/step/test_springs.c has the energy bands, the periods and the orders of one point of
 * contact. */
#include "example.h"

static const double m = .5, R = .05, length = .1, ks = 100, x0 = .1, sigma = 1e-3;

#define TIME(scheme) "time={step: 20 ms, end: 5 s, scheme: " scheme "}"
#define SYMPLECTIC "theta, theta: 0, theta_stiff: 0, theta_vq: 1"

static void a_cylinder_rolls_on_its_lowest_line(void) {
  static const char *const schemes[] = {TIME(SYMPLECTIC), TIME("implicit_euler"), TIME("midpoint")};
  /* midpoint: w dt/2 for tan, and friction's cost */
  static const double expected[] = {1.30e-2, 6.26e-2, 1.03e-2};
  double              w = sqrt(ks / (1.5 * m));
  for (int k = 0; k < 3; k++)
    for (int model = 0; model < TEST_NUM_MODELS; model++) {
      const char  *sets[] = {schemes[k], test_models[model]};
      double       sum = 0;
      test_example e;
      test_example_start(&e, "spring_cylinder", sets, 2);
      for (int i = 0; i < 250; i++) {
        test_step(&e.s);
        sup_v3 x = test_example_place(&e, "cylinder"), spin = test_example_spin(&e, "cylinder");
        sum += pow(x.x - x0 * cos(w * e.s.state->time), 2);
        /* no more than mu dt eps, where Similar glides while it creeps: v_s = 1e-4 m/s, or sigma w
         * mu gn0 = 1e-3 (3/m) mu m g dt/2 */
        double eps = model == TEST_SIMILAR_REGULARIZED ? 1e-3 * 1.5 * 9.81 * .02 : 1e-4;
        NEAR(x.z, R - m * 9.81 / 1e4, 0, .02 * eps);
        NEAR(x.y, 0, 0, 1e-9);
        NEAR(hypot(spin.x, spin.z), 0, 0, 1e-6);
        CHECK(sup_stepper_result(e.s.stepper)->num_contacts == 2);
      }
      NEAR(sqrt(sum / 250), expected[k], .05, 0);
      test_example_end(&e);
    }
}

/** Rate of energy loss over a minute, from means over ten periods [1/s]. */
static double loss(const char *const *sets, int num_sets) {
  enum { WINDOW = 272, WINDOWS = 11 };
  double       mean[WINDOWS] = {0};
  test_example e;
  test_example_start(&e, "spring_cylinder", sets, num_sets);
  for (int i = 0; i < WINDOW * WINDOWS; i++) {
    test_step(&e.s);
    sup_v3 v = test_example_velocity(&e, "cylinder"), w = test_example_spin(&e, "cylinder");
    double x = test_example_place(&e, "cylinder").x;
    mean[i / WINDOW] += .5 * m * (v.x * v.x + .5 * R * R * w.y * w.y) + .5 * ks * x * x;
  }
  test_example_end(&e);
  return log(mean[0] / mean[WINDOWS - 1]) / (.02 * WINDOW * (WINDOWS - 1));
}

/* Friction f = k_s x/3 creeps at R_t dt f, R_t = sigma w: energy goes at the rate sigma w dt k_s/9.
 * One point: w = 3/m; the ends of a cylinder's lowest line: |W_tt|_F/sqrt 2 of each, and half the
 * force. */
static void rolling_costs_what_the_creep_of_friction_takes(void) {
  const char *disc[] = {"rigid.cylinder.shape={sphere: {radius: 50 mm}}",
                        "rigid.cylinder.inertia=[6.25e-4, 6.25e-4, 6.25e-4]",
                        "rigid.floor.contact.point.stiffness=1.0e+4", "contact.delassus=full"};
  double      across = m * (3 * R * R + length * length) / 12, half = .5 * length;
  double      w_x = 3 / m + half * half / across, w_y = 1 / m + R * R / across;
  double      two_points = .5 * sqrt((w_x * w_x + w_y * w_y) / 2);
  NEAR(loss(disc, 3), sigma * 3 / m * .02 * ks / 9, .01, 0);
  NEAR(loss(disc, 4), sigma * 3 / m * .02 * ks / 9, .01,
       0); /* the mass matrix is diagonal: both estimates agree */
  NEAR(loss(NULL, 0), sigma * two_points * .02 * ks / 9, .01, 0);
}

/* Without friction it slides: symplectic Euler keeps the energy in [1/(1 + w dt/2), 1/(1 - w
 * dt/2)]. */
static void a_sliding_cylinder_is_a_mass_on_a_spring(void) {
  const char  *sets[] = {"rigid.floor.contact.friction=0"};
  double       low = 1, high = 1, e0 = .5 * ks * x0 * x0, half = .01 * sqrt(ks / m);
  test_example e;
  test_example_start(&e, "spring_cylinder", sets, 1);
  for (int i = 0; i < 2000; i++) {
    test_step(&e.s);
    double v = test_example_velocity(&e, "cylinder").x, x = test_example_place(&e, "cylinder").x;
    low = fmin(low, (.5 * m * v * v + .5 * ks * x * x) / e0),
    high = fmax(high, (.5 * m * v * v + .5 * ks * x * x) / e0);
  }
  NEAR(low, 1 / (1 + half), 2e-3, 0);
  NEAR(high, 1 / (1 - half), 2e-3, 0);
  NEAR(sup_v3_norm(test_example_spin(&e, "cylinder")), 0, 0, 1e-9);
  test_example_end(&e);
}

SUITE_TESTS(spring_cylinder, TEST(a_cylinder_rolls_on_its_lowest_line),
            TEST(rolling_costs_what_the_creep_of_friction_takes),
            TEST(a_sliding_cylinder_is_a_mass_on_a_spring));
