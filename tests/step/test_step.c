#include <omp.h>

#include "scene_test.h"

/* ---- rigid bodies ---------------------------------------------------------------------------- */

static void place(sup_link_def *link, double x, double y, double z) {
  link->q0[0] = x, link->q0[1] = y, link->q0[2] = z;
}

/* Steady sliding: deceleration mu g, no gliding offset; then the body stops. */
static void a_sliding_box_decelerates_by_mu_g(void) {
  test_scene s;
  test_scene_init(&s);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *box = test_add_rigid(&s, "box", (sup_shape){SUP_SHAPE_BOX, {.1, .1, .02}}, 1, 0);
  place(box, 0, 0, .01 - 1e-7);
  box->v0[3] = 1;
  s.geometry[0].contact.friction = .4;
  s.geometry[1].contact.friction = .4;
  s.options.dt = 1e-3;
  s.options.friction_sweeps = 3;
  test_start(&s);
  for (int i = 0; i < 100; i++) test_step(&s);
  double v = s.state->v[3];
  NEAR(v, 1 - .4 * 9.81 * .1, 2e-3, 0);
  for (int i = 0; i < 300; i++) test_step(&s);
  CHECK(fabs(s.state->v[3]) < 1e-6);
  NEAR(s.state->q[0], 1 / (2 * .4 * 9.81), 5e-3, 0);
  sup_v3 f = test_contact_force(&s, "box");
  NEAR(f.z, 9.81, 1e-4, 0);
  CHECK(fabs(s.state->q[1]) < 1e-6);
  test_end(&s);
}

/* A cylinder standing on the floor: weight balance, no tilt, penetration far below any dimension.
 */
static void a_standing_cylinder_rests(void) {
  test_scene s;
  test_scene_init(&s);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *c =
      test_add_rigid(&s, "cylinder", (sup_shape){SUP_SHAPE_CYLINDER, {.02, .08}}, .1, 0);
  place(c, 0, 0, .04);
  s.options.tolerance = 1e-8;
  test_start(&s);
  for (int i = 0; i < 100; i++) test_step(&s);
  NEAR(test_contact_force(&s, "cylinder").z, .981, 1e-6, 0);
  NEAR(s.state->q[2], .04, 0, 1e-5);
  NEAR(s.state->q[3], 1, 0, 1e-9);
  CHECK(s.report.penetration_max < 1e-5);
  test_end(&s);
}

/* The static friction of an incline holds below atan(mu), with the creep of the regularisation
 * (CASES.md R11). */
static void a_box_creeps_on_an_incline_as_regularised_friction_says(void) {
  test_scene s;
  test_scene_init(&s);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *box = test_add_rigid(&s, "box", (sup_shape){SUP_SHAPE_BOX, {.1, .1, .02}}, 1, 0);
  place(box, 0, 0, .01);
  double theta = 20 * 3.14159265358979323846 / 180;
  s.options.gravity[0] = 9.81 * sin(theta);
  s.options.gravity[2] = -9.81 * cos(theta);
  test_start(&s);
  for (int i = 0; i < 300; i++) test_step(&s);
  NEAR(s.state->v[3], 1.061694e-4, 1e-2, 0);
  test_end(&s);
}

/* CASES.md R26: an implicit PD arm sags to its equilibrium; below the needed effort it falls. */
static void a_pd_arm_sags_as_in_R26(void) {
  for (int weak = 0; weak < 2; weak++) {
    test_scene s;
    test_scene_init(&s);
    sup_tree_def *arm = test_add_tree(&s, "arm", 1);
    sup_link_def *l = &arm->links[0];
    l->joint = SUP_JOINT_REVOLUTE;
    l->axis[0] = 0, l->axis[1] = 1;
    l->mass = 1;
    l->com[0] = .5;
    for (int i = 0; i < 3; i++) l->inertia[i] = 1e-9;
    s.actuator[0] = (sup_actuator_def){.marker = SUP_INITIALISED,
                                       .name = "hold",
                                       .joint = "arm/joint0",
                                       .kp = 50,
                                       .kd = 5,
                                       .effort = weak ? 3 : 100};
    double zero = 0;
    s.actuator[0].target = (sup_table){1, 1, &zero, &zero};
    s.def.num_actuators = 1;
    s.options.tolerance = 1e-12;
    test_start(&s);
    for (int i = 0; i < 3000; i++) test_step(&s);
    if (weak) {
      CHECK(s.state->q[0] > 1);
    } else {
      NEAR(s.state->q[0], .097632818, 1e-7, 0);
      NEAR(sup_stepper_result(s.stepper)->joint_effort[0], -4.881640924, 1e-7, 0);
    }
    test_end(&s);
  }
}

