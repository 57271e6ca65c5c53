/** Pressure-field meshes of shapes: the closed surface joined to the medial set.  Layer mesh.
 *
 *  The extent e(x) of a shape is the distance to its boundary over the largest such distance
 * (sphere 1 - r/R, box and cylinder by the nearest face, capsule 1 - distance to its axis / R,
 * ellipsoid and convex polyhedron 1 - the gauge about the centre); THEORY 9.1.  It is linear
 * between a facet of the surface and the facet's shadow on the medial set, so the mesh represents
 * it exactly for the faceted shape: one prism a triangle, cut into three T4, or, where two of its
 * corners are images of each other by planes of coordinates, into up to five about a middle between
 * them, so that the cut is its own mirror image. */
#pragma once

#include "mesh/mesh.h"

/** The mesh, in the shape's frame, and e at its vertices: 1 on the medial set, 0 on the surface.
 *  @param resolution  edge length of the surface [m] (sup_surface_of_shape); INFINITY: as coarse as
 * the shape allows
 *  @param margin      the mesh reaches this far outside the surface [m], where e < 0 goes on with
 * the same slope; >= 0
 *  @param[out] extent [mesh->num_vertices], freed by the caller with SUP_FREE
 *  @param[out] depth  largest distance to the surface [m]: 1/depth is the slope of e normal to a
 * face E_ARG: a half space, or sizes that sup_surface_of_shape refuses. */
SUP_NODISCARD sup_status sup_mesh_of_shape_field(sup_mesh **mesh, double **extent, double *depth,
                                                 const sup_shape *shape, double resolution,
                                                 double margin);
/** Move the outer points of such a mesh from one margin to another, with their extents; the cells
 * stay.
 *  @param depth  as sup_mesh_of_shape_field gave it */
void sup_shape_field_widen(sup_mesh *mesh, double *extent, double depth, double from, double to);
