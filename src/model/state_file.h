/** A state among the arrays of a file (base/file/archive.h).  Layer model. */
#pragma once

#include "base/file/archive.h"
#include "model/model.h"

/** Write the whole state, inputs too, under names that begin with the prefix; with ranks as one
 * rank would.  Collective.
 *  @param[in] model   of the state; NULL: there are no ranks
 *  @param     writer  of the first rank; NULL on others
 *  E_MEMORY, alike on all ranks. */
SUP_NODISCARD sup_status sup_state_put(const sup_state *state, const sup_model *model,
                                       const char *prefix, sup_archive_writer *writer);
/** Read a state of the model and its options from the arrays of the prefix.  E_ARG names the
 * difference if the state belongs to another model or options. */
SUP_NODISCARD sup_status sup_state_get(sup_state **state, const sup_model *model,
                                       const sup_options *options, const sup_archive *archive,
                                       const char *prefix);
