/* Numbers that decide in states that programs set. */
#pragma once

#include "base/numerics.h"

#define SUP_SIMULATOR_NUMERICS(X)                                                          \
  X(apart, 1e-4, "-",                                                                      \
    "distance of a constraint's ends over their coordinates, and angle past it, when set", \
    "places of loops that are typed with five digits", "assign.constraints_are_not_torn")  \
  X(beyond, 1e-3, "-", "way of a joint past a limit over its range, without one m or rad", \
    "limits give way to forces, and states of runs are set again",                         \
    "assign.joints_keep_their_limits")

SUP_NUMERICS(sup_simulator_numerics, SUP_SIMULATOR_NUMERICS);
