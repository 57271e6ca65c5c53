/* Constraints between bodies (THEORY 11.1): momentum, energy, closed forms, events. */
#include "app/app_test.h"
#include "model/constraint.h"
#include "model/event.h"
#include "scene/scene.h"
#include "scene_test.h"

static const double g0 = 9.81, pi = 3.14159265358979323846;

enum { MOST = 6 };
/** Constraints of a scene. */
typedef struct joints {
  sup_constraint_def def[MOST];
} joints;

static sup_constraint_def *join(test_scene *s, joints *j, sup_constraint_kind kind, const char *a,
                                const char *b) {
  sup_constraint_def *c = &j->def[s->def.num_constraints++];
  *c = sup_default_constraint_def();
  snprintf(c->name, sizeof c->name, "c%d", s->def.num_constraints);
  snprintf(c->a, sizeof c->a, "%s", a), snprintf(c->b, sizeof c->b, "%s", b);
  c->kind = kind;
  s->def.constraints = j->def;
  return c;
}

/** Box of `length` along its x, turned about -y by `angle`, its mean at (x, z); touches nothing. */
static sup_link_def *add_bar(test_scene *s, const char *name, double mass, double length, double x,
                             double z, double angle) {
  sup_link_def *l =
      test_add_rigid(s, name, (sup_shape){SUP_SHAPE_BOX, {length, .02, .02}}, mass, 0);
  l->num_geometries = 0;
  l->q0[0] = x, l->q0[2] = z;
  l->q0[3] = cos(angle / 2), l->q0[5] = -sin(angle / 2);
  return l;
}

static const sup_wrench *wrench(const test_scene *s, int i) {
  return &sup_stepper_result(s->stepper)->constraint_wrench[i];
}

static double gap(const test_scene *s, int i) {
  const sup_body_constraint *c = &s->model->constraint[i];
  return sup_constraint_gap(s->model, c, s->state->constraint_place + c->first_place,
                            sup_stepper_result(s->stepper)->X_WL, s->state->x, s->state->q);
}

/** Kinetic energy, momentum and moment of momentum of cubes of unit mass and moment of inertia I.
 */
static double momenta(const test_scene *s, double I, sup_v3 *p, sup_v3 *L) {
  const sup_step_result *r = sup_stepper_result(s->stepper);
  double                 energy = 0;
  *p = *L = (sup_v3){0, 0, 0};
  for (int b = 0; b < s->model->num_bodies; b++) {
    sup_v3 v = r->link_v[b], w = r->link_w[b];
    *p = sup_v3_add(*p, v);
    *L = sup_v3_add(*L, sup_v3_madd(sup_v3_cross(r->X_WL[b].p, v), I, w));
    energy += .5 * sup_v3_dot(v, v) + .5 * I * sup_v3_dot(w, w);
  }
  return energy;
}

/* A tumbling chain of cubes by a weld, a ball, a hinge, a rod: momentum and its moment to
 * round-off, energy without drift, the places kept. */
static void a_chain_in_flight_keeps_its_momentum(void) {
  double     I = .01 / 6, energy = 0;
  sup_v3     p0, L0, p, L;
  test_scene s;
  joints     j;
  test_scene_init(&s);
  for (int i = 0; i < 5; i++) {
    char name[8];
    snprintf(name, sizeof name, "%d", i);
    sup_link_def *l = test_add_rigid(&s, name, (sup_shape){SUP_SHAPE_BOX, {.1, .1, .1}}, 1, 0);
    l->num_geometries = 0, l->q0[0] = .2 * i;
    l->v0[0] = 1 + i, l->v0[1] = 2 - i, l->v0[2] = .5, l->v0[4] = i, l->v0[5] = 1;
  }
  join(&s, &j, SUP_CONSTRAINT_WELD, "0", "1");
  join(&s, &j, SUP_CONSTRAINT_BALL, "1", "2")->point_b[0] = -.1;
  sup_constraint_def *h = join(&s, &j, SUP_CONSTRAINT_HINGE, "2", "3");
  h->point_b[0] = -.1, h->axis[1] = 1, h->axis[2] = 0;
  join(&s, &j, SUP_CONSTRAINT_ROD, "3", "4")->point_b[2] = .05;
  s.options.gravity[2] = 0, s.options.dt = 5e-4, s.options.tolerance = 1e-13;
  test_start(&s);
  test_step(&s);
  momenta(&s, I, &p0, &L0);
  double least = HUGE_VAL, most = 0, last = 0;
  for (int i = 0; i < 4000; i++) {
    test_step(&s);
    energy = momenta(&s, I, &p, &L);
    if (i == 0) last = energy;
    least = fmin(least, energy), most = fmax(most, energy);
  }
  printf("momentum off by %.2g of %.3g, moment %.2g of %.3g, energy %.5g .. %.5g J, gaps",
         sup_v3_norm(sup_v3_sub(p, p0)), sup_v3_norm(p0), sup_v3_norm(sup_v3_sub(L, L0)),
         sup_v3_norm(L0), least, most);
  NEAR(sup_v3_norm(sup_v3_sub(p, p0)), 0, 0, 1e-10 * sup_v3_norm(p0));
  NEAR(sup_v3_norm(sup_v3_sub(L, L0)), 0, 0, 1e-10 * sup_v3_norm(L0));
  CHECK(most - least < 5e-3 * last && fabs(energy - last) < 5e-3 * last);
  for (int i = 0; i < 4; i++) {
    printf(" %.2g", gap(&s, i));
    CHECK(gap(&s, i) < 2e-6);
  }
  test_end(&s);
}

