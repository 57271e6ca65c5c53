/** Direction of the least translation that separates two overlapping convex cores (van den Bergen
 * 2001: expanding polytope).  Layer geom. */
#pragma once

#include "geom/support.h"

/** Unit direction from a to b along which the least translation separates the cores, found by an
 * inner polytope of their difference a - b.  On the stack: rounded shapes may use up its memory
 * first.  Returns 0 when the difference is flat.
 *  @param[in]  size   a length of the shapes; the overlap is at most 1e-4 of it above the least one
 * while there is memory
 */
int sup_epa_direction(const sup_posed_shape *a, const sup_posed_shape *b, double size,
                      sup_v3 *direction);
