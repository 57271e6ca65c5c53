/* Cables (THEORY 4.10): lengths and their derivatives, slack, winches, rows beside A, closed forms.
 */
#include "app/app_test.h"
#include "cable_test.h"
#include "la/vector.h"
#include "step/equations.h"
#include "step/static/modes.h"

/** Ways through world points x [num_points]; returns the length. */
static double measure(const sup_cable *c, const sup_v3 *x, sup_cable_leg *leg) {
  for (int i = 0; i < c->num_points; i++)
    c->point[i] = (sup_body_point){.body = SUP_NONE, .point = x[i]};
  for (int i = 0; i + 1 < c->num_points; i++) sup_cable_legs_at(c, i, NULL, NULL, &leg[i]);
  return sup_cable_length(c, NULL, NULL);
}

/* Directions are the derivatives of the length, and theirs positive semidefinite; no net force and
 * moment. */
static void length_has_its_derivatives(void) {
  sup_cable_sheave eyelet[5] = {{0}};
  sup_body_point   point[5];
  sup_cable c = {.num_points = 5, .num_strands = 1, .length0 = 1, .sheave = eyelet, .point = point};
  sup_cable_leg leg[4], moved[4];
  sup_v3        x[5], sum = {0, 0, 0}, moment = {0, 0, 0}, zero = {0, 0, 0};
  double       *at = &x[0].x, h = 1e-6;
  for (int a = 0; a < 15; a++) at[a] = sin(1 + 2.3 * a + .2 * a * a);
  measure(&c, x, leg);
  for (int a = 0; a < 15; a++) {
    int    i = a / 3, k = a % 3;
    double g = (i > 0 ? (&leg[i - 1].t.x)[k] : 0) - (i < 4 ? (&leg[i].t.x)[k] : 0), keep = at[a];
    double down = (at[a] = keep - h, measure(&c, x, moved));
    double up = (at[a] = keep + h, measure(&c, x, moved));
    at[a] = keep;
    NEAR(g, (up - down) / (2 * h), 0, 1e-9);
    for (int e = i > 0 ? i - 1 : 0; e <= i && e < 4; e++)
      for (int r = 0; r < 3; r++) {
        const double *t = &leg[e].t.x;
        double        one = (e == i ? -1 : 1) * ((r == k) - t[r] * t[k]) / leg[e].length;
        NEAR((&moved[e].t.x)[r], t[r] + h * one, 0, 1e-11);
      }
  }
  for (int i = 0; i < 5; i++) {
    sup_v3 g = sup_v3_sub(i > 0 ? leg[i - 1].t : zero, i < 4 ? leg[i].t : zero);
    sum = sup_v3_add(sum, g), moment = sup_v3_add(moment, sup_v3_cross(x[i], g));
  }
  NEAR(sup_v3_norm(sum), 0, 0, 1e-15);
  NEAR(sup_v3_norm(moment), 0, 0, 1e-15);
}

/* A ball on a cable hangs with its weight, in equilibrium and at rest; above its length it falls
 * freely; in any unit of length. */
static void a_mass_hangs_with_its_weight_and_flies_when_slack(void) {
  for (int k = 0; k < 4; k++) { /* 0 taut, 1 slack by 10 mm, 2 elastic, 3 kilometres */
    test_scene s;
    lines      l = {.num = 0};
    double     size = k == 3 ? 1e6 : 1;
    test_scene_init(&s);
    add_ball(&s, "ball", .1, -.5 * size);
    sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_LENGTH);
    add_point(c, "world", 0, 0, 0), add_point(c, "ball", 0, 0, 10 * mm);
    c->length = k == 1 ? 10 * mm : 0, c->stiffness = k == 2 ? 50 : 0;
    s.options.dt = 1e-3;
    test_start(&s);
    for (int step = 0; step < 40; step++) {
      test_step(&s);
      if (k != 1) continue;
      NEAR(s.state->strand[0].tension, 0, 0, 0);
      NEAR(s.state->v[5], -g0 * s.state->time, 1e-12, 0);
    }
    if (k == 0 || k == 3) NEAR(s.state->strand[0].tension, .1 * g0, 1e-9, 0);
    if (k == 0) NEAR(s.state->q[2], -.5, 1e-9, 0);
    test_end(&s);
    test_scene_init(&s);
    l = (lines){.num = 0};
    add_ball(&s, "ball", .1, -.5 * size);
    c = add_cable(&s, &l, SUP_CABLE_LENGTH);
    add_point(c, "world", 0, 0, 0), add_point(c, "ball", 0, 0, 10 * mm);
    c->length = k == 1 ? 10 * mm : 0, c->stiffness = k == 2 ? 50 : 0;
    test_start(&s);
    test_static(&s, 2);
    double L = .5 * size - 10 * mm, T = .1 * g0;
    NEAR(s.state->strand[0].tension, T, k == 2 ? 1e-8 : 1e-9, 0);
    NEAR(s.state->q[2], -.5 * size - c->length - (k == 2 ? L * T / 50 : 0), 1e-8, 0);
    test_end(&s);
  }
}

