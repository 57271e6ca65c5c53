/* Time schemes through sup_step: orders, energies and known motions of CASES.md R05, R15-R18, R27,
 * R30. */
#include "scene_test.h"

static const double pi = 3.14159265358979323846;

typedef struct scheme_case {
  const char *name;
  sup_scheme  scheme;
  double      order;
} scheme_case;

enum { NUM_SCHEMES = 4 };
static const scheme_case schemes[NUM_SCHEMES] = {{"symplectic Euler", {0, 1, 1}, 1},
                                                 {"implicit Euler", {1, 1, 1}, 1},
                                                 {"midpoint", {.5, .5, .5}, 2},
                                                 {"theta 1, trapezoid positions", {1, 1, .5}, 1}};

static void run(test_scene *s, double time) {
  long steps = lround(time / s->options.dt);
  for (long i = 0; i < steps; i++) test_step(s);
}

/** Axes of a hinge chain: y down the page; links hang along -z. */
static void hinge(sup_link_def *l, double x, double y, double z) {
  l->joint = SUP_JOINT_REVOLUTE;
  l->axis[0] = x, l->axis[1] = y, l->axis[2] = z;
}

/** n hanging links of length and mass 1: point masses at the ends, or uniform rods. */
static void add_chain(test_scene *s, int n, int rods) {
  sup_tree_def *d = test_add_tree(s, "chain", n);
  for (int l = 0; l < n; l++) {
    sup_link_def *link = &d->links[l];
    hinge(link, 0, 1, 0);
    if (l > 0) link->X_PJ.p[2] = -1;
    link->mass = 1;
    link->com[2] = rods ? -.5 : -1;
    for (int i = 0; i < 3 && rods; i++) link->inertia[i] = i < 2 ? 1. / 12 : 0;
  }
}

/* ---- R17 ------------------------------------------------------------------------------------- */

static double double_pendulum_error(sup_scheme scheme, int rods, double dt) {
  static const double expected[2][4] = {{.5704720512, 1.2038751112, -2.7896457662, -3.1880627467},
                                        {.4481426259, 1.0419628873, -2.4143083126, -5.9491049361}};
  test_scene          s;
  test_scene_init(&s);
  add_chain(&s, 2, rods);
  s.options.scheme = scheme;
  s.options.dt = dt;
  s.tree[0].links[0].q0[0] = -pi / 2; /* a turn about +y swings -z towards -x: th = -q */
  test_start(&s);
  run(&s, .5);
  const double *q = s.state->q, *v = s.state->v, *e = expected[rods];
  double        error = fmax(fabs(-q[0] - e[0]), fabs(-q[0] - q[1] - e[1]));
  error = fmax(error, fmax(fabs(-v[0] - e[2]), fabs(-v[0] - v[1] - e[3])));
  test_end(&s);
  return error;
}

static void the_double_pendulum_of_R17_converges_with_the_order_of_each_scheme(void) {
  for (int rods = 0; rods < 2; rods++)
    for (int k = 0; k < NUM_SCHEMES; k++) {
      double e[3];
      for (int i = 0; i < 3; i++)
        e[i] = double_pendulum_error(schemes[k].scheme, rods, 1e-3 / (1 << i));
      printf("\n    %s, %s: %.2e %.2e %.2e", rods ? "rods" : "points", schemes[k].name, e[0], e[1],
             e[2]);
      NEAR(log2(e[0] / e[1]), schemes[k].order, 0, .1);
      NEAR(log2(e[1] / e[2]), schemes[k].order, 0, .1);
    }
}

static double energy_of(const test_scene *s) {
  const sup_model         *model = s->model;
  sup_tree_kinematics_data kin = {0};
  const sup_step_result   *r = sup_stepper_result(s->stepper);
  double                   T = 0, U = 0, sum = 0;
  for (int t = 0; t < model->num_trees; t++) {
    int first = model->tree_body[t];
    kin.X_WL = (sup_frame *)(uintptr_t)(r->X_WL + first);
    kin.w = (sup_v3 *)(uintptr_t)(r->link_w + first),
    kin.v = (sup_v3 *)(uintptr_t)(r->link_v + first);
    sup_tree_energy(model->tree[t], &kin, s->state->q + model->q_start[t],
                    s->state->v + model->v_start[t], sup_v3_load(s->options.gravity), &T, &U);
    sum += T + U;
  }
  return sum;
}

