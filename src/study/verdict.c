#include "study/verdict.h"

#include "study/numerics.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/** "0.4, 1.1": the last of some orders; "-": there was none. */
static const char *list_orders(int count, const double *order, char *text, size_t size) {
  enum { SHOWN = 3 };
  size_t used = 0;
  text[0] = '\0';
  for (int i = count > SHOWN ? count - SHOWN : 0; i < count && used < size; i++) {
    const char *comma = used ? ", " : "";
    int length = isfinite(order[i]) ? snprintf(text + used, size - used, "%s%.2g", comma, order[i])
                                    : snprintf(text + used, size - used, "%s-", comma);
    used += (size_t)length;
  }
  return text;
}

/** The last orders of the changes. */
static const char *orders_text(const sup_convergence *c, char *text, size_t size) {
  return list_orders(c->num_changes, c->change_order, text, size);
}

/** More levels like the last one that bring the error bar below the tolerance. */
static int levels_missing(const sup_ladder_values *l, const sup_convergence *c, double tolerance) {
  double order = c->is_by_layer ? 1 : c->order_used; /* layers get stiffer as cells get thinner */
  double gain = order * log(l->h[l->num_levels - 2] / l->h[l->num_levels - 1]);
  double missing = ceil(log(c->gci / tolerance) / gain - 1e-9);
  return missing < 1 ? 1 : missing > 99 ? 99 : (int)missing;
}

/** 1: the ladder converges to a number other than the reference. */
static int misses_reference(const sup_ladder_values *l, const sup_convergence *c,
                            double tolerance) {
  double off = fabs(c->extrapolated - l->reference);
  return l->has_reference && off > tolerance * fabs(l->reference) && off > c->band;
}

/** ", 0.16 % off the reference"; nothing without one. */
static const char *off_text(const sup_ladder_values *l, char *text, size_t size) {
  text[0] = '\0';
  if (l->has_reference && l->reference != 0)
    snprintf(text, size, ", %.3g %% off the reference",
             100 * fabs(l->value[l->num_levels - 1] - l->reference) / fabs(l->reference));
  return text;
}

/** Grade a ladder of regular convergence by its error against the tolerance. */
static sup_verdict_grade judge_error(const sup_ladder_values *l, const sup_convergence *c,
                                     double tolerance, char text[SUP_VERDICT_SIZE]) {
  char        orders[100], hint[400] = "", off[100];
  const char *by = c->is_by_layer ? "contact layers" : c->is_by_change ? "last change" : "GCI";
  if (c->behaviour == SUP_BEHAVIOUR_SINGLE_ORDER)
    snprintf(hint, sizeof hint, "; one order %sonly, %s: a fourth level would confirm it",
             l->has_reference ? "of the changes " : "", orders_text(c, orders, sizeof orders));
  if (c->behaviour == SUP_BEHAVIOUR_TOO_FEW)
    snprintf(hint, sizeof hint,
             "; two levels and an order of %g that is assumed: a third would confirm it",
             c->order_used);
  if (c->is_above)
    snprintf(hint + strlen(hint), sizeof hint - strlen(hint),
             "; order %.2g is above the method's %g: errors of several kinds cancel there",
             c->change_order[c->num_changes - 1], c->order_used);
  off_text(l, off, sizeof off);
  if (misses_reference(l, c, tolerance)) {
    snprintf(text, SUP_VERDICT_SIZE, "converges to %.6g, not to the reference %.6g",
             c->extrapolated, l->reference);
    return SUP_VERDICT_BAD;
  }
  if (!isfinite(c->gci)) {
    snprintf(text, SUP_VERDICT_SIZE, "converging to %.3g: the error of the finest level is %.3g%s",
             c->extrapolated, c->band, hint);
    return SUP_VERDICT_OPEN;
  }
  if (c->gci <= tolerance) {
    snprintf(text, SUP_VERDICT_SIZE, "converged: the error of the finest level is %.3g %% (%s)%s%s",
             100 * c->gci, by, off, hint);
    return SUP_VERDICT_CONVERGED;
  }
  int levels = levels_missing(l, c, tolerance);
  snprintf(text, SUP_VERDICT_SIZE,
           "converging: the error of the finest level is %.3g %% (%s)%s; %d more level%s would "
           "bring it below %g %%%s",
           100 * c->gci, by, off, levels, levels == 1 ? "" : "s", 100 * tolerance, hint);
  return SUP_VERDICT_OPEN;
}

