/* The midpoint rule is of second order under every load that a scene can give.  Each case moves
 * bodies that turn while they are loaded; the reference is symplectic Euler's result at three fine
 * steps, extrapolated to none. */
#include "scene_test.h"

enum { MAX_STATE = 64 };

typedef struct order_case {
  const char *name;
  void (*build)(test_scene *s);
} order_case;

static const double end_time = .25, first_step = 1. / 128; /* [s] */

/** A box that tumbles, its centre of mass off its origin. */
static sup_link_def *add_box(test_scene *s, const char *name, double x, double y, double z) {
  sup_link_def *l = test_add_rigid(s, name, (sup_shape){SUP_SHAPE_BOX, {.1, .16, .3}}, 1, 0);
  l->num_geometries = 0;
  l->com[0] = .02, l->com[1] = -.01, l->com[2] = .03;
  l->q0[0] = x, l->q0[1] = y, l->q0[2] = z, l->q0[3] = 1;
  l->v0[0] = 3, l->v0[1] = -2, l->v0[2] = 5;
  return l;
}

static void set_joint(sup_link_def *l, sup_joint_type joint, double x, double y, double z) {
  l->joint = joint;
  l->axis[0] = x, l->axis[1] = y, l->axis[2] = z;
  l->mass = .8;
  l->inertia[0] = 2e-3, l->inertia[1] = 3e-3, l->inertia[2] = 1e-3;
  l->com[0] = .03, l->com[1] = .02, l->com[2] = -.08;
}

/** A hinge, and at its end another one across it. */
static sup_tree_def *add_arm(test_scene *s, const char *name, int num_links) {
  sup_tree_def *d = test_add_tree(s, name, num_links);
  for (int l = 0; l < num_links; l++) {
    set_joint(&d->links[l], SUP_JOINT_REVOLUTE, l % 2, (l + 1) % 2, 0);
    if (l > 0) d->links[l].X_PJ.p[2] = -.2;
    d->links[l].v0[0] = 2 - l;
  }
  return d;
}

static void set3(double *to, double x, double y, double z) { to[0] = x, to[1] = y, to[2] = z; }

static double constant_time[1], table_time[3] = {0, .125, 1};
static double constant_value[3] = {.3, -.2, .5}, table_value[9] = {1, 0, -1, -2, 1, .5, 0, 3, 1};

static sup_load_def *add_load(test_scene *s, const char *body) {
  sup_load_def *load = test_add_force(s, body, 0, NULL, NULL);
  set3(load->point, .05, -.08, .15);
  return load;
}

static void constant_torque(test_scene *s) {
  add_box(s, "box", 0, 0, 0);
  add_load(s, "box")->torque = (sup_table){1, 3, constant_time, constant_value};
}

static void table_torque(test_scene *s) {
  add_box(s, "box", 0, 0, 0);
  add_load(s, "box")->torque = (sup_table){3, 3, table_time, table_value};
}

static void constant_force_off_centre(test_scene *s) {
  add_box(s, "box", 0, 0, 0);
  add_load(s, "box")->force = (sup_table){1, 3, constant_time, constant_value};
}

static void table_force_off_centre(test_scene *s) {
  add_box(s, "box", 0, 0, 0);
  add_load(s, "box")->force = (sup_table){3, 3, table_time, table_value};
}

static void load_on_an_arm(test_scene *s) {
  add_arm(s, "arm", 3);
  sup_load_def *load = add_load(s, "arm/link2");
  load->force = (sup_table){3, 3, table_time, table_value};
  load->torque = (sup_table){1, 3, constant_time, constant_value};
}

static sup_spring_def *add_spring(test_scene *s, const char *a, const char *b, double stiffness,
                                  double damping) {
  sup_spring_def *spring = test_add_spring(s, a, b, stiffness);
  for (int i = 0; i < 3; i++)
    spring->stiffness[i] = stiffness * (1 + i), spring->damping[i] = damping;
  set3(spring->point_a, 0, .05, .1), set3(spring->point_b, .03, -.05, .15);
  set3(spring->rest, .01, 0, -.02);
  return spring;
}

static void spring_to_the_world(test_scene *s) {
  add_box(s, "box", .1, 0, -.1);
  add_spring(s, "world", "box", 100, 0);
}

