/** State and result after the increment.  Layer step. */
#pragma once

#include "step/result.h"
#include "step/solution.h"

/** A soft body after the step; arrays from the arena. */
typedef struct sup_soft_end {
  double *u, *Au; /* [num_vertices x 3] mean velocities of the step, by end.c; A u, by result.c */
  double  relaxed[2]; /* energy taken by the terms of viscoelastic materials, work of growth [J].
                         By end.c */
  double work,
      dissipation; /* work done on the body; energy taken by damping [J].  By soft_energy.c */
} sup_soft_end;

typedef struct sup_step_end {
  sup_state *next;            /* the state after the step, until it is accepted.  By end.c, spin.c,
                                 soft_scheme.c, warm_start.c; load steps static/static_trees.c */
  sup_kinematics kin_next;    /* kinematics of `next`. By end.c */
  sup_soft_end  *soft;        /* [num_softs] */
  sup_soft_spin *spin;        /* [num_softs] of the result.  By soft_energy.c */
  double         lever_power; /* to soft bodies by the motion of their levers [W].  By spin.c */
  sup_step_result
      result; /* written by result.c; spin by spin.c, further members by control/ and static/ */
} sup_step_end;

/* ---- next state (end.c) ------------------------------------------------------------------------
 */

/** Copy the state to `next`, with the time of the increment's end. */
SUP_NODISCARD sup_status sup_step_begin_next(const sup_step_start *s, sup_state *next);
/** Compute end->kin_next from end->next; a driven base has the velocity of this step, not of the
 * next step. */
SUP_NODISCARD sup_status sup_step_predict_kinematics(const sup_step_start *s, sup_step_end *end);
/** Set end->kin_next and the soft bodies of end->next after the block velocities v; trees of
 * end->next are set. */
SUP_NODISCARD sup_status sup_step_set_end(const sup_step_start *s, const sup_assembly *assembly,
                                          const double *v, sup_step_end *end);
/** q [nq], v [nv] of tree t after the increment from q0, v0 with the solution u [nv].
 */
void sup_step_move_tree(const sup_step_layout *layout, const sup_increment *inc, int t,
                        const double *q0, const double *v0, const double *u, double *q, double *v);
/** Set end->next, end->kin_next and the energy of elastic sticks from the solution of a step of
 * motion. */
SUP_NODISCARD sup_status sup_step_integrate(const sup_step_start *s, const sup_assembly *assembly,
                                            const sup_contact_problem *contacts,
                                            sup_step_solution *solution, sup_step_end *end);
/** Store lever_rate of `next`, its power to soft bodies, and that given by each contact. */
SUP_NODISCARD sup_status sup_step_lever_rates(const sup_step_start *s, const sup_assembly *assembly,
                                              sup_contact_list *contacts, sup_step_end *end);

/* ---- result (result.c, soft_energy.c) -----------------------------------------------------------
 */

/** Fill in forces, wrenches, efforts and poses after the step, without energies.  Stores A u of
 * soft bodies in end->soft.
 *  @param[in] before  positions of the levers of attachments */
SUP_NODISCARD sup_status sup_step_fill_result(const sup_step_start *s, const sup_assembly *assembly,
                                              const sup_state         *before,
                                              const sup_step_solution *solution,
                                              sup_contact_problem *contacts, sup_step_end *end);
/** Add the work done on soft bodies in this step and the energy taken by damping to the report;
 * after sup_step_fill_result. */
SUP_NODISCARD sup_status sup_step_audit(const sup_step_start *s, const sup_assembly *assembly,
                                        const sup_contact_problem *contacts,
                                        const sup_step_solution *solution, sup_step_end *end,
                                        sup_step_report *report);
/** State and result after the solved increment of motion, and the energy account in the report. */
SUP_NODISCARD sup_status sup_step_finish(const sup_step_start *s, const sup_assembly *assembly,
                                         sup_contact_problem *contacts, sup_step_solution *solution,
                                         sup_step_end *end, sup_step_report *report);
/** out [num_ties] := wrenches of slaves on their masters, about the mean of the tied vertices [N, N
 * m]; force += their forces on movers.
 *  @param[in]     end    [num_softs] with products of A and the velocities
 *  @param[in]     x      [num_vertices of the model x 3] places of the forces
 *  @param[in,out] force  [num_vertices of the model x 3] forces that are not in p [N] */
SUP_NODISCARD sup_status sup_assembly_tie_forces(const sup_step_start *s,
                                                 const sup_assembly   *assembly,
                                                 const sup_soft_end *end, const double *x,
                                                 double *force, sup_wrench *out);
