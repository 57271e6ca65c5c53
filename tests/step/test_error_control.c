/* Steps of controlled length (THEORY 17), against closed forms, references of fine steps and the
 * numbers of its tables. */
#include <omp.h>

#include "base/team.h"
#include "measure/flight_watch.h"
#include "measure/observation.h"
#include "model/model.h"
#include "scene_test.h"

static const double g = 9.81;

/** Accuracy with the scales of THEORY 17.2. */
static sup_accuracy accuracy(double tolerance, double length, double time) {
  return (sup_accuracy){.tolerance = tolerance,
                        .length = length,
                        .time = time,
                        .min_step = 1e-7,
                        .max_step = .02,
                        .reference_step = .01};
}

typedef struct run {
  int    steps, rejected, unresolved;
  double least;     /* step [s] */
  double error_max; /* estimated, of all steps [-] */
} run;

/** To the time `end`, on which the last step ends exactly. */
static run go(test_scene *s, double end) {
  run out = {.least = HUGE_VAL};
  while (s->state->time < end) {
    OK(sup_step_until(s->stepper, s->state, end, &s->report));
    out.steps++, out.rejected += s->report.rejected, out.unresolved += s->report.unresolved;
    out.least = fmin(out.least, s->report.step_size);
    out.error_max = fmax(out.error_max, s->report.step_error);
  }
  CHECK(s->state->time == end);
  return out;
}

/* ---- bouncing ball --------------------------------------------------------------------------- */

static const double ball_k = 1e4, ball_height = .1;

/** One kilogram that does not turn, above a floor that it touches in one point. */
static void start_ball(test_scene *s, sup_accuracy a, double dt) {
  test_scene_init(s);
  test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *ball = test_add_rigid(s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.05}}, 1, 0);
  ball->q0[2] = .05 + ball_height;
  for (int i = 0; i < 2; i++) {
    s->geometry[i].contact.point_stiffness = 2 * ball_k;
    s->geometry[i].contact.dissipation = 0;
  }
  s->options.tolerance = 1e-12;
  s->options.dt = dt, s->options.accuracy = a;
  test_start(s);
}

/** Height and velocity of a fall onto a spring. */
static void exact_ball(double t, double *z, double *v) {
  double w = sqrt(ball_k), fall = sqrt(2 * ball_height / g), speed = g * fall, a = g / (w * w);
  double touch = 2 * (3.14159265358979323846 - atan2(speed / w, a)) / w;
  *z = ball_height - .5 * g * t * t, *v = -g * t;
  if (t < fall) return;
  double s = fmod(t - fall, touch + 2 * fall);
  *z = -a + a * cos(w * s) - speed / w * sin(w * s);
  *v = -a * w * sin(w * s) - speed * cos(w * s);
  if (s < touch) return;
  s -= touch;
  *z = speed * s - .5 * g * s * s, *v = speed - g * s;
}

static double ball_error(const test_scene *s) {
  double z, v;
  exact_ball(s->state->time, &z, &v);
  return fmax(fabs(s->state->q[2] - .05 - z) / .1, fabs(s->state->v[5] - v) / 1);
}

/* THEORY 17.2: error/tolerance 1.4, .71, .54; steps 256, 754, 2350; rejected 4, 3, 6. */
static void a_ball_bounces_within_its_accuracy(void) {
  static const double tolerance[3] = {1e-3, 1e-4, 1e-5}, error[3] = {1.4, .71, .54};
  static const int    steps[3] = {256, 754, 2350};
  for (int k = 0; k < 3; k++) {
    test_scene s;
    start_ball(&s, accuracy(tolerance[k], .1, .1), 5e-4);
    run r = go(&s, .5);
    printf("\n    accuracy %g: error %.2f of it, %d steps, %d rejected ", tolerance[k],
           ball_error(&s) / tolerance[k], r.steps, r.rejected);
    NEAR(ball_error(&s) / tolerance[k], error[k], .2, 0);
    NEAR(r.steps, steps[k], .02, 0);
    CHECK(r.rejected <= 6 && r.unresolved == 0);
    CHECK(r.error_max <= tolerance[k]);
    test_end(&s);
  }
}

/* Each impact errs by a share of the accuracy, which the flights after it carry on: 15, 13 and 7
 * times the accuracy come of seven at 1e-2, 1e-3 and 1e-4, where each step is within it. */