static void damped_spring_to_the_world(test_scene *s) {
  add_box(s, "box", .1, 0, -.1);
  add_spring(s, "world", "box", 100, 3);
}

static void spring_between_bodies(test_scene *s) {
  add_box(s, "a", 0, 0, 0);
  add_box(s, "b", .2, .1, .1)->v0[1] = 4;
  add_spring(s, "a", "b", 150, 0);
}

static void damped_springs_between_bodies(test_scene *s) {
  add_box(s, "a", 0, 0, 0);
  add_box(s, "b", .2, .1, .1)->v0[1] = 4;
  add_spring(s, "a", "b", 150, 2);
  set3(add_spring(s, "b", "a", 70, 1)->point_a, 0, 0, -.1);
}

static void spring_between_an_arm_and_a_body(test_scene *s) {
  add_arm(s, "arm", 2);
  add_box(s, "box", .2, .1, -.4);
  add_spring(s, "arm/link1", "box", 150, 1);
}

static void spring_within_an_arm(test_scene *s) {
  add_arm(s, "arm", 3);
  add_spring(s, "arm/link0", "arm/link2", 150, 1);
}

static void gravity_off_centre(test_scene *s) { add_arm(s, "arm", 3); }

static void joint_springs_and_dampers(test_scene *s) {
  sup_tree_def *arm = add_arm(s, "arm", 3);
  for (int l = 0; l < 3; l++)
    arm->links[l].spring = 2 + l, arm->links[l].damping = .05 * l, arm->links[l].armature = .01;
}

static void slider_on_a_hinge(test_scene *s) {
  sup_tree_def *arm = add_arm(s, "arm", 2);
  set_joint(&arm->links[1], SUP_JOINT_PRISMATIC, .6, 0, .8);
  arm->links[1].spring = 60, arm->links[1].damping = .5;
  add_load(s, "arm/link1")->force = (sup_table){1, 3, constant_time, constant_value};
}

static void planar_body(test_scene *s) {
  sup_tree_def *d = test_add_tree(s, "puck", 1);
  set_joint(&d->links[0], SUP_JOINT_PLANAR, 0, 0, 1);
  d->links[0].v0[2] = 6;
  add_load(s, "puck/link0")->force = (sup_table){3, 3, table_time, table_value};
  add_spring(s, "world", "puck/link0", 40, .5);
}

static void translating_body(test_scene *s) {
  sup_tree_def *d = test_add_tree(s, "cart", 2);
  set_joint(&d->links[0], SUP_JOINT_TRANSLATION, 0, 0, 1);
  set_joint(&d->links[1], SUP_JOINT_REVOLUTE, 0, 1, 0);
  d->links[1].v0[0] = 5;
  add_load(s, "cart/link1")->force = (sup_table){3, 3, table_time, table_value};
  add_spring(s, "world", "cart/link0", 40, .5);
}

static void floating_base_with_an_arm(test_scene *s) {
  sup_tree_def *d = add_arm(s, "craft", 3);
  d->links[0].joint = SUP_JOINT_FLOATING;
  d->links[0].q0[3] = 1;
  set3(d->links[0].v0, 3, -2, 4);
  add_load(s, "craft/link2")->force = (sup_table){3, 3, table_time, table_value};
  add_spring(s, "world", "craft/link0", 40, .5);
}

static double target_time[3] = {0, .125, 1}, target_value[3] = {0, .4, -1};

static void add_drive(test_scene *s, const char *joint, double kp, double kd, double effort) {
  sup_actuator_def *a = &s->actuator[s->def.num_actuators++];
  *a = (sup_actuator_def){.marker = SUP_INITIALISED, .kp = kp, .kd = kd, .effort = effort};
  snprintf(a->name, sizeof a->name, "drive%d", s->def.num_actuators);
  snprintf(a->joint, sizeof a->joint, "%s", joint);
  a->target = (sup_table){3, 1, target_time, target_value};
}

static void position_drives(test_scene *s) {
  add_arm(s, "arm", 3);
  add_drive(s, "arm/joint0", 20, .3, HUGE_VAL);
  add_drive(s, "arm/joint2", 5, 0, HUGE_VAL);
}

