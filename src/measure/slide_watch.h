/** Propagation of velocity errors along the slides of robots, step by step.  Layer output. */
#pragma once

#include "model/model.h"
#include "step/result.h"

typedef struct sup_slide_watch {
  double before, step; /* off of the step before, of which duration [s] */
  double error;        /* of the joint's velocity by the slide so far, signed [m/s or rad/s] */
  double way;          /* that velocity errors displaced the joint by, signed [m or rad] */
  double carried;      /* largest |way| over the accuracy's length, 1 rad */
  double time;         /* of that [s] */
} sup_slide_watch;

/** Add a step to the joints of trees that something holds.  Errors of velocities add up as long as
 * all contacts of a tree slip, which resists them no more than it does motion; stick ends them.
 *  @param[in,out] watch  [num_v of the model]
 *  @param[in] result  of the step, of controlled length */
void sup_slide_watch_step(sup_slide_watch *watch, const sup_model *model,
                          const sup_step_result *result, double accuracy_length);
