/* Dry friction and velocity limits of joints; ball, screw and universal joints, and joints of
 * several coordinates on links that move. */
#include "constraint/joint_rows.h"
#include "scene_test.h"
#include "solve/solver.h"

static const double pi = 3.14159265358979323846;

/** A block of 2 kg that slides along x without gravity, with this dry friction [N]. */
static sup_link_def *add_block(test_scene *s, double friction) {
  test_scene_init(s);
  sup_link_def *l = &test_add_tree(s, "block", 1)->links[0];
  l->joint = SUP_JOINT_PRISMATIC, l->mass = 2, l->friction = friction;
  l->inertia[0] = l->inertia[1] = l->inertia[2] = 1e-3;
  s->options.gravity[2] = 0;
  s->options.dt = 1e-3;
  s->options.tolerance = 1e-10;
  s->options.certificate = 1;
  return l;
}

static void drive(test_scene *s, const char *joint, double kp, double kd, double effort, int rows,
                  double *time, double *target) {
  sup_actuator_def *a = &s->actuator[s->def.num_actuators++];
  *a = (sup_actuator_def){.marker = SUP_INITIALISED,
                          .kp = kp,
                          .kd = kd,
                          .effort = effort,
                          .target = {rows, 1, time, target}};
  snprintf(a->joint, sizeof a->joint, "%s", joint);
}

/** Effort of the rows of one kind on velocity 0 of the state. */
static double effort_of(const test_scene *s, sup_joint_role role) {
  return sup_stepper_result(s->stepper)->joint_effort[(int)role * s->state->num_v];
}

/** A step whose friction is within its bound and takes the bound times the way, up to the slip at
 * which it reaches the bound. */
static void certified_step(test_scene *s, double friction) {
  test_step(s);
  CHECK(fabs(effort_of(s, SUP_JOINT_ROW_FRICTION)) <= friction * (1 + 1e-12));
  CHECK(s->report.ncp_primal <= 1e-12);
  CHECK(s->report.ncp_complementarity <= 1e-5);
  CHECK(s->report.joint_friction >= 0);
}

/* ---- dry friction ---------------------------------------------------------------------------- */

/* v0^2/(2 a); the energy that friction takes is what the block had. */
static void a_coasting_joint_stops_after_its_braking_distance(void) {
  double way[2], taken[2], a = 3. / 2;
  for (int k = 0; k < 2; k++) {
    test_scene s;
    add_block(&s, 3)->v0[0] = .9;
    s.options.dt = 1e-3 / (1 << k);
    test_start(&s);
    for (taken[k] = 0; s.state->time < .7;) {
      certified_step(&s, 3);
      taken[k] += s.report.joint_friction;
    }
    way[k] = s.state->q[0];
    NEAR(s.state->v[0], 0, 0, 1e-15);
    test_end(&s);
  }
  NEAR(way[1], .9 * .9 / (2 * a), 1e-3, 0);
  NEAR(2 * way[1] - way[0], .9 * .9 / (2 * a), 2e-6, 0); /* first order */
  NEAR(2 * taken[1] - taken[0], .9 * .9, 2e-6, 0);
}

/* x'' = -w^2 x -+ F/m: each half swing is 2 F/k shorter, and the last ends within F/k. */
static void swings_get_shorter_by_the_same_length(void) {
  double F = 1.5, k = 200, w = sqrt(k / 2), at[2][8], most = 0;
  for (int fine = 0; fine < 2; fine++) {
    test_scene    s;
    sup_link_def *l = add_block(&s, F);
    l->spring = k, l->q0[0] = .1;
    s.options.dt = 1e-4 / (1 << fine);
    test_start(&s);
    for (int half = 1; half <= 8; half++) {
      while (s.state->time < half * pi / w) certified_step(&s, F);
      at[fine][half - 1] = fabs(s.state->q[0]);
    }
    for (int n = 0; n < 1000; n++) {
      certified_step(&s, F);
      most = fmax(most, fabs(s.state->v[0]));
    }
    NEAR(most, 0, 0, 1e-6);
    NEAR(effort_of(&s, SUP_JOINT_ROW_FRICTION), k * s.state->q[0], 1e-4, 0);
    test_end(&s);
  }
  for (int half = 1; half <= 8; half++) /* .01 is the last turn above F/k */
    NEAR(2 * at[1][half - 1] - at[0][half - 1], fmax(.1 - half * 2 * F / k, .005), 0, 1e-5);
}

