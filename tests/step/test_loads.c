/* Loads on links: impulse, work, levers. */
#include "base/table.h"
#include "scene_test.h"

static const double pi = 3.14159265358979323846;

/* A pulse between the steps' times: its impulse arrives whole, at any step. */
static void the_impulse_does_not_depend_on_the_step(void) {
  double time[4] = {.0103, .0171, .0432, .0433}, force[12] = {0, 0, 0, 3, -1, 0, 5, 0, 2, 0, 0, 0};
  double expected[3] = {0, 0, 0}, moment[3];
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 3; c++)
      expected[c] += (time[i + 1] - time[i]) * (force[3 * i + c] + force[3 * i + 3 + c]) / 2;
  for (int k = 0; k < 3; k++) {
    static const double dt[3] = {.05, .003, .00071};
    test_scene          s;
    test_scene_init(&s);
    test_add_rigid(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.1}}, .5, 0);
    sup_load_def *load = test_add_force(&s, "ball", 4, time, force);
    load->torque = load->force;
    s.options.gravity[2] = 0;
    s.options.dt = dt[k];
    s.options.tolerance = 1e-12;
    test_start(&s);
    while (s.state->time < .0433) test_step(&s);
    sup_v3_store(moment,
                 sup_m3_apply(sup_stepper_result(s.stepper)->X_WL[0].R, sup_v3_load(s.state->v)));
    for (int c = 0; c < 3; c++) {
      NEAR(.5 * s.state->v[3 + c], expected[c], 1e-12, 1e-15);
      NEAR(.4 * .5 * .01 * moment[c], expected[c], 1e-3,
           1e-9); /* L = I w of a ball; it turns while it is pushed */
    }
    test_end(&s);
  }
}

/* Midpoint: the work of a force that goes with time is the kinetic energy, step by step, on a ball
 * and on a turning arm that a torque drives. */
static void work_becomes_kinetic_energy(void) {
  double time[3] = {0, .4, 1}, value[9] = {1, 0, 2, -4, 1, 0, 3, 3, 3};
  for (int turns = 0; turns < 2; turns++) {
    test_scene s;
    test_scene_init(&s);
    sup_link_def *l = test_add_rigid(&s, "body", (sup_shape){SUP_SHAPE_SPHERE, {.1}}, 2, 0);
    l->v0[3] = 1;
    if (turns) l->joint = SUP_JOINT_REVOLUTE, l->axis[0] = 0, l->axis[2] = 1;
    sup_load_def *load = test_add_force(&s, "body", 3, time, value);
    if (turns) load->torque = load->force, load->force.num_rows = 0;
    s.options.gravity[2] = 0;
    s.options.scheme = sup_scheme_midpoint();
    s.options.dt = .01;
    s.options.tolerance = 1e-13;
    test_start(&s);
    double work = 0, kinetic = 0, I = .4 * 2 * .01;
    for (int n = 0; n < 100; n++) {
      double v0[6] = {0}, mid[3], *v = s.state->v;
      memcpy(v0, v, (turns ? 1 : 6) * sizeof *v);
      sup_table_at(&s.load[0].torque, s.state->time + .005, mid);
      sup_table_at(&s.load[0].force, s.state->time + .005, mid);
      test_step(&s);
      if (turns) {
        work += .01 * mid[2] * (v0[0] + v[0]) / 2, kinetic = .5 * I * v[0] * v[0];
      } else {
        for (int c = 0; c < 3; c++) work += .01 * mid[c] * (v0[3 + c] + v[3 + c]) / 2;
        kinetic = v[3] * v[3] + v[4] * v[4] + v[5] * v[5] - 1; /* m = 2 */
      }
      NEAR(work, kinetic, 1e-9, 1e-12);
    }
    CHECK(kinetic > .1);
    test_end(&s);
  }
}

/* A force off the centre turns; on the second link of an arm it acts on both joints. */
static void a_force_acts_with_its_lever(void) {
  double     time[1] = {0}, force[3] = {0, 3, 0};
  test_scene s;
  test_scene_init(&s);
  sup_tree_def *arm = test_add_tree(&s, "arm", 2);
  for (int l = 0; l < 2; l++) {
    arm->links[l].joint = SUP_JOINT_REVOLUTE;
    arm->links[l].axis[0] = 0, arm->links[l].axis[2] = 1;
    arm->links[l].mass = 1;
    for (int i = 0; i < 3; i++) arm->links[l].inertia[i] = 1e-3;
    arm->links[l].spring = 1e4,
    arm->links[l].damping = 100; /* at rest at once: the deflection tells the moment */
  }
  arm->links[1].X_PJ.p[0] = .4;
  sup_load_def *load = test_add_force(&s, "arm/link1", 1, time, force);
  load->point[0] = .2;
  s.options.tolerance = 1e-12;
  s.options.gravity[2] = 0;
  test_start(&s);
  for (int n = 0; n < 200; n++) test_step(&s);
  double angle = s.state->q[0] + s.state->q[1];
  NEAR(1e4 * s.state->q[1], 3 * .2 * cos(angle), 1e-9, 0);
  NEAR(1e4 * s.state->q[0], 3 * (.2 * cos(angle) + .4 * cos(s.state->q[0])), 1e-9, 0);
  test_end(&s);
}

