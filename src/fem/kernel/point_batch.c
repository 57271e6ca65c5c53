#include "fem/kernel/point_batch.h"

#include <math.h>
#include <string.h>

#include "fem/kernel/polar.h"
#include "la/supernodal/kernel.h"
#include "mesh/quadratic.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SET_FILE "fem/kernel/point_batch_set.inc"
#include "base/each_set.inc"

#define POINT_SET(set) \
  { point_stiffness_##set, point_force_##set, point_energy_##set, point_strain_##set }

const sup_point_kernels *sup_point_kernels_set(int k, int *end) {
  static const sup_point_kernels set[] = {
#if defined(__x86_64__)
    POINT_SET(avx512),
    POINT_SET(avx2),
#endif
    POINT_SET(plain)
  };
  int past;
  *end = k >= (int)(sizeof set / sizeof *set);
  return !*end && sup_kernel_set(k, &past)
             ? &set[k]
             : NULL; /* the sets are those of la/supernodal/kernel.h */
}

const sup_point_kernels *sup_point_kernels_select(void) {
  const sup_point_kernels *kernels = NULL;
  for (int k = 0, end = 0; !kernels && !end; k++) kernels = sup_point_kernels_set(k, &end);
  return kernels;
}
