/* Searches from all starts, and the run of the best scene. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/ladder.h"
#include "study/optimize/optimize.h"
#include "study/parameter.h"
#include "study/prepare.h"

/** One search; its variables are the ways of the parameters from the start, over their ranges. */
typedef struct search {
  sup_study *study;
  sup_start *start;
  double     low[SUP_MAX_PARAMETERS], high[SUP_MAX_PARAMETERS], range[SUP_MAX_PARAMETERS];
  double     scale; /* of the objective, with the sign by which the least is the best */
} search;

/** Parameters [unit] of the variables u. */
static void parameters_at(const search *t, const double *u, double *x) {
  for (int p = 0; p < t->study->num_parameters; p++) {
    const sup_parameter *parameter = &t->study->parameter[p];
    x[p] = u[p] <= t->low[p]    ? parameter->low
           : u[p] >= t->high[p] ? parameter->high
                                : t->start->x[p] + t->range[p] * u[p];
  }
}

/* ---- responses ------------------------------------------------------------------------------- */

/** Response at x, in the log. */
static sup_status take(sup_study *study, const double *x, bool with_gradient, int *index) {
  sup_optimize  *o = study->optimize;
  sup_responses *r = &o->responses;
  int            before = r->num;
  SUP_TRY(sup_responses_take(r, x, with_gradient, index));
  if (!r->is_new) return SUP_OK;
  SUP_TRY(sup_optimize_write_log(study, r->runner->folder));
  if (o->tell && r->num > before) o->tell(study, *index);
  return SUP_OK;
}

static void keep_best(search *t, int index) {
  const sup_optimize *o = t->study->optimize;
  const sup_response *list = o->responses.list, *now = &list[index];
  int                *best = &t->start->best;
  bool                is_feasible = sup_optimize_violation(t->study, now) <= o->feasible;
  if (!is_feasible) return;
  if (*best == SUP_NONE || t->scale * sup_optimize_objective(t->study, now) <
                               t->scale * sup_optimize_objective(t->study, &list[*best]))
    *best = index;
}

/** Derivatives by the variables, of the objective and of the excesses. */
static void fill_derivatives(const search *t, const sup_response *r, sup_optimizer_point *point) {
  const sup_optimize *o = t->study->optimize;
  int                 n = t->study->num_parameters;
  for (int p = 0; p < n; p++) {
    point->gradient[p] = 0;
    for (int q = 0; q < t->study->num_quantities; q++)
      if (o->weight[q] != 0)
        point->gradient[p] += t->scale * o->weight[q] * r->gradient[q][p] * t->range[p];
    for (int k = 0; k < o->num_requirements; k++) {
      const sup_requirement *l = &o->requirement[k];
      double                 size = l->bound != 0 ? fabs(l->bound) : 1;
      point->jacobian[k * n + p] =
          (l->is_least ? -1 : 1) * r->gradient[l->quantity][p] * t->range[p] / size;
    }
  }
}

static sup_status evaluate(void *user, const double *u, bool with_gradient,
                           sup_optimizer_point *point) {
  search *t = user;
  double  x[SUP_MAX_PARAMETERS];
  int     index;
  parameters_at(t, u, x);
  SUP_TRY(take(t->study, x, with_gradient, &index));
  const sup_response *r = &t->study->optimize->responses.list[index];
  point->is_there = r->is_there && (r->has_gradient || !with_gradient);
  if (!point->is_there) return SUP_OK;
  point->f = t->scale * sup_optimize_objective(t->study, r);
  for (int k = 0; k < t->study->optimize->num_requirements; k++)
    point->c[k] = sup_optimize_excess(t->study, r, k);
  if (with_gradient) fill_derivatives(t, r, point);
  keep_best(t, index);
  return SUP_OK;
}

/* ---- starts ---------------------------------------------------------------------------------- */

/** Bounds that are shares of values at the start. */
static void fill_bounds(sup_optimize *o, const sup_response *start) {
  for (int k = 0; k < o->num_requirements; k++) {
    sup_requirement *l = &o->requirement[k];
    l->bound = l->is_of_start ? l->given * start->value[l->quantity] : l->given;
  }
}

