/** The stage solve and its strategies: they call stages again about another solution, no stage
 * calls them.  Layer step. */
#pragma once

#include "step/solution.h"

/** Options of the solver in this increment. */
sup_solve_options sup_step_solve_options(const sup_step_start *s);
/** Arrays and laws of the solution; `first`: v, too, where the solver starts afresh. */
SUP_NODISCARD sup_status sup_step_begin_solution(const sup_step_convex *convex,
                                                 const sup_assembly *assembly, int first,
                                                 sup_step_solution *solution);
/** Solve, with the strategies below and that of rough islands; `assembly` then is linear about the
 * solution (solve.c). */
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
 * (midpoint.c).  E_NOT_CONVERGED names the tree that moves most. */
SUP_NODISCARD sup_status sup_step_converge_trees(const sup_step_convex *convex,
                                                 sup_assembly          *assembly,
                                                 sup_step_solution     *solution,
                                                 sup_solve_report      *solved);
