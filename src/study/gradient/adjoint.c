#include "study/gradient/adjoint.h"

#include <math.h>
#include <string.h>

#include "adjoint/load_gradient.h"
#include "base/memory.h"
#include "study/numerics.h"
#include "study/parameter.h"

/** Scene of one case, with all that load steps need. */
typedef struct point {
  sup_scene     *scene;
  sup_model     *model;
  sup_state     *state;
  sup_stepper   *stepper;
  sup_column_def def;
  sup_load_scene load;
} point;

static void point_free(point *p) {
  sup_stepper_destroy(&p->stepper);
  sup_state_destroy(&p->state);
  sup_model_destroy(&p->model);
  sup_scene_destroy(&p->scene);
}

static sup_status build(point *p) {
  SUP_TRY(sup_model_create(&p->model, &p->scene->model));
  SUP_TRY(sup_state_create(&p->state, p->model, &p->scene->options));
  SUP_TRY(sup_stepper_create(&p->stepper, p->model, &p->scene->options));
  return SUP_OK;
}

/** The study's scene with `own` in place of the values of a parameter. */
static sup_status load(sup_scene **scene, const sup_study *study, const sup_level *own) {
  const sup_level       *l = &study->family[0].level[0];
  SUP_FREED const char **sets = NULL;
  SUP_TRY(SUP_CALLOC(sets, l->num_sets + own->num_sets));
  for (int i = 0; i < l->num_sets; i++) sets[i] = l->set[i];
  for (int i = 0; i < own->num_sets; i++) sets[l->num_sets + i] = own->set[i];
  return sup_scene_load(scene, study->scene, sets, l->num_sets + own->num_sets);
}