/* R17: energy drift below 2 % of the depth of the potential at dt = 1e-3 over 2 s; it falls with
 * the scheme's order. */
static void the_double_pendulum_of_R17_keeps_its_energy(void) {
  for (int k = 0; k < 3; k += 2)
    for (int rods = 0; rods < 2; rods++) {
      double worst[2] = {0, 0};
      for (int i = 0; i < 2; i++) {
        test_scene s;
        test_scene_init(&s);
        add_chain(&s, 2, rods);
        s.tree[0].links[0].q0[0] = -pi / 2;
        s.options.scheme = schemes[k].scheme;
        s.options.dt = 1e-3 / (i + 1);
        test_start(&s);
        for (long n = 0; n < lround(2 / s.options.dt); n++) {
          test_step(&s);
          worst[i] = fmax(worst[i], fabs(energy_of(&s)));
        }
        test_end(&s);
      }
      printf("\n    %s, %s: %.2e %.2e J", rods ? "rods" : "points", schemes[k].name, worst[0],
             worst[1]);
      CHECK(worst[0] < .02 * (rods ? 2 : 3) * 9.81);
      NEAR(log2(worst[0] / worst[1]), schemes[k].order, 0, .15);
    }
}

/* ---- R15 ------------------------------------------------------------------------------------- */

static void add_spinning_body(test_scene *s, double I1, double I2, double I3, double w1, double w2,
                              double w3) {
  sup_link_def *l = &test_add_tree(s, "body", 1)->links[0];
  s->tree[0].is_rigid_body = 1;
  l->joint = SUP_JOINT_FLOATING;
  l->mass = 1;
  l->inertia[0] = I1, l->inertia[1] = I2, l->inertia[2] = I3;
  l->v0[0] = w1, l->v0[1] = w2, l->v0[2] = w3;
  s->options.gravity[2] = 0;
}

typedef struct spin {
  double energy, size, direction,
      w[3]; /* |dT|/T, |d|L||/|L|, turn of L in the world [rad], w at the end */
} spin;

static spin spin_at(sup_scheme scheme, double dt, double time) {
  const double I[3] = {1e-3, 2e-3, 3e-3};
  test_scene   s;
  test_scene_init(&s);
  add_spinning_body(&s, I[0], I[1], I[2], .01, 10, .01);
  s.options.scheme = scheme;
  s.options.dt = dt;
  s.options.tolerance = 1e-12;
  test_start(&s);
  run(&s, time);
  const double *q = s.state->q, *w = s.state->v;
  sup_v3        L = {I[0] * w[0], I[1] * w[1], I[2] * w[2]}, L0 = {1e-5, 2e-2, 3e-5};
  double        T = .5 * (I[0] * w[0] * w[0] + I[1] * w[1] * w[1] + I[2] * w[2] * w[2]);
  sup_v3        L_W = sup_m3_apply(sup_quat_matrix((sup_quat){q[3], q[4], q[5], q[6]}), L);
  spin          out = {fabs(T / .1000002 - 1),
                       fabs(sup_v3_norm(L) / 2.0000024999975e-2 - 1),
                       sup_v3_norm(sup_v3_sub(sup_v3_unit(L_W), sup_v3_unit(L0))),
                       {w[0], w[1], w[2]}};
  test_end(&s);
  return out;
}

static void a_torque_free_body_keeps_energy_and_momentum_exactly_by_the_midpoint_rule_R15(void) {
  const double expected[3] = {-1.17326384, 9.93093913, .6774334};
  double       e[3], turn[3];
  for (int i = 0; i < 3; i++) {
    spin a = spin_at(sup_scheme_midpoint(), 2e-3 / (1 << i), 1);
    CHECK(a.energy < 1e-11 && a.size < 1e-11);
    e[i] = hypot(a.w[0] - expected[0], hypot(a.w[1] - expected[1], a.w[2] - expected[2]));
    turn[i] = a.direction;
  }
  printf("\n    error of w(1 s) %.2e %.2e %.2e; turn of L %.2e %.2e %.2e", e[0], e[1], e[2],
         turn[0], turn[1], turn[2]);
  for (int i = 0; i < 2; i++) {
    NEAR(log2(e[i] / e[i + 1]), 2, 0, .1);
    NEAR(log2(turn[i] / turn[i + 1]), 2, 0, .2);
  }
}

