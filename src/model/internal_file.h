/** Internal variables of viscoelastic bodies in a state's file: those of all cells in the order of
 * a run on one rank.  Layer model. */
#pragma once

#include "base/file/archive.h"
#include "model/model.h"

/** Numbers of all ranks' internal variables, as one rank would have them. */
size_t sup_internal_size(const sup_model *model);
/** Write PREFIX and `internal`, gathered from the ranks.  Collective.
 *  @param[in] internal  [model->num_internal] of this rank
 *  @param     writer    of the first rank; NULL on others
 *  E_MEMORY, alike on all ranks. */
SUP_NODISCARD sup_status sup_internal_put(const sup_model *model, const double *internal,
                                          const char *prefix, sup_archive_writer *writer);
/** Read this rank's internal variables from the array of all ranks.
 *  @param[in] data  bytes of sup_internal_size numbers, at any address */
void sup_internal_get(const sup_model *model, const char *data, double *internal);
