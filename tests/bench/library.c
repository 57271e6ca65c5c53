/* Cost of a simulation driven through supple.h over its steps alone, and states of one model
 * that step side by side. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

#include "base/timer.h"
#include "bench.h"
#include "step/step.h"

enum { STEPS = 300, TURN = 25, STATES = 4, STATE_STEPS = 40 };

/** Calls of a controller of the grasp in each step: targets, contacts of both fingers, a pose. */
static sup_status drive(sup_simulator *sim, const int actuator[2], const int pair[2], int body) {
  const sup_contact_patch *patch;
  sup_array                array;
  int                      count;
  double                   target = sup_simulator_time(sim) < 0.5 ? 0 : 0.02;
  for (int k = 0; k < 2; k++)
    SUP_TRY(sup_simulator_set(sim, SUP_SET_TARGET, actuator[k], &target, 1, 0.01));
  SUP_TRY(sup_simulator_step(sim, NULL));
  for (int k = 0; k < 2; k++) SUP_TRY(sup_simulator_contacts(sim, pair[k], &patch, &count));
  SUP_TRY(sup_simulator_read(sim, SUP_READ_POSE, body, &array));
  return SUP_OK;
}

/** The same targets without anything read. */
static sup_status drive_blindly(sup_simulator *sim, sup_stepper *stepper, sup_state *state,
                                const int actuator[2]) {
  sup_step_report report;
  double          target = sup_state_time(state) < 0.5 ? 0 : 0.02;
  for (int k = 0; k < 2; k++)
    SUP_TRY(sup_simulator_set(sim, SUP_SET_TARGET, actuator[k], &target, 1, 0.01));
  SUP_TRY(sup_step(stepper, state, &report));
  return SUP_OK;
}

typedef struct driven {
  sup_scene     *scene;
  sup_model     *model;
  sup_simulator *sim, *blind;
  sup_stepper   *stepper;
  int            actuator[2], pair[2], body;
} driven;

static sup_status open(driven *d) {
  static const char *const drives[2] = {"close_left", "close_right"};
  static const char *const pairs[2] = {"left_finger+cylinder", "right_finger+cylinder"};
  SUP_TRY(sup_scene_load(&d->scene, "examples/finray_grasp.yaml", NULL, 0));
  SUP_TRY(sup_model_create(&d->model, sup_scene_model_def(d->scene)));
  SUP_TRY(sup_scene_simulator_create(&d->sim, d->scene, d->model));
  SUP_TRY(sup_scene_simulator_create(&d->blind, d->scene, d->model));
  SUP_TRY(sup_stepper_create(&d->stepper, d->model, &d->scene->options));
  for (int k = 0; k < 2; k++) {
    SUP_TRY(sup_simulator_find(d->sim, SUP_OBJECT_ACTUATOR, drives[k], &d->actuator[k]));
    SUP_TRY(sup_simulator_find(d->sim, SUP_OBJECT_PAIR, pairs[k], &d->pair[k]));
  }
  SUP_TRY(sup_simulator_find(d->sim, SUP_OBJECT_BODY, "cylinder", &d->body));
  return SUP_OK;
}

static void close(driven *d) {
  sup_stepper_destroy(&d->stepper);
  sup_simulator_destroy(&d->blind);
  sup_simulator_destroy(&d->sim);
  sup_model_destroy(&d->model);
  sup_scene_destroy(&d->scene);
}

