#include "measure/event_watch.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "measure/columns.h"
#include "model/constraint.h"
#include "model/task.h"
#include "step/step.h"

/** Column of an event. */
typedef struct watched {
  const sup_observable *observable; /* NULL: an event at a time, or not found yet */
  int                   index, k;   /* of the thing in its group; of the column in the observable */
} watched;

struct sup_event_watch {
  const sup_model *model;
  sup_options      options;
  watched         *column; /* [num_events] */
  sup_event_state *before; /* [num_events] */
  int              num_columns;
  sup_observation  obs; /* with columns */
  sup_column_pair *pair;
  int              num_probes;
  sup_probe       *probe;
  /* of the search by names */
  const char *name;
  watched     found;
  char        near[SUP_COLUMN_MAX];
  int         distance;
};

/* ---- columns --------------------------------------------------------------------------------- */

static sup_status compare(const sup_observable *observable, const char *prefix, int index,
                          void *user) {
  sup_event_watch *w = user;
  for (int k = 0; k < sup_observable_width(observable); k++) {
    char text[SUP_COLUMN_MAX];
    sup_observable_column(observable, k, prefix, text);
    if (strcmp(text, w->name) == 0) w->found = (watched){observable, index, k};
    sup_column_take_nearer(w->name, text, w->near);
  }
  return SUP_OK;
}

/** Sums since the start are kept by the files of a run, not by its state. */
static bool is_sum(const char *column) {
  static const char *const sums[] = {"energy.damping",        "energy.relaxation",
                                     "energy.holds",          "energy.numerical_dissipation",
                                     "energy.joint_friction", "energy.rolling_friction"};
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
    if (strcmp(column, sums[i]) == 0) return true;
  return false;
}

static sup_status find_column(sup_event_watch *w, const sup_event *event,
                              const sup_column_def *columns, watched *out) {
  w->name = event->def.column, w->near[0] = '\0', w->found.observable = NULL;
  if (is_sum(w->name))
    return SUP_FAIL(SUP_E_ARG, "%s: '%s' is a sum since the start, which events do not see",
                    event->what, w->name);
  SUP_TRY(sup_columns_visit(w->model, &w->options, columns, compare, w));
  *out = w->found;
  return out->observable ? SUP_OK : sup_column_refuse(event->what, w->name, w->near);
}

static sup_status find_columns(sup_event_watch *w, const sup_column_def *def) {
  sup_column_def columns = *def;
  columns.timing = columns.recovers = 0; /* the one differs from run to run, the other costs much */
  for (int i = 0; i < w->model->num_events; i++) {
    const sup_event *event = &w->model->event[i];
    if (event->def.kind == SUP_EVENT_TIME) continue;
    w->num_columns++;
    SUP_TRY(sup_event_blame(event, find_column(w, event, &columns, &w->column[i])));
  }
  if (w->num_columns == 0) return SUP_OK;
  SUP_TRY(sup_observation_create(&w->obs, w->model, &w->options));
  SUP_TRY(SUP_CALLOC(w->pair, def->num_pairs));
  for (int i = 0; i < def->num_pairs; i++) w->pair[i] = sup_columns_pair(&w->obs, def->pair[i]);
  w->num_probes = def->num_probes;
  return sup_probes_find(&w->probe, w->model, def->probes, def->num_probes);
}

sup_status sup_event_watch_create(sup_event_watch **out, const sup_model *model,
                                  const sup_options *options, const sup_column_def *columns) {
  SUP_OWN(sup_event_watch) *w = NULL;
  *out = NULL;
  if (model->num_events + model->num_tasks == 0) return SUP_OK;
  SUP_TRY(SUP_CALLOC(w, 1));
  w->model = model, w->options = *options;
  SUP_TRY(SUP_CALLOC(w->column, model->num_events));
  SUP_TRY(SUP_CALLOC(w->before, model->num_events));
  SUP_TRY(find_columns(w, columns));
  *out = w, w = NULL;
  return SUP_OK;
}

