/** Clipping of a triangle by a linear level, and points that represent a part of the triangle.
 * Layer geom.
 */
#pragma once

#include "base/vec.h"

enum { SUP_CLIP_MAX_POINTS = 6 };

/** The part of a triangle where a level function, linear between its corners, is below zero. */
typedef struct sup_clipped {
  int    num_points;                     /* in the triangle's sense of rotation */
  double weight[SUP_CLIP_MAX_POINTS][3]; /* barycentric coordinates of each corner */
  double fraction;                       /* area over the triangle's area */
  double centroid[3];                    /* barycentric coordinates */
} sup_clipped;

/** Corners with a negative level: bit c for corner c. */
unsigned sup_clip_inside(const double level[3]);

/** Level values at the corners; a triangle that only touches zero gives no points. */
void sup_clip_triangle(const double level[3], sup_clipped *out);
/** Part with the given corners inside, independent of the signs of the levels.  Crossings follow
 * the level past the ends of their sides, by at most the length of a side, so that the part is a
 * smooth function of the levels. */
void sup_clip_triangle_with(const double level[3], unsigned inside, sup_clipped *out);
/** Mean square over the part of a linear function less its value at the centroid, given at the
 * triangle's corners. */
double sup_clipped_spread(const sup_clipped *part, const double f[3]);
/** Three parts of a part that is not empty, a third of its area each, whose `centroid` are points
 * c + sqrt(2) L e_k, e_k unit vectors 120 degrees apart, L L^T the covariance of the part: a
 * product of two linear functions has the same mean over them as over the part. These points are
 * inside, since a convex figure of unit covariance contains the circle of radius sqrt(2) about its
 * centroid (Kannan, Lovasz, Simonovits, Discrete Comput. Geom. 13 (1995) 541, theorem 4.1).  Of a
 * whole triangle they are (2/3, 1/6, 1/6).  The corners of each third are those of the sector
 * around its point; the sectors fill the part. */
void sup_clip_thirds(const sup_clipped *part, sup_clipped third[3]);

/** Derivatives of a part in the levels at the three corners of its triangle [1/m]. */
typedef struct sup_clip_slopes {
  double fraction[3];
  double centroid[3][3]; /* of coordinate c in level l */
} sup_clip_slopes;

/** Derivatives of the part with these corners inside (third = 0), or of one of its thirds (1 .. 3).
 * The part has an area. */
void sup_clip_gradient(const double level[3], unsigned inside, int third, sup_clip_slopes *out);
