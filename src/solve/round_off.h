/** Round-off of a momentum residual.  Layer solve. */
#pragma once

#include "solve/accept.h"
#include "solve/problem.h"

/** Estimate of ||D r|| of r = A v - p - J^T gamma(J v + b) in floating point, at a v that solves
 * the problem: epsilon times the sums of the absolute terms, |A| |v| + |p| + |J|^T (|gamma| + |G|
 * (|J| |v| + |b|)).  The last term is the round-off of v_c amplified by stiff laws; Higham,
 * Accuracy and Stability, 3.1 and 3.5, with the constants left out.
 *  @param[in] law         [num_constraints] in force; NULL: the problem's
 *  @param[in] vc          [num_vc] J v + b
 *  @param[in] inv_sqrt_d  [num_scalars] D
 *  @param[out] size       [num_scalars] these sums, a scale for parts of the residual
 *  @return the estimate [sqrt(J)], with and without the last term */
sup_round_off_estimate sup_residual_round_off(const sup_problem *problem, const sup_law *law,
                                              const double *v, const double *vc,
                                              const double *inv_sqrt_d, double *size);
