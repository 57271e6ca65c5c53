/** Measured curves and what runs say about them.  Layer study, private. */
#pragma once

#include "study/fit/fit.h"

extern const sup_schema sup_schema_experiment;

/** Read an entry of `experiments` and its file.  E_PARSE "FILE:LINE: ..": no number, no column. */
SUP_NODISCARD sup_status sup_experiment_read(const char *study_path, sup_node *node,
                                             sup_experiment *experiment);
void                     sup_experiment_free(sup_experiment *experiment);
/** y of the run in the folder at each measured x, between two rows on their chord: y [num].
 * E_PARSE: the run does not reach one of them. */
SUP_NODISCARD sup_status sup_experiment_find(const sup_experiment *experiment, const char *folder,
                                             double *y);
