/** The inside of sup_reduction, for reduction.c, which analyses it, and condensation.c, which
 * solves with it.  Layer solve. */
#pragma once

#include "la/supernodal/retained.h"
#include "solve/island.h"
#include "solve/reduction.h"

struct sup_reduction {
  const sup_block_pattern *A_pattern;
  const sup_block_ranks   *ranks;
  sup_linear_solver       *leading;    /* of A */
  sup_linear_solver       *factor;     /* of the condensed problem, when it is one island */
  int                      has_factor; /* it is analysed */
  sup_islands             *islands;    /* when they are several */
  int                      num_islands;
  int                     *component; /* [num_blocks] forest of A's components */
  int           *island; /* [num_blocks] SUP_NONE: no constraint touches its component of A */
  sup_retained   retained;
  int            has_retained;
  unsigned char *touched; /* [num_blocks] 1: constraints touch it */
  unsigned char *last;    /* [num_blocks] 1: is left */
  int *rank; /* [num_blocks] number among the block columns that are left; SUP_NONE: eliminated */
  int  is_reduced; /* 0: everything is left */
  int  is_analysed;
  double *S; /* of the solution before, as long as `leading` has what was eliminated of its A .. */
  size_t  S_capacity;
  int     has_S; /* .. which it has */
  sup_block_pattern S_pattern, H_pattern;
  int              *A_to_H;
  int64_t          *coupling; /* block pairs of H that S lacks, sorted: row * num_blocks + col */
  size_t            num_coupling, capacity[2]; /* of coupling, A_to_H */
};

/** Pattern of the matrix that is left. */
static inline const sup_block_pattern *sup_reduction_pattern(const sup_reduction *c) {
  return c->is_reduced ? &c->S_pattern : c->A_pattern;
}
/** The problem with the constraints' blocks renumbered; its A and p are to be set. */
SUP_NODISCARD sup_status sup_reduction_renumber(const sup_reduction *c, const sup_problem *problem,
                                                sup_arena *arena, sup_problem *out);
/** Entries of the block columns that are left: out of the whole vector .. */
void sup_reduction_gather(const sup_reduction *c, const double *whole, double *part);
/** .. or back into it. */
void sup_reduction_scatter(const sup_reduction *c, const double *part, double *whole);
