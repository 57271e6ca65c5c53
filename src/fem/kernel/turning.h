/** Energy of dense cells, and terms of rotations that turn with x in its second derivative
 * (fem/tangent.c), eight cells at once, one a lane of a vector.  Layer fem, private.
 *
 *  Compiled without contraction: the same bits in every set. */
#pragma once

#include "fem/kernel/batch.h"

/** Forces of a cell are -R K0 times stiff ubar + damped (R^T x - start) + history, over the sum of
 * both shares: damping (fem/increment.c) and relaxation (fem/viscoelastic.c). */
typedef struct sup_turning {
  const double *X, *x;           /* positions at rest and now, of all vertices [m] */
  const sup_m3 *R;               /* [num_cells] of the batch */
  const double *start, *history; /* [3 x num_vertices x SUP_BATCH] of the batch; NULL: none */
  double        stiff[SUP_BATCH], damped[SUP_BATCH];
} sup_turning;

enum { SUP_TURNING_MAX_PAIRS = 55 };

typedef struct sup_turning_kernels {
  /** out := B G + G^T B^T + G^T W G of each pair of slots, turned into the world's axes, without
   * the shares; 0 of cells that are turned inside out or flat, or do not turn.
   *  @param[out] out  [num_pairs x 9 x SUP_BATCH] aligned, columns of the blocks */
  void (*stiffness)(const sup_batch *batch, const sup_turning *turning, double *out);
  /** out := (turning stiffness, where `turns` is not 0, plus R K0 R^T) times v, without the shares.
   *  @param[in]  turns  [num_cells] of the batch; elsewhere it is R K0 R^T v
   *  @param[out] out    [3 x num_vertices x SUP_BATCH] aligned */
  void (*multiply)(const sup_batch *batch, const sup_turning *turning, const unsigned char *turns,
                   const double *v, double *out);
  /** energy [SUP_BATCH] := 1/2 (stiff + damped) u .  K0 u, with u the displacement that K0
   * multiplies in the forces. */
  void (*energy)(const sup_batch *batch, const sup_turning *turning, double *energy);
  /** work [SUP_BATCH] := (e - a) . K0 (e - b) of arms in the cell's axes, as turning.start. */
  void (*work)(const sup_batch *batch, const double *e, const double *a, const double *b,
               double *work);
} sup_turning_kernels;

/** The best set that this processor runs. */
const sup_turning_kernels *sup_turning_kernels_select(void);
/** Set number k, best first, NULL when this processor has no such set; *end when k is past the
 * last. */
const sup_turning_kernels *sup_turning_kernels_set(int k, int *end);