/* Two cables of one path share the weight; a third that is longer is slack. */
static void cables_of_one_path_share_their_tension(void) {
  test_scene s;
  lines      l = {.num = 0};
  test_scene_init(&s);
  add_ball(&s, "ball", .1, -.5);
  for (int i = 0; i < 3; i++) {
    sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_LENGTH);
    add_point(c, "world", 0, 0, 0), add_point(c, "ball", 0, 0, 0);
    c->length = i == 2 ? 10 * mm : 0;
  }
  test_start(&s);
  for (int step = 0; step < 20; step++) test_step(&s);
  NEAR(s.state->strand[0].tension, .05 * g0, 1e-6, 0);
  NEAR(s.state->strand[1].tension, .05 * g0, 1e-6, 0);
  NEAR(s.state->strand[2].tension, 0, 0, 0);
  NEAR(s.state->q[2], -.5, 1e-9, 0);
  test_end(&s);
}

/** Frequencies squared of a ball of 100 g on a cable of 390 mm, in equilibrium. */
static void find_modes(double stiffness, int num, double *omega2) {
  test_scene         s;
  lines              l = {.num = 0};
  sup_modes          modes;
  sup_static_options o = sup_default_static_options();
  test_scene_init(&s);
  sup_link_def *ball = add_ball(&s, "ball", .1, -.4);
  for (int a = 0; a < 3; a++) ball->inertia[a] = 1e-3;
  sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_LENGTH);
  add_point(c, "world", 0, 0, 0), add_point(c, "ball", 0, 0, 10 * mm);
  c->stiffness = stiffness;
  test_start(&s);
  test_static(&s, 2);
  OK(sup_modes_find(sup_stepper_layout(s.stepper), s.state, &o, 1, num, &modes));
  for (int k = 0; k < num; k++)
    omega2[k] = modes.mode[k].omega2, NEAR(modes.mode[k].residual, 0, 0, 1e-6);
  CHECK(modes.below >= num);
  sup_modes_free(&modes);
  test_end(&s);
}

/* A double pendulum in two planes, whose second link of 10 mm is the ball; an elastic cable bounces
 * with k/m, k = EA/L; a given length does not. */
static void a_mass_on_a_cable_has_its_modes(void) {
  double rigid[5], soft[6], m = .1, L = .39, r = .01, I = 1e-3;
  find_modes(0, 5, rigid), find_modes(5e3, 6, soft);
  /* m (L s + r t)'' r + I t'' = -m g r t,  m (L s + r t)'' = -m g s */
  double sum = g0 / L + m * g0 * r * (1 + r / L) / I, product = g0 / L * m * g0 * r / I;
  for (int k = 0; k < 2; k++) {
    double w2 = sum / 2 + (k ? 1 : -1) * sqrt(sum * sum / 4 - product);
    NEAR(rigid[0], 0, 0, 1e-6); /* it spins about the cable */
    NEAR(rigid[1 + 2 * k], w2, 1e-6, 0);
    NEAR(rigid[2 + 2 * k], w2, 1e-6, 0);
    NEAR(soft[1 + 2 * k], w2, 1e-3, 0);
  }
  NEAR(soft[5], 5e3 / L / m, 1e-3, 0);
}

/* A pendulum on a cable swings with its period, also over a fixed eyelet. */
static void a_pendulum_has_its_period(void) {
  for (int k = 0; k < 2; k++) {
    test_scene s;
    lines      l = {.num = 0};
    double     length = .4, last = 0, first = 0, before;
    int        crossings = 0;
    test_scene_init(&s);
    sup_link_def *ball = add_ball(&s, "ball", .1, -length);
    for (int a = 0; a < 3; a++) ball->inertia[a] = 1e-9;
    sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_LENGTH);
    if (k) add_point(c, "world", .2, 0, 0);
    add_point(c, "world", 0, 0, 0), add_point(c, "ball", 0, 0, 0);
    s.options.dt = 5e-4;
    test_start(&s);
    s.state->v[3] = .02, before = s.state->q[0];
    for (int step = 0; crossings < 3 && step < 20000; step++) {
      test_step(&s);
      double now = s.state->q[0];
      if (before < 0 && now >= 0) {
        last = s.state->time - s.options.dt * now / (now - before);
        if (crossings++ == 0) first = last;
      }
      before = now;
    }
    NEAR((last - first) / 2, 2 * acos(-1) * sqrt(length / g0), 1e-3, 0);
    test_end(&s);
  }
}