/* Pulled by a spring whose end moves at V the block waits until k V t = F, then goes on with V (1 -
 * cos w t): from rest to 2 V and back. */
static void a_block_pulled_by_a_spring_sticks_and_slips(void) {
  double     F = 3, k = 200, V = .1, w = sqrt(k / 2), begin = F / (k * V);
  double     time[2] = {0, 10}, target[2] = {0, 10 * V}, error[2] = {0}, still = 0;
  test_scene s;
  for (int half = 0; half < 2; half++) {
    add_block(&s, F);
    drive(&s, "block/joint0", k, 0, HUGE_VAL, 2, time, target);
    s.options.dt = 2e-4 / (1 << half);
    test_start(&s);
    while (s.state->time < begin + 2.5 * pi / w) {
      certified_step(&s, F);
      double u = fmax(s.state->time - begin, 0);
      error[half] = fmax(error[half], fabs(s.state->q[0] - V * (u - sin(w * u) / w)));
      if (u == 0) still = fmax(still, fabs(s.state->q[0]));
    }
    test_end(&s);
  }
  NEAR(log2(error[0] / error[1]), 1, 0, .1);
  CHECK(error[1] < 1e-4);
  CHECK(still < 1e-6);
}

/* Below its bound friction holds but for a creep of 1e-5 of what the effort would do in a step;
 * above only the excess moves the block. */
static void dry_friction_holds_below_its_bound(void) {
  double time[1] = {0}, force[3] = {2.7, 0, 0};
  for (int above = 0; above < 2; above++) {
    test_scene s;
    add_block(&s, 3);
    force[0] = above ? 3.3 : 2.7;
    test_add_force(&s, "block/link0", 1, time, force);
    test_start(&s);
    for (int n = 0; n < 1000; n++) certified_step(&s, 3);
    if (above)
      NEAR(s.state->v[0], .3 / 2, 1e-9, 0);
    else
      NEAR(s.state->v[0], 2.7 / 2 * 1e-3 * 1e-5, 1e-2, 0);
    NEAR(effort_of(&s, SUP_JOINT_ROW_FRICTION), above ? -3 : -2.7, 1e-4, 0);
    test_end(&s);
  }
}

/** A gram that carries 20 kg by friction: its own inertia says nothing of what it holds. */
static void dry_friction_of_a_light_link_holds_its_load(void) {
  double     time[1] = {0}, force[3] = {196, 0, 0};
  test_scene s;
  add_block(&s, 300)->mass = 1e-3;
  s.options.dt = 1e-2;
  test_add_force(&s, "block/link0", 1, time, force);
  test_start(&s);
  for (int n = 0; n < 100; n++) test_step(&s);
  NEAR(s.state->v[0], 1e-5 * 196 / 300, 1e-3, 0);
  NEAR(effort_of(&s, SUP_JOINT_ROW_FRICTION), -196, 1e-6, 0);
  test_end(&s);
}

/** Chain of three links with friction and a drive that swings in its weight, and a ball that falls
 * on the ground beside it; v_0 of the joints and the height of the ball after .3 s. */
static void swing(sup_contact_solver solver, sup_contact_model model, double v[4]) {
  double     time[2] = {0, .2}, target[2] = {0, 1};
  test_scene s;
  test_scene_init(&s);
  sup_tree_def *d = test_add_tree(&s, "arm", 3);
  for (int l = 0; l < 3; l++) {
    sup_link_def *link = &d->links[l];
    link->joint = SUP_JOINT_REVOLUTE, link->mass = 1, link->com[0] = .1, link->friction = .2;
    link->axis[0] = 0, link->axis[1] = 1, link->X_PJ.p[0] = l ? .2 : 0;
    for (int i = 0; i < 3; i++) link->inertia[i] = 4e-3;
  }
  drive(&s, "arm/joint0", 50, 2, 3, 2, time, target);
  sup_link_def *ground = test_add_rigid(&s, "ground", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
  sup_link_def *ball = test_add_rigid(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.05}}, .5, 0);
  ball->q0[0] = 5, ball->q0[2] = .06;
  for (int k = 0; k < 2; k++) {
    (k ? ball : ground)->geometries->contact.point_stiffness = 1e4;
    (k ? ball : ground)->geometries->contact.friction = .5;
  }
  s.options.contact_solver = solver, s.def.contact.model = model;
  s.options.certificate = 1;
  s.options.dual.tolerance = 1e-10;
  s.options.dual.max_iterations = 20000;
  test_start(&s);
  for (int n = 0; n < 300; n++) {
    OK(sup_step(s.stepper, s.state, &s.report));
    for (int j = 0; j < 3; j++)
      CHECK(fabs(effort_of(&s, SUP_JOINT_ROW_FRICTION)) <= .2 * (1 + 1e-8));
  }
  for (int j = 0; j < 3; j++) v[j] = s.state->v[j];
  v[3] = s.state->q[3 + 2];
  test_end(&s);
}

