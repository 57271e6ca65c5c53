/** Sums over vectors of n numbers, added up from the first to the last: with the same bits wherever
 * they are inlined.  Layer la.  Pure functions. */
#pragma once

#include <math.h>
#include <string.h>

/** a . b */
static inline double sup_dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}
/** End of a [n] without the zeros behind its last other number, at least `first`. */
static inline int sup_nonzero_end(const double *a, int first, int n) {
  static const double zero[32];
  const int           step = sizeof zero / sizeof *zero;
  while (n - step >= first && memcmp(a + n - step, zero, sizeof zero) == 0) n -= step;
  while (n > first && a[n - 1] == 0) n--;
  return n;
}
/** Euclidean norm. */
static inline double sup_norm(const double *a, int n) { return sqrt(sup_dot(a, a, n)); }
