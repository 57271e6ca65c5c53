/** Distance of points to a surface.  Layer geom. */
#pragma once

#include "geom/bvh.h"
#include "mesh/surface.h"

/** A surface and the hierarchy of its triangles. */
typedef struct sup_boundary {
  const sup_surface *surface;
  const double      *x; /* [surface->num_points x 3] */
  sup_bvh           *bvh;
} sup_boundary;

/** Surface and points must outlive the boundary. */
SUP_NODISCARD sup_status sup_boundary_create(sup_boundary *boundary, const sup_surface *surface,
                                             const double *x);
void                     sup_boundary_free(sup_boundary *boundary);
/** Unsigned distance of a point to the nearest triangle [m]. */
double sup_boundary_distance(const sup_boundary *boundary, sup_v3 p);