/** @param[in] parameter  that has `value`; NULL: none */
static sup_status point_create(point *p, const sup_study *study, const sup_parameter *parameter,
                               double value) {
  sup_level own = {0};
  *p = (point){0};
  sup_status status = parameter ? sup_level_set(&own, parameter, value) : SUP_OK;
  if (status == SUP_OK) status = load(&p->scene, study, &own);
  for (int i = 0; i < own.num_sets; i++) SUP_FREE(own.set[i]);
  SUP_FREE(own.set);
  SUP_TRY(status);
  p->scene->output.static_tolerance = p->scene->statics.tolerance;
  p->def = sup_output_columns(&p->scene->output);
  status = build(p);
  if (status != SUP_OK) {
    status = sup_scene_locate(p->scene, status);
    point_free(p);
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

/** The objectives of the study's quantities: column q is that of quantity q. */
typedef struct objectives {
  const char        *column[SUP_MAX_QUANTITIES];
  sup_load_objective objective[SUP_MAX_QUANTITIES];
} objectives;

/** The way that has all columns. */
static sup_status choose_way(const sup_study *study, const sup_load_scene *scene,
                             const objectives *o, sup_load_way *way) {
  sup_observer observer;
  SUP_TRY(sup_observer_create(&observer, scene->model, scene->options, scene->def, o->column,
                              study->num_quantities));
  *way = study->gradient.method == SUP_GRADIENT_TANGENT ? SUP_LOAD_TANGENT : SUP_LOAD_ADJOINT;
  for (int q = 0; q < study->num_quantities; q++)
    if (!sup_observer_is_of_motion(&observer, q)) *way = SUP_LOAD_TANGENT;
  sup_observer_free(&observer);
  return SUP_OK;
}

static sup_status make_objectives(const sup_study *study, const sup_load_path *path,
                                  objectives *o) {
  for (int q = 0; q < study->num_quantities; q++) {
    o->objective[q].column = q;
    SUP_TRY(SUP_CALLOC(o->objective[q].weight, path->num_steps + 1));
    SUP_TRY(weigh(&study->quantity[q], path, q, o->objective[q].weight));
  }
  return SUP_OK;
}

/* ---- gradient -------------------------------------------------------------------------------- */

bool sup_gradient_wants_adjoint(const sup_study *study) {
  return study->gradient.method == SUP_GRADIENT_ADJOINT ||
         study->gradient.method == SUP_GRADIENT_TANGENT ||
         (study->gradient.method == SUP_GRADIENT_AUTO && study->is_static &&
          study->num_parameters > sup_study_numerics.adjoint_parameters);
}

/** Width of differences of the residual [unit of the parameter]: in proportion to the study's. */
static double width_of(const sup_study *study, sup_load_way way, const sup_parameter *parameter) {
  const char *unit = parameter->unit;
  bool   is_place = strcmp(unit, "m") == 0 || strcmp(unit, "rad") == 0 || strcmp(unit, "deg") == 0;
  double share = is_place && way == SUP_LOAD_ADJOINT ? sup_study_numerics.adjoint_place
                 : is_place                          ? sup_study_numerics.tangent_place
                                                     : sup_study_numerics.adjoint_width;
  return share / study->gradient.width * sup_gradient_width(parameter, 0);
}

/** slope [num_quantities] := derivatives by the parameter. */
static sup_status differentiate(const sup_study *study, sup_load_gradient *gradient,
                                const sup_parameter *parameter, sup_load_slope *slope) {
  point          beside[SUP_DIFFERENCE_POINTS] = {{0}};
  sup_load_scene scene[SUP_DIFFERENCE_POINTS];
  double         width = width_of(study, gradient->way, parameter);
  sup_status     status = SUP_OK;
  for (int k = 0; k < SUP_DIFFERENCE_POINTS && status == SUP_OK; k++) {
    status =
        point_create(&beside[k], study, parameter, parameter->value + sup_difference[k].at * width);
    scene[k] = beside[k].load;
  }
  if (status == SUP_OK) status = sup_load_gradient_by(gradient, scene, width, slope);
  for (int k = 0; k < SUP_DIFFERENCE_POINTS; k++) point_free(&beside[k]);
  return status == SUP_OK ? SUP_OK : SUP_FAIL_WRAP(status, parameter->place);
}

static sup_status differentiate_all(sup_study *study, sup_load_gradient *gradient) {
  sup_load_slope slope[SUP_MAX_QUANTITIES];
  for (int p = 0; p < study->num_parameters; p++) {
    SUP_TRY(differentiate(study, gradient, &study->parameter[p], slope));
    for (int q = 0; q < study->num_quantities; q++)
      study->gradient.adjoint[q * study->num_parameters + p] = sup_slope_of_point(
          slope[q].gradient, slope[q].below, slope[q].above, study->gradient.kink);
  }
  return SUP_OK;
}

static sup_status run_path(sup_study *study, const sup_load_path *path, const point *p,
                           objectives *o) {
  sup_load_gradient gradient;
  sup_load_way      way;
  SUP_TRY(make_objectives(study, path, o));
  SUP_TRY(choose_way(study, &p->load, o, &way));
  SUP_TRY(sup_load_gradient_create(&gradient, way, path, o->column, o->objective,
                                   study->num_quantities));
  study->gradient.is_tangent = way == SUP_LOAD_TANGENT;
  sup_status status = differentiate_all(study, &gradient);
  study->gradient.residual = gradient.residual;
  sup_load_gradient_free(&gradient);
  return status;
}

sup_status sup_gradient_run_adjoint(sup_study *study) {
  objectives    o = {{0}};
  point         p;
  sup_load_path path;
  if (!study->is_static)
    return SUP_FAIL(SUP_E_ARG,
                    "the adjoint is that of load steps (mode: static); method: "
                    "differences takes runs of motion");
  for (int q = 0; q < study->num_quantities; q++) {
    if (study->quantity[q].is_summary)
      return SUP_FAIL_AT(study->quantity[q].place,
                         "'%s' is of the summary, which has no derivative; method: differences "
                         "takes it",
                         study->quantity[q].name);
    o.column[q] = study->quantity[q].source;
  }
  SUP_FREE(study->gradient.adjoint);
  SUP_TRY(SUP_CALLOC(study->gradient.adjoint, study->num_quantities * study->num_parameters));
  SUP_TRY(point_create(&p, study, NULL, 0));
  sup_status status = sup_load_path_run(&path, &p.load, o.column, study->num_quantities);
  if (status == SUP_OK) {
    status = run_path(study, &path, &p, &o);
    sup_load_path_free(&path);
  }
  for (int q = 0; q < study->num_quantities; q++) SUP_FREE(o.objective[q].weight);
  if (status != SUP_OK) SUP_FREE(study->gradient.adjoint);
  point_free(&p);
  return status;
}
