/** Doubles as the floats of a binary VTK file, several at once.  Layer mesh, private. */
#pragma once

#include <stddef.h>

/** to: [count x 4] bytes of the nearest floats, big-endian.
 *  @return 0: one of the floats is not finite */
int sup_vtk_floats(size_t count, const double *value, unsigned char *to);
