/** Order of cells in which those that share vertices are near each other in number.  Layer mesh.
 *
 *  Generators number cells along a body; meshers that insert points, such as TetGen, number
 * neighbours arbitrarily.  Loops over ranges of cells (base/ranges.h) need neighbours near each
 * other in number. */
#pragma once

#include "mesh/mesh.h"

/** Breadth-first order from vertex to vertex, each vertex with all its remaining cells, beginning
 * at one end of the longest side of the mesh's box, so that the front is no larger than a
 * cross-section (after Cuthill and McKee 1969, for vertices).  Linear time.  E_MEMORY.
 *  @param[in]  mesh   whose cells have vertices of the mesh
 *  @param[out] order  [num_cells] permutation: cell at each position */
SUP_NODISCARD sup_status sup_mesh_cell_order(const sup_mesh *mesh, int *order);
