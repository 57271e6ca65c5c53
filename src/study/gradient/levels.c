#include "study/gradient/levels.h"

#include <math.h>

#include "base/memory.h"
#include "study/numerics.h"
#include "study/prepare.h"

/* ---- studies --------------------------------------------------------------------------------- */

void sup_gradient_levels_free(sup_gradient_levels *levels) {
  for (int i = 0; i + 1 < levels->num; i++) sup_study_destroy(&levels->study[i]);
  *levels = (sup_gradient_levels){0};
}

static sup_status load_coarse(sup_gradient_levels *levels, const sup_study *finest,
                              const char *program) {
  for (int i = 0; i + 1 < levels->num; i++) {
    SUP_TRY(sup_study_load(&levels->study[i], finest->path, finest->kind));
    levels->study[i]->gradient.level = i;
    SUP_TRY(sup_study_prepare(levels->study[i], program));
  }
  return SUP_OK;
}

/** Levels of the ladder := what the scenes of the studies say about their sizes. */
static sup_status measure(const sup_gradient_levels *levels, sup_study *finest) {
  sup_family *ladder = &finest->gradient.ladder;
  for (int i = 0; i < levels->num; i++) {
    const sup_level *from = &levels->study[i]->family[0].level[0];
    sup_level       *to = &ladder->level[i];
    to->edge = from->edge, to->step = from->step, to->accuracy = from->accuracy;
    to->degree = from->degree, to->order_in_time = from->order_in_time;
  }
  return sup_study_set_sizes(finest, ladder, 1);
}

sup_status sup_gradient_levels_create(sup_gradient_levels *levels, sup_study *study,
                                      const char *program) {
  int num = study->gradient.ladder.num_levels;
  *levels = (sup_gradient_levels){.num = num > 0 ? num : 1};
  levels->study[levels->num - 1] = study;
  if (num == 0) return SUP_OK;
  sup_status status = load_coarse(levels, study, program);
  if (status == SUP_OK) status = measure(levels, study);
  if (status != SUP_OK) sup_gradient_levels_free(levels);
  return status;
}

/* ---- error bars ------------------------------------------------------------------------------ */

const sup_curve *sup_gradient_curve(const sup_study *study, int quantity, int parameter) {
  return study->gradient.curve
             ? &study->gradient.curve[quantity * study->num_parameters + parameter]
             : NULL;
}

/** Error of a level's own slope: that of its differences, or of the equations' solution. */
static double noise_of(const sup_study *study, int quantity, int parameter,
                       const sup_slope *slope) {
  const sup_parameter *p = &study->parameter[parameter];
  double exact = sup_study_numerics.exact, value = study->family[0].level[0].value[quantity];
  if (slope->sides != SUP_SLOPE_OF_POINT) return sup_study_numerics.deviations * slope->error;
  return exact *
         fmax(fabs(slope->gradient), sqrt(exact) * fabs(value) / fmax(fabs(p->value), p->width));
}

/** Values of the ladder := slopes of the levels; those that differ by their own errors alone are
 * one.
 *  @return the largest of these errors */
static double collect(const sup_gradient_levels *levels, sup_family *ladder, int q, int p) {
  double noise = 0, low = HUGE_VAL, high = -HUGE_VAL;
  for (int i = 0; i < levels->num; i++) {
    sup_level *level = &ladder->level[i];
    sup_slope  slope = sup_gradient_slope(levels->study[i], q, p);
    level->layer = levels->study[i]->family[0].level[0].layer;
    level->status = isfinite(slope.gradient) ? SUP_LEVEL_DONE : SUP_LEVEL_FAILED;
    level->value[q] = slope.gradient;
    if (level->status == SUP_LEVEL_FAILED) continue;
    noise = fmax(noise, noise_of(levels->study[i], q, p, &slope));
    low = fmin(low, slope.gradient), high = fmax(high, slope.gradient);
  }
  for (int i = 0; i < levels->num && high - low <= noise; i++)
    ladder->level[i].value[q] = ladder->level[levels->num - 1].value[q];
  return noise;
}

sup_status sup_gradient_levels_judge(const sup_gradient_levels *levels) {
  sup_study    *finest = levels->study[levels->num - 1];
  sup_gradient *g = &finest->gradient;
  if (levels->num == 1) return SUP_OK;
  SUP_FREE(g->curve);
  SUP_TRY(SUP_CALLOC(g->curve, finest->num_quantities * finest->num_parameters));
  for (int q = 0; q < finest->num_quantities; q++) {
    sup_quantity_def def = finest->quantity[q];
    def.has_reference = 0; /* it is that of the value */
    for (int p = 0; p < finest->num_parameters; p++) {
      sup_curve *curve = &g->curve[q * finest->num_parameters + p];
      double     noise = collect(levels, &g->ladder, q, p);
      sup_curve_judge(finest, &g->ladder, q, &def, curve);
      curve->convergence.band += noise;
    }
  }
  return SUP_OK;
}
