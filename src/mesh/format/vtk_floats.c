#include "mesh/format/vtk_floats.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "la/supernodal/kernel.h"

#define SET_FILE "mesh/format/vtk_floats_set.inc"
#include "base/each_set.inc"

#define PUT_FLOATS(set) put_floats_##set
static sup_put_floats *const set[] = {EACH_SET(PUT_FLOATS)};

sup_put_floats *sup_vtk_floats_set(int k, int *end) {
  return sup_kernel_runs(k, end) ? set[k] : NULL;
}

int sup_vtk_floats(size_t count, const double *value, unsigned char *to) {
  return set[sup_kernel_best()](count, value, to);
}
