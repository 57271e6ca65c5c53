/** A step of all contacts at once, as they are: what is open stays open, what sticks sticks, what
 * slides keeps sliding with the present bound (subspace minimisation: Silcowitz, Niebe, Erleben
 * 2010).  Layer solve.
 *
 *  Sweeps from contact to contact soon find which contacts push and slide; how much each pushes
 * takes them thousands of iterations where many hang on one soft body.  Given the former the latter
 * is a linear system, with the matrix of Newton's method.  Solutions are where sweeps stand still,
 * whether there are steps or not. */
#pragma once

#include "solve/dual_hessian.h"

typedef struct sup_dual_subspace {
  sup_dual_hessian hessian;
  double           proximal, least; /* proximal weight over the inverse mass; its lower bound */
  double           longer;          /* factor by which the last step was longer; 1: no progress */
  double          *change;          /* [num_vc] of impulses */
  double          *lambda;          /* [num_vc] impulses before */
  double          *v, *x;           /* [n] velocities before, in the dual's order; a solution */
} sup_dual_subspace;

SUP_NODISCARD sup_status sup_dual_subspace_create(sup_dual_subspace *q, const sup_dual *dual);
/** lambda and v := those where the contacts, as they are, meet their law; on the cones. */
SUP_NODISCARD sup_status sup_dual_subspace_step(sup_dual *dual, sup_dual_subspace *q);
/** Impulses and velocities before the last step. */
void sup_dual_subspace_undo(sup_dual *dual, const sup_dual_subspace *q);
/** Later steps are longer by the factor by which the last one made the residual smaller, and by
 * ever more where several in a row do.  The first one is the shortest: what pushes is not known
 * yet. */
void sup_dual_subspace_lengthen(sup_dual_subspace *q, double gain);
/** Later steps are shorter. */
void sup_dual_subspace_shorten(sup_dual_subspace *q);