/* Symplectic Euler with the implicit gyroscopic moment keeps L to round-off; its energy is of
 * higher order than the scheme's. */
static void a_torque_free_body_keeps_its_momentum_by_symplectic_euler_R15(void) {
  spin a[3];
  for (int i = 0; i < 3; i++) {
    a[i] = spin_at(sup_scheme_symplectic_euler(), 4e-4 / (1 << i), 2);
    CHECK(a[i].size < 1e-11 && a[i].direction < 1e-11);
  }
  for (int i = 0; i < 2; i++) CHECK(log2(a[i].energy / a[i + 1].energy) > 1.9);
}

/* The Dzhanibekov flip: time from one upward crossing of w1 = 0 to the next. */
static void the_dzhanibekov_period_is_that_of_R15(void) {
  double error[2];
  for (int i = 0; i < 2; i++) {
    test_scene s;
    double     crossing[2], before = .01, dt = 1e-3 / (i + 1);
    int        count = 0;
    test_scene_init(&s);
    add_spinning_body(&s, 1e-3, 2e-3, 3e-3, .01, 10, .01);
    s.options.scheme = sup_scheme_midpoint();
    s.options.dt = dt;
    test_start(&s);
    for (long n = 1; n < lround(20 / dt) && count < 2; n++) {
      test_step(&s);
      double now = s.state->v[0];
      if (before < 0 && now >= 0) crossing[count++] = ((double)n - now / (now - before)) * dt;
      before = now;
    }
    CU_ASSERT_FATAL(count == 2);
    error[i] = crossing[1] - crossing[0] - 5.506168111;
    test_end(&s);
  }
  printf("\n    error of the period %.2e %.2e s", error[0], error[1]);
  CHECK(fabs(error[1]) < 1e-4);
  NEAR(log2(error[0] / error[1]), 2, 0, .1);
}

/* R15, symmetric body: body precession 10 rad/s, in space 30.016662040 rad/s about L on a cone
 * of 1.909152433 deg. */
static void a_symmetric_body_precesses_as_in_R15(void) {
  test_scene s;
  test_scene_init(&s);
  add_spinning_body(&s, 2e-3, 2e-3, 3e-3, 1, 0, 20);
  s.options.scheme = sup_scheme_midpoint();
  s.options.dt = 5e-4;
  test_start(&s);
  sup_v3 L = {2e-3, 0, 6e-2}, u = sup_v3_unit(L);
  run(&s, .5);
  const double *q = s.state->q;
  NEAR(atan2(s.state->v[1], s.state->v[0]), 5 - 2 * pi, 2e-4, 0);
  sup_v3 axis =
      sup_m3_apply(sup_quat_matrix((sup_quat){q[3], q[4], q[5], q[6]}), sup_v3_make(0, 0, 1));
  NEAR(acos(sup_v3_dot(axis, u)) * 180 / pi, 1.909152433, 1e-3, 0);
  /* turn of the axis about L since the start, where it was z */
  sup_v3 a0 = sup_v3_unit(sup_v3_cross(u, sup_v3_make(0, 0, 1))), b0 = sup_v3_cross(u, a0);
  sup_v3 a1 = sup_v3_unit(sup_v3_cross(u, axis));
  double angle = atan2(sup_v3_dot(a1, b0), sup_v3_dot(a1, a0));
  NEAR(fmod(angle + 4 * pi, 2 * pi), fmod(30.016662040 * .5, 2 * pi), 1e-3, 0);
  test_end(&s);
}

/* ---- R16 ------------------------------------------------------------------------------------- */

/* A heavy top on a ball joint: three hinges x y z with massless links between, none of which is
 * vertical, so that steady precession moves all of them. */