static void velocity_drive_on_a_floating_base(test_scene *s) {
  sup_tree_def *d = add_arm(s, "craft", 2);
  d->links[0].joint = SUP_JOINT_FLOATING;
  d->links[0].q0[3] = 1;
  set3(d->links[0].v0, 3, -2, 4);
  add_drive(s, "craft/joint1", 0, .02, HUGE_VAL);
}

static void saturated_drive(test_scene *s) {
  add_arm(s, "arm", 2);
  add_drive(s, "arm/joint0", 20, 0, .05);
}

static void follower(test_scene *s) {
  sup_tree_def *arm = add_arm(s, "arm", 3);
  arm->links[2].mimic = 0, arm->links[2].mimic_ratio = -1.5;
  arm->links[2].v0[0] = -1.5 * arm->links[0].v0[0];
  add_load(s, "arm/link2")->force = (sup_table){1, 3, constant_time, constant_value};
}

static double base_time[2] = {0, 1}, base_value[12] = {0, 0, 0, 0, 0, 0, .3, .2, 0, 0, 0, 4};

static void arm_on_a_turning_base(test_scene *s) {
  add_arm(s, "arm", 2)->motion = (sup_table){2, 6, base_time, base_value};
}

static void spring_to_a_turning_base(test_scene *s) {
  sup_tree_def *d = test_add_tree(s, "crank", 1);
  d->links[0].joint = SUP_JOINT_FIXED;
  d->motion = (sup_table){2, 6, base_time, base_value};
  add_box(s, "box", .1, 0, .2);
  add_spring(s, "crank/link0", "box", 100, 2);
}

/* A smooth motion, sampled finer than the steps.  It goes on after the end of the run, where it is
 * uniform: in a corner of the table the base has two velocities, and joint velocities are relative
 * to either. */
enum { NUM_SAMPLES = 601 };
static double smooth_time[NUM_SAMPLES], smooth_value[6 * NUM_SAMPLES];

static sup_table smooth_motion(void) {
  for (int k = 0; k < NUM_SAMPLES; k++) {
    double t = k / 2048., cube = pow(t - end_time, 3), *row = smooth_value + 6 * k;
    smooth_time[k] = t;
    set3(row, 6 * cube, t - 4 * cube, 5 * cube);
    set3(row + 3, 0, 0, 2 * t - 40 * cube);
  }
  return (sup_table){NUM_SAMPLES, 6, smooth_time, smooth_value};
}

static void arm_on_a_moving_base(test_scene *s) { add_arm(s, "arm", 2)->motion = smooth_motion(); }

static void driven_arm_on_a_moving_base_pulls_a_body(test_scene *s) {
  arm_on_a_moving_base(s);
  add_drive(s, "arm/joint1", 5, .1, HUGE_VAL);
  add_box(s, "box", .2, .1, -.4);
  add_spring(s, "arm/link1", "box", 50, 1);
}

static const order_case cases[] = {
    {"constant torque", constant_torque},
    {"torque by a table", table_torque},
    {"constant force off the centre", constant_force_off_centre},
    {"force off the centre by a table", table_force_off_centre},
    {"loads on an arm", load_on_an_arm},
    {"spring to the world", spring_to_the_world},
    {"spring and damper to the world", damped_spring_to_the_world},
    {"spring between two bodies", spring_between_bodies},
    {"springs and dampers between two bodies", damped_springs_between_bodies},
    {"spring between an arm and a body", spring_between_an_arm_and_a_body},
    {"spring within an arm", spring_within_an_arm},
    {"gravity off the centre", gravity_off_centre},
    {"springs, dampers and rotors of joints", joint_springs_and_dampers},
    {"slider on a hinge", slider_on_a_hinge},
    {"planar joint", planar_body},
    {"translation joint with a hinge", translating_body},
    {"floating base with an arm", floating_base_with_an_arm},
    {"position drives", position_drives},
    {"velocity drive on a floating base", velocity_drive_on_a_floating_base},
    {"drive at its effort limit", saturated_drive},
    {"joint that follows another", follower},
    {"arm on a turning base", arm_on_a_turning_base},
    {"spring to a turning base", spring_to_a_turning_base},
    {"arm on a moving base", arm_on_a_moving_base},
    {"driven arm on a moving base, with a body", driven_arm_on_a_moving_base_pulls_a_body},
};

