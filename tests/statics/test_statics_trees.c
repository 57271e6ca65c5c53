/* Equilibria of rigid bodies and robots: springs, gravity, drives and contact against closed forms.
 */
#include "scene_test.h"

static const double g = 9.81;

/** Smallest and largest of an increasing function's root by halving. */
static double root_of(double (*f)(double, const double *), const double *parameter, double low,
                      double high) {
  for (int k = 0; k < 200; k++) {
    double middle = 0.5 * (low + high);
    if (f(middle, parameter) < 0)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

static sup_link_def *add_link(sup_tree_def *tree, int l, sup_joint_type joint, double mass,
                              double spring) {
  sup_link_def *link = &tree->links[l];
  link->joint = joint, link->mass = mass, link->spring = spring;
  for (int i = 0; i < 3; i++) link->inertia[i] = 1e-3 * mass;
  return link;
}

static void rests(test_scene *s, int most) {
  test_static(s, 1);
  if (s->report.linearisations > most || s->report.load_cuts)
    printf("%d iterations, ", s->report.linearisations);
  CHECK(s->report.linearisations <= most && s->report.load_cuts == 0);
}

/* ---- springs and gravity --------------------------------------------------------------------- */

/* m g = -k z; springs of joints and between bodies, a metre down as well as a millimetre. */
static void a_mass_hangs_on_its_spring(void) {
  static const double k[] = {9.81, 100, 9810};
  for (int i = 0; i < 3; i++) {
    test_scene s;
    test_scene_init(&s);
    sup_link_def *slider = add_link(test_add_tree(&s, "slide", 1), 0, SUP_JOINT_PRISMATIC, 1, k[i]);
    slider->axis[0] = slider->axis[1] = 0, slider->axis[2] = 1;
    test_add_rigid(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.05}}, 1, 0)->joint =
        SUP_JOINT_TRANSLATION;
    sup_spring_def *spring = test_add_spring(&s, "world", "ball", k[i]);
    spring->stiffness[1] = spring->stiffness[2] = k[i];
    s.link[1][0].q0[0] = .1; /* pulled aside, where it does not stay */
    s.link[1][0].q0[2] = 1, s.tree[0].X_WB.p[0] = 3;
    test_start(&s);
    rests(&s, 6);
    NEAR(s.state->q[0], -g / k[i], 1e-8, 0);
    NEAR(s.state->q[1], 0, 0, 1e-8);
    NEAR(s.state->q[3], -g / k[i], 1e-7, 0);
    test_end(&s);
  }
}

/** Angle of a pendulum whose joint spring is loose in the horizontal (upright: p[2]): k q = m g l
 * cos q, sin q. */
static double pendulum(double q, const double *p) {
  return p[0] * q - p[1] * (p[2] != 0 ? sin(q) : cos(q));
}

static double pendulum_angle(double k, int upright, double start, int most) {
  test_scene s;
  test_scene_init(&s);
  sup_link_def *bob = add_link(test_add_tree(&s, "pendulum", 1), 0, SUP_JOINT_REVOLUTE, 2, k);
  bob->axis[0] = bob->axis[2] = 0, bob->axis[1] = 1; /* turns z towards x, x towards -z */
  bob->com[upright ? 2 : 0] = .3;
  bob->q0[0] = start;
  test_start(&s);
  rests(&s, most);
  double q = s.state->q[0];
  test_end(&s);
  return q;
}

static void a_pendulum_rests_where_its_spring_balances_its_weight(void) {
  const double k[] = {.1, 1, 6, 60}, moment = 2 * g * .3;
  for (int i = 0; i < 4; i++) {
    double p[] = {k[i], moment, 0};
    NEAR(pendulum_angle(k[i], 0, 0, 12), root_of(pendulum, p, 0, 1.6), 1e-8, 0);
  }
  NEAR(pendulum_angle(0, 1, .1, 25), acos(-1), 1e-8, 0); /* falls over and hangs */
}

/* Upright it buckles below k = m g l: there is a straight way to rest, but gravity bends A down at
 * the start. */
static void an_inverted_pendulum_buckles(void) {
  const double moment = 2 * g * .3, p[] = {.8 * moment, moment, 1};
  NEAR(pendulum_angle(1.2 * moment, 1, .1, 10), 0, 0, 1e-7);
  NEAR(pendulum_angle(p[0], 1, .01, 25), root_of(pendulum, p, .3, 3), 1e-7, 0);
}

/* Exactly upright it balances, too: below k = m g l on a saddle, which is left to the positive
 * side. */
