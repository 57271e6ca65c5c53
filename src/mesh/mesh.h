/** Volume meshes of one cell type: topology, orientation, volume, quality.  Layer mesh: knows no
 * bodies. */
#pragma once

#include "base/status.h"
#include "base/vec.h"
#include "mesh/cell.h"

struct sup_mesh {
  sup_cell_type         type;
  int                   num_vertices;
  int                   num_cells;
  double               *x;    /* [num_vertices x 3] reference positions [m] */
  int                  *cell; /* [num_cells x vertices per cell] */
  int                   num_sets;
  struct sup_named_set *set; /* [num_sets] named parts, mesh/named_set.h */
  size_t                set_capacity;
};

static inline const int *sup_mesh_cell(const sup_mesh *mesh, int c) {
  return mesh->cell + c * sup_cell_num_vertices(mesh->type);
}
static inline sup_v3 sup_mesh_vertex(const sup_mesh *mesh, int i) {
  return sup_v3_load(mesh->x + 3 * i);
}

/** Zeroed mesh of the given sizes. */
SUP_NODISCARD sup_status sup_mesh_create(sup_mesh **mesh, sup_cell_type type, int num_vertices,
                                         int num_cells);
SUP_NODISCARD sup_status sup_mesh_copy(sup_mesh **to, const sup_mesh *from);

/** Cells around each vertex, ascending: around[start[i]] .. around[start[i + 1] - 1].
 *  @param[out] start   [num_vertices + 1]
 *  @param[out] around  [num_cells x vertices per cell] */
void sup_mesh_cells_around(const sup_mesh *mesh, int *start, int *around);

/** Repairs by sup_mesh_clean. */
typedef struct sup_mesh_repair {
  int cells_reoriented;
  int vertices_removed; /* used by no cell */
  int bad_cell; /* cell refused by sup_mesh_clean, to find its place in a file; SUP_NONE: none, or a
                 * vertex
                 */
} sup_mesh_repair;

/** Check indices and finiteness, turn inverted cells, drop unused vertices and sets that hold
 * nothing.  E_GEOMETRY names the first bad cell (index from 0, volume): repeated vertices, zero or
 * hopelessly distorted volume, the vertices of a cell before it. */
SUP_NODISCARD sup_status sup_mesh_clean(sup_mesh *mesh, sup_mesh_repair *repair);
/** Volume of cell c [m^3]; exact for curved cells, too. */
double sup_mesh_cell_volume(const sup_mesh *mesh, int c);
double sup_mesh_volume(const sup_mesh *mesh);
void   sup_mesh_bounds(const sup_mesh *mesh, sup_v3 *lower, sup_v3 *upper);
/** Quality of cell c in (0, 1]: T4 12 (3V)^(2/3) / sum l^2; H8 smallest scaled Jacobian over its
 * corners; T10 that of its corners times the smallest Jacobian over that of the straight cell,
 * where it is smaller.  <= 0: inverted.
 */
double sup_mesh_cell_quality(const sup_mesh *mesh, int c);
/** Count the connected parts: cells that share a vertex are of one part. */
SUP_NODISCARD sup_status sup_mesh_count_parts(const sup_mesh *mesh, int *count);
