/** Order of cells in which those that share vertices are near each other in number.  Layer mesh.
 *
 *  Generators number cells along a body; meshers that insert points, as TetGen, leave neighbours
 * anywhere.  What goes over cells in parts (base/ranges.h) wants them near. */
#pragma once

#include "mesh/mesh.h"

/** Breadth first from vertex to vertex, a vertex with all its cells that are left, beginning at one
 * end of the longest side of the mesh's box, so that the front is no larger than a section (after
 * Cuthill and McKee 1969, who number vertices so).  Linear time.  E_MEMORY.
 *  @param[in]  mesh   whose cells have vertices of the mesh
 *  @param[out] order  [num_cells] a permutation: the cell that comes at each place */
SUP_NODISCARD sup_status sup_mesh_cell_order(const sup_mesh *mesh, int *order);