/** Turns of 25 steps; a turn is compared with the one of its number. */
static sup_status overhead(driven *d) {
  double     with[STEPS / TURN], without[STEPS / TURN], sum[2] = {0, 0};
  sup_state *state = (sup_state *)(void *)(size_t)sup_simulator_state(d->blind);
  omp_set_num_threads(1);
  for (int turn = 0; turn < STEPS / TURN; turn++) {
    double start = bench_thread_time();
    for (int i = 0; i < TURN; i++) SUP_TRY(drive(d->sim, d->actuator, d->pair, d->body));
    double middle = bench_thread_time();
    for (int i = 0; i < TURN; i++) SUP_TRY(drive_blindly(d->blind, d->stepper, state, d->actuator));
    with[turn] = middle - start, without[turn] = bench_thread_time() - middle;
    sum[0] += with[turn], sum[1] += without[turn];
  }
  bench_report("library.grasp.driven_ms", 1e3 * sum[0] / STEPS, "ms", STEPS);
  bench_report("library.grasp.steps_alone_ms", 1e3 * sum[1] / STEPS, "ms", STEPS);
  bench_report("library.grasp.overhead", bench_median_ratio(with, without, STEPS / TURN) - 1, "1",
               STEPS / TURN);
  bench_report("library.grasp.equal_bits",
               sup_state_hash(sup_simulator_state(d->sim)) == sup_state_hash(state), "1", 1);
  return SUP_OK;
}

/** Every `stride`-th simulator from the first one on, and how many of their steps failed. */
typedef struct share {
  sup_simulator **sim;
  int             first, stride, failed;
} share;

static void *step_share(void *user) {
  share *own = user;
  sup_threads_set(1);
  for (int i = own->first; i < STATES; i += own->stride)
    for (int k = 0; k < STATE_STEPS; k++)
      own->failed += sup_simulator_step(own->sim[i], NULL) != SUP_OK;
  return NULL;
}

/** Steps a second of several states of the model, on so many threads: not OpenMP's, which the
 * bench limits to one. */
static sup_status side_by_side(driven *d, int threads, double *rate) {
  sup_simulator *sim[STATES] = {NULL};
  pthread_t      thread[STATES];
  share          own[STATES];
  int            failed = 0;
  for (int i = 0; i < STATES; i++) SUP_TRY(sup_scene_simulator_create(&sim[i], d->scene, d->model));
  double start = sup_wall_time();
  for (int t = 0; t < threads; t++) {
    own[t] = (share){sim, t, threads, 0};
    if (pthread_create(&thread[t], NULL, step_share, &own[t]) != 0)
      return SUP_FAIL(SUP_E_EXTERNAL, "no thread could be made");
  }
  for (int t = 0; t < threads; t++) pthread_join(thread[t], NULL), failed += own[t].failed;
  *rate = STATES * STATE_STEPS / (sup_wall_time() - start);
  for (int i = 0; i < STATES; i++) sup_simulator_destroy(&sim[i]);
  if (failed)
    return SUP_FAIL(SUP_E_NOT_CONVERGED, "%d steps of states side by side failed", failed);
  return SUP_OK;
}

/** States by supple.Batch of Python: lines of a name, a number and its unit. */
static int batches(void) {
  char   name[100], unit[20];
  double value;
  FILE  *out = popen(
       "SUPPLE_LIBRARY=${SUPPLE_PLUGINS:-build/release}/lib/libsupple.so.0 PYTHONPATH=postproc "
        "${PYTHON:-/usr/bin/python3} tests/bench/batch.py",
       "r");
  if (!out) return 1;
  while (fscanf(out, "%99s %lf %19s", name, &value, unit) == 3) bench_report(name, value, unit, 9);
  return pclose(out) != 0;
}

int bench_library(void) {
  driven     d = {0};
  double     rate[2] = {0, 0};
  sup_status status = open(&d);
  if (status == SUP_OK) status = overhead(&d);
  for (int k = 0; k < 2 && status == SUP_OK; k++) status = side_by_side(&d, k + 1, &rate[k]);
  close(&d);
  if (status != SUP_OK) return bench_fail();
  bench_report("library.states_per_second_1_thread", rate[0], "1/s", 1);
  bench_report("library.states_per_second_2_threads", rate[1], "1/s", 1);
  bench_report("library.states_speedup_2_threads", rate[1] / rate[0], "1", 1);
  return batches();
}
