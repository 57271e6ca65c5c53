/** End of the iteration of a load step (THEORY 18.2).  Private to layer step. */
#pragma once

#include "supple/report.h"

typedef enum sup_static_end {
  SUP_STATIC_GOES_ON,
  SUP_STATIC_BALANCE, /* equilibrium: a minimum of the energy, or a saddle that cannot be left */
  SUP_STATIC_INTERRUPTED,
  SUP_STATIC_STALLED,
  SUP_STATIC_NO_DESCENT, /* step refused with the largest proximal weight */
  SUP_STATIC_NOT_FINITE,
  SUP_STATIC_FALLS, /* no equilibrium: the body of the largest residual moves far, without
                       constraints .. */
  SUP_STATIC_SLIDES /* .. or with constraints */
} sup_static_end;

/** Progress of the error since the start of the iteration, or since the last saddle. */
typedef struct sup_static_progress {
  int    first; /* iteration */
  int    best;  /* last iteration that reduced `error` by a tenth */
  double error; /* smallest */
} sup_static_progress;

/** Progress of an iteration that begins at k. */
sup_static_progress sup_static_progress_from(int k);
/** @param[in] is_falling 1: the body of the largest residual moves far without constraints and may
 * need many iterations */
sup_static_progress sup_static_progress_next(sup_static_progress progress, int k, double error,
                                             int is_falling);
/** True if the error has stalled at iteration k or iterations are too many. */
int sup_static_progress_is_over(sup_static_progress progress, int k);
/** Residual of a body relative to the `scale` of its forces; `largest`: largest scale in the scene
 * [N]. */
double sup_static_error(double residual, double scale, double largest);
/** True if the solution of a convex problem is a step: the next linearisation reduces the round-off
 * of one that did not converge. */
int sup_static_is_solved(sup_reason reason, double momentum_error);
/** Tolerance of the convex problem of an iterate with this error.  With trees, momenta of joints
 * and vertices have different sizes.
 *  @param[in] iterates 1: iterative linear solver: each Newton
 * iteration costs a whole linear solution, and the accuracy of the linearisation is enough */
double sup_static_inner_tolerance(double tolerance, double error, int has_trees, int iterates);
