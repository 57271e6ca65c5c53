/* Derivatives of steps by the implicit function theorem against central differences of steps. */
#include "cases/example.h"
#include "control/transition.h"

/** Largest difference of two matrices over the largest entry of the second. */
static double difference(const double *a, const double *b, int count) {
  double most = 0, size = 0;
  for (int i = 0; i < count; i++)
    most = fmax(most, fabs(a[i] - b[i])), size = fmax(size, fabs(b[i]));
  return most / size;
}

/** Linearise the step after `steps` at the controls u, in both ways. */
static void compare(test_scene *s, const sup_control_def *controls, const double *u,
                    int num_controls, int steps, double size, double tolerance) {
  sup_transition *t = NULL;
  sup_state      *next = NULL;
  double         *A[2], *B[2], change;
  OK(sup_transition_create(&t, s->model, &s->options, controls, num_controls));
  OK(sup_state_create(&next, s->model, &s->options));
  int n = sup_transition_num_x(t), m = sup_transition_num_u(t);
  for (int k = 0; k < 2; k++) {
    OK(SUP_CALLOC(A[k], n * n));
    OK(SUP_CALLOC(B[k], n * m));
  }
  for (int k = 0; k < steps; k++) OK(sup_transition_step(t, s->state, u, s->state));
  OK(sup_linearise(t, s->state, u, next, A[0], B[0]));
  CHECK(t->record.is_plain);
  OK(sup_linearise_by_steps(t, s->state, u, size, A[1], B[1]));
  change = difference(A[0], A[1], n * n);
  printf("\n    %d contacts: A to %.1e", t->record.origins.num_contacts, change);
  CHECK(change <= tolerance);
  if (m > 0) {
    change = difference(B[0], B[1], n * m);
    printf(", B to %.1e ", change);
    CHECK(change <= tolerance);
  }
  for (int k = 0; k < 2; k++) SUP_FREE_ALL(&A[k], &B[k]);
  sup_state_destroy(&next);
  sup_transition_destroy(&t);
}

/** A cart on a rail, a pole on it; a drive on the pole. */
static void cart_pole(test_scene *s) {
  test_scene_init(s);
  sup_tree_def *d = test_add_tree(s, "cart", 2);
  for (int i = 0; i < 2; i++) {
    d->links[i].mass = 1 - .6 * i, d->links[i].com[2] = .5 * i;
    for (int k = 0; k < 3; k++) d->links[i].inertia[k] = 1e-2 + .01 * k * i;
  }
  d->links[0].joint = SUP_JOINT_PRISMATIC, d->links[1].joint = SUP_JOINT_REVOLUTE;
  d->links[1].axis[0] = 0, d->links[1].axis[1] = 1;
  d->links[0].damping = .3, d->links[1].spring = .2;
  d->links[1].q0[0] = .4, d->links[1].v0[0] = -1.5, d->links[0].v0[0] = .7;
  s->options.tolerance = 1e-12;
}

static void a_cart_and_its_pole(void) {
  const sup_control_def push = {SUP_CONTROL_EFFORT, "cart/joint0"};
  const double          u = 3;
  test_scene            s;
  cart_pole(&s);
  test_start(&s);
  compare(&s, &push, &u, 1, 7, -1, 1e-7);
  test_end(&s);
}

static void a_pendulum_that_a_drive_leads(void) {
  double                time[1] = {0}, target[1] = {0};
  const sup_control_def lead = {SUP_CONTROL_TARGET, "motor"};
  const double          u = .8;
  test_scene            s;
  cart_pole(&s);
  s.actuator[0] = (sup_actuator_def){
      .marker = SUP_INITIALISED, .kp = 5, .kd = .3, .effort = 50, .target = {1, 1, time, target}};
  snprintf(s.actuator[0].joint, sizeof s.actuator[0].joint, "cart/joint1");
  snprintf(s.actuator[0].name, sizeof s.actuator[0].name, "motor");
  s.def.num_actuators = 1;
  test_start(&s);
  compare(&s, &lead, &u, 1, 5, -1, 1e-7);
  test_end(&s);
}

/* The cart is pressed on its limit: its velocity there follows the limit's law. */
static void a_joint_at_its_limit(void) {
  const sup_control_def push[] = {{SUP_CONTROL_EFFORT, "cart/joint0"},
                                  {SUP_CONTROL_EFFORT, "cart/joint1"}};
  const double          u[2] = {-2000, 1};
  test_scene            s;
  cart_pole(&s);
  s.link[0][0].lower = -.02, s.link[0][0].upper = 1;
  test_start(&s);
  compare(&s, push, u, 2, 30, 1e-7, 1e-6);
  CHECK(s.state->q[0] < -.02 && s.state->q[0] > -.021);
  test_end(&s);
}

