/** A contact problem as a folder of text files: matrices as Matrix Market, the rest as CSV.  Layer
 * output. */
#pragma once

#include "solve/stored/stored_problem.h"

/** A.mtx, J.mtx, G.mtx (what it has of them), contacts.csv, joints.csv, velocities.csv and
 * laws.csv. E_IO names the file. */
SUP_NODISCARD sup_status sup_problem_folder_write(const sup_stored_problem *stored,
                                                  const char               *folder);