static void a_joint_limit_stops_a_falling_slider(void) {
  test_scene s;
  test_scene_init(&s);
  sup_link_def *l = &test_add_tree(&s, "slider", 1)->links[0];
  l->joint = SUP_JOINT_PRISMATIC;
  l->axis[0] = 0, l->axis[2] = 1;
  l->mass = 2, l->inertia[0] = l->inertia[1] = l->inertia[2] = 1e-3;
  l->lower = -.1, l->upper = .5;
  test_start(&s);
  double lowest = 0;
  for (int i = 0; i < 100; i++) {
    test_step(&s);
    lowest = fmin(lowest, s.state->q[0]);
  }
  NEAR(s.state->q[0], -.1, 0, 1e-5);
  CHECK(lowest > -.1 - 1e-5);
  NEAR(sup_stepper_result(s.stepper)->joint_effort[0], 2 * 9.81, 1e-6, 0);
  test_end(&s);
}

/* From rest, far from its limit, a light jaw under 100 N would travel .2 m in a step of 10 ms: such
 * a step passed the limit by 29 mm. */
static void a_joint_limit_stops_what_jumps_at_it(void) {
  for (int side = -1; side <= 1; side += 2) {
    test_scene s;
    test_scene_init(&s);
    sup_link_def *l = &test_add_tree(&s, "jaw", 1)->links[0];
    l->joint = SUP_JOINT_PRISMATIC;
    l->axis[0] = side, l->axis[1] = l->axis[2] = 0;
    l->mass = .05, l->inertia[0] = l->inertia[1] = l->inertia[2] = 1e-5;
    l->lower = side > 0 ? -HUGE_VAL : -.02, l->upper = side > 0 ? .02 : HUGE_VAL;
    double zero = 0, to = side;
    s.actuator[0] = (sup_actuator_def){.marker = SUP_INITIALISED,
                                       .name = "drive",
                                       .joint = "jaw/joint0",
                                       .kp = 1e3,
                                       .kd = 0,
                                       .effort = 100};
    s.actuator[0].target = (sup_table){1, 1, &zero, &to};
    s.def.num_actuators = 1;
    s.options.dt = .01;
    test_start(&s);
    for (int i = 0; i < 5; i++) {
      test_step(&s);
      NEAR(s.state->q[0], side * .02, 0, 3e-4); /* the spring of the near-rigid rule */
    }
    test_end(&s);
  }
}

/* ---- soft bodies ----------------------------------------------------------------------------- */

/* CASES.md F20: drop after n steps is g dt^2 n (n + 1) / 2, without elastic energy. */
static void a_soft_cube_falls_freely(void) {
  for (int pattern = 0; pattern < 2; pattern++) {
    test_scene s;
    test_scene_init(&s);
    test_add_soft_box(&s, "cube", .1, .1, .1, 2, 2, 2, pattern ? SUP_PATTERN_KUHN : SUP_PATTERN_HEX,
                      1e5, .3, 1000);
    test_start(&s);
    for (int i = 0; i < 30; i++) test_step(&s);
    for (int a = 0; a < s.model->num_vertices; a++)
      NEAR(s.state->x[3 * a + 2], s.model->soft[0].x0[3 * a + 2] - .456165, 0, 1e-12);
    sup_m3 R[64];
    int    inverted;
    sup_fem_rotations(s.model->soft[0].fem, s.state->x, R, &inverted);
    NEAR(sup_fem_elastic_energy(s.model->soft[0].fem, R, s.state->x), 0, 0, 1e-18);
    test_end(&s);
  }
}

/* As fast as this the impulse of gravity is half the tolerance on the momentum error. */
static void a_fast_soft_cube_falls_as_freely(void) {
  test_scene s;
  double     dt = 1e-3;
  test_scene_init(&s);
  test_add_soft_box(&s, "cube", .1, .1, .1, 2, 2, 2, SUP_PATTERN_HEX, 1e5, .3, 1000)->v0[0] = 2000;
  s.options.dt = dt;
  test_start(&s);
  for (int i = 0; i < 50; i++) test_step(&s);
  for (int a = 0; a < s.model->num_vertices; a++)
    NEAR(s.state->x[3 * a + 2], s.model->soft[0].x0[3 * a + 2] - 9.81 * dt * dt * 50 * 51 / 2, 0,
         1e-10);
  test_end(&s);
}

