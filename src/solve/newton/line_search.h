/** Line searches: a step length along one direction of a cost.  Layer solve.
 *
 *  A cost is seen as its line, evaluate(alpha) -> value, slope, curvature.
 *
 *      line                                            searches
 *      convex cost of a problem (newton_iteration.c)   exact, armijo: sup_line_search
 *      true cost of a nonlinear step, values alone     halving: direction of Newton's method
 *      (step/true_cost.h)                              lowest: direction of negative curvature
 *
 *  Another search for Newton's method: a word in SUP_LINE_SEARCH_LIST of supple/options.h and a
 * function here; a key of a scene then has the word (scene/solver.c). */
#pragma once

#include "supple/options.h"

/** Derivatives that a search requests; others may be missing. */
typedef enum sup_line_order { SUP_LINE_VALUE, SUP_LINE_SLOPE, SUP_LINE_CURVATURE } sup_line_order;

/** Cost and derivatives at a step length. */
typedef struct sup_line_value {
  double value;     /* l(alpha) - l(0) [J] */
  double slope;     /* l'(alpha), which rises with alpha if l is convex */
  double curvature; /* l''(alpha) */
} sup_line_value;

typedef struct sup_line_result {
  double alpha;
  int    evaluations;
  int    ok; /* 0: the slope at the start is not negative or not finite, or no alpha was found */
} sup_line_result;

/** Function of the step length, and its bounds. */
typedef struct sup_line {
  sup_line_value (*evaluate)(double alpha, sup_line_order order, const void *user);
  const void *user;
  double      slope;       /* l'(0), of exact and armijo */
  double      limit;       /* largest alpha; infinite without barriers */
  double      noise;       /* changes of the cost that are round-off [J] */
  double      noise_slope; /* further noise, proportional to alpha [J] */
} sup_line;

sup_line_result sup_line_search(sup_line_search_kind kind, const sup_line *line);

/** alpha in (0, min(1.5, limit)] with |l'(alpha)| <= |l'(0)|/10, or the end of the interval if l' <
 * 0 there: Newton's method with a bracket, bisection where Newton leaves the bracket (THEORY 5.1).
 */
sup_line_result sup_line_search_exact(const sup_line *line);
/** Backtracking over 1, .8, .8^2, .. (of the limit, where that is shorter): the first that
 * satisfies Armijo's condition l(alpha) <= l(0) + c alpha l'(0), c = 1e-4 (P3 IV-B; Nocedal,
 * Wright, Numerical Optimization, 3.1), and after which the cost does not decrease further.  If
 * costs differ only by round-off, both conditions use the parabola with the slopes at 0 and alpha
 * (as in Hager, Zhang, SIAM J. Optim. 16 (2005) 170, eq. 2.3). */
sup_line_result sup_line_search_armijo(const sup_line *line);
/** First of limit, limit/2, .. (30) at which the cost has not risen, but for noise. */
sup_line_result sup_line_search_halving(const sup_line *line);
/** Step length of lowest cost among limit, limit/2, .. (24 values), up to the first rise after a
 * cost below l(0). */
sup_line_result sup_line_search_lowest(const sup_line *line);
