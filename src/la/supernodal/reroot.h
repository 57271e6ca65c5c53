/** Symbolic analysis with some block columns ordered last, updated from the analysis without that
 * constraint.  Layer la.
 *
 *  Subtrees of the elimination tree without a `last` column keep their order and supernodes:
 * elimination of a subtree leaves a clique of the rows below its root.  The other columns, with
 * these cliques, are ordered and analysed anew, with the `last` columns at the root.  On slender
 * bodies a fifth of all columns is ordered anew, and the factor has the same number of operations
 * as with an order of all columns, within one percent.  If the factor has a tenth more operations
 * than without `last`, all columns are ordered as well, and the better order is used.  If the base
 * uses nested dissection, only the order of all columns is computed. */
#pragma once

#include "la/supernodal/symbolic.h"

/** Working memory, kept between calls; zero it before the first. */
typedef struct sup_reroot {
  sup_symbolic   top;   /* of what is ordered anew; its blocks are nodes */
  sup_symbolic   whole; /* of all columns, or the memory of a result */
  int           *work, *neighbor;
  unsigned char *kind;
  size_t         capacity[3];
} sup_reroot;

/** @param[in]     base  analysis of the pattern without preferences, which outlives `out`: they
 * share the graph
 *  @param[in]     last  [num_blocks] nonzero: eliminate after every block that has 0
 *  @param[in,out] out   zero before the first call; depends on nothing but the base and `last`
 *  @return E_MEMORY; E_ARG when what is ordered anew is too large for int */
SUP_NODISCARD sup_status sup_reroot_analyze(sup_reroot *reroot, sup_symbolic *out,
                                            const sup_symbolic      *base,
                                            const sup_block_pattern *pattern,
                                            const unsigned char     *last);
void                     sup_reroot_free(sup_reroot *reroot);
