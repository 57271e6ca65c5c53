/** Sums over vectors of n numbers, added up from the first to the last: with the same bits wherever
 * they are inlined.  Layer la.  Pure functions. */
#pragma once

#include <math.h>

/** a . b */
static inline double sup_dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}
/** Euclidean norm. */
static inline double sup_norm(const double *a, int n) { return sqrt(sup_dot(a, a, n)); }
