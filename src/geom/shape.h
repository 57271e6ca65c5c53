/** Rigid shapes with exact signed depth and gradient.  Layer geom: knows no bodies, no forces. */
#pragma once

#include <stdbool.h>

#include "base/vec.h"

/** Signed distance of p to the shape's surface [m], negative inside, with its gradient (unit,
 * pointing out of the shape). Exact for every shape (ellipsoid: to round-off of Newton's method).
 * On the medial set, where the gradient jumps, the first of the nearest faces in the order x, y, z
 * (lower before upper) or the +x direction is taken. */
double sup_shape_depth(const sup_shape *shape, sup_v3 p, sup_v3 *gradient);
/** Change of the gradient at p by a way d: the second derivative of the depth, which is symmetric,
 * times d.  Exact for every shape, on the feature of the shape that is nearest to p. */
sup_v3 sup_shape_turn(const sup_shape *shape, sup_v3 p, sup_v3 d);
/** Axis-aligned bounds of the shape placed at X, grown by margin; infinite for a half space. */
void sup_shape_bounds(const sup_shape *shape, const sup_frame *X, double margin, sup_v3 *lower,
                      sup_v3 *upper);
/** Radius of the smallest ball about the shape's origin that holds it; INFINITY for a half space.
 */
double sup_shape_radius(const sup_shape *shape);
/** 1: some part of the surface is curved. */
bool sup_shape_is_round(const sup_shape *shape);
enum { SUP_SHAPE_ALL_AXES = 3, SUP_SHAPE_NO_AXIS };
/** Axis of the shape's frame about which any turn maps it onto itself; or all, or none. */
int sup_shape_axis(const sup_shape *shape);
/** 1: a sphere of radius 0.  Such a point has no surface and no inside: it touches in points only.
 */
bool        sup_shape_is_point(const sup_shape *shape);
const char *sup_shape_name(sup_shape_type type);
