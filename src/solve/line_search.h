/** Line search along one direction, by the slope of a convex cost.  Layer solve. */
#pragma once

/** Slope l'(alpha) and curvature l''(alpha) of the cost along the direction; l' is increasing. */
typedef void sup_line_function(double alpha, double *slope, double *curvature, void *user);

typedef struct sup_line_result {
  double alpha;
  int    evaluations;
  int    ok; /* 0: slope0 >= 0 or not finite */
} sup_line_result;

/** alpha in (0, min(1.5, limit)] with |l'(alpha)| <= |l'(0)|/10, the end of it when l' < 0 there:
 * Newton with a bracket, bisection where Newton leaves it (THEORY 5.1).
 *  @param[in] slope0  l'(0) < 0
 *  @param[in] limit   largest alpha at which the cost may be asked for; infinite without barriers
 */
sup_line_result sup_line_search(sup_line_function *function, void *user, double slope0,
                                double limit);
