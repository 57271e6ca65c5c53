#include "mesh/format/convert.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/distribute/part_set.h"
#include "mesh/named_set.h"
#include "mesh/quadratic.h"
#include "mesh/surface.h"

/* ---- hexahedra ------------------------------------------------------------------------------- */

static sup_status collect_faces(const sup_mesh *mesh, sup_part_set *faces) {
  for (int c = 0; c < mesh->num_cells; c++)
    for (int f = 0; f < 6; f++) {
      int face[SUP_CELL_FACE_MAX_VERTICES], n = sup_mesh_cell_face(mesh, c, f, face);
      SUP_TRY(sup_part_add(faces, face, n));
    }
  sup_part_sort(faces);
  return SUP_OK;
}

static sup_status too_many(const sup_mesh *mesh) {
  return SUP_FAIL(SUP_E_ARG, "the mesh has too many cells: %d", mesh->num_cells);
}

static sup_status cut_hexahedra(sup_mesh **t4, const sup_mesh *mesh, const sup_part_set *faces) {
  int centre = mesh->num_vertices + faces->count, next = 0;
  if (mesh->num_cells > INT_MAX / (24 * 4)) return too_many(mesh);
  SUP_TRY(sup_mesh_create(t4, SUP_CELL_T4, centre + mesh->num_cells, 24 * mesh->num_cells));
  SUP_TRY(sup_mesh_inherit_sets(*t4, mesh, 24));
  memcpy((*t4)->x, mesh->x, 3 * (size_t)mesh->num_vertices * sizeof *mesh->x);
  for (int c = 0; c < mesh->num_cells; c++) {
    sup_mesh_set_mean(*t4, centre + c, sup_mesh_cell(mesh, c), 8);
    for (int f = 0; f < 6; f++) {
      int face[SUP_CELL_FACE_MAX_VERTICES], n = sup_mesh_cell_face(mesh, c, f, face);
      int middle = mesh->num_vertices + sup_part_find(faces, face, n);
      sup_mesh_set_mean(*t4, middle, face, n);
      for (int k = 0; k < n; k++) {
        int cell[4] = {centre + c, face[k], face[(k + 1) % n], middle};
        memcpy((*t4)->cell + 4 * next++, cell, sizeof cell);
      }
    }
  }
  return SUP_OK;
}

static sup_status of_hexahedra(sup_mesh **t4, const sup_mesh *mesh) {
  SUP_SCOPED(sup_part_free) sup_part_set faces = {0};
  SUP_TRY(collect_faces(mesh, &faces));
  SUP_TRY(cut_hexahedra(t4, mesh, &faces));
  return SUP_OK;
}

/* ---- quadratic tetrahedra -------------------------------------------------------------------- */

static sup_status cut_quadratic(sup_mesh **t4, const sup_mesh *mesh) {
  if (mesh->num_cells > INT_MAX / (8 * 4)) return too_many(mesh);
  SUP_TRY(sup_mesh_create(t4, SUP_CELL_T4, mesh->num_vertices, 8 * mesh->num_cells));
  SUP_TRY(sup_mesh_inherit_sets(*t4, mesh, 8));
  memcpy((*t4)->x, mesh->x, 3 * (size_t)mesh->num_vertices * sizeof *mesh->x);
  int *next = (*t4)->cell;
  for (int c = 0; c < mesh->num_cells; c++) {
    int    tet[8][4];
    double x[30];
    for (int a = 0; a < 10; a++)
      sup_v3_store(x + 3 * a, sup_mesh_vertex(mesh, sup_mesh_cell(mesh, c)[a]));
    sup_t10_cut(x, tet);
    for (int k = 0; k < 8; k++)
      for (int b = 0; b < 4; b++) *next++ = sup_mesh_cell(mesh, c)[tet[k][b]];
  }
  return SUP_OK;
}

static void edge_of(const sup_mesh *mesh, int c, int e, int edge[2]) {
  const int *corner = sup_cell_kind_of(mesh->type)->edge[e];
  for (int k = 0; k < 2; k++) edge[k] = sup_mesh_cell(mesh, c)[corner[k]];
}

sup_status sup_mesh_edges(const sup_mesh *t4, sup_part_set *edges) {
  int edge[2];
  for (int c = 0; c < t4->num_cells; c++)
    for (int e = 0; e < 6; e++) {
      edge_of(t4, c, e, edge);
      SUP_TRY(sup_part_add(edges, edge, 2));
    }
  sup_part_sort(edges);
  return SUP_OK;
}

static sup_status add_middles(sup_mesh **t10, const sup_mesh *t4) {
  SUP_SCOPED(sup_part_free) sup_part_set edges = {0};
  int                                    n = t4->num_vertices, edge[2];
  SUP_TRY(sup_mesh_edges(t4, &edges));
  SUP_TRY(sup_mesh_create(t10, SUP_CELL_T10, n + edges.count, t4->num_cells));
  SUP_TRY(sup_mesh_inherit_sets(*t10, t4, 1));
  if (n > 0) memcpy((*t10)->x, t4->x, 3 * (size_t)n * sizeof *t4->x);
  for (int i = 0; i < edges.count; i++) sup_mesh_set_mean(*t10, n + i, edges.part[i].vertex + 2, 2);
  for (int c = 0; c < t4->num_cells; c++) {
    int *cell = (*t10)->cell + 10 * (size_t)c;
    memcpy(cell, sup_mesh_cell(t4, c), 4 * sizeof *cell);
    for (int e = 0; e < 6; e++) {
      edge_of(t4, c, e, edge);
      cell[4 + e] = n + sup_part_find(&edges, edge, 2);
    }
  }
  return SUP_OK;
}

/* ---- from any type --------------------------------------------------------------------------- */

sup_status sup_mesh_to_t4(sup_mesh **t4, const sup_mesh *mesh) {
  *t4 = NULL;
  if (mesh->type == SUP_CELL_T4) {
    SUP_TRY(sup_mesh_copy(t4, mesh));
    return SUP_OK;
  }
  sup_status status = mesh->type == SUP_CELL_T10 ? cut_quadratic(t4, mesh) : of_hexahedra(t4, mesh);
  if (status == SUP_OK)
    status =
        sup_mesh_clean(*t4, NULL); /* a folded cell gives flat cells, which are refused by number */
  if (status != SUP_OK) sup_mesh_destroy(t4);
  return status;
}

sup_status sup_mesh_to_t10(sup_mesh **t10, const sup_mesh *mesh) {
  *t10 = NULL;
  switch (mesh->type) {
    case SUP_CELL_T10:
      SUP_TRY(sup_mesh_copy(t10, mesh));
      return SUP_OK;
    case SUP_CELL_T4: {
      sup_status status = add_middles(t10, mesh);
      if (status != SUP_OK) sup_mesh_destroy(t10);
      return status;
    }
    case SUP_CELL_H8:
      break;
  }
  return SUP_FAIL(SUP_E_ARG, "the mesh is made of %s cells; only T4 cells can be made quadratic",
                  sup_cell_name(mesh->type));
}
