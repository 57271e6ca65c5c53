/** Self-intersections of a triangle surface.  Layer geom. */
#pragma once

#include "base/vec.h"
#include "mesh/surface.h"

typedef struct sup_surface_crossings {
  int    num_pairs;   /* of triangles that cut each other */
  int    triangle[2]; /* of the first pair, from 0 */
  sup_v3 where;       /* a point of their cut [m] */
} sup_surface_crossings;

/** Pairs of triangles of which an edge of one passes through the inside of the other.  Pairs that
 * share an edge, touch in a point or lie in one plane are no crossings.  The surface is one of
 * triangles. */
SUP_NODISCARD sup_status sup_surface_find_crossings(const sup_surface     *surface,
                                                    const double          *points,
                                                    sup_surface_crossings *crossings);
