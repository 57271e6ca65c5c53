/** The point of a body that is farthest from its surface.  Layer geom.
 *
 *  The distance to each triangle is a convex function of position, with its tangents as linear
 * lower bounds.  The position at which the least tangent is largest is never worse than the
 * previous one, and between plane faces it is the deepest point itself, up to round-off. */
#pragma once

#include "geom/boundary.h"

/** Climb from a point inside to a local maximum of the depth; the result is accurate to a relative
 * 1e-13 in any axes.  E_MEMORY.
 *  @param[in,out] at     the point
 *  @param[out]    depth  [m] */
SUP_NODISCARD sup_status sup_deepest_near(const sup_boundary *boundary, sup_v3 *at, double *depth);
