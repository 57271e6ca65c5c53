/** Members of sup_reduction, for reduction.c (analysis) and condensation.c (solution).  Layer
 * solve. */
#pragma once

#include "la/supernodal/retained.h"
#include "solve/island.h"
#include "solve/reduction.h"

struct sup_reduction {
  const sup_block_pattern *A_pattern;
  const sup_block_ranks   *ranks;
  sup_linear_solver       *leading;    /* of A */
  sup_linear_solver       *factor;     /* solver of the condensed problem, if it is one island */
  int                      has_factor; /* 1: it is analysed */
  sup_islands             *islands;    /* solvers of several islands */
  int                      num_islands;
  int                     *component; /* [num_blocks] forest of A's components */
  int           *island; /* [num_blocks] SUP_NONE: no constraint touches its component of A */
  sup_retained   retained;
  int            has_retained;
  unsigned char *touched; /* [num_blocks] 1: constraints touch it */
  unsigned char *last;    /* [num_blocks] 1: remains after elimination */
  int    *rank; /* [num_blocks] number among the remaining block columns; SUP_NONE: eliminated */
  int     is_reduced; /* 0: nothing is eliminated */
  int     is_analysed;
  double *S; /* S of the previous solution, valid as long as `leading` holds the eliminated part of
                its A .. */
  size_t            S_capacity;
  int               has_S;    /* .. 1: S is valid */
  uint64_t          stamp;    /* S is of the kept matrix with this stamp; 0: of none */
  bool              is_older; /* .. which is not that of the last solution */
  bool              is_rough; /* .. by which the last solution was not refined */
  sup_block_pattern S_pattern, H_pattern;
  int              *A_to_H;
  int64_t *coupling; /* block pairs of H that are missing in S, sorted: row * num_blocks + col */
  size_t   num_coupling, capacity[2]; /* of coupling, A_to_H */
};

/** Pattern of the remaining matrix. */
static inline const sup_block_pattern *sup_reduction_pattern(const sup_reduction *c) {
  return c->is_reduced ? &c->S_pattern : c->A_pattern;
}
/** Problem with renumbered blocks of the constraints; the caller sets its A and p. */
SUP_NODISCARD sup_status sup_reduction_renumber(const sup_reduction *c, const sup_problem *problem,
                                                sup_arena *arena, sup_problem *out);
/** Entries of the remaining block columns: from the whole vector .. */
void sup_reduction_gather(const sup_reduction *c, const double *whole, double *part);
/** .. or back into the whole vector. */
void sup_reduction_scatter(const sup_reduction *c, const double *part, double *whole);
