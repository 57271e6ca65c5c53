/** Memory of steps, and the pipeline that runs the stages in order (step.c).  Private to layer
 * step: step.c, stepper.c, control/ and static/statics.c have it, stages and strategies do not. */
#pragma once

#include "step/end.h"

/** Workspace of steps that are done in parts (step/control/parts.h). */
typedef struct sup_step_parts sup_step_parts;

/** Memory of load steps (step/static/statics.h). */
typedef struct sup_statics sup_statics;

struct sup_stepper {
  sup_step_layout *layout;
  /* memory that outlives an increment and does not affect results */
  sup_arena        *arena;     /* of the increment */
  sup_reduction    *reduction; /* analysed for the block columns that constraints touched last */
  sup_statics      *statics;   /* NULL until there was a load step */
  sup_step_parts   *parts;     /* NULL: steps of fixed length without parts */
  int               searches;  /* of contacts, in the last increment of motion */
  sup_step_warnings told;
  sup_kept_matrix   kept_matrix; /* of the state, until the increment is accepted that of its end */
  /* data of the current increment, in the order of the pipeline */
  sup_step_start      start; /* inc and state NULL between increments */
  sup_assembly        assembly;
  sup_contact_problem contact;
  sup_step_solution   solution;
  sup_step_end        end;
};

/** Begin an increment: s->start but its kinematics, with an empty arena. */
SUP_NODISCARD sup_status sup_stepper_begin(sup_stepper *s, const sup_increment *inc,
                                           const sup_state *state);
/** Run the pipeline over the caller's increment of motion, instead of the duration, gravity and
 * scheme of the options. */
SUP_NODISCARD sup_status sup_stepper_advance(sup_stepper *s, const sup_increment *inc,
                                             sup_state *state, sup_step_report *report);
