/** Primal-dual Newton with a line search on the problem of one step, and the friction sweeps around it.  Layer solve.
 *
 *  THEORY 5.1 (iteration and line search; slip directions: law.h), 5.2 (stopping by the momentum error), 15.4 (sweeps).
 */
#pragma once

#include "la/factor.h"
#include "solve/problem.h"

typedef struct sup_solve_options {
  double tolerance;       /* relative momentum error eps_r */
  int    max_iterations;  /* Newton iterations a sweep */
  int    sweeps;          /* 1: plain Lagged */
  double sweep_tolerance; /* relative change of gn0 that ends the sweeps */
} sup_solve_options;

/** Outcome: data, not a status. */
typedef struct sup_solve_report {
  sup_reason    reason;
  int           iterations;
  int           line_search_evaluations;
  int           sweeps;
  double        sweep_change;      /* last relative change of gn0; 0 with one sweep */
  double        momentum_error;    /* ||D r|| / max(||D A v||, ||D J^T gamma||), D = diag(A)^(-1/2) */
  double        momentum_residual; /* ||D r|| [sqrt(J)] */
  int           worst_block;       /* block column of the largest residual, or where definiteness was lost */
  const double *residual; /* [num_scalars] A v - p - J^T gamma at v [N s], from the arena; NULL: not computed */
} sup_solve_report;

/** @param[in,out] problem  the sweeps change gn0 of its lagged laws
 *  @param[in]     factor   analysed for problem->H_pattern, block columns of constraints marked last
 *  @param[in,out] v        [num_scalars] warm start in, solution out; the start may be outside of barriers' domains
 *  @param[out]    gamma    [num_vc] impulses at the solution
 *  @return SUP_OK whatever the reason; a status only for bad input or memory. */
SUP_NODISCARD sup_status sup_solve(sup_problem *problem, sup_factor *factor, const sup_solve_options *options,
                                   sup_arena *arena, double *v, double *gamma, sup_solve_report *report);
