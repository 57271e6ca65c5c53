/* Numbers that decide in meshes. */
#pragma once

#include "base/numerics.h"

#define SUP_MESH_NUMERICS(X)                                                                       \
  X(flat_cell, 1e-3, "-", "quality of a cell below which a warning tells it",                      \
    "a tetrahedron of equal edges with one corner 1/30000 of its height up",                       \
    "mesh_file.nearly_flat_cells_get_a_warning")                                                   \
  X(end, .02, "-", "depth of the end where the order of cells begins, over the longest side",      \
    "on a flat end its whole face", "cell_order.every_cell_comes_once_and_near_its_neighbours")    \
  X(corner, .785398163397448, "rad", "turn of normals from which an edge is a corner, not curved", \
    "a prism of nine sides is round, a box and a prism of eight are not",                          \
    "surface_curvature.round_shapes_have_the_curvature_of_their_radius")                           \
  X(straight, 1e-6, "rad", "turn of normals below which an edge is flat",                          \
    "round-off of coordinates turns them by 1e-12",                                                \
    "rolling_polyhedra.polyhedra_roll_on_hulls_and_balls_as_on_boxes")                             \
  X(same_side, 1e-9, "-", "difference of squared sides that are equal",                            \
    "round-off must not choose", "ties.round_off_does_not_choose_the_longest_side")                \
  X(tip, .9, "-", "share of the tip block that the arcs of its corners may take",                  \
    "a row of cells stays below them", "finray.arcs_of_the_tip_get_a_row_while_there_is_room")     \
  X(hinge, .45, "-", "share of a row that a hinge may take",                                       \
    "a tenth of the row stays between two", "finray.hinges_take_triangles_of_level_ribs")          \
  X(same_diagonal, 1e-9, "-", "difference of diagonals that are equal",                            \
    "round-off must not choose", "ties.round_off_does_not_choose_the_shortest_diagonal")           \
  X(height, 1e-7, "-", "height of a triangle over its longest side below which it is none",        \
    "digits of single precision", "ties.digits_of_single_precision_leave_a_triangle_flat")         \
  X(dihedral, 10, "deg", "least dihedral angle asked of TetGen",                                   \
    "the ratio of radius and edge alone lets slivers through", "")                                 \
  X(volume, 1e-6, "-", "difference of volumes of surface and cells over the volume",               \
    "far above round-off of sums", "tetgen.cavities_stay_empty")                                   \
  X(cells, 2e6, "-", "cells above which a mesh is refused", "unmeasured",                          \
    "tetgen.a_mesher_that_takes_too_long_is_stopped")                                              \
  X(gap, 8e-6, "-", "gap at open edges that is closed, over the largest coordinate",               \
    "the last of six digits", "surface_file.corners_off_in_the_last_digit_close_a_surface")        \
  X(warped, 1e-9, "-", "volume of parts inside out over that of a cell that is cut",               \
    "round-off of flat parts", "cut.warped_and_collapsed_cells_are_told_apart")                    \
  X(same_rank, 1e-9, "-", "difference of moments of points that are equal",                        \
    "round-off must not choose", "ties.round_off_does_not_make_points_different")

SUP_NUMERICS(sup_mesh_numerics, SUP_MESH_NUMERICS);
