/** Partition of the cells of a mesh among ranks.  Layer mesh. */
#pragma once

#include "base/collective.h"
#include "mesh/mesh.h"

/** PT-Scotch cuts the dual graph, whose vertices are the cells and whose edges are their common
 * faces, so that parts differ by at most 5 % in their cells and few faces are cut; each rank makes
 * the graph of a range of cells.  Where there is no PT-Scotch, or a part of its cut is empty:
 * sup_mesh_bisect.  Parts depend on the mesh and the number of ranks alone.  All ranks call it,
 * each with the whole mesh; a failure on one is that of all.  E_ARG: more ranks than cells.
 *  @param[out] part  [num_cells] rank of each cell, on all ranks */
SUP_NODISCARD sup_status sup_mesh_distribute(const sup_mesh *mesh, const sup_collective *ranks,
                                             int *part);

/** The edges of the dual graph at the cells first .. last - 1: neighbour[start[i]] ..
 * neighbour[start[i + 1] - 1] share a face with cell first + i, ascending.
 *  @param[out] start      [last - first + 1]
 *  @param[out] neighbour  [(last - first) x faces of a cell] at most so many are set */
SUP_NODISCARD sup_status sup_mesh_dual_graph(const sup_mesh *mesh, int first, int last, int *start,
                                             int *neighbour);
