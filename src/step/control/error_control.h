/** Steps whose length follows an estimate of their error (THEORY 17).  Layer step.
 *
 *  An attempt of length h is one step of h and two steps of h/2 from the same state.  The
 * difference of both results estimates the error of the halves and is added to them (local
 * extrapolation). Soft bodies in BDF2 take one step with Milne's estimate, as long as none of their
 * contacts opens or closes.  The pipeline gets increments only; the state is replaced when an
 * attempt is accepted. A reversal of slip ends a step (step/control/reversal.h), since step
 * doubling does not detect it.
 */
#pragma once

#include "step/result.h"

/** One step of the stepper's accuracy that ends at `stop` at the latest, and at corners of the
 * tables that move things.  The report counts the work of all attempts.  In the result, forces on
 * vertices, wrenches, reactions, efforts and loads of pairs are means over the step; contacts are
 * those of the second half.  E_NOT_CONVERGED: the solver failed in a step of min_step; the state is
 * as before.
 */
SUP_NODISCARD sup_status sup_stepper_controlled_step(sup_stepper *s, sup_state *state, double stop,
                                                     sup_step_report *report);
