#include "scene_test.h"

/* Rigid bodies in point contact, whole steps. */

static const double    pi = 3.14159265358979323846;
static const sup_shape half_space = {SUP_SHAPE_HALF_SPACE, {0}};

static sup_contact_def point(double k, double d, double mu) {
  sup_contact_def c = sup_default_contact_def();
  c.point_stiffness = k, c.dissipation = d, c.friction = mu;
  return c;
}

static void set_contact(test_scene *s, sup_contact_def c) {
  for (int t = 0; t < s->def.num_trees; t++) s->geometry[t].contact = c;
}

/** (w in body axes, v in world axes) of a free body. */
static double *velocity(test_scene *s, int tree) { return s->state->v + s->model->v_start[tree]; }
static double *position(test_scene *s, int tree) { return s->state->q + s->model->q_start[tree]; }

/* The lower contacts carry both boxes. */
static void boxes_at_rest_have_four_points_and_do_not_rock(void) {
  test_scene s;
  test_scene_init(&s);
  test_add_rigid(&s, "floor", half_space, 0, 1);
  double m = .5, k = 1e6, g = 9.81;
  for (int i = 0; i < 2; i++) {
    sup_link_def *box =
        test_add_rigid(&s, i ? "upper" : "lower", (sup_shape){SUP_SHAPE_BOX, {.1, .12, .08}}, m, 0);
    box->q0[2] = .04 + .08 * i - (2 - i) * m * g / (4 * .5 * k) * (i ? 1.5 : 1);
    if (i) box->q0[3] = cos(.2), box->q0[6] = sin(.2); /* turned about z: an octagon, clipped */
  }
  set_contact(&s, point(k, 10, .5));
  s.options.tolerance = 1e-10,
  s.def.contact.barrier_margin = .05; /* the floor does not see the upper box */
  test_start(&s);
  double spin = 0, speed = 0;
  for (int step = 0; step < 200; step++) {
    test_step(&s);
    const sup_step_result *r = sup_stepper_result(s.stepper);
    CHECK(r->num_contacts == 12); /* 4 and 8 */
    if (step < 199) continue;
    for (int i = 1; i <= 2; i++)
      for (int c = 0; c < 3; c++) {
        spin = fmax(spin, fabs(velocity(&s, i)[c]));
        speed = fmax(speed, fabs(velocity(&s, i)[3 + c]));
      }
  }
  printf("spin %.1e speed %.1e ", spin, speed);
  CHECK(spin < 1e-9);
  NEAR(test_contact_force(&s, "floor").z, -2 * m * g, 1e-8, 0);
  NEAR(test_contact_force(&s, "upper").z, m * g, 1e-8, 0);
  test_end(&s);
}

/* R20: Drake's own numbers for a sphere, the closed forms for sphere and cylinder. */
static void round_bodies_roll_down_an_incline(void) {
  for (int k = 0; k < 3; k++) {
    static const double theta[3] = {15, 20, 20}, factor[3] = {5. / 7, 5. / 7, 2. / 3};
    test_scene          s;
    double              angle = theta[k] * pi / 180, R = .05, g = 9.81;
    test_scene_init(&s);
    test_add_rigid(&s, "floor", half_space, 0, 1);
    sup_shape shape =
        k < 2 ? (sup_shape){SUP_SHAPE_SPHERE, {R}} : (sup_shape){SUP_SHAPE_CYLINDER, {R, .1}};
    sup_link_def *body = test_add_rigid(&s, "body", shape, .1, 0);
    body->q0[2] = R;
    if (k == 2) body->q0[3] = body->q0[4] = sqrt(.5); /* its axis along -y */
    double gravity[3] = {g * sin(angle), 0, -g * cos(angle)};
    memcpy(s.options.gravity, gravity, sizeof gravity);
    s.options.dt = 1e-3, s.options.stiction_tolerance = 1e-5;
    set_contact(&s, point(2e7, 30, .5));
    test_start(&s);
    for (int step = 0; step < 1000; step++) test_step(&s);
    sup_v3 before = sup_v3_load(position(&s, 1));
    test_step(&s);
    double v = (position(&s, 1)[0] - before.x) / 1e-3, t = 1.001;
    NEAR(v, factor[k] * g * sin(angle) * t, 1e-3, 0);
    NEAR(before.y, 0, 0, 1e-9);
    if (k == 0) printf("rel. error %.1e ", v / (factor[k] * g * sin(angle) * t) - 1);
    test_end(&s);
  }
}

/* R24, N = 3, linear springs: velocities of the touching cradle, and R25: momentum. */
static void touching_cradle_has_the_velocities_of_linear_springs(void) {
  static const double expected[3] = {-.1302617, .1502296, .9800321};
  test_scene          s;
  double              R = .02, k = 1e5, m = .1, contact_time = pi * sqrt(.5 * m / k);
  test_scene_init(&s);
  for (int i = 0; i < 3; i++) {
    char name[8];
    snprintf(name, sizeof name, "b%d", i);
    sup_link_def *ball = test_add_rigid(&s, name, (sup_shape){SUP_SHAPE_SPHERE, {R}}, m, 0);
    ball->q0[0] = 2 * R * i;
    if (i == 0) ball->v0[3] = 1;
  }
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  s.options.dt = contact_time / 500, s.options.tolerance = 1e-12, s.options.beta = 0;
  set_contact(&s, point(2 * k, 0, 0));
  test_start(&s);
  double worst = 0;
  for (int step = 0; step < 2500; step++) {
    double before = velocity(&s, 0)[3] + velocity(&s, 1)[3] + velocity(&s, 2)[3];
    test_step(&s);
    double after = velocity(&s, 0)[3] + velocity(&s, 1)[3] + velocity(&s, 2)[3];
    worst = fmax(worst, fabs(after - before));
  }
  for (int i = 0; i < 3; i++) NEAR(velocity(&s, i)[3], expected[i], 0, .01);
  printf("%.7f %.7f %.7f momentum %.1e ", velocity(&s, 0)[3], velocity(&s, 1)[3],
         velocity(&s, 2)[3], worst);
  CHECK(worst < 1e-12);
  test_end(&s);
}

