#include "fem/kernel/turning.h"

#include <math.h>

#include "la/supernodal/kernel.h"

#define SET_FILE "fem/kernel/turning_set.inc"
#include "base/each_set.inc"

#define TURNING_SET(set) \
  { turning_stiffness_##set, turning_multiply_##set, turning_energy_##set, turning_work_##set }
static const sup_turning_kernels set[] = {EACH_SET(TURNING_SET)};

const sup_turning_kernels *sup_turning_kernels_set(int k, int *end) {
  return sup_kernel_runs(k, end) ? &set[k] : NULL;
}

const sup_turning_kernels *sup_turning_kernels_select(void) { return &set[sup_kernel_best()]; }
