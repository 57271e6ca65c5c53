/** Triangles in space.  Layer geom. */
#pragma once

#include "base/vec.h"

/** Nearest point of a triangle to p, by the region of the plane in which p lies. */
sup_v3 sup_triangle_nearest(sup_v3 a, sup_v3 b, sup_v3 c, sup_v3 p);