/* A bar on a ball swings like one on a joint, for 100,000 steps: energy and place without drift. */
static void a_pendulum_swings_on_without_drift(void) {
  double     low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL}, worst = 0, l = .3;
  test_scene s;
  joints     j;
  test_scene_init(&s);
  add_bar(&s, "bar", 1, 2 * l, l, 0, 0);
  join(&s, &j, SUP_CONSTRAINT_BALL, "world", "bar")->point_b[0] = -l;
  s.options.dt = 1e-3, s.options.tolerance = 1e-10;
  test_start(&s);
  for (int i = 0; i < 100000; i++) {
    test_step(&s);
    const sup_step_result *r = sup_stepper_result(s.stepper);
    sup_v3                 v = r->link_v[0], w = r->link_w[0];
    double energy = .5 * sup_v3_dot(v, v) + .5 * s.link[0][0].inertia[1] * sup_v3_dot(w, w) +
                    g0 * r->X_WL[0].p.z;
    int half = i >= 50000;
    low[half] = fmin(low[half], energy), high[half] = fmax(high[half], energy);
    worst = fmax(worst, gap(&s, 0));
  }
  printf("energy %.4g .. %.4g mJ, then %.4g .. %.4g mJ, gap %.2g m ", 1e3 * low[0], 1e3 * high[0],
         1e3 * low[1], 1e3 * high[1], worst);
  CHECK(high[0] - low[0] < .02); /* h v F/2 of the time scheme each way, as of a joint */
  CHECK(fabs(low[1] - low[0]) + fabs(high[1] - high[0]) < 4e-4); /* of 2.9 J in 50 s */
  CHECK(worst < 1e-6);
  test_end(&s);
}

/* Gaps beside h^2 w F, in metres of any size; half a step has a quarter. */
static void gaps_are_small_beside_what_the_force_moves(void) {
  for (int k = 0; k < 3; k++) {
    double     size = k == 0 ? 1e-3 : k == 1 ? 1 : 1e3, h = 1e-3;
    test_scene s;
    joints     j;
    test_scene_init(&s);
    add_bar(&s, "bar", 1, .2 * size, 0, 0, 0);
    join(&s, &j, SUP_CONSTRAINT_WELD, "world", "bar");
    s.options.dt = h;
    test_start(&s);
    for (int i = 0; i < 100; i++) test_step(&s);
    NEAR(wrench(&s, 0)->force.z, g0, 1e-9, 0);
    NEAR(gap(&s, 0), 5e-8 * h * h * g0, 1e-6, 0);
    test_end(&s);
  }
}

/* Crank, coupler and rocker over the ground. */
static const double crank = .1, coupler = .3, rocker = .25, ground = .3;

/** Direction of the rocker, and the ends of the coupler in the plane, of the crank's angle. */
static double rocker_of(double angle, double b[2], double c[2]) {
  b[0] = crank * cos(angle), b[1] = crank * sin(angle);
  double dx = ground - b[0], r2 = dx * dx + b[1] * b[1], r = sqrt(r2);
  double along = (r2 + coupler * coupler - rocker * rocker) / (2 * r),
         off = sqrt(coupler * coupler - along * along);
  c[0] = b[0] + (along * dx + off * b[1]) / r, c[1] = b[1] + (-along * b[1] + off * dx) / r;
  return atan2(c[1], c[0] - ground);
}

