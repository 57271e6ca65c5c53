/** Ladders of STUDY.yaml: lists of overrides, from coarse to fine.  Layer study, private. */
#pragma once

#include "scene/reader.h"
#include "study/study.h"

/** Read `ladder` into the family's levels; each gets the overrides of the study and of the family
 * before its own.
 *  @param[in] before  [num_before] mappings KEY: VALUE; entries may be NULL */
SUP_NODISCARD sup_status sup_ladder_read(sup_node *ladder, const sup_node *const *before,
                                         int num_before, sup_family *family);
/** Free the levels. */
void sup_ladder_free(sup_family *family);
