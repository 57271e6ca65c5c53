#include "study/gradient/point.h"

#include <string.h>

#include "base/memory.h"
#include "study/parameter.h"
#include "study/reduction.h"

/* ---- scene ----------------------------------------------------------------------------------- */

void sup_study_point_free(sup_study_point *p) {
  sup_stepper_destroy(&p->stepper);
  sup_state_destroy(&p->state);
  sup_model_destroy(&p->model);
  sup_scene_destroy(&p->scene);
}

static sup_status build(sup_study_point *p) {
  SUP_TRY(sup_model_create(&p->model, &p->scene->model));
  SUP_TRY(sup_state_create(&p->state, p->model, &p->scene->options));
  SUP_TRY(sup_stepper_create(&p->stepper, p->model, &p->scene->options));
  return SUP_OK;
}

/** The study's scene with `own` overrides behind those of its first case. */
static sup_status load(sup_scene **scene, const sup_study *study, const sup_level *own) {
  const sup_level       *l = &study->family[0].level[0];
  SUP_FREED const char **sets = NULL;
  SUP_TRY(SUP_CALLOC(sets, l->num_sets + own->num_sets));
  for (int i = 0; i < l->num_sets; i++) sets[i] = l->set[i];
  for (int i = 0; i < own->num_sets; i++) sets[l->num_sets + i] = own->set[i];
  return sup_scene_load(scene, study->scene, sets, l->num_sets + own->num_sets);
}

/** Overrides of the parameters whose value is another than the study's. */
static sup_status load_values(sup_scene **scene, const sup_study *study, const double *value) {
  sup_level  own = {0};
  sup_status status = SUP_OK;
  for (int k = 0; k < study->num_parameters && status == SUP_OK; k++)
    if (value[k] != study->parameter[k].value)
      status = sup_level_set(&own, &study->parameter[k], value[k]);
  if (status == SUP_OK) status = load(scene, study, &own);
  for (int i = 0; i < own.num_sets; i++) SUP_FREE(own.set[i]);
  SUP_FREE(own.set);
  return status;
}

sup_status sup_study_point_create(sup_study_point *p, const sup_study *study, const double *value) {
  *p = (sup_study_point){0};
  SUP_TRY(load_values(&p->scene, study, value));
  if (study->is_static) p->scene->output.static_tolerance = p->scene->statics.tolerance;
  p->def = sup_output_columns(&p->scene->output);
  sup_status status = build(p);
  if (status != SUP_OK) {
    status = sup_scene_locate(p->scene, status);
    sup_study_point_free(p);
    return status;
  }
  p->load = (sup_load_scene){.model = p->model,
                             .options = &p->scene->options,
                             .statics = &p->scene->statics,
                             .def = &p->def,
                             .start = p->state,
                             .stepper = p->stepper,
                             .end = p->scene->end_time,
                             .every = {p->scene->output.history_every, p->scene->output.every}};
  return SUP_OK;
}

/* ---- quantities ------------------------------------------------------------------------------ */

static sup_status name_columns(const sup_study *study, sup_study_objectives *o) {
  for (int q = 0; q < study->num_quantities; q++) {
    const sup_quantity_def *def = &study->quantity[q];
    if (def->is_summary)
      return SUP_FAIL_AT(def->place,
                         "'%s' is of the summary, which has no derivative; method: differences "
                         "takes it",
                         def->name);
    for (int k = 0; k < (def->sum ? 0 : def->target && def->target->by ? 2 : 1); k++) {
      o->column[o->num] = k ? def->target->by : def->source;
      o->quantity[o->num] = q, o->objective[o->num].column = o->num;
      o->num++;
    }
  }
  return SUP_OK;
}

/** row [num_steps + 1] := a column of the path. */
static const double *copy_column(const sup_load_path *path, int column, double *row) {
  for (int i = 0; i <= path->num_steps; i++) row[i] = path->value[i * path->num_columns + column];
  return row;
}

/** The terms from the t-th on that are of a quantity. */
static sup_status reduce(const sup_study *study, const sup_load_path *path, int t,
                         sup_study_objectives *o) {
  SUP_FREED double *row = NULL;
  int               q = o->quantity[t], num = path->num_steps + 1;
  bool              has_two = t + 1 < o->num && o->quantity[t + 1] == q;
  SUP_TRY(SUP_CALLOC(row, 2 * num));
  sup_history_rows rows = {num, path->time, copy_column(path, t, row), NULL};
  if (has_two) rows.by = copy_column(path, t + 1, row + num);
  SUP_TRY(sup_rows_reduce(&study->quantity[q], &rows, &o->value[q], o->objective[t].weight,
                          has_two ? o->objective[t + 1].weight : NULL));
  return SUP_OK;
}

static sup_status make_objectives(const sup_study *study, const sup_load_path *path,
                                  sup_study_objectives *o) {
  for (int t = 0; t < o->num; t++) SUP_TRY(SUP_CALLOC(o->objective[t].weight, path->num_steps + 1));
  for (int t = 0; t < o->num; t++)
    if (t == 0 || o->quantity[t] != o->quantity[t - 1]) SUP_TRY(reduce(study, path, t, o));
  for (int q = 0; q < study->num_quantities; q++) {
    const sup_combination *sum = study->quantity[q].sum;
    for (int k = 0; sum && k < sum->num; k++)
      o->value[q] +=
          study->quantity[q].scale * sum->weight[k] * o->value[sum->part[k] - study->quantity];
  }
  return SUP_OK;
}

sup_status sup_study_point_run(const sup_study_point *p, const sup_study *study,
                               sup_motion_beside *beside, int num_beside, double memory,
                               sup_load_path *path, sup_study_objectives *o) {
  *o = (sup_study_objectives){0};
  SUP_TRY(name_columns(study, o));
  SUP_TRY(study->is_static
              ? sup_load_path_run(path, &p->load, o->column, o->num)
              : sup_motion_run(path, &p->load, o->column, o->num, beside, num_beside, memory));
  sup_status status = make_objectives(study, path, o);
  if (status != SUP_OK) sup_load_path_free(path), sup_study_objectives_free(o);
  return status;
}

void sup_study_objectives_free(sup_study_objectives *o) {
  for (int t = 0; t < SUP_MAX_TERMS; t++) SUP_FREE(o->objective[t].weight);
}
