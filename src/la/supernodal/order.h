/** Fill-reducing elimination order of the block graph.  Layer la.
 *
 *  Approximate minimum degree (Amestoy, Davis, Duff 1996) on block columns, each counted as one
 * vertex of the graph: the columns of a body all have the same width, so weights would change
 * little. */
#pragma once

#include "base/status.h"

/** The graph: symmetric adjacency without the diagonal; neighbours of b in neighbor[start[b] ..
 * start[b + 1]). */
typedef struct sup_graph {
  int        num_nodes;
  const int *start;    /* [num_nodes + 1] */
  const int *neighbor; /* [start[num_nodes]] */
} sup_graph;

/** Memory of the ordering, kept between calls; zero it before the first. */
typedef struct sup_order_work {
  int   *memory;
  size_t capacity;
} sup_order_work;

/** Elimination order.
 *  @param[in] last [num_nodes] nonzero: after every node that has 0; NULL: no preference
 *  @param[in] by_levels numbering by which minimum degree breaks ties: 0: given numbers, 1: levels
 * from an end of the graph (Cuthill, McKee 1969)
 *  @param[out] order  [num_nodes] order[k] is the k-th node to eliminate
 *  @return E_ARG when the graph is too large for int, E_MEMORY */
SUP_NODISCARD sup_status sup_order_compute(sup_order_work *work, const sup_graph *graph,
                                           const unsigned char *last, int by_levels, int *order);
void                     sup_order_work_free(sup_order_work *work);
