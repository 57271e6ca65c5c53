/** The stage solve and its strategies: strategies call stages again about another solution; stages
 * do not call strategies.  Layer step. */
#pragma once

#include "step/solution.h"

/** Options of the solver in this increment. */
sup_solve_options sup_step_solve_options(const sup_step_start *s);
/** Create arrays and laws of the solution; first: also the start velocities v. */
SUP_NODISCARD sup_status sup_step_begin_solution(const sup_step_convex *convex,
                                                 const sup_assembly *assembly, int first,
                                                 sup_step_solution *solution);
/** Solve with the strategies below and the strategy for islands of coarse accuracy; afterwards
 * `assembly` is linear about the solution (solve.c). */
SUP_NODISCARD sup_status sup_step_solve(const sup_step_convex *convex, sup_assembly *assembly,
                                        sup_step_solution *solution, sup_step_report *report,
                                        sup_solve_report *solved);
/** Minimise the whole cost of the step, nonlinear elastic energies included, from the solution of
 * the linearised problem (nonlinear.c). */
SUP_NODISCARD sup_status sup_step_solve_nonlinear(const sup_step_convex *convex,
                                                  sup_assembly          *assembly,
                                                  sup_step_solution     *solution,
                                                  sup_step_report       *report,
                                                  sup_solve_report      *solved);
/** Schemes of second order: linearise A and p about the solution and solve again until both agree
 * (midpoint.c).  E_NOT_CONVERGED names the tree with the largest change. */
SUP_NODISCARD sup_status sup_step_converge_trees(const sup_step_convex *convex,
                                                 sup_assembly          *assembly,
                                                 sup_step_solution     *solution,
                                                 sup_solve_report      *solved);
