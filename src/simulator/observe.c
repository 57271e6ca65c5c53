/* Columns of history.csv by their names. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "measure/columns.h"
#include "simulator/simulator_parts.h"

static sup_status add_columns(const sup_observable *observable, const char *prefix, int index,
                              void *user) {
  sup_simulator *s = user;
  for (int k = 0; k < sup_observable_width(observable); k++) {
    SUP_TRY(SUP_GROW(s->column, s->column_capacity, s->num_columns + 1));
    sup_simulator_column *column = &s->column[s->num_columns++];
    column->observable = observable, column->index = index, column->k = k;
    sup_observable_column(observable, k, prefix, column->name);
  }
  return SUP_OK;
}

static sup_status list_columns(sup_simulator *s) {
  const sup_column_def def = {.num_pairs = s->num_pairs,
                              .pair = s->pair_name,
                              .recovers = 1,
                              .num_probes = s->num_probes,
                              .probes = s->probe_def};
  if (s->num_columns > 0) return SUP_OK;
  SUP_TRY(sup_columns_visit(s->model, &s->options, &def, add_columns, s));
  return SUP_OK;
}

static sup_status unknown_column(const sup_simulator *s, const char *name) {
  enum { SHOWN = 200 };
  const char *word[SHOWN];
  int         n = s->num_columns < SHOWN ? s->num_columns : SHOWN;
  for (int i = 0; i < n; i++) word[i] = s->column[i].name;
  int near = sup_text_nearest(name, word, n);
  if (near != SUP_NONE)
    return SUP_FAIL(SUP_E_ARG, "there is no observable '%s'; did you mean '%s'?", name, word[near]);
  return SUP_FAIL(
      SUP_E_ARG,
      "there is no observable '%s' among the %d of this simulator; `supple help columns` lists "
      "them, those of contacts and probes must be requested in its definition",
      name, s->num_columns);
}

sup_status sup_simulator_find_observable(sup_simulator *s, const char *name, int *observable) {
  *observable = SUP_NONE;
  SUP_TRY(list_columns(s));
  for (int i = 0; i < s->num_columns; i++)
    if (strcmp(s->column[i].name, name) == 0) {
      *observable = i;
      return SUP_OK;
    }
  sup_status status = unknown_column(s, name);
  return status;
}

const char *sup_simulator_observable_name(sup_simulator *s, int observable) {
  if (list_columns(s) != SUP_OK || observable < 0 || observable >= s->num_columns) return NULL;
  return s->column[observable].name;
}

sup_status sup_simulator_observe(sup_simulator *s, int observable, double *value) {
  double number[SUP_OBSERVABLE_MAX_WIDTH];
  *value = (double)NAN;
  if (observable < 0 || observable >= s->num_columns)
    return SUP_FAIL(SUP_E_ARG,
                    "%d is no handle of an observable of this simulator; "
                    "sup_simulator_find_observable returns handles",
                    observable);
  const sup_simulator_column *column = &s->column[observable];
  SUP_TRY(sup_simulator_arrive(s));
  sup_simulator_update_observation(s, 1);
  const sup_observed at = {&s->obs, &s->report, &s->account, s->pair, s->probe, column->index};
  if (column->observable->value(&at, number)) *value = number[column->k];
  return SUP_OK;
}