static void what_seven_impacts_carry_on_is_told(void) {
  for (int k = 0; k < 3; k++) {
    test_scene       s;
    sup_flight_watch watch[2] = {{.error = 0}};
    double           tolerance = 1e-2 * pow(10, -k), most = 0;
    sup_accuracy     a = accuracy(tolerance, .05, .1);
    start_ball(&s, a, 5e-4);
    while (s.state->time < 2.2) {
      double z, v;
      OK(sup_step_until(s.stepper, s.state, 2.2, &s.report));
      const sup_step_result *r = sup_stepper_result(s.stepper);
      sup_flight_watch_step(watch, 2, r->flight, r->time, r->increment.h, a.time);
      exact_ball(s.state->time, &z, &v);
      most = fmax(most, fabs(s.state->q[2] - .05 - z) / (tolerance * a.length));
    }
    printf("\n    accuracy %g: error %.2f of it, told %.2f ", tolerance, most,
           watch[1].carried / tolerance);
    CHECK(watch[0].carried == 0 && watch[1].time > 2);
    CHECK(watch[1].carried > .5 * tolerance * most && watch[1].carried < 20 * tolerance);
    test_end(&s);
  }
}

/* The step of a fall against a stiffer and stiffer spring: halves differ by h^2, what is kept by
 * h^3. */
static void the_estimate_is_of_second_and_the_step_of_third_order(void) {
  double estimate[4], error[4];
  for (int k = 0; k < 4; k++) {
    test_scene   s;
    double       h = 5e-4 / (1 << k), z, v, t = .155;
    sup_accuracy a = accuracy(.9, .1, .1);
    start_ball(&s, a, h);
    exact_ball(t, &z, &v); /* within the first touch */
    s.state->q[2] = .05 + z, s.state->v[5] = v;
    OK(sup_step_until(s.stepper, s.state, h, &s.report));
    NEAR(s.report.step_size, h, 1e-15, 0);
    exact_ball(t + h, &z, &v);
    estimate[k] = s.report.step_error;
    error[k] = fmax(fabs(s.state->q[2] - .05 - z) / .1, fabs(s.state->v[5] - v) / 1);
    test_end(&s);
  }
  printf("\n    orders %.2f, %.2f ", log2(estimate[2] / estimate[3]), log2(error[2] / error[3]));
  NEAR(log2(estimate[2] / estimate[3]), 2, .1, 0);
  NEAR(log2(error[2] / error[3]), 3, .1, 0);
}

/* ---- a mass laid down ------------------------------------------------------------------------ */

/** One kilogram laid on a floor that is as stiff as steps can have it; the number of steps. */
static int lay_down(double tolerance, double reference) {
  test_scene s;
  test_scene_init(&s);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *box = test_add_rigid(&s, "box", (sup_shape){SUP_SHAPE_BOX, {.1, .1, .1}}, 1, 0);
  box->q0[2] = .05;
  for (int i = 0; i < 2; i++)
    s.geometry[i].contact.stiffness = 1e15, s.geometry[i].contact.dissipation = 50;
  s.options.dt = 1e-3, s.options.accuracy = accuracy(tolerance, .01, .1);
  s.options.accuracy.max_step = 5e-3, s.options.accuracy.reference_step = reference;
  test_start(&s);
  run r = go(&s, .3);
  CHECK(r.unresolved == 0);
  /* at rest, as deep as the springs of the reference step say */
  NEAR(s.state->v[5], 0, 0, 1e-9);
  CHECK(s.state->q[2] < .05 && s.state->q[2] > .05 - 2 * 9.81 * pow(reference / 6.28, 2));
  test_end(&s);
  return r.steps;
}

/* THEORY 17.4: 65 steps at 1e-3 and 317 at 1e-4 with springs of a fixed millisecond, 1884 and
   18850 with those of the step. */
static void a_mass_laid_down_costs_no_more_steps_than_its_settling(void) {
  int rough = lay_down(1e-3, 1e-3), fine = lay_down(1e-4, 1e-3), soft = lay_down(1e-4, 5e-3);
  printf("\n    accuracy 1e-3: %d steps, 1e-4: %d, with the springs of 5 ms %d ", rough, fine,
         soft);
  CHECK(rough <= 66 && fine <= 317 && soft <= 317);
}

