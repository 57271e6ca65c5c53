#include "adjoint/observer.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static sup_status take(const sup_observable *observable, const char *prefix, int index,
                       void *user) {
  sup_observer *o = user;
  char          name[SUP_COLUMN_MAX];
  for (int k = 0; k < sup_observable_width(observable); k++) {
    sup_observable_column(observable, k, prefix, name);
    for (int c = 0; c < o->num_columns; c++) {
      sup_observed_column *column = &o->column[c];
      if (strcmp(name, column->name) == 0)
        column->observable = observable, column->index = index, column->k = k;
    }
  }
  return SUP_OK;
}

static sup_status create(sup_observer *o, const sup_model *model, const sup_options *options,
                         const sup_column_def *def, const char *const *name, int num) {
  SUP_TRY(SUP_CALLOC(o->column, num));
  o->num_columns = num;
  for (int c = 0; c < num; c++) o->column[c] = (sup_observed_column){.name = name[c]};
  SUP_TRY(sup_columns_visit(model, options, def, take, o));
  for (int c = 0; c < num; c++) {
    if (!o->column[c].observable)
      return SUP_FAIL(SUP_E_ARG, "the scene has no column '%s'", name[c]);
    o->needs_stress |= !sup_observer_is_of_motion(o, c);
  }
  SUP_TRY((o->needs_stress ? sup_observation_create : sup_observation_create_motion)(&o->obs, model,
                                                                                     options));
  SUP_TRY(SUP_CALLOC(o->pair, def->num_pairs));
  for (int i = 0; i < def->num_pairs; i++) o->pair[i] = sup_columns_pair(&o->obs, def->pair[i]);
  bool has_probe = false;
  for (int c = 0; c < num; c++) has_probe |= o->column[c].observable->quoted == SUP_QUOTED_PROBE;
  if (!has_probe) return SUP_OK;
  o->num_probes = def->num_probes;
  return sup_probes_find(&o->probe, model, def->probes, def->num_probes);
}

sup_status sup_observer_create(sup_observer *o, const sup_model *model, const sup_options *options,
                               const sup_column_def *def, const char *const *name, int num) {
  *o = (sup_observer){0};
  sup_status status = create(o, model, options, def, name, num);
  if (status != SUP_OK) sup_observer_free(o);
  return status;
}

void sup_observer_free(sup_observer *o) {
  if (o->obs.model) sup_observation_free(&o->obs);
  sup_probes_free(&o->probe, o->num_probes);
  SUP_FREE_ALL(&o->pair, &o->column);
  o->num_columns = 0;
}

void sup_observer_measure(sup_observer *o, const sup_state *state, const sup_step_result *result,
                          const sup_step_report *report, int is_motion, double *out) {
  sup_soft_account *account = &o->account;
  double            number[SUP_OBSERVABLE_MAX_WIDTH];
  if (is_motion || !o->needs_stress)
    sup_observation_update_motion(&o->obs, state, result);
  else
    sup_observation_update(&o->obs, state, result);
  if (o->has_account)
    account->numerical = account->first + account->work - account->damping - account->relaxation -
                         o->obs.soft_kinetic - o->obs.elastic;
  for (int c = 0; c < o->num_columns; c++) {
    const sup_observed_column *column = &o->column[c];
    const sup_observed         at = {&o->obs, report, account, o->pair, o->probe, column->index};
    out[c] = (double)NAN;
    if (is_motion && !sup_observer_is_of_motion(o, c)) continue;
    if (column->observable->value(&at, number)) out[c] = number[column->k];
  }
}

void sup_observer_begin_account(sup_observer *o) {
  o->has_account = true;
  o->account = (sup_soft_account){.first = o->obs.soft_kinetic + o->obs.elastic};
}

void sup_observer_account(sup_observer *o, const sup_step_report *report) {
  o->account.work += report->soft_work, o->account.damping += report->soft_damping;
  o->account.relaxation += report->soft_relaxation;
  o->account.joints += report->joint_friction, o->account.rolling += report->rolling_friction;
}

/** True if positions alone decide the column. */
static bool is_of_place(const sup_observer *o, int column) {
  sup_quoted quoted = o->column[column].observable->quoted;
  return quoted == SUP_QUOTED_RIGID || quoted == SUP_QUOTED_PROBE ||
         strcmp(o->column[column].observable->names, "q") == 0;
}

bool sup_observer_is_of_motion(const sup_observer *o, int column) {
  const sup_observed_column *c = &o->column[column];
  bool                       is_of_vertices = strcmp(c->observable->names, "peak_pressure") == 0;
  return is_of_place(o, column) ||
         (strncmp(c->name, "contact.", strlen("contact.")) == 0 && !is_of_vertices);
}

int sup_count_pressing(const sup_step_result *result) {
  int num = 0;
  for (int i = 0; i < result->num_contacts; i++) num += sup_contact_presses(&result->contact[i]);
  return num;
}

double sup_contacts_depth(const sup_contact_list *list) {
  double most = 0;
  for (int i = 0; i < list->count; i++) most = fmax(most, -list->contact[i].phi);
  return most;
}
