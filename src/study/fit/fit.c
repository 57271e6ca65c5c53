#include "study/fit/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "study/fit/experiment.h"
#include "study/gradient/gradient.h"
#include "study/ladder.h"
#include "study/numerics.h"
#include "study/parameter.h"
#include "study/prepare.h"
#include "study/quantity.h"

enum { MAX_DAMPINGS = 8 };

/* ---- definition ------------------------------------------------------------------------------ */

static const sup_key fit_keys[] = {
    SUP_CUSTOM("experiments", SUP_KEY_COLLECTION,
               "{press: {data: press.csv, y: {column: contact.cylinder.finger.fx}}}",
               "Measured curves by name.", .need = SUP_NEEDED, .schema = &sup_schema_experiment),
    SUP_INTEGER("rounds", 1, SUP_AT(sup_fit, rounds), "20", "Largest number of steps."),
    SUP_NUMBER("tolerance", SUP_DIM_NUMBER, SUP_BELOW_ONE, SUP_AT(sup_fit, tolerance), "1.0e-4",
               "Relative step of the parameters at which the search ends.")};
static void defaults(void *target) {
  *(sup_fit *)target = (sup_fit){.rounds = 20, .tolerance = 1e-4};
}
const sup_schema sup_schema_fit =
    SUP_SCHEMA("fit", fit_keys, "Measured curves that the parameters are fitted to.",
               SUP_DEFAULTS(defaults, sup_fit));

static sup_status read_experiments(const sup_section *s, const char *path, sup_fit *fit) {
  sup_node *list;
  SUP_TRY(sup_section_require(s, "experiments", &list));
  SUP_TRY(sup_node_check_mapping(list, "experiments"));
  if (list->num_children < 1 || list->num_children > SUP_MAX_EXPERIMENTS)
    return SUP_FAIL_AT(list->place, "a fit has 1 to %d experiments; found %d", SUP_MAX_EXPERIMENTS,
                       list->num_children);
  for (sup_node *c = list->child; c; c = c->next) {
    sup_experiment *e = &fit->experiment[fit->num_experiments++];
    SUP_TRY(sup_experiment_read(path, c, e));
    fit->num_points += e->is_held_back ? 0 : e->num;
  }
  return SUP_OK;
}

sup_status sup_fit_read(sup_study *study, const sup_section *section) {
  sup_section s;
  sup_node   *node;
  SUP_TRY(sup_gradient_read_section(study, section));
  SUP_TRY(sup_parameters_read(study, section));
  SUP_TRY(sup_section_require(section, "fit", &node));
  SUP_TRY(SUP_CALLOC(study->fit, 1));
  defaults(study->fit);
  SUP_TRY(sup_section_open(&s, node, &sup_schema_fit, NULL));
  SUP_TRY(sup_section_read(&s, study->fit));
  SUP_TRY(read_experiments(&s, study->path, study->fit));
  if (study->fit->num_points <= study->num_parameters)
    return SUP_FAIL_AT(node->place,
                       "%d measured points are too few for %d parameters: each needs one more",
                       study->fit->num_points, study->num_parameters);
  study->num_families = 1;
  study->set = sup_section_entry(section, "set");
  return SUP_OK;
}

void sup_fit_destroy(sup_fit **fit) {
  if (!*fit) return;
  for (int i = 0; i < (*fit)->num_experiments; i++) sup_experiment_free(&(*fit)->experiment[i]);
  SUP_FREE(*fit);
}

