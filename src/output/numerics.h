/* Numbers that decide in output. */
#pragma once

#include "base/numerics.h"

#define SUP_OUTPUT_NUMERICS(X)                                                                    \
  X(pause, .02, "s", "time between two writes of a file", "a write takes as long as a short row", \
    "")                                                                                           \
  X(mode_size, .05, "-", "amplitude of modes in frames over the size of the scene", "visible",    \
    "modes_command.frames_have_a_period_of_each_mode")

SUP_NUMERICS(sup_output_numerics, SUP_OUTPUT_NUMERICS);
