/** Refinement of a mesh to eight times as many cells, with its named sets.  Layer mesh. */
#pragma once

#include "mesh/distribute/part_set.h"
#include "mesh/mesh.h"

/** Cut each cell into eight through the middles of its edges; neighbours fit, every piece of a
 * boundary face lies in it, and volumes are kept to round-off. T4: one at each corner and four
 * about the shortest diagonal of the octahedron between them, which bounds the loss of quality over
 * any number of levels (Bey, Computing 55, 1995; Ong, SIAM J. Sci. Comput. 15, 1994).  H8: the
 * octants of the trilinear map.  T10: as T4, between all its ten points; what was curved becomes
 * straight between them. E_ARG: more cells than a mesh can have. */
SUP_NODISCARD sup_status sup_mesh_refine(sup_mesh **fine, const sup_mesh *mesh);
/** sup_mesh_refine `levels` times, in place; 0 leaves the mesh as it is.  After a failure the mesh
 * is that of the last level. */
SUP_NODISCARD sup_status sup_mesh_refine_levels(sup_mesh **mesh, int levels);
/** E_ARG: more cells than a mesh can have. */
SUP_NODISCARD sup_status sup_mesh_check_levels(int num_cells, int levels);
/** Edges and (for hexahedra) faces in whose middles sup_mesh_refine puts vertices, in the order of
 * the new vertices: after the old ones those of edges, then for hexahedra those of faces and cells.
 * Zero the sets before the call. */
SUP_NODISCARD sup_status sup_mesh_refined_parts(const sup_mesh *mesh, sup_part_set *edges,
                                                sup_part_set *faces);
