/** Doubles as the floats of a binary VTK file, several at once.  Layer mesh, private. */
#pragma once

#include <stddef.h>

/** The nearest floats, big-endian.
 *  @param[out] to  [count x 4] bytes
 *  @return 0: one of the floats is not finite */
typedef int sup_put_floats(size_t count, const double *value, unsigned char *to);

/** Conversion by the best set of kernels that this processor supports. */
int sup_vtk_floats(size_t count, const double *value, unsigned char *to);
/** Set number k, best first, NULL when this processor has no such set; *end when k is past the
 * last. */
sup_put_floats *sup_vtk_floats_set(int k, int *end);
