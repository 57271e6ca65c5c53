/** When a solution is accepted, and as what: the one rule for iterates, steps and equilibria. Layer
 * solve.
 *
 *  What is judged is the momentum residual r = A v - p - J^T gamma in the norm of D =
 * diag(A)^(-1/2), and its size relative to the momenta (THEORY 5.2).  Equilibria are judged by the
 * residual of the true forces relative to the forces, with the same function. */
#pragma once

#include "solve/problem.h"
#include "supple.h"

/** eps_a of THEORY 5.2 [sqrt(J)], where the square of a residual loses digits.  P0's 1e-14 is 1e-3
 * of the impulse on a body of micrometres. */
static const double sup_absolute_limit = 1e-150;
/** A residual so small, relative to the momenta, may be round-off and is accepted as that; what is
 * larger is an error whatever its cause. */
static const double sup_round_off_limit = 1e-5;

/** D = diag(A)^(-1/2) of THEORY 5.2 [num_scalars]; SUP_NONE or the block of the first diagonal
 * entry that is not positive. */
int sup_momentum_scaling(const sup_problem *problem, double *inv_sqrt_d);
/** Momentum error from ||D r||, ||D A v|| and ||D J^T gamma||. */
double sup_momentum_error(double residual, double momentum, double impulse);
/** Block column of the largest |D r|; a residual that is not finite is the largest. */
int sup_worst_block(const sup_block_pattern *pattern, const double *inv_sqrt_d, const double *r);
/** Largest epsilon A_ii / pivot_i over the scalars of the block columns whose rank is SUP_NONE
 * (NULL: all), where A_ii is the diagonal before the elimination: a mass beside a stiffness 1e15
 * times as large has lost all but a digit, in the sum already, and no residual tells (Higham,
 * Accuracy and Stability, 10.1.1: the error of a pivot is bounded so).
 *  @param[in] diagonal, pivot  [num_scalars]
 *  @param[out] block  of the largest */
double sup_round_off(const sup_block_pattern *pattern, const int *rank, const double *diagonal,
                     const double *pivot, int *block);

/** Of a relative error and its residual [sqrt(J)]: TOLERANCE, ABSOLUTE, or 0: not yet. */
sup_reason sup_accept(double error, double residual, double tolerance);
/** Of the start of an iteration: a solution only when its residual is small against the
 * constraints' impulses alone. Against all momenta the whole impulse of a step on a fast body, or
 * on a light one beside others, may be small, and would be forgotten step after step. */
sup_reason sup_accept_start(double residual, double impulse, double tolerance);
/** Round-off of a momentum residual [sqrt(J)]: of the sums of its terms alone, and with the
 * round-off of velocities that stiff laws amplify (round_off.h). */
typedef struct sup_lost_digits {
  double in_sums, in_all;
} sup_lost_digits;
/** 1: a momentum residual [sqrt(J)] is within its estimated round-off.  The limit of the relative
 * error is waived within the round-off of the sums: a motor that presses a joint against its limit
 * moves nothing, its impulses cancel, and momenta give no scale. */
int sup_is_round_off(double residual, double momentum_error, sup_lost_digits lost);
/** Of momenta that are accepted as `reason` where the solver's law is met to the residual `law`
 * (solver.h): RESIDUAL when that is above the solver's tolerance. */
sup_reason sup_accept_law(sup_reason reason, double law, double tolerance);
/** Two parts together are as good as the reason of the worse: one that failed, the first;
 * round-off; the tolerance. */
sup_reason sup_worse_reason(sup_reason a, sup_reason b);
/** The momentum error that bodies which push each other may have relative to their momenta alone,
 * where that of the whole scene is to be below the tolerance. */
double sup_island_limit(double tolerance);
