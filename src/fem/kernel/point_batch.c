#include "fem/kernel/point_batch.h"

#include <math.h>
#include <string.h>

#include "fem/kernel/polar.h"
#include "fem/numerics.h"
#include "la/supernodal/kernel.h"
#include "mesh/quadratic.h"

#define SET_FILE "fem/kernel/point_batch_set.inc"
#include "base/each_set.inc"

#define POINT_SET(set) \
  { point_stiffness_##set, point_force_##set, point_energy_##set, point_strain_##set }
static const sup_point_kernels set[] = {EACH_SET(POINT_SET)};

const sup_point_kernels *sup_point_kernels_set(int k, int *end) {
  return sup_kernel_runs(k, end) ? &set[k] : NULL;
}

const sup_point_kernels *sup_point_kernels_select(void) { return &set[sup_kernel_best()]; }
