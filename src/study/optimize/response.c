#include "study/optimize/response.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "study/gradient/slope.h"
#include "study/ladder.h"
#include "study/parameter.h"
#include "study/prepare.h"

/* ---- runs ------------------------------------------------------------------------------------ */

/** Places of the two runs of a difference: on both sides, or both on the side that is left by a
 * bound. */
static void places(const sup_parameter *p, double x, double at[2]) {
  double h = p->width;
  at[0] = x - h, at[1] = x + h;
  if (at[0] < p->low) at[0] = x + 2 * h;
  if (at[1] > p->high) at[1] = x - 2 * h;
}

/** Level at x, parameter `own` elsewhere.
 *  @param[in] own  SUP_NONE: all at x */
static sup_status fill_level(sup_responses *r, sup_level *level, const double *x, int own,
                             double at) {
  const sup_study *study = r->study;
  SUP_TRY(sup_level_begin(level, study->set, study->parameter[0].place));
  int first = level->num_sets;
  for (int p = 0; p < study->num_parameters; p++)
    SUP_TRY(sup_level_set(level, &study->parameter[p], p == own ? at : x[p]));
  level->need = r->need;
  SUP_TRY(sup_level_label(level, first));
  SUP_TRY(sup_level_sign(study, level));
  return SUP_OK;
}

static sup_status begin_levels(sup_responses *r, int num) {
  sup_family *family = &r->study->family[0];
  sup_ladder_free(family);
  SUP_TRY(SUP_CALLOC(family->level, num));
  family->num_levels = num;
  return SUP_OK;
}

/** Two runs for each parameter. */
static sup_status fill_differences(sup_responses *r, const double *x) {
  int n = r->study->num_parameters;
  SUP_TRY(begin_levels(r, 2 * n));
  for (int p = 0; p < n; p++) {
    double at[2];
    places(&r->study->parameter[p], x[p], at);
    for (int k = 0; k < 2; k++)
      SUP_TRY(fill_level(r, &r->study->family[0].level[2 * p + k], x, p, at[k]));
  }
  return SUP_OK;
}

/** Run the levels in the folder of a response.
 *  @param[in] part  "" or a folder in that */
static sup_status run_levels(sup_responses *r, int index, const char *part) {
  const sup_family *family = &r->study->family[0];
  char              folder[SUP_STUDY_PATH_SIZE];
  sup_level_runner  runner = *r->runner;
  snprintf(folder, sizeof folder, "%.3900s/evaluation_%04d%s", r->runner->folder, index + 1, part);
  runner.folder = folder;
  r->runs += family->num_levels;
  SUP_TRY(sup_level_runner_run(&runner, r->study));
  for (int i = 0; i < family->num_levels; i++)
    r->is_new |= family->level[i].status != SUP_LEVEL_KEPT;
  return SUP_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

/** false: a parameter has no run on either side. */
static bool take_gradient(const sup_responses *r, sup_response *response) {
  const sup_study *study = r->study;
  const sup_level *level = study->family[0].level;
  for (int p = 0; p < study->num_parameters; p++) {
    const sup_level *side[2] = {&level[2 * p], &level[2 * p + 1]};
    double           at[2];
    places(&study->parameter[p], response->x[p], at);
    for (int q = 0; q < study->num_quantities; q++) {
      double f[2];
      for (int k = 0; k < 2; k++)
        f[k] = sup_level_is_complete(side[k]) ? side[k]->value[q] : SUP_NO_NUMBER;
      response->gradient[q][p] = sup_slope_through(response->x[p], response->value[q], at, f);
      if (!isfinite(response->gradient[q][p])) return false;
    }
  }
  return true;
}

static void take_values(const sup_responses *r, sup_response *response) {
  const sup_level *level = &r->study->family[0].level[0];
  response->is_there = sup_level_is_complete(level);
  for (int q = 0; q < r->study->num_quantities; q++) {
    response->value[q] = response->is_there ? level->value[q] : SUP_NO_NUMBER;
    response->is_there &= isfinite(level->value[q]);
  }
  snprintf(response->message, sizeof response->message, "%s",
           response->is_there ? "" : level->message);
}

static int find(const sup_responses *r, const double *x) {
  for (int i = 0; i < r->num; i++)
    if (memcmp(r->list[i].x, x, sizeof *x * (size_t)r->study->num_parameters) == 0) return i;
  return r->num;
}

static sup_status run_point(sup_responses *r, const double *x) {
  int index = r->num;
  SUP_TRY(begin_levels(r, 1));
  SUP_TRY(fill_level(r, &r->study->family[0].level[0], x, SUP_NONE, 0));
  SUP_TRY(run_levels(r, index, ""));
  SUP_TRY(SUP_GROW(r->list, r->capacity, index + 1));
  r->list[index] = (sup_response){.start = r->start};
  memcpy(r->list[index].x, x, sizeof *x * (size_t)r->study->num_parameters);
  take_values(r, &r->list[index]);
  r->num++;
  return SUP_OK;
}

static sup_status run_differences(sup_responses *r, const double *x, int index) {
  SUP_TRY(fill_differences(r, x));
  SUP_TRY(run_levels(r, index, "/beside"));
  sup_response *response = &r->list[index];
  response->is_asked = true, response->has_gradient = take_gradient(r, response);
  if (!response->has_gradient)
    snprintf(response->message, sizeof response->message,
             "no derivative: no run on either side in one of the parameters");
  return SUP_OK;
}

sup_status sup_responses_take(sup_responses *r, const double *x, bool with_gradient, int *index) {
  *index = find(r, x);
  r->is_new = false;
  if (*index == r->num) SUP_TRY(run_point(r, x));
  const sup_response *response = &r->list[*index];
  if (with_gradient && response->is_there && !response->is_asked)
    SUP_TRY(run_differences(r, x, *index));
  return SUP_OK;
}

void sup_responses_free(sup_responses *r) { SUP_FREE(r->list); }
