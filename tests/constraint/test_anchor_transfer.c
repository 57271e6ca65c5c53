/* Elastic sticks: transfer to new contacts, and spring and damper of one of them. */
#include "constraint/anchor.h"
#include "model/kinematics.h"
#include "scene_test.h"
#include "step/stepper.h"

/** Two boxes that lie in space, turned against each other, as links. */
static void two_boxes(test_scene *s) {
  static const sup_shape box = {SUP_SHAPE_BOX, {.1, .1, .1}};
  test_scene_init(s);
  test_add_rigid(s, "lower", box, 1, 0);
  sup_link_def *upper = test_add_rigid(s, "upper", box, 1, 0);
  upper->q0[2] = .0999, upper->q0[3] = cos(.3), upper->q0[6] = sin(.3);
  test_start(s);
}

static sup_contact patch(sup_v3 place, double area) {
  return (sup_contact){.pair = 0,
                       .body_a = 0,
                       .body_b = 1,
                       .geometry_a = 0,
                       .geometry_b = 1,
                       .num_points = area > 0 ? 3 : 1,
                       .centroid = place,
                       .normal = {0, 0, 1},
                       .area = area};
}

/** An anchor where such a contact stood, on both boxes as they lie. */
static sup_anchor anchor_at(const sup_kinematics *kin, sup_v3 place, sup_v3 stretch, double area) {
  sup_anchor out = {.is_point = area == 0,
                    .num_sides = 2,
                    .area = area,
                    .stiffness = area > 0 ? 1e9 * area : 1e4};
  for (int k = 0; k < 2; k++) {
    const sup_frame *X = &kin->X_WL[k];
    sup_anchor_side *side = &out.side[k];
    side->body = k;
    sup_v3_store(side->place, sup_frame_apply_inverse(X, place));
    sup_v3_store(side->stretch, sup_m3_apply_t(X->R, stretch));
    sup_v3_store(side->normal, sup_m3_apply_t(X->R, sup_v3_make(0, 0, 1)));
  }
  return out;
}

static void kinematics(test_scene *s) {
  sup_increment inc = test_increment(s);
  OK(sup_stepper_begin(s->stepper, &inc, s->state));
}

/** Forces [N] along x that contacts [count] take over; returns their sum. */
static double deal(test_scene *s, const sup_anchor *anchor, int num_anchors, sup_contact *contact,
                   int count, double *force) {
  sup_stick          *stick;
  double              sum = 0;
  sup_contact_list    list = {contact, (size_t)count, count};
  sup_contact_context c = {
      .model = s->model, .kin = &s->stepper->start.kin, .arena = s->stepper->arena};
  OK(sup_anchor_match(&c, anchor, num_anchors, &list, &stick));
  for (int i = 0; i < count; i++)
    force[i] = stick[i].stiffness * stick[i].stretch.x, sum += force[i];
  return sum;
}

static const sup_v3 along_x = {1e-5, 0, 0};

/* Three contacts stay where they are, a fourth opens beside them: each has its own again. */
static void what_stays_keeps_its_own(void) {
  test_scene  s;
  sup_anchor  anchor[3];
  sup_contact contact[4];
  double      force[4];
  two_boxes(&s);
  kinematics(&s);
  for (int i = 0; i < 4; i++) contact[i] = patch(sup_v3_make(.001 * i, .002 * i, .05), 1e-6);
  for (int i = 0; i < 3; i++)
    anchor[i] =
        anchor_at(&s.stepper->start.kin, contact[i].centroid, sup_v3_scale(i + 1, along_x), 1e-6);
  NEAR(deal(&s, anchor, 3, contact, 4, force), 1e3 * 6e-5, 1e-12, 0);
  for (int i = 0; i < 3; i++) NEAR(force[i], 1e3 * (i + 1) * 1e-5, 1e-9, 0);
  NEAR(force[3], 0, 0, 1e-12);
  test_end(&s);
}

