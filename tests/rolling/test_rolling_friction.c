/* Rolling and torsional friction of point contacts: closed forms, couples, solvers, units. */
#include "scene_test.h"
#include "solve/solver.h"

static const double g = 9.81, mass = .1, R = .05, mu = .5;

/** A ball on the floor, by points of mg/(1 um) as its weight presses them; lengths [m] of moments.
 *  @param[in] unit  of length [1/m] */
static sup_link_def *add_ball(test_scene *s, double unit, double rolling, double torsional) {
  test_scene_init(s);
  test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *ball =
      test_add_rigid(s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {R * unit}}, mass, 0);
  ball->q0[2] = (R - 1e-6) * unit;
  for (int i = 0; i < 2; i++) {
    sup_contact_def *c = &s->geometry[i].contact;
    c->point_stiffness = 2 * mass * g / 1e-6, c->dissipation = 10 / unit, c->friction = mu;
    if (i == 1) c->rolling_friction = rolling * unit, c->torsional_friction = torsional * unit;
  }
  s->options.gravity[2] = -g * unit, s->options.stiction_tolerance *= unit;
  s->options.dt = 1e-3, s->options.tolerance = 1e-12, s->options.certificate = 1;
  return ball;
}

/** Rolling along (cos, sin) of the angle at a speed. */
static void roll_along(sup_link_def *ball, double angle, double speed) {
  ball->v0[3] = speed * cos(angle), ball->v0[4] = speed * sin(angle);
  ball->v0[0] = -speed / R * sin(angle), ball->v0[1] = speed / R * cos(angle);
}

static void incline(test_scene *s, double angle) {
  s->options.gravity[0] = g * sin(angle), s->options.gravity[2] = -g * cos(angle);
}

static double *velocity(test_scene *s) { return s->state->v + s->model->v_start[1]; }
static double *position(test_scene *s) { return s->state->q + s->model->q_start[1]; }
static void    go(test_scene *s, double time) {
     for (int n = (int)lround(time / s->options.dt); n > 0; n--) test_step(s);
}

/** Couple on the ball [N m]. */
static sup_v3 couple_of(const test_scene *s) {
  const sup_contact *k = sup_stepper_result(s->stepper)->contact;
  return sup_v3_scale(k->body_b == sup_model_find_body(s->model, "ball") ? 1 : -1, k->couple);
}

/** Angular velocity of a free body in the world [rad/s]. */
static sup_v3 spin_of(test_scene *s, int tree) {
  const double *q = s->state->q + s->model->q_start[tree] + 3;
  return sup_m3_apply(sup_quat_matrix((sup_quat){q[0], q[1], q[2], q[3]}),
                      sup_v3_load(s->state->v + s->model->v_start[tree]));
}

/* ---- rolling --------------------------------------------------------------------------------- */

/* 5/7 c g/R in any direction and by any model, the couple against the rotation, its work c N times
 * the angle; then rest. */
static void a_rolling_ball_decelerates_by_five_sevenths_c_g_over_R(void) {
  double c = 2e-3, a = 5. / 7 * c * g / R;
  for (int model = 0; model < SUP_NUM_CONTACT_MODELS; model++) {
    test_scene s;
    double     angle = .4 + model, v0 = .2, taken = 0, t = .3;
    roll_along(add_ball(&s, 1, c, 0), angle, v0);
    s.def.contact.model = (sup_contact_model)model;
    test_start(&s);
    for (int n = 0; n < 300; n++) {
      test_step(&s);
      taken += s.report.rolling_friction;
      CHECK(s.report.ncp_primal <= 1e-3);
    }
    sup_v3 couple = couple_of(&s);
    NEAR(velocity(&s)[3], (v0 - a * t) * cos(angle), 1e-4, 0);
    NEAR(velocity(&s)[4], (v0 - a * t) * sin(angle), 1e-4, 0);
    NEAR(taken, c * mass * g * (v0 * t - a * t * t / 2) / R, 5e-3, 0);
    NEAR(couple.x, c * mass * g * sin(angle), 1e-4, 0);
    NEAR(couple.y, -c * mass * g * cos(angle), 1e-4, 0);
    NEAR(couple.z, 0, 0, 1e-12);
    go(&s, .6);
    CHECK(hypot(velocity(&s)[3], velocity(&s)[4]) < 1e-8);
    test_end(&s);
  }
}

