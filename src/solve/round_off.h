/** What a momentum residual loses to rounding.  Layer solve. */
#pragma once

#include "solve/problem.h"

/** A residual so small, relative to the momenta, may be round-off and is accepted as that; what is larger is an error
 *  whatever its cause. */
static const double sup_round_off_limit = 1e-5;

/** Estimate of ||D r|| of r = A v - p - J^T gamma(J v + b) in floating point, at a v that solves the problem: epsilon
 *  times the sums of the absolute terms, |A| |v| + |p| + |J|^T (|gamma| + |G| (|J| |v| + |b|)).  The last term is what
 *  stiff laws make of the rounding of v_c; Higham, Accuracy and Stability, 3.1 and 3.5, with the constants left out.
 *  @param[in] vc          [num_vc] J v + b
 *  @param[in] inv_sqrt_d  [num_scalars] D
 *  @param[out] work       [num_scalars]
 *  @return the estimate [sqrt(J)] */
double sup_residual_round_off(const sup_problem *problem, const double *v, const double *vc, const double *inv_sqrt_d,
                              double *work);
/** Is a momentum residual [sqrt(J)], with its relative size, no more than that? */
int sup_is_round_off(double residual, double momentum_error, double estimate);