static double angle_of(const test_scene *s, int body) {
  const sup_frame *X = &sup_stepper_result(s->stepper)->X_WL[body];
  return atan2(X->R.m[2][0], X->R.m[0][0]);
}

/** Add crank and rocker on hinges of the world, bodies 0 and 1; angle, and ends of the coupler. */
static double add_crank_and_rocker(test_scene *s, joints *j, double spin, double b[2],
                                   double c[2]) {
  const double angle = pi / 3, turned = rocker_of(angle, b, c);
  add_bar(s, "crank", .5, crank, b[0] / 2, b[1] / 2, angle)->v0[1] = spin;
  add_bar(s, "rocker", .1, rocker, (ground + c[0]) / 2, c[1] / 2, turned);
  for (int i = 0; i < 2; i++) {
    sup_constraint_def *h = join(s, j, SUP_CONSTRAINT_HINGE, "world", i ? "rocker" : "crank");
    h->point_b[0] = i ? -rocker / 2 : -crank / 2, h->axis[1] = 1, h->axis[2] = 0;
  }
  return angle;
}

/** The rocker's angle is the closed one of the crank's, over turns. */
static void a_four_bar_closes(void) {
  double     worst = 0, turned = 0, b[2], c[2];
  test_scene s;
  joints     j;
  test_scene_init(&s);
  double before = add_crank_and_rocker(&s, &j, -80, b, c);
  add_bar(&s, "coupler", .1, coupler, (b[0] + c[0]) / 2, (b[1] + c[1]) / 2,
          atan2(c[1] - b[1], c[0] - b[0]));
  for (int i = 0; i < 2; i++) {
    sup_constraint_def *h = join(&s, &j, SUP_CONSTRAINT_HINGE, i ? "rocker" : "crank", "coupler");
    h->point_b[0] = i ? coupler / 2 : -coupler / 2, h->axis[1] = 1, h->axis[2] = 0;
  }
  s.options.gravity[2] = 0, s.options.dt = 1e-4;
  test_start(&s);
  for (int i = 0; i < 20000; i++) {
    test_step(&s);
    double t = angle_of(&s, 0), to = rocker_of(t, b, c);
    turned += remainder(t - before, 2 * pi), before = t;
    if (i >= 20) worst = fmax(worst, fabs(remainder(angle_of(&s, 1) - to, 2 * pi)));
  }
  printf("%.3g turns, angle off by %.2g rad, gaps %.2g %.2g %.2g %.2g m ", turned / (2 * pi), worst,
         gap(&s, 0), gap(&s, 1), gap(&s, 2), gap(&s, 3));
  CHECK(fabs(turned) > 4 * pi);
  CHECK(worst < 1e-6);
  test_end(&s);
}

/* A coupler of cells, as stiff as aluminium and a thousand times softer, on balls at the means of
 * its ends: by N/(E A) it is longer or shorter, no more. */
static void a_soft_coupler_closes_a_four_bar(void) {
  for (int k = 0; k < 2; k++) {
    double     E = k ? 7e7 : 7e10, worst = 0, turned = 0, b[2], c[2];
    test_scene s;
    joints     j;
    test_scene_init(&s);
    double before = add_crank_and_rocker(&s, &j, -40, b, c), tilt = atan2(c[1] - b[1], c[0] - b[0]);
    sup_soft_def *bar =
        test_add_soft_box(&s, "coupler", coupler, .02, .02, 12, 2, 2, SUP_PATTERN_HEX, E, .3, 100);
    bar->X_WS = (sup_pose){{b[0] + .01 * sin(tilt), -.01, b[1] - .01 * cos(tilt)},
                           {cos(tilt / 2), 0, -sin(tilt / 2), 0}};
    for (int i = 0; i < 2; i++) {
      sup_constraint_def *h = join(&s, &j, SUP_CONSTRAINT_BALL, i ? "rocker" : "crank", "coupler");
      h->region_b = (sup_region){
          SUP_REGION_BOX, {i ? coupler - 1e-6 : -1, -1, -1}, {i ? 1 : 1e-6, 1, 1}, {0}, 0, {0}};
      h->has_region_b = 1;
    }
    s.options.gravity[2] = 0, s.options.dt = 1e-3;
    test_start(&s);
    for (int i = 0; i < 300; i++) {
      test_step(&s);
      double t = angle_of(&s, 0), to = rocker_of(t, b, c);
      turned += remainder(t - before, 2 * pi), before = t;
      if (i >= 20) worst = fmax(worst, fabs(remainder(angle_of(&s, 1) - to, 2 * pi)));
    }
    printf("%.2g turns, off by %.2g rad; ", turned / (2 * pi), worst);
    CHECK(k ? worst > 1e-5 && worst < 1e-2 : worst < 2e-5);
    CHECK(fabs(turned) > .5 * pi);
    test_end(&s);
  }
}