static void the_heavy_top_of_R16_precesses_steadily(void) {
  const double Omega = 1.559127533, theta = pi / 6, m = .5, l = .05,
               turn = 200 - Omega * cos(theta);
  for (int k = 0; k < 3; k += 2) {
    test_scene s;
    double     worst = 0;
    test_scene_init(&s);
    sup_tree_def *top = test_add_tree(&s, "top", 3);
    hinge(&top->links[0], 1, 0, 0);
    hinge(&top->links[1], 0, 1, 0);
    hinge(&top->links[2], 0, 0, 1);
    top->links[1].q0[0] = theta;
    top->links[0].v0[0] = -Omega * tan(theta);
    top->links[2].v0[0] = turn + Omega / cos(theta);
    sup_link_def *body = &top->links[2];
    body->mass = m, body->com[2] = l;
    body->inertia[0] = body->inertia[1] = 2e-3 - m * l * l, body->inertia[2] = 8e-4;
    s.options.scheme = schemes[k].scheme;
    s.options.dt = 1e-4;
    test_start(&s);
    const double *q = s.state->q;
    for (int n = 0; n < 10000; n++) {
      test_step(&s);
      worst = fmax(worst, fabs(acos(cos(q[0]) * cos(q[1])) - theta));
    }
    double precession = atan2(-sin(q[0]) * cos(q[1]), sin(q[1]));
    printf("\n    %s: precession %.9f rad/s, nutation %.2e deg", schemes[k].name, precession,
           worst * 180 / pi);
    NEAR(precession, Omega, 2e-3, 0);
    CHECK(worst * 180 / pi < .1);
    test_end(&s);
  }
}

/* ---- R18, R27, R30 --------------------------------------------------------------------------- */

/** Mean time between upward zero crossings of q of a joint. */
static double measured_period(test_scene *s, int joint, int periods) {
  double before = s->state->q[joint], first = 0, last = 0, dt = s->options.dt;
  int    count = 0;
  for (long n = 1; n < 10000000 && count <= periods; n++) {
    test_step(s);
    double now = s->state->q[joint];
    if (before < 0 && now >= 0) {
      last = ((double)n - now / (now - before)) * dt;
      if (count++ == 0) first = last;
    }
    before = now;
  }
  return (last - first) / periods;
}

/* R18: chains of uniform rods with total length and mass 1, started in their first mode's shape by
 * a slow release: the lowest frequency of N = 2 from the mode shape, both modes being pure in small
 * motion. */
static void a_hanging_chain_swings_with_the_frequencies_of_R18(void) {
  const double omega[2] = {3.79025358, 10.16631584};
  for (int mode = 0; mode < 2; mode++) {
    test_scene s;
    test_scene_init(&s);
    add_chain(&s, 2, 1);
    for (int l = 0; l < 2; l++) {
      sup_link_def *link = &s.tree[0].links[l];
      link->mass = .5, link->com[2] = -.25;
      link->inertia[0] = link->inertia[1] = .5 * .25 / 12;
      if (l > 0) link->X_PJ.p[2] = -.5;
    }
    /* mode shape: (K - w^2 M) x = 0 with absolute angles; M = m a^2 [4/3 1/2; 1/2 1/3], K = m g a
     * [3/2; 1/2] */
    double w2 = omega[mode] * omega[mode], a = .5, g = 9.81;
    double ratio = (1.5 * g - w2 * a * 4. / 3) / (w2 * a * .5); /* th2 / th1 */
    s.tree[0].links[0].q0[0] = -1e-4;
    s.tree[0].links[1].q0[0] = -1e-4 * (ratio - 1);
    s.options.scheme = sup_scheme_midpoint();
    s.options.dt = 1e-3;
    test_start(&s);
    double period = measured_period(&s, 0, 5);
    NEAR(2 * pi / period, omega[mode], 1e-4, 0);
    test_end(&s);
  }
}

/* R27: a pendulum with a geared rotor swings at .595807019 Hz. */
static void reflected_inertia_slows_the_pendulum_as_in_R27(void) {
  for (int geared = 0; geared < 2; geared++) {
    test_scene s;
    test_scene_init(&s);
    add_chain(&s, 1, 0);
    s.tree[0].links[0].com[2] = -.5;
    s.tree[0].links[0].q0[0] = -1e-3;
    s.tree[0].links[0].armature = geared ? 100. * 100 * 1e-5 : 0;
    s.options.dt = 1e-3;
    test_start(&s);
    NEAR(1 / measured_period(&s, 0, 3), geared ? .595807019 : .704968, 1e-3, 0);
    test_end(&s);
  }
}

/* R30: a wheel on a free-floating base at rest turns by 2 pi: the base turns back by I2/(I1 + I2)
 * of it. */
