/* Numbers that decide beneath the mechanics. */
#pragma once

#include "base/numerics.h"

#define SUP_BASE_NUMERICS(X)                                                  \
  X(patience, 1e-3, "s", "time that a helper waits at hand before it sleeps", \
    "steps have regions that often", "")

SUP_NUMERICS(sup_base_numerics, SUP_BASE_NUMERICS);
