/** End of the iteration of a load step (THEORY 18.2).  Private to layer step. */
#pragma once

#include "supple/report.h"

typedef enum sup_static_end {
  SUP_STATIC_GOES_ON,
  SUP_STATIC_BALANCE, /* a minimum of the energy, or a saddle that cannot be left */
  SUP_STATIC_INTERRUPTED,
  SUP_STATIC_STALLED,
  SUP_STATIC_NO_DESCENT, /* with the largest proximal weight */
  SUP_STATIC_NOT_FINITE,
  SUP_STATIC_FALLS, /* without a balance: the worst body moves far, no constraint acts on it .. */
  SUP_STATIC_SLIDES /* .. or some do */
} sup_static_end;

/** Progress of the error since the iteration, or after a saddle its continuation, began. */
typedef struct sup_static_progress {
  int    first; /* iteration */
  int    best;  /* last iteration that reduced `error` by a tenth */
  double error; /* smallest */
} sup_static_progress;

/** Progress of an iteration that begins at k. */
sup_static_progress sup_static_progress_from(int k);
/** @param[in] is_falling  the worst body moves far and nothing acts on it: it may need many */
sup_static_progress sup_static_progress_next(sup_static_progress progress, int k, double error,
                                             int is_falling);
/** True if the error has stalled at iteration k or iterations are too many. */
int sup_static_progress_is_over(sup_static_progress progress, int k);
/** Residual of a body over its forces, which are of this scale, in a scene whose largest is
 * `largest` [N]. */
double sup_static_error(double residual, double scale, double largest);
/** True if the solution of a convex problem is a step: the next linearisation reduces the round-off
 * of one that did not converge. */
int sup_static_is_solved(sup_reason reason, double momentum_error);
/** Tolerance of the convex problem of an iterate with this error.  Beside trees, momenta are sums
 * of other sizes than those of vertices.
 *  @param[in] iterates  linear solutions: each Newton iteration costs a whole one, and as many
 * digits as the linearisation has are enough */
double sup_static_inner_tolerance(double tolerance, double error, int has_trees, int iterates);
