/** Steps whose length follows an estimate of their error (THEORY 17).  Layer step.
 *
 *  An attempt of length h is one step of h and two of h/2 from the same state: their difference is
 * the error of the two halves, and is added to them (local extrapolation).  Soft bodies by BDF2 go
 * by one step and the estimate of Milne while no contact of theirs opens or closes.  The pipeline
 * gets increments only; the state is replaced when an attempt is accepted. Slip that turns round
 * ends a step (step/control/reversal.h): doubling does not see it. */
#pragma once

#include "step/result.h"

/** One step of the stepper's accuracy that ends at `stop` at the latest, and at corners of the
 * tables that move things.  The report counts the work of all attempts; forces on vertices,
 * wrenches, reactions, efforts and loads of pairs of the result are means over the step, its
 * contacts those of the second half.  E_NOT_CONVERGED: the solver failed in a step of min_step; the
 * state is as before.
 */
SUP_NODISCARD sup_status sup_stepper_controlled_step(sup_stepper *s, sup_state *state, double stop,
                                                     sup_step_report *report);