/* A body at rest on a round patch is damped: with the secant of the patch, which unresolved steps
 * of fixed length have, it went on shaking by 1 mm/s, in 703 steps. */
static void a_cylinder_on_a_floor_comes_to_rest(void) {
  test_scene s;
  test_scene_init(&s);
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *roller =
      test_add_rigid(&s, "roller", (sup_shape){SUP_SHAPE_CYLINDER, {.025, .05}}, .1, 0);
  roller->q0[2] = .025, roller->q0[3] = roller->q0[4] = sqrt(.5);
  s.geometry[1].contact.resolution = 2.5e-3;
  s.def.contact.model = SUP_MODEL_COUPLED;
  s.options.dt = 1e-3, s.options.accuracy = accuracy(1e-3, .025, .02);
  s.options.accuracy.reference_step = 5e-3;
  test_start(&s);
  run r = go(&s, .5);
  printf("%d steps, %.1e m/s at %.9g m ", r.steps, fabs(s.state->v[5]), s.state->q[2]);
  CHECK(r.steps < 200 && r.unresolved == 0);
  NEAR(s.state->q[2], .025, 0, 2e-5); /* patches of long steps act 2 % of the drop ahead */
  test_end(&s);
}

/* ---- errors fall with the accuracy ----------------------------------------------------------- */

enum { SAMPLES = 12, MAX_NUMBERS = 600 };

/** Samples of a run: positions and, times T_c, velocities at equal times. */
typedef struct path {
  int    count;
  double y[SAMPLES][MAX_NUMBERS];
  run    all;
} path;

static void follow(test_scene *s, double end, path *out) {
  const sup_accuracy *a = &s->options.accuracy;
  memset(out, 0, sizeof *out);
  out->all.least = HUGE_VAL;
  for (int k = 0; k < SAMPLES; k++) {
    run r = go(s, end * (k + 1) / SAMPLES);
    out->all.steps += r.steps, out->all.rejected += r.rejected;
    out->all.unresolved += r.unresolved, out->all.least = fmin(out->all.least, r.least);
    int n = 0;
    for (int i = 0; i < s->state->num_v; i++)
      out->y[k][n++] = s->state->q[i], out->y[k][n++] = a->time * s->state->v[i];
    for (int i = 0; i < 3 * s->state->num_vertices; i++)
      out->y[k][n++] = s->state->x[i], out->y[k][n++] = a->time * s->state->xdot[i];
    SUP_ASSERT(n <= MAX_NUMBERS);
    out->count = n;
  }
}

/** Root mean square of what two paths differ by, over the length. */
static double distance(const path *a, const path *b, double length) {
  double sum = 0;
  for (int k = 0; k < SAMPLES; k++)
    for (int i = 0; i < a->count; i++) sum += pow(a->y[k][i] - b->y[k][i], 2);
  return sqrt(sum / (SAMPLES * a->count)) / length;
}

/** Runs with the accuracies of a ladder of decades against one that is `finer`. */
static void descend(void (*start)(test_scene *s, double tolerance), double end, double length,
                    double finest) {
  enum { DECADES = 4 };
  static path finer, now;
  test_scene  s;
  double      error[DECADES];
  start(&s, finest);
  follow(&s, end, &finer);
  test_end(&s);
  for (int k = 0; k < DECADES; k++) {
    double tolerance = 1e-2 * pow(10, -k);
    start(&s, tolerance);
    follow(&s, end, &now);
    test_end(&s);
    error[k] = distance(&now, &finer, length);
    printf("\n    accuracy %.0e: error %.2e, %d steps, %d rejected, %d unresolved ", tolerance,
           error[k], now.all.steps, now.all.rejected, now.all.unresolved);
  }
  double order = log10(error[0] / error[DECADES - 1]) / (DECADES - 1);
  printf("\n    %.2f a halving ", pow(2, order));
  for (int k = 1; k < DECADES; k++) CHECK(error[k] < error[k - 1]);
  CHECK(pow(2, order) >= 1.5);
}

static int bar_bdf2;

