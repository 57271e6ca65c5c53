/* Sheaves of cables (THEORY 4.10): tangents and arcs with their derivatives, belts, machines. */
#include "app/app_test.h"
#include "cable_test.h"
#include "step/equations.h"
#include "step/static/modes.h"

static const double pi = 3.14159265358979323846;

static void add_sheave(sup_cable_def *c, const char *body, sup_v3 x, double radius, double turn) {
  add_point(c, body, x.x, x.y, x.z);
  c->points[c->num_points - 1].radius = radius, c->points[c->num_points - 1].axis[1] = turn;
}

enum { NODES = 4 };
/** Cable about two sheaves in a plane. */
typedef struct path {
  sup_cable        cable;
  sup_cable_sheave sheave[NODES];
  sup_body_point   point[NODES];
  sup_v3           u, v, n; /* the plane's, and across it */
  sup_cable_leg    leg[NODES];
} path;

static sup_v3 in_plane(const path *p, double x, double y) {
  return sup_v3_madd(sup_v3_scale(x, p->u), y, p->v);
}

/** Path through x [NODES x 2] about sheaves of the radii r1, r2 with their senses. */
static void make_path(path *p, const double *x, double r1, double r2, int strands) {
  *p = (path){.n = sup_v3_scale(1. / 3, sup_v3_make(1, 2, 2))};
  p->u = sup_v3_scale(1. / 3, sup_v3_make(2, 1, -2)), p->v = sup_v3_cross(p->n, p->u);
  p->cable = (sup_cable){.num_points = NODES, .num_strands = strands};
  p->cable.length0 = 1, p->cable.point = p->point, p->cable.sheave = p->sheave;
  for (int i = 0; i < NODES; i++) {
    double r = i == 1 ? r1 : i == 2 ? r2 : 0;
    p->point[i] = (sup_body_point){.body = SUP_NONE, .point = in_plane(p, x[2 * i], x[2 * i + 1])};
    if (r != 0)
      p->sheave[i] = (sup_cable_sheave){fabs(r), sup_v3_scale(r > 0 ? 1 : -1, p->n),
                                        in_plane(p, 0, r > 0 ? -1 : 1), -pi / 2};
  }
}

static double measure(path *p) {
  double sum = 0;
  int    num = sup_cable_legs_at(&p->cable, 0, NULL, NULL, p->leg);
  CHECK(num == NODES - 1);
  for (int i = 0; i < num; i++) sum += p->leg[i].length + p->leg[i].arc;
  NEAR(sum, sup_cable_length(&p->cable, NULL, NULL), 1e-15, 0);
  return sum;
}

/* Tangents fixed to their sheaves have the derivatives of the length, of first and second order, as
 * points move and as sheaves turn; no net force and moment. */
static void lengths_have_their_derivatives(void) {
  static const double x[] = {-1, .1, -.3, .3, .5, -.2, 1.2, .4};
  const double        h = 1e-6;
  path                p, moved;
  sup_v3              sum = {0, 0, 0}, moment = {0, 0, 0};
  make_path(&p, x, -.25, .15, 1);
  measure(&p), moved = p;
  moved.cable.point = moved.point, moved.cable.sheave = moved.sheave;
  CHECK(p.leg[1].wrap > .5 && p.leg[2].wrap > .5);
  for (int i = 0; i < NODES; i++) {
    sup_v3 zero = {0, 0, 0}, keep = p.point[i].point;
    sup_v3 g = sup_v3_sub(i > 0 ? p.leg[i - 1].t : zero, i < NODES - 1 ? p.leg[i].t : zero);
    for (int k = 0; k < 3; k++) {
      sup_v3 d = k == 0 ? p.u : k == 1 ? p.v : p.n;
      moved.point[i].point = sup_v3_madd(keep, -h, d);
      double down = measure(&moved);
      moved.point[i].point = sup_v3_madd(keep, h, d);
      double up = measure(&moved);
      moved.point[i].point = keep;
      NEAR(sup_v3_dot(g, d), (up - down) / (2 * h), 0, 1e-9);
      for (int e = i > 0 ? i - 1 : 0; e <= i && e < NODES - 1 && k < 2; e++) {
        const sup_cable_leg *l = &p.leg[e];
        sup_v3 across = sup_v3_madd(d, -sup_v3_dot(d, l->t), l->t), t = moved.leg[e].t;
        t = sup_v3_madd(sup_v3_sub(t, l->t), (e == i ? h : -h) / l->length, across);
        NEAR(sup_v3_norm(t), 0, 0, 1e-11);
      }
    }
  }
  for (int e = 0; e < NODES - 1; e++) {
    sup_v3 t = p.leg[e].t;
    sum = sup_v3_sub(sum, sup_v3_sub(t, t));
    moment = sup_v3_add(moment, sup_v3_cross(sup_v3_sub(p.leg[e].end[1], p.leg[e].end[0]), t));
  }
  NEAR(sup_v3_norm(sum) + sup_v3_norm(moment), 0, 0, 1e-15);
  make_path(&p, x, -.25, .15, NODES - 1);
  measure(&p), make_path(&moved, x, -.25, .15, NODES - 1);
  moved.sheave[1].mark = in_plane(&p, sin(.1), cos(.1)); /* by .1 about -n */
  NEAR(measure(&moved), measure(&p), 1e-15, 0);
  NEAR(moved.leg[0].arc - p.leg[0].arc, .1 * .25, 1e-12, 0);
  NEAR(moved.leg[1].arc - p.leg[1].arc, -.1 * .25, 1e-12, 0);
}

