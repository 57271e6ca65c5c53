/** Equations of a step as functions of values, outside of any solver.  Layer step.
 *
 *  The residual r(v) = A v - p - J^T gamma(v), its derivative H = A + J^T G J at block velocities
 * v, and the state after a step with these velocities, made by the stages that a step runs.
 * Decisions of a step are inputs: contacts, laws in force, schemes of bodies in an
 * impact. */
#pragma once

#include "step/end.h"
#include "step/step.h"

/** Results of search and solver that the equations hold fixed. */
typedef struct sup_step_decisions {
  const sup_contact_list *contacts; /* contacts at the start; NULL: they are searched there */
  const sup_origins *origins; /* of contacts that are measured at the start, where `contacts` is
                                 NULL; NULL: these are searched */
  const sup_law *law; /* [num_constraints] laws in force, in the order of the rows; NULL: laws of
                         the rows, where coupled friction has the normal impulses of v */
  const unsigned char *is_impact;  /* [num_softs] 1: of first order; NULL: none */
  int                  all_limits; /* sup_contact_problem.all_limits */
  bool bodies_apart; /* true: without masses of soft bodies, and forces of those linear in a step */
} sup_step_decisions;

/** Stages about v; memory from the caller's arena, except matrices and rows. */
typedef struct sup_step_equations {
  sup_step_start      start;
  sup_assembly        assembly; /* elastic forces at v, with K as the second derivative */
  sup_contact_problem contacts;
  const sup_law      *law;         /* laws in force, as in the decisions */
  bool                is_searched; /* the list is theirs */
  double             *G; /* [num_constraints x 9] of H, friction coupled; NULL: not factored */
  double *D; /* [num_constraints x 9] part of G by the coupling, beside the factor; NULL: 0 */
} sup_step_equations;

/** Equations about v of the increment from `state`.  The equations must keep their address; layout,
 * increment, state, laws and arena must outlive them.  Returned empty on failure. */
SUP_NODISCARD sup_status sup_step_equations_create(sup_step_equations    *equations,
                                                   const sup_step_layout *layout,
                                                   const sup_increment *inc, const sup_state *state,
                                                   const sup_step_decisions *decisions,
                                                   const double *v, sup_arena *arena);
void                     sup_step_equations_free(sup_step_equations *equations);
/** r [num_scalars] := r(v) at the velocities v about which the equations were made [N s]. */
SUP_NODISCARD sup_status sup_step_equations_residual(const sup_step_equations *equations,
                                                     const double *v, double *r);
/** The equations, nonlinear bodies too, become those about v. */
SUP_NODISCARD sup_status sup_step_equations_move(sup_step_equations *equations, const double *v);
/** y [2 num_scalars]: first half := H x at v, second half is workspace. */
SUP_NODISCARD sup_status sup_step_equations_multiply(const sup_step_equations *equations,
                                                     const double *v, const double *x, double *y);
/** Factor the symmetric part of H at v, where products then are, too: friction coupled to normal
 * forces is not in it.  E_NOT_SPD.
 *  @param[in,out] reduction  of the layout's pattern; its analysis is kept from step to step */
SUP_NODISCARD sup_status sup_step_equations_factor(sup_step_equations *equations, const double *v,
                                                   sup_reduction *reduction);
/** State and result end->next, end->result and report of a step with the solution v; the report has
 * energies, not the solver's work.
 *  @param[in,out] end  with a state `next` of the model
 *  @param[out] report  NULL: the result has forces of contacts and poses alone */
SUP_NODISCARD sup_status sup_step_equations_end(sup_step_equations *equations, const double *v,
                                                sup_step_end *end, sup_step_report *report);
/** True if the stepper's last step of motion is a function of its start and its solution: it has
 * one part, one search of contacts and no sweeps of friction. */
bool sup_stepper_can_repeat(const sup_stepper *stepper, const sup_step_report *report);
/** Constant part of a stepper; it lives as long as the stepper. */
const sup_step_layout *sup_stepper_layout(const sup_stepper *stepper);
/** Solution v [num_scalars] of the stepper's last step and its decisions, valid until the next. The
 * contacts have their origins.
 *  @param[out] is_impact  [num_softs] sup_step_decisions.is_impact; NULL: not asked for */
void sup_stepper_last(const sup_stepper *stepper, const double **v, sup_step_decisions *decisions,
                      unsigned char *is_impact);
/** r [num_scalars] := r(v) of the increment from `state`. */
SUP_NODISCARD sup_status sup_step_residual(const sup_step_layout *layout, const sup_increment *inc,
                                           const sup_state          *state,
                                           const sup_step_decisions *decisions, const double *v,
                                           sup_arena *arena, double *r);
