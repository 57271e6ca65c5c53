/** Files of a sweep: one table with a row a case, its description, a script for Slurm.  Layer
 * study. */
#pragma once

#include "study/study.h"

/** sweep.csv and sweep.json, of all cases, also of those that failed or did not run. */
SUP_NODISCARD sup_status sup_sweep_write(const sup_study *study, const char *folder);
/** FOLDER/sweep.slurm: an array of `parts` jobs, each with every parts-th case.
 *  @param[in] program  the file that is run */
SUP_NODISCARD sup_status sup_sweep_write_slurm(const sup_study *study, const char *folder,
                                               const char *program, int parts);