/* A rod with a stiffness is a spring of the closed period; a rope is slack up to its length and
 * stops there. */
static void rods_and_ropes_have_their_length(void) {
  double     k = 400, h = 1e-4;
  test_scene s;
  joints     j;
  test_scene_init(&s);
  add_bar(&s, "mass", 1, .1, 0, -.5, 0);
  join(&s, &j, SUP_CONSTRAINT_ROD, "world", "mass")->stiffness = k;
  s.options.dt = h;
  test_start(&s);
  int    turns = 0;
  double first = 0, last = 0, v = 0;
  while (turns < 11) {
    double before = v;
    test_step(&s), v = s.state->v[5];
    if (!(before < 0 && v >= 0)) continue;
    last = s.state->time - h * v / (v - before), first = turns++ == 0 ? last : first;
  }
  NEAR((last - first) / 10, 2 * pi / sqrt(k), 1e-4, 0);
  test_end(&s);

  test_scene_init(&s);
  s.def.num_constraints = 0;
  add_bar(&s, "mass", 1, .1, 0, -.5, 0);
  join(&s, &j, SUP_CONSTRAINT_ROPE, "world", "mass")->length = .6;
  s.options.dt = 1e-3, s.options.tolerance = 1e-12;
  test_start(&s);
  double flight = sqrt(2 * .1 / g0);
  for (int i = 0; i < 400; i++) {
    test_step(&s);
    if (s.state->time < flight - 2e-3) {
      NEAR(s.state->v[5], -g0 * s.state->time, 1e-12, 0);
      NEAR(wrench(&s, 0)->force.z, 0, 0, 0);
    }
  }
  NEAR(s.state->q[2], -.6, 0, 1e-8);
  NEAR(wrench(&s, 0)->force.z, g0, 1e-6, 0);
  test_end(&s);
}

/* Joints of two robots: the follower moves by its ratio, and its effort is the leader's over it. */
static void joints_of_two_robots_are_coupled(void) {
  test_scene s;
  joints     j;
  test_scene_init(&s);
  for (int t = 0; t < 2; t++) {
    sup_link_def *l = &test_add_tree(&s, t == 0 ? "leader" : "follower", 1)->links[0];
    l->joint = SUP_JOINT_PRISMATIC, l->mass = 1 + t, l->axis[0] = 0, l->axis[2] = 1;
    l->inertia[0] = l->inertia[1] = l->inertia[2] = 1e-3;
  }
  sup_constraint_def *c = join(&s, &j, SUP_CONSTRAINT_COUPLER, "leader/joint0", "follower/joint0");
  c->ratio = -.5, c->offset = .1;
  s.link[1][0].q0[0] = .1;
  s.options.dt = 1e-3, s.options.tolerance = 1e-12;
  test_start(&s);
  for (int i = 0; i < 100; i++) test_step(&s);
  /* (1 + 2/4) a = -g (1 - 2/2) */
  NEAR(s.state->v[0], 0, 0, 1e-9);
  NEAR(s.state->q[1], .1 - .5 * s.state->q[0], 0, 1e-9);
  NEAR(wrench(&s, 0)->moment.x, 2 * g0, 1e-6, 0);
  test_end(&s);
}

static const sup_region x_min = {SUP_REGION_HALF_SPACE, {0}, {0}, {1, 0, 0}, 1e-9, {0}};

