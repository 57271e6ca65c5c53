#include "measure/columns.h"

#include <string.h>

#include "base/log.h"

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

static bool is_all(const char *name) { return strcmp(name, SUP_COLUMNS_ALL) == 0; }

sup_status sup_columns_check(const sup_model *model, const sup_column_def *def) {
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
  return status;
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
