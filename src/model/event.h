/** Events of a model and what they have done in a state.  Layer model.
 *
 *  An event happens at the end of a step, at most once.  The state has when; what begins or ends by
 * it follows from that (sup_hold_is_active).  Conditions on columns are looked at by
 * measure/event_watch.c. */
#pragma once

#include "model/model.h"

typedef struct sup_event {
  sup_event_def def;
  int           after;                  /* event before which it is not looked at; SUP_NONE */
  char          what[3 * SUP_NAME_MAX]; /* "hold 'cup' of 'block' ends" */
  int           task, phase;            /* that it guards; SUP_NONE */
} sup_event;

/** An event in a state. */
typedef struct sup_event_state {
  double since; /* its condition holds since then; negative: it does not [s] */
  double fired; /* time of the event; negative: it did not happen yet [s] */
  double value; /* of the column then; of the time [s] */
} sup_event_state;

/** Append to the model the events by which a hold or a constraint begins and ends; SUP_NONE for
 * SUP_EVENT_NONE.
 *  E_ARG: a time, a bound or a duration that no event can have, an end before the begin.
 *  @param[in] of  for messages: "hold 'cup' of 'block'" */
SUP_NODISCARD sup_status sup_model_add_events(sup_model *model, const sup_event_def *from,
                                              const sup_event_def *until, const char *of,
                                              int *begins, int *ends);
/** A failure with the place of the event before its message. */
sup_status sup_event_blame(const sup_event *event, sup_status status);
/** True if the hold begins or ends by an event. */
static inline bool sup_hold_has_event(const sup_dirichlet *hold) {
  return hold->from != SUP_NONE || hold->until != SUP_NONE;
}
/** True if the hold has begun and not ended.
 *  @param[in] event  [num_events] of a state */
static inline bool sup_hold_is_active(const sup_dirichlet *hold, const sup_event_state *event) {
  return (hold->from == SUP_NONE || event[hold->from].fired >= 0) &&
         (hold->until == SUP_NONE || event[hold->until].fired < 0);
}
/** Bits SUP_AXIS_X .. along which an active clamp or hold of the body acts. */
int sup_soft_held_axes(const sup_soft *soft, const sup_event_state *event);
/** holder [num_vertices x 3] := active holds of the components, of several that without events or
 * else the first; SUP_NONE. */
void sup_soft_active_holders(const sup_soft *soft, const sup_event_state *event, int *holder);
/** E_ARG: the model has events, which `user` does not take. */
SUP_NODISCARD sup_status sup_model_refuse_events(const sup_model *model, const char *user);
