/** Conversion of a mesh to cells of another type, with its named sets.  Layer mesh. */
#pragma once

#include "mesh/distribute/part_set.h"
#include "mesh/mesh.h"

/** T4 cells are copied; a T10 becomes the eight straight ones that its vertices span; an H8 is cut
 * into 24 about its centre and those of its faces, which neighbours share.  E_GEOMETRY: a part is
 * flat or turned inside out. */
SUP_NODISCARD sup_status sup_mesh_to_t4(sup_mesh **t4, const sup_mesh *mesh);
/** T4 cells get a vertex in the middle of each edge, numbered after those of the mesh; T10 cells
 * are copied.  E_ARG: hexahedra. */
SUP_NODISCARD sup_status sup_mesh_to_t10(sup_mesh **t10, const sup_mesh *mesh);
/** Edges of the tetrahedra of a T4 mesh, each once; zero the set before. */
SUP_NODISCARD sup_status sup_mesh_edges(const sup_mesh *t4, sup_part_set *edges);