static void a_perfect_inverted_pendulum_leaves_its_saddle(void) {
  const double moment = 2 * g * .3;
  for (int k = 0; k < 2; k++) {
    double     p[] = {k ? .8 * moment : 1.02 * moment, moment, 1};
    test_scene s;
    test_scene_init(&s);
    sup_link_def *bob = add_link(test_add_tree(&s, "pendulum", 1), 0, SUP_JOINT_REVOLUTE, 2, p[0]);
    bob->axis[0] = bob->axis[2] = 0, bob->axis[1] = 1;
    bob->com[2] = .3;
    test_start(&s);
    rests(&s, 30);
    CHECK(s.report.saddles == k && s.report.saddle_directions == k && !s.report.is_saddle);
    if (k) CHECK(strcmp(s.report.saddle_place, "joint 'joint0' of 'pendulum'") == 0);
    NEAR(s.state->q[0], k ? root_of(pendulum, p, .3, 3) : 0, 1e-7, 1e-12);
    test_end(&s);
  }
}

/* Two bars upright on top of each other: as many directions down as the 2 x 2 stiffness has
 * negative eigenvalues. */
static void directions_of_a_saddle_are_negative_eigenvalues(void) {
  const double a = .4, b = .3, m[] = {1, .5};
  for (int i = 0; i < 12; i++) {
    const double k[] = {.5 + 1.1 * i, .2 + .3 * (i % 4)};
    double       second = m[1] * g * b / 2, first = (m[0] / 2 + m[1]) * g * a;
    double       K11 = k[0] - first - second, K12 = -second, K22 = k[1] - second,
           det = K11 * K22 - K12 * K12;
    int        negative = det < 0 ? 1 : K11 < 0 ? 2 : 0;
    test_scene s;
    test_scene_init(&s);
    sup_tree_def *arm = test_add_tree(&s, "arm", 2);
    for (int l = 0; l < 2; l++) {
      sup_link_def *link = add_link(arm, l, SUP_JOINT_REVOLUTE, m[l], k[l]);
      link->axis[0] = link->axis[2] = 0, link->axis[1] = 1;
      link->com[2] = .5 * (l ? b : a);
    }
    arm->links[1].X_PJ.p[2] = a;
    test_start(&s);
    rests(&s, 40);
    printf("%d ", negative);
    CHECK(s.report.saddle_directions == negative && s.report.saddles >= (negative > 0));
    const double *q = s.state->q;
    NEAR(k[0] * q[0], first * sin(q[0]) + second * sin(q[0] + q[1]), 1e-6, 1e-9);
    NEAR(k[1] * q[1], second * sin(q[0] + q[1]), 1e-6, 1e-9);
    CHECK((fabs(q[0]) + fabs(q[1]) > .1) == (negative > 0));
    test_end(&s);
  }
}

/* Bars of length a, b turn about y from the x axis: the moments of the weights behind each joint.
 */
static void a_two_link_arm_sags(void) {
  const double a = .4, b = .3, m[] = {1, .5}, k[] = {5, 1};
  test_scene   s;
  test_scene_init(&s);
  sup_tree_def *arm = test_add_tree(&s, "arm", 2);
  for (int l = 0; l < 2; l++) {
    sup_link_def *link = add_link(arm, l, SUP_JOINT_REVOLUTE, m[l], k[l]);
    link->axis[0] = link->axis[2] = 0, link->axis[1] = 1;
    link->com[0] = .5 * (l ? b : a);
  }
  arm->links[1].X_PJ.p[0] = a;
  test_start(&s);
  rests(&s, 10);
  const double *q = s.state->q;
  double        second = m[1] * g * b / 2 * cos(q[0] + q[1]),
         first = (m[0] / 2 + m[1]) * g * a * cos(q[0]) + second;
  CHECK(q[0] > .3 && q[1] > .2);
  NEAR(k[0] * q[0], first, 1e-8, 0);
  NEAR(k[1] * q[1], second, 1e-8, 0);
  test_end(&s);
}

/* A body on a spring at its rim turns until its weight hangs below: the spring's force makes that
 * stiff. */
