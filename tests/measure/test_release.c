/* Holds that begin and end by events: momenta, energies, places; events by columns. */
#include "measure/event_watch.h"
#include "model/event.h"
#include "step/scene_test.h"

typedef struct released {
  test_scene        s;
  sup_dirichlet_def hold[3];
  sup_event_watch  *watch;
} released;

static const sup_column_def no_columns;

static sup_region all(void) {
  return (sup_region){.type = SUP_REGION_BOX, .lower = {-1, -1, -1}, .upper = {1, 1, 1}};
}

/** Low or high end along x of the bar of length .1 m. */
static sup_region end_of(int is_high) {
  sup_region r = all();
  if (is_high)
    r.lower[0] = .1 - 1e-9;
  else
    r.upper[0] = 1e-9;
  return r;
}

static sup_event_def at(double time) {
  return (sup_event_def){.kind = SUP_EVENT_TIME, .time = time};
}

static sup_event_def when(sup_event_kind kind, const char *column, double value) {
  sup_event_def e = {.kind = kind, .value = value};
  snprintf(e.column, sizeof e.column, "%s", column);
  return e;
}

/** A bar along x, E = 1e5 Pa, nu = 0, 1000 kg/m^3, without gravity: waves of 10 m/s. */
static sup_soft_def *begin(released *r, int num_holds) {
  test_scene_init(&r->s);
  r->watch = NULL;
  sup_soft_def *d =
      test_add_soft_box(&r->s, "bar", .1, .02, .02, 10, 2, 2, SUP_PATTERN_HEX, 1e5, 0, 1000);
  d->num_dirichlet = num_holds, d->dirichlet = r->hold;
  for (int k = 0; k < 3; k++)
    r->hold[k] = (sup_dirichlet_def){.marker = SUP_INITIALISED, .region = all(), .axes = 7};
  r->s.options.gravity[2] = 0, r->s.options.tolerance = 1e-12, r->s.options.dt = 1e-4;
  return d;
}

static void start(released *r) {
  test_start(&r->s);
  OK(sup_event_watch_create(&r->watch, r->s.model, &r->s.options, &no_columns));
}

static void step(released *r) {
  test_step(&r->s);
  OK(sup_event_watch_step(r->watch, r->s.state, sup_stepper_result(r->s.stepper), &r->s.report));
}

static void end(released *r) {
  sup_event_watch_destroy(&r->watch);
  test_end(&r->s);
}

/** Kinetic energy, and M v. */
static double kinetic(const test_scene *s, double *Mv) {
  const sup_soft *soft = &s->model->soft[0];
  double          sum = 0;
  sup_fem_mass_multiply(soft->fem, s->state->xdot, Mv);
  for (int a = 0; a < 3 * soft->num_vertices; a++) sum += .5 * s->state->xdot[a] * Mv[a];
  return sum;
}

/** Share of the lowest mode of the free bar in its displacement, 2/pi^2 L times the stretch of a
 * bar at rest; cos(omega t) once it is released. */
static double lowest_mode(const test_scene *s) {
  const sup_soft *soft = &s->model->soft[0];
  const double   *m = sup_fem_vertex_mass(soft->fem);
  double          sum = 0;
  for (int a = 0; a < soft->num_vertices; a++)
    sum -= m[a] * (s->state->x[3 * a] - soft->x0[3 * a]) * cos(acos(-1) * soft->x0[3 * a] / .1);
  return sum;
}

/* A bar held at both ends at a stretch: its lowest mode, with cells of length h and lumped mass,
 * has the angular frequency 2 c/h sin(pi h/2 L). */
