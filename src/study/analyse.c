/* From the numbers of the levels to curves and verdicts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/formal_order.h"
#include "study/numerics.h"

/* ---- one curve ------------------------------------------------------------------------------- */

static void gather(const sup_family *family, int quantity, sup_curve *curve) {
  curve->num_levels = 0;
  for (int i = 0; i < family->num_levels; i++) {
    if (!sup_level_is_complete(&family->level[i])) continue;
    int n = curve->num_levels++;
    curve->level[n] = i;
    curve->h[n] = family->level[i].h;
    curve->value[n] = family->level[i].value[quantity];
  }
}

/** Record a ratio of h below SUP_LEAST_RATIO: with it orders are noisy, also those of given
 * errors. */
static void note_small_ratio(const sup_ladder_values *l, sup_curve *curve) {
  size_t used = strlen(curve->verdict);
  if (!sup_ladder_is_of_errors(l) || l->num_levels < 2 || sup_ladder_ratio(l) >= SUP_LEAST_RATIO)
    return;
  snprintf(curve->verdict + used, SUP_VERDICT_SIZE - used,
           "; h shrinks by %.3g from level to level: orders are uncertain below %g",
           sup_ladder_ratio(l), SUP_LEAST_RATIO);
}

/** Error by contact layers whose yield falls from level to level.  A constant yield is part of the
 * model, or comes from a constant mesh. */
static double layer_error(const sup_family *family, const sup_quantity_def *def,
                          const sup_curve *curve) {
  int n = curve->num_levels;
  if (n < 2) return 0;
  double last = family->level[curve->level[n - 1]].layer,
         before = family->level[curve->level[n - 2]].layer;
  return last < sup_study_numerics.layer * before ? sup_layer_factor(def) * last : 0;
}

void sup_curve_judge(const sup_study *study, const sup_family *family, int quantity,
                     const sup_quantity_def *def, sup_curve *curve) {
  gather(family, quantity, curve);
  if (curve->num_levels == 0) {
    curve->grade = SUP_VERDICT_BAD;
    strcpy(curve->verdict, "no level is complete");
    return;
  }
  sup_ladder_values l = {.num_levels = curve->num_levels,
                         .h = curve->h,
                         .value = curve->value,
                         .has_reference = def->has_reference,
                         .reference = def->reference,
                         .formal_order = study->formal_order,
                         .layer_error = layer_error(family, def, curve),
                         .most_order = sup_formal_order(study->size, family->level, def)};
  curve->convergence = sup_converge(&l);
  curve->grade = sup_verdict_ladder(&l, &curve->convergence, study->tolerance, curve->verdict);
  note_small_ratio(&l, curve);
}

int sup_curve_find(const sup_curve *curve, int level) {
  for (int k = 0; k < curve->num_levels; k++)
    if (curve->level[k] == level) return k;
  return SUP_NONE;
}

double sup_curve_order(const sup_curve *curve, int k) {
  int order = k - (curve->num_levels - curve->convergence.num_orders);
  return k == SUP_NONE || order < 0 || curve->convergence.num_orders == 0
             ? SUP_NO_NUMBER
             : curve->convergence.order[order];
}

/* ---- verdicts of families and of the study --------------------------------------------------- */

/** Append "WHO: TEXT" after a semicolon. */
static void append(char *text, size_t size, const char *who, const char *what) {
  size_t used = strlen(text);
  snprintf(text + used, size - used, "%s%s%s%s", used ? "; " : "", who, who[0] ? ": " : "", what);
}

static void worsen(sup_verdict_grade *grade, sup_verdict_grade other) {
  if (other > *grade) *grade = other;
}

/** Levels without results, by name. */
static void append_failures(sup_study *study, const sup_family *family, char *text, size_t size) {
  char name[2 * SUP_NAME_MAX], what[600];
  for (int i = 0; i < family->num_levels; i++) {
    const sup_level *level = &family->level[i];
    if (sup_level_is_complete(level)) continue;
    sup_level_name(study, family, i, name);
    if (level->status == SUP_LEVEL_FAILED)
      snprintf(what, sizeof what, "failed (%.500s)", level->message);
    else
      snprintf(what, sizeof what, "has not run");
    append(text, size, name, what);
    worsen(&study->grade, SUP_VERDICT_BAD);
  }
}

static void judge_family(sup_study *study, int f) {
  char  *text = study->family_verdict[f];
  size_t size = sizeof study->family_verdict[f];
  text[0] = '\0';
  for (int q = 0; q < study->num_quantities; q++) {
    const sup_curve *curve = sup_study_curve(study, f, q);
    append(text, size, study->num_quantities > 1 ? study->quantity[q].name : "", curve->verdict);
    worsen(&study->grade, curve->grade);
  }
  append_failures(study, &study->family[f], text, size);
}

static void compare_families(sup_study *study) {
  for (int q = 0; q < study->num_quantities; q++) {
    const sup_quantity_def *def = &study->quantity[q];
    double                  reference = def->has_reference ? def->reference : SUP_NO_NUMBER;
    sup_family_limits       limits = {.num_families = study->num_families, .reference = reference};
    char                   *text = study->comparison[q];
    text[0] = '\0';
    if (def->has_reference && def->reference == 0) continue; /* nothing but errors */
    for (int f = 0; f < study->num_families; f++) {
      const sup_curve *curve = sup_study_curve(study, f, q);
      int              n = curve->num_levels;
      limits.name[f] = study->family[f].name;
      limits.why[f] = n ? sup_family_lacks_limit(&curve->convergence) : "no level is complete";
      limits.limit[f] = n ? curve->convergence.extrapolated : SUP_NO_NUMBER;
      limits.finest[f] = n ? curve->value[n - 1] : SUP_NO_NUMBER;
    }
    worsen(&study->grade, sup_verdict_families(&limits, study->tolerance, text));
    append(study->verdict, sizeof study->verdict, study->num_quantities > 1 ? def->name : "", text);
  }
}

void sup_study_analyse(sup_study *study) {
  study->grade = SUP_VERDICT_CONVERGED;
  study->verdict[0] = '\0';
  for (int f = 0; f < study->num_families; f++) {
    for (int q = 0; q < study->num_quantities; q++) {
      sup_curve *curve = sup_study_curve(study, f, q);
      sup_curve_judge(study, &study->family[f], q, &study->quantity[q], curve);
    }
    judge_family(study, f);
  }
  if (study->num_families > 1) compare_families(study);
  for (int f = 0; f < study->num_families; f++)
    append(study->verdict, sizeof study->verdict, study->family[f].name, study->family_verdict[f]);
}