/* THEORY 2.2: positions by q0 + dt v keep the angular momentum of a spinning cube with lagged
 * rotations. */
static void a_spinning_cube_keeps_its_momentum(void) {
  double loss[2];
  for (int k = 0; k < 2; k++) {
    test_scene s;
    test_scene_init(&s);
    test_add_soft_box(&s, "cube", .1, .1, .1, 2, 2, 2, SUP_PATTERN_KUHN, 1e6, .3, 1000);
    s.options.gravity[2] = 0;
    s.options.dt = k ? 2.5e-3 : 5e-3;
    test_start(&s);
    int n = s.model->num_vertices;
    for (int a = 0; a < n; a++) {
      const double *x = s.state->x + 3 * a;
      sup_v3        r = {x[0] - .05, x[1] - .05, x[2] - .05};
      sup_v3_store(s.state->xdot + 3 * a,
                   sup_v3_add(sup_v3_make(-.3, -.2, .1), sup_v3_cross(sup_v3_make(0, 0, 10), r)));
    }
    double *Mv, L[2];
    OK(SUP_CALLOC(Mv, 3 * n));
    for (int when = 0; when < 2; when++) {
      for (int i = 0; when == 1 && i < (k ? 400 : 200); i++) test_step(&s);
      sup_fem_mass_multiply(s.model->soft[0].fem, s.state->xdot, Mv);
      sup_v3 l = {0, 0, 0};
      for (int a = 0; a < n; a++)
        l = sup_v3_add(
            l, sup_v3_cross(sup_v3_sub(sup_v3_load(s.state->x + 3 * a), sup_v3_make(0, 0, 0)),
                            sup_v3_load(Mv + 3 * a)));
      L[when] = l.z;
    }
    SUP_FREE(Mv);
    sup_v3 p = test_soft_momentum(&s, 0);
    NEAR(p.x, -.3, 1e-11, 0);
    NEAR(p.y, -.2, 1e-11, 0);
    loss[k] = fabs(L[1] / L[0] - 1);
    test_end(&s);
  }
  CHECK(loss[1] < 1e-3);
  CHECK(loss[1] < .6 * loss[0] || loss[0] < 1e-6); /* first order in dt */
}

/* A soft cube comes to rest on the floor: contact forces equal its weight (CASES.md F18). */
static void a_soft_cube_rests_on_the_floor(void) {
  for (int pattern = 0; pattern < 2; pattern++) {
    test_scene s;
    test_scene_init(&s);
    test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
    sup_soft_def *cube =
        test_add_soft_box(&s, "cube", .1, .1, .1, 3, 3, 3,
                          pattern ? SUP_PATTERN_MIRROR : SUP_PATTERN_HEX, 1e5, 0, 1000);
    cube->X_WS.p[2] = .002;
    cube->material.stiffness_damping = .01;
    s.options.tolerance = 1e-10;
    test_start(&s);
    for (int i = 0; i < 200; i++) test_step(&s);
    NEAR(test_contact_force(&s, "floor").z, -9.81, 1e-8, 0);
    double top = 0, bottom = 0; /* means of the 16 vertices of each face */
    for (int a = 0; a < s.model->num_vertices; a++) {
      double z0 = s.model->soft[0].x0[3 * a + 2] - .002, z = s.state->x[3 * a + 2];
      if (z0 > .0999) top += z / 16;
      if (z0 < .0001) bottom += z / 16;
    }
    NEAR(top - bottom, .1 - 4.905e-4, 0, 5e-6);
    CHECK(fabs(bottom) < 1e-4);
    test_end(&s);
  }
}

/* ---- attachment by substitution -------------------------------------------------------------- */

/* A soft bar carried by a light free slider, pushed by a known force through an actuator: exact
 * momentum (the gripper case of peers.md). */