sup_status sup_fit_prepare(sup_study *study, sup_scene *scene, const char *columns) {
  sup_fit *fit = study->fit;
  for (int p = 0; p < study->num_parameters; p++) {
    sup_parameter *parameter = &study->parameter[p];
    SUP_TRY(sup_parameter_find(study, parameter, scene));
    fit->size[p] =
        parameter->value != 0 ? fabs(parameter->value) : parameter->width / study->gradient.width;
  }
  for (int i = 0; i < fit->num_experiments; i++) {
    SUP_TRY(sup_quantity_check(&fit->experiment[i].x, columns));
    for (int k = 0; k < fit->experiment[i].num_y; k++)
      SUP_TRY(sup_quantity_check(&fit->experiment[i].y[k], columns));
  }
  return SUP_OK;
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct search {
  sup_study              *study;
  sup_fit                *fit;
  const sup_level_runner *runner;
  int                     n, m;
  int                     num_rounds;
  double                  x[SUP_MAX_PARAMETERS], low[SUP_MAX_PARAMETERS], high[SUP_MAX_PARAMETERS];
  double                 *r, *trial, *J; /* [m], [m], [m x n] */
  double                 *y;             /* [points of the longest experiment] */
} search;

/** Residuals in scatters, of the experiments that are fitted: r[0 .. its points). */
static void put_residuals(const sup_experiment *e, const double *y, double *r) {
  for (int i = 0; i < e->num; i++) r[i] = e->weight * (y[i] - e->measured_y[i]) / e->deviation[i];
}

/** Points of fitted experiments before this one. */
static int first_point(const sup_fit *fit, int experiment) {
  int first = 0;
  for (int i = 0; i < experiment; i++)
    first += fit->experiment[i].is_held_back ? 0 : fit->experiment[i].num;
  return first;
}

/** Level of an experiment with one parameter elsewhere.
 *  @param[in] parameter  SUP_NONE: all at x */
static sup_status fill_level(search *t, sup_level *level, const sup_experiment *e, const double *x,
                             int parameter, double at) {
  SUP_TRY(sup_level_begin(level, t->study->set, e->place));
  int first = level->num_sets;
  if (e->set) SUP_TRY(sup_level_add_all(level, e->set));
  for (int p = 0; p < t->n; p++)
    SUP_TRY(sup_level_set(level, &t->study->parameter[p],
                          t->fit->size[p] * (p == parameter ? at : x[p])));
  level->need = t->fit->need;
  SUP_TRY(sup_level_label(level, first));
  SUP_TRY(sup_level_sign(t->study, level));
  return SUP_OK;
}

static sup_status run_levels(search *t, int num_runs) {
  char             folder[SUP_STUDY_PATH_SIZE];
  sup_level_runner runner = *t->runner;
  snprintf(folder, sizeof folder, "%.3900s/round_%03d", t->runner->folder, ++t->num_rounds);
  runner.folder = folder;
  t->fit->runs += num_runs;
  SUP_TRY(sup_level_runner_run(&runner, t->study));
  return SUP_OK;
}

static sup_status begin_levels(search *t, int count) {
  sup_family *family = &t->study->family[0];
  sup_ladder_free(family);
  SUP_TRY(SUP_CALLOC(family->level, count));
  family->num_levels = count;
  return SUP_OK;
}

static sup_status y_of(search *t, int level, const sup_experiment *e, double *y) {
  char folder[SUP_STUDY_PATH_SIZE], round[SUP_STUDY_PATH_SIZE];
  snprintf(round, sizeof round, "%.3900s/round_%03d", t->runner->folder, t->num_rounds);
  sup_level_folder(t->study, &t->study->family[0], level, round, folder);
  SUP_TRY(sup_experiment_find(e, folder, y));
  return SUP_OK;
}

/** Residuals r [m] at x, and y of all experiments.
 *  @param[out] is_there  false: a run failed */
static sup_status residuals(search *t, const double *x, double *r, bool *is_there) {
  sup_fit    *fit = t->fit;
  sup_family *family = &t->study->family[0];
  SUP_TRY(begin_levels(t, fit->num_experiments));
  for (int i = 0; i < fit->num_experiments; i++)
    SUP_TRY(fill_level(t, &family->level[i], &fit->experiment[i], x, SUP_NONE, 0));
  SUP_TRY(run_levels(t, fit->num_experiments));
  *is_there = true;
  for (int i = 0; i < fit->num_experiments; i++) {
    *is_there &= sup_level_is_complete(&family->level[i]);
    if (!*is_there) return SUP_OK;
  }
  for (int i = 0; i < fit->num_experiments; i++) {
    sup_experiment *e = &fit->experiment[i];
    SUP_TRY(y_of(t, i, e, e->found_y));
    if (!e->is_held_back) put_residuals(e, e->found_y, r + first_point(fit, i));
  }
  return SUP_OK;
}

/** Places of the two runs of a difference, within the bounds. */
static void places(const search *t, int p, double at[2]) {
  double h = t->study->parameter[p].width / t->fit->size[p];
  at[0] = fmax(t->x[p] - h, t->low[p]), at[1] = fmin(t->x[p] + h, t->high[p]);
}

/** Column p of J, of one experiment, from two runs, or from one and the residuals at x. */
static sup_status difference(search *t, int p, int experiment, const int level[2]) {
  const sup_experiment *e = &t->fit->experiment[experiment];
  sup_family           *family = &t->study->family[0];
  int                   first = first_point(t->fit, experiment), sides = 0;
  double                at[2];
  places(t, p, at);
  for (int i = 0; i < e->num; i++) t->J[(first + i) * t->n + p] = 0;
  for (int side = 0; side < 2; side++) sides += sup_level_is_complete(&family->level[level[side]]);
  if (sides == 0)
    return SUP_FAIL_AT(e->place, "no run beside the present parameters is possible: %.300s",
                       family->level[level[0]].message);
  double span = sides == 2 ? at[1] - at[0] : 0;
  for (int side = 0; side < 2; side++) {
    if (!sup_level_is_complete(&family->level[level[side]])) continue;
    if (sides == 1) span = side ? at[1] - t->x[p] : t->x[p] - at[0];
    SUP_TRY(y_of(t, level[side], e, t->y));
    for (int i = 0; i < e->num; i++)
      t->J[(first + i) * t->n + p] +=
          (side ? 1 : -1) * e->weight * t->y[i] / e->deviation[i] / span;
  }
  if (sides == 2) return SUP_OK;
  int side = sup_level_is_complete(&family->level[level[1]]);
  for (int i = 0; i < e->num; i++)
    t->J[(first + i) * t->n + p] -=
        (side ? 1 : -1) * e->weight * e->found_y[i] / e->deviation[i] / span;
  return SUP_OK;
}

/** J at x by differences of whole runs. */
static sup_status jacobian(search *t) {
  sup_fit    *fit = t->fit;
  sup_family *family = &t->study->family[0];
  int         fitted[SUP_MAX_EXPERIMENTS], count = 0;
  for (int i = 0; i < fit->num_experiments; i++)
    if (!fit->experiment[i].is_held_back) fitted[count++] = i;
  SUP_TRY(begin_levels(t, 2 * t->n * count));
  for (int p = 0; p < t->n; p++) {
    double at[2];
    places(t, p, at);
    for (int k = 0; k < 2 * count; k++)
      SUP_TRY(fill_level(t, &family->level[2 * count * p + k], &fit->experiment[fitted[k / 2]],
                         t->x, p, at[k % 2]));
  }
  SUP_TRY(run_levels(t, 2 * t->n * count));
  for (int p = 0; p < t->n; p++)
    for (int k = 0; k < count; k++) {
      int first = 2 * count * p + 2 * k, level[2] = {first, first + 1};
      SUP_TRY(difference(t, p, fitted[k], level));
    }
  return SUP_OK;
}

/* ---- search ---------------------------------------------------------------------------------- */

static sup_status begin_search(search *t) {
  sup_fit *fit = t->fit;
  bool     is_there;
  int      longest = 0;
  for (int i = 0; i < fit->num_experiments; i++)
    longest = fit->experiment[i].num > longest ? fit->experiment[i].num : longest;
  SUP_TRY(SUP_CALLOC(t->r, t->m));
  SUP_TRY(SUP_CALLOC(t->trial, t->m));
  SUP_TRY(SUP_CALLOC(t->J, t->m * t->n));
  SUP_TRY(SUP_CALLOC(t->y, longest));
  for (int p = 0; p < t->n; p++) {
    const sup_parameter *parameter = &t->study->parameter[p];
    t->x[p] = parameter->value / fit->size[p];
    t->low[p] = parameter->low / fit->size[p], t->high[p] = parameter->high / fit->size[p];
  }
  SUP_TRY(residuals(t, t->x, t->r, &is_there));
  for (int i = 0; !is_there && i < fit->num_experiments; i++)
    if (!sup_level_is_complete(&t->study->family[0].level[i]))
      return SUP_FAIL(SUP_E_GEOMETRY,
                      "experiment '%s' does not run at the start of the fit: %.400s",
                      fit->experiment[i].name, t->study->family[0].level[i].message);
  fit->start_cost = fit->cost = sup_least_squares_cost(t->m, t->r);
  return SUP_OK;
}

static sup_least_squares problem_of(const search *t) {
  return (sup_least_squares){t->m, t->n, t->r, t->J, t->x, t->low, t->high};
}

/** Try steps of growing damping until the sum of squares falls.
 *  @param[out] length  of the step that was taken, 0: none falls */
static sup_status take_step(search *t, double *damping, double *length) {
  double            step[SUP_MAX_PARAMETERS], x[SUP_MAX_PARAMETERS];
  sup_least_squares s = problem_of(t);
  *length = 0;
  for (int k = 0; k < MAX_DAMPINGS; k++, *damping *= sup_study_numerics.damping_growth) {
    bool   is_there;
    double size = 0, decrease = sup_least_squares_step(&s, *damping, step);
    for (int p = 0; p < t->n; p++)
      x[p] = t->x[p] + step[p], size = fmax(size, fabs(step[p]) / fmax(fabs(t->x[p]), 1e-3));
    if (decrease <= t->fit->tolerance * t->fit->cost) return SUP_OK;
    SUP_TRY(residuals(t, x, t->trial, &is_there));
    double cost = is_there ? sup_least_squares_cost(t->m, t->trial) : HUGE_VAL;
    if (!(cost < t->fit->cost)) continue;
    memcpy(t->x, x, sizeof x);
    memcpy(t->r, t->trial, sizeof(double) * (size_t)t->m);
    t->fit->cost = cost, t->fit->steps++, *length = size;
    *damping /= sup_study_numerics.damping_growth;
    return SUP_OK;
  }
  return SUP_OK;
}

/* ---- intervals ------------------------------------------------------------------------------- */

/** Sum of squares beside the solution: parameter p moved by ways[2 p] and by ways[2 p + 1], the
 * others to where the linear model has its least; HUGE_VAL where a run fails: rise [2 n]. */
static sup_status rises(search *t, const double *ways, double *rise) {
  sup_fit          *fit = t->fit;
  sup_family       *family = &t->study->family[0];
  sup_least_squares s = problem_of(t);
  int               count = fit->num_experiments;
  SUP_TRY(begin_levels(t, 2 * t->n * count));
  for (int k = 0; k < 2 * t->n; k++) {
    double x[SUP_MAX_PARAMETERS];
    sup_least_squares_along(&s, k / 2, ways[k], x);
    for (int p = 0; p < t->n; p++) x[p] += t->x[p];
    for (int i = 0; i < count; i++)
      SUP_TRY(fill_level(t, &family->level[k * count + i], &fit->experiment[i], x, SUP_NONE, 0));
  }
  SUP_TRY(run_levels(t, 2 * t->n * count));
  for (int k = 0; k < 2 * t->n; k++) {
    bool is_there = true;
    for (int i = 0; i < count && is_there; i++) {
      const sup_experiment *e = &fit->experiment[i];
      if (e->is_held_back) continue;
      is_there = sup_level_is_complete(&family->level[k * count + i]);
      if (is_there) SUP_TRY(y_of(t, k * count + i, e, t->y));
      if (is_there) put_residuals(e, t->y, t->trial + first_point(fit, i));
    }
    rise[k] = is_there ? 2 * (sup_least_squares_cost(t->m, t->trial) - fit->cost) : HUGE_VAL;
  }
  return SUP_OK;
}

/** Ends of the linear intervals, within the bounds. */
static void first_ways(const search *t, double *ways) {
  const sup_fit_statistics *s = &t->fit->statistics;
  for (int p = 0; p < t->n; p++) {
    double half = fmin(fmax(s->by_scatter[p], s->by_residuals[p]), sup_study_numerics.widest);
    ways[2 * p] = fmax(-half, t->low[p] - t->x[p]);
    ways[2 * p + 1] = fmin(half, t->high[p] - t->x[p]);
  }
}

/** Intervals of the linear model, moved until the sum of squares of runs at their ends rises as it
 * should: where parameters act less and less, the linear ones are too narrow. */
static sup_status find_intervals(search *t) {
  enum { ROUNDS = 2 };
  double ways[2 * SUP_MAX_PARAMETERS], rise[2 * SUP_MAX_PARAMETERS];
  double wanted = t->fit->statistics.rise;
  first_ways(t, ways);
  for (int round = 0; round < ROUNDS && isfinite(wanted); round++) {
    SUP_TRY(rises(t, ways, rise));
    for (int k = 0; k < 2 * t->n; k++) {
      double most = sup_study_numerics.widening,
             ratio = rise[k] > 0 ? sqrt(wanted / rise[k]) : most;
      ways[k] *= isfinite(rise[k]) ? fmin(fmax(ratio, 1 / most), most) : 1;
      ways[k] = fmin(fmax(t->x[k / 2] + ways[k], t->low[k / 2]), t->high[k / 2]) - t->x[k / 2];
    }
  }
  for (int p = 0; p < t->n; p++) {
    t->fit->from[p] = t->fit->size[p] * (t->x[p] + ways[2 * p]);
    t->fit->to[p] = t->fit->size[p] * (t->x[p] + ways[2 * p + 1]);
  }
  return SUP_OK;
}

/** Statistics and values at the solution; runs that failed or were worse came after the best. */
static sup_status finish_search(search *t) {
  bool              is_there;
  sup_least_squares s = problem_of(t);
  sup_least_squares_statistics(&s, &t->fit->statistics);
  SUP_TRY(find_intervals(t));
  SUP_TRY(residuals(t, t->x, t->r, &is_there));
  for (int p = 0; p < t->n; p++) t->study->parameter[p].value = t->fit->size[p] * t->x[p];
  return SUP_OK;
}

static sup_status run_search(search *t) {
  double damping = sup_study_numerics.first_damping, length;
  SUP_TRY(begin_search(t));
  SUP_TRY(jacobian(t));
  for (int k = 0; k < t->fit->rounds && !t->fit->is_converged; k++) {
    SUP_TRY(take_step(t, &damping, &length));
    t->fit->is_converged = length < t->fit->tolerance;
    if (length > 0) SUP_TRY(jacobian(t));
  }
  SUP_TRY(finish_search(t));
  return SUP_OK;
}

sup_status sup_fit_run(sup_study *study, const sup_level_runner *runner) {
  search t = {.study = study, .fit = study->fit, .runner = runner};
  t.n = study->num_parameters, t.m = study->fit->num_points;
  sup_status status = run_search(&t);
  SUP_FREE_ALL(&t.r, &t.trial, &t.J, &t.y);
  return status;
}

/* ---- results --------------------------------------------------------------------------------- */

/** Parameters that move together along the direction of the least singular value. */
static void name_direction(const sup_study *study, int own, char *text, size_t size) {
  const sup_fit_statistics *s = &study->fit->statistics;
  int                       n = study->num_parameters;
  const double             *direction = s->direction + (n - 1) * n;
  for (int p = 0; p < n; p++)
    if (p != own && fabs(direction[p]) > sup_study_numerics.partner * fabs(direction[own])) {
      size_t used = strlen(text);
      snprintf(text + used, size - used, "%s '%s'", used ? " and" : "together with",
               study->parameter[p].name);
    }
}

void sup_fit_remark(const sup_study *study, int p, char text[SUP_FIT_TEXT_SIZE]) {
  const sup_parameter *parameter = &study->parameter[p];
  double half = 0.5 * (study->fit->to[p] - study->fit->from[p]), value = fabs(parameter->value);
  char   with[SUP_FIT_TEXT_SIZE / 2] = "";
  text[0] = '\0';
  if (parameter->value <= parameter->low || parameter->value >= parameter->high)
    snprintf(text, SUP_FIT_TEXT_SIZE, "at its bound: no interval");
  else if (!(half <= sup_study_numerics.identifiable * value)) {
    name_direction(study, p, with, sizeof with);
    snprintf(text, SUP_FIT_TEXT_SIZE,
             "not identifiable: these data leave it open by %.3g %% %s%sof its value",
             100 * half / value, with, with[0] ? " " : "");
  }
}

double sup_experiment_error(const sup_experiment *e, double *largest) {
  double square = 0, whole = 0;
  *largest = 0;
  for (int i = 0; i < e->num; i++) {
    double r = e->found_y[i] - e->measured_y[i];
    square += r * r, whole += e->measured_y[i] * e->measured_y[i];
    if (e->measured_y[i] != 0) *largest = fmax(*largest, fabs(r / e->measured_y[i]));
  }
  return whole > 0 ? sqrt(square / whole) : SUP_NO_NUMBER;
}