/** Pressed lightly: past the limit by less than a difference is long. */
static void joints_rest_on_their_limits(void) {
  const sup_control_def push[] = {{SUP_CONTROL_EFFORT, "cart/joint0"},
                                  {SUP_CONTROL_EFFORT, "cart/joint1"}};
  for (int k = 0; k < 12; k++) {
    double     u[2] = {-5 * pow(3, k % 6), 1};
    test_scene s;
    cart_pole(&s);
    s.options.dt = k < 6 ? 1e-3 : 1e-2;
    s.link[0][0].lower = -.02, s.link[0][0].upper = 1, s.link[0][0].q0[0] = -.02;
    s.link[0][0].v0[0] = s.link[0][1].v0[0] = 0;
    test_start(&s);
    compare(&s, push, u, 2, 30, 1e-9, 1e-6);
    test_end(&s);
  }
}

/* 130 velocities of a chain that swings. */
static void a_chain_of_130_joints(void) {
  const sup_control_def push = {SUP_CONTROL_EFFORT, "star/joint1"};
  const double          u = .1;
  test_scene            s;
  test_scene_init(&s);
  sup_link_def *link = test_add_star(&s, 1, 130, 0);
  link[1].q0[0] = .3, link[60].v0[0] = .2;
  s.options.tolerance = 1e-12, s.options.dt = 1e-4;
  test_start(&s);
  compare(&s, &push, &u, 1, 3, 1e-5, 2e-4);
  free(s.tree[0].links);
  test_end(&s);
}

static void add_tumbling(test_scene *s) {
  test_scene_init(s);
  sup_link_def *l =
      test_add_rigid(s, "brick", (sup_shape){.type = SUP_SHAPE_BOX, .size = {.1, .2, .3}}, 2, 0);
  l->q0[2] = 1;
  for (int k = 0; k < 6; k++) l->v0[k] = 1.5 - k;
  s->options.tolerance = 1e-12;
}

static void a_body_in_flight(void) {
  test_scene s;
  add_tumbling(&s);
  test_start(&s);
  compare(&s, NULL, NULL, 0, 3, -1, 1e-7);
  test_end(&s);
}

/** A compliant ball that slides and rolls on a floor with a pressure field, a rigid box on the
 * ball: patches that step by step have other corners. */
static void add_ball(test_scene *s, sup_contact_model model) {
  test_scene_init(s);
  sup_link_def *ball =
      test_add_rigid(s, "ball", (sup_shape){.type = SUP_SHAPE_SPHERE, .size = {.1}}, .3, 0);
  ball->q0[2] = .099, ball->v0[1] = 2, ball->v0[3] = .6, ball->v0[4] = .1;
  sup_link_def *floor =
      test_add_rigid(s, "floor", (sup_shape){.type = SUP_SHAPE_BOX, .size = {2, 2, .2}}, 0, 1);
  floor->X_PJ.p[2] = -.1, floor->X_PJ.p[0] = .013, floor->X_PJ.p[1] = .017;
  for (int t = 0; t < 2; t++) {
    s->geometry[t].contact.modulus = 5e5;
    s->geometry[t].contact.resolution = .05;
  }
  s->def.contact.model = model;
  s->options.tolerance = 1e-12, s->options.stiction_tolerance = 1e-3;
}

static void a_ball_that_slides_by_each_friction_model(void) {
  static const sup_contact_model models[] = {SUP_MODEL_LAGGED, SUP_MODEL_SIMILAR, SUP_MODEL_COUPLED,
                                             SUP_MODEL_SAP};
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    test_scene s;
    add_ball(&s, models[k]);
    test_start(&s);
    compare(&s, NULL, NULL, 0, 6, 1e-8, 1e-6);
    test_end(&s);
  }
}

static void a_ball_that_rolls_and_spins_on_a_point(void) {
  test_scene s;
  add_ball(&s, SUP_MODEL_COUPLED);
  for (int t = 0; t < 2; t++) {
    sup_contact_def *c = &s.geometry[t].contact;
    c->point_stiffness = 1e4, c->rolling_friction = 2e-3, c->torsional_friction = 5e-3;
  }
  s.link[0][0].v0[2] = 5;
  test_start(&s);
  compare(&s, NULL, NULL, 0, 20, 1e-8, 1e-6);
  test_end(&s);
}

