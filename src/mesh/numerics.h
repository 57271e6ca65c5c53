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
    "rolling_polyhedra.polyhedra_roll_on_hulls_and_balls_as_on_boxes")

SUP_NUMERICS(sup_mesh_numerics, SUP_MESH_NUMERICS);
