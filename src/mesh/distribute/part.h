/** Distribution of a mesh to ranks: part of each cell, and the data that a rank needs of its part.
 * Layer mesh.  Every cell belongs to exactly one part; a vertex belongs to each part with a cell at
 * it, and the lowest of these parts owns it.  Parts depend only on the mesh and their number. */
#pragma once

#include "mesh/mesh.h"

/** Recursive coordinate bisection (Berger, Bokhari, IEEE Trans. Computers C-36, 1987): the cells,
 * sorted by their centres along the longest side of the box about these, are cut in two, and each
 * piece again, until there are num_parts of them, whose numbers of cells differ by at most one a
 * cut.  Cells with equal coordinates go by their numbers.  E_ARG: more parts than cells.
 *  @param[out] part  [num_cells] 0 .. num_parts - 1 */
SUP_NODISCARD sup_status sup_mesh_bisect(const sup_mesh *mesh, int num_parts, int *part);

/** Part of one rank.  Local numbers follow the order of the whole mesh. */
typedef struct sup_mesh_part {
  int       rank, num_parts;
  int       num_cells, num_vertices; /* of the whole mesh */
  sup_mesh *mesh;                    /* own cells and their vertices, with the named sets */
  int      *cell, *vertex;  /* [mesh->num_cells], [mesh->num_vertices] numbers in the whole mesh */
  int      *owner;          /* [mesh->num_vertices] rank that owns the vertex */
  int       num_neighbours; /* ranks that share vertices with this one */
  int      *neighbour;      /* [num_neighbours] ascending */
  int      *shared_start;   /* [num_neighbours + 1] into shared */
  int *shared; /* local numbers of the vertices shared with each, in the same order on both ranks */
} sup_mesh_part;

/** @param[in] part  [num_cells] from sup_mesh_bisect or any other method; E_ARG names a cell whose
 *  part is out of range.  A rank without cells gets an empty mesh. */
SUP_NODISCARD sup_status sup_mesh_part_create(sup_mesh_part **out, const sup_mesh *mesh,
                                              const int *part, int num_parts, int rank);
void                     sup_mesh_part_destroy(sup_mesh_part **part);

/** The cells of one part with all vertices of the mesh, which keep their numbers, and with the sets
 * of both. */
SUP_NODISCARD sup_status sup_mesh_cells_of_part(sup_mesh **out, const sup_mesh *mesh,
                                                const int *part, int rank);
