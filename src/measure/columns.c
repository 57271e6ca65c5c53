#include "measure/columns.h"

#include <fnmatch.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

sup_status sup_columns_visit(const sup_model *model, const sup_options *options,
                             const sup_column_def *def, sup_columns_put *put, void *user) {
  sup_observed_scene          scene = {model, options, def};
  const sup_observable_group *group;
  for (int g = 0; (group = sup_observable_group_at(g)) != NULL; g++)
    for (int i = 0; i < group->count(&scene); i++) {
      char prefix[SUP_COLUMN_MAX];
      if (!group->prefix(&scene, i, prefix)) continue;
      for (int r = 0; r < group->num_rows; r++)
        if (sup_observable_applies(&group->row[r], &scene, i))
          SUP_TRY(put(&group->row[r], prefix, i, user));
    }
  return SUP_OK;
}

void sup_column_take_nearer(const char *name, const char *column, char *near) {
  const char *pair[2] = {column, near};
  if (sup_text_nearest(name, pair, near[0] ? 2 : 1) == 0) strcpy(near, column);
}

sup_status sup_column_refuse(const char *what, const char *name, const char *near) {
  if (near[0])
    return SUP_FAIL(SUP_E_ARG, "%s: there is no column '%s'; did you mean '%s'?", what, name, near);
  return SUP_FAIL(SUP_E_ARG,
                  "%s: there is no column '%s' in history.csv; `supple help columns` lists them, "
                  "those of contacts and probes stand in output.pairs and output.probes",
                  what, name);
}

/** One name at a time, or one observable at a time. */
typedef struct choice {
  const sup_column_def *def;
  int                   n;      /* name that is looked for */
  bool                  is_met; /* a column has it */
  char                  near[SUP_COLUMN_MAX];
  sup_columns_put      *put;
  void                 *user;
} choice;

static sup_status look_for(const sup_observable *observable, const char *prefix, int index,
                           void *user) {
  choice     *c = user;
  const char *name = c->def->name[c->n];
  (void)index;
  for (int k = 0; k < sup_observable_width(observable); k++) {
    char text[SUP_COLUMN_MAX];
    sup_observable_column(observable, k, prefix, text);
    c->is_met = c->is_met || fnmatch(name, text, 0) == 0;
    sup_column_take_nearer(name, text, c->near);
  }
  return SUP_OK;
}

static sup_status put_named(const sup_observable *observable, const char *prefix, int index,
                            void *user) {
  choice *c = user;
  bool    is_asked = prefix[0] == '\0' && strcmp(observable->names, "time") == 0;
  for (c->n = 0, c->is_met = 0; c->n < c->def->num_names && !c->is_met; c->n++)
    SUP_TRY(look_for(observable, prefix, index, c));
  return is_asked || c->is_met ? c->put(observable, prefix, index, c->user) : SUP_OK;
}

sup_status sup_columns_visit_named(const sup_model *model, const sup_options *options,
                                   const sup_column_def *def, sup_columns_put *put, void *user) {
  choice c = {.def = def, .put = put, .user = user};
  return sup_columns_visit(model, options, def, def->num_names ? put_named : put,
                           def->num_names ? &c : user);
}

static sup_status check_names(const sup_model *model, const sup_options *options,
                              const sup_column_def *def) {
  const char *place = def->names_place ? def->names_place : "output.history";
  for (choice c = {.def = def}; c.n < def->num_names; c.n++) {
    c.is_met = 0, c.near[0] = '\0';
    SUP_TRY(sup_columns_visit(model, options, def, look_for, &c));
    if (!c.is_met) return sup_column_refuse(place, def->name[c.n], c.near);
  }
  return SUP_OK;
}

static bool is_all(const char *name) { return strcmp(name, SUP_COLUMNS_ALL) == 0; }

sup_status sup_columns_check(const sup_model *model, const sup_options *options,
                             const sup_column_def *def) {
  sup_probe *probe = NULL;
  for (int i = 0; i < def->num_pairs; i++) {
    int body[2] = {SUP_NONE, SUP_NONE};
    for (int k = is_all(def->pair[i][0]); k < 2; k++)
      SUP_TRY(sup_output_find_body(&body[k], model, def->pair[i][k], "output pairs"));
    if (body[0] == body[1] && model->body[body[0]].soft == SUP_NONE)
      return SUP_FAIL(
          SUP_E_ARG,
          "output pairs: '%s' is paired with itself; only soft bodies can touch themselves",
          def->pair[i][0]);
  }
  sup_status status = sup_probes_find(&probe, model, def->probes, def->num_probes);
  sup_probes_free(&probe, def->num_probes);
  SUP_TRY(status);
  return check_names(model, options, def);
}

sup_column_pair sup_columns_pair(const sup_observation *obs, char (*name)[2 * SUP_NAME_MAX]) {
  int a = sup_model_find_body(obs->model, name[0]), b = sup_model_find_body(obs->model, name[1]);
  if (is_all(name[0])) return (sup_column_pair){.a = SUP_NONE, .b = b, .pair = SUP_NONE};
  sup_column_pair pair = {.a = a, .b = b, .pair = sup_observation_find_pair(obs, a, b)};
  pair.b_is_first = pair.pair != SUP_NONE && obs->pair[pair.pair].a == b;
  if (pair.pair == SUP_NONE)
    sup_log(SUP_LOG_WARNING,
            "output pairs: '%s' and '%s' never push each other: %s; their columns stay zero",
            name[0], name[1], sup_model_exclusion_reason(obs->model, a, b));
  return pair;
}
