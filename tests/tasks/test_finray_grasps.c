/* FinRay fingers grasp compliant bodies, lift and hold them: examples/finray_grasp_ball.yaml and
 * finray_grasp_box.yaml.
 */
#include "cases/creep.h"

/** Place of the body in the hand. */
static sup_v3 in_hand(const test_example *e, const char *body) {
  return sup_v3_sub(test_example_place(e, body), test_example_place(e, "gripper/hand"));
}

/** From the start to 1 s after the lift; the vertical force is the mean of the last 0.2 s. */
static void grasp(const char *name, const char *body, double mass, double start) {
  const char  *sets[] = {"time.step=20ms"};
  test_example e;
  test_creep   creep = {.from = 3.5};
  sup_v3       held = {0, 0, 0};
  double       force = 0, slip = 0;
  test_example_start(&e, name, sets, 1);
  while (e.s.state->time < 4 - 1e-9) {
    test_step(&e.s);
    test_creep_step(&creep, e.s.stepper, sup_model_find_body(e.s.model, body));
    CHECK(e.s.report.inverted_cells == 0);
    if (e.s.state->step == 95) held = in_hand(&e, body);
    if (e.s.state->step > 95) slip = fmax(slip, sup_v3_norm(sup_v3_sub(in_hand(&e, body), held)));
    if (e.s.state->step > 190) force += test_contact_force(&e.s, body).z / 10;
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
  CHECK(test_creep_speed(&creep, name) < 1e-7); /* with regularised friction 2.5 and 7.4 um/s */
}

static void the_ball_is_lifted_and_held(void) { grasp("finray_grasp_ball", "ball", .05, .022); }
static void the_box_is_lifted_and_held_by_its_edges(void) {
  grasp("finray_grasp_box", "box", .06, .025);
}

SUITE_TESTS(finray_grasps, TEST(the_ball_is_lifted_and_held),
            TEST(the_box_is_lifted_and_held_by_its_edges));
