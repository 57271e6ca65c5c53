/** Reductions for the sets of block columns that constraints touched in the last steps.  Layer
 * solve.
 *
 *  At the rim of a patch contacts open and close, and steps come back to sets that were analysed
 * before.  An analysis depends on its set and nothing else, so that results do not tell which are
 * kept. */
#pragma once

#include "solve/reduction.h"

enum { SUP_KEPT_REDUCTIONS = 8 };

/** More than one is kept of factors below this, whose analysis takes some MB.  Beside larger ones
 * it takes little time.
 */
static const double sup_kept_nonzeros = 1e6;

typedef struct sup_reduction_set {
  int            count;
  sup_reduction *reduction[SUP_KEPT_REDUCTIONS]; /* [count] the one in use, then the others by their
                                                    last use */
  sup_reduction *first;                          /* shares with them what belongs to A alone */
  unsigned char *touched;                        /* [num_blocks] */
} sup_reduction_set;

/** Zero the struct before.
 *  @param[in] A_pattern  of all problems to come; outlives the set.  E_ARG, E_MEMORY. */
SUP_NODISCARD sup_status sup_reduction_set_create(sup_reduction_set *set, sup_backend backend,
                                                  const sup_block_pattern *A_pattern);
void                     sup_reduction_set_free(sup_reduction_set *set);
/** sup_reduction_analyse of the reduction that knows the problem's touched block columns, or of the
 * one that was longest out of use.
 *  @param[out] now  which one: it belongs to the set */
SUP_NODISCARD sup_status sup_reduction_set_analyse(sup_reduction_set *set,
                                                   const sup_problem *problem, sup_arena *arena,
                                                   sup_reduction **now, int *analysed);
