/** Equations of a step as functions of values, outside of any solver.  Layer step.
 *
 *  The residual r(v) = A v - p - J^T gamma(v) and its derivative H = A + J^T G J at block
 * velocities v, made by the stages that a step runs.  What a step decides is given: contacts, the
 * laws in force, schemes of bodies in an impact. */
#pragma once

#include "step/solution.h"

/** Results of search and solver that the equations hold fixed. */
typedef struct sup_step_decisions {
  const sup_contact_list *contacts; /* where bodies touch, at the start */
  const sup_law *law; /* [num_constraints] in force, in the order of the rows; NULL: the rows' */
  const unsigned char *is_impact;  /* [num_softs] 1: of first order; NULL: none */
  int                  all_limits; /* sup_contact_problem.all_limits */
} sup_step_decisions;

/** Stages about v; memory of the caller's arena, but matrices and rows. */
typedef struct sup_step_equations {
  sup_step_start      start;
  sup_assembly        assembly; /* elastic forces, and K as the second derivative, at v */
  sup_contact_problem contacts;
  const sup_law      *law; /* as the decisions'; NULL: the rows' */
} sup_step_equations;

/** Equations about v of the increment from `state`.  They keep their address, and layout,
 * increment, state, laws and arena outlive them.  Returned empty on failure. */
SUP_NODISCARD sup_status sup_step_equations_create(sup_step_equations    *equations,
                                                   const sup_step_layout *layout,
                                                   const sup_increment *inc, const sup_state *state,
                                                   const sup_step_decisions *decisions,
                                                   const double *v, sup_arena *arena);
void                     sup_step_equations_free(sup_step_equations *equations);
/** r [num_scalars] := r(v), v about which the equations are [N s]. */
SUP_NODISCARD sup_status sup_step_equations_residual(const sup_step_equations *equations,
                                                     const double *v, double *r);
/** y [2 num_scalars]: its first half := H x at v, the other is workspace. */
SUP_NODISCARD sup_status sup_step_equations_multiply(const sup_step_equations *equations,
                                                     const double *v, const double *x, double *y);
/** r [num_scalars] := r(v) of the increment from `state`. */
SUP_NODISCARD sup_status sup_step_residual(const sup_step_layout *layout, const sup_increment *inc,
                                           const sup_state          *state,
                                           const sup_step_decisions *decisions, const double *v,
                                           sup_arena *arena, double *r);
