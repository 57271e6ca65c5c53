/** Events of a run: looks after each step at times and columns, and lets holds begin and end.
 * Layer measure.  Decides by doubles of the state and the step's result, so that events happen in
 * the same step for any number of threads and in resumed runs. */
#pragma once

#include "measure/observable.h"
#include "model/event.h"

typedef struct sup_event_watch sup_event_watch;

/** *out := NULL for a model without events.  E_ARG names an unknown column, with its place. */
SUP_NODISCARD sup_status sup_event_watch_create(sup_event_watch **out, const sup_model *model,
                                                const sup_options    *options,
                                                const sup_column_def *columns);
void                     sup_event_watch_destroy(sup_event_watch **watch);
/** Let events happen at the end of an accepted step, with a note each.  The state is changed by
 * sup_step_switch_holds, the report gets its energies.  watch NULL: nothing. */
SUP_NODISCARD sup_status sup_event_watch_step(sup_event_watch *watch, sup_state *state,
                                              const sup_step_result *result,
                                              sup_step_report       *report);
/** Note each event that has not happened by the end of a run. */
void sup_event_watch_end(const sup_event_watch *watch, const sup_state *state);