static void a_wheel_turns_its_free_floating_base_back_as_in_R30(void) {
  for (int k = 0; k < 3; k++) {
    test_scene s;
    test_scene_init(&s);
    sup_tree_def *d = test_add_tree(&s, "craft", 2);
    d->links[0].joint = SUP_JOINT_FLOATING;
    d->links[0].mass = 1;
    d->links[0].inertia[0] = d->links[0].inertia[1] = d->links[0].inertia[2] = .02;
    hinge(&d->links[1], 0, 0, 1);
    d->links[1].mass = .5;
    d->links[1].inertia[0] = d->links[1].inertia[1] = d->links[1].inertia[2] = .005;
    double time[2] = {0, .5}, target[2] = {0, 2 * pi};
    s.actuator[0] = (sup_actuator_def){.marker = SUP_INITIALISED,
                                       .name = "turn",
                                       .joint = "craft/joint1",
                                       .kp = 2,
                                       .kd = .1,
                                       .effort = 1};
    s.actuator[0].target = (sup_table){2, 1, time, target};
    s.def.num_actuators = 1;
    s.options.gravity[2] = 0;
    s.options.scheme = schemes[k].scheme;
    s.options.tolerance = 1e-13;
    test_start(&s);
    run(&s, 3);
    const double *q = s.state->q;
    double        wheel = q[7], base = 2 * atan2(q[6], q[3]);
    NEAR(wheel, 2 * pi, 1e-9, 0);
    NEAR(base, -.2 * wheel, 0, 1e-10);
    NEAR(base, -1.256637061, 1e-9, 0);
    test_end(&s);
  }
}

/* ---- what mixing with soft bodies means ------------------------------------------------------ */

static void a_soft_body_refuses_schemes_in_which_it_would_ring(void) {
  static const sup_scheme bad[] = {{.5, .5, .5}, {1, 1, .5}, {0, 0, 1}, {0, .5, 1}};
  test_scene              s;
  test_scene_init(&s);
  test_add_soft_box(&s, "cube", .1, .1, .1, 1, 1, 1, SUP_PATTERN_HEX, 1e5, .3, 1000);
  test_start(&s);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    s.options.scheme = bad[i];
    FAILS(sup_options_check(&s.options, s.model), SUP_E_ARG, "soft body 'cube' moves by q0 + dt v");
  }
  s.options.scheme = (sup_scheme){1.5, 1, 1};
  FAILS(sup_options_check(&s.options, s.model), SUP_E_ARG, "between 0 and 1");
  test_end(&s);
}

/* Implicit Euler goes with soft bodies: an attached bar on a slider keeps its momentum. */
static void implicit_euler_carries_an_attached_body(void) {
  test_scene s;
  test_scene_init(&s);
  test_add_bar_on_slider(&s, 1, 1e6)->v0[0] = 1;
  s.options.scheme = sup_scheme_implicit_euler();
  s.options.tolerance = 1e-12;
  test_start(&s);
  double before = test_soft_momentum(&s, 0).x + .5 * s.state->v[0];
  for (int i = 0; i < 100; i++) test_step(&s);
  NEAR(test_soft_momentum(&s, 0).x + .5 * s.state->v[0], before, 1e-10, 0);
  test_end(&s);
}

SUITE_TESTS(schemes, TEST(the_double_pendulum_of_R17_converges_with_the_order_of_each_scheme),
            TEST(the_double_pendulum_of_R17_keeps_its_energy),
            TEST(a_torque_free_body_keeps_energy_and_momentum_exactly_by_the_midpoint_rule_R15),
            TEST(a_torque_free_body_keeps_its_momentum_by_symplectic_euler_R15),
            TEST(the_dzhanibekov_period_is_that_of_R15), TEST(a_symmetric_body_precesses_as_in_R15),
            TEST(the_heavy_top_of_R16_precesses_steadily),
            TEST(a_hanging_chain_swings_with_the_frequencies_of_R18),
            TEST(reflected_inertia_slows_the_pendulum_as_in_R27),
            TEST(a_wheel_turns_its_free_floating_base_back_as_in_R30),
            TEST(a_soft_body_refuses_schemes_in_which_it_would_ring),
            TEST(implicit_euler_carries_an_attached_body));