static void a_body_hangs_from_its_rim(void) {
  test_scene s;
  test_scene_init(&s);
  test_add_rigid(&s, "hook", (sup_shape){SUP_SHAPE_BOX, {.01, .01, .01}}, 1, 1)->q0[0] = 0;
  test_add_rigid(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.05}}, 1, 0)->q0[0] = -.02;
  s.def.num_springs = 1;
  s.spring[0] = (sup_spring_def){.marker = SUP_INITIALISED,
                                 .name = "rope",
                                 .a = "hook",
                                 .b = "ball",
                                 .stiffness = {500, 500, 500}};
  s.spring[0].point_b[0] = .05; /* at its side */
  s.link[1][0].q0[2] = -.2;
  test_start(&s);
  rests(&s, 60);
  const double *q = s.state->q;
  NEAR(q[0], 0, 0, 1e-7);
  NEAR(q[1], 0, 0, 1e-7);
  NEAR(q[2], -g / 500 - .05, 1e-7, 0);
  test_end(&s);
}

/* ---- contact --------------------------------------------------------------------------------- */

static void a_box_rests_on_a_soft_block(void) {
  test_scene s;
  test_scene_init(&s);
  sup_region    base = {SUP_REGION_HALF_SPACE, {0}, {0}, {0, 0, 1}, 1e-9, {0}};
  sup_soft_def *block =
      test_add_soft_box(&s, "block", .1, .1, .1, 4, 4, 4, SUP_PATTERN_HEX, 1e5, .3, 1000);
  block->num_clamps = 1, block->clamps = &base;
  sup_link_def *box = test_add_rigid(&s, "box", (sup_shape){SUP_SHAPE_BOX, {.06, .06, .04}}, .5, 0);
  box->q0[0] = .05, box->q0[1] = .05, box->q0[2] = .125;
  test_start(&s);
  rests(&s, 60);
  sup_v3 f = test_contact_force(&s, "box");
  NEAR(f.z, .5 * g, 1e-7, 0);
  NEAR(f.x, 0, 0, 1e-6);
  NEAR(sup_stepper_result(s.stepper)->reaction[0].force.z, 1.5 * g, 1e-7, 0);
  NEAR(s.state->q[0], .05, 0, 1e-5); /* straight down */
  CHECK(s.state->q[2] < .12 && s.state->q[2] > .11);
  test_end(&s);
}

/** Two fingers that close along x, from centres at -+`from`, by drives to *target. */
static void add_fingers(test_scene *s, double from, double kp, double effort, double *target) {
  static double time;
  sup_tree_def *hand = test_add_tree(s, "hand", 2);
  for (int l = 0; l < 2; l++) {
    sup_link_def *finger = add_link(hand, l, SUP_JOINT_PRISMATIC, .2, 0);
    finger->parent = SUP_NONE;
    finger->axis[0] = l ? -1 : 1, finger->axis[1] = finger->axis[2] = 0;
    finger->X_PJ.p[0] = l ? from : -from;
    finger->num_geometries = 1, finger->geometries = &s->geometry[8 + l];
    s->geometry[8 + l] =
        (sup_geometry_def){(sup_shape){SUP_SHAPE_BOX, {.02, .04, .04}}, sup_pose_identity(),
                           sup_default_contact_def(), .marker = SUP_INITIALISED};
    s->geometry[8 + l].contact.friction = .8;
    s->actuator[l] = (sup_actuator_def){.marker = SUP_INITIALISED,
                                        .kp = kp,
                                        .kd = 5,
                                        .effort = effort,
                                        .target = {1, 1, &time, target}};
    snprintf(s->actuator[l].name, SUP_NAME_MAX, "drive%d", l);
    snprintf(s->actuator[l].joint, sizeof s->actuator[l].joint, "hand/joint%d", l);
  }
  s->def.num_actuators = 2;
}

/* Drives whose targets are 9 mm inside a box of 20 mm, and 10 um from its faces, rest on them with
 * their effort: no iteration passes through. */
static void flat_pads_hold_a_box(void) {
  test_scene s;
  double     target = 9e-3;
  test_scene_init(&s);
  add_fingers(&s, .02001, 4e3, 20, &target);
  test_add_rigid(&s, "box", (sup_shape){SUP_SHAPE_BOX, {.02, .02, .02}}, .1, 0);
  s.options.gravity[2] = 0;
  test_start(&s);
  test_static(&s, 4);
  for (int l = 0; l < 2; l++) {
    NEAR(s.state->q[l], 1e-5, 0, 1e-5);
    NEAR(sup_stepper_result(s.stepper)->joint_effort[l], 20, 1e-9, 0);
  }
  test_end(&s);
}

/* A box of mass m between two fingers: their drive presses with kp (target - q), friction carries
 * the weight. */
