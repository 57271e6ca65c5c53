/** libccd: which way two overlapping convex cores come apart soonest.  Layer collide, the only user of libccd. */
#pragma once

#include "geom/support.h"

/** Direction (unit, from a to b) of about the least translation that separates the cores; 0 when libccd finds none.
 *  EPA with a tolerance of 1e-4 of `size`: a starting point, to be refined.  Works on the heap. */
int sup_ccd_direction(const sup_placed *a, const sup_placed *b, double size, sup_v3 *direction);
