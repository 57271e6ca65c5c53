/* G03r, after P1 V-C: a spatula between two flat pads slips when the grip loosens,
 * examples/spatula.yaml. */
#include "cases/example.h"

static double pitch(const test_example *e) {
  sup_m3 R = sup_stepper_result(e->s.stepper)->X_WL[sup_model_find_body(e->s.model, "spatula")].R;
  return atan2(R.m[2][0], R.m[0][0]) * 180 / acos(-1);
}

/* Patches hold a torque; a loose grip of 1 N a pad resists with 2 mu N r = .0135 N m at most, the
 * weight pulls with .0200 N m: -6.23278 degrees after .1 s of it. */
static void it_rests_while_held_and_slips_by_six_degrees_while_loose(void) {
  static const double m = .068, g = 9.81, dt = 4e-3;
  const char         *sets[] = {"time.step=4ms"};
  test_example        e;
  test_example_start(&e, "spatula", sets, 1);
  /* Creep: about a tenth of what the grip can hold, so a tenth of v_s at the mean radius: .04
   * deg/s. */
  for (int i = 0; i < 225; i++) test_step(&e.s);
  NEAR(e.s.state->time, .9, 0, 1e-9);
  NEAR(pitch(&e), 0, 0, .05);
  NEAR(test_contact_force(&e.s, "spatula").z, m * g, 1e-6, 0);
  for (int i = 0; i < 25; i++) test_step(&e.s);
  NEAR(e.s.state->time, 1, 0, dt * 1e-3);
  NEAR(pitch(&e), -6.23278, .03, 0);
  test_example_end(&e);
}

SUITE_TESTS(spatula, TEST(it_rests_while_held_and_slips_by_six_degrees_while_loose));
