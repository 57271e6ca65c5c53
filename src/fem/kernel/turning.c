#include "fem/kernel/turning.h"

#include <math.h>

#include "la/supernodal/kernel.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SET_FILE "fem/kernel/turning_set.inc"
#include "base/each_set.inc"

const sup_turning_kernels *sup_turning_kernels_set(int k, int *end) {
  static const sup_turning_kernels set[] = {
#if defined(__x86_64__)
    {turning_stiffness_avx512, turning_multiply_avx512, turning_energy_avx512, turning_work_avx512},
    {turning_stiffness_avx2, turning_multiply_avx2, turning_energy_avx2, turning_work_avx2},
#endif
    {turning_stiffness_plain, turning_multiply_plain, turning_energy_plain, turning_work_plain}
  };
  int past;
  *end = k >= (int)(sizeof set / sizeof *set);
  return !*end && sup_kernel_set(k, &past)
             ? &set[k]
             : NULL; /* the sets are those of la/supernodal/kernel.h */
}

const sup_turning_kernels *sup_turning_kernels_select(void) {
  const sup_turning_kernels *kernels = NULL;
  for (int k = 0, end = 0; !kernels && !end; k++) kernels = sup_turning_kernels_set(k, &end);
  return kernels;
}
