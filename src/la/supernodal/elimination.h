/** Optional capabilities of a direct backend of la/linear_solver.h: elimination of the block
 * columns that are not `last` (the leading ones, l) alone, with the Schur complement S = A_tt -
 * A_tl A_ll^-1 A_lt of the others (t); pivots.  Layer la. */
#pragma once

#include "la/linear_solver.h"
#include "la/supernodal/symbolic.h"

/** 1: the backend can eliminate; 0: the functions below fail with E_ARG. */
bool sup_linear_solver_can_eliminate(const sup_linear_solver *solver);
/** Analysis with `last` as by sup_linear_solver_analyse, updated from `base`, the analysis of the
 * same pattern without `last`: much faster if few columns are `last` (la/supernodal/reroot.h).
 * `base` must outlive the solver's use.  Backends with their own ordering analyse from scratch. */
SUP_NODISCARD sup_status sup_linear_solver_analyse_from(sup_linear_solver       *solver,
                                                        const sup_block_pattern *pattern,
                                                        const sup_symbolic      *base,
                                                        const unsigned char     *last);
/** Pattern of the Schur complement S: block columns are the last ones, in the order of the matrix.
 * After the analysis, before sup_linear_solver_eliminate. */
SUP_NODISCARD sup_status sup_linear_solver_schur_pattern(sup_linear_solver *solver,
                                                         sup_block_pattern *out);
/** Factor the leading part; S in the pattern above; b, unless NULL, as by
 * sup_linear_solver_forward, while each panel is in the cache. sup_linear_solver_update completes
 * the factor later; forward and backward substitution work without it.  E_NOT_SPD as in
 * sup_linear_solver_setup. */
SUP_NODISCARD sup_status sup_linear_solver_eliminate(sup_linear_solver       *solver,
                                                     const double            *values,
                                                     const sup_block_pattern *pattern, double *S,
                                                     double *b);
/** b_l := y = L_ll^-1 b_l, b_t := b_t - A_tl A_ll^-1 b_l. */
SUP_NODISCARD sup_status sup_linear_solver_forward(sup_linear_solver *solver, double *b);
/** y := A_ll^-1 (b_l - A_lt x_t), with y and b_l from sup_linear_solver_forward and x_t stored in
 * place of b_t. */
SUP_NODISCARD sup_status sup_linear_solver_backward(sup_linear_solver *solver, double *b);
/** Pivots L_ii^2 of the last factorisation or elimination, in the order of the matrix
 * [num_scalars]; other pivots are unchanged.  Returns 0 if the backend has no pivots. */
int sup_linear_solver_pivots(const sup_linear_solver *solver, double *pivot);
