/** Hierarchies over the faces of surfaces.  Layer geom. */
#pragma once

#include "geom/bvh.h"
#include "mesh/surface.h"

/** Boxes of all faces with the points [num_points x 3] where they are; box [num_faces]. */
void sup_surface_boxes(const sup_surface *surface, const double *points, sup_box *box);
SUP_NODISCARD sup_status sup_surface_bvh_create(sup_bvh **bvh, const sup_surface *surface,
                                                const double *points);
