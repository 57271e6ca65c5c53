/** Slip that turns round within a part of a step, which step doubling does not see.  Layer step.
 *
 *  Implicit friction has the direction of the slip at the part's end.  A step and its halves that
 * end on the same side of a reversal agree, whenever it was: the error is the impulse of twice the
 * friction over the time on the wrong side.  Here it follows from the slip at both ends of a part,
 * and with it the time at which a step has to end for both sides to be right (THEORY 17.4). */
#pragma once

#include "step/solution.h"

typedef struct sup_reversal {
  double error; /* of velocities over its bound [-]; 0: no reversal of slip */
  double at;    /* of the contact that errs most: where its slip is least, as a share of the part */
} sup_reversal;

/** Reversals within the increment that was just solved.
 *  @param[in] late  1: friction acts as before the reversal to the end of the part, as in the
 * second half of a step that is extrapolated; 0: as after it from the start
 *  @param[in,out] rests  [num_pairs of the model] a contact of the pair is at rest at the end of
 * the first half: written there, read of the second */
SUP_NODISCARD sup_status sup_step_find_reversal(const sup_step_start      *s,
                                                const sup_assembly        *assembly,
                                                const sup_contact_problem *contacts,
                                                const sup_step_solution   *solution,
                                                const sup_increment *inc, int late,
                                                unsigned char *rests, sup_reversal *out);
