/* Joints that follow others (URDF's mimic). */
#include "scene_test.h"

/** Two sliders along x, the second follows the first with this ratio and offset. */
static void add_sliders(test_scene *s, double ratio, double offset) {
  test_scene_init(s);
  sup_tree_def *d = test_add_tree(s, "jaw", 3);
  for (int l = 1; l < 3; l++) {
    d->links[l].parent = 0;
    d->links[l].joint = SUP_JOINT_PRISMATIC;
    d->links[l].mass = l == 1 ? .3 : .2;
    for (int i = 0; i < 3; i++) d->links[l].inertia[i] = 1e-4;
  }
  d->links[2].mimic = 1, d->links[2].mimic_ratio = ratio, d->links[2].mimic_offset = offset;
  d->links[2].q0[0] = offset;
  s->options.gravity[2] = 0;
  s->options.dt = 1e-3;
  s->options.tolerance = 1e-12;
}

/* A force on the leader moves m_1 + ratio^2 m_2, and the follower keeps its place. */
static void the_pair_has_the_inertia_of_both(void) {
  double     time[1] = {0}, force[3] = {2, 0, 0}, ratio = -1.5, offset = .07;
  test_scene s;
  add_sliders(&s, ratio, offset);
  test_add_force(&s, "jaw/link1", 1, time, force);
  test_start(&s);
  for (int n = 0; n < 500; n++) {
    test_step(&s);
    NEAR(s.state->q[1], ratio * s.state->q[0] + offset, 0, 1e-8);
  }
  NEAR(s.state->v[0], 2 * .5 / (.3 + ratio * ratio * .2), 1e-5, 0);
  test_end(&s);
}

/* Both pushed back by springs of their own: what drives the leader presses with half of it on each
 * side, and the efforts say so. */
static void a_motor_on_the_leader_presses_with_both(void) {
  double     time[1] = {0}, target[1] = {1};
  test_scene s;
  add_sliders(&s, 1, 0);
  for (int l = 1; l < 3; l++) s.link[0][l].spring = 1e4, s.link[0][l].damping = 100;
  s.actuator[0] = (sup_actuator_def){
      .marker = SUP_INITIALISED, .kp = 1e4, .kd = 10, .effort = 20, .target = {1, 1, time, target}};
  snprintf(s.actuator[0].joint, sizeof s.actuator[0].joint, "jaw/joint1");
  s.def.num_actuators = 1;
  test_start(&s);
  for (int n = 0; n < 500; n++) test_step(&s);
  const double *effort = sup_stepper_result(s.stepper)->joint_effort;
  NEAR(effort[0], 10, 1e-3, 0);
  NEAR(effort[1], 10, 1e-3, 0);
  NEAR(effort[0] + effort[1], 20, 1e-9,
       0); /* exact; the share is as good as the coupler is stiff */
  NEAR(1e4 * s.state->q[0], effort[0], 1e-9, 0);
  test_end(&s);
}

static void the_way_of_a_follower_that_starts_elsewhere_is_short(void) {
  test_scene s;
  add_sliders(&s, 1, 0);
  s.link[0][2].q0[0] = .01;
  test_start(&s);
  for (int n = 0; n < 50; n++) test_step(&s);
  NEAR(s.state->q[0], s.state->q[1], 0, 1e-12);
  NEAR(.3 * s.state->q[0] + .2 * s.state->q[1], .2 * .01, 1e-9, 0); /* no force from outside */
  test_end(&s);
}

static void senseless_followers_are_refused(void) {
  test_scene s;
  add_sliders(&s, 1, 0);
  s.link[0][2].mimic = 2;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "joint 'joint2' follows the joint of link number 2; expected");
  s.link[0][2].mimic = 0;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "follows 'joint0'; both must be revolute, continuous or prismatic");
  s.link[0][2].mimic = 1, s.link[0][1].mimic = 2;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "joint 'joint1' follows 'joint2', which follows another");
  s.link[0][1].mimic = SUP_NONE, s.link[0][2].mimic_ratio = (double)NAN;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG, "both must be finite");
  test_end(&s);
}

SUITE_TESTS(mimic, TEST(the_pair_has_the_inertia_of_both),
            TEST(a_motor_on_the_leader_presses_with_both),
            TEST(the_way_of_a_follower_that_starts_elsewhere_is_short),
            TEST(senseless_followers_are_refused));
