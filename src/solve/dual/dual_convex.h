/** One half of a staggered projection (P4; THEORY 8): normal impulses with fixed friction, or
 * friction with the bounds of fixed normal impulses; joints are part of both.  Layer solve.  Each
 * half is a convex problem, least energy on half lines, discs or squares, and is solved exactly:
 * with a proximal term eta w about the present impulses, lambda = P(lambda + (c* - c - R lambda)/(R
 * + eta w)) is a function of the velocities, and Newton's method finds the velocities.  No
 * self-equilibrated impulses are added: contacts that share a load share it evenly. */
#pragma once

#include "solve/dual/dual_hessian.h"

typedef enum sup_dual_half { SUP_DUAL_NORMAL, SUP_DUAL_FRICTION } sup_dual_half;

typedef struct sup_dual_convex {
  sup_dual_hessian hessian;
  double           proximal;   /* eta, relative to the inverse mass w */
  double          *before;     /* [num_vc] previous impulses */
  double          *start;      /* [num_vc] at the start of a line search */
  double          *c, *dc;     /* [num_vc] velocities of rows; their change along a step */
  double          *x, *dx;     /* [n] velocities and step, in the problem's order */
  double          *r;          /* [n] p + J^T lambda - A x */
  int              iterations; /* number of all Newton iterations */
} sup_dual_convex;

SUP_NODISCARD sup_status sup_dual_convex_create(sup_dual_convex *q, const sup_dual *dual);
/** dual->lambda and v := solution of a half, starting from their present values. */
SUP_NODISCARD sup_status sup_dual_convex_solve(sup_dual_convex *q, sup_dual *dual,
                                               sup_dual_half half);
