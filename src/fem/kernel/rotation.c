#include <math.h>

#include "fem/kernel/batch.h"
#include "fem/kernel/polar.h"
#include "la/supernodal/kernel.h"

#define SET_FILE "fem/kernel/rotation_set.inc"
#include "base/each_set.inc"

#define ROTATE(set) rotate_##set
static sup_batch_rotate *const set[] = {EACH_SET(ROTATE)};

sup_batch_rotate *sup_batch_rotate_set(int k, int *end) {
  return sup_kernel_runs(k, end) ? set[k] : NULL;
}

sup_batch_rotate *sup_batch_rotate_select(void) { return set[sup_kernel_best()]; }
