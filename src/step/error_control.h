/** Steps whose length follows an estimate of their error (THEORY_2 17).  Layer step.
 *
 *  An attempt of length h is one step of h and two of h/2 from the same state: what they differ by
 * is the error of the two halves, to which it is added (local extrapolation).  Soft bodies by BDF2
 * go by one step and the estimate of Milne while no contact of theirs opens or closes and nothing
 * else moves.  The pipeline is handed increments
 * and knows nothing of it; the state is replaced when an attempt is accepted and by nothing else.
 */
#pragma once

#include "step/result.h"

typedef struct sup_error_control sup_error_control;

SUP_NODISCARD sup_status sup_error_control_create(sup_error_control **control,
                                                  const sup_model    *model,
                                                  const sup_options  *options);
void                     sup_error_control_destroy(sup_error_control **control);
/** One step of the stepper's accuracy that ends at `stop` at the latest, and at corners of the
 * tables that move things.  The report counts the work of all attempts; forces on vertices,
 * wrenches, reactions and efforts of the result are means over the step, its contacts those of the
 * second half.  E_NOT_CONVERGED: the solver failed in a step of min_step; the state is as before.
 */
SUP_NODISCARD sup_status sup_stepper_controlled_step(sup_stepper *s, sup_state *state, double stop,
                                                     sup_step_report *report);
/** The step of fixed length in which the solver failed, whose report this is, in 2, 4, .. 64 equal
 * parts, whichever are the first that go (P2: convergence control).  The result is that of the last
 * part, with means over the step where its arrays have a place for each vertex, joint or body. */
SUP_NODISCARD sup_status sup_stepper_step_in_parts(sup_stepper *s, sup_state *state,
                                                   sup_step_report *report);