/* The contact splits, at first by a sliver of 1e-14 of its area: nothing jumps. */
static void a_sliver_has_no_more_than_its_area(void) {
  test_scene s;
  two_boxes(&s);
  kinematics(&s);
  sup_anchor anchor = anchor_at(&s.stepper->start.kin, sup_v3_make(0, 0, .05), along_x, 1e-6);
  for (double share = 1e-14; share < .3; share *= 10) {
    sup_contact contact[2] = {patch(sup_v3_make(-5e-4 * share, 0, .05), 1e-6 * (1 - share)),
                              patch(sup_v3_make(5e-4 * (1 - share), 0, .05), 1e-6 * share)};
    double      force[2];
    NEAR(deal(&s, &anchor, 1, contact, 2, force), 1e-2, 1e-3, 0);
    CHECK(force[1] >= 0 && force[1] < 1e-2 * share);
  }
  test_end(&s);
}

/* The contacts go by, in a thousand steps: what is dealt changes by little in each, and none is
 * left once they are far. */
static void dealing_goes_with_the_place(void) {
  test_scene s;
  two_boxes(&s);
  kinematics(&s);
  sup_anchor anchor = anchor_at(&s.stepper->start.kin, sup_v3_make(0, 0, .05), along_x, 1e-6);
  double     before[3] = {0, 0, 0}, most = 0, jump = 0;
  for (int n = 0; n <= 1000; n++) {
    double      force[3], at = -.006 + 1.2e-5 * n;
    sup_contact contact[3];
    for (int i = 0; i < 3; i++) contact[i] = patch(sup_v3_make(at, .0008 * (i - 1), .05), 1e-6);
    most = fmax(most, deal(&s, &anchor, 1, contact, 3, force));
    for (int i = 0; i < 3; i++) {
      if (n > 0) jump = fmax(jump, fabs(force[i] - before[i]));
      before[i] = force[i];
    }
    if (n == 0 || n == 1000) CHECK(force[0] == 0 && force[1] == 0 && force[2] == 0);
  }
  printf("largest change in a step %.2g of the whole ", jump / most);
  NEAR(most, 1e-2, 1e-9, 0);
  CHECK(jump < .02 * most);
  test_end(&s);
}

/* Points have no size: what one holds goes on with the nearest, however far. */
static void a_point_goes_on_with_the_nearest(void) {
  test_scene s;
  two_boxes(&s);
  kinematics(&s);
  sup_anchor  anchor = anchor_at(&s.stepper->start.kin, sup_v3_make(0, 0, .05), along_x, 0);
  sup_contact contact[2] = {patch(sup_v3_make(1e-3, 0, .05), 0),
                            patch(sup_v3_make(.05, 0, .05), 0)};
  double      force[2];
  NEAR(deal(&s, &anchor, 1, contact, 1, force), .1, 1e-12, 0);
  NEAR(deal(&s, &anchor, 1, contact, 2, force), .1, 1e-12, 0);
  CHECK(force[1] < 1e-6 * force[0]);
  test_end(&s);
}

/* A contact that names its bodies the other way round is stretched the other way. */
static void sides_may_change_places(void) {
  test_scene s;
  two_boxes(&s);
  kinematics(&s);
  sup_anchor  anchor = anchor_at(&s.stepper->start.kin, sup_v3_make(0, 0, .05), along_x, 1e-6);
  sup_contact contact = patch(sup_v3_make(0, 0, .05), 1e-6);
  double      force;
  contact.body_a = 1, contact.body_b = 0, contact.normal.z = -1;
  NEAR(deal(&s, &anchor, 1, &contact, 1, &force), -1e-2, 1e-12, 0);
  contact.body_a = 0, contact.body_b = 1; /* the opposite face of a thin one */
  NEAR(deal(&s, &anchor, 1, &contact, 1, &force), 0, 0, 0);
  test_end(&s);
}

/* A ball that does not turn is pushed sideways on a floor of k, tau: m x'' = -.8 k (x + tau x'),
 * by implicit Euler. */
