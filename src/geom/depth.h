/** Exact depth of points and facets in bodies.  Layer geom.
 *
 *  Contact detection finds depths at its sample points only; these functions measure penetration
 * independently of sample points. */
#pragma once

#include "geom/bvh.h"
#include "geom/shape.h"
#include "mesh/surface.h"

/** A closed surface with the hierarchy of its faces, all in one frame. */
typedef struct sup_solid {
  const sup_surface  *surface;
  const double       *points; /* [surface->num_points x 3] */
  const sup_bvh_node *node;   /* over the faces */
} sup_solid;

/** Depth of p inside: its distance to the surface where the surface winds about it; 0 if p is
 * outside or not deeper than `least` [m].  The winding number is summed (van Oosterom and Strackee
 * 1983) if the nearest face does not decide the side.
 *  @param[in,out] evaluations number of triangles and boxes visited, as a measure of cost */
double sup_solid_depth(const sup_solid *solid, sup_v3 p, double least, long *evaluations);
/** Depth of the deepest point of a triangle in a convex shape, to `tolerance` [m] from below;
 * `least` when it is not deeper than that.  The signed depth phi is convex, so that min over the
 * corners of phi(c) + grad phi(c) . (x - c) bounds it (THEORY 19.1): triangles that may contain a
 * deeper point are cut in four.
 *  @param[in]     corner  in the frame of the shape, which must not be SUP_SHAPE_MESH
 *  @param[in,out] evaluations   number of depth evaluations */
double sup_triangle_depth(const sup_shape *shape, const sup_v3 corner[3], double least,
                          double tolerance, long *evaluations);
/** Point of a triangle nearest to a convex shape, or a nearly deepest point if both overlap; among
 * equal points, a corner.
 *  @param[in]  corner  in the frame of the shape, which must not be SUP_SHAPE_MESH
 *  @param[out] phi     signed distance, negative inside [m] */
sup_v3 sup_triangle_nearest_shape(const sup_shape *shape, const sup_v3 corner[3], double *phi);
/** Deepest point inside a shape, or nearly deepest (a polyhedron: the mean of its corners), and its
 * depth [m]; 0: a half space or a surface without a shape. */
double sup_shape_middle(const sup_shape *shape, sup_v3 *middle);
