/** Bodies that fly from impact to impact: what their landings and take-offs err by.  Layer step.
 *
 *  The force of a contact that opens or closes within a step has a kink, of which extrapolation
 * leaves 2/9 of the estimate in the body's velocity.  No contact damps that in flight:
 * it displaces the body by T/T_c of it in a flight of T, which the estimates of steps do not see.
 */
#pragma once

#include "step/parts.h"
#include "step/stepper.h"

/** Write part by part whether each free body touches anything, [num_trees + num_softs]. */
void sup_stepper_note_touch(const sup_stepper *s, sup_step_part *part);
/** After a step and its halves, or one step alone when has_halves is 0, as sup_step_result.flight.
 */
void sup_stepper_set_flights(sup_stepper *s, int has_halves);
