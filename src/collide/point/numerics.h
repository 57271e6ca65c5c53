/* Numbers that decide in contacts of convex shapes by points. */
#pragma once

#include "base/numerics.h"

#define SUP_POINT_NUMERICS(X)                                                        \
  X(parallel_face, 1e-12, "-", "1 - cosine of normals of faces taken as one",        \
    "round-off of a product of unit vectors and its root", "")                       \
  X(parallel_line, 1e-4, "-", "1 - cosine of directions of lines taken as parallel", \
    "unmeasured: 0.8 degrees", "")                                                   \
  X(facing, .5, "-",                                                                 \
    "cosine of a face to the normal below which it meets in a line or a point only", \
    "unmeasured: 60 degrees", "point.nearly_flat_boxes_give_the_corners_they_may_land_on")

SUP_NUMERICS(sup_point_numerics, SUP_POINT_NUMERICS);
