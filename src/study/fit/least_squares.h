/** Bounded nonlinear least squares: one step of Levenberg and Marquardt, and the statistics of its
 * solution.  Parameters are in units of their own size.  Layer study. */
#pragma once

#include "study/study.h"

/** Residuals r [m] and Jacobian J [m x n], row-major, at x [n]; r in units of their scatter. */
typedef struct sup_least_squares {
  int           m, n;
  const double *r, *J, *x, *low, *high;
} sup_least_squares;

/** Half the sum of squares. */
double sup_least_squares_cost(int m, const double *r);
/** Step [n] that minimises |r + J step|^2 + damping |D step|^2, D^2 the diagonal of J^T J, within
 * the bounds: parameters at a bound that would leave it are fixed.
 *  @return the predicted decrease of the cost, 0: no parameter is free */
double sup_least_squares_step(const sup_least_squares *s, double damping, double *step);

/** Step [n] with the least sum of squares of those that move one parameter by `way`, within the
 * bounds. */
void sup_least_squares_along(const sup_least_squares *s, int parameter, double way, double *step);

/** Statistics at the solution. */
typedef struct sup_fit_statistics {
  int    num_free;
  double chi_square, degrees;              /* sum of squares, m - num_free */
  double by_scatter[SUP_MAX_PARAMETERS];   /* half width of 95 %, by J^T J and the given scatter */
  double by_residuals[SUP_MAX_PARAMETERS]; /* by the residuals: times s and Student's quantile */
  double rise;                             /* of the sum of squares at the ends of intervals */
  double correlation[SUP_MAX_PARAMETERS * SUP_MAX_PARAMETERS];
  double singular[SUP_MAX_PARAMETERS];                       /* of J, the largest first */
  double direction[SUP_MAX_PARAMETERS * SUP_MAX_PARAMETERS]; /* row k: of singular[k] */
} sup_fit_statistics;

/** Half widths are infinite along directions without any effect, and of parameters at a bound 0. */
void sup_least_squares_statistics(const sup_least_squares *s, sup_fit_statistics *statistics);
/** Quantile .975 of Student's distribution (Hill 1970). */
double sup_student_quantile(double degrees);