static void a_stretched_bar_swings_freely(void) {
  released  r;
  double    e = 1e-3, now = 0, far[6] = {e * .1}, passed = 0, least = 0;
  const int num_held = 5;
  begin(&r, 2);
  r.hold[0].region = end_of(0), r.hold[0].until = at(num_held * 1e-4);
  r.hold[1].region = end_of(1), r.hold[1].until = at(num_held * 1e-4);
  r.hold[1].motion = (sup_table){1, 6, &now, far};
  r.s.options.soft_bdf2 = 1;
  start(&r);
  for (int a = 0; a < r.s.model->num_vertices; a++) r.s.state->x[3 * a] *= 1 + e;
  for (int k = 0; k < num_held; k++) {
    step(&r);
    for (int a = 0; a < r.s.model->num_vertices; a++)
      NEAR(r.s.state->x[3 * a], (1 + e) * r.s.model->soft[0].x0[3 * a], 0, 1e-12);
    NEAR(sup_stepper_result(r.s.stepper)->reaction[1].force.x, 1e5 * e * 4e-4, 1e-6, 0);
  }
  int    crossings = 0;
  double first = lowest_mode(&r.s), last = first;
  for (int k = 0; k < 400; k++) {
    step(&r);
    NEAR(sup_v3_norm(test_soft_momentum(&r.s, 0)), 0, 0, 1e-15);
    double mode = lowest_mode(&r.s), t = (k + 1) * 1e-4;
    if (mode * last < 0 && ++crossings == 3) passed = t - 1e-4 * mode / (mode - last);
    last = mode, least = fmin(least, mode);
    NEAR(sup_stepper_result(r.s.stepper)->reaction[1].force.x, 0, 0, 1e-15);
  }
  CHECK(crossings == 4);
  NEAR(passed, 2.5 * acos(-1) / (2 * 10 / .01 * sin(acos(-1) / 20)), .003, 0);
  NEAR(least, -first, .01, 0);
  end(&r);
}

/* Steps after the release are those of a bar that was never held. */
static void a_block_falls_as_one_that_was_never_held(void) {
  for (int bdf2 = 0; bdf2 < 2; bdf2++) {
    released r, free;
    begin(&r, 1), begin(&free, 0);
    r.hold[0].until = at(10e-4);
    r.s.options.gravity[2] = free.s.options.gravity[2] = -9.81;
    r.s.options.soft_bdf2 = free.s.options.soft_bdf2 = bdf2;
    start(&r), start(&free);
    for (int k = 0; k < 10; k++) step(&r);
    CHECK(r.s.state->event[0].fired == r.s.state->time);
    for (int k = 1; k <= 30; k++) {
      step(&r), step(&free);
      for (int i = 0; i < 3 * r.s.model->num_vertices; i++) {
        NEAR(r.s.state->x[i], free.s.state->x[i], 0, 1e-15);
        if (i % 3 == 2 && !bdf2)
          NEAR(r.s.state->x[i] - r.s.model->soft[0].x0[i], -9.81e-8 * .5 * k * (k + 1), 1e-8, 0);
      }
    }
    end(&r), end(&free);
  }
}

/* Bar in flight whose end is caught by a hold, at rest or moving. */
static void a_hold_that_begins_in_flight_books_its_energy(void) {
  for (int way = 0; way < 6; way++) {
    released      r;
    double        time[2] = {0, 1}, move[12] = {[6] = .5, [10] = .3}, *Mv[2];
    sup_soft_def *d = begin(&r, 1);
    bool          moves = way & 1;
    d->lumped_mass = way < 2;
    if (way > 3) { /* T10, whose vertices have masses below 0 */
      double size[3] = {.1, .02, .02};
      sup_mesh_destroy(&r.s.mesh[0]);
      OK(sup_mesh_box(&r.s.mesh[0], size, (int[]){6, 1, 1}, SUP_PATTERN_KUHN));
      test_make_quadratic(&r.s, 0);
    }
    d->v0[0] = 1, d->v0[2] = -2;
    r.hold[0].region = end_of(0), r.hold[0].from = at(5e-4);
    if (moves) r.hold[0].motion = (sup_table){2, 6, time, move};
    start(&r);
    int n = 3 * r.s.model->num_vertices;
    OK(SUP_CALLOC(Mv[0], n));
    OK(SUP_CALLOC(Mv[1], n));
    for (int k = 0; k < 4; k++) step(&r);
    test_step(&r.s);
    double before = kinetic(&r.s, Mv[0]), work = r.s.report.soft_work, *x;
    OK(SUP_CALLOC(x, n));
    memcpy(x, r.s.state->x, (size_t)n * sizeof *x);
    OK(sup_event_watch_step(r.watch, r.s.state, sup_stepper_result(r.s.stepper), &r.s.report));
    double after = kinetic(&r.s, Mv[1]);
    work = r.s.report.soft_work - work;
    NEAR(after - before, work - r.s.report.hold_loss, 1e-9, 0);
    CHECK(r.s.report.hold_loss > .01 * before && (fabs(work) > 1e-9 * before) == moves);
    const sup_soft *soft = &r.s.model->soft[0];
    for (int a = 0; a < n; a++) {
      CHECK(r.s.state->x[a] == x[a]);
      if (soft->holder[a] == SUP_NONE) NEAR(Mv[1][a], Mv[0][a], 0, 1e-12 * .04);
      if (soft->holder[a] != SUP_NONE && !moves) CHECK(r.s.state->xdot[a] == 0);
    }
    for (int k = 0; k < 20; k++) {
      double gap = 0;
      step(&r);
      for (int a = 0; a < n; a++)
        if (soft->holder[a] != SUP_NONE && !moves) gap = fmax(gap, fabs(r.s.state->x[a] - x[a]));
      CHECK(gap == 0);
    }
    SUP_FREE_ALL(&Mv[0], &Mv[1], &x);
    end(&r);
  }
}

