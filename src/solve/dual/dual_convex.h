/** One half of a staggered projection (P4; THEORY 8): the normal impulses with friction as it is,
 * or friction with the bounds of the normal impulses as they are; joints are part of both.  Layer
 * solve.
 *
 *  Each is a convex problem, least energy on half lines, discs or squares, and is solved exactly:
 * with a proximal term eta w about the present impulses, impulses follow from the velocities,
 * lambda = P(lambda + (c* - c - R lambda)/(R + eta w)), and Newton's method finds these. No
 * impulses that bodies do not feel are added: what two contacts share they share evenly. */
#pragma once

#include "solve/dual/dual_hessian.h"

typedef enum sup_dual_half { SUP_DUAL_NORMAL, SUP_DUAL_FRICTION } sup_dual_half;

typedef struct sup_dual_convex {
  sup_dual_hessian hessian;
  double           proximal;   /* eta above, over the inverse mass w */
  double          *before;     /* [num_vc] impulses before */
  double          *start;      /* [num_vc] at the start of a line search */
  double          *c, *dc;     /* [num_vc] velocities of rows; their change along a step */
  double          *x, *dx;     /* [n] velocities and step, in the problem's order */
  double          *r;          /* [n] p + J^T lambda - A x */
  int              iterations; /* of Newton's method, all together */
} sup_dual_convex;

SUP_NODISCARD sup_status sup_dual_convex_create(sup_dual_convex *q, const sup_dual *dual);
/** dual->lambda and v := the solution of a half, from where they are. */
SUP_NODISCARD sup_status sup_dual_convex_solve(sup_dual_convex *q, sup_dual *dual,
                                               sup_dual_half half);
