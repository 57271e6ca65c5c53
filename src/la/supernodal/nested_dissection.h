/** Elimination order by nested dissection: METIS (Karypis, Kumar, SIAM J. Sci. Comput. 20, 1998).
 * Layer la. */
#pragma once

#include "la/supernodal/order.h"

/** Reorder the first `count` nodes of an elimination order; the others, which are eliminated after
 * them, keep their places and do not count.  The same graph gives the same order (fixed seed).
 * METIS allocates memory of its own.
 *  @param[in,out] order  [num_nodes] order[k] is the k-th node to eliminate
 *  @return E_ARG when the graph is too large for METIS's int, E_MEMORY, E_EXTERNAL */
SUP_NODISCARD sup_status sup_nested_dissection(sup_order_work *work, const sup_graph *graph,
                                               int count, int *order);
