/** Rows of chambers and cables beside A.  Layer step. */
#pragma once

#include "step/assembly.h"

/** Laws, columns and mobilities from the arena, at the step's start. */
SUP_NODISCARD sup_status sup_columns_begin(const sup_step_start *s, sup_assembly *assembly);
