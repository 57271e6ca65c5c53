/* FinRay fingers grasp compliant bodies, lift and hold them: examples/finray_grasp_ball.yaml and
 * finray_grasp_box.yaml.
 */
#include "example.h"

/** Place of the body in the hand. */
static sup_v3 in_hand(const test_example *e, const char *body) {
  return sup_v3_sub(test_example_place(e, body), test_example_place(e, "gripper/hand"));
}

/** From the start to 0.3 s after the lift; the vertical force is the mean of the last 0.2 s. */
static void grasp(const char *name, const char *body, double mass, double start, const char *set) {
  const char  *sets[] = {"time.step=20ms", set};
  test_example e;
  sup_v3       held = {0, 0, 0};
  double       force = 0, slip = 0;
  test_example_start(&e, name, sets, 2);
  while (e.s.state->time < 3.3 - 1e-9) {
    test_step(&e.s);
    CHECK(e.s.report.inverted_cells == 0);
    if (e.s.state->step == 95) held = in_hand(&e, body);
    if (e.s.state->step > 95) slip = fmax(slip, sup_v3_norm(sup_v3_sub(in_hand(&e, body), held)));
    if (e.s.state->step > 155) force += test_contact_force(&e.s, body).z / 10;
  }
  printf("slip %.3f mm, lifted %.1f mm, force off by %.1e ", 1e3 * slip,
         1e3 * (test_example_place(&e, body).z - start), force / (mass * 9.81) - 1);
  CHECK(slip < 1e-3);
  CHECK(test_example_place(&e, body).z > start + .095);
  NEAR(force, mass * 9.81, 1e-3, 0);
  sup_v3 spin = test_example_spin(&e, body), place = test_example_place(&e, body);
  CHECK(sup_v3_norm(spin) < 1e-3 && fabs(place.x) < 1e-5 &&
        fabs(place.y) < 1e-5); /* the grasp is symmetric */
  test_example_end(&e);
}

static void the_ball_is_lifted_and_held(void) {
  grasp("finray_grasp_ball", "ball", .05, .022, "rigid.ball.contact.resolution=6mm");
}
static void the_box_is_lifted_and_held_by_its_edges(void) {
  grasp("finray_grasp_box", "box", .06, .025, "output.every=0");
}

SUITE_TESTS(finray_grasps, TEST(the_ball_is_lifted_and_held),
            TEST(the_box_is_lifted_and_held_by_its_edges));
