/** Softening functions f of regularised friction, gamma_t = -mu gamma_n f(s) t with s = |v_t|/eps:
 * one table for all contact models.  Layer law.
 *
 *  f(0) = 0, 0 <= f <= 1, f' >= 0 and f concave: friction has then a convex potential mu gamma_n
 * eps F(s), F' = f (THEORY 6.1; P0 III; P2 eq. 6, 7).  Adding one: a row of the table and an entry
 * of SUP_FRICTION_SOFTENING_LIST of supple.h. */
#pragma once

#include "supple/contact.h"

/** The norm eps F(|x|/eps) of x = (x, y), soft at x = 0; its gradient (tx, ty) = x/w = f t; its
 * Hessian (I - e e^T)/w with e = (ex, ey), |e| <= 1.  Of soft_norm e is the gradient. */
typedef struct sup_soft_norm {
  double value, tx, ty, w, ex, ey;
} sup_soft_norm;

sup_soft_norm sup_soft_norm_of(sup_friction_softening f, double x, double y, double eps);
/** f'(0): below slip at which friction is a share r of its bound is r eps/f'(0), for small r. */
double sup_friction_softening_slope(sup_friction_softening f);
/** Name in scenes: "linear". */
const char *sup_friction_softening_name(sup_friction_softening f);