/* A chain of weights that cables join hangs as a catenary z = a cosh(x/a): two points 0.6 m apart,
 * a line of 1 m, of which links have a second-order error. */
static void a_chain_of_weights_hangs_as_a_catenary(void) {
  enum { LINKS = 16 };
  test_scene s;
  lines     *l;
  double     a = .1, span = .6, length = 1, piece = length / LINKS, m = .02;
  OK(SUP_CALLOC(l, 1));
  for (int k = 0; k < 60; k++) { /* 2 a sinh(span/2a) = length */
    double u = span / (2 * a);
    a -= (2 * a * sinh(u) - length) / (2 * sinh(u) - 2 * u * cosh(u));
  }
  test_scene_init(&s);
  for (int i = 1; i < LINKS; i++) {
    char          name[SUP_NAME_MAX];
    double        along = i * piece - length / 2, x = a * asinh(along / a);
    sup_link_def *ball = (snprintf(name, sizeof name, "ball%d", i), add_ball(&s, name, m, 0));
    ball->q0[0] = x, ball->q0[2] = a * cosh(x / a) - a * cosh(span / (2 * a));
  }
  for (int i = 0; i < LINKS; i++) {
    char           from[SUP_NAME_MAX] = "world", to[SUP_NAME_MAX] = "world";
    sup_cable_def *c = add_cable(&s, l, SUP_CABLE_LENGTH);
    if (i > 0) snprintf(from, sizeof from, "ball%d", i);
    if (i + 1 < LINKS) snprintf(to, sizeof to, "ball%d", i + 1);
    add_point(c, from, i == 0 ? -span / 2 : 0, 0, 0);
    add_point(c, to, i + 1 == LINKS ? span / 2 : 0, 0, 0);
    c->is_added = 0, c->length = piece;
  }
  test_start(&s);
  test_static(&s, 1);
  double sag = 0, H = a * m * g0 / piece; /* T at the lowest point is H = a w */
  for (int i = 1; i < LINKS; i++) sag = fmin(sag, s.state->q[7 * (i - 1) + 2]);
  NEAR(-sag, a * (cosh(span / (2 * a)) - 1), 3e-3, 0);
  double V = m * g0 * (LINKS - 1) / 2, T = s.state->strand[0].tension;
  NEAR(sqrt(T * T - V * V), H, 1e-2, 0);
  test_end(&s);
  SUP_FREE(l);
}

/* A weight unwinds a drum with a = g m/(m + I/r^2); in equilibrium the drum's spring, or its drive,
 * carries m g r. */
static void a_winch_turns_under_the_tension(void) {
  for (int k = 0; k < 3; k++) {
    test_scene   s;
    lines        l = {.num = 0};
    const double m = .1, inertia = 2e-5, r = 20 * mm;
    test_scene_init(&s);
    add_ball(&s, "ball", m, -.5);
    sup_link_def     *drum = add_drum(&s, inertia);
    sup_actuator_def *drive = &s.actuator[0];
    double            time[] = {0, 1}, target[] = {.8, .8};
    if (k == 1) drum->spring = .5;
    if (k == 2) s.def.actuators = drive, s.def.num_actuators = 1;
    *drive = (sup_actuator_def){.marker = SUP_INITIALISED, .kp = .5, .effort = HUGE_VAL};
    snprintf(drive->name, sizeof drive->name, "drive");
    snprintf(drive->joint, sizeof drive->joint, "drum/joint0");
    drive->target = (sup_table){2, 1, time, target};
    sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_LENGTH);
    add_point(c, "world", 0, 0, 0), add_point(c, "ball", 0, 0, 0);
    snprintf(c->winch, sizeof c->winch, "drum/joint0");
    c->radius = r;
    test_start(&s);
    if (k) {
      test_static(&s, 2);
      NEAR(s.state->q[7], (k == 2 ? .8 : 0) - m * g0 * r / .5, 1e-8, 0);
      NEAR(s.state->q[2], -.5 + r * s.state->q[7], 1e-8, 0);
      NEAR(s.state->strand[0].tension, m * g0, 1e-8, 0);
    } else {
      double a = g0 * m / (m + inertia / (r * r));
      for (int step = 0; step < 50; step++) test_step(&s);
      NEAR(s.state->v[5], -a * s.state->time, 1e-8, 0);
      NEAR(s.state->v[6], -a * s.state->time / r, 1e-8, 0);
      NEAR(s.state->strand[0].tension, m * (g0 - a), 1e-8, 0);
    }
    test_end(&s);
  }
}