/** Energy that a hold takes of a bar in flight, and the momentum and energy of all bodies after
 * num_steps more.  halves 1: it is two that are tied; is_high 1: it is caught by the end of the
 * slave. */
static void catch_bar(int halves, int is_high, int num_steps, double out[3]) {
  released    r;
  sup_tie_def glue = sup_default_tie_def();
  double      time[2] = {0, 1}, move[12] = {[6] = .5, [10] = .3};
  begin(&r, 1)->v0[2] = -2;
  if (halves) {
    sup_mesh_destroy(&r.s.mesh[0]);
    OK(sup_mesh_box(&r.s.mesh[0], (double[]){.05, .02, .02}, (int[]){5, 2, 2}, SUP_PATTERN_HEX));
    r.s.soft[0].mesh = r.s.mesh[0];
    sup_soft_def *d =
        test_add_soft_box(&r.s, "rest", .05, .02, .02, 5, 2, 2, SUP_PATTERN_HEX, 1e5, 0, 1000);
    for (int i = 0; i < r.s.mesh[1]->num_vertices; i++) r.s.mesh[1]->x[3 * i] += .05;
    d->v0[2] = -2;
    if (is_high) d->num_dirichlet = 1, d->dirichlet = r.hold, r.s.soft[0].num_dirichlet = 0;
    snprintf(glue.name, sizeof glue.name, "glue");
    snprintf(glue.slave.body, sizeof glue.slave.body, "rest");
    snprintf(glue.master.body, sizeof glue.master.body, "bar");
    r.s.def.ties = &glue, r.s.def.num_ties = 1;
  }
  r.hold[0].region = end_of(is_high), r.hold[0].from = at(5e-4);
  r.hold[0].until = at(1.5e-3), r.hold[0].motion = (sup_table){2, 6, time, move};
  start(&r);
  for (int k = 0; k < 5; k++) step(&r);
  out[0] = r.s.report.hold_loss, out[1] = out[2] = 0;
  for (int k = 0; k < num_steps; k++) step(&r);
  for (int i = 0; i < r.s.model->num_softs; i++) {
    const sup_soft *soft = &r.s.model->soft[i];
    const double   *v = r.s.state->xdot + 3 * (size_t)soft->first_vertex;
    double         *Mv;
    OK(SUP_CALLOC(Mv, 3 * soft->num_vertices));
    sup_fem_mass_multiply(soft->fem, v, Mv);
    for (int a = 0; a < 3 * soft->num_vertices; a++)
      out[1] += a % 3 == 2 ? Mv[a] : 0, out[2] += .5 * v[a] * Mv[a];
    SUP_FREE(Mv);
  }
  end(&r);
}

/* Tied halves of a bar are caught and let go as the whole bar is, by either end; later the halves
 * turn by predictions of their own. */
static void tied_halves_are_caught_as_a_whole_bar(void) {
  double whole[3], half[3];
  for (int is_high = 0; is_high < 2; is_high++)
    for (int later = 0; later < 2; later++) {
      catch_bar(0, is_high, 20 * later, whole);
      catch_bar(1, is_high, 20 * later, half);
      CHECK(whole[0] > 1e-3);
      for (int i = 0; i < 3; i++) NEAR(half[i], whole[i], later && i ? 1e-4 : 1e-9, 0);
    }
}

