/* The increment as a value: a run has it beside its model. */
#include "model/increment.h"

#include <stdint.h>

#include "base/hash.h"
#include "scene_test.h"
#include "step/static/static_equations.h"
#include "step/stepper.h"

/** A soft bar on a driven slider, a soft cube on the floor, a ball in point contact, a drive, a
 * spring and a load: something of everything that a model holds. */
static void make_scene(test_scene *s, double *time, double *force) {
  test_scene_init(s);
  test_add_bar_on_slider(s, 1, 1e5);
  s->link[0][0].damping = 2;
  sup_link_def *floor = test_add_rigid(s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
  sup_link_def *ball = test_add_rigid(s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.02}}, .1, 0);
  floor->geometries[0].contact.point_stiffness = ball->geometries[0].contact.point_stiffness = 1e4;
  ball->q0[0] = .5, ball->q0[2] = .0199, ball->v0[3] = .1;
  for (int g = 1; g < 3; g++) s->geometry[g].contact.relaxation_time = .03;
  sup_soft_def *cube =
      test_add_soft_box(s, "cube", .04, .04, .04, 2, 2, 2, SUP_PATTERN_KUHN, 2e4, .3, 1000);
  cube->X_WS.p[0] = -.3;
  s->soft[0].X_WS.p[2] = .2;
  s->soft[0].material.stiffness_damping = s->soft[1].material.stiffness_damping = 1e-3;
  s->actuator[0] = (sup_actuator_def){.marker = SUP_INITIALISED,
                                      .name = "drive",
                                      .joint = "slider/joint0",
                                      .kp = 200,
                                      .kd = 5,
                                      .effort = 50};
  s->def.num_actuators = 1;
  test_add_spring(s, "floor", "ball", 5)->rest[0] = .5;
  test_add_force(s, "slider/link0", 2, time, force);
  s->def.contact.model = SUP_MODEL_SAP;
}

/** Options of a run. */
typedef struct run {
  sup_options options;
  int         is_static;
} run;

enum { RUNS = 3, ROUNDS = 20 };

static void make_runs(const test_scene *s, run runs[RUNS]) {
  for (int k = 0; k < RUNS; k++) runs[k] = (run){s->options, 0};
  runs[0].options.dt = 2e-3, runs[0].options.gravity[2] = -9.81;
  runs[1].options.dt = 5e-3, runs[1].options.gravity[2] = -1.62, runs[1].options.gravity[0] = .3;
  runs[1].options.scheme = sup_scheme_implicit_euler(), runs[1].options.soft_bdf2 = 1;
  runs[2].options.gravity[2] = -5, runs[2].is_static = 1;
}

/** A state and a stepper of their own on somebody's model. */
typedef struct runner {
  run          how;
  sup_state   *state;
  sup_stepper *stepper;
} runner;

static void start(runner *r, const run *how, const sup_model *model) {
  r->how = *how;
  OK(sup_state_create(&r->state, model, &how->options));
  OK(sup_stepper_create(&r->stepper, model, &how->options));
}

/** One step, or one of as many load steps. */
static void advance(runner *r) {
  sup_step_report    report;
  sup_static_options o = sup_default_static_options();
  o.steps = ROUNDS;
  if (!r->how.is_static)
    OK(sup_step(r->stepper, r->state, &report));
  else if (r->state->time < o.end)
    OK(sup_static_step(r->stepper, r->state, &o, &report));
}

static void end(runner *r) {
  sup_stepper_destroy(&r->stepper);
  sup_state_destroy(&r->state);
}

/** Hash of a model's contiguous arrays: pairs, drives, shapes and bodies, and of the model itself.
 */
static uint64_t hash_of(const sup_model *m) {
  uint64_t hash = sup_hash_bytes(sup_hash_begin(), m, sizeof *m);
  hash = sup_hash_bytes(hash, m->pair, (size_t)m->num_pairs * sizeof *m->pair);
  hash = sup_hash_bytes(hash, m->actuator, (size_t)m->num_actuators * sizeof *m->actuator);
  hash = sup_hash_bytes(hash, m->geometry, (size_t)m->num_geometries * sizeof *m->geometry);
  hash = sup_hash_bytes(hash, m->soft, (size_t)m->num_softs * sizeof *m->soft);
  return sup_hash_bytes(hash, m->body, (size_t)m->num_bodies * sizeof *m->body);
}

static void one_model_serves_motions_and_an_equilibrium_at_once(void) {
  double     time[2] = {0, .1}, force[6] = {0, 0, 0, 1, 0, 0};
  test_scene s;
  run        runs[RUNS];
  runner     alone, together[RUNS];
  uint64_t   expected[RUNS];
  make_scene(&s, time, force);
  make_runs(&s, runs);
  for (int k = 0; k < RUNS; k++) { /* each on a model of its own */
    OK(sup_model_create(&s.model, &s.def));
    start(&alone, &runs[k], s.model);
    for (int n = 0; n < ROUNDS; n++) advance(&alone);
    CHECK(alone.state->step >= ROUNDS);
    expected[k] = sup_state_hash(alone.state);
    end(&alone);
    sup_model_destroy(&s.model);
    for (int j = 0; j < k; j++) CHECK(expected[j] != expected[k]);
  }
  OK(sup_model_create(&s.model, &s.def));
  uint64_t model = hash_of(s.model);
  for (int k = 0; k < RUNS; k++) start(&together[k], &runs[k], s.model);
  for (int n = 0; n < ROUNDS; n++)
    for (int k = 0; k < RUNS; k++) advance(&together[k]);
  for (int k = 0; k < RUNS; k++) {
    CHECK(sup_state_hash(together[k].state) == expected[k]);
    end(&together[k]);
  }
  CHECK(hash_of(s.model) == model);
  test_end(&s);
}

