/** Start of a step: constant input of the stages, and time by phases.  Layer step. */
#pragma once

#include "base/memory.h"
#include "base/timer.h"
#include "model/increment.h"
#include "model/kinematics.h"
#include "step/layout.h"

enum {
  SUP_PHASE_KINEMATICS,
  SUP_PHASE_DYNAMICS,
  SUP_PHASE_COLLIDE,
  SUP_PHASE_ROWS,
  SUP_PHASE_ANALYSE,
  SUP_PHASE_SOLVE,
  SUP_PHASE_INTEGRATE
};

typedef struct sup_step_start {
  const sup_model       *model; /* the layout's */
  const sup_step_layout *layout;
  const sup_increment   *inc;   /* its maker's: stepper.c, control/, static/ */
  const sup_state       *state; /* before the increment */
  sup_kinematics kin; /* kinematics of the state by sup_kinematics_compute; load steps: kinematics
                         about which A and p are linear (static/linearisation.c) */
  sup_arena *arena;   /* arena of the increment */
} sup_step_start;

/** The time since `start` belongs to a phase; `start` becomes now. */
static inline void sup_step_lap(double *seconds, int phase, double *start) {
  double now = sup_wall_time();
  seconds[phase] += now - *start;
  *start = now;
}
