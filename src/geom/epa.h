/** Direction of the least translation that separates two overlapping convex cores (van den Bergen
 * 2001: expanding polytope).  Layer geom. */
#pragma once

#include "geom/support.h"

/** Unit direction from a to b along which the least translation separates the cores, found by an
 * inner polytope of their difference a - b.  Uses memory on the stack, which rounded shapes may
 * exhaust before convergence.  Returns 0 if the difference is flat.
 *  @param[in] size length scale of the shapes; the overlap exceeds the least one by at most 1e-4 of
 * it, unless memory is exhausted
 */
int sup_epa_direction(const sup_posed_shape *a, const sup_posed_shape *b, double size,
                      sup_v3 *direction);
