/** solver.csv: a row for every iteration of the contact solver, with output.solver_log, and of
 * `supple contact --log`.  Layer output. */
#pragma once

#include "output/format/csv.h"
#include "step/result.h"

/** Start FOLDER/solver.csv, or go on behind its first `bytes`; negative: start. */
SUP_NODISCARD sup_status sup_solver_log_open(sup_csv *log, const char *folder, long bytes);
/** A row for each iteration of each island in the step. */
SUP_NODISCARD sup_status sup_solver_log_write(sup_csv *log, const sup_step_result *result);
/** Write all rows of a log into a file of its own, without the columns of the step. */
SUP_NODISCARD sup_status sup_solver_log_save(const char *path, const sup_iteration_log *log);
