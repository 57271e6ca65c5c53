/** solver.csv: residuals of every iteration of the contact solver, with output.solver_log.  Layer
 * output. */
#pragma once

#include "output/csv.h"
#include "step/result.h"

/** Start FOLDER/solver.csv. */
SUP_NODISCARD sup_status sup_solver_log_open(sup_csv *log, const char *folder);
/** A row for each iteration of each island in the step's last solution. */
SUP_NODISCARD sup_status sup_solver_log_write(sup_csv *log, const sup_step_result *result);
