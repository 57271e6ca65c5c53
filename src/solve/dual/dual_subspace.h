/** Step of all contacts at once in their present modes: open, sticking, or sliding with the present
 * bound (subspace minimisation: Silcowitz, Niebe, Erleben 2010).  Layer solve.
 *
 *  Sweeps from contact to contact quickly find which contacts push and slide, but need thousands of
 * iterations for the impulses of many contacts on one soft body.  With fixed modes the impulses
 * solve a linear system with the matrix of Newton's method.  Solutions are fixed points of the
 * sweeps, with or without these steps. */
#pragma once

#include "solve/dual/dual_hessian.h"

typedef struct sup_dual_subspace {
  sup_dual_hessian hessian;
  double           proximal, least; /* proximal weight over the inverse mass; its lower bound */
  double           longer; /* factor by which the last step increased its length; 1: no progress */
  double           share;  /* share of the last step at which the energy is least */
  double           fall;   /* change of the energy at this share [J] */
  double          *change; /* [num_vc] change of impulses */
  double          *lambda; /* [num_vc] impulses before the step */
  double          *v, *x;  /* [n] velocities of these impulses, in the dual's order; a solution */
} sup_dual_subspace;

SUP_NODISCARD sup_status sup_dual_subspace_create(sup_dual_subspace *q, const sup_dual *dual);
/** 1: the law is the minimum of an energy, sup_law_residual.energy.  With nonlinear laws the energy
 * changes with the tangents of each iteration. */
bool sup_dual_has_energy(const sup_dual *dual);
/** lambda and v := solution of the law with the present modes, lambda projected on the cones. */
SUP_NODISCARD sup_status sup_dual_subspace_step(sup_dual *dual, sup_dual_subspace *q);
/** Return to impulses and velocities before the last step; for laws with an energy, to the point of
 * least energy on the step. */
void sup_dual_subspace_undo(sup_dual *dual, const sup_dual_subspace *q);
/** Lengthen later steps by the factor by which the last one reduced the residual, and more after
 * several reductions in a row.  The first step is the shortest, since modes are still unknown. */
void sup_dual_subspace_lengthen(sup_dual_subspace *q, double gain);
/** Shorten later steps. */
void sup_dual_subspace_shorten(sup_dual_subspace *q);
