/** Statistics among the arrays of a file, so that a run that goes on adds to them.  Layer output.
 */
#pragma once

#include "base/archive.h"
#include "output/statistics.h"

/** Everything that was gathered, under names that begin with "statistics.". */
void sup_statistics_put(const sup_statistics *statistics, sup_archive_writer *writer);
/** The same back into statistics that were begun for the same model.  E_ARG names what does not
 * fit. */
/** Of a branch: the account of energies goes on from where the run before had it. */
SUP_NODISCARD sup_status sup_statistics_branch(sup_statistics    *statistics,
                                               const sup_archive *archive);
SUP_NODISCARD sup_status sup_statistics_get(sup_statistics *statistics, const sup_archive *archive);