static void all_solvers_and_models_take_dry_friction(void) {
  double of_newton[4], v[4];
  swing(SUP_CONTACT_SOLVER_NEWTON, SUP_MODEL_LAGGED, of_newton);
  CHECK(fabs(of_newton[0]) > .1 && fabs(of_newton[2]) < 1e-4); /* one slides, one sticks */
  for (int solver = 0; solver < SUP_NUM_CONTACT_SOLVERS; solver++) {
    swing((sup_contact_solver)solver, SUP_MODEL_LAGGED, v);
    for (int j = 0; j < 3; j++) NEAR(v[j], of_newton[j], 0, 1e-4);
  }
  for (int model = 0; model < SUP_NUM_CONTACT_MODELS; model++) {
    swing(SUP_CONTACT_SOLVER_NEWTON, (sup_contact_model)model, v);
    for (int j = 0; j < 3; j++) NEAR(v[j], of_newton[j], 0, 1e-9);
  }
}

/* Loads that grow find the joint at (P - F)/k, below F it stays. */
static void friction_holds_in_equilibria(void) {
  double time[1] = {0}, force[3] = {0};
  for (int above = 0; above < 2; above++) {
    test_scene s;
    add_block(&s, 3)->spring = 1000;
    force[0] = above ? 10 : 2;
    test_add_force(&s, "block/link0", 1, time, force);
    test_start(&s);
    test_static(&s, 4);
    NEAR(s.state->q[0], above ? .007 : 0, 0, above ? 1e-7 : 1e-6);
    test_end(&s);
  }
}

/* Steps of controlled length find the end of a slide. */
static void steps_of_controlled_length_stop_where_friction_does(void) {
  test_scene s;
  add_block(&s, 3)->v0[0] = .9;
  s.options.accuracy.tolerance = 1e-4;
  s.options.accuracy.max_step = .02, s.options.dt = .02;
  s.options.accuracy.length = .1, s.options.accuracy.time = .1;
  s.options.accuracy.reference_step = 1e-3, s.options.accuracy.min_step = 1e-6;
  test_start(&s);
  while (s.state->time < .7) OK(sup_step(s.stepper, s.state, &s.report));
  NEAR(s.state->q[0], .27, 0, 1e-3);
  NEAR(s.state->v[0], 0, 0, 1e-6);
  test_end(&s);
}

/* ---- limits of velocity ---------------------------------------------------------------------- */

