/** Convex hulls: the shape SUP_SHAPE_CONVEX (sup_hull_create is public).  Layer mesh. */
#pragma once

#include "base/status.h"
#include "base/vec.h"

static inline sup_v3 sup_hull_point(const sup_hull *hull, int i) {
  return sup_v3_load(hull->point + 3 * i);
}
/** Corner of a triangle. */
static inline sup_v3 sup_hull_corner(const sup_hull *hull, int triangle, int corner) {
  return sup_hull_point(hull, hull->triangle[3 * triangle + corner]);
}
static inline sup_v3 sup_hull_normal(const sup_hull *hull, int triangle) {
  return sup_v3_load(hull->normal + 3 * triangle);
}
/** Copy of the corners and triangles. */
SUP_NODISCARD sup_status sup_hull_copy(sup_hull **hull, const sup_hull *from);
/** The surface of a mesh of T4 cells, over its own points in their order. */
SUP_NODISCARD sup_status sup_polyhedron_of_mesh(sup_hull **hull, const sup_mesh *t4);
/** Volume [m^3], centre of mass, and moments of inertia per mass about it (xx yy zz xy xz yz) [m^2]
 * of a uniform solid.
 */
void sup_hull_moments(const sup_hull *hull, double *volume, sup_v3 *centre, double inertia[6]);