static void what_sticks_swings_with_the_damping_of_the_normal_force(void) {
  for (int damped = 0; damped < 2; damped++) {
    test_scene s;
    double     mass = 1, k = 5e3, dt = 1e-3, x = 0, v = 1e-2, most = 0;
    test_scene_init(&s);
    sup_link_def *ball =
        test_add_rigid(&s, "ball", (sup_shape){.type = SUP_SHAPE_SPHERE, .size = {.05}}, mass, 0);
    ball->joint = SUP_JOINT_TRANSLATION;
    ball->q0[2] = .05 - 9.81 * mass / k, ball->v0[0] = v;
    test_add_rigid(&s, "floor", (sup_shape){.type = SUP_SHAPE_HALF_SPACE}, 1, 1);
    for (int g = 0; g < 2; g++)
      s.geometry[g].contact.point_stiffness = 2 * k, s.geometry[g].contact.friction = 1,
      s.geometry[g].contact.relaxation_time = damped ? 5e-3 : 0;
    s.def.contact.normal_law = SUP_NORMAL_KELVIN_VOIGT;
    s.options.dt = dt, s.options.stick = SUP_STICK_ELASTIC, s.options.tolerance = 1e-14;
    test_start(&s);
    double tau = damped ? 1e-2 : s.options.beta * dt / 3.14159265358979323846, kt = .8 * k;
    for (int n = 1; n <= 200; n++) {
      test_step(&s);
      v = (v - dt * kt / mass * x) / (1 + dt * kt / mass * (dt + tau)), x += dt * v;
      NEAR(s.state->v[0], v, 0, 1e-12);
      NEAR(s.state->q[0], x, 0, 1e-13);
      if (n > 150) most = fmax(most, fabs(v));
    }
    printf("tau %.2g s: %.2g of its speed after .15 s; ", tau, most / 1e-2);
    CHECK(damped ? most < .1e-2 : most > .1e-2);
    test_end(&s);
  }
}

/** Places and velocities [2 x 13] of two balls with pressure fields that meet aslant and turn, the
 * first of which comes first or last. */
static void two_balls(int swapped, double *out) {
  test_scene s;
  test_scene_init(&s);
  for (int k = 0; k < 2; k++) {
    int           i = swapped ? 1 - k : k;
    double        radius = i ? .03 : .02;
    sup_link_def *ball =
        test_add_rigid(&s, i ? "large" : "small",
                       (sup_shape){.type = SUP_SHAPE_SPHERE, .size = {radius}}, i ? .3 : .1, 0);
    ball->q0[0] = i ? .048 : 0, ball->q0[1] = i ? .01 : 0;
    ball->v0[1] = i ? 0 : 20, ball->v0[2] = i ? 5 : 30, ball->v0[3] = i ? -.1 : .3;
    s.geometry[k].contact.modulus = i ? 1e6 : 4e5, s.geometry[k].contact.resolution = .008;
    s.geometry[k].contact.friction = .4;
  }
  s.options.gravity[2] = 0, s.options.stick = SUP_STICK_ELASTIC;
  s.options.dt = 5e-4, s.options.tolerance = 1e-14;
  test_start(&s);
  double most = 0;
  for (int n = 0; n < 80; n++) {
    test_step(&s);
    most = fmax(most, sup_stepper_result(s.stepper)->stick_energy);
  }
  CHECK(most > 1e-6);
  for (int k = 0; k < 2; k++) {
    int i = swapped ? 1 - k : k;
    memcpy(out + 13 * i, s.state->q + 7 * k, 7 * sizeof *out);
    memcpy(out + 13 * i + 7, s.state->v + 6 * k, 6 * sizeof *out);
  }
  test_end(&s);
}

static void the_order_of_bodies_does_not_matter(void) {
  double state[2][26];
  for (int k = 0; k < 2; k++) two_balls(k, state[k]);
  for (int i = 0; i < 26; i++) NEAR(state[1][i], state[0][i], 0, 1e-8);
  printf("spins of %.3g and %.3g rad/s ", state[0][9], state[0][22]);
}

