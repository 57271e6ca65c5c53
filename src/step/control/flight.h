/** Bodies that fly from impact to impact: errors of their landings and take-offs.  Layer step.
 *
 *  The force of a contact that opens or closes within a step has a kink, of which extrapolation
 * leaves 2/9 of the estimate in the body's velocity.  No contact damps that in flight:
 * it displaces the body by T/T_c of it in a flight of T, which the estimates of steps do not see.
 */
#pragma once

#include "step/control/parts.h"
#include "step/stepper.h"

/** Set part->touch [num_trees + num_softs]: 1 if the tree or soft body touches anything. */
void sup_stepper_note_touch(const sup_stepper *s, sup_step_part *part);
/** Set sup_step_result.flight from a step and its halves, or from one step alone: has_halves 0. */
SUP_NODISCARD sup_status sup_stepper_set_flights(sup_stepper *s, int has_halves);