static sup_status run_start(sup_study *study, int i) {
  sup_optimize *o = study->optimize;
  sup_start    *start = &o->start[i];
  search        t = {.study = study, .start = start};
  double        u[SUP_MAX_PARAMETERS] = {0};
  for (int p = 0; p < study->num_parameters; p++) {
    const sup_parameter *parameter = &study->parameter[p];
    t.range[p] = parameter->high - parameter->low;
    t.low[p] = (parameter->low - start->x[p]) / t.range[p];
    t.high[p] = (parameter->high - start->x[p]) / t.range[p];
  }
  double size = fabs(sup_optimize_objective(study, &o->responses.list[0]));
  t.scale = (o->is_greatest ? -1 : 1) / (size > 0 ? size : 1);
  sup_optimizer optimizer = {
      study->num_parameters, o->num_requirements, t.low,       t.high,   o->method,
      o->evaluations,        o->tolerance,        o->feasible, evaluate, &t};
  o->responses.start = i;
  SUP_TRY(sup_optimizer_run(&optimizer, u, &start->report));
  return SUP_OK;
}

/** Values at the first start, by which bounds and the objective are measured. */
static sup_status run_first(sup_study *study) {
  sup_optimize *o = study->optimize;
  int           index;
  SUP_TRY(
      sup_responses_take(&o->responses, o->start[0].x, o->method != SUP_OPTIMIZER_COBYLA, &index));
  const sup_response *r = &o->responses.list[index];
  if (!r->is_there)
    return SUP_FAIL(SUP_E_GEOMETRY, "the first start does not run: %.400s", r->message);
  fill_bounds(o, r);
  if (o->tell && o->responses.is_new) o->tell(study, index);
  if (o->responses.is_new) SUP_TRY(sup_optimize_write_log(study, o->responses.runner->folder));
  return SUP_OK;
}

static void choose_best(sup_study *study) {
  sup_optimize *o = study->optimize;
  double        sign = o->is_greatest ? -1 : 1, least = HUGE_VAL;
  for (int i = 0; i < o->num_starts; i++) {
    if (o->start[i].best == SUP_NONE) continue;
    double f = sign * sup_optimize_objective(study, &o->responses.list[o->start[i].best]);
    if (f < least) least = f, o->best = o->start[i].best;
  }
}

/** The best scene with all of its output. */
static sup_status run_best(sup_study *study, const sup_level_runner *runner) {
  sup_family   *family = &study->family[0];
  const double *x = study->optimize->responses.list[study->optimize->best].x;
  sup_ladder_free(family);
  SUP_TRY(SUP_CALLOC(family->level, 1));
  family->num_levels = 1;
  snprintf(family->name, sizeof family->name, "best");
  if (study->set) SUP_TRY(sup_level_add_all(&family->level[0], study->set));
  int first = family->level[0].num_sets;
  for (int p = 0; p < study->num_parameters; p++) {
    study->parameter[p].value = x[p];
    SUP_TRY(sup_level_set(&family->level[0], &study->parameter[p], x[p]));
  }
  family->level[0].need = study->optimize->need;
  SUP_TRY(sup_level_label(&family->level[0], first));
  SUP_TRY(sup_level_sign(study, &family->level[0]));
  SUP_TRY(sup_level_runner_run(runner, study));
  return SUP_OK;
}

sup_status sup_optimize_run(sup_study *study, const sup_level_runner *runner) {
  sup_optimize *o = study->optimize;
  o->responses.study = study, o->responses.runner = runner, o->responses.need = o->need;
  SUP_TRY(run_first(study));
  for (int i = 0; i < o->num_starts; i++) SUP_TRY(run_start(study, i));
  choose_best(study);
  SUP_TRY(sup_optimize_write_log(study, runner->folder));
  if (o->best != SUP_NONE) SUP_TRY(run_best(study, runner));
  return SUP_OK;
}
