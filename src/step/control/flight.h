/** Bodies that fly from impact to impact: errors of their landings and take-offs.  Layer step.
 *
 *  The force of a contact that opens or closes within a step has a kink; extrapolation leaves an
 * error of 2/9 of the estimate in the body's velocity.  In flight no contact damps this error:
 * after a flight of duration T the displacement error is T/T_c times the velocity error, which the
 * estimates of single steps do not contain.
 */
#pragma once

#include "step/control/parts.h"
#include "step/solution.h"

/** Set part->touch [num_trees + num_softs]: 1 if the tree or soft body touches anything. */
void sup_step_mark_touching(const sup_model *model, sup_step_part *part);
/** Set result->flight from a step and its halves, or from one step alone if has_halves is 0;
 * assembly, contacts and solution are those of the last increment. */
SUP_NODISCARD sup_status sup_step_set_flights(const sup_step_start *s, const sup_assembly *assembly,
                                              const sup_contact_problem *contacts,
                                              const sup_step_solution *solution, int has_halves,
                                              sup_step_parts *parts, sup_step_result *result);
