/** Pairs of cells of a mesh that are near each other along the body.  Layer geom.
 *
 *  Two cells are near when they share a vertex, or when a way at rest through the cells, from
 * vertex to vertex, is shorter than the mean of their mean edges.  Overlap of such cells results
 * from strain between them, not from a fold: parts of a body that face each other across a gap are
 * farther apart along the body, except at the root of the gap. */
#pragma once

#include "mesh/mesh.h"

typedef struct sup_mesh_near {
  int *first; /* [num_cells + 1] */
  int *cell;  /* [first[num_cells]] near each cell, ascending, the cell itself left out */
} sup_mesh_near;

SUP_NODISCARD sup_status sup_mesh_near_create(sup_mesh_near **near, const sup_mesh *mesh);
void                     sup_mesh_near_destroy(sup_mesh_near **near);
bool                     sup_mesh_near_has(const sup_mesh_near *near, int a, int b);