/** A bar of 5 x 2 x 2 bricks, held by a clamp or welded to the world. */
static void add_cantilever(test_scene *s, joints *j, bool is_welded) {
  sup_soft_def *d =
      test_add_soft_box(s, "bar", .1, .02, .02, 5, 2, 2, SUP_PATTERN_HEX, 1e6, .3, 1000);
  d->material.stiffness_damping = 2e-3;
  if (!is_welded) {
    d->num_clamps = 1, d->clamps = (sup_region *)&x_min;
    return;
  }
  sup_constraint_def *c = join(s, j, SUP_CONSTRAINT_WELD, "world", "bar");
  c->has_region_b = 1, c->region_b = x_min;
}

/* A welded region is a clamp: places and force, in motion and in equilibrium; momentum is what is
 * left of the weight. */
static void a_welded_region_is_a_clamp(void) {
  double x[2][3 * 54];
  sup_v3 force[2], moment[2];
  for (int is_static = 0; is_static < 2; is_static++) {
    for (int k = 0; k < 2; k++) {
      test_scene s;
      joints     j;
      test_scene_init(&s);
      add_cantilever(&s, &j, k);
      s.options.dt = 2e-3, s.options.tolerance = 1e-10;
      test_start(&s);
      if (is_static) test_static(&s, 2);
      for (int i = 0; i < 50 && !is_static; i++) test_step(&s);
      const sup_step_result *r = sup_stepper_result(s.stepper);
      CHECK(s.model->num_vertices == 54);
      memcpy(x[k], s.state->x, sizeof x[k]);
      const sup_wrench *w = k ? &r->constraint_wrench[0] : &r->reaction[0];
      force[k] = w->force, moment[k] = w->moment;
      test_end(&s);
    }
    double off = 0, way = 0;
    for (int a = 0; a < 3 * 54; a++) off = fmax(off, fabs(x[1][a] - x[0][a]));
    way = fabs(x[0][3 * 53 + 2] - .02);
    printf("%.3g of %.3g m, %.8g of %.8g N; ", off, way, force[1].z, force[0].z);
    CHECK(off < (is_static ? 1e-4 : 1e-5) * way);
    NEAR(force[1].z, force[0].z, 1e-5, 0);
    NEAR(moment[1].y, moment[0].y, 1e-5, 0);
  }
}

/* Bodies leave with their momentum; what begins later keeps the places of that moment, and the two
 * move on together. */
static void events_begin_and_end_constraints(void) {
  test_scene s;
  joints     j;
  test_scene_init(&s);
  add_bar(&s, "a", 1, .1, 0, 0, 0);
  add_bar(&s, "b", 3, .1, 0, .5, 0)->v0[5] = 2;
  join(&s, &j, SUP_CONSTRAINT_WELD, "world", "a")->until =
      (sup_event_def){.kind = SUP_EVENT_TIME, .time = .02};
  join(&s, &j, SUP_CONSTRAINT_WELD, "a", "b")->from =
      (sup_event_def){.kind = SUP_EVENT_TIME, .time = .04};
  s.options.dt = 1e-3, s.options.tolerance = 1e-12;
  test_start(&s);
  for (int i = 0; i < 100; i++) {
    if (i == 20) s.state->event[0].fired = s.state->time;
    if (i == 40) {
      sup_event_state before[2] = {s.state->event[0], s.state->event[1]};
      s.state->event[1].fired = s.state->time;
      sup_constraints_begin(s.model, before, sup_stepper_result(s.stepper)->X_WL, s.state);
    }
    test_step(&s);
    if (i < 20) NEAR(wrench(&s, 0)->force.z, g0, ldexp(1, -i - 2), 1e-9);
    if (i == 39) NEAR(s.state->v[5], -g0 * .02, 1e-6, 0);
    if (i >= 40) { /* weights 1 and 3 from 0.02 s and from the start */
      double t = s.state->time, v = (1 * -g0 * (t - .02) + 3 * (2 - g0 * t)) / 4;
      NEAR((s.state->v[5] + 3 * s.state->v[11]) / 4, v, 1e-9, 0);
      NEAR(s.state->v[11], s.state->v[5], ldexp(1e-4, 40 - i), 1e-9);
    }
    if (i >= 42) CHECK(gap(&s, 1) < 1e-6);
  }
  NEAR(wrench(&s, 1)->force.z, 0, 0, 1e-6);
  test_end(&s);
}

