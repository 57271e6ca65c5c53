/** How thick a body is between opposite faces of its surface.  Layer mesh. */
#pragma once

#include "mesh/surface.h"

/** Median over the area of a closed surface of how far a ray from a face goes inward before it
 * comes out again [m]: the wall of a hollow body, the thickness of a plate, the side of a cube,
 * nearly the diameter of a ball.  Some hundred faces, spread over the surface, are looked at; brute
 * force, some milliseconds for 10,000 triangles.  0: no ray came out. */
SUP_NODISCARD sup_status sup_surface_thickness(const sup_surface *surface, const double *points,
                                               double *thickness);
