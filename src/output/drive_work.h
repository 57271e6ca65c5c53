/** What drives of a scene put into it: an upper bound, against which energy that came from nowhere
 * is told.  Layer output. */
#pragma once

#include "step/result.h"

/** Can anything but gravity and what moves at the start add energy: actuators, loads, tractions,
 * prescribed motions of bases and holds, belts?  What a program sets is not in the model. */
int sup_model_is_driven(const sup_model *model);
/** Work in the step that led to the state, each part counted as a loss of none [J]: forces and
 * torques on links along their motion and efforts of joints, by tables or set from outside; contact
 * forces and springs on bodies with a prescribed motion and on belts along it.  What holds and
 * tractions do on soft bodies is not in it. */
double sup_drive_work(const sup_model *model, const sup_state *state,
                      const sup_step_result *result);