/* Open and crossed belts of two pulleys. */
static void belts_have_their_length(void) {
  for (int is_crossed = 0; is_crossed < 2; is_crossed++) {
    double r1 = .3, r2 = is_crossed ? -.1 : .1, b = acos(r1 - r2), c = .5 * cos(b), s = .5 * sin(b);
    double x[] = {.5 + (r1 + r2) * c, (r1 + r2) * s, 0, 0, 1, 0, 0, 0};
    path   p;
    x[6] = x[0], x[7] = x[1];
    make_path(&p, x, r1, r2, 1);
    double wraps = r1 * (2 * pi - 2 * b) + fabs(r2) * (is_crossed ? 2 * pi - 2 * b : 2 * b);
    NEAR(measure(&p), 2 * sin(b) + wraps, 1e-14, 0);
  }
}

/* Two masses over a wheel: without friction it stands, with friction its inertia turns along. */
static void a_wheel_turns_by_friction(void) {
  for (int k = 0; k < 2; k++) {
    test_scene   s;
    lines        l = {.num = 0};
    const double m = 1, M = 3, r = .1, I = .01, a = (M - m) * g0 / (M + m + k * I / (r * r));
    test_scene_init(&s);
    add_ball(&s, "light", m, -.6)->q0[0] = -r, add_ball(&s, "heavy", M, -.6)->q0[0] = r;
    add_drum(&s, I);
    sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_LENGTH);
    c->stiffness = 1e6, c->friction = k;
    add_point(c, "light", 0, 0, 0), add_sheave(c, "drum/link0", (sup_v3){0, 0, 0}, r, 1);
    add_point(c, "heavy", 0, 0, 0);
    s.options.dt = 1e-3;
    test_start(&s);
    for (int step = 0; step < 200; step++) test_step(&s);
    NEAR(s.state->v[11], -a * .2, 1e-6, 0);
    NEAR(s.state->v[12], k * a * .2 / r, 1e-6, 1e-12);
    NEAR(s.state->strand[0].tension, m * (g0 + a), 1e-6, 0);
    NEAR(s.state->strand[k].tension, M * (g0 - a), 1e-6, 0);
    test_end(&s);
  }
}

/* Two and three ropes carry a block: in equilibrium, at rest, and with a mass that is too heavy. */
static void a_tackle_has_its_advantage(void) {
  for (int k = 0; k < 6; k++) {
    test_scene   s;
    lines        l = {.num = 0};
    int          n = 2 + k / 3;
    const double M = 1.2, m = M / n * (k % 3 == 2 ? 1.5 : 1), r = 50 * mm;
    test_scene_init(&s);
    add_ball(&s, "block", M, -1)->q0[0] = n == 2 ? 0 : -2 * r / 3;
    if (k % 3) add_ball(&s, "pull", m, -.6)->q0[0] = 3 * r;
    sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_LENGTH);
    c->stiffness = k % 3 ? 0 : 1e9;
    if (n == 2) add_point(c, "world", -r, 0, 0);
    if (n == 3) {
      add_point(c, "block", -4 * r / 3, 0, .1);
      add_sheave(c, "world", (sup_v3){-2 * r + r / 2, 0, 0}, r / 2, 1);
    }
    add_sheave(c, "block", (sup_v3){n == 2 ? 0 : 2 * r / 3, 0, 0}, r, -1);
    add_sheave(c, "world", (sup_v3){2 * r, 0, 0}, r, 1),
        add_point(c, k % 3 ? "pull" : "world", k % 3 ? 0 : 3 * r, 0, k % 3 ? 0 : -1);
    s.options.dt = 1e-3;
    test_start(&s);
    double a = (n * m - M) * g0 / (M + n * n * m);
    if (k % 3 == 0)
      test_static(&s, 1);
    else
      for (int step = 0; step < 100; step++) test_step(&s);
    NEAR(s.state->strand[0].tension, m * (g0 - n * a), 1e-8, 0);
    NEAR(s.state->v[5], k % 3 ? a * .1 : 0, 1e-8, 1e-9);
    if (k % 3) NEAR(s.state->v[11], k % 3 ? -n * a * .1 : 0, 1e-8, 1e-9);
    test_end(&s);
  }
}

