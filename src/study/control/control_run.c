/* Optimisation of a control study, with a fixed or a receding horizon. */
#include <string.h>

#include "scene/scene.h"
#include "study/control/control.h"

/** Arguments of the progress of one optimisation. */
typedef struct watch {
  sup_control_study    *control;
  sup_control_progress *progress;
  void                 *user;
  int                   stops; /* 1: the user did */
  sup_status            status;
} watch;

static int told(void *user, const sup_ilqr_report *report, double alpha) {
  watch             *w = user;
  sup_control_study *c = w->control;
  size_t             needed = 3 * ((size_t)c->num_iterations + 1);
  w->status = SUP_GROW(c->history, c->history_capacity, needed);
  if (w->status != SUP_OK) return 1;
  double *row = c->history + 3 * c->num_iterations++;
  row[0] = report->cost, row[1] = report->decrease, row[2] = alpha;
  w->stops = w->progress && w->progress(w->user, c, report, alpha);
  return w->stops;
}

static sup_status create(sup_study *study, int threads, int num_steps, sup_trajectory **out) {
  const sup_control_study *c = study->control;
  const sup_trajectory_def def = {.model = c->model,
                                  .options = c->scene->options,
                                  .start = c->start,
                                  .num_steps = num_steps,
                                  .num_controls = c->num_controls,
                                  .num_terms = c->num_terms,
                                  .threads = threads,
                                  .controls = c->controls,
                                  .low = c->low,
                                  .high = c->high,
                                  .effort = c->effort,
                                  .terms = c->terms};
  SUP_TRY(sup_trajectory_create(out, &def));
  return SUP_OK;
}

static sup_status optimise(sup_trajectory *trajectory, watch *w, int iterations) {
  sup_control_study     *c = w->control;
  const sup_ilqr_options options = {iterations, c->tolerance, told, w};
  SUP_TRY(sup_trajectory_optimise(trajectory, &options, &c->report));
  SUP_TRY(w->status);
  return w->stops ? SUP_FAIL(SUP_E_INTERRUPTED, "stopped after %d iterations", c->num_iterations)
                  : SUP_OK;
}

/** The study's controls, step after step: y and the cost. */
static sup_status apply(sup_control_study *c, sup_trajectory *trajectory) {
  SUP_OWN(sup_transition) *transition = NULL;
  SUP_OWN(sup_state)      *state = NULL;
  double                   part;
  SUP_TRY(sup_transition_create(&transition, c->model, &c->scene->options, c->controls,
                                c->num_controls));
  SUP_TRY(sup_state_create(&state, c->model, &c->scene->options));
  SUP_TRY(sup_state_copy(state, c->start));
  c->cost = 0;
  for (int k = 0; k <= c->num_steps; k++) {
    int           is_final = k == c->num_steps;
    const double *u = c->u + (size_t)(k * c->num_controls);
    SUP_TRY(sup_trajectory_measure(trajectory, state, c->y + (size_t)(k * c->num_terms)));
    SUP_TRY(sup_trajectory_cost(trajectory, state, is_final, &part));
    c->cost += part;
    for (int i = 0; i < c->num_controls && !is_final; i++)
      c->cost += c->scene->options.dt * c->effort[i] * u[i] * u[i];
    if (!is_final) SUP_TRY(sup_transition_step(transition, state, u, state));
  }
  return SUP_OK;
}

/** Optimisations over the horizon, after each of which so many steps are done at once. */
static sup_status recede(sup_trajectory *trajectory, watch *w, int at_once) {
  sup_control_study *c = w->control;
  size_t             m = (size_t)c->num_controls;
  for (int k = 0; k < c->num_steps; k++)
    memcpy(c->u + (size_t)k * m, sup_trajectory_controls(trajectory), m * sizeof *c->u);
  SUP_TRY(apply(c, trajectory));
  c->first = c->cost;
  for (int k = 0; k < c->num_steps; k += at_once) {
    int steps = k + at_once < c->num_steps ? at_once : c->num_steps - k;
    SUP_TRY(optimise(trajectory, w, k == 0 ? c->max_iterations : c->receding.iterations));
    memcpy(c->u + (size_t)k * m, sup_trajectory_controls(trajectory),
           (size_t)steps * m * sizeof *c->u);
    SUP_TRY(sup_trajectory_shift(trajectory, steps));
  }
  return SUP_OK;
}

static void take_times(sup_control_study *c, const sup_trajectory *trajectory) {
  sup_trajectory_times times = sup_trajectory_time(trajectory);
  c->seconds_rollouts = times.rollouts, c->seconds_derivatives = times.derivatives;
  c->num_rollouts = times.num_rollouts, c->num_linearisations = times.num_derivatives;
}

static sup_status whole(sup_trajectory *trajectory, watch *w) {
  sup_control_study     *c = w->control;
  const sup_ilqr_policy *policy = sup_trajectory_policy(trajectory);
  size_t                 count = (size_t)(c->num_steps * c->num_controls);
  SUP_TRY(optimise(trajectory, w, c->max_iterations));
  c->first = c->report.first;
  memcpy(c->u, sup_trajectory_controls(trajectory), count * sizeof *c->u);
  size_t num_x = (size_t)sup_transition_num_x(sup_trajectory_transition(trajectory));
  SUP_TRY(SUP_CALLOC(c->gains, count * num_x));
  memcpy(c->gains, policy->K, count * num_x * sizeof *c->gains);
  return SUP_OK;
}

sup_status sup_control_run(sup_study *study, int threads, sup_control_progress *progress,
                           void *user) {
  SUP_OWN(sup_trajectory) *trajectory = NULL;
  sup_control_study       *c = study->control;
  watch                    w = {.control = c, .progress = progress, .user = user};
  double                   dt = c->scene->options.dt;
  int                      ahead = c->num_steps;
  if (c->receding.horizon > 0) ahead = (int)(c->receding.horizon / dt + 0.5);
  SUP_TRY(SUP_CALLOC(c->u, c->num_steps * c->num_controls));
  SUP_TRY(SUP_CALLOC(c->y, (c->num_steps + 1) * c->num_terms));
  SUP_TRY(create(study, threads, ahead > 0 ? ahead : 1, &trajectory));
  if (c->receding.horizon > 0)
    SUP_TRY(recede(trajectory, &w, c->receding.apply < ahead ? c->receding.apply : ahead));
  else
    SUP_TRY(whole(trajectory, &w));
  take_times(c, trajectory);
  SUP_TRY(apply(c, trajectory));
  return SUP_OK;
}