/* Forced vibration of a mass on a spring: the mean over the step keeps midpoint at second order. */
static void a_driven_oscillator_is_second_order_with_midpoint(void) {
  enum { ROWS = 2001 };
  static double time[ROWS], force[3 * ROWS];
  double        error[3];
  for (int i = 0; i < ROWS; i++) time[i] = i * 1e-3, force[3 * i] = sin(2 * pi * time[i]);
  for (int k = 0; k < 3; k++) {
    test_scene s;
    double     dt = .02 / (1 << k), w0 = 10, w = 2 * pi;
    test_scene_init(&s);
    test_add_rigid(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.1}}, 1, 0);
    test_add_spring(&s, "world", "ball", w0 * w0);
    test_add_force(&s, "ball", ROWS, time, force);
    s.options.gravity[2] = 0;
    s.options.scheme = sup_scheme_midpoint();
    s.options.dt = dt;
    s.options.tolerance = 1e-12;
    test_start(&s);
    error[k] = 0;
    while (s.state->time < 1.9) {
      test_step(&s);
      double t = s.state->time, exact = (sin(w * t) - w / w0 * sin(w0 * t)) / (w0 * w0 - w * w);
      error[k] = fmax(error[k], fabs(s.state->q[0] - exact));
    }
    test_end(&s);
  }
  for (int k = 0; k < 2; k++) NEAR(log2(error[k] / error[k + 1]), 2, 0, .1);
}

static void bad_loads_are_refused(void) {
  double     time[1] = {0}, force[3] = {0, (double)NAN, 0};
  test_scene s;
  test_scene_init(&s);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  test_add_rigid(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.1}}, 1, 0);
  sup_load_def *load = test_add_force(&s, "floor", 1, time, force);
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "load 'load1': 'floor' is no link or rigid body that can move");
  snprintf(load->body, sizeof load->body, "bal");
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG, "load 'load1': there is no body 'bal'");
  snprintf(load->body, sizeof load->body, "ball");
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG, "load 'load1': a value is not finite");
  load->force.width = 2;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "load 'load1': a force or torque has 3 components; its table has 2");
  load->force.num_rows = 0, load->point[1] = HUGE_VAL;
  FAILS(sup_model_create(&s.model, &s.def), SUP_E_ARG,
        "load 'load1': its point of application is not finite");
  test_end(&s);
}

/* A soft body that nothing holds: what the force does along its vertex is booked, and damping takes
 * energy. */
static void work_on_a_free_soft_body_is_booked(void) {
  for (int scheme = 0; scheme < 2; scheme++) {
    test_scene s;
    double     zero = 0, force[3] = {.05, 0, .01}, work = 0, damped = 0, done = 0;
    test_scene_init(&s);
    sup_soft_def *d =
        test_add_soft_box(&s, "block", .04, .02, .02, 4, 2, 2, SUP_PATTERN_HEX, 1e5, .3, 1000);
    d->material.stiffness_damping = .005;
    sup_load_def *load = test_add_force(&s, "block", 1, &zero, force);
    load->point[0] = .04, load->point[1] = load->point[2] = .02;
    s.options.gravity[2] = 0, s.options.dt = 1e-3, s.options.tolerance = 1e-12;
    s.options.soft_bdf2 = scheme;
    test_start(&s);
    int at = s.model->num_vertices - 1;
    NEAR(sup_v3_norm(
             sup_v3_sub(sup_v3_load(s.model->soft[0].x0 + 3 * at), sup_v3_load(load->point))),
         0, 0, 1e-12);
    for (int i = 0; i < 100; i++) {
      double x[3];
      memcpy(x, s.state->x + 3 * at, sizeof x);
      test_step(&s);
      for (int k = 0; k < 3; k++) done += force[k] * (s.state->x[3 * at + k] - x[k]);
      work += s.report.soft_work, damped += s.report.soft_damping;
    }
    printf("%.6g of %.6g J, damped %.3g J ", work, done, damped);
    NEAR(work, done, 1e-9, 0);
    CHECK(damped > 0 && damped < .1 * work);
    test_end(&s);
  }
}

SUITE_TESTS(loads, TEST(work_on_a_free_soft_body_is_booked),
            TEST(the_impulse_does_not_depend_on_the_step), TEST(work_becomes_kinetic_energy),
            TEST(a_force_acts_with_its_lever),
            TEST(a_driven_oscillator_is_second_order_with_midpoint), TEST(bad_loads_are_refused));