/** F13's bar, 10 cells, half a millimetre above a wall at .5 m/s. */
static void start_bar(test_scene *s, double tolerance) {
  test_scene_init(s);
  memset(s->options.gravity, 0, sizeof s->options.gravity);
  test_add_rigid(s, "wall", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
  sup_soft_def *d =
      test_add_soft_box(s, "bar", .01, .01, .1, 1, 1, 6, SUP_PATTERN_HEX, 2.5e6, 0, 1000);
  d->v0[2] = -.5, d->X_WS.p[2] = 5e-4;
  d->contact.friction = 0, d->contact.dissipation = 0;
  s->options.tolerance = 1e-9;
  s->options.soft_bdf2 = bar_bdf2;
  s->options.dt = 1e-5, s->options.accuracy = accuracy(tolerance, .05, .01);
  s->options.accuracy.max_step = 1e-3, s->options.accuracy.min_step = 1e-9;
  test_start(s);
}

static void the_error_of_a_bar_that_hits_a_wall_falls_with_the_accuracy(void) {
  for (bar_bdf2 = 0; bar_bdf2 < 2; bar_bdf2++) descend(start_bar, 6e-3, .05, 1e-6);
}

static double swing_time[2] = {0, 1}, swing_force[6] = {4, 0, 0, 0, 0, 0};

/** R06: P2's box, pushed by 4 cos(2 pi t) N. */
static void start_stick_slip(test_scene *s, double tolerance) {
  test_scene_init(s);
  test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
  sup_link_def *box = test_add_rigid(s, "box", (sup_shape){SUP_SHAPE_SPHERE, {.05}}, .33, 0);
  for (int i = 0; i < 3; i++) box->inertia[i] = 1e6; /* no rolling */
  box->q0[2] = .05 - .33 * 9.8 / 1e5;
  for (int i = 0; i < 2; i++) {
    s->geometry[i].contact.point_stiffness = 2e5;
    s->geometry[i].contact.friction = 1;
    s->geometry[i].contact.relaxation_time = 0;
  }
  sup_load_def *load = test_add_force(s, "box", 2, swing_time, swing_force);
  load->force.period = 1, load->force.phase = 1.57079632679489661923;
  s->options.gravity[2] = -9.8;
  s->options.stiction_tolerance = 1e-6; /* the jump of the force at the start is as short */
  s->options.tolerance = 1e-10;
  s->options.dt = 1e-3, s->options.accuracy = accuracy(tolerance, .05, .2);
  test_start(s);
}

static void the_error_of_a_box_that_sticks_and_slips_falls_with_the_accuracy(void) {
  descend(start_stick_slip, 1.3, .05, 1e-7);
}

/* ---- what a step leaves ---------------------------------------------------------------------- */

/** A soft cube that falls askew on a floor, and a ball beside it. */
static void start_drop(test_scene *s, double tolerance) {
  test_scene_init(s);
  test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
  sup_link_def *ball = test_add_rigid(s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.02}}, .1, 0);
  ball->q0[0] = .1, ball->q0[2] = .03;
  sup_soft_def *d =
      test_add_soft_box(s, "cube", .02, .02, .02, 2, 2, 2, SUP_PATTERN_HEX, 1e5, .3, 1000);
  d->X_WS.p[2] = 2e-3, d->v0[0] = .2, d->v0[2] = -.3;
  s->def.contact.model = SUP_MODEL_LAGGED;
  s->options.dt = 1e-3, s->options.tolerance = 1e-10, s->options.friction_sweeps = 4;
  s->options.accuracy = accuracy(tolerance, .02, .02);
  test_start(s);
}

static void the_error_of_what_falls_on_a_floor_falls_with_the_accuracy(void) {
  descend(start_drop, .06, .02, 3e-6);
}

/** Momentum of the cube, and of its vertices alone. */
static sup_v3 momentum(const test_scene *s) { return test_soft_momentum(s, 0); }

/** Force of the floor on the cube as the columns of pairs have it. */
static sup_v3 pair_force(sup_observation *obs, const test_scene *s) {
  sup_observation_update(obs, s->state, sup_stepper_result(s->stepper));
  int          cube = s->model->soft[0].body, p = sup_observation_find_pair(obs, 0, cube);
  sup_pair_sum sum = obs->pair[p];
  return sum.b == cube ? sum.force : sup_v3_scale(-1, sum.force);
}

/* The means over the step are those of the impulses that moved the bodies, although the state is
   extrapolated; so are the columns of pairs. */