/* A drive to a far target: v_max t once it is reached, and no effort above the drive's. */
static void a_drive_does_not_pass_the_velocity_limit(void) {
  double time[1] = {0}, target[1] = {-5};
  for (int solver = 0; solver < SUP_NUM_CONTACT_SOLVERS; solver++) {
    test_scene    s;
    sup_link_def *l = add_block(&s, 0);
    l->velocity_limit = .4, l->limits_velocity = 1;
    s.options.contact_solver = (sup_contact_solver)solver;
    s.options.dual.tolerance = 1e-10;
    drive(&s, "block/joint0", 1000, 10, 8, 1, time, target);
    test_start(&s);
    for (int n = 1; n <= 500; n++) {
      OK(sup_step(s.stepper, s.state, &s.report));
      CHECK(s.state->v[0] >= -.4 * (1 + 1e-7));
      CHECK(fabs(effort_of(&s, SUP_JOINT_ROW_EFFORT)) <= 8 * (1 + 1e-9));
    }
    NEAR(s.state->v[0], -.4, 1e-7, 0);
    NEAR(effort_of(&s, SUP_JOINT_ROW_SPEED), 8, 1e-6, 0);
    NEAR(s.state->q[0], -.4 * (.5 - .5 * .1), 0, .4 * 1e-3); /* .1 s to reach it */
    test_end(&s);
  }
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* a = m g p/(I + m p^2) with p metres a radian, exactly in each step. */
static void a_nut_falls_down_its_screw(void) {
  double     lead = .02, p = lead / (2 * pi), m = .3, I = 2e-5;
  test_scene s;
  test_scene_init(&s);
  sup_link_def *l = &test_add_tree(&s, "nut", 1)->links[0];
  l->joint = SUP_JOINT_SCREW, l->mass = m, l->pitch = p;
  l->axis[0] = 0, l->axis[2] = -1;
  l->inertia[0] = l->inertia[1] = 1.5e-5, l->inertia[2] = I;
  s.options.dt = 1e-3;
  test_start(&s);
  for (int n = 0; n < 400; n++) test_step(&s);
  double a = 9.81 / (1 + I * pow(2 * pi / lead, 2) / m); /* along the axis */
  NEAR(p * s.state->v[0], a * .4, 1e-11, 0);
  NEAR(p * s.state->q[0], a * .5 * .4 * .401, 1e-11, 0);
  NEAR(sup_stepper_result(s.stepper)->X_WL[0].p.z, -p * s.state->q[0], 1e-12, 0);
  test_end(&s);
}

/** A rod on a ball joint, its centre l below: moments A about the joint, C about itself. */
static sup_link_def *add_ball(test_scene *s, double l, double A, double C) {
  test_scene_init(s);
  sup_link_def *link = &test_add_tree(s, "rod", 1)->links[0];
  link->joint = SUP_JOINT_BALL, link->mass = 1, link->com[2] = -l;
  link->inertia[0] = link->inertia[1] = A - l * l, link->inertia[2] = C;
  s->options.dt = 1e-3;
  return link;
}

/* A rod that circles about the vertical stays at its tilt: (A - C) W^2 cos tilt = m g l, turned as
 * a whole by W. */
static void a_rod_on_a_ball_joint_circles_at_its_tilt(void) {
  double error[2], l = .3, A = .12, C = .01, tilt = .5;
  double W = sqrt(9.81 * l / ((A - C) * cos(tilt)));
  for (int k = 0; k < 2; k++) {
    test_scene    s;
    sup_link_def *link = add_ball(&s, l, A, C);
    sup_quat      q = sup_quat_exp(sup_v3_make(0, -tilt, 0));
    link->q0[3] = q.w, link->q0[4] = q.x, link->q0[5] = q.y, link->q0[6] = q.z;
    sup_v3_store(link->v0, sup_m3_apply_t(sup_quat_matrix(q), sup_v3_make(0, 0, W)));
    s.options.dt = 1e-3 / (1 << k);
    test_start(&s);
    error[k] = 0;
    while (s.state->time < 2 * pi / W) {
      test_step(&s);
      double *c = s.state->q, length = c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3];
      sup_v3  axis = sup_m3_apply(sup_stepper_result(s.stepper)->X_WL[0].R, sup_v3_make(0, 0, 1));
      error[k] = fmax(error[k], fabs(acos(axis.z) - tilt));
      NEAR(length, 1, 1e-15, 0);
    }
    test_end(&s);
  }
  CHECK(error[1] < 2e-3);
  NEAR(log2(error[0] / error[1]), 1, 0, .2);
}

/* Without weight a tumbling body on a ball joint keeps its angular momentum about it to round-off,
 * and its energy to second order. */
static void a_body_that_tumbles_on_a_ball_joint_keeps_its_momentum(void) {
  double drift[2];
  for (int k = 0; k < 2; k++) {
    test_scene    s;
    sup_link_def *link = add_ball(&s, .1, .05, .012);
    link->inertia[1] = .03, link->v0[0] = .2, link->v0[1] = 7, link->v0[2] = -.3;
    s.options.gravity[2] = 0;
    s.options.dt = 2e-3 / (1 << k);
    test_start(&s);
    double I[3] = {link->inertia[0] + .01, link->inertia[1] + .01, link->inertia[2]}, T0 = 0, T = 0;
    sup_v3 L0 = {I[0] * s.state->v[0], I[1] * s.state->v[1], I[2] * s.state->v[2]}, L;
    for (int i = 0; i < 3; i++) T0 += .5 * I[i] * link->v0[i] * link->v0[i];
    while (s.state->time < 3) test_step(&s);
    L = sup_m3_apply(sup_stepper_result(s.stepper)->X_WL[0].R,
                     sup_v3_make(I[0] * s.state->v[0], I[1] * s.state->v[1], I[2] * s.state->v[2]));
    for (int i = 0; i < 3; i++) T += .5 * I[i] * s.state->v[i] * s.state->v[i];
    NEAR(sup_v3_norm(sup_v3_sub(L, L0)), 0, 0, 1e-12 * sup_v3_norm(L0));
    drift[k] = fabs(T / T0 - 1);
    test_end(&s);
  }
  CHECK(drift[1] < 1e-3);
  CHECK(log2(drift[0] / drift[1]) > 1.9);
}