static void an_attached_body_is_carried_with_exact_momentum(void) {
  test_scene s;
  test_scene_init(&s);
  test_add_bar_on_slider(&s, 2, 1e6);
  double zero = 0, far = 1e6;
  s.actuator[0] = (sup_actuator_def){.marker = SUP_INITIALISED,
                                     .name = "push",
                                     .joint = "slider/joint0",
                                     .kp = 100,
                                     .kd = 0,
                                     .effort = .8};
  s.actuator[0].target = (sup_table){1, 1, &zero, &far};
  s.def.num_actuators = 1;
  s.options.tolerance = 1e-10;
  test_start(&s);
  for (int i = 0; i < 100; i++) {
    test_step(&s);
    const sup_step_result *r = sup_stepper_result(s.stepper);
    /* link: effort + attachment force = mass times acceleration */
    NEAR(test_soft_momentum(&s, 0).x + .5 * s.state->v[0], .8 * .01 * (i + 1), 1e-9, 0);
    if (i == 99) NEAR(r->attach_wrench[0].force.x, -.8 * .04 / .54, .05, 0);
  }
  /* attached vertices ride exactly */
  for (int a = 0; a < s.model->num_vertices; a++)
    if (s.model->soft[0].attach_slot[a] != SUP_NONE)
      NEAR(s.state->x[3 * a], s.state->q[0] + s.model->soft[0].x0[3 * a], 1e-14, 1e-15);
  test_end(&s);
}

/* A cantilever hangs from a fixed and from a prescribed base: the wrench is its weight; a moving
 * base carries it. */
static void the_attachment_wrench_is_the_weight_at_rest(void) {
  for (int moving = 0; moving < 2; moving++) {
    test_scene s;
    test_scene_init(&s);
    sup_tree_def *wall = test_add_tree(&s, "wall", 1);
    double        time[2] = {0, 100}, motion[12] = {0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0, 0};
    if (moving) wall->motion = (sup_table){2, 6, time, motion};
    sup_soft_def *bar =
        test_add_soft_box(&s, "bar", .1, .02, .02, 6, 2, 2, SUP_PATTERN_HEX, 1e7, .3, 1000);
    bar->material.stiffness_damping = .05;
    test_attach(&s, 0, "wall/link0",
                (sup_region){SUP_REGION_HALF_SPACE, {0}, {0}, {1, 0, 0}, 1e-6, {0}});
    s.options.tolerance = 1e-10;
    test_start(&s);
    for (int i = 0; i < 400; i++) test_step(&s);
    const sup_step_result *r = sup_stepper_result(s.stepper);
    NEAR(r->attach_wrench[0].force.z, -.04 * 9.81, 1e-6, 0);
    NEAR(r->attach_wrench[0].moment.y, .04 * 9.81 * .05, 2e-2, 0);
    if (moving) NEAR(s.state->x[0], .2 * 4, 1e-9, 0);
    test_end(&s);
  }
}

/* Also in the steps where its table bends; nothing in this scene has unknowns. */
static void a_driven_body_has_the_velocity_of_the_step(void) {
  test_scene s;
  test_scene_init(&s);
  double        time[3] = {.03, .05, .1}, motion[18] = {0, 0, 0, 0, 0, 0, .02, 0, 0, 0, 0, .3};
  sup_tree_def *wall = test_add_tree(&s, "wall", 1);
  wall->motion = (sup_table){3, 6, time, motion};
  test_start(&s);
  sup_v3 before = {0, 0, 0};
  for (int i = 0; i < 12; i++) {
    test_step(&s);
    const sup_step_result *r = sup_stepper_result(s.stepper);
    sup_v3                 mean = sup_v3_scale(100, sup_v3_sub(r->X_WL[0].p, before));
    NEAR(r->link_v[0].x, mean.x, 1e-9, 1e-12);
    NEAR(r->link_v[0].x, i < 3 ? 0 : i < 5 ? 1 : i < 10 ? -.4 : 0, 1e-9, 1e-9);
    NEAR(r->link_w[0].z, i < 3 ? 0 : i < 5 ? 15 : i < 10 ? -6 : 0, 1e-9, 1e-9);
    before = r->X_WL[0].p;
  }
  test_end(&s);
}

/* ---- trust ----------------------------------------------------------------------------------- */

