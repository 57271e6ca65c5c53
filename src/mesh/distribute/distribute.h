/** Partition of the cells of a mesh among ranks.  Layer mesh. */
#pragma once

#include "base/collective.h"
#include "mesh/mesh.h"

/** PT-Scotch cuts the dual graph, whose vertices are the cells and whose edges are their common
 * faces, so that parts differ by at most 5 % in their cells and few faces are cut; each rank makes
 * the graph of a range of cells.  Without PT-Scotch, or if its cut has an empty part,
 * sup_mesh_bisect makes the parts.  Parts depend only on the mesh and the number of ranks.  All
 * ranks call this function, each with the whole mesh; a failure on one rank is returned on all.
 * E_ARG: more ranks than cells.
 *  @param[out] part  [num_cells] rank of each cell, on all ranks */
SUP_NODISCARD sup_status sup_mesh_distribute(const sup_mesh *mesh, const sup_collective *ranks,
                                             int *part);

/** Edges of the dual graph at the cells first .. last - 1: neighbour[start[i]] .. neighbour[start[i
 * + 1] - 1] share a face with cell first + i, ascending.
 *  @param[out] start      [last - first + 1]
 *  @param[out] neighbour  [(last - first) x faces of a cell] upper bound of the size */
SUP_NODISCARD sup_status sup_mesh_dual_graph(const sup_mesh *mesh, int first, int last, int *start,
                                             int *neighbour);
