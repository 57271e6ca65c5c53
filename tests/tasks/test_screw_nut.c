/* G04r, after the worms of P0 XII-C: a nut on a screw, unrolled to a block in an inclined slot,
 * examples/screw_nut.yaml. */
#include "cases/example.h"

/** Horizontal path and speed after .1 s under a horizontal force, and what the upper flank presses
 * with. */
static sup_v3 run(int model, const char *force) {
  const char  *sets[] = {test_models[model], force, "contact.friction_sweeps=2"};
  test_example e;
  test_example_start(&e, "screw_nut", sets, 3);
  for (int i = 0; i < 100; i++) test_step(&e.s);
  sup_v3 out = {test_example_place(&e, "nut").x, test_example_velocity(&e, "nut").x,
                test_contact_force(&e.s, "upper_flank").z};
  test_example_end(&e);
  return out;
}

/* 1.64226 N raise the load, .03953 N lower it: 1 % less does not. */
static void it_turns_above_the_torques_that_raise_and_lower_and_locks_itself(void) {
  for (int model = 0; model < TEST_NUM_MODELS; model++) {
    CHECK(run(model, "loads.turn.force=[1.6587,0,0]").x > 1e-5);
    CHECK(fabs(run(model, "loads.turn.force=[1.6258,0,0]").x) < 5e-6);
    CHECK(fabs(run(model, "loads.turn.force=[0,0,0]").x) < 1e-6);
    CHECK(fabs(run(model, "loads.turn.force=[-.03913,0,0]").x) < 5e-6);
    CHECK(run(model, "loads.turn.force=[-.0415,0,0]").x < -1e-5);
  }
}

/* Contacts that slide at a distance of mu dt |v_t| press on both flanks: the sum of their
 * compressions, 2 mu dt |v_t|, is (N + 2 N_upper)/k, and 2 mu N_upper takes up what the torque is
 * too large by. */
static void similar_holds_a_nut_without_backlash_and_lagged_does_not(void) {
  double mu = .0835563, slope = 4.549865 * acos(-1) / 180, T = 1.806484, k = 2e6, dt = 1e-3;
  double excess = .1 / 1.1 * T * (cos(slope) - mu * sin(slope)), upper = .5 * excess / mu;
  sup_v3 lagged = run(TEST_LAGGED, "loads.turn.force.0=1.806484"),
         similar = run(TEST_SIMILAR, "loads.turn.force.0=1.806484");
  /* .1 kg, .1 s */
  NEAR(lagged.y, excess * cos(slope), .01, 0);
  NEAR(lagged.z, 0, 0, 1e-9);
  NEAR(similar.y, (10 * cos(slope) + T * sin(slope) + 2 * upper) / (2 * k * mu * dt) * cos(slope),
       .01, 0);
  NEAR(similar.z, upper * (cos(slope) + mu * sin(slope)), .01, 0);
}

SUITE_TESTS(screw_nut, TEST(it_turns_above_the_torques_that_raise_and_lower_and_locks_itself),
            TEST(similar_holds_a_nut_without_backlash_and_lagged_does_not));