/* A tendon about a hinge has the radius as its lever at all angles, in equilibrium and as it swings
 * about it. */
static void a_tendon_has_its_lever(void) {
  test_scene         s;
  lines              l = {.num = 0};
  sup_modes          modes;
  sup_static_options o = sup_default_static_options();
  const double       m = 1, com = .1, r = 20 * mm, I = .02, T = 24.525;
  test_scene_init(&s);
  sup_link_def *arm = add_drum(&s, I);
  arm->com[0] = com, arm->q0[0] = .7;
  sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_TENSION);
  c->tension = T;
  add_point(c, "world", -.1, 0, r), add_sheave(c, "world", (sup_v3){0, 0, 0}, r, 1);
  add_point(c, "drum/link0", .1, 0, r);
  test_start(&s);
  test_static(&s, 1);
  double angle = acos(T * r / (m * g0 * com));
  NEAR(s.state->q[0], angle, 1e-8, 0);
  OK(sup_modes_find(sup_stepper_layout(s.stepper), s.state, &o, 1, 1, &modes));
  NEAR(modes.mode[0].omega2, m * g0 * com * sin(angle) / (I + m * com * com), 1e-6, 0);
  sup_modes_free(&modes);
  test_end(&s);
}

/* A cable leaves a sheave with its length and force, is straight as far away as it may be, and
 * comes back. */
static void a_cable_leaves_its_sheave(void) {
  test_scene s;
  lines      l = {.num = 0};
  sup_frame  X[4];
  test_scene_init(&s);
  add_ball(&s, "wheel", 1, -.09);
  sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_LENGTH);
  add_point(c, "world", -1, 0, 0), add_sheave(c, "wheel", (sup_v3){0, 0, 0}, .1, 1);
  add_point(c, "world", 1, 0, 0);
  test_start(&s);
  const sup_cable *cable = &s.model->cable[0];
  CHECK(s.model->num_bodies <= 4 && cable->length0 > 2);
  for (int i = 0; i < 4; i++) X[i] = sup_frame_identity();
  static const double gap[] = {-1e-4, -1e-7, 0, 1e-7, 1e-4, 1, 50};
  for (int i = 0; i < 7; i++) {
    sup_cable_leg leg[2];
    double        e = fmax(-gap[i], 0);
    X[cable->point[1].body].p.z = -.1 - gap[i];
    int    num = sup_cable_legs_at(cable, 0, X, NULL, leg);
    double L = sup_cable_length(cable, X, NULL);
    CHECK(num == (gap[i] < 0 ? 2 : 1) || gap[i] == 0);
    NEAR(L - 2, e * e, 1e-3, 1e-15); /* 2 sqrt(1 + e^2) to second order */
    if (num == 2) NEAR(leg[1].t.z - leg[0].t.z, -2 * e, 1e-3, 1e-8);
  }
  test_end(&s);
}

/* Three free bodies on one elastic cable, of which the middle one is thrown off: neither momentum
 * comes from the cable, and energy is lost by the step alone. */