/* A ball that rolls fast along a slope is turned by gravity at once, however small: rolling
 * friction is opposite to the rotation, and holds nothing across it. */
static void rolling_friction_does_not_hold_across_the_rotation(void) {
  double     c = 2e-3, fall = .1 * c / R, t = 0, v[2] = {1, 0}, h = 1e-5;
  test_scene s;
  roll_along(add_ball(&s, 1, c, 0), 0, v[0]);
  s.options.gravity[1] = g * sin(fall), s.options.gravity[2] = -g * cos(fall);
  test_start(&s);
  go(&s, .5);
  for (; t < .5 - h / 2; t += h) { /* Coulomb's law, Euler's scheme */
    double fast = hypot(v[0], v[1]), brake = 5. / 7 * c * g * cos(fall) / R / fast;
    v[0] -= h * brake * v[0], v[1] += h * (5. / 7 * g * sin(fall) - brake * v[1]);
  }
  NEAR(velocity(&s)[3], v[0], 1e-4, 0);
  NEAR(velocity(&s)[4], v[1], 1e-3, 0);
  test_end(&s);
}

/* tan(angle) R/c = .9 holds but for a creep of s/sqrt(1 - s^2), s = .9, of 1e-5 of what the moment
 * stops in a step; above 1 the ball goes by 5/7 (g sin - c g cos/R). */
static void a_ball_rests_on_an_incline_below_c_over_R_and_rolls_above(void) {
  static const double ratio[] = {.9, -.9, 1.3, 4};
  double              c = 2e-3, slip = 1e-5 * 1e-3 * c * mass * g / (.4 * mass * R * R);
  for (int k = 0; k < 4; k++) {
    test_scene s;
    double     angle = atan(ratio[k] * c / R), t = .5;
    double     a = 5. / 7 * g * (sin(angle) - c / R * cos(angle));
    add_ball(&s, 1, c, 0);
    incline(&s, angle);
    s.options.stiction_tolerance = 1e-6;
    test_start(&s);
    go(&s, t);
    if (k > 1) {
      NEAR(velocity(&s)[3], a * t, 3e-3, 0);
    } else {
      NEAR(velocity(&s)[1], slip * ratio[k] / sqrt(1 - ratio[k] * ratio[k]), 1e-3, 0);
      CHECK(fabs(position(&s)[0]) < 1e-7);
    }
    test_end(&s);
  }
}

/* ---- spin ------------------------------------------------------------------------------------ */

/* I w0/(mu rho m g), with the torque rho times the bound of sliding friction. */
static void a_spinning_ball_stops_by_the_torque_mu_rho_m_g(void) {
  double rho = 3e-3, torque = mu * rho * mass * g, w0 = 10;
  for (int model = 0; model < SUP_NUM_CONTACT_MODELS; model++) {
    test_scene s;
    add_ball(&s, 1, 0, rho)->v0[2] = -w0;
    s.def.contact.model = (sup_contact_model)model;
    test_start(&s);
    double inertia = s.link[1][0].inertia[2], end = inertia * w0 / torque;
    go(&s, .1);
    NEAR(velocity(&s)[2], -w0 + torque / inertia * .1, 1e-6, 0);
    NEAR(couple_of(&s).z, torque, 1e-6, 0);
    CHECK(s.report.ncp_primal <= 1e-6 && s.report.ncp_complementarity <= 1e-4);
    go(&s, end - .1 - 2e-3);
    CHECK(velocity(&s)[2] < -1e-2);
    go(&s, 4e-3);
    CHECK(fabs(velocity(&s)[2]) < 1e-10);
    test_end(&s);
  }
}

