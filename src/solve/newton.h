/** Primal-dual Newton with a line search on the problem of one step, and the friction sweeps around it.  Layer solve.
 *
 *  THEORY 5.1 (iteration and line search; slip directions: law.h), 5.2 (stopping by the momentum error), 15.4 (sweeps).
 */
#pragma once

#include "la/linear_solver.h"
#include "solve/problem.h"

typedef struct sup_solve_options {
  double tolerance;       /* relative momentum error eps_r */
  int    max_iterations;  /* Newton iterations a sweep */
  int    sweeps;          /* 1: plain Lagged */
  double sweep_tolerance; /* relative change of gn0 that ends the sweeps */
  int    is_coupled;      /* friction of lagged laws goes by the normal impulse of the solution, instead of sweeps */
} sup_solve_options;

/** Outcome: data, not a status. */
typedef struct sup_solve_report {
  sup_reason    reason;
  int           iterations;        /* of the island that took most */
  int           iterations_sum;    /* of all islands */
  int           islands;           /* island.h; 0: no constraints */
  int           linear_iterations; /* of iterative backends, all Newton iterations */
  int           line_search_evaluations;
  int           sweeps;
  double        sweep_change;      /* last relative change of gn0; 0 with one sweep */
  double        momentum_error;    /* ||D r|| / max(||D A v||, ||D J^T gamma||), D = diag(A)^(-1/2) */
  double        momentum_residual; /* ||D r|| [sqrt(J)] */
  int           worst_block;       /* block column of the largest residual, or where definiteness was lost */
  const double *residual;  /* [num_scalars] A v - p - J^T gamma at v [N s], from the arena; NULL: not computed */
  const double *momentum;  /* [num_scalars] A v, likewise */
  const double *impulse;   /* [num_scalars] J^T gamma, likewise */
  const double *scaling;   /* [num_scalars] D, likewise */
  double        round_off; /* estimate of what rounding H to 16 digits changes in v: sup_round_off; 0: not known */
  int           round_off_block; /* block column at which it is largest */
} sup_solve_report;

/** What an earlier solution of the same problem took; its sweeps are those that count. */
static inline void sup_solve_report_add(sup_solve_report *report, const sup_solve_report *before) {
  report->iterations += before->iterations;
  report->iterations_sum += before->iterations_sum;
  report->linear_iterations += before->linear_iterations;
  report->line_search_evaluations += before->line_search_evaluations;
  report->sweeps = before->sweeps;
  report->sweep_change = before->sweep_change;
}

static const double sup_absolute_limit = 1e-14; /* eps_a of THEORY 5.2 [sqrt(J)] */

/** D = diag(A)^(-1/2) of THEORY 5.2 [num_scalars]; SUP_NONE or the block of the first diagonal entry that is not
 *  positive. */
int sup_momentum_scaling(const sup_problem *problem, double *inv_sqrt_d);
/** Largest epsilon A_ii / pivot_i over the scalars of the block columns whose rank is SUP_NONE (NULL: all), where A_ii
 * is the diagonal before the elimination: a mass beside a stiffness 1e15 times as large has lost all but a digit, in
 * the sum already, and no residual tells (Higham, Accuracy and Stability, 10.1.1: the error of a pivot is bounded so).
 *  @param[in] diagonal, pivot  [num_scalars]
 *  @param[out] block  of the largest */
double sup_round_off(const sup_block_pattern *pattern, const int *rank, const double *diagonal, const double *pivot,
                     int *block);
/** Momentum error from ||D r||, ||D A v|| and ||D J^T gamma||. */
double sup_momentum_error(double residual, double momentum, double impulse);
/** Block column of the largest |D r|; a residual that is not finite is the largest. */
int sup_worst_block(const sup_block_pattern *pattern, const double *inv_sqrt_d, const double *r);

/** @param[in,out] problem  the sweeps change gn0 of its lagged laws
 *  @param[in]     factor   analysed for problem->H_pattern, block columns of constraints marked last
 *  @param[in,out] v        [num_scalars] warm start in, solution out; the start may be outside of barriers' domains
 *  @param[out]    gamma    [num_vc] impulses at the solution
 *  @return SUP_OK whatever the reason; a status only for bad input or memory. */
SUP_NODISCARD sup_status sup_solve(sup_problem *problem, sup_linear_solver *factor, const sup_solve_options *options,
                                   sup_arena *arena, double *v, double *gamma, sup_solve_report *report);
