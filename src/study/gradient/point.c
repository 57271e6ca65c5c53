#include "study/gradient/point.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "study/parameter.h"

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
  p->scene->output.static_tolerance = p->scene->statics.tolerance;
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
                             .stepper = p->stepper};
  return SUP_OK;
}

/* ---- quantities ------------------------------------------------------------------------------ */

/** weight [rows] := the quantity as a sum over the rows of its column, at their present values. */
static sup_status weigh(const sup_quantity_def *def, const sup_load_path *path, int column,
                        double *weight) {
  int    n = path->num_columns, first = SUP_NONE, last = SUP_NONE, at = SUP_NONE;
  double span = 0;
  for (int r = 0; r <= path->num_steps; r++) {
    double t = path->time[r], v = path->value[r * n + column];
    if (def->take == SUP_WINDOW_AT || t < def->from || t > def->to || !isfinite(v)) continue;
    if (first == SUP_NONE) first = at = r;
    double from = path->value[first * n + column], best = path->value[at * n + column];
    if (def->take == SUP_WINDOW_MAX         ? v > best
        : def->take == SUP_WINDOW_MIN       ? v < best
        : def->take == SUP_WINDOW_EXCURSION ? fabs(v - from) > fabs(best - from)
                                            : fabs(v) > fabs(best))
      at = r;
    if (last != SUP_NONE && def->take == SUP_WINDOW_MEAN) {
      double half = 0.5 * (t - path->time[last]);
      weight[last] += half, weight[r] += half, span += 2 * half;
    }
    last = r;
  }
  if (first == SUP_NONE && def->take != SUP_WINDOW_AT)
    return SUP_FAIL(SUP_E_ARG, "'%s' has no row in its window", def->name);
  switch (def->take) {
    case SUP_WINDOW_END:
      weight[last] = 1;
      break;
    case SUP_WINDOW_CHANGE:
      weight[last] += 1, weight[first] -= 1;
      break;
    case SUP_WINDOW_MAX:
    case SUP_WINDOW_MIN:
    case SUP_WINDOW_PEAK:
      weight[at] = 1;
      break;
    case SUP_WINDOW_EXCURSION:
      weight[at] += 1, weight[first] -= 1;
      break;
    case SUP_WINDOW_MEAN:
      for (int r = 0; r <= path->num_steps; r++) weight[r] /= span > 0 ? span : 1;
      if (!(span > 0)) weight[last] = 1;
      break;
    default:
      for (int r = 0; r < path->num_steps; r++) {
        double t0 = path->time[r], t1 = path->time[r + 1];
        if (def->at < t0 || def->at > t1) continue;
        weight[r] = (t1 - def->at) / (t1 - t0), weight[r + 1] = (def->at - t0) / (t1 - t0);
        break;
      }
  }
  for (int r = 0; r <= path->num_steps; r++) weight[r] *= def->scale;
  return SUP_OK;
}

static sup_status name_columns(const sup_study *study, sup_study_objectives *o) {
  for (int q = 0; q < study->num_quantities; q++) {
    if (study->quantity[q].is_summary)
      return SUP_FAIL_AT(study->quantity[q].place,
                         "'%s' is of the summary, which has no derivative; method: differences "
                         "takes it",
                         study->quantity[q].name);
    o->column[q] = study->quantity[q].source;
  }
  return SUP_OK;
}

static sup_status make_objectives(const sup_study *study, const sup_load_path *path,
                                  sup_study_objectives *o) {
  for (int q = 0; q < study->num_quantities; q++) {
    o->objective[q].column = q;
    SUP_TRY(SUP_CALLOC(o->objective[q].weight, path->num_steps + 1));
    SUP_TRY(weigh(&study->quantity[q], path, q, o->objective[q].weight));
  }
  return SUP_OK;
}

sup_status sup_study_point_run(const sup_study_point *p, const sup_study *study,
                               sup_load_path *path, sup_study_objectives *o) {
  *o = (sup_study_objectives){{0}};
  SUP_TRY(name_columns(study, o));
  SUP_TRY(sup_load_path_run(path, &p->load, o->column, study->num_quantities));
  sup_status status = make_objectives(study, path, o);
  if (status != SUP_OK) sup_load_path_free(path), sup_study_objectives_free(o);
  return status;
}

void sup_study_objectives_free(sup_study_objectives *o) {
  for (int q = 0; q < SUP_MAX_QUANTITIES; q++) SUP_FREE(o->objective[q].weight);
}

double sup_study_value(const sup_load_path *path, const sup_study_objectives *o, int q) {
  double sum = 0;
  for (int row = 0; row <= path->num_steps; row++)
    if (o->objective[q].weight[row] != 0)
      sum += o->objective[q].weight[row] * path->value[row * path->num_columns + q];
  return sum;
}