/* Two balls pressed together in the void: both moments act and are a pure couple. */
static void couples_keep_the_angular_momentum_of_two_balls(void) {
  test_scene s;
  double     worst = 0, turned = 0;
  sup_v3     L[2] = {{0, 0, 0}, {0, 0, 0}};
  add_ball(&s, 1, 2e-3, 3e-3);
  s.tree[0].is_rigid_body = 1;
  s.link[0][0] = s.link[1][0];
  snprintf(s.link[0][0].name, SUP_NAME_MAX, "other");
  s.geometry[0].shape = s.geometry[1].shape, s.link[0][0].geometries = &s.geometry[0];
  static const double w[2][3] = {{3, -2, 5}, {-1, 4, -7}};
  for (int i = 0; i < 2; i++) {
    double *q = s.link[i][0].q0, *v = s.link[i][0].v0, side = i ? 1 : -1;
    q[0] = side * .6 * (R - 2e-5), q[1] = 0, q[2] = 1 + side * .8 * (R - 2e-5);
    for (int k = 0; k < 3; k++) v[k] = w[i][k], v[3 + k] = -side * .05 * (k == 0 ? .6 : .8);
  }
  s.options.gravity[2] = 0;
  test_start(&s);
  sup_v3 before = spin_of(&s, 1);
  for (int n = 0; n < 40; n++)
    for (int after = 0; after < 2; after++) {
      if (after) test_step(&s);
      L[after] = (sup_v3){0, 0, 0};
      for (int t = 0; t < 2; t++) {
        sup_v3 p = sup_v3_load(s.state->q + s.model->q_start[t]),
               v = sup_v3_load(s.state->v + s.model->v_start[t] + 3);
        L[after] = sup_v3_madd(L[after], mass, sup_v3_cross(p, v));
        L[after] = sup_v3_madd(L[after], s.link[t][0].inertia[0], spin_of(&s, t));
      }
      if (!after) continue;
      worst = fmax(worst, sup_v3_norm(sup_v3_sub(L[1], L[0])));
      turned = fmax(turned, sup_v3_norm(sup_stepper_result(s.stepper)->contact[0].couple));
    }
  printf("couple %.1e N m, spin %.3g rad/s, angular momentum %.1e of %.1e ", turned,
         sup_v3_norm(sup_v3_sub(spin_of(&s, 1), before)), worst, sup_v3_norm(L[1]));
  CHECK(turned > 1e-3 && sup_v3_norm(sup_v3_sub(spin_of(&s, 1), before)) > .1);
  CHECK(worst < 1e-15);
  test_end(&s);
}

/* ---- both ------------------------------------------------------------------------------------ */

/** Rolling along an angle and spinning at once for a time by a solver: the velocities v [6]. */
static void roll_and_spin(test_scene *s, double unit, double angle, sup_contact_solver solver,
                          double time, double v[6]) {
  sup_link_def *ball = add_ball(s, unit, 1e-3, 2e-3);
  roll_along(ball, angle, .3);
  ball->v0[2] = 8;
  for (int k = 3; k < 6; k++) ball->v0[k] *= unit;
  s->options.contact_solver = solver, s->options.dual.tolerance = 1e-9;
  test_start(s);
  go(s, time);
  memcpy(v, velocity(s), 6 * sizeof *v);
}

/* Friction on a square is Coulomb's along its sides.  The overlap of mujoco and of rigid contact is
 * not the law's, by which moments are bounded. */