/** Grade a number whose reference is 0 by the observed orders of convergence. */
static sup_verdict_grade judge_orders(const sup_ladder_values *l, const sup_convergence *c,
                                      char text[SUP_VERDICT_SIZE]) {
  char   orders[100];
  int    n = c->num_orders;
  double finest = c->error[l->num_levels - 1], last = n ? c->order[n - 1] : 0,
         before = n > 1 ? c->order[n - 2] : last;
  if (finest == 0) {
    snprintf(text, SUP_VERDICT_SIZE, "converged: 0 on the finest level");
    return SUP_VERDICT_CONVERGED;
  }
  if (c->behaviour == SUP_BEHAVIOUR_CONSTANT) {
    snprintf(text, SUP_VERDICT_SIZE, "the error does not fall: %.3g on every level", finest);
    return SUP_VERDICT_BAD;
  }
  if (n == 0) {
    snprintf(text, SUP_VERDICT_SIZE, "one level: no order yet; add a level");
    return SUP_VERDICT_OPEN;
  }
  list_orders(n, c->order, orders, sizeof orders);
  if (!(last >= sup_study_numerics.lowest_order)) {
    snprintf(text, SUP_VERDICT_SIZE, "the error does not fall as it should: order%s %s",
             n > 1 ? "s" : "", orders);
    return SUP_VERDICT_BAD;
  }
  if (last < sup_study_numerics.reached * l->formal_order) {
    snprintf(text, SUP_VERDICT_SIZE,
             "the error falls to %.3g with order%s %s, below the method's %g", finest,
             n > 1 ? "s" : "", orders, l->formal_order);
    return SUP_VERDICT_OPEN;
  }
  int settled = n > 1 && fabs(last - before) <= sup_study_numerics.agreement * last;
  snprintf(text, SUP_VERDICT_SIZE, "the error falls to %.3g with order%s %s%s", finest,
           n > 1 ? "s" : "", orders, settled ? "" : "; a level more would confirm it");
  return settled ? SUP_VERDICT_CONVERGED : SUP_VERDICT_OPEN;
}

sup_verdict_grade sup_verdict_ladder(const sup_ladder_values *l, const sup_convergence *c,
                                     double tolerance, char text[SUP_VERDICT_SIZE]) {
  char orders[100];
  if (sup_ladder_is_of_errors(l)) return judge_orders(l, c, text);
  switch (c->behaviour) {
    case SUP_BEHAVIOUR_TOO_FEW:
      if (isfinite(c->extrapolated)) break;
      snprintf(text, SUP_VERDICT_SIZE, "%s: no order yet; add levels, three at least",
               c->num_levels == 1 ? "one level" : "two levels");
      return SUP_VERDICT_OPEN;
    case SUP_BEHAVIOUR_CONSTANT:
      if (misses_reference(l, c, tolerance)) break;
      snprintf(text, SUP_VERDICT_SIZE, "converged: the same on every level");
      return SUP_VERDICT_CONVERGED;
    case SUP_BEHAVIOUR_NOT_MONOTONE:
      snprintf(text, SUP_VERDICT_SIZE,
               "not monotone: the last two changes have opposite signs, errors of several kinds "
               "cancel; add a level");
      return SUP_VERDICT_BAD;
    case SUP_BEHAVIOUR_DIVERGING:
      snprintf(
          text, SUP_VERDICT_SIZE,
          "not converging: the last change is not smaller than the one before%s; add a level%s",
          off_text(l, orders, sizeof orders),
          l->has_reference ? "" : ", unless there is no limit (stress at a sharp corner)");
      return SUP_VERDICT_BAD;
    case SUP_BEHAVIOUR_TOO_CLOSE:
      snprintf(text, SUP_VERDICT_SIZE,
               "no limit: h shrinks by only %.3g from level to level, and below %g the noise of "
               "meshes decides on the order%s; take levels that lie further apart",
               sup_ladder_ratio(l), SUP_LEAST_RATIO, off_text(l, orders, sizeof orders));
      return SUP_VERDICT_OPEN;
    case SUP_BEHAVIOUR_PREASYMPTOTIC:
      snprintf(text, SUP_VERDICT_SIZE, "not yet asymptotic: order%s %s%s; add a level",
               strchr(orders_text(c, orders, sizeof orders), ',') ? "s" : "",
               l->has_reference ? "of the changes " : "", orders);
      return SUP_VERDICT_OPEN;
    case SUP_BEHAVIOUR_SINGLE_ORDER:
    case SUP_BEHAVIOUR_ASYMPTOTIC:
      break;
  }
  return judge_error(l, c, tolerance, text);
}

/* ---- families -------------------------------------------------------------------------------- */

const char *sup_family_lacks_limit(const sup_convergence *c) {
  switch (c->behaviour) {
    case SUP_BEHAVIOUR_NOT_MONOTONE:
      return "not monotone";
    case SUP_BEHAVIOUR_DIVERGING:
      return "not converging";
    case SUP_BEHAVIOUR_TOO_CLOSE:
      return "levels too near to each other";
    case SUP_BEHAVIOUR_PREASYMPTOTIC:
      return "not yet asymptotic";
    case SUP_BEHAVIOUR_TOO_FEW:
    case SUP_BEHAVIOUR_CONSTANT:
    case SUP_BEHAVIOUR_SINGLE_ORDER:
    case SUP_BEHAVIOUR_ASYMPTOTIC:
      break;
  }
  return isfinite(c->extrapolated) ? NULL : "too few levels";
}

