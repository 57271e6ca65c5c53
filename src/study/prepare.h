/** Signatures of levels.  Layer study, private. */
#pragma once

#include "study/study.h"

/** Sign a level by program, command and overrides; its files are compared where it was completed.
 */
SUP_NODISCARD sup_status sup_level_sign(const sup_study *study, sup_level *level);