static void sheaves_give_no_momentum(void) {
  double left[2], spin[2], start = 0;
  for (int k = 0; k < 2; k++) {
    test_scene s;
    lines      l = {.num = 0};
    sup_v3     p = {0, 0, 0}, turn = {0, 0, 0};
    int        is_off = 0;
    double     v = 0, energy = 0;
    test_scene_init(&s);
    sup_link_def *body[] = {add_ball(&s, "a", 1, 0), add_ball(&s, "wheel", 2, 0),
                            add_ball(&s, "b", 1, 0)};
    body[0]->q0[0] = -.5, body[2]->q0[0] = .6;
    for (int i = 0; i < 3; i++)
      body[i]->inertia[0] = body[i]->inertia[1] = body[i]->inertia[2] = .1;
    sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_LENGTH);
    add_point(c, "a", 0, 0, 0), add_sheave(c, "wheel", (sup_v3){.01, 0, 0}, .1, 1);
    add_point(c, "b", .02, 0, .01);
    c->stiffness = 100, c->length = -.1;
    s.options.gravity[2] = 0, s.options.dt = k ? 1e-3 : 2e-3;
    test_start(&s);
    for (int step = 0; step < (k ? 1200 : 600); step++) {
      test_step(&s);
      sup_cable_leg leg[2];
      const double *w = s.state->v, *q = s.state->q;
      double        kinetic = 0;
      sup_frame     X[4];
      for (int i = 0; i < 3; i++) {
        sup_pose pose = {{q[7 * i], q[7 * i + 1], q[7 * i + 2]},
                         {q[7 * i + 3], q[7 * i + 4], q[7 * i + 5], q[7 * i + 6]}};
        X[sup_model_find_body(s.model, i == 0   ? "a"
                                       : i == 1 ? "wheel"
                                                : "b")] = sup_frame_from_pose(&pose);
      }
      is_off += sup_cable_legs_at(s.model->cable, 0, X, NULL, leg) == 1;
      p = turn = (sup_v3){0, 0, 0};
      for (int i = 0; i < 3; i++, w += 6, q += 7) {
        double m = i == 1 ? 2 : 1;
        sup_v3 mv = sup_v3_scale(m, sup_v3_load(w + 3)), own = sup_v3_scale(.1, sup_v3_load(w));
        p = sup_v3_add(p, mv);
        turn = sup_v3_add(turn, sup_v3_add(own, sup_v3_cross(sup_v3_load(q), mv)));
        kinetic += .5 * sup_v3_dot(mv, mv) / m + .5 * sup_v3_dot(own, own) / .1;
      }
      v = sup_v3_norm(p),
      energy = kinetic + sup_cable_stored(s.model->cable, s.state->strand, X, NULL);
      CHECK(v < 1e-12);
    }
    CHECK(is_off > 200 && is_off < 600);
    start = .5 * 100 * .1 * .1 / (s.model->cable->length0 - .1), spin[k] = sup_v3_norm(turn);
    left[k] = energy;
    test_end(&s);
  }
  NEAR(2 * left[1] - left[0], start, 1e-3, 0);
  NEAR(2 * spin[1] - spin[0], 0, 0, 3e-8);
  CHECK(spin[0] < 1e-6);
}

/* Pulled over half a sheave, a tension falls by exp(mu theta) and pays out with the reverse. */
static void a_sheave_takes_its_capstan_share(void) {
  test_scene   s;
  lines        l = {.num = 0};
  double       time[] = {0, .6, 1.2}, pull[] = {0, 10, 1};
  const double mu = .2;
  int          slips = 0, backs = 0;
  test_scene_init(&s);
  sup_link_def   *ball = add_ball(&s, "ball", .1, -.2);
  sup_spring_def *spring = test_add_spring(&s, "world", "ball", 100);
  ball->q0[0] = spring->point_a[0] = -.1, spring->point_a[2] = -.2;
  for (int k = 0; k < 3; k++) spring->stiffness[k] = 100, spring->damping[k] = 20;
  sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_TENSION);
  c->friction = mu, c->stiffness = 1e5, c->schedule = (sup_table){3, 1, time, pull};
  add_point(c, "world", .1, 0, -.2), add_sheave(c, "world", (sup_v3){0, 0, 0}, .1, -1);
  add_point(c, "ball", 0, 0, 0);
  s.options.gravity[2] = 0, s.options.dt = 2e-3, s.options.tolerance = 1e-11;
  test_start(&s);
  for (int step = 0; step < 600; step++) {
    test_step(&s);
    double share = log(s.state->strand[0].tension / s.state->strand[1].tension) / (mu * pi);
    CHECK(fabs(share) < 1 + 1e-6);
    slips += fabs(share - 1) < 1e-6, backs += fabs(share + 1) < 1e-6;
  }
  CHECK(slips > 250 && backs > 20);
  test_end(&s);
}

/* A wheel on an axle that a soft finger carries, far from the axle's origin, whose forces on
 * attached vertices turn with it: equilibria up to .8 of Euler's load. */