static void an_arm_that_touches_a_ball(void) {
  static const char *const sets[] = {"solver.tolerance=1e-13"};
  sup_control_def          controls[7];
  double                   u[7];
  test_example             e;
  test_example_start(&e, "gen3_ball", sets, 1);
  for (int i = 0; i < 7; i++) {
    controls[i].kind = SUP_CONTROL_EFFORT, u[i] = i - 3;
    snprintf(controls[i].name, sizeof controls[i].name, "arm/Actuator%d", i + 1);
  }
  for (int k = 0; k < 3; k++) compare(&e.s, controls, u, 7, 5, 1e-8, 1e-6);
  test_example_end(&e);
}

static void one_sided_differences_are_near_central_ones(void) {
  static const char *const sets[] = {"solver.tolerance=1e-13"};
  test_example             e;
  sup_step_record          record = {.v = NULL};
  sup_transition          *t = NULL;
  sup_state               *next = NULL;
  double                  *A[2], B;
  test_example_start(&e, "gen3_ball", sets, 1);
  OK(sup_transition_create(&t, e.s.model, &e.s.options, NULL, 0));
  OK(sup_state_create(&next, e.s.model, &e.s.options));
  int n = sup_transition_num_x(t);
  for (int k = 0; k < 2; k++) OK(SUP_CALLOC(A[k], n * n));
  for (int k = 0; k < 6; k++) OK(sup_transition_step(t, e.s.state, NULL, e.s.state));
  OK(sup_transition_record(t, e.s.state, NULL, next, &record));
  for (int k = 0; k < 2; k++)
    OK(sup_transition_linearise(t, e.s.state, NULL, &record, k, A[k], &B));
  double change = difference(A[0], A[1], n * n);
  printf("to %.1e ", change);
  CHECK(change < 1e-5);
  for (int k = 0; k < 2; k++) SUP_FREE(A[k]);
  sup_step_record_free(&record);
  sup_state_destroy(&next);
  sup_transition_destroy(&t);
  test_example_end(&e);
}

/* Loads move with their links: such steps are differentiated by steps. */
static void loads_are_differentiated_by_steps(void) {
  double                time[1] = {0}, force[3] = {1, 2, 3};
  const sup_control_def push = {SUP_CONTROL_EFFORT, "cart/joint0"};
  const double          u = 1;
  test_scene            s;
  sup_transition       *t = NULL;
  sup_state            *next = NULL;
  double                A[2][16], B[2][4];
  cart_pole(&s);
  test_add_force(&s, "cart/link1", 1, time, force);
  test_start(&s);
  OK(sup_transition_create(&t, s.model, &s.options, &push, 1));
  OK(sup_state_create(&next, s.model, &s.options));
  OK(sup_linearise(t, s.state, &u, next, A[0], B[0]));
  OK(sup_linearise_by_steps(t, s.state, &u, -1, A[1], B[1]));
  CHECK(!t->record.is_plain);
  for (int i = 0; i < 16; i++) CHECK(A[0][i] == A[1][i]);
  NEAR(B[0][2] > 0, 1, 0, 0);
  sup_state_destroy(&next);
  sup_transition_destroy(&t);
  test_end(&s);
}

static void what_has_no_map_is_refused_by_name(void) {
  const sup_control_def none = {SUP_CONTROL_EFFORT, "cart/wheel"};
  sup_transition       *t = NULL;
  test_scene            s;
  cart_pole(&s);
  test_start(&s);
  FAILS(sup_transition_create(&t, s.model, &s.options, &none, 1), SUP_E_ARG, "'cart/wheel'");
  test_end(&s);
  test_scene_init(&s);
  test_add_soft_box(&s, "jelly", .1, .1, .1, 1, 1, 1, SUP_PATTERN_HEX, 1e5, .3, 1000);
  test_start(&s);
  FAILS(sup_transition_create(&t, s.model, &s.options, NULL, 0), SUP_E_ARG, "'jelly'");
  test_end(&s);
}

SUITE_TESTS(linearise, TEST(a_cart_and_its_pole), TEST(a_pendulum_that_a_drive_leads),
            TEST(a_joint_at_its_limit), TEST(joints_rest_on_their_limits),
            TEST(a_chain_of_130_joints), TEST(a_body_in_flight),
            TEST(a_ball_that_slides_by_each_friction_model),
            TEST(a_ball_that_rolls_and_spins_on_a_point), TEST(an_arm_that_touches_a_ball),
            TEST(one_sided_differences_are_near_central_ones),
            TEST(loads_are_differentiated_by_steps), TEST(what_has_no_map_is_refused_by_name));
