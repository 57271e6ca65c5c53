/** Proximal weights of load steps (THEORY 18.4, Levenberg-Marquardt), as functions of the last one.
 * Private to layer step. */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "step/static/numerics.h"

/** Least weight: 0 if no body moves rigidly. */
static inline double sup_proximal_least(bool is_held) {
  return is_held ? 0 : sup_static_numerics.weight_least;
}
/** Weight of the first iteration: larger for bodies held by contact alone. */
static inline double sup_proximal_first(bool is_held) {
  return is_held ? 0 : sup_static_numerics.weight_first;
}
/** Weight after an accepted step. */
static inline double sup_proximal_lower(double weight, bool is_held) {
  return fmax(sup_static_numerics.weight_lower * weight, sup_proximal_least(is_held));
}
/** Weight after a refused step. */
static inline double sup_proximal_raise(double weight) {
  return fmax(sup_static_numerics.weight_raise * weight, sup_static_numerics.weight_least);
}
/** True if a step that is refused with this weight ends the load step. */
static inline bool sup_proximal_is_last(double weight) {
  return weight >= sup_static_numerics.weight_most;
}
/** Shift of A's diagonal over its size, after a saddle: first trial after the shift `last`, next
 * trial, and whether this one is the largest. */
static inline double sup_proximal_shift_first(double last) {
  return sup_static_numerics.shift_first * last;
}
static inline double sup_proximal_shift_next(double shift) {
  return sup_static_numerics.shift_more * shift;
}
static inline bool sup_proximal_shift_is_last(double shift) {
  return shift >= sup_static_numerics.shift_most;
}