/** A bar along z of soft cells, kind 0 H8, 1 T10, with a material model. */
static sup_soft_def *add_bar(test_scene *s, int kind, sup_material_model model) {
  sup_soft_def *d = test_add_soft_box(s, "bar", 10 * mm, 10 * mm, 60 * mm, 2, 2, 6,
                                      kind ? SUP_PATTERN_KUHN : SUP_PATTERN_HEX, 1e6, .3, 1100);
  if (kind) test_make_quadratic(s, s->def.num_softs - 1);
  d->material.model = model;
  return d;
}

/* A cable within a free body gives it no momentum, taut and slack, nor turns it. */
static void cables_give_no_momentum(void) {
  for (int k = 0; k < 4; k++) { /* 3: with friction */
    test_scene s;
    lines      l = {.num = 0};
    double     time[] = {0, 20e-3}, added[] = {0, k == 2 ? 1 : -4 * mm};
    test_scene_init(&s);
    sup_soft_def *d =
        add_bar(&s, k == 1, k == 1 ? SUP_MATERIAL_NEO_HOOKEAN : SUP_MATERIAL_COROTATIONAL);
    d->v0[0] = .1;
    sup_cable_def *c = add_cable(&s, &l, k == 2 ? SUP_CABLE_TENSION : SUP_CABLE_LENGTH);
    add_point(c, "bar", 8 * mm, 5 * mm, 1 * mm), add_point(c, "bar", 8 * mm, 6 * mm, 32 * mm);
    add_point(c, "bar", 8 * mm, 2 * mm, 57 * mm);
    c->schedule = (sup_table){2, 1, time, added};
    if (k == 3) c->friction = .3;
    s.options.gravity[2] = 0, s.options.dt = 1e-3, s.options.tolerance = 1e-10;
    test_start(&s);
    sup_v3 before = test_soft_momentum(&s, 0);
    for (int step = 0; step < 20; step++) test_step(&s);
    CHECK(s.state->strand[0].tension > .5);
    NEAR(sup_v3_norm(sup_v3_sub(test_soft_momentum(&s, 0), before)), 0, 0,
         1e-10 * s.state->strand[0].tension * 20e-3);
    test_end(&s);
  }
}

/* A given tension along a bar's axis acts as a force on each end. */
static void a_straight_cable_is_two_point_loads(void) {
  double *x[2];
  for (int k = 0; k < 2; k++) {
    test_scene s;
    lines      l = {.num = 0};
    double     time[] = {0}, force[2][3] = {{0, 0, .5}, {0, 0, -.5}};
    sup_region foot = {SUP_REGION_HALF_SPACE, {0}, {0}, {0, 0, 1}, 11 * mm, {0}};
    test_scene_init(&s);
    sup_soft_def *d = add_bar(&s, 0, SUP_MATERIAL_COROTATIONAL);
    d->num_clamps = 1, d->clamps = &foot;
    s.options.gravity[2] = 0, s.options.tolerance = 1e-11;
    if (k == 0) {
      sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_TENSION);
      add_point(c, "bar", 5 * mm, 5 * mm, 0), add_point(c, "bar", 5 * mm, 5 * mm, 60 * mm);
      c->tension = .5;
    }
    for (int e = 0; e < 2 && k; e++) {
      sup_load_def *f = test_add_force(&s, "bar", 1, time, force[e]);
      f->point[0] = f->point[1] = 5 * mm, f->point[2] = e ? 60 * mm : 0;
    }
    test_start(&s);
    for (int step = 0; step < 10; step++) test_step(&s);
    OK(SUP_CALLOC(x[k], 3 * s.model->num_vertices));
    memcpy(x[k], s.state->x, 3 * (size_t)s.model->num_vertices * sizeof **x);
    for (int a = 0; a < 3 * s.model->num_vertices && k; a++) NEAR(x[0][a], x[1][a], 0, 1e-11);
    test_end(&s);
  }
  SUP_FREE_ALL(&x[0], &x[1]);
}

/* After a step of a nonlinear body the forces balance with the law at the vertices' length, whose
 * gradient is by differences. */