static void forces_are_means_over_the_step_that_close_the_balance(void) {
  test_scene      s;
  double          worst = 0, most = 0;
  sup_observation obs;
  start_drop(&s, 1e-3);
  OK(sup_observation_create(&obs, s.model, &s.options));
  double mass = .02 * .02 * .02 * 1000;
  while (s.state->time < .05) {
    sup_v3 before = momentum(&s);
    OK(sup_step_until(s.stepper, s.state, .05, &s.report));
    const sup_step_result *r = sup_stepper_result(s.stepper);
    sup_v3                 sum = sup_v3_make(0, 0, -mass * 9.81);
    for (int i = 0; i < s.state->num_vertices; i++)
      sum = sup_v3_add(sum, sup_v3_load(r->contact_force + 3 * i));
    NEAR(r->increment.h, s.report.step_size, 0, 0);
    CHECK(s.report.unresolved == 0 && r->time == s.state->time && r->step == s.state->step);
    sup_v3 gained = sup_v3_sub(momentum(&s), before);
    worst = fmax(worst, sup_v3_norm(sup_v3_madd(gained, -r->increment.h, sum)));
    sum = sup_v3_add(sup_v3_make(0, 0, -mass * 9.81), pair_force(&obs, &s));
    worst = fmax(worst, sup_v3_norm(sup_v3_madd(gained, -r->increment.h, sum)));
    most = fmax(most, sup_v3_norm(gained));
  }
  printf("%.1e of %.1e N s ", worst, most);
  CHECK(worst < 1e-7 * most);
  sup_observation_free(&obs);
  test_end(&s);
}

/* A step that no length solves fails with a message, and the state stays as it was. */
static void a_step_that_fails_at_the_shortest_leaves_the_state(void) {
  test_scene s;
  sup_state *before;
  start_drop(&s, 1e-3);
  go(&s, .02);
  s.state->xdot[4] = (double)NAN;
  OK(sup_state_create(&before, s.model, &s.options));
  OK(sup_state_copy(before, s.state));
  CHECK(sup_step_until(s.stepper, s.state, 1, &s.report) == SUP_E_NOT_CONVERGED);
  CHECK(strstr(sup_error_message(), "a smaller time.min_step may help") != NULL);
  CHECK(sup_state_hash(s.state) == sup_state_hash(before) && s.state->time == before->time);
  CHECK(s.report.rejected >= 5);
  sup_state_destroy(&before);
  test_end(&s);
}

