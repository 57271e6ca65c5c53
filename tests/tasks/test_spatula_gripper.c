/* G03, after P1 V-C: a spatula's round handle between compliant pads,
 * examples/spatula_gripper.yaml, with one loose phase. */
#include "cases/example.h"

/** Pitch after the firm phase and at 1.2 s [deg]; the grip goes from 16 N at 0.3 s to 1 N at 0.5 s.
 */
static void run(const char *step, double dt, double pitch[2]) {
  const char  *sets[] = {step, "rigid.spatula.contact.resolution=3mm",
                         "contact.stick=soft", /* the strips of the equation are rigid */
                         "loads.left.force=[[0, 0, 16, 0], [0.3, 0, 16, 0], [0.5, 0, 1, 0]]",
                         "loads.right.force=[[0, 0, -16, 0], [0.3, 0, -16, 0], [0.5, 0, -1, 0]]"};
  test_example e;
  test_example_start(&e, "spatula_gripper", sets, 5);
  for (int n = 0; n < lround(1.2 / dt); n++) {
    test_step(&e.s);
    sup_m3 R = sup_stepper_result(e.s.stepper)->X_WL[sup_model_find_body(e.s.model, "spatula")].R;
    pitch[e.s.state->time > .3 + .5 * dt] = atan2(R.m[2][0], R.m[0][0]) * 180 / acos(-1);
  }
  NEAR(test_contact_force(&e.s, "spatula").z, .068 * 9.81, 1e-3, 0);
  CHECK(sup_stepper_result(e.s.stepper)->num_contacts > 100); /* two strips */
  test_example_end(&e);
}

/* Strips with the pressure of an elastic layer, as an ordinary differential equation
 * (examples/papers/spatula_gripper.py): 30.57 degrees.  A step sees the handle ploughing across its
 * strip, which resists in the order of dt. */
static void it_rests_while_held_and_pitches_until_friction_carries_it(void) {
  double coarse[2], fine[2];
  run("time.step=5ms", 5e-3, coarse);
  run("time.step=2.5ms", 2.5e-3, fine);
  NEAR(fine[0], 0, 0, .05);
  printf("%.2f, %.2f deg ", coarse[1], fine[1]);
  CHECK(fabs(fine[1] + 30.57) < fabs(coarse[1] + 30.57));
  NEAR(2 * fine[1] - coarse[1], -30.57, .03, 0);
}

SUITE_TESTS(spatula_gripper, TEST(it_rests_while_held_and_pitches_until_friction_carries_it));
