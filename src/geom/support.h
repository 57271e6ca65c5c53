/** Shapes as support functions, and their flat features.  Layer geom.
 *
 *  A shape is a core grown by a ball: sphere = point, capsule = segment, the others have no ball.
 * Distances between cores are computed exactly, where distances between the shapes would need
 * iteration. */
#pragma once

#include "base/vec.h"

/** A shape at a pose; not for half spaces, which have no support function. */
typedef struct sup_posed_shape {
  const sup_shape *shape;
  sup_frame        X; /* of the shape in the world */
} sup_posed_shape;

enum { SUP_FEATURE_MAX_POINTS = 16 };

/** Support feature: the part of the core's boundary farthest in a direction, with a tolerance for
 * small slopes: a face, a segment, or no flat part. */
typedef struct sup_feature {
  int    num_points; /* >= 3: polygon, counter-clockwise about the normal; 2: segment; 0: nothing */
  sup_v3 point[SUP_FEATURE_MAX_POINTS]; /* world */
  sup_v3 normal;                        /* outward, world; of a polygon */
  int    is_round;                      /* the polygon is inscribed in a disc */
} sup_feature;

/** Radius of the ball. */
double sup_rounding(const sup_shape *shape);
/** Point of the core farthest along `direction`, world; any of them when there are several. */
sup_v3 sup_support(const sup_posed_shape *body, sup_v3 direction);
/** The face whose normal is nearest to the unit `direction` (box, convex, cylinder from its cap),
 * or the segment that lies farthest along it (capsule, cylinder from its side).  Order of points:
 * fixed to the body; on a cap from the point that lies farthest along the direction. */
sup_feature sup_feature_along(const sup_posed_shape *body, sup_v3 direction);
