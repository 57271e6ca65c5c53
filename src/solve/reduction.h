/** Problem of a step without the block columns on which no law acts.  Layer solve.
 *
 *  With l the leading block columns, t those that constraints touch, S = A_tt - A_tl A_ll^-1 A_lt
 * and p~ = p_t - A_tl A_ll^-1 p_l, the step is the same convex problem in v_t alone, and v_l =
 * A_ll^-1 (p_l - A_lt v_t) (static condensation; Guyan 1965).  The leading part is factored once,
 * Newton solves the condensed problem, each island by itself (island.h), the solution is certified
 * on the whole problem. */
#pragma once

#include "solve/solver.h"

typedef struct sup_reduction sup_reduction;

/** @param[in] A_pattern  of all problems to come; outlives the reduction.  E_ARG, E_MEMORY. */
SUP_NODISCARD sup_status sup_reduction_create(sup_reduction **reduction, sup_backend backend,
                                              const char              *options,
                                              const sup_block_pattern *A_pattern);
void                     sup_reduction_destroy(sup_reduction **reduction);
/** From now on ranks share the problems (sup_problem.ranks), and all ranks make every call. `ranks`
 * must outlive the reduction.  E_ARG: the backend works on one rank only. */
SUP_NODISCARD sup_status sup_reduction_spread(sup_reduction         *reduction,
                                              const sup_block_ranks *ranks);
/** Unite the components with those of the problems' rests (sup_problem.rest), as
 * sup_island_components; constant. */
void sup_reduction_join(sup_reduction *reduction, const int *other);
/** Order and analyse for the problem's constraints; of its matrices only A_pattern is read.  The
 * analysis depends only on the set of block columns touched by constraints and on their couplings;
 * if both equal those of the last call, the analysis is kept.
 *  @param[out] analysed  1 when something was analysed, otherwise unchanged */
SUP_NODISCARD sup_status sup_reduction_analyse(sup_reduction *reduction, const sup_problem *problem,
                                               sup_arena *arena, int *analysed);
/** sup_solve on the whole problem, its H_pattern and A_to_H unused.  If the residual of the whole
 * problem exceeds the tolerance although that of the condensed problem does not, the solution is
 * refined; reason STALL if round-off prevents convergence.  Without constraints there are no
 * iterations. */
SUP_NODISCARD sup_status sup_reduction_solve(sup_reduction *reduction, const sup_problem *problem,
                                             const sup_solve_options *options, sup_arena *arena,
                                             sup_solution *solution, sup_solve_report *report);
/** Number of islands of the last analysis, and the island of each block column [num_blocks];
 * SUP_NONE: no constraint touches its component of A.  A backend that eliminates nothing has one
 * island. */
int        sup_reduction_num_islands(const sup_reduction *reduction);
const int *sup_reduction_islands(const sup_reduction *reduction);
/** Components that A alone connects, as sup_island_components; constant. */
const int *sup_reduction_components(const sup_reduction *reduction);
/** Factor H = A + J^T G J, G [num_constraints x 9]. */
SUP_NODISCARD sup_status sup_reduction_factor(sup_reduction *reduction, const sup_problem *problem,
                                              const double *G, sup_arena *arena);
/** x := H^-1 x, both arrays of A's num_scalars. */
SUP_NODISCARD sup_status sup_reduction_apply_inverse(sup_reduction *reduction, double *x,
                                                     double *work);
/** x [num_scalars of A] := (H + J^T D J)^-1 x, D [num_constraints x 9] unsymmetric or NULL, of the
 * problem that was factored last, by GMRES on the retained columns.
 *  @param[in] tolerance  residual of theirs over their part of x */
SUP_NODISCARD sup_status sup_reduction_apply_coupled(sup_reduction     *reduction,
                                                     const sup_problem *problem, const double *D,
                                                     double tolerance, sup_arena *arena, double *x);
/** x [num_scalars of A] := A^-1 x by the factor of the last solution; *ok false: constraints, or a
 * solver that does not eliminate; x stays. */
SUP_NODISCARD sup_status sup_reduction_solve_alone(sup_reduction *reduction, double *x, bool *ok);
/** Info of the last analysis: the whole factor without couplings by constraints, its trailing part
 * with these couplings. */
sup_linear_info sup_reduction_info(const sup_reduction *reduction);
