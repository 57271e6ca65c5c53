/** Start of a step: constant input of the stages.  Layer step. */
#pragma once

#include "base/memory.h"
#include "model/increment.h"
#include "model/kinematics.h"
#include "step/layout.h"

typedef struct sup_step_start {
  const sup_model       *model; /* the layout's */
  const sup_step_layout *layout;
  const sup_increment   *inc;   /* its maker's: stepper.c, control/, static/ */
  const sup_state       *state; /* before the increment */
  sup_kinematics         kin;   /* of the state by sup_kinematics_compute; load steps: where A and p
                                   are linear (static/linearisation.c) */
  sup_arena *arena;             /* of the increment */
} sup_step_start;
