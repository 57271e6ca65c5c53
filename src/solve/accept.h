/** Acceptance of a solution and its reason: one rule for iterates, steps and equilibria.  Layer
 * solve.
 *
 *  Criterion is the momentum residual r = A v - p - J^T gamma in the norm of D = diag(A)^(-1/2),
 * absolute and relative to the momenta (THEORY 5.2).  For equilibria the same function judges the
 * residual of the true forces relative to the forces. */
#pragma once

#include "solve/problem.h"
#include "supple/report.h"

/** D = diag(A)^(-1/2) of THEORY 5.2 [num_scalars]; SUP_NONE or the block of the first diagonal
 * entry that is not positive. */
int sup_momentum_scaling(const sup_problem *problem, double *inv_sqrt_d);
/** Momentum error from ||D r||, ||D A v|| and ||D J^T gamma||. */
double sup_momentum_error(double residual, double momentum, double impulse);
/** Block column of the largest |D r|; a residual that is not finite is the largest. */
int sup_worst_block(const sup_block_pattern *pattern, const double *inv_sqrt_d, const double *r);
/** Largest epsilon A_ii / pivot_i over the scalars of the block columns whose rank is SUP_NONE
 * (NULL: all), where A_ii is the diagonal before the elimination: a mass beside a stiffness 1e15
 * times as large loses all but one digit in the sum, which no residual shows (bound of a pivot's
 * error: Higham, Accuracy and Stability, 10.1.1).
 *  @param[in] diagonal, pivot  [num_scalars]
 *  @param[out] block  of the largest */
double sup_round_off(const sup_block_pattern *pattern, const int *rank, const double *diagonal,
                     const double *pivot, int *block);

/** Reason by a relative error and its residual [sqrt(J)]: TOLERANCE, ABSOLUTE; 0: not accepted. */
sup_reason sup_accept(double error, double residual, double tolerance);
/** Reason for the start of an iteration: accepted only if its residual is small relative to the
 * constraints' impulses alone.  Relative to all momenta, a step's impulse on a fast body, or on a
 * light body beside others, may be below the tolerance and would be dropped in each step. */
sup_reason sup_accept_start(double residual, double impulse, double tolerance);
/** Round-off of a momentum residual [sqrt(J)]: of the sums of its terms alone, and with the
 * round-off of velocities that stiff laws amplify (round_off.h). */
typedef struct sup_round_off_estimate {
  double in_sums, in_all;
} sup_round_off_estimate;
/** 1: a momentum residual [sqrt(J)] is within its estimated round-off.  Within the round-off of the
 * sums the limit of the relative error does not apply: if a motor presses a joint against its
 * limit, nothing moves, the impulses cancel, and momenta give no scale. */
int sup_is_round_off(double residual, double momentum_error, sup_round_off_estimate lost);
/** `reason`, or RESIDUAL if momenta are accepted but the residual `law` of the solver's law
 * (solver.h) is above its tolerance. */
sup_reason sup_accept_law(sup_reason reason, double law, double tolerance);
/** Reason of two parts together: that of the first failed part; STALL; round-off; the tolerance. */
sup_reason sup_reason_combine(sup_reason a, sup_reason b);
/** Limit of an island's momentum error relative to its own momenta, where `tolerance` is that of
 * the whole scene. */
double sup_island_limit(double tolerance);