/* A point of a soft body on a rigid one: one force, the moment of the pair to round-off. */
static void soft_and_rigid_bodies_share_a_point(void) {
  test_scene s;
  joints     j;
  test_scene_init(&s);
  add_cantilever(&s, &j, 0);
  s.soft[0].num_clamps = 0;
  add_bar(&s, "weight", .05, .05, .2, .01, 0);
  join(&s, &j, SUP_CONSTRAINT_BALL, "bar", "weight")->point_b[0] = -.1 - 1e-3;
  s.options.gravity[2] = 0, s.options.dt = 1e-3, s.options.tolerance = 1e-12;
  s.link[0][0].v0[5] = 1, s.link[0][0].v0[0] = 3;
  test_start(&s);
  for (int i = 0; i < 200; i++) test_step(&s);
  sup_v3            p = {0, 0, 0}, rigid = sup_stepper_result(s.stepper)->link_v[0];
  SUP_FREED double *m = NULL;
  OK(SUP_CALLOC(m, 3 * s.model->num_vertices));
  sup_fem_mass_multiply(s.model->soft[0].fem, s.state->xdot, m);
  for (int a = 0; a < s.model->num_vertices; a++) p = sup_v3_add(p, sup_v3_load(m + 3 * a));
  NEAR(sup_v3_norm(sup_v3_sub(sup_v3_madd(p, .05, rigid), (sup_v3){0, 0, .05})), 0, 0, 1e-10);
  CHECK(gap(&s, 0) < 1e-6);
  test_end(&s);
}

/* Nine welds of a gram hold a ton: nearly one rigid arm. */
static void light_links_carry_heavy_ones(void) {
  test_scene s;
  joints     j;
  test_scene_init(&s);
  s.def.num_constraints = 0;
  for (int i = 0; i < 5; i++) {
    char name[8];
    snprintf(name, sizeof name, "%d", i);
    add_bar(&s, name, i == 4 ? 1000 : 1e-3, .1, .1 * i, 0, 0);
    join(&s, &j, SUP_CONSTRAINT_WELD, i == 0 ? "world" : s.tree[i - 1].name, name);
  }
  s.options.dt = 1e-3, s.options.tolerance = 1e-10;
  test_start(&s);
  for (int i = 0; i < 200; i++) test_step(&s);
  printf("tip lower by %.3g m, %.6g N ", -s.state->q[7 * 4 + 2], wrench(&s, 0)->force.z);
  NEAR(s.state->q[7 * 4 + 2], 0, 0, .01);
  NEAR(wrench(&s, 0)->force.z, 1000.004 * g0, 1e-3, 0);
  test_end(&s);
}