/** Relative distance of the farthest two of the numbers that there are; NaN when there are fewer
 * than two. */
static double farthest(int n, const double *value, int *low, int *high) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (!isfinite(value[i])) continue;
    if (count++ == 0) *low = *high = i;
    if (value[i] < value[*low]) *low = i;
    if (value[i] > value[*high]) *high = i;
  }
  if (count < 2) return SUP_NO_NUMBER;
  double scale = fmax(fabs(value[*low]), fabs(value[*high]));
  return scale > 0 ? (value[*high] - value[*low]) / scale : 0;
}

/** Append to a verdict. */
__attribute__((format(printf, 2, 3))) static void say(char        text[SUP_VERDICT_SIZE],
                                                      const char *format, ...) {
  size_t  used = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, SUP_VERDICT_SIZE - used, format, arguments);
  va_end(arguments);
}

/** "T4, H8 and T10": the families whose `in` is set. */
static void say_names(char text[SUP_VERDICT_SIZE], const sup_family_limits *f, const int *in) {
  int left = 0, first = 1;
  for (int i = 0; i < f->num_families; i++) left += in[i];
  for (int i = 0; i < f->num_families; i++) {
    if (!in[i]) continue;
    say(text, "%s%s", first ? "" : left == 1 ? " and " : ", ", f->name[i]);
    first = 0, left--;
  }
}

/** The families without a limit, why, and how far their finest levels are from `value`. */
static void say_rest(char text[SUP_VERDICT_SIZE], const sup_family_limits *f, double value) {
  for (int i = 0; i < f->num_families; i++) {
    if (!f->why[i]) continue;
    say(text, "; %s has no limit yet (%s", f->name[i], f->why[i]);
    if (isfinite(f->finest[i]) && value != 0)
      say(text, ", finest level %.3g %% off", 100 * fabs(f->finest[i] / value - 1));
    say(text, ")");
  }
}

/** No family has a limit: the finest levels are all there is. */
static sup_verdict_grade compare_finest(const sup_family_limits *f, double tolerance,
                                        char text[SUP_VERDICT_SIZE]) {
  int    low, high;
  double off = farthest(f->num_families, f->finest, &low, &high);
  say(text, "no family has a limit yet (");
  for (int i = 0; i < f->num_families; i++)
    say(text, "%s%s: %s", i ? "; " : "", f->name[i], f->why[i]);
  say(text, ")");
  if (isnan(off)) return SUP_VERDICT_OPEN;
  say(text, ", finest levels differ by %.3g %% (%s %.6g, %s %.6g)", 100 * off, f->name[low],
      f->finest[low], f->name[high], f->finest[high]);
  if (off < tolerance) return SUP_VERDICT_OPEN;
  say(text, ": do not trust %s of them", f->num_families == 2 ? "either" : "any");
  return SUP_VERDICT_BAD;
}

sup_verdict_grade sup_verdict_families(const sup_family_limits *f, double tolerance,
                                       char text[SUP_VERDICT_SIZE]) {
  int has[SUP_MAX_FAMILIES] = {0}, meets[SUP_MAX_FAMILIES] = {0}, low, high, some = 0, num = 0,
      num_met = 0;
  double limit[SUP_MAX_FAMILIES];
  for (int i = 0; i < f->num_families; i++) {
    has[i] = !f->why[i];
    limit[i] = has[i] ? f->limit[i] : SUP_NO_NUMBER;
    meets[i] = has[i] && fabs(limit[i] - f->reference) <= tolerance * fabs(f->reference);
    if (has[i]) some = i;
    num += has[i], num_met += meets[i];
  }
  text[0] = '\0';
  if (num == 0) return compare_finest(f, tolerance, text);
  double            off = farthest(f->num_families, limit, &low, &high);
  sup_verdict_grade grade = SUP_VERDICT_CONVERGED;
  if (num == 1 && num_met == 1) {
    say(text, "%s leads to the reference: limit %.6g", f->name[some], limit[some]);
  } else if (num == 1) {
    say(text, "only %s has a limit, %.6g: nothing to compare it with", f->name[some], limit[some]);
    grade = SUP_VERDICT_OPEN;
  } else if (off < tolerance) {
    say_names(text, f, has);
    say(text, " agree: limits within %.3g %%", 100 * off);
  } else {
    say_names(text, f, has);
    say(text, " differ by %.3g %% (limits: %s %.6g, %s %.6g): ", 100 * off, f->name[low],
        limit[low], f->name[high], limit[high]);
    if (num_met)
      say(text, "to the reference %.6g leads ", f->reference), say_names(text, f, meets);
    else
      say(text, "do not trust %s of them", num == 2 ? "either" : "any");
    grade = SUP_VERDICT_BAD;
  }
  say_rest(text, f, limit[some]);
  return grade;
}
