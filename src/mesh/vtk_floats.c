#include "mesh/vtk_floats.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "la/kernel.h"

#define SET_FILE "mesh/vtk_floats_set.inc"
#include "base/each_set.inc"

typedef int put_floats(size_t count, const double *value, unsigned char *to);

int sup_vtk_floats(size_t count, const double *value, unsigned char *to) {
  static put_floats *const set[] = {
#if defined(__x86_64__)
    put_floats_avx512,
    put_floats_avx2,
#endif
    put_floats_plain
  };
  int k = 0, end;
  while (!sup_kernel_set(k, &end))
    k++; /* the sets are those of la/kernel.h; the last runs anywhere */
  return set[k](count, value, to);
}
