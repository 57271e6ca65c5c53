/* Numbers that decide in what is measured. */
#pragma once

#include <float.h>

#include "base/numerics.h"

#define SUP_MEASURE_NUMERICS(X)                                                          \
  X(percentile, 1e-12, "-", "share of all weights that round-off of their sum may take", \
    "sums of a million weights", "output.percentiles_weigh_by_volume")                   \
  X(force_digits, 64 * DBL_EPSILON, "-",                                                 \
    "gap over the coordinates up to which a contact force is round-off",                 \
    "turns and sums take some of the last digits", "softening.touches_of_round_off_have_no_layer")

SUP_NUMERICS(sup_measure_numerics, SUP_MEASURE_NUMERICS);
