#include "fem/kernel/batch.h"

#include <math.h>

#include "la/supernodal/kernel.h"

#define SET_FILE "fem/kernel/batch_set.inc"
#include "base/each_set.inc"

#define BATCH_SET(set) \
  { #set, dense_##set, t4_##set, tension_##set, pull_work_##set, pull_multiply_##set }
static const sup_batch_kernels set[] = {EACH_SET(BATCH_SET)};

const sup_batch_kernels *sup_batch_set(int k, int *end) {
  return sup_kernel_runs(k, end) ? &set[k] : NULL;
}

const sup_batch_kernels *sup_batch_select(void) { return &set[sup_kernel_best()]; }
