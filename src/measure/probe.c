#include "measure/probe.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"

sup_status sup_output_find_body(int *body, const sup_model *model, const char *name,
                                const char *what) {
  *body = sup_model_find_body(model, name);
  if (*body != SUP_NONE) return SUP_OK;
  const char **names = NULL;
  SUP_TRY(SUP_CALLOC(names, model->num_bodies));
  for (int i = 0; i < model->num_bodies; i++) names[i] = model->body[i].name;
  int        near = sup_text_nearest(name, names, model->num_bodies);
  sup_status status = SUP_OK;
  if (near != SUP_NONE)
    status = SUP_FAIL(SUP_E_ARG, "%s: there is no body '%s'; did you mean '%s'?", what, name,
                      names[near]);
  else if (model->num_bodies == 0)
    status = SUP_FAIL(SUP_E_ARG, "%s: there is no body '%s'; the model has no bodies", what, name);
  else
    status = SUP_FAIL(
        SUP_E_ARG,
        "%s: there is no body '%s'; bodies are named BODY or ROBOT/LINK, for instance '%s'", what,
        name, names[0]);
  SUP_FREE(names);
  return status;
}

sup_status sup_probe_find(sup_probe *probe, const sup_model *model, const sup_probe_def *def) {
  char what[SUP_NAME_MAX + 16];
  int  body;
  SUP_TRY(sup_text_copy(probe->name, sizeof probe->name, def->name));
  snprintf(what, sizeof what, "probe '%s'", probe->name);
  SUP_TRY(sup_output_find_body(&body, model, def->body, what));
  return sup_body_point_find(&probe->at, model, body, def->point, what);
}

sup_status sup_probes_find(sup_probe **probe, const sup_model *model, const sup_probe_def *def,
                           int count) {
  SUP_TRY(SUP_CALLOC(*probe, count));
  for (int i = 0; i < count; i++) SUP_TRY(sup_probe_find(&(*probe)[i], model, &def[i]));
  return SUP_OK;
}

void sup_probes_free(sup_probe **probe, int count) {
  for (int i = 0; *probe && i < count; i++) sup_body_point_free(&(*probe)[i].at);
  SUP_FREE(*probe);
}

sup_v3 sup_probe_position(const sup_probe *probe, const sup_observation *obs) {
  return sup_body_point_position(&probe->at, obs->X_WL, obs->x);
}
