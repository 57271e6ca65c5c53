#include "solve/newton/line_search.h"
#include "solve/newton/numerics.h"

#include <math.h>

sup_line_result sup_line_search(sup_line_search_kind kind, const sup_line *line) {
#define ROW(NAME, name) [SUP_LINE_SEARCH_##NAME] = sup_line_search_##name,
  static sup_line_result (*const table[])(const sup_line *) = {SUP_LINE_SEARCH_LIST(ROW)};
#undef ROW
  return table[kind](line);
}

enum { MAX_EVALUATIONS = 100 };

/* ---- exact ----------------------------------------------------------------------------------- */

sup_line_result sup_line_search_exact(const sup_line *line) {
  sup_line_result out = {0, 0, 0};
  double          slope0 = line->slope, end = fmin(sup_newton_numerics.search_longest, line->limit),
         first = fmin(1, end);
  if (!(slope0 < 0)) return out;
  out.ok = 1;
  sup_line_value at = line->evaluate(first, SUP_LINE_CURVATURE, line->user);
  double         f = at.slope, df = at.curvature;
  out.evaluations++;
  if (!isfinite(f)) return (sup_line_result){0, out.evaluations, 0};
  out.alpha = first;
  if (fabs(f) <= sup_newton_numerics.search_slope * -slope0) return out;
  double low = 0, high = first;
  if (f < 0) {
    if (first == end) return out;
    out.evaluations++;
    if (line->evaluate(end, SUP_LINE_SLOPE, line->user).slope <= 0) {
      out.alpha = end;
      return out;
    }
    low = first, high = end;
  }
  double alpha = first, step = high - low, step_before = step;
  while (out.evaluations < MAX_EVALUATIONS) {
    double newton = df > 0 ? alpha - f / df : low - 1;
    if (newton <= low || newton >= high || fabs(2 * f) > fabs(step_before * df)) {
      step_before = step;
      step = 0.5 * (high - low);
      alpha = low + step;
    } else {
      step_before = step;
      step = alpha - newton;
      alpha = newton;
    }
    if (fabs(step) < sup_newton_numerics.search_width) break;
    at = line->evaluate(alpha, SUP_LINE_CURVATURE, line->user);
    f = at.slope, df = at.curvature;
    out.evaluations++;
    if (fabs(f) <= sup_newton_numerics.search_slope * -slope0) break;
    if (f < 0)
      low = alpha;
    else
      high = alpha;
  }
  out.alpha = alpha;
  return out;
}

/* ---- Armijo ---------------------------------------------------------------------------------- */

static bool is_noise(const sup_line *line, double change) { return fabs(change) <= line->noise; }

/** Armijo's condition. */
static bool is_enough(const sup_line *line, double alpha, const sup_line_value *at) {
  if (!isfinite(at->slope)) return 0;
  if (is_noise(line, at->value))
    return at->slope <= (2 * sup_newton_numerics.armijo - 1) * line->slope;
  return at->value <= sup_newton_numerics.armijo * alpha * line->slope;
}

/** 1: the cost at factor alpha, `next`, is below that at alpha; within round-off by the slope. */
static int decreases_further(const sup_line *line, const sup_line_value *at,
                             const sup_line_value *next) {
  const double factor = sup_newton_numerics.armijo_factor;
  const double half_way = (1 - factor) / (1 + factor); /* of a parabola with equal values at both */
  if (is_noise(line, next->value - at->value)) return at->slope > -half_way * line->slope;
  return next->value < at->value;
}

sup_line_result sup_line_search_armijo(const sup_line *line) {
  sup_line_result out = {fmin(1, line->limit), 1, 1};
  if (!(line->slope < 0)) return (sup_line_result){0, 0, 0};
  sup_line_value at = line->evaluate(out.alpha, SUP_LINE_SLOPE, line->user);
  for (; out.evaluations < MAX_EVALUATIONS; out.evaluations++) {
    int ends = is_enough(line, out.alpha, &at);
    if (ends && at.slope <= 0) return out; /* convex: shorter steps have higher values */
    sup_line_value next =
        line->evaluate(sup_newton_numerics.armijo_factor * out.alpha, SUP_LINE_SLOPE, line->user);
    if (ends && !decreases_further(line, &at, &next)) {
      out.evaluations++;
      return out;
    }
    out.alpha *= sup_newton_numerics.armijo_factor, at = next;
  }
  return (sup_line_result){0, out.evaluations, 0};
}

/* ---- values alone ---------------------------------------------------------------------------- */

sup_line_result sup_line_search_halving(const sup_line *line) {
  enum { HALVINGS = 30 };
  double alpha = line->limit;
  for (int k = 0; k < HALVINGS; k++, alpha *= 0.5)
    if (!(line->evaluate(alpha, SUP_LINE_VALUE, line->user).value >
          line->noise + alpha * line->noise_slope))
      return (sup_line_result){alpha, k + 1, 1};
  return (sup_line_result){0, HALVINGS, 0};
}

sup_line_result sup_line_search_lowest(const sup_line *line) {
  enum { HALVINGS = 24 };
  sup_line_result out = {0};
  double          alpha = line->limit, lowest = 0;
  while (out.evaluations < HALVINGS) {
    double now = line->evaluate(alpha, SUP_LINE_VALUE, line->user).value;
    out.evaluations++;
    if (now < lowest)
      lowest = now, out.alpha = alpha, out.ok = 1;
    else if (out.ok)
      break;
    alpha *= 0.5;
  }
  return out;
}