/* R25: spheres, boxes, a hull, an egg, a can thrown at each other: linear momentum to round-off in
 * each step. */
static void free_collisions_keep_momentum(void) {
  static const double corner[6][3] = {{.04, 0, 0},  {-.04, 0, 0}, {0, .05, 0},
                                      {0, -.05, 0}, {0, 0, .03},  {0, 0, -.06}};
  sup_hull           *hull;
  OK(sup_hull_create(&hull, 6, corner[0]));
  const sup_shape shape[6] = {{SUP_SHAPE_SPHERE, {.04}},
                              {SUP_SHAPE_BOX, {.06, .08, .05}},
                              {SUP_SHAPE_ELLIPSOID, {.03, .05, .04}},
                              {SUP_SHAPE_CYLINDER, {.03, .08}},
                              {SUP_SHAPE_CAPSULE, {.02, .08}},
                              {SUP_SHAPE_CONVEX, {0}, hull}};
  test_scene      s;
  test_random     r = {4};
  test_scene_init(&s);
  for (int i = 0; i < 6; i++) {
    char name[8];
    snprintf(name, sizeof name, "b%d", i);
    sup_link_def *body = test_add_rigid(&s, name, shape[i], .2 + .1 * i, 0);
    for (int c = 0; c < 3; c++) {
      body->inertia[c] = body->mass * 1e-3;
      body->q0[c] = .12 * (i >> c & 1) + .01 * test_uniform(&r);
      body->v0[3 + c] = -10 * (body->q0[c] - .06);
      body->v0[c] = 2 * test_uniform(&r);
    }
  }
  memset(s.options.gravity, 0, sizeof s.options.gravity);
  s.options.dt = 1e-3, s.options.tolerance = 1e-12;
  set_contact(&s, point(1e6, 1, .3));
  test_start(&s);
  double worst = 0, scale = 0, contacts = 0;
  for (int step = 0; step < 200; step++) {
    sup_v3 p[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int side = 0; side < 2; side++) {
      if (side) test_step(&s);
      for (int i = 0; i < 6; i++) {
        sup_v3 v = sup_v3_load(velocity(&s, i) + 3); /* world axes */
        p[side] = sup_v3_madd(p[side], s.link[i][0].mass, v);
        scale = fmax(scale, s.link[i][0].mass * sup_v3_norm(v));
      }
    }
    worst = fmax(worst, sup_v3_norm(sup_v3_sub(p[1], p[0])));
    for (int i = 0; i < sup_stepper_result(s.stepper)->num_contacts; i++)
      contacts += sup_v3_norm(sup_stepper_result(s.stepper)->contact[i].force) > 0;
  }
  printf("%g forces, momentum %.1e of %.2g ", contacts, worst, scale);
  CHECK(contacts > 20);
  CHECK(worst < 1e-12);
  test_end(&s);
  sup_hull_destroy(&hull);
}

/* The impulse of gravity in a step is 1e-5 of this ball's momentum: none of it may be forgotten
 * while its contact is open, nor beside a heavy box that slides. */
static void a_fast_ball_over_the_floor_falls_freely(void) {
  for (int model = 0; model < SUP_NUM_CONTACT_MODELS; model++)
    for (int with_box = 0; with_box < 2; with_box++) {
      test_scene s;
      double     dt = 1e-3, R = .02, gap = .09;
      test_scene_init(&s);
      test_add_rigid(&s, "floor", half_space, 0, 1);
      sup_link_def *ball =
          test_add_rigid(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {R}}, with_box ? 1e-6 : .1, 0);
      ball->q0[1] = 5, ball->q0[2] = R + gap, ball->v0[3] = 1000;
      if (with_box) {
        sup_link_def *box =
            test_add_rigid(&s, "box", (sup_shape){SUP_SHAPE_BOX, {.4, .4, .2}}, 1000, 0);
        box->q0[2] = .1, box->v0[3] = 3;
      }
      s.options.dt = dt, s.def.contact.model = (sup_contact_model)model;
      /* SAP and Similar glide on a gap of mu |v_t| dt */
      int glides = model == SUP_MODEL_SAP ||
                   (sup_contact_model_law((sup_contact_model)model) == SUP_LAW_SIMILAR);
      set_contact(&s, point(1e8, 1, glides ? 0 : .3));
      test_start(&s);
      for (int n = 1; n <= 100; n++) {
        test_step(&s);
        CHECK(s.report.num_contacts == (with_box ? 5 : 1)); /* the ball's is open */
        NEAR(position(&s, 1)[2], R + gap - 9.81 * dt * dt * n * (n + 1) / 2, 0, 1e-12);
      }
      test_end(&s);
    }
}

SUITE_TESTS(point_contact, TEST(boxes_at_rest_have_four_points_and_do_not_rock),
            TEST(round_bodies_roll_down_an_incline), TEST(a_fast_ball_over_the_floor_falls_freely),
            TEST(touching_cradle_has_the_velocities_of_linear_springs),
            TEST(free_collisions_keep_momentum));
