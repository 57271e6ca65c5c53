#include <math.h>

#include "solve/newton/line_search.h"

enum { MAX_EVALUATIONS = 100 };
static const double factor = 0.8;
static const double share = 1e-4; /* c: of the fall that the slope promises */

static int is_noise(const sup_line *line, double change) { return fabs(change) <= line->noise; }

/** Armijo's condition. */
static int is_enough(const sup_line *line, double alpha, const sup_line_value *at) {
  if (!isfinite(at->slope)) return 0;
  if (is_noise(line, at->fall)) return at->slope <= (2 * share - 1) * line->slope;
  return at->fall >= -share * alpha * line->slope;
}

/** 1: the cost at factor alpha, `next`, is below that at alpha; within round-off by the slope. */
static int decreases_further(const sup_line *line, const sup_line_value *at,
                             const sup_line_value *next) {
  static const double half_way = (1 - 0.8) / (1 + 0.8); /* slopes of a parabola as high at both */
  if (is_noise(line, next->fall - at->fall)) return at->slope > -half_way * line->slope;
  return next->fall > at->fall;
}

sup_line_result sup_line_search_armijo(const sup_line *line) {
  sup_line_result out = {fmin(1, line->limit), 1, 1};
  if (!(line->slope < 0)) return (sup_line_result){0, 0, 0};
  sup_line_value at = line->function(out.alpha, 0, line->user);
  for (; out.evaluations < MAX_EVALUATIONS; out.evaluations++) {
    int ends = is_enough(line, out.alpha, &at);
    if (ends && at.slope <= 0) return out; /* convex: shorter ways are higher */
    sup_line_value next = line->function(factor * out.alpha, 0, line->user);
    if (ends && !decreases_further(line, &at, &next)) {
      out.evaluations++;
      return out;
    }
    out.alpha *= factor, at = next;
  }
  return (sup_line_result){0, out.evaluations, 0};
}
