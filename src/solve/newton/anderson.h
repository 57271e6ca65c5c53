/** Anderson's acceleration of a fixed point iteration x := F(x) (Walker and Ni 2011).  Layer solve.
 *
 *  The next iterate is the combination of the last images F(x_j) whose steps F(x_j) - x_j nearly
 * cancel, in the least squares sense.  Combination does not change the fixed points of F. */
#pragma once

#include "base/memory.h"
#include "supple/status.h"

typedef struct sup_anderson {
  int           n, memory, count, next; /* columns: maximum, stored, next to write */
  int           has_before;             /* 1: step and image of the previous iteration are known */
  const double *scale;                  /* [n] of steps */
  double       *step, *image;           /* [n] scaled step and image of the previous iteration */
  double       *steps, *images;         /* [memory x n] differences between iterations */
  double       *gram;                   /* [memory x memory] of steps */
  double       *work;                   /* [memory x (memory + 2)] */
} sup_anderson;

/** @param[in] scale  [n] weights of the components of a step, kept by reference */
SUP_NODISCARD sup_status sup_anderson_create(sup_anderson *a, int n, int memory,
                                             const double *scale, sup_arena *arena);
/** Forget all iterations. */
void sup_anderson_reset(sup_anderson *a);
/** out [n] := next iterate after image = F(x); out may be x.  Without a history out is the image,
 * and the function returns 0. */
int sup_anderson_next(sup_anderson *a, const double *x, const double *image, double *out);
