/** Signatures of levels.  Layer study, private. */
#pragma once

#include "study/study.h"

/** Sign a level by program, command and overrides; its files are compared where it was completed.
 */
SUP_NODISCARD sup_status sup_level_sign(const sup_study *study, sup_level *level);
/** h of all levels, by the size that the study names or that changes.  E_PARSE: a level is not
 * finer than the one before. */
SUP_NODISCARD sup_status sup_study_set_sizes(sup_study *study, sup_family *families,
                                             int num_families);