static void contact_solvers_agree_or_refuse_by_name(void) {
  for (int k = 0; k < 2 * SUP_NUM_CONTACT_SOLVERS; k++) {
    test_scene         s;
    double             v[2][6], angle = k % 2 ? .7 : 0;
    sup_contact_solver solver = (sup_contact_solver)(k / 2);
    bool               is_square =
        solver == SUP_CONTACT_SOLVER_LCP_PGS || solver == SUP_CONTACT_SOLVER_LCP_STAGGERED;
    if (solver == SUP_CONTACT_SOLVER_MUJOCO || (is_square && angle > 0)) continue;
    for (int other = 0; other < 2; other++) {
      roll_and_spin(&s, 1, angle, other ? solver : SUP_CONTACT_SOLVER_NEWTON, .2, v[other]);
      test_end(&s);
    }
    for (int j = 0; j < 6; j++) NEAR(v[1][j], v[0][j], 1e-4, 1e-6);
  }
  for (int is_rigid = 0; is_rigid < 2; is_rigid++) {
    test_scene s;
    add_ball(&s, 1, 1e-3, 0);
    s.options.contact_solver = is_rigid ? SUP_CONTACT_SOLVER_NCP_PGS : SUP_CONTACT_SOLVER_MUJOCO;
    s.options.dual.rigid = is_rigid;
    OK(sup_model_create(&s.model, &s.def));
    FAILS(sup_stepper_create(&s.stepper, s.model, &s.options), SUP_E_ARG,
          is_rigid ? "ncp_pgs with contact.dual.compliance rigid does not take rolling_friction"
                   : "the contact solver mujoco does not take rolling_friction");
    test_end(&s);
  }
}

/* A ball in metres and the same in millimetres and kilometres. */
static void moments_are_independent_of_the_unit_of_length(void) {
  static const double unit[] = {1, 1e3, 1e6, 1e-3};
  double              v[4][6];
  for (int k = 0; k < 4; k++) {
    test_scene s;
    roll_and_spin(&s, unit[k], .7, SUP_CONTACT_SOLVER_NEWTON, .1, v[k]);
    test_end(&s);
    for (int j = 0; j < 3; j++) NEAR(v[k][j], v[0][j], 1e-9, 1e-12);
    for (int j = 3; j < 6; j++) NEAR(v[k][j] / unit[k], v[0][j], 1e-9, 1e-12);
  }
}

/* Lengths from round-off to the size of the earth: friction of none, and a ball that is locked. */
static void lengths_of_any_size_end_in_numbers(void) {
  static const double length[] = {1e-320, 1e-30, 1e-12, 1e3, 1e7};
  for (int k = 0; k < 5; k++) {
    test_scene s;
    roll_along(add_ball(&s, 1, length[k], length[k]), .7, .2);
    test_start(&s);
    go(&s, .01);
    NEAR(velocity(&s)[3], k < 3 ? .2 * cos(.7) : .2 * cos(.7) - mu * g * .01 * cos(.7), 2e-3, 0);
    NEAR(sup_v3_norm(spin_of(&s, 1)), k < 3 ? .2 / R : 0, 1e-6, 1e-3);
    test_end(&s);
  }
}

/* Surfaces have torsional friction by themselves: no bit of theirs changes. */
static void surfaces_have_no_moments_of_points(void) {
  double v[2][6];
  for (int k = 0; k < 2; k++) {
    test_scene s;
    roll_along(add_ball(&s, 1, k * 1e-3, k * 1e-3), .3, .2);
    s.geometry[0].contact.point_stiffness = s.geometry[1].contact.point_stiffness = 0;
    test_start(&s);
    go(&s, .02);
    memcpy(v[k], velocity(&s), sizeof v[k]);
    CHECK(sup_v3_norm(sup_stepper_result(s.stepper)->contact[0].couple) == 0);
    test_end(&s);
  }
  CHECK(memcmp(v[0], v[1], sizeof *v) == 0);
}

SUITE_TESTS(rolling_friction, TEST(a_rolling_ball_decelerates_by_five_sevenths_c_g_over_R),
            TEST(rolling_friction_does_not_hold_across_the_rotation),
            TEST(a_ball_rests_on_an_incline_below_c_over_R_and_rolls_above),
            TEST(a_spinning_ball_stops_by_the_torque_mu_rho_m_g),
            TEST(couples_keep_the_angular_momentum_of_two_balls),
            TEST(contact_solvers_agree_or_refuse_by_name),
            TEST(moments_are_independent_of_the_unit_of_length),
            TEST(lengths_of_any_size_end_in_numbers), TEST(surfaces_have_no_moments_of_points));