/** Positions and velocities at the end. */
static int end_of(const order_case *c, sup_scheme scheme, double dt, double *out) {
  test_scene s;
  test_scene_init(&s);
  c->build(&s);
  s.options.scheme = scheme;
  s.options.dt = dt;
  s.options.tolerance = 1e-12;
  test_start(&s);
  for (long n = lround(end_time / dt); n > 0; n--) test_step(&s);
  int nq = s.model->q_start[s.model->num_trees], nv = s.model->v_start[s.model->num_trees];
  CU_ASSERT_FATAL(nq + nv <= MAX_STATE);
  memcpy(out, s.state->q, (size_t)nq * sizeof *out);
  memcpy(out + nq, s.state->v, (size_t)nv * sizeof *out);
  test_end(&s);
  return nq + nv;
}

/** Romberg's table over four steps of a scheme whose error is a power series of the step. */
static void reference_of(const order_case *c, double dt, double *out) {
  enum { LEVELS = 4 };
  double e[LEVELS][MAX_STATE];
  int    n = 0;
  for (int k = 0; k < LEVELS; k++)
    n = end_of(c, sup_scheme_symplectic_euler(), dt / (1 << k), e[k]);
  for (int j = 1; j < LEVELS; j++)
    for (int k = LEVELS - 1; k >= j; k--)
      for (int i = 0; i < n; i++) e[k][i] += (e[k][i] - e[k - 1][i]) / ((1 << j) - 1);
  memcpy(out, e[LEVELS - 1], (size_t)n * sizeof *out);
}

static void midpoint_is_of_second_order_under_every_load(void) {
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const order_case *c = &cases[k];
    double            exact[MAX_STATE], state[MAX_STATE], error[3] = {0, 0, 0};
    reference_of(c, first_step / 16, exact);
    for (int i = 0; i < 3; i++) {
      int n = end_of(c, sup_scheme_midpoint(), first_step / (1 << i), state);
      for (int a = 0; a < n; a++) error[i] = fmax(error[i], fabs(state[a] - exact[a]));
    }
    double order[2] = {log2(error[0] / error[1]), log2(error[1] / error[2])};
    printf("\n    %-40s %.2e %.2e %.2e: %.2f %.2f", c->name, error[0], error[1], error[2], order[0],
           order[1]);
    CHECK((order[0] + order[1]) / 2 >= 1.9 &&
          order[1] >= 1.8); /* the drive leaves its limit somewhere in a step */
  }
}

/* midpoint_torque.yaml: a spinning ball under a constant torque across its spin turns faster about
 * the torque's axis and no other. */
static void a_torque_across_the_spin_changes_the_spin_as_it_must(void) {
  double time[1] = {0}, torque[3] = {0, .2, 0}, error[3];
  for (int i = 0; i < 3; i++) {
    test_scene s;
    test_scene_init(&s);
    sup_link_def *l = test_add_rigid(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.05}}, .8, 0);
    l->inertia[0] = l->inertia[1] = l->inertia[2] = 1e-3;
    l->v0[2] = 150;
    test_add_force(&s, "ball", 0, NULL, NULL)->torque = (sup_table){1, 3, time, torque};
    s.options.gravity[2] = 0;
    s.options.scheme = sup_scheme_midpoint();
    s.options.dt = 1e-3 / (1 << i);
    test_start(&s);
    for (long n = lround(.5 / s.options.dt); n > 0; n--) test_step(&s);
    const double *q = s.state->q;
    sup_v3        w =
        sup_m3_apply(sup_quat_matrix((sup_quat){q[3], q[4], q[5], q[6]}), sup_v3_load(s.state->v));
    error[i] = sup_v3_norm(sup_v3_sub(w, sup_v3_make(0, 100, 150)));
    test_end(&s);
  }
  printf("\n    |w - (0, 100, 150)| %.3e %.3e %.3e rad/s", error[0], error[1], error[2]);
  CHECK(error[0] < .5);
  for (int i = 0; i < 2; i++) NEAR(log2(error[i] / error[i + 1]), 2, 0, .05);
}

SUITE_TESTS(second_order, TEST(midpoint_is_of_second_order_under_every_load),
            TEST(a_torque_across_the_spin_changes_the_spin_as_it_must));