static void a_step_balances_with_the_law(void) {
  test_scene   s;
  lines        l = {.num = 0};
  const double EA = 30, h = 1e-7;
  test_scene_init(&s);
  add_bar(&s, 1, SUP_MATERIAL_NEO_HOOKEAN);
  sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_LENGTH);
  add_point(c, "world", 9 * mm, 5 * mm, -8 * mm);
  add_point(c, "bar", 8 * mm, 5 * mm, 2 * mm), add_point(c, "bar", 8 * mm, 6 * mm, 32 * mm);
  add_point(c, "bar", 8 * mm, 2 * mm, 57 * mm);
  c->stiffness = EA, c->length = -4 * mm;
  s.options.gravity[2] = 0, s.options.dt = 2e-3, s.options.tolerance = 1e-11;
  test_start(&s);
  const sup_soft  *soft = &s.model->soft[0];
  const sup_cable *line = &s.model->cable[0];
  int              n = 3 * soft->num_vertices, inverted;
  double          *v0, *f, *dv, size = 0, error = 0;
  sup_m3          *R;
  OK(SUP_CALLOC(v0, n));
  OK(SUP_CALLOC(f, n));
  OK(SUP_CALLOC(dv, n));
  OK(SUP_CALLOC(R, sup_fem_mesh(soft->fem)->num_cells));
  for (int step = 0; step < 3; step++) {
    memcpy(v0, s.state->xdot, (size_t)n * sizeof *v0);
    test_step(&s);
    double *x = s.state->x, T = s.state->strand[0].tension, L = sup_cable_length(line, NULL, x);
    double  rest = line->length0 - 4 * mm;
    NEAR(T, EA * (L / rest - 1), 1e-6, 0);
    NEAR(sup_cable_energy(line, L, T), .5 * EA * (L - rest) * (L - rest) / rest, 1e-6, 0);
    sup_fem_rotations(soft->fem, x, R, &inverted);
    sup_fem_energy_force(soft->fem, R, x, f);
    for (int i = 0; i < n; i++) dv[i] = s.state->xdot[i] - v0[i];
    sup_fem_mass_multiply(soft->fem, dv, v0);
    for (int i = 0; i < n; i++) {
      double keep = x[i], up, down;
      x[i] = keep + h, up = sup_cable_length(line, NULL, x);
      x[i] = keep - h, down = sup_cable_length(line, NULL, x);
      x[i] = keep;
      double pull = -T * (up - down) / (2 * h);
      size = fmax(size, fabs(pull));
      error = fmax(error, fabs(v0[i] / s.options.dt - f[i] - pull));
    }
  }
  if (!(error < 1e-6 * size)) printf("%g of %g\n", error, size);
  CHECK(error < 1e-6 * size);
  SUP_FREE_ALL(&v0, &f, &dv, &R);
  test_end(&s);
}

/* A run settles where the equilibrium is, also with friction, where all eyelets slip to the end of
 * a slow pull. */
static void a_settled_run_is_the_equilibrium(void) {
  double bent[2];
  for (int n = 0; n < 4; n++) {
    int        k = n % 2;
    test_scene s;
    lines      l = {.num = 0};
    sup_region foot = {SUP_REGION_HALF_SPACE, {0}, {0}, {0, 0, 1}, 1e-6, {0}};
    double     time[] = {0, n > 1 ? 1 : .2}, added[] = {0, -2 * mm};
    test_scene_init(&s);
    sup_soft_def *d = add_bar(&s, 0, SUP_MATERIAL_COROTATIONAL);
    d->material.stiffness_damping = n > 1 ? 5e-3 : 50e-3;
    d->num_clamps = 1, d->clamps = &foot;
    sup_cable_def *c = add_cable(&s, &l, SUP_CABLE_LENGTH);
    add_point(c, "world", 9 * mm, 5 * mm, -1 * mm);
    for (int i = 0; i < 4; i++) add_point(c, "bar", 9 * mm, 5 * mm, (2 + 18 * i) * mm);
    c->schedule = (sup_table){2, 1, time, added};
    if (n > 1) c->friction = .2, c->stiffness = 300;
    s.options.gravity[2] = 0, s.options.dt = 4e-3, s.options.tolerance = 1e-9;
    test_start(&s);
    if (k) test_static(&s, 4);
    for (int step = 0; step < (n > 1 ? 250 : 500) && !k; step++) test_step(&s);
    bent[k] = s.state->x[3 * (s.model->num_vertices - 1)];
    if (k) NEAR(bent[1], bent[0], n > 1 ? 1e-3 : 1e-6, 0);
    if (k) CHECK(fabs(bent[1] - 10 * mm) > 3 * mm);
    test_end(&s);
  }
}

