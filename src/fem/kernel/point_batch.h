/** Tetrahedra with stretch laws at their points (fem/points.c) and damping by increments of
 * strain there (fem/increment.c), eight cells at once, one a lane of a vector.  Layer fem, private.
 *
 *  T4 have one point, T10 the eight of their rule.  Laws are evaluated lane by lane, by their
 * own files; gradients, stretches with their axes and sums over points go in all lanes.
 * Results of a cell do not depend on its neighbours in the batch; AVX-512 and AVX2 give the same
 * bits. */
#pragma once

#include "fem/kernel/batch.h"
#include "fem/law/stretch_law.h"

/** Input and output of a pass over the points of a batch.  Arrays of points are [6 x points] of a
 * cell: xx, yy, zz, yz, xz, xy. */
typedef struct sup_point_batch {
  const double *X, *x;   /* positions at rest and now, of all vertices [m] */
  int           is_mean; /* T10 with the mean of the dilatation (THEORY 4.7) */
  int project; /* stiffness: positive semidefinite; otherwise the exact second derivative */
  /* of each cell */
  const sup_stretch_law *law[SUP_BATCH]; /* NULL: it has none, only damping */
  sup_lame               lame[SUP_BATCH];
  double                 volume[SUP_BATCH];   /* [m^3] */
  const double          *gradient[SUP_BATCH]; /* T4: [4 x 3] of the shape functions, cell order */
  double                 stiff[SUP_BATCH];    /* factor of the law, relaxation included */
  double                 scale[SUP_BATCH];    /* factor of the history */
  double                 damped[SUP_BATCH];   /* factor of damping's 2 mu d + lambda tr d */
  const double          *history[SUP_BATCH];  /* second Piola stress [Pa]; NULL: it has none */
  const double          *start[SUP_BATCH];    /* reference strains of increments; with damped > 0 */
  int                    turns[SUP_BATCH];    /* 0: R is 1 */
  sup_m3 tau[SUP_BATCH]; /* further stress with the factor of damping, in the axes of R; only in the
                            stiffness */
} sup_point_batch;

enum { SUP_POINT_BATCH_PAIRS = 55 };

typedef struct sup_point_kernels {
  /** out := the second derivative of the energy.
   *  @param[out] out  [num_pairs x 9 x SUP_BATCH] aligned: columns of the blocks (a, b), a >= b, in
   * the order of the cell's vertices */
  void (*stiffness)(const sup_batch *batch, const sup_point_batch *points, double *out);
  /** out [3 x num_vertices x SUP_BATCH] := minus its first derivative, cell order [N]; aligned. */
  void (*force)(const sup_batch *batch, const sup_point_batch *points, double *out);
  /** energy [SUP_BATCH]: of laws, history and damping [J]; INFINITY where a law is undefined. */
  void (*energy)(const sup_batch *batch, const sup_point_batch *points, double *energy);
  /** to[cell] [6 x points] := S = sym(R^T F). */
  void (*strain)(const sup_batch *batch, const sup_point_batch *points, double *const *to);
} sup_point_kernels;

/** Best set of kernels that this processor runs. */
const sup_point_kernels *sup_point_kernels_select(void);
/** Set number k, best first, NULL when this processor has no such set; *end when k is past the
 * last. */
const sup_point_kernels *sup_point_kernels_set(int k, int *end);
