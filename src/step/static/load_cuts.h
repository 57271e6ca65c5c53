/** Lengths of load steps (THEORY 18.1).  Private to layer step. */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "step/static/numerics.h"

/** Length limit of the next load step after a load step of length h (`wanted` before cuts) with so
 * many iterations; at most `full`. */
static inline double sup_load_cuts_next(double full, double wanted, double h, int iterations) {
  bool is_easy = iterations <= sup_static_numerics.easy;
  return fmin(full, is_easy ? fmax(wanted, sup_static_numerics.longer * h) : wanted);
}
/** True if a load step of h/2 would be too short. */
static inline bool sup_load_cuts_is_last(double full, double h) {
  return h < 1.5 * full / exp2(sup_static_numerics.cuts);
}
/** True if a shorter load step cannot help: a body falls without end at both loads, or the error at
 * a small part of the load is as large as in the first attempt. */
static inline bool sup_load_cuts_is_hopeless(int cuts, bool both_fall, double first_error,
                                             double error) {
  if (cuts >= sup_static_numerics.cuts_falling && both_fall) return true;
  return cuts >= sup_static_numerics.cuts_hopeless && error > sup_static_numerics.coarse &&
         error > sup_static_numerics.as_first * first_error;
}