void sup_event_watch_destroy(sup_event_watch **watch) {
  sup_event_watch *w = *watch;
  if (!w) return;
  if (w->obs.model) sup_observation_free(&w->obs);
  sup_probes_free(&w->probe, w->num_probes);
  SUP_FREE_ALL(&w->column, &w->before, &w->pair, watch);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/** True if the event waits for its moment. */
static bool is_open(const sup_event_watch *w, const sup_state *state, int i) {
  int after = w->model->event[i].after;
  if (sup_task_guard_is_off(w->model, state, i)) return false;
  return w->before[i].fired < 0 && (after == SUP_NONE || w->before[after].fired >= 0);
}

/** True if the column is beyond its bound; *value := its value. */
static bool is_beyond(const sup_event_watch *w, int i, const sup_step_report *report,
                      double *value) {
  static const sup_soft_account none;
  const sup_event_def          *def = &w->model->event[i].def;
  const watched                *column = &w->column[i];
  double                        number[SUP_OBSERVABLE_MAX_WIDTH];
  const sup_observed            at = {&w->obs, report, &none, w->pair, w->probe, column->index};
  if (!column->observable->value(&at, number)) return false;
  *value = number[column->k];
  return def->kind == SUP_EVENT_ABOVE ? *value > def->value : *value < def->value;
}

/** Steps end at the nearest of their times: half a step early or late. */
static bool happens(const sup_event_watch *w, int i, const sup_step_report *report,
                    const sup_state *state, sup_event_state *event) {
  const sup_event_def *def = &w->model->event[i].def;
  double               near = 0.5 * w->options.dt;
  event->value = state->time;
  if (def->kind == SUP_EVENT_TIME) return state->time > def->time - near;
  if (!is_beyond(w, i, report, &event->value)) {
    event->since = -1;
    return false;
  }
  if (event->since < 0) event->since = state->time;
  return state->time - event->since > def->duration - near;
}

static void tell(const sup_event_watch *w, int i, const sup_event_state *event) {
  const sup_event *e = &w->model->event[i];
  if (e->def.kind == SUP_EVENT_TIME)
    sup_log(SUP_LOG_NOTE, "%.6g s: %s", event->fired, e->what);
  else
    sup_log(SUP_LOG_NOTE, "%.6g s: %s, %s %.6g %s", event->fired, e->what, e->def.column,
            event->value, w->column[i].observable->unit);
}

sup_status sup_event_watch_step(sup_event_watch *w, sup_state *state, const sup_step_result *result,
                                sup_step_report *report) {
  bool is_observed = false, any = false;
  if (!w) return SUP_OK;
  memcpy(w->before, state->event, (size_t)state->num_events * sizeof *w->before);
  for (int i = 0; i < state->num_events; i++) {
    if (!is_open(w, state, i)) continue;
    if (w->column[i].observable && !is_observed) {
      sup_observation_update(&w->obs, state, result);
      is_observed = true;
    }
    if (!happens(w, i, report, state, &state->event[i])) continue;
    state->event[i].fired = state->time;
    if (w->model->event[i].task != SUP_NONE) continue; /* the task tells */
    any = true;
    tell(w, i, &state->event[i]);
  }
  SUP_TRY(sup_tasks_step(w->model, w->options.dt, state));
  if (!any) return SUP_OK;
  sup_constraints_begin(w->model, w->before, result->X_WL, state);
  return sup_step_switch_holds(w->model, &w->options, w->before, state, report);
}

void sup_event_watch_end(const sup_event_watch *w, const sup_state *state) {
  if (!w) return;
  for (int i = 0; i < state->num_events; i++)
    if (state->event[i].fired < 0 && w->model->event[i].task == SUP_NONE)
      sup_log(SUP_LOG_NOTE, "%s: not up to the end at %.6g s", w->model->event[i].what,
              state->time);
}
