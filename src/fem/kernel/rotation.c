#include <math.h>

#include "fem/kernel/batch.h"
#include "fem/kernel/polar.h"
#include "la/supernodal/kernel.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SET_FILE "fem/kernel/rotation_set.inc"
#include "base/each_set.inc"

sup_batch_rotate *sup_batch_rotate_set(int k, int *end) {
  static sup_batch_rotate *const set[] = {
#if defined(__x86_64__)
    rotate_avx512,
    rotate_avx2,
#endif
    rotate_plain
  };
  int past;
  *end = k >= (int)(sizeof set / sizeof *set);
  return !*end && sup_kernel_set(k, &past)
             ? set[k]
             : NULL; /* the sets are those of la/supernodal/kernel.h */
}

sup_batch_rotate *sup_batch_rotate_select(void) {
  sup_batch_rotate *rotate = NULL;
  for (int k = 0, end = 0; !rotate && !end; k++) rotate = sup_batch_rotate_set(k, &end);
  return rotate;
}
