/** Orders for qsort.  Layer base. */
#pragma once

#include <stdint.h>

static inline int sup_compare_int(const void *a, const void *b) {
  int p = *(const int *)a, q = *(const int *)b;
  return (p > q) - (p < q);
}
static inline int sup_compare_int64(const void *a, const void *b) {
  int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
  return (p > q) - (p < q);
}
static inline int sup_compare_double(const void *a, const void *b) {
  double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}
