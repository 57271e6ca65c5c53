/** Strategies of the stage solve: they call stages again about another solution, no stage calls
 * them.  Layer step. */
#pragma once

#include "step/solution.h"

/** Minimise the whole cost of the step, nonlinear elastic energies included, from the solution of
 * the linearised problem (nonlinear.c). */
SUP_NODISCARD sup_status sup_step_solve_nonlinear(
    const sup_step_start *s, const sup_problem *problem, const sup_solve_options *options,
    sup_reduction *reduction, sup_assembly *assembly, sup_step_solution *solution,
    sup_step_report *report, sup_solve_report *solved);
/** Schemes of second order: linearise A and p about the solution and solve again until both agree
 * (midpoint.c).  E_NOT_CONVERGED names the tree that moves most. */
SUP_NODISCARD sup_status sup_step_settle_trees(const sup_step_start *s, const sup_problem *problem,
                                               const sup_solve_options *options,
                                               sup_reduction *reduction, sup_assembly *assembly,
                                               sup_step_solution *solution,
                                               sup_solve_report  *solved);
