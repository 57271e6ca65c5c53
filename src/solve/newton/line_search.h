/** Line search along one direction of a convex cost.  Layer solve. */
#pragma once

#include "supple.h"

/** Cost and derivatives at a step length. */
typedef struct sup_line_value {
  double fall;      /* l(0) - l(alpha) [J] */
  double slope;     /* l'(alpha), which is increasing */
  double curvature; /* l''(alpha); only on request */
} sup_line_value;
typedef sup_line_value sup_line_function(double alpha, int with_curvature, void *user);

typedef struct sup_line_result {
  double alpha;
  int    evaluations;
  int    ok; /* 0: the slope at the start is not negative or not finite, or no alpha was found */
} sup_line_result;

/** Function of the step length, and its bounds. */
typedef struct sup_line {
  sup_line_function *function;
  void              *user;
  double             slope; /* l'(0) */
  double limit; /* largest alpha at which the cost is defined; infinite without barriers */
  double noise; /* changes of the cost that are round-off [J] */
} sup_line;

sup_line_result sup_line_search(sup_line_search_kind kind, const sup_line *line);

/** Line searches, one file each: */

/** alpha in (0, min(1.5, limit)] with |l'(alpha)| <= |l'(0)|/10, the end of it when l' < 0 there:
 * Newton with a bracket, bisection where Newton leaves it (THEORY 5.1). */
sup_line_result sup_line_search_exact(const sup_line *line);
/** Backtracking over 1, .8, .8^2, .. (of the limit, where that is shorter): the first that
 * satisfies Armijo's condition l(alpha) <= l(0) + c alpha l'(0), c = 1e-4 (P3 IV-B; Nocedal,
 * Wright, Numerical Optimization, 3.1), and after which the cost does not fall on.  Where costs
 * differ by round-off only, both are those of the parabola with the slopes at 0 and alpha (as in
 * Hager, Zhang, SIAM J. Optim. 16 (2005) 170, eq. 2.3). */
sup_line_result sup_line_search_armijo(const sup_line *line);
