#include "fem/kernel/stress_kernel.h"

#include <math.h>

#include "fem/kernel/polar.h"
#include "la/supernodal/kernel.h"

#define SET_FILE "fem/kernel/stress_set.inc"
#include "base/each_set.inc"

#define STRESS_SET(set) \
  { brick_##set, t4_##set, rows_##set, brick_difference_##set, principal_##set }
static const sup_stress_kernels set[] = {EACH_SET(STRESS_SET)};

const sup_stress_kernels *sup_stress_kernels_set(int k, int *end) {
  return sup_kernel_runs(k, end) ? &set[k] : NULL;
}

const sup_stress_kernels *sup_stress_kernels_select(void) { return &set[sup_kernel_best()]; }
