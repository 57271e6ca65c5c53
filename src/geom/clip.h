/** Clipping of a triangle by a linear level.  Layer geom. */
#pragma once

#include "base/vec.h"

enum { SUP_CLIP_MAX_POINTS = 4 };

/** The part of a triangle where a level function, linear between its corners, is below zero. */
typedef struct sup_clipped {
  int    num_points;                     /* 0, 3 or 4, in the triangle's sense of rotation */
  double weight[SUP_CLIP_MAX_POINTS][3]; /* barycentric coordinates of each corner */
  double fraction;                       /* area over the triangle's area */
  double centroid[3];                    /* barycentric coordinates */
} sup_clipped;

/** Level values at the corners; a triangle that only touches zero gives no points. */
void sup_clip_triangle(const double level[3], sup_clipped *out);
