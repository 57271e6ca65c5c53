/** Optional capabilities of a direct backend of la/linear_solver.h: elimination of the block
 * columns that are not `last` (the leading ones, l) alone, with the Schur complement S = A_tt -
 * A_tl A_ll^-1 A_lt of the others (t); pivots.  Layer la. */
#pragma once

#include "la/linear_solver.h"
#include "la/supernodal/symbolic.h"

/** 1: the backend can eliminate; 0: the functions below fail with E_ARG. */
bool sup_linear_solver_can_eliminate(const sup_linear_solver *solver);
/** Analysis as by sup_linear_solver_analyse with `last`, but from `base`, the analysis of the same
 * pattern without `last`: much faster where few columns are `last` (la/supernodal/reroot.h). `base`
 * outlives the solver's use.  Backends that order by themselves analyse from scratch. */
SUP_NODISCARD sup_status sup_linear_solver_analyse_from(sup_linear_solver       *solver,
                                                        const sup_block_pattern *pattern,
                                                        const sup_symbolic      *base,
                                                        const unsigned char     *last);
/** Pattern of the Schur complement S: block columns are the last ones, in the order of the matrix.
 * After the analysis, before sup_linear_solver_eliminate. */
SUP_NODISCARD sup_status sup_linear_solver_schur_pattern(sup_linear_solver *solver,
                                                         sup_block_pattern *out);
/** Factor the leading part; S in the pattern above; b, unless NULL, as by
 * sup_linear_solver_forward, panel by panel while it is in the cache.  Afterwards
 * sup_linear_solver_update completes the factor, forward and backward work without.  E_NOT_SPD as
 * sup_linear_solver_setup. */
SUP_NODISCARD sup_status sup_linear_solver_eliminate(sup_linear_solver       *solver,
                                                     const double            *values,
                                                     const sup_block_pattern *pattern, double *S,
                                                     double *b);
/** b_l := y = L_ll^-1 b_l, b_t := b_t - A_tl A_ll^-1 b_l. */
SUP_NODISCARD sup_status sup_linear_solver_forward(sup_linear_solver *solver, double *b);
/** y := A_ll^-1 (b_l - A_lt x_t), y and b_l those of sup_linear_solver_forward, x_t in the place of
 * b_t. */
SUP_NODISCARD sup_status sup_linear_solver_backward(sup_linear_solver *solver, double *b);
/** Pivots of what was factored or eliminated last, L_ii^2, in the order of the matrix
 * [num_scalars]; other pivots are unchanged. 0 when the backend has none. */
int sup_linear_solver_pivots(const sup_linear_solver *solver, double *pivot);
