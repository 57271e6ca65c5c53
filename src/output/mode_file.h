/** Files of modes: DIR/vtk with one period of each mode, mode k from time k to k + 1 s; modes.csv,
 * history.csv of the frames, summary.json.  Layer output. */
#pragma once

#include "output/output.h"
#include "step/static/modes.h"

/** Write them all; an earlier run's frames are removed.  `state` is of the model and is
 * overwritten.
 */
SUP_NODISCARD sup_status sup_modes_write(const sup_modes *modes, const sup_model *model,
                                         const sup_options *options, const sup_output_def *def,
                                         const char *folder, const char *title, sup_state *state);
