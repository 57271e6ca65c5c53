/* Numbers that decide in geometry. */
#pragma once

#include "base/numerics.h"

#define SUP_GEOM_NUMERICS(X)                                                          \
  X(flat_corner, 1e-10, "-",                                                          \
    "twice a corner's area, over the squared size, of one that does not turn",        \
    "round-off of cuts is below it", "geom.a_polygon_loses_corners_that_do_not_turn") \
  X(overlap, 1e-4, "-", "accuracy of the least overlap, over the size",               \
    "depths of polyhedra are ends of faces: exact where they are found",              \
    "epa.no_direction_separates_better")                                              \
  X(touch, 1e-9, "-", "overlap over the size up to which two tetrahedra touch",       \
    "round-off of common faces", "volume_field.cells_of_the_margin_never_overlap")

SUP_NUMERICS(sup_geom_numerics, SUP_GEOM_NUMERICS);