/** A square finger of 10 x 10 x 100 mm, E = 1 MPa, on its foot, with cables up to 90 mm in so many
 * bays at offsets (x, y) from its axis. */
static void add_finger(test_scene *s, lines *l, int bays, int num, const double (*offset)[2],
                       const double *tension) {
  static sup_region foot;
  foot = (sup_region){SUP_REGION_HALF_SPACE, {0}, {0}, {0, 0, 1}, 1e-6, {0}};
  sup_soft_def *d = test_add_soft_box(s, "finger", 10 * mm, 10 * mm, 100 * mm, 4, 4, 20,
                                      SUP_PATTERN_HEX, 1e6, .3, 1100);
  d->material.model = SUP_MATERIAL_COROTATIONAL;
  d->num_clamps = 1, d->clamps = &foot;
  for (int i = 0; i < num; i++) {
    double         x = 5 * mm + offset[i][0], y = 5 * mm + offset[i][1];
    sup_cable_def *c = add_cable(s, l, SUP_CABLE_TENSION);
    c->tension = tension[i];
    add_point(c, "world", x, y, 0);
    for (int k = 1; k <= bays; k++) add_point(c, "finger", x, y, 90 * mm * k / bays);
  }
  s->options.gravity[2] = 0;
}

/** Mean normal of the end face. */
static sup_v3 normal_of_end(const test_scene *s) {
  const sup_soft *soft = &s->model->soft[0];
  sup_v3          along[2] = {{0, 0, 0}, {0, 0, 0}};
  for (int a = 0; a < soft->num_vertices; a++) {
    const double *rest = soft->x0 + 3 * a, *x = s->state->x + 3 * a;
    for (int k = 0; k < 2 && rest[2] > 100 * mm - 1e-9; k++)
      along[k] = sup_v3_madd(along[k], rest[k] - 5 * mm, sup_v3_load(x));
  }
  return sup_v3_unit(sup_v3_cross(along[0], along[1]));
}

/* A finger bends by kap = T d/(E I) [1 + h^2 kap/(12 d) (1 - 1.5 kap d)] with eyelets h apart
 * (THEORY 4.10), more by T/(E A) for its axial softness; 4 % more than the arc of continuous
 * guides.
 */
static void a_finger_bends_as_its_curvature_says(void) {
  test_scene   s;
  lines        l = {.num = 0};
  const double T = 1.5, d = 4 * mm, EI = 1e6 * 1e-8 / 12, EA = 100, offset[1][2] = {{4e-3, 0}};
  test_scene_init(&s);
  add_finger(&s, &l, 5, 1, offset, &T);
  test_start(&s);
  test_static(&s, 3);
  double angle = acos(normal_of_end(&s).z), kap = T * d / EI, arc = kap * .09;
  double h = 18 * mm * (1 - T / EA);
  for (int k = 0; k < 50; k++)
    kap = T * d / EI * (1 + h * h * kap / (12 * d) * (1 - 1.5 * kap * d));
  NEAR(angle, kap * .09 * (1 + T / EA), 1e-2, 0);
  CHECK(angle > 1.04 * arc);
  test_end(&s);
}

/* Three cables add up as vectors T_i d_i; a cable is as long as the chords of its arc. */
static void three_cables_bend_an_arm_as_a_vector(void) {
  enum { BAYS = 9 };
  test_scene   s;
  lines        l = {.num = 0};
  const double T[3] = {1.6, .4, .7}, r = 3.5 * mm, EI = 1e6 * 1e-8 / 12, EA = 100;
  double       offset[3][2], sum[2] = {0, 0}, all = 0, L0[3];
  for (int i = 0; i < 3; i++) {
    double psi = acos(-1) * (.5 + 2. / 3 * i);
    offset[i][0] = r * cos(psi), offset[i][1] = r * sin(psi);
    sum[0] += T[i] * offset[i][0], sum[1] += T[i] * offset[i][1], all += T[i];
  }
  test_scene_init(&s);
  add_finger(&s, &l, BAYS, 3, (const double(*)[2])offset, T);
  test_start(&s);
  for (int i = 0; i < 3; i++) L0[i] = s.model->cable[i].length0;
  test_static(&s, 3);
  sup_v3 n = normal_of_end(&s);
  double angle = acos(n.z), moment = hypot(sum[0], sum[1]), kap = moment / EI;
  double d = moment / all, h = .01, theta = .09 * kap;
  theta *= 1 + h * h * kap / (12 * d) * (1 - 1.5 * kap * d);
  NEAR(atan2(n.y, n.x), atan2(sum[1], sum[0]), 0, 1e-2);
  NEAR(angle, theta, 1e-2, 0);
  double axis = .09 * (1 - all / EA);
  for (int i = 0; i < 3; i++) {
    double along = (offset[i][0] * sum[0] + offset[i][1] * sum[1]) / moment;
    double chords = 2 * BAYS * sin(angle / (2 * BAYS)) * (axis / angle - along);
    NEAR(sup_cable_length(&s.model->cable[i], NULL, s.state->x) - L0[i], chords - L0[i], 0,
         .05 * fabs(chords - L0[i]) + 1e-4); /* eyelets sink into the bricks around them */
  }
  test_end(&s);
}