/** Force that a contact in place of the anchor of a soft brick takes over, after the brick has
 * turned and sheared; its vertices in a turned order. */
static sup_v3 force_of_brick(test_scene *s, int num_vertices, int by) {
  sup_increment inc = test_increment(s);
  sup_stepper  *stepper = s->stepper;
  sup_stick    *stick;
  sup_anchor    anchor = {.num_sides = 1, .area = 1e-6, .stiffness = 1e3};
  sup_v3        along = {1, -.3, .1}, x = {0, 0, 0};
  OK(sup_arena_reset(stepper->arena));
  OK(sup_kinematics_compute(&stepper->start.kin, s->model, &inc, s->state->q, s->state->v,
                            stepper->arena));
  anchor.side[0] = (sup_anchor_side){.num_vertices = num_vertices, .stretch = {1e-5, 2e-5, 0}};
  anchor.side[0].normal[2] = 1;
  for (int k = 0; k < num_vertices; k++) {
    int i = (k + by) % num_vertices;
    anchor.side[0].vertex[k] = i, anchor.side[0].weight[k] = (i + 1.) / 10;
    x = sup_v3_madd(x, anchor.side[0].weight[k], sup_v3_load(s->state->x + 3 * i));
  }
  sup_contact         contact = patch(x, 1e-6);
  sup_contact_list    list = {&contact, 1, 1};
  sup_contact_context c = {
      .model = s->model, .kin = &stepper->start.kin, .x = s->state->x, .arena = stepper->arena};
  contact.body_b = contact.body_a;
  contact.normal = along;
  OK(sup_anchor_match(&c, &anchor, 1, &list, &stick));
  return sup_v3_scale(stick[0].stiffness, stick[0].stretch);
}

/** Turn and shear the brick a little more. */
static void turn_brick(test_scene *s) {
  sup_m3 R = sup_quat_matrix(sup_quat_exp(sup_v3_make(.4, -.2, .7)));
  for (int i = 0; i < s->state->num_vertices; i++) {
    double *x = s->state->x + 3 * i;
    sup_v3_store(x, sup_m3_apply(R, sup_v3_make(x[0] + .05 * x[1], x[1], x[2])));
    x[0] += .1 * x[0] * x[1];
  }
}

/* Four vertices of a side, three, and two, whose line has no rotation. */
static void the_order_of_vertices_does_not_matter(void) {
  test_scene s;
  test_scene_init(&s);
  test_add_soft_box(&s, "brick", .1, .1, .1, 1, 1, 1, SUP_PATTERN_HEX, 1e6, .3, 1000);
  test_start(&s);
  for (int round = 0; round < 4; round++)
    for (int num = 2; num <= 4; num++) {
      if (num == 2) turn_brick(&s);
      sup_v3 first = force_of_brick(&s, num, 0);
      sup_v3 across = sup_v3_cross(first, sup_v3_make(1, 2, 0));
      CHECK(sup_v3_norm(first) > 1e-3);
      CHECK((sup_v3_norm(across) < 1e-13 * sup_v3_norm(first)) == (num == 2));
      for (int by = 1; by < num; by++)
        CHECK(sup_v3_norm(sup_v3_sub(force_of_brick(&s, num, by), first)) <
              1e-13 * sup_v3_norm(first));
    }
  test_end(&s);
}

SUITE_TESTS(anchor_transfer, TEST(what_stays_keeps_its_own),
            TEST(a_sliver_has_no_more_than_its_area), TEST(dealing_goes_with_the_place),
            TEST(a_point_goes_on_with_the_nearest), TEST(sides_may_change_places),
            TEST(the_order_of_bodies_does_not_matter), TEST(the_order_of_vertices_does_not_matter),
            TEST(what_sticks_swings_with_the_damping_of_the_normal_force));