static void repeats_have_the_same_bits_on_any_number_of_threads(void) {
  uint64_t hash[3];
  int      threads = sup_team_size();
  for (int k = 0; k < 3; k++) {
    test_scene s;
    omp_set_num_threads(k < 2 ? 1 : 3);
    start_drop(&s, 1e-3);
    if (k == 1) go(&s, .003); /* a stop on the way is another run, a copied state is not */
    if (k == 1) test_end(&s), start_drop(&s, 1e-3);
    go(&s, .03);
    hash[k] = sup_state_hash(s.state);
    test_end(&s);
  }
  omp_set_num_threads(threads);
  CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* Below the shortest step a hard impact stays unresolved: it is counted, and gives no energy. */
static void an_impact_that_min_step_does_not_resolve_is_counted(void) {
  test_scene   s;
  sup_accuracy a = accuracy(1e-4, .1, .1);
  a.min_step = 1e-3;
  start_ball(&s, a, 1e-3);
  run r = go(&s, .5);
  CHECK(r.unresolved > 0);
  double energy = .5 * pow(s.state->v[5], 2) + g * (s.state->q[2] - .05);
  printf("%d of %d steps unresolved, %.3f J of %.3f ", r.unresolved, r.steps, energy, g * .1);
  CHECK(energy <= g * .1 * (1 + 1e-3));
  test_end(&s);
}

/* ---- ways of Newton's method ----------------------------------------------------------------- */

/* The factor of an earlier iteration leads to the same solution, by fewer factors. */
static void bdf2_is_refused_where_joints_move(void) {
  test_scene s;
  start_drop(&s, 1e-3);
  s.options.soft_bdf2 = 1;
  FAILS(sup_options_check(&s.options, s.model), SUP_E_ARG, "'ball' has moving joints");
  s.options.accuracy.tolerance = 0;
  OK(sup_options_check(&s.options, s.model));
  test_end(&s);
}

static void quasi_newton_solves_the_same_with_fewer_factors(void) {
  test_scene s[2];
  int        factors[2] = {0, 0}, iterations[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    start_drop(&s[k], 1e-3);
    sup_stepper_destroy(&s[k].stepper);
    s[k].options.accuracy.tolerance = 0, s[k].options.quasi_newton = k;
    s[k].options.friction_sweeps = 1;
    OK(sup_stepper_create(&s[k].stepper, s[k].model, &s[k].options));
    while (s[k].state->time < .0595) {
      test_step(&s[k]);
      factors[k] += s[k].report.factorisations, iterations[k] += s[k].report.iterations_sum;
    }
  }
  printf("%d factors for %d iterations, quasi %d for %d ", factors[0], iterations[0], factors[1],
         iterations[1]);
  CHECK(factors[1] < factors[0] && iterations[1] >= iterations[0]);
  for (int i = 0; i < 3 * s[0].state->num_vertices; i++)
    NEAR(s[1].state->x[i], s[0].state->x[i], 0, 1e-8);
  test_end(&s[0]), test_end(&s[1]);
}

/* A step that needs more iterations than it has is done in parts that need fewer, and ends at the
   step's end; without convergence control it fails. */
static void a_fixed_step_that_fails_is_done_in_parts(void) {
  for (int k = 0; k < 2; k++) {
    test_scene      s;
    sup_observation obs;
    int             cut = 0;
    start_drop(&s, 1e-3);
    OK(sup_observation_create(&obs, s.model, &s.options));
    sup_stepper_destroy(&s.stepper);
    s.options.accuracy.tolerance = 0, s.options.dt = 5e-3;
    s.options.max_iterations = 6, s.options.friction_sweeps = 1;
    s.options.convergence_control = k;
    OK(sup_stepper_create(&s.stepper, s.model, &s.options));
    sup_status status = SUP_OK;
    for (int n = 1; n <= 12 && status == SUP_OK; n++) {
      sup_v3 before = momentum(&s);
      status = sup_step(s.stepper, s.state, &s.report);
      if (status != SUP_OK) break;
      const sup_step_result *r = sup_stepper_result(s.stepper);
      sup_v3                 sum = sup_v3_make(0, 0, -.008 * 9.81);
      for (int i = 0; i < s.state->num_vertices; i++)
        sum = sup_v3_add(sum, sup_v3_load(r->contact_force + 3 * i));
      sup_v3 gained = sup_v3_sub(momentum(&s), before);
      CHECK(sup_v3_norm(sup_v3_madd(gained, -s.options.dt, sum)) < 1e-9);
      sum = sup_v3_add(sup_v3_make(0, 0, -.008 * 9.81), pair_force(&obs, &s));
      CHECK(sup_v3_norm(sup_v3_madd(gained, -s.options.dt, sum)) < 1e-9);
      CHECK(s.state->step == n && s.state->time == n * s.options.dt);
      cut += s.report.rejected > 0;
    }
    if (k) printf("%d of 12 steps in parts ", cut);
    CHECK(k ? status == SUP_OK && cut > 0 : status == SUP_E_NOT_CONVERGED);
    sup_observation_free(&obs);
    test_end(&s);
  }
}

SUITE_TESTS(error_control, TEST(a_ball_bounces_within_its_accuracy),
            TEST(what_seven_impacts_carry_on_is_told),
            TEST(the_estimate_is_of_second_and_the_step_of_third_order),
            TEST(a_mass_laid_down_costs_no_more_steps_than_its_settling),
            TEST(a_cylinder_on_a_floor_comes_to_rest),
            TEST(the_error_of_a_bar_that_hits_a_wall_falls_with_the_accuracy),
            TEST(the_error_of_a_box_that_sticks_and_slips_falls_with_the_accuracy),
            TEST(the_error_of_what_falls_on_a_floor_falls_with_the_accuracy),
            TEST(forces_are_means_over_the_step_that_close_the_balance),
            TEST(bdf2_is_refused_where_joints_move),
            TEST(a_step_that_fails_at_the_shortest_leaves_the_state),
            TEST(repeats_have_the_same_bits_on_any_number_of_threads),
            TEST(an_impact_that_min_step_does_not_resolve_is_counted),
            TEST(quasi_newton_solves_the_same_with_fewer_factors),
            TEST(a_fixed_step_that_fails_is_done_in_parts));
