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
    "rolling_polyhedra.polyhedra_roll_on_hulls_and_balls_as_on_boxes")

SUP_NUMERICS(sup_geom_numerics, SUP_GEOM_NUMERICS);
