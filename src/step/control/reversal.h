/** Reversal of slip within a part of a step, which step doubling does not detect.  Layer step.
 * Implicit friction has the direction of the slip at the part's end.  A step and its halves that
 * end on the same side of a reversal agree, whatever the time of the reversal: the error is the
 * impulse of twice the friction over the time on the wrong side.  This error, and the time at which
 * the step has to end, follow from the slip at both ends of a part (THEORY 17.4). */
#pragma once

#include "step/solution.h"

typedef struct sup_reversal {
  double error; /* of velocities over its bound [-]; 0: no reversal of slip */
  double at; /* time of least slip of the contact with the largest error, as a share of the part */
} sup_reversal;

/** Friction between links in an increment. */
typedef struct sup_stick {
  double *friction; /* [num_v + 3 num_vertices] mean generalized forces, in block order */
  int     holds;    /* 1: a contact is held at the end */
  int     breaks;   /* 1: one at rest at the start, or whose slip turns round, slides at the end */
  int     slides;   /* 1: one slides at the end as at the start */
} sup_stick;

/** Reversals within the increment that was just solved.
 *  @param[in] late  1: friction keeps its direction from before the reversal to the end of the
 * part, as in the second half of an extrapolated step; 0: friction has its direction from after the
 * reversal during the whole part
 *  @param[in,out] rests [num_pairs of the model] 1: a contact of the
 * pair is at rest at the end of the first half; written in the first half, read in the second */
SUP_NODISCARD sup_status sup_step_find_reversal(const sup_step_start      *s,
                                                const sup_assembly        *assembly,
                                                const sup_contact_problem *contacts,
                                                const sup_step_solution   *solution,
                                                const sup_increment *inc, int late,
                                                unsigned char *rests, sup_reversal *out);

/** Friction between links in the increment that was just solved. */
SUP_NODISCARD sup_status sup_step_find_stick(const sup_step_start *s, const sup_assembly *assembly,
                                             const sup_contact_problem *contacts,
                                             const sup_step_solution   *solution,
                                             const sup_increment *inc, sup_stick *stick);
/** Error of velocities over its bound if friction is `brief` for a duration in which it was taken
 * for `taken`.  A compliant body gives way to friction that has turned round before it slides, and
 * less friction holds it until then: implicit steps that are long beside its vibration do not see
 * this, whole or halved (THEORY 17.4). */
SUP_NODISCARD sup_status sup_step_error_of_stick(const sup_step_start *s,
                                                 const sup_assembly   *assembly,
                                                 const sup_stick *brief, const sup_stick *taken,
                                                 double duration, double *error);
