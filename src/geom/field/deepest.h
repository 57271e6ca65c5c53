/** The point of a body that is farthest from its surface.  Layer geom.
 *
 *  The distance to each triangle is a convex function of the place, so that linear bounds from
 * below are its tangents: the place where the least of them is largest is no worse than the one
 * before, and beside plane faces it is the deepest itself, to round-off. */
#pragma once

#include "geom/boundary.h"

/** Climb from a point inside to a place that is the deepest of its surroundings; returns its
 * distance [m], of which 1e-13 are round-off, whatever axes it is told in.  E_MEMORY.
 *  @param[in,out] at     the point
 *  @param[out]    depth  [m] */
SUP_NODISCARD sup_status sup_deepest_near(const sup_boundary *boundary, sup_v3 *at, double *depth);