/* Prescribed motions are followed: vertices of a moving hold, a base that turns. */
static void prescribed_motions_are_followed(void) {
  static double turn[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20}, time[] = {0, 1};
  for (int k = 0; k < 2; k++) {
    test_scene s;
    joints     j;
    test_scene_init(&s);
    s.def.num_constraints = 0;
    sup_dirichlet_def hold = sup_default_dirichlet_def();
    if (k == 0) { /* the bar's end goes up by 1 m/s */
      static double rise[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
      add_cantilever(&s, &j, 0);
      s.soft[0].num_clamps = 0;
      hold.region = x_min, hold.axes = SUP_AXIS_ALL, hold.motion = (sup_table){2, 6, time, rise};
      s.soft[0].num_dirichlet = 1, s.soft[0].dirichlet = &hold;
      add_bar(&s, "weight", .01, .05, -.05, .01, 0);
      sup_constraint_def *c = join(&s, &j, SUP_CONSTRAINT_BALL, "bar", "weight");
      c->point_b[0] = .05, c->point_b[1] = .01;
    } else { /* a turntable of 20 rad/s with a mass at .3 m */
      sup_tree_def *base = test_add_tree(&s, "table", 1);
      base->links[0].joint = SUP_JOINT_FIXED;
      base->motion = (sup_table){2, 6, time, turn};
      add_bar(&s, "mass", 1, .05, .3, 0, 0);
      join(&s, &j, SUP_CONSTRAINT_WELD, "table/link0", "mass");
    }
    s.options.gravity[2] = 0, s.options.dt = 5e-3, s.options.tolerance = 1e-10;
    test_start(&s);
    double worst = 0;
    for (int i = 0; i < 50; i++) {
      test_step(&s);
      if (i > 5) worst = fmax(worst, gap(&s, 0));
    }
    printf("gap %.2g m, %.6g N; ", worst, sup_v3_norm(wrench(&s, 0)->force));
    CHECK(worst < 1e-3); /* 10 mm, 3 mm where the motion counts twice or its turn not at all */
    if (k == 1) NEAR(sup_v3_norm(wrench(&s, 0)->force), 20 * 20 * .3, 5e-3, 0);
    test_end(&s);
  }
}

/* A loop of hinges about one axis: three directions of its last one are kept by the others; a weld
 * beside another has all six. */
static void rows_that_others_keep_are_told(void) {
  check_run(
      "run tests/data/constraints/hand.yaml -o FOLDER/constraint_twice --set time.end=2ms --set "
      "'constraints.pin={type: weld, bodies: [world, weight]}' --set 'constraints.two={type: "
      "weld, bodies: [world, weight]}'",
      0, "constraint 'two': 6 of its directions are kept");
  check_run("run examples/linkage_gripper.yaml -o FOLDER/constraint_loop --set time.end=5ms", 0,
            "constraint 'right_pin': 3 of its directions are kept");
}

static void what_is_no_constraint_is_refused(void) {
  static const struct {
    const char *set, *message;
  } wrong[] = {{"constraints.pivot.type=slider", "type"},
               {"constraints.pivot.bodies=[beam, beam]", "joins 'beam' to itself"},
               {"constraints.pivot.bodies=[world, bar]", "'bar' is soft and has no axis"},
               {"constraints.pivot.axis=[0, 0, 0]", "its axis has no direction"},
               {"constraints.pivot.length=1 m", "a hinge has no key 'length'"},
               {"constraints.grip.bodies=[bar, beam]", "'beam' is rigid"},
               {"constraints.lead.points=[[0, 0, 0]]", "must be a list of two"},
               {"constraints.lead.damping=1 N s/m", "a damping goes with a stiffness"},
               {"constraints.lead.bodies=[beam, wieght]", "did you mean 'weight'"},
               {"constraints.lead.type=rod", "its length is 0.15 m, but its points are"},
               {"constraints.lead.length=10 cm", "its length is 0.1 m, but its points are"},
               {"constraints.grip.point=[0, 0, 0]", "has one of the keys point and region"},
               {"constraints.grip={type: ball, bodies: [bar, bar]}", "joins 'bar' to itself"},
               {"rigid.beam.fixed=true", "constraint 'pivot': both sides are fixed"},
               {"constraints.grip.bodies=[beam, world]", "world"},
               {"constraints.again.until={at: 0.05 s}", "must be later"},
               {"time.scheme=bdf2", "the time scheme bdf2: the scene has the constraint 'pivot'"}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    char command[512];
    snprintf(command, sizeof command,
             "run tests/data/constraints/hand.yaml -o FOLDER/constraint_no --set '%s'",
             wrong[k].set);
    check_run(command, 2, wrong[k].message);
  }
}

/* Solvers of impulses with a rope that goes slack, from the impulse of the step before. */
static void ropes_go_slack_with_solvers_of_impulses(void) {
  check_run(
      "run tests/data/constraints/hand.yaml -q -o FOLDER/constraint_slack --set "
      "contact.solver=ncp_pgs --set rigid.weight.velocity=[0,0,2] --set 'constraints.pivot={type: "
      "weld, bodies: [world, beam]}' --set 'contact.pairs=[{bodies: [beam, weight], enabled: "
      "false}]'",
      0, "");
}

/* A resumed run goes on with the same bits, and any number of threads has those of one. */
static void resumed_and_threaded_runs_have_the_same_bits(void) {
  static const char run[] =
      "run tests/data/constraints/hand.yaml -q --set output.checkpoint.every=0.02 ";
  static const char *const rest[] = {"-o FOLDER/hand_straight",
                                     "-o FOLDER/hand_half --set time.end=0.12",
                                     "-o FOLDER/hand_threads --set solver.threads=2"};
  char                     command[512], *data[3];
  for (int k = 0; k < 3; k++) {
    snprintf(command, sizeof command, "%s%s", run, rest[k]);
    check_run(command, 0, "");
  }
  check_run("run --resume FOLDER/hand_half -q --set time.end=0.2", 0, "");
  static const char *const folder[] = {"hand_straight", "hand_half", "hand_threads"};
  for (int k = 0; k < 3; k++) data[k] = app_read_file(folder[k], "history.csv");
  CHECK(strstr(data[0], "constraint.grip.force") && strcmp(data[0], data[1]) == 0);
  CHECK(strcmp(data[0], data[2]) == 0);
  for (int k = 0; k < 3; k++) SUP_FREE(data[k]);
  CHECK(system(app_arguments("rm -rf FOLDER/hand_*")) == 0);
}

/* A pin on the axis of the joint between its links keeps nothing that the joint leaves; one beside
 * the axis, or a weld, stops the joint. */
static void ends_that_move_alike_are_free(void) {
  static const struct {
    const char *set[2];
    int         is_free;
  } c[] = {
      {{"constraints.pin.point=[0,0,0]", NULL}, 1},
      {{"constraints.pin.type=hinge", "constraints.pin.axis=[.6,0,.8]"}, 1},
      {{"constraints.pin.point=[1e-12,0,0]", NULL}, 1},
      {{"constraints.pin.point=[1e-10,0,0]", NULL}, 1},
      {{"constraints.pin={type: rod, bodies: [r/arm, r/tip], points: [[0,0,0],[0,0,0]]}", NULL}, 1},
      {{"constraints.pin={type: rope, bodies: [r/arm, r/tip], points: [[0,0,0],[0,0,0]]}", NULL},
       1},
      {{"constraints.pin={type: ball, bodies: [world, r/arm], point: [0,0,0]}",
        "robots.r.pose={position: [12.3,4.56,7.8], rpy: [.3,.4,.5]}"},
       1},
      {{"constraints.pin={type: hinge, bodies: [world, r/arm], point: [0,0,0], axis: "
        "[0.267261241912424, 0.534522483824849, 0.801783725737273]}",
        NULL},
       1},
      {{"constraints.pin={type: ball, bodies: [r/base, r/arm], point: [0.0267261241912424, "
        "0.0534522483824849, 0.0801783725737273]}",
        NULL},
       1},
      {{"constraints.pin={type: ball, bodies: [world, r/arm], point: [0.1, 0, 0]}", NULL}, 2},
      {{"constraints.pin.point=[1e-6,0,0]", NULL}, 0},
      {{"constraints.pin.type=weld", NULL}, 0}};
  for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
    sup_scene *scene = NULL;
    test_scene s;
    double     turned = 0, swung = 0, fastest = 0;
    test_scene_init(&s);
    OK(sup_scene_load(&scene, "tests/data/constraints/pin.yaml", c[k].set, c[k].set[1] ? 2 : 1));
    s.def = scene->model, s.options = scene->options;
    test_start(&s);
    for (int i = 0; i < 150; i++) {
      test_step(&s);
      turned = fmax(turned, fabs(s.state->q[1])), fastest = fmax(fastest, fabs(s.state->v[0]));
      swung = fmax(swung, fabs(s.state->q[0]));
    }
    CHECK(c[k].is_free ? turned > .1 : turned < 1e-3);     /* [rad] */
    CHECK(c[k].is_free == 2 ? swung < 1e-3 : swung > .01); /* the first joint is held */
    CHECK(fastest < 20);                                   /* [rad/s] */
    test_end(&s);
    sup_scene_destroy(&scene);
  }
}

SUITE_TESTS(constraints, TEST(ends_that_move_alike_are_free),
            TEST(a_chain_in_flight_keeps_its_momentum), TEST(a_pendulum_swings_on_without_drift),
            TEST(gaps_are_small_beside_what_the_force_moves), TEST(a_four_bar_closes),
            TEST(a_soft_coupler_closes_a_four_bar), TEST(rods_and_ropes_have_their_length),
            TEST(joints_of_two_robots_are_coupled), TEST(a_welded_region_is_a_clamp),
            TEST(events_begin_and_end_constraints), TEST(soft_and_rigid_bodies_share_a_point),
            TEST(light_links_carry_heavy_ones), TEST(prescribed_motions_are_followed),
            TEST(rows_that_others_keep_are_told), TEST(ropes_go_slack_with_solvers_of_impulses),
            TEST(what_is_no_constraint_is_refused),
            TEST(resumed_and_threaded_runs_have_the_same_bits));
