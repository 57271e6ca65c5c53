/** Symbolic analysis of a supernodal Cholesky factor: elimination order, supernodes, their row
 * structure.  Layer la.
 *
 *  Everything is counted in block columns of the new (elimination) order unless a name says
 * scalars. */
#pragma once

#include "la/block_matrix.h"
#include "la/supernodal/order.h"

typedef struct sup_symbolic {
  int num_blocks, num_supernodes;
  int num_leading;  /* supernodes before this one hold the block columns that are not `last` */
  int is_dissected; /* 1: order by nested dissection, 0: by minimum degree */

  int *order;       /* [num_blocks] old block at each new place */
  int *position;    /* [num_blocks] new place of each old block */
  int *offset;      /* [num_blocks + 1] first scalar of each new block column */
  int *super_of;    /* [num_blocks] supernode of each new block column */
  int *super_start; /* [num_supernodes + 1] first new block column of each supernode */
  int *row_start;   /* [num_supernodes + 1] into row */
  int *row;         /* [row_start[num_supernodes]] block rows below each supernode's diagonal block,
                       ascending */

  sup_graph  graph;          /* of the pattern, old numbering */
  const int *neighbor_entry; /* entry of the pattern behind each neighbour */

  double nonzeros, flops,
      trailing_flops; /* of the factor, including zeros stored by amalgamation */

  int           *graph_memory, *memory, *scratch;
  size_t         capacity[4]; /* of graph_memory, memory, row, scratch */
  sup_order_work order_work;
} sup_symbolic;

/** Scalars of the k-th block of the order. */
static inline int sup_symbolic_size(const sup_symbolic *s, int k) {
  return s->offset[k + 1] - s->offset[k];
}
/** Supernode that takes the update of supernode k; SUP_NONE for a root. */
static inline int sup_symbolic_parent(const sup_symbolic *s, int k) {
  return s->row_start[k] < s->row_start[k + 1] ? s->super_of[s->row[s->row_start[k]]] : SUP_NONE;
}

/** Analyse the pattern; linear in the entries of the pattern and of the supernodes' structure. Zero
 * the struct before the first call; memory is kept between calls.
 *  @param[in] last  [num_blocks] nonzero: eliminate after every block that has 0; NULL: no
 * preference
 *  @return E_MEMORY; E_ARG when the matrix is too large for int */
SUP_NODISCARD sup_status sup_symbolic_analyze(sup_symbolic            *symbolic,
                                              const sup_block_pattern *pattern,
                                              const unsigned char     *last);
/** Order and analyse a graph with [num_nodes + 1] first scalars of its nodes; the graph must
 * outlive the struct, and neighbours have no pattern entries.
 *  @param[in] may_dissect 0: minimum degree alone, in a quarter of the time that includes trying
 * dissection */
SUP_NODISCARD sup_status sup_symbolic_analyze_graph(sup_symbolic *symbolic, const sup_graph *graph,
                                                    const int *offset, const unsigned char *last,
                                                    int may_dissect);
void                     sup_symbolic_free(sup_symbolic *symbolic);
/** For la/supernodal/reroot.c: allocate order, position, offset, super_of, super_start and
 * row_start; compute nonzeros and flops from these and `row`. */
SUP_NODISCARD sup_status sup_symbolic_reserve(sup_symbolic *symbolic, int num_blocks);
void                     sup_symbolic_count(sup_symbolic *symbolic);
/** Modelled time [ns] of a supernode of so many scalars on one core with AVX-512: call, arithmetic,
 * scatter of the update, panel.  Decisions by this model have a flat optimum, so that its constants
 * matter little. */
double sup_symbolic_time(double width, double below);
