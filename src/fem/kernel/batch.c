#include "fem/kernel/batch.h"

#include <math.h>

#include "la/supernodal/kernel.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SET_FILE "fem/kernel/batch_set.inc"
#include "base/each_set.inc"

#define BATCH_SET(set) \
  { #set, dense_##set, t4_##set, tension_##set, pull_work_##set, pull_multiply_##set }

const sup_batch_kernels *sup_batch_set(int k, int *end) {
  static const sup_batch_kernels set[] = {
#if defined(__x86_64__)
    BATCH_SET(avx512),
    BATCH_SET(avx2),
#endif
    BATCH_SET(plain)
  };
  *end = k >= (int)(sizeof set / sizeof *set);
  int past;
  return !*end && sup_kernel_set(k, &past)
             ? &set[k]
             : NULL; /* the sets are those of la/supernodal/kernel.h */
}

const sup_batch_kernels *sup_batch_select(void) {
  const sup_batch_kernels *kernels = NULL;
  for (int k = 0, end = 0; !kernels && !end; k++) kernels = sup_batch_set(k, &end);
  return kernels;
}
