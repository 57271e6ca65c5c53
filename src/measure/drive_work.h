/** Work of a scene's drives: an upper bound, by which spurious energy is detected.  Layer
 * output. */
#pragma once

#include "step/result.h"

/** 1: the model has a source of energy other than gravity and initial motion: actuators, loads,
 * tractions, prescribed motions of bases and holds, belts.  Inputs of a program are not in the
 * model. */
bool sup_model_is_driven(const sup_model *model);
/** Work in the step that led to the state, each part counted as a loss of none [J]: forces and
 * torques on links along their motion and efforts of joints, by tables or set from outside; contact
 * forces and springs on bodies with a prescribed motion and on belts along it.  What holds and
 * tractions do on soft bodies is not in it. */
double sup_drive_work(const sup_model *model, const sup_state *state,
                      const sup_step_result *result);