static void fingers_hold_a_box(void) {
  const double mass = .1, kp = 500;
  test_scene   s;
  double       target = .01;
  test_scene_init(&s);
  add_fingers(&s, .04, kp, 100, &target);
  test_add_rigid(&s, "box", (sup_shape){SUP_SHAPE_BOX, {.05, .03, .03}}, mass, 0);
  s.geometry[1].contact.friction = .8;
  s.link[1][0].q0[0] = 1e-3; /* off the middle */
  test_start(&s);
  rests(&s, 60);
  const double *q = s.state->q;
  NEAR(test_contact_force(&s, "box").z, mass * g, 1e-6, 0);
  NEAR(q[0], q[1], 0, 1e-7); /* two equal drives: the box moves to the middle */
  NEAR(sup_stepper_result(s.stepper)->joint_effort[0], kp * (target - q[0]), 1e-6, 0);
  CHECK(q[0] > .0049 && kp * (target - q[0]) > 2);
  test_end(&s);
}

/* A plate pressed with a force F on a box with a field of modulus E, thickness H/2 to its middle: F
 * = E d/(H/2) A. */
static void a_plate_sinks_into_a_pressure_field(void) {
  const double modulus = 1e5, H = .04, side = .05, force = 10;
  test_scene   s;
  double       time = 0, push[] = {0, 0, -force};
  test_scene_init(&s);
  test_add_rigid(&s, "pad", (sup_shape){SUP_SHAPE_BOX, {.2, .2, H}}, 1, 1);
  s.geometry[0].contact.modulus = modulus;
  sup_link_def *plate =
      test_add_rigid(&s, "plate", (sup_shape){SUP_SHAPE_BOX, {side, side, .02}}, .2, 0);
  plate->q0[2] = H / 2 + .01 + 1e-3;
  test_add_force(&s, "plate", 1, &time, push);
  test_start(&s);
  rests(&s, 40);
  double depth = H / 2 + .01 - s.state->q[2], all = force + .2 * g;
  NEAR(test_contact_force(&s, "plate").z, all, 1e-7, 0);
  NEAR(depth, all * (H / 2) / (modulus * side * side), .02, 0);
  test_end(&s);
}

/* ---- what has no rest ------------------------------------------------------------------------ */

static void fails_with(test_scene *s, const char *what) {
  sup_static_options o = sup_default_static_options();
  test_start(s);
  FAILS(sup_static_step(s->stepper, s->state, &o, &s->report), SUP_E_NOT_CONVERGED, what);
  if (!strstr(sup_error_message(), what)) printf("%s\n", sup_error_message());
  CHECK(sup_state_time(s->state) == 0);
  test_end(s);
}

static void what_moves_for_ever_is_named(void) {
  test_scene s;
  test_scene_init(&s);
  test_add_rigid(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.05}}, 1, 0);
  fails_with(&s, "'ball' is pulled by 9.81 N and nothing holds it");

  test_scene_init(&s);
  sup_link_def *slider = add_link(test_add_tree(&s, "rail", 1), 0, SUP_JOINT_PRISMATIC, 2, 0);
  slider->axis[0] = slider->axis[1] = 0, slider->axis[2] = 1;
  fails_with(&s, "joint 'joint0' of 'rail' is pulled by 19.62 N and nothing holds it");

  test_scene_init(&s);
  sup_pose tilted = {{0, 0, 0}, {cos(.2), 0, sin(.2), 0}};
  test_add_rigid(&s, "slope", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  s.tree[0].X_WB = tilted;
  s.geometry[0].contact.friction = .1;
  test_add_rigid(&s, "box", (sup_shape){SUP_SHAPE_BOX, {.06, .05, .02}}, 1, 0);
  s.geometry[1].contact.friction = .1;
  memcpy(s.link[1][0].q0 + 3, tilted.q, sizeof tilted.q);
  s.link[1][0].q0[0] = .01 * sin(.4), s.link[1][0].q0[2] = .01 * cos(.4);
  fails_with(&s, "'box' slides, rolls or falls on");
}

SUITE_TESTS(statics_trees, TEST(a_mass_hangs_on_its_spring),
            TEST(a_pendulum_rests_where_its_spring_balances_its_weight),
            TEST(an_inverted_pendulum_buckles), TEST(a_perfect_inverted_pendulum_leaves_its_saddle),
            TEST(directions_of_a_saddle_are_negative_eigenvalues), TEST(a_two_link_arm_sags),
            TEST(a_body_hangs_from_its_rim), TEST(a_box_rests_on_a_soft_block),
            TEST(flat_pads_hold_a_box), TEST(fingers_hold_a_box),
            TEST(a_plate_sinks_into_a_pressure_field), TEST(what_moves_for_ever_is_named));
