#include "mesh/format/vtk_floats.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "la/supernodal/kernel.h"

#define SET_FILE "mesh/format/vtk_floats_set.inc"
#include "base/each_set.inc"

sup_put_floats *sup_vtk_floats_set(int k, int *end) {
  static sup_put_floats *const set[] = {
#if defined(__x86_64__)
    put_floats_avx512,
    put_floats_avx2,
#endif
    put_floats_plain
  };
  int past;
  *end = k >= (int)(sizeof set / sizeof *set);
  return !*end && sup_kernel_set(k, &past)
             ? set[k]
             : NULL; /* the sets are those of la/supernodal/kernel.h */
}

int sup_vtk_floats(size_t count, const double *value, unsigned char *to) {
  sup_put_floats *put = NULL;
  for (int k = 0, end = 0; !put && !end; k++) put = sup_vtk_floats_set(k, &end);
  return put(count, value, to);
}