enum { EYELETS = 8 };
/** Cable of a given tension over eight eyelets on half a circle to a ball on a damped spring. */
static void add_capstan(test_scene *s, lines *l, double friction, sup_table tension) {
  sup_link_def   *ball = add_ball(s, "ball", .1, -.2);
  sup_spring_def *spring = test_add_spring(s, "world", "ball", 100);
  ball->q0[0] = -.1;
  spring->point_a[0] = -.1, spring->point_a[2] = -.2;
  for (int k = 0; k < 3; k++) spring->stiffness[k] = 100, spring->damping[k] = 20;
  sup_cable_def *c = add_cable(s, l, SUP_CABLE_TENSION);
  c->friction = friction, c->stiffness = 1e5, c->schedule = tension;
  add_point(c, "world", .1, 0, -.2);
  for (int k = 0; k < EYELETS; k++) {
    double a = acos(-1) * k / (EYELETS - 1);
    add_point(c, "world", .1 * cos(a), 0, .1 * sin(a));
  }
  add_point(c, "ball", 0, 0, 0);
  s->options.gravity[2] = 0, s->options.dt = 2e-3, s->options.tolerance = 1e-11;
}

/* Pulled over eyelets, a tension falls by exp(mu theta) at each, pays out with the reverse, and
 * stays where it was in between; what the drive gives is in the spring or taken by friction. */
static void eyelets_take_their_capstan_share(void) {
  test_scene   s;
  lines        l = {.num = 0};
  const double mu = .2, pi = acos(-1), turn = pi / (EYELETS - 1);
  double       time[] = {0, .6, 1.2, 1.5}, pull[] = {0, 10, 1, 10}, work = 0, taken = 0;
  test_scene_init(&s);
  add_capstan(&s, &l, mu, (sup_table){4, 1, time, pull});
  test_start(&s);
  const sup_strand *strand = s.state->strand;
  double            held = 0;
  int               slips = 0, sticks = 0, backs = 0;
  for (int step = 0; step < 750; step++) {
    double before = s.state->q[2], most = -HUGE_VAL, least = HUGE_VAL;
    test_step(&s);
    work += (strand[0].tension - strand[EYELETS].tension) * (s.state->q[2] - before);
    for (int k = 1; k <= EYELETS; k++) {
      double theta = k == 1 || k == EYELETS ? turn / 2 : turn; /* a chord turns by half */
      double share = log(strand[k - 1].tension / strand[k].tension) / (mu * theta);
      most = fmax(most, share), least = fmin(least, share);
    }
    CHECK(most < 1 + 1e-7 && least > -1 - 1e-7);
    double all = strand[0].tension / strand[EYELETS].tension;
    if (least > 1 - 1e-7) slips++, NEAR(all, exp(mu * pi), 1e-6, 0);
    if (most < -1 + 1e-7) backs++, NEAR(all, exp(-mu * pi), 1e-6, 0);
    if (step == 400) held = strand[EYELETS].tension;
    if (step > 400 && step < 550) sticks += fabs(strand[EYELETS].tension / held - 1) < 1e-3;
  }
  for (int k = 0; k <= EYELETS; k++) taken += strand[k].slip_work;
  CHECK(slips > 400 && backs > 20 && sticks == 149);
  NEAR(taken, work, 1e-3, 0);
  test_end(&s);
}

/** Message of a model that is refused; OK: the empty text. */
static const char *refusal(test_scene *s) {
  sup_status status = sup_model_create(&s->model, &s->def);
  if (status == SUP_OK) sup_model_destroy(&s->model);
  for (int i = 0; i < s->def.num_softs; i++) sup_mesh_destroy(&s->mesh[i]);
  return status == SUP_OK ? "" : sup_error_message();
}

