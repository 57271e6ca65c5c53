/* Numbers that decide in geometry. */
#pragma once

#include "base/numerics.h"

#define SUP_GEOM_NUMERICS(X)                                                                       \
  X(flat_corner, 1e-10, "-",                                                                       \
    "twice a corner's area, over the squared size, of one that does not turn",                     \
    "round-off of cuts is below it", "geom.a_polygon_loses_corners_that_do_not_turn")              \
  X(overlap, 1e-4, "-", "accuracy of the least overlap, over the size",                            \
    "depths of polyhedra are ends of faces: exact where they are found",                           \
    "epa.no_direction_separates_better")                                                           \
  X(touch, 1e-9, "-", "overlap over the size up to which two tetrahedra touch",                    \
    "round-off of common faces", "volume_field.cells_of_the_margin_never_overlap")                 \
  X(above_face, 1e-12, "-", "way aside over the size within which a point is above a hull's face", \
    "round-off of the nearest point tilted its normal by 1e-8 at 0.5 um",                          \
    "rolling_polyhedra.polyhedra_roll_on_hulls_and_balls_as_on_boxes")                             \
  X(aside, 1e-6, "-",                                                                              \
    "distance from a face's normal or edge, over the size, where winding decides",                 \
    "unmeasured: far above round-off", "")                                                         \
  X(depth, 1e-3, "-", "accuracy of the deepest point of a triangle over its size",                 \
    "unmeasured: three digits of a depth", "")                                                     \
  X(flat, 1e-10, "-", "thickness over the size of an edge, triangle or tetrahedron that is none",  \
    "round-off of differences of places", "")                                                      \
  X(volume, 1e-10, "-", "volume of a tetrahedron over its longest edge cubed that is none",        \
    "round-off of coordinates", "")

SUP_NUMERICS(sup_geom_numerics, SUP_GEOM_NUMERICS);
