#include "solve/newton/line_search.h"

#include <math.h>

sup_line_result sup_line_search(sup_line_search_kind kind, const sup_line *line) {
#define ROW(NAME, name) [SUP_LINE_SEARCH_##NAME] = sup_line_search_##name,
  static sup_line_result (*const table[])(const sup_line *) = {SUP_LINE_SEARCH_LIST(ROW)};
#undef ROW
  return table[kind](line);
}

enum { MAX_EVALUATIONS = 100 };
static const double alpha_max = 1.5;
static const double slope_tol = 0.1; /* of |l'(0)|: more costs evaluations and saves no iteration */
static const double alpha_tol = 1e-14;

sup_line_result sup_line_search_exact(const sup_line *line) {
  sup_line_result out = {0, 0, 0};
  double          slope0 = line->slope, end = fmin(alpha_max, line->limit), first = fmin(1, end);
  if (!(slope0 < 0)) return out;
  out.ok = 1;
  sup_line_value at = line->function(first, 1, line->user);
  double         f = at.slope, df = at.curvature;
  out.evaluations++;
  if (!isfinite(f)) return (sup_line_result){0, out.evaluations, 0};
  out.alpha = first;
  if (fabs(f) <= slope_tol * -slope0) return out;
  double low = 0, high = first;
  if (f < 0) {
    if (first == end) return out;
    out.evaluations++;
    if (line->function(end, 1, line->user).slope <= 0) {
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
    if (fabs(step) < alpha_tol) break;
    at = line->function(alpha, 1, line->user);
    f = at.slope, df = at.curvature;
    out.evaluations++;
    if (fabs(f) <= slope_tol * -slope0) break;
    if (f < 0)
      low = alpha;
    else
      high = alpha;
  }
  out.alpha = alpha;
  return out;
}