/* Paths and numbers that make no cable. */
static void what_is_no_cable_is_refused(void) {
  static const char *const says[] = {"has 1 points",       "are both at",     "no body 'bell'",
                                     "are fixed",          "0 or more",       "must be positive",
                                     "lies outside 'bar'", "no joint 'drum'", "given tension"};
  for (int k = 0; k < 9; k++) {
    test_scene s;
    lines      l = {.num = 0};
    test_scene_init(&s);
    add_ball(&s, "ball", .1, -.5);
    add_bar(&s, 0, SUP_MATERIAL_COROTATIONAL);
    sup_cable_def *c = add_cable(&s, &l, k == 4 || k == 8 ? SUP_CABLE_TENSION : SUP_CABLE_LENGTH);
    add_point(c, "world", 0, 0, 0);
    if (k == 1) add_point(c, "world", 0, 0, 1e-9);
    if (k == 3) add_point(c, "world", 0, 0, 1);
    if (k == 6) add_point(c, "bar", 1, 0, 0);
    if (k != 0 && k != 3) add_point(c, k == 2 ? "bell" : "ball", 0, 0, 0);
    if (k == 4) c->tension = -1;
    if (k == 5) c->length = -1;
    if (k == 7) snprintf(c->winch, sizeof c->winch, "drum");
    if (k == 8) c->stiffness = 1;
    const char *text = refusal(&s);
    if (!strstr(text, says[k])) printf("%s\n", text);
    CHECK(strstr(text, "cable 'line0'") && strstr(text, says[k]));
  }
}

/* A resumed run goes on with the same bits, and any number of threads has those of one. */
static void resumed_and_threaded_runs_have_the_same_bits(void) {
  static const char run[] =
      "run tests/data/cables/finger.yaml -q --set output.checkpoint.every=0.05 "
      "--set cables.pull.friction=0.2 --set cables.pull.stiffness=500 ";
  static const char *const rest[] = {"-o FOLDER/cable_straight",
                                     "-o FOLDER/cable_half --set time.end=0.05",
                                     "-o FOLDER/cable_threads --set solver.threads=2"};
  char                     command[512], *data[3];
  for (int k = 0; k < 3; k++) {
    snprintf(command, sizeof command, "%s%s", run, rest[k]);
    check_run(command, 0, "");
  }
  check_run("run --resume FOLDER/cable_half -q --set time.end=0.1", 0, "");
  static const char *const folder[] = {"cable_straight", "cable_half", "cable_threads"};
  for (int k = 0; k < 3; k++) data[k] = app_read_file(folder[k], "history.csv");
  CHECK(strstr(data[0], "cable.pull.tension") && strcmp(data[0], data[1]) == 0);
  CHECK(strcmp(data[0], data[2]) == 0);
  for (int k = 0; k < 3; k++) SUP_FREE(data[k]);
  CHECK(system(app_arguments("rm -rf FOLDER/cable_*")) == 0);
}

/* Solvers, schemes and reports that lack cables are refused by name. */
static void what_does_not_go_with_cables_is_named(void) {
  static const char *const set[][2] = {
      {"contact.solver=ncp_pgs", "the contact solver ncp_pgs does not take cable 'pull'"},
      {"solver.report_condition=true", "with cable 'pull'"},
      {"time.scheme=bdf2", "cable 'pull' works with soft bodies of first order"},
      {"time.accuracy=1e-3 --set time.max_step=2ms", "time.accuracy: the tension of cable"}};
  for (int k = 0; k < 4; k++) {
    char command[512];
    snprintf(command, sizeof command,
             "run tests/data/cables/finger.yaml -o FOLDER/cable_no --set %s", set[k][0]);
    check_run(command, 2, set[k][1]);
  }
}

SUITE_TESTS(cables, TEST(length_has_its_derivatives),
            TEST(a_mass_hangs_with_its_weight_and_flies_when_slack),
            TEST(cables_of_one_path_share_their_tension), TEST(a_mass_on_a_cable_has_its_modes),
            TEST(a_pendulum_has_its_period), TEST(a_chain_of_weights_hangs_as_a_catenary),
            TEST(a_winch_turns_under_the_tension), TEST(cables_give_no_momentum),
            TEST(a_straight_cable_is_two_point_loads), TEST(a_step_balances_with_the_law),
            TEST(a_settled_run_is_the_equilibrium), TEST(a_finger_bends_as_its_curvature_says),
            TEST(three_cables_bend_an_arm_as_a_vector), TEST(eyelets_take_their_capstan_share),
            TEST(what_is_no_cable_is_refused), TEST(resumed_and_threaded_runs_have_the_same_bits),
            TEST(what_does_not_go_with_cables_is_named));
