/** Convex polygons in space: sections of tetrahedra by planes, clipped by planes; area, centroid,
 * second moments. Layer geom. */
#pragma once

#include "base/vec.h"

/** A quad clipped by the four planes of a tetrahedron and by the end of the pressure has at most
 * nine corners. */
enum { SUP_POLYGON_MAX_POINTS = 9 };

typedef struct sup_polygon {
  int    num_points; /* 0 or at least 3 */
  sup_v3 point[SUP_POLYGON_MAX_POINTS];
} sup_polygon;

/** normal . x + offset; the normal need not be a unit vector. */
typedef struct sup_plane {
  sup_v3 normal;
  double offset;
} sup_plane;

static inline double sup_plane_value(const sup_plane *plane, sup_v3 x) {
  return sup_v3_dot(plane->normal, x) + plane->offset;
}
/** to += s plane */
static inline void sup_plane_accumulate(sup_plane *to, double s, const sup_plane *plane) {
  to->normal = sup_v3_madd(to->normal, s, plane->normal), to->offset += s * plane->offset;
}
/** The plane in the frame that X maps to. */
static inline sup_plane sup_plane_transform(const sup_frame *X, const sup_plane *plane) {
  sup_v3 normal = sup_m3_apply(X->R, plane->normal);
  return (sup_plane){normal, plane->offset - sup_v3_dot(normal, X->p)};
}

/** Section of a tetrahedron by the plane: nothing, a triangle or a quad, counter-clockwise seen
 * from the side to which the normal points.  A corner on the plane counts as above it, so that a
 * plane through a face that two tetrahedra share belongs to one of them. */
void sup_polygon_of_tet(const sup_plane *plane, const sup_v3 corner[4], sup_polygon *out);
/** Keep the part inside of a tetrahedron, given by its barycentric coordinates. */
void sup_polygon_clip_tet(sup_polygon *polygon, const sup_plane inside[4]);
/** Keep the part where a function that is linear on the polygon is >= 0, given by its values at the
 * corners. */
void sup_polygon_clip_values(sup_polygon *polygon, const double *value);
/** Remove corners at which the outline hardly turns, as after clipping twice by equal planes: such
 * corners depend on round-off.  A polygon without area becomes empty. */
void sup_polygon_simplify(sup_polygon *polygon);
/** Rotate the order of corners so that a fan of triangles from the first corner does not depend on
 * the input order or on mirroring: the corner nearest to the mean of all comes first. */
void sup_polygon_order_fan(sup_polygon *polygon);
/** The convex hull of two polygons that lie in planes with normal n, or nearly; the corners that
 * cut off least are left out when there are too many. */
void sup_polygon_join(sup_polygon *polygon, const sup_polygon *other, sup_v3 n);
/** Area vector (by the right-hand rule) and centroid; a degenerate polygon's centroid is the mean
 * of its corners. */
sup_v3 sup_polygon_area(const sup_polygon *polygon, sup_v3 *centroid);
/** Integral of (x - c) g . (x - c) about the centroid c: first moment of a quantity with gradient g
 * [m^4 times the unit of g]. n: unit normal, by the right-hand rule. */
sup_v3 sup_polygon_first_moment(const sup_polygon *polygon, sup_v3 n, sup_v3 centroid,
                                sup_v3 gradient);
