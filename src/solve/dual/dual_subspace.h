/** Step of all contacts at once in their present modes: open, sticking, or sliding with the present
 * bound (subspace minimisation: Silcowitz, Niebe, Erleben 2010).  Layer solve.
 *
 *  Sweeps from contact to contact soon find which contacts push and slide; how much each pushes
 * takes them thousands of iterations where many hang on one soft body.  Given the modes, impulses
 * solve a linear system with the matrix of Newton's method.  Solutions are fixed points of the
 * sweeps, with or without these steps. */
#pragma once

#include "solve/dual/dual_hessian.h"

typedef struct sup_dual_subspace {
  sup_dual_hessian hessian;
  double           proximal, least; /* proximal weight over the inverse mass; its lower bound */
  double           longer;          /* factor by which the last step was longer; 1: no progress */
  double           share;           /* of the last step's way at which the energy is least */
  double           fall;            /* of the energy, there [J] */
  double          *change;          /* [num_vc] of impulses */
  double          *lambda;          /* [num_vc] impulses to go back to */
  double          *v, *x;           /* [n] their velocities, in the dual's order; a solution */
} sup_dual_subspace;

SUP_NODISCARD sup_status sup_dual_subspace_create(sup_dual_subspace *q, const sup_dual *dual);
/** 1: the law is the minimum of an energy, sup_law_residual.energy.  Tangents of nonlinear laws
 * change theirs from iteration to iteration. */
bool sup_dual_has_energy(const sup_dual *dual);
/** lambda and v := solution of the law with the present modes, lambda projected on the cones. */
SUP_NODISCARD sup_status sup_dual_subspace_step(sup_dual *dual, sup_dual_subspace *q);
/** Go back to impulses and velocities before the last step; with an energy to where it is least on
 * the way. */
void sup_dual_subspace_undo(sup_dual *dual, const sup_dual_subspace *q);
/** Lengthen later steps by the factor by which the last one reduced the residual, and more after
 * several reductions in a row.  The first step is the shortest: modes are not known yet. */
void sup_dual_subspace_lengthen(sup_dual_subspace *q, double gain);
/** Shorten later steps. */
void sup_dual_subspace_shorten(sup_dual_subspace *q);