static void a_finger_carries_a_wheel(void) {
  test_scene s;
  lines      l = {.num = 0};
  sup_region foot = {SUP_REGION_HALF_SPACE, {0}, {0}, {0, 0, 1}, 1e-6, {0}};
  sup_region top = {SUP_REGION_HALF_SPACE, {0}, {0}, {0, 0, -1}, -.1 + 1e-6, {0}};
  test_scene_init(&s);
  add_ball(&s, "axle", 1e-3, 0);
  sup_soft_def *d = test_add_soft_box(&s, "finger", 10 * mm, 10 * mm, 100 * mm, 4, 4, 20,
                                      SUP_PATTERN_HEX, 1e6, .3, 1100);
  d->material.model = SUP_MATERIAL_COROTATIONAL;
  d->num_clamps = 1, d->clamps = &foot;
  test_attach(&s, 0, "axle", top);
  sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_TENSION);
  c->tension = .3;
  add_point(c, "world", -8 * mm, 5 * mm, -10 * mm);
  add_sheave(c, "axle", (sup_v3){5 * mm, 5 * mm, 95 * mm}, 13 * mm, 1);
  add_point(c, "world", 18 * mm, 5 * mm, -10 * mm);
  s.options.gravity[2] = 0;
  test_start(&s);
  test_static(&s, 10);
  NEAR(s.state->q[2], -2 * .3 * .1 / (1e6 * 1e-4), .02, 0); /* 2 T L/(E A) */
  CHECK(fabs(s.state->q[0]) < 1e-7 && fabs(s.state->q[1]) < 1e-7);
  test_end(&s);
}

/* Sheaves without a radius, axis, carrier, plane or tangent; in runs, those that friction loses. */
static void what_is_no_sheave_is_refused(void) {
  static const char *const says[] = {"radius of a sheave is -0.1", "is no direction",
                                     "begins and ends at points",  "'bar' is soft",
                                     "leaves the plane",           "is inside the sheave",
                                     "one after another",          "leaves the sheave of point 2"};
  for (int k = 0; k < 8; k++) {
    test_scene s;
    lines      l = {.num = 0};
    test_scene_init(&s);
    add_ball(&s, "ball", .1, -.5);
    test_add_soft_box(&s, "bar", 10 * mm, 10 * mm, 60 * mm, 2, 2, 6, SUP_PATTERN_HEX, 1e6, .3, 1e3);
    sup_cable_def      *c = add_cable(&s, &l, SUP_CABLE_LENGTH);
    sup_cable_point_def many[24];
    if (k == 6) c->points = many;
    if (k != 2) add_point(c, "world", k == 5 ? .11 : -.2, k == 4 ? .04 : 0, 0);
    for (int i = 0; i < (k == 6 ? 17 : 1); i++)
      add_sheave(c, k == 3 ? "bar" : "world",
                 k == 3 ? (sup_v3){5 * mm, 5 * mm, 5 * mm} : (sup_v3){.1 + i, 0, 0},
                 k == 0 ? -.1 : .1,
                 k == 1   ? 0
                 : k == 7 ? -1
                          : 1);
    add_point(c, "ball", 0, 0, 0);
    c->friction = k == 7, c->stiffness = 1e3;
    CHECK(sup_model_create(&s.model, &s.def) != SUP_OK);
    if (!strstr(sup_error_message(), says[k])) printf("%s\n", sup_error_message());
    CHECK(strstr(sup_error_message(), "cable 'line0'") && strstr(sup_error_message(), says[k]));
    sup_mesh_destroy(&s.mesh[0]);
  }
}

/* Frames have a line for each straight way, and on the circle of the sheave those of its arc. */
static void frames_draw_the_arc(void) {
  check_run(
      "run examples/cable_finger.yaml -q -o FOLDER/sheave --set time.end=5ms "
      "--set output.format=ascii",
      0, "");
  char       *text = app_read_file("sheave", "vtk/cables_0000.vtk");
  const char *at = strstr(text, "POINTS ");
  int         num = 0, used = 0, on = 0;
  CHECK(at && sscanf(at, "POINTS %d %*s%n", &num, &used) == 1);
  at += used;
  for (int i = 0; i < num; i++, at += used) {
    double x, y, z;
    CHECK(sscanf(at, "%lf %lf %lf%n", &x, &y, &z, &used) == 3);
    on += fabs(hypot(x - 19 * mm, z + 20 * mm) - 10 * mm) < 1e-8;
  }
  CHECK(on >= 10 && num == on + 7); /* the first point, six eyelets */
  SUP_FREE(text);
  CHECK(system(app_arguments("rm -rf FOLDER/sheave")) == 0);
}

SUITE_TESTS(sheaves, TEST(lengths_have_their_derivatives), TEST(belts_have_their_length),
            TEST(a_wheel_turns_by_friction), TEST(a_tackle_has_its_advantage),
            TEST(a_tendon_has_its_lever), TEST(a_cable_leaves_its_sheave),
            TEST(sheaves_give_no_momentum), TEST(a_sheave_takes_its_capstan_share),
            TEST(a_finger_carries_a_wheel), TEST(what_is_no_sheave_is_refused),
            TEST(frames_draw_the_arc));
