/** Islands: block columns that A or constraints of the step couple; the problem falls apart into
 * one problem an island. Layer solve.
 *
 *  Each is solved by itself, with its own iterations, line search, sweeps and tolerance relative to
 * its own momenta: a light island beside a heavy one is solved as accurately as alone, and a solved
 * island costs no further work.  Block columns without constraints form no island, since they need
 * no Newton iterations. */
#pragma once

#include "solve/solver.h"

/* ---- components ------------------------------------------------------------------------------ */

/** root[b] := the smallest block column that the pattern connects with b, a forest of
 * sup_island_root. */
void sup_island_components(const sup_block_pattern *pattern, int *root);
/** Unite the forest `other` of n block columns with the forest `root`. */
void sup_island_join(const int *other, int n, int *root);
/** Root of the component of block column b. */
int sup_island_root(const int *root, int b);
/** Unite columns that constraints couple; gamma [num_vc]: constraints with impulses, NULL: all. */
void sup_island_unite(const sup_problem *problem, const double *gamma, int *root);

/* ---- their problems -------------------------------------------------------------------------- */

typedef struct sup_islands sup_islands;

SUP_NODISCARD sup_status sup_islands_create(sup_islands **islands, sup_backend backend,
                                            const char *options);
void                     sup_islands_destroy(sup_islands **islands);
/** Patterns and factors of the islands of a problem; an island with an unchanged pattern is not
 * analysed again.
 *  @param[in] A, H    patterns of the problem (problem.h)
 *  @param[in] number  [num_blocks] the island of each block column, 0 .. num - 1 */
SUP_NODISCARD sup_status sup_islands_analyse(sup_islands *islands, const sup_block_pattern *A,
                                             const sup_block_pattern *H, const int *number,
                                             int num);
/** Solve each island by sup_solve, on threads when there is enough work; the bits do not depend on
 * their number. The report has the iterations of the island that took most and the sum of all, and
 * the reason of the first that failed with its worst block; residual, momentum and impulse are
 * NULL.
 *  @param[in] squares  [num] ||D A v||^2 of each island's eliminated columns; NULL: none
 */
SUP_NODISCARD sup_status sup_islands_solve(sup_islands *islands, const sup_problem *problem,
                                           const double *squares, const sup_solve_options *options,
                                           sup_arena *arena, sup_solution *solution,
                                           sup_solve_report *report);
/** Info summed over the factors. */
sup_linear_info sup_islands_info(const sup_islands *islands);
