/** Statistics among the arrays of a file, so that a run that goes on adds to them.  Layer output.
 */
#pragma once

#include "base/file/archive.h"
#include "measure/statistics.h"

/** Everything that was gathered, under names that begin with "statistics.". */
void sup_statistics_put(const sup_statistics *statistics, sup_archive_writer *writer);
/** Continue the account of energies of the run before in a branch. */
SUP_NODISCARD sup_status sup_statistics_branch(sup_statistics    *statistics,
                                               const sup_archive *archive);
/** Read statistics that were begun for the same model.  E_ARG names the array that does not fit. */
SUP_NODISCARD sup_status sup_statistics_get(sup_statistics *statistics, const sup_archive *archive);
