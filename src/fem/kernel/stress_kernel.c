#include "fem/kernel/stress_kernel.h"

#include <math.h>

#include "fem/kernel/polar.h"
#include "la/supernodal/kernel.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SET_FILE "fem/kernel/stress_set.inc"
#include "base/each_set.inc"

const sup_stress_kernels *sup_stress_kernels_set(int k, int *end) {
  static const sup_stress_kernels set[] = {
#if defined(__x86_64__)
    {brick_avx512, rows_avx512, brick_difference_avx512, principal_avx512},
    {brick_avx2, rows_avx2, brick_difference_avx2, principal_avx2},
#endif
    {brick_plain, rows_plain, brick_difference_plain, principal_plain}
  };
  int past;
  *end = k >= (int)(sizeof set / sizeof *set);
  return !*end && sup_kernel_set(k, &past)
             ? &set[k]
             : NULL; /* the sets are those of la/supernodal/kernel.h */
}

const sup_stress_kernels *sup_stress_kernels_select(void) {
  const sup_stress_kernels *kernels = NULL;
  for (int k = 0, end = 0; !kernels && !end; k++) kernels = sup_stress_kernels_set(k, &end);
  return kernels;
}
