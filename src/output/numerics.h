/* Numbers that decide in output. */
#pragma once

#include "base/numerics.h"

#define SUP_OUTPUT_NUMERICS(X)                                                                    \
  X(pause, .02, "s", "time between two writes of a file", "a write takes as long as a short row", \
    "")

SUP_NUMERICS(sup_output_numerics, SUP_OUTPUT_NUMERICS);