/* A hold whose event never comes is a plain one. */
static void an_event_that_never_comes_changes_nothing(void) {
  released r[2];
  for (int k = 0; k < 2; k++) {
    begin(&r[k], 1);
    r[k].hold[0].region = end_of(0);
    if (k) r[k].hold[0].until = when(SUP_EVENT_ABOVE, "reaction.bar.0.fz", 1e3);
    r[k].s.options.gravity[2] = -9.81, r[k].s.options.dt = 1e-3;
    start(&r[k]);
    for (int i = 0; i < 50; i++) step(&r[k]);
  }
  CHECK(r[0].s.model->num_blocks + 9 == r[1].s.model->num_blocks);
  for (int i = 0; i < 3 * r[0].s.model->num_vertices; i++)
    NEAR(r[0].s.state->x[i], r[1].s.state->x[i], 0, 1e-12);
  NEAR(sup_stepper_result(r[0].s.stepper)->reaction[0].force.z,
       sup_stepper_result(r[1].s.stepper)->reaction[0].force.z, 1e-8, 0);
  end(&r[0]), end(&r[1]);
}

/* The same end: held, let go, held again where it is then. */
static void one_hold_takes_over_from_another(void) {
  released r;
  begin(&r, 2);
  r.hold[0].until = at(1e-3), r.hold[1].from = at(2e-3);
  r.hold[1].until = when(SUP_EVENT_ABOVE, "time", 3e-3), r.hold[1].until.duration = 5e-4;
  r.s.options.gravity[2] = -9.81;
  start(&r);
  for (int k = 1; k <= 40; k++) {
    double z = r.s.state->x[2];
    step(&r);
    bool falls = (k > 10 && k <= 20) || k > 36;
    CHECK((r.s.state->x[2] < z) == falls);
    double weight = .04 * 9.81, stop = k == 21 ? 0 : weight;
    if (k < 10 || (k > 21 && k < 36))
      NEAR(sup_stepper_result(r.s.stepper)->reaction[k > 20].force.z, stop, 1e-6, 0);
  }
  NEAR(r.s.state->event[0].fired, 1e-3, 1e-12, 0);
  NEAR(r.s.state->event[1].fired, 2e-3, 1e-12, 0);
  NEAR(r.s.state->event[2].since, 3.1e-3, 1e-12, 0);
  NEAR(r.s.state->event[2].fired, 3.6e-3, 1e-12, 0);
  end(&r);
}

static void refuses(sup_event_def from, sup_event_def until, const char *text) {
  released r;
  begin(&r, 1);
  r.hold[0].from = from, r.hold[0].until = until;
  sup_status status = sup_model_create(&r.s.model, &r.s.def);
  if (status == SUP_OK)
    status = sup_event_watch_create(&r.watch, r.s.model, &r.s.options, &no_columns);
  FAILS(status, SUP_E_ARG, text);
  end(&r);
}

static void wrong_events_are_refused_by_name(void) {
  const sup_event_def none = {SUP_EVENT_NONE};
  refuses(none, at(0), "hold '0' of 'bar' ends at 0 s; the time of an event must be above 0");
  refuses(at(2), at(1), "ends at 1 s, but begins at 2 s; the end must be later");
  refuses(none, when(SUP_EVENT_ABOVE, "reaction.bar.0.fy2", 1), "did you mean 'reaction.bar.0.f");
  refuses(none, when(SUP_EVENT_ABOVE, "energy.damping", 1), "a sum since the start");
  released r;
  begin(&r, 1);
  r.hold[0].until = at(1);
  start(&r);
  sup_static_options o = sup_default_static_options();
  FAILS(sup_static_step(r.s.stepper, r.s.state, &o, &r.s.report), SUP_E_ARG,
        "static equilibria: hold '0' of 'bar' ends by an event");
  r.s.options.accuracy.tolerance = 1e-3;
  FAILS(sup_options_check(&r.s.options, r.s.model), SUP_E_ARG, "time.accuracy: hold '0'");
  end(&r);
}

SUITE_TESTS(release, TEST(a_stretched_bar_swings_freely),
            TEST(a_block_falls_as_one_that_was_never_held),
            TEST(a_hold_that_begins_in_flight_books_its_energy),
            TEST(tied_halves_are_caught_as_a_whole_bar),
            TEST(an_event_that_never_comes_changes_nothing), TEST(one_hold_takes_over_from_another),
            TEST(wrong_events_are_refused_by_name));