/* A floating link on one that a drive shakes falls as it would alone. */
static void a_floating_link_on_one_that_moves_is_free(void) {
  double     time[5] = {0, .1, .2, .3, .4}, target[5] = {0, .05, -.05, .05, 0};
  test_scene s;
  test_scene_init(&s);
  sup_tree_def *d = test_add_tree(&s, "pair", 2);
  for (int l = 0; l < 2; l++) {
    d->links[l].mass = 1;
    for (int i = 0; i < 3; i++) d->links[l].inertia[i] = 1e-2;
  }
  d->links[0].joint = SUP_JOINT_REVOLUTE, d->links[0].axis[0] = 0, d->links[0].axis[2] = 1;
  d->links[1].joint = SUP_JOINT_FLOATING, d->links[1].q0[0] = .5;
  d->links[1].v0[3] = 1, d->links[1].v0[5] = 2;
  drive(&s, "pair/joint0", 500, 5, HUGE_VAL, 5, time, target);
  s.options.dt = 1e-4;
  test_start(&s);
  while (s.state->time < .4) test_step(&s);
  sup_v3 p = sup_stepper_result(s.stepper)->X_WL[1].p;
  NEAR(p.x, .9, 0, 1e-4);
  NEAR(p.y, 0, 0, 1e-4);
  NEAR(p.z, .8 - .5 * 9.81 * .16, 0, 1e-3);
  test_end(&s);
}

/* Two hinges, of a cross without mass between, are a universal joint: swings about both have the
 * period of a pendulum. */
static void a_cross_without_mass_makes_a_universal_joint(void) {
  for (int about = 0; about < 2; about++) {
    test_scene s;
    test_scene_init(&s);
    sup_tree_def *d = test_add_tree(&s, "cardan", 2);
    for (int l = 0; l < 2; l++) d->links[l].joint = SUP_JOINT_REVOLUTE;
    d->links[1].axis[0] = 0, d->links[1].axis[1] = 1;
    d->links[1].mass = 1, d->links[1].com[2] = -.3;
    d->links[1].inertia[0] = d->links[1].inertia[1] = .02, d->links[1].inertia[2] = .001;
    d->links[about].q0[0] = 1e-3;
    s.options.dt = 1e-4;
    test_start(&s);
    double quarter = pi / 2 * sqrt(.11 / (9.81 * .3));
    while (s.state->time < quarter) test_step(&s);
    NEAR(s.state->q[about], 0, 0, 1e-6);
    NEAR(s.state->v[about], -1e-3 * pi / 2 / quarter, 1e-3, 0);
    NEAR(s.state->q[1 - about], 0, 0, 1e-9);
    test_end(&s);
  }
}

SUITE_TESTS(joints, TEST(a_coasting_joint_stops_after_its_braking_distance),
            TEST(swings_get_shorter_by_the_same_length),
            TEST(a_block_pulled_by_a_spring_sticks_and_slips),
            TEST(dry_friction_holds_below_its_bound),
            TEST(dry_friction_of_a_light_link_holds_its_load),
            TEST(all_solvers_and_models_take_dry_friction), TEST(friction_holds_in_equilibria),
            TEST(steps_of_controlled_length_stop_where_friction_does),
            TEST(a_drive_does_not_pass_the_velocity_limit), TEST(a_nut_falls_down_its_screw),
            TEST(a_rod_on_a_ball_joint_circles_at_its_tilt),
            TEST(a_body_that_tumbles_on_a_ball_joint_keeps_its_momentum),
            TEST(a_floating_link_on_one_that_moves_is_free),
            TEST(a_cross_without_mass_makes_a_universal_joint));
