/** Bodies that fly from impact to impact: errors of their landings and take-offs.  Layer step.
 *
 *  The force of a contact that opens or closes within a step has a kink, of which extrapolation
 * leaves 2/9 of the estimate in the body's velocity.  No contact damps that in flight:
 * it displaces the body by T/T_c of it in a flight of T, which the estimates of steps do not see.
 */
#pragma once

#include "step/control/parts.h"
#include "step/solution.h"

/** Set part->touch [num_trees + num_softs]: 1 if the tree or soft body touches anything. */
void sup_step_note_touch(const sup_model *model, sup_step_part *part);
/** Set result->flight from a step and its halves, or from one step alone: has_halves 0; of the last
 * increment are the assembly, contacts and solution. */
SUP_NODISCARD sup_status sup_step_set_flights(const sup_step_start *s, const sup_assembly *assembly,
                                              const sup_contact_problem *contacts,
                                              const sup_step_solution *solution, int has_halves,
                                              sup_step_parts *parts, sup_step_result *result);