static void a_step_that_fails_leaves_the_state_and_says_where(void) {
  test_scene s;
  test_scene_init(&s);
  sup_region base = {SUP_REGION_BOX, {-1, -1, -1}, {1, 1, 1e-9}, {0}, 0};
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_soft_def *still =
      test_add_soft_box(&s, "still", .1, .1, .1, 1, 1, 1, SUP_PATTERN_HEX, 1e5, .3, 1000);
  still->num_clamps = 1, still->clamps = &base, still->X_WS.p[2] = 1;
  test_add_soft_box(&s, "falling", .1, .1, .1, 2, 2, 2, SUP_PATTERN_HEX, 1e5, .3, 1000)->v0[2] = -1;
  s.options.max_iterations = 1;
  s.options.gravity[2] = 0;
  test_start(&s);
  uint64_t hash = sup_state_hash(s.state);
  CHECK(sup_stepper_residual(s.stepper) == NULL);
  FAILS(sup_step(s.stepper, s.state, &s.report), SUP_E_NOT_CONVERGED,
        "step 1, from 0 to 0.01 s: too many Newton");
  CHECK(strstr(sup_error_message(), "of 'falling' at (") &&
        strstr(sup_error_message(), "may help"));
  CHECK(sup_state_hash(s.state) == hash && s.state->step == 0);
  const double *r = sup_stepper_residual(s.stepper);
  double        size[2] = {0, 0};
  CU_ASSERT_PTR_NOT_NULL_FATAL(r);
  for (int i = 0; i < 3 * s.model->num_vertices; i++)
    size[i >= 3 * s.model->soft[1].first_vertex] += fabs(r[i]);
  CHECK(size[0] < 1e-12 && size[1] > 1e-6);
  OK(sup_stepper_observe(s.stepper, s.state));
  CHECK(sup_stepper_residual(s.stepper) == NULL);
  test_end(&s);
}

/** Two cubes that fall on the floor and slide.
 *  @param[in] is_copied  half way the run goes on from a copy of the state, by another stepper */
static uint64_t run_hash(int bdf2, int threads, int is_copied) {
  test_scene s;
  test_scene_init(&s);
  omp_set_num_threads(threads);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  for (int i = 0; i < 2; i++) {
    sup_soft_def *cube =
        test_add_soft_box(&s, i ? "b" : "a", .1, .1, .1, 3, 3, 3, SUP_PATTERN_HEX, 1e5, .3, 1000);
    cube->X_WS.p[0] = .3 * i, cube->X_WS.p[2] = .003 * (i + 1), cube->v0[0] = .5;
  }
  s.options.soft_bdf2 = bdf2;
  test_start(&s);
  for (int i = 0; i < 30; i++) {
    if (i == 15 && is_copied) {
      sup_state *other;
      OK(sup_state_create(&other, s.model, &s.options));
      OK(sup_state_copy(other, s.state));
      sup_state_destroy(&s.state);
      sup_stepper_destroy(&s.stepper);
      OK(sup_stepper_create(&s.stepper, s.model, &s.options));
      s.state = other;
    }
    test_step(&s);
  }
  uint64_t hash = sup_state_hash(s.state);
  test_end(&s);
  omp_set_num_threads(1);
  return hash;
}

static void the_bits_depend_on_the_state_alone(void) {
  uint64_t first[2];
  for (int bdf2 = 0; bdf2 < 2; bdf2++) {
    first[bdf2] = run_hash(bdf2, 1, 0);
    CHECK(first[bdf2] == run_hash(bdf2, 1, 0)); /* again */
    CHECK(first[bdf2] == run_hash(bdf2, 2, 0)); /* by two threads */
    CHECK(first[bdf2] ==
          run_hash(bdf2, 1, 1)); /* with its history: what a stepper remembers does not count */
  }
  CHECK(first[0] != first[1]);
}

SUITE_TESTS(step, TEST(a_sliding_box_decelerates_by_mu_g), TEST(a_standing_cylinder_rests),
            TEST(a_box_creeps_on_an_incline_as_regularised_friction_says),
            TEST(a_pd_arm_sags_as_in_R26), TEST(a_joint_limit_stops_a_falling_slider),
            TEST(a_joint_limit_stops_what_jumps_at_it), TEST(a_soft_cube_falls_freely),
            TEST(a_fast_soft_cube_falls_as_freely), TEST(a_spinning_cube_keeps_its_momentum),
            TEST(a_soft_cube_rests_on_the_floor),
            TEST(an_attached_body_is_carried_with_exact_momentum),
            TEST(the_attachment_wrench_is_the_weight_at_rest),
            TEST(a_driven_body_has_the_velocity_of_the_step),
            TEST(a_step_that_fails_leaves_the_state_and_says_where),
            TEST(the_bits_depend_on_the_state_alone));