static void a_stepper_moves_on_from_an_equilibrium_as_a_new_one_does(void) {
  double     time[2] = {0, .1}, force[6] = {0, 0, 0, 1, 0, 0};
  test_scene s;
  run        how;
  runner     old, fresh;
  make_scene(&s, time, force);
  how = (run){s.options, 0};
  OK(sup_model_create(&s.model, &s.def));
  start(&old, &how, s.model), start(&fresh, &how, s.model);
  old.how.is_static = 1;
  for (int n = 0; n < ROUNDS; n++) advance(&old);
  OK(sup_state_copy(fresh.state, old.state));
  old.how.is_static = 0;
  for (int n = 0; n < 5; n++) advance(&old), advance(&fresh);
  CHECK(sup_state_hash(old.state) == sup_state_hash(fresh.state));
  end(&old), end(&fresh);
  test_end(&s);
}

/* A stepper takes increments of any duration, gravity and scheme: what it was created with is what
 * sup_step makes them from. */
static void increments_of_other_options_give_the_bits_of_a_stepper_with_these(void) {
  double          time[2] = {0, .1}, force[6] = {0, 0, 0, 1, 0, 0};
  test_scene      s;
  run             runs[RUNS];
  runner          own, other;
  sup_step_report report;
  make_scene(&s, time, force);
  make_runs(&s, runs);
  OK(sup_model_create(&s.model, &s.def));
  for (int k = 0; k < 2; k++) {
    run how = runs[k];
    how.options.soft_bdf2 = 0; /* whose history is a state's from its creation */
    start(&own, &how, s.model), start(&other, &runs[2], s.model);
    sup_state_destroy(&other.state);
    OK(sup_state_create(&other.state, s.model, &how.options));
    for (int n = 0; n < ROUNDS; n++) {
      sup_increment inc =
          sup_increment_of_motion(&how.options, other.state->time, other.state->step);
      OK(sup_stepper_advance(other.stepper, &inc, other.state, &report));
      OK(sup_step(own.stepper, own.state, &report));
    }
    CHECK(sup_state_time(own.state) == sup_state_time(other.state));
    const sup_step_result *x = sup_stepper_result(own.stepper),
                          *y = sup_stepper_result(other.stepper);
    CHECK(x->contact_energy > 0 && x->contact_energy == y->contact_energy);
    CHECK(sup_state_hash(own.state) == sup_state_hash(other.state));
    end(&own), end(&other);
  }
  test_end(&s);
}

static void the_result_carries_the_increment_that_led_there(void) {
  double     time[2] = {0, .1}, force[6] = {0, 0, 0, 1, 0, 0};
  test_scene s;
  make_scene(&s, time, force);
  test_start(&s);
  for (int n = 0; n < 3; n++) {
    double t0 = s.state->time;
    test_step(&s);
    const sup_increment *inc = &sup_stepper_result(s.stepper)->increment;
    CHECK(inc->t0 == t0 && inc->h == s.options.dt && inc->t1 == s.state->time);
    CHECK(inc->motion == 1 && inc->load == 1 && s.stepper->start.inc == NULL);
  }
  double             t0 = s.state->time;
  sup_static_options o = {
      .marker = SUP_INITIALISED, .end = 1, .steps = 4, .tolerance = 1e-8, .ramp = 1};
  OK(sup_static_step(s.stepper, s.state, &o, &s.report));
  const sup_increment *inc = &sup_stepper_result(s.stepper)->increment;
  CHECK(inc->t0 == t0 && inc->motion == 0 && inc->scheme.theta == 1);
  NEAR(inc->load, s.state->time, 0, 1e-15);
  NEAR(inc->t0 + inc->h, s.state->time, 0, 1e-15);
  NEAR(inc->gravity.z, s.options.gravity[2] * s.state->time, 1e-15, 1e-15);
  o.ramp_end = .5; /* grown at half the time, then constant */
  for (double h = .1; s.state->time + h < 1; h += .1)
    NEAR(sup_static_increment(&s.options, s.state, &o, h).load, fmin(1, 2 * (s.state->time + h)), 0,
         1e-15);
  test_end(&s);
}

static void loads_are_means_in_motion_and_values_of_the_end_at_rest(void) {
  double        time[2] = {0, 1}, value[6] = {0, 0, 0, 2, 4, 6}, constant[3] = {1, 2, 3};
  sup_table     ramp = {2, 3, time, value}, fixed = {1, 3, time, constant};
  sup_options   options = sup_default_options();
  sup_increment inc = sup_increment_of_motion(&options, .5, 50);
  double        out[3];
  sup_increment_load(&inc, &ramp, out);
  for (int c = 0; c < 3; c++) NEAR(out[c], (.5 + .005) * value[3 + c], 1e-14, 0);
  sup_increment_load(&inc, &fixed, out);
  for (int c = 0; c < 3; c++) NEAR(out[c], constant[c], 1e-15, 0);
  inc.motion = 0, inc.load = .25;
  sup_increment_load(&inc, &ramp, out);
  for (int c = 0; c < 3; c++) NEAR(out[c], .51 * value[3 + c], 1e-14, 0);
  sup_increment_load(&inc, &fixed, out);
  for (int c = 0; c < 3; c++) NEAR(out[c], .25 * constant[c], 1e-15, 0);
}

SUITE_TESTS(time_increment, TEST(one_model_serves_motions_and_an_equilibrium_at_once),
            TEST(a_stepper_moves_on_from_an_equilibrium_as_a_new_one_does),
            TEST(increments_of_other_options_give_the_bits_of_a_stepper_with_these),
            TEST(the_result_carries_the_increment_that_led_there),
            TEST(loads_are_means_in_motion_and_values_of_the_end_at_rest));
