#include "mesh/refine.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/distribute/part_set.h"
#include "mesh/format/convert.h"
#include "mesh/named_set.h"

/* ---- tetrahedra ------------------------------------------------------------------------------ */

/** The ten points of a quadratic tetrahedron span the eight pieces. */
static sup_status refine_tetrahedra(sup_mesh **fine, const sup_mesh *mesh) {
  SUP_OWN(sup_mesh) *quadratic = NULL, *pieces = NULL;
  SUP_TRY(sup_mesh_to_t10(&quadratic, mesh));
  SUP_TRY(sup_mesh_to_t4(&pieces, quadratic));
  if (mesh->type == SUP_CELL_T10) {
    SUP_TRY(sup_mesh_to_t10(fine, pieces));
  } else {
    *fine = pieces;
    pieces = NULL;
  }
  return SUP_OK;
}

/* ---- hexahedra ------------------------------------------------------------------------------- */

/** Place of each corner of the reference cube among its 3 x 3 x 3 points, VTK order. */
static const int corner_place[8][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0},
                                       {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}};

/** Corners of the cell whose mean is the point (i, j, k) of 0, 1, 2 a direction: 1, 2, 4 or 8. */
static int corners_about(const int *cell, const int place[3], int corner[8]) {
  int n = 0;
  for (int a = 0; a < 8; a++) {
    bool is_near = 1;
    for (int d = 0; d < 3; d++)
      is_near = is_near && (place[d] == 1 || place[d] == corner_place[a][d]);
    if (is_near) corner[n++] = cell[a];
  }
  return n;
}

typedef struct hex_parts {
  sup_part_set edges, faces;
} hex_parts;

static sup_status collect_parts(const sup_mesh *mesh, sup_part_set *edges, sup_part_set *faces) {
  for (int c = 0; c < mesh->num_cells; c++)
    for (int p = 0; p < 27; p++) {
      int place[3] = {p % 3, p / 3 % 3, p / 9}, corner[8],
          n = corners_about(sup_mesh_cell(mesh, c), place, corner);
      if (n == 2) SUP_TRY(sup_part_add(edges, corner, n));
      if (n == 4) SUP_TRY(sup_part_add(faces, corner, n));
    }
  sup_part_sort(edges);
  sup_part_sort(faces);
  return SUP_OK;
}

/** The vertex in the middle of these corners: those of the mesh, of edges, of faces, of cells. */
static int middle_of(const sup_mesh *mesh, const hex_parts *parts, int c, const int *corner,
                     int n) {
  int first = mesh->num_vertices;
  if (n == 1) return corner[0];
  if (n == 2) return first + sup_part_find(&parts->edges, corner, n);
  first += parts->edges.count;
  if (n == 4) return first + sup_part_find(&parts->faces, corner, n);
  return first + parts->faces.count + c;
}

/** Mean in the order of the vertices' numbers, independent of the cell, so that bits are equal on
 * all ranks with a part of the mesh. */
static void set_middles(sup_mesh *fine, int first, const sup_part_set *parts, int n) {
  for (int i = 0; i < parts->count; i++)
    sup_mesh_set_mean(fine, first + i, parts->part[i].vertex + 4 - n, n);
}

static void cut_hexahedron(sup_mesh *fine, const sup_mesh *mesh, const hex_parts *parts, int c) {
  int point[3][3][3];
  for (int p = 0; p < 27; p++) {
    int place[3] = {p % 3, p / 3 % 3, p / 9}, corner[8],
        n = corners_about(sup_mesh_cell(mesh, c), place, corner);
    int vertex = middle_of(mesh, parts, c, corner, n);
    if (n == 8) sup_mesh_set_mean(fine, vertex, corner, n);
    point[place[0]][place[1]][place[2]] = vertex;
  }
  for (int octant = 0; octant < 8; octant++) {
    int *cell = fine->cell + 8 * (8 * (size_t)c + (size_t)octant);
    for (int a = 0; a < 8; a++)
      cell[a] =
          point[(octant & 1) + corner_place[a][0] / 2][(octant >> 1 & 1) + corner_place[a][1] / 2]
               [(octant >> 2) + corner_place[a][2] / 2];
  }
}

static void hex_parts_free(hex_parts *h) {
  sup_part_free(&h->edges);
  sup_part_free(&h->faces);
}

static sup_status refine_hexahedra(sup_mesh **fine, const sup_mesh *mesh) {
  SUP_OWN_VALUE(hex_parts) parts = {0};
  SUP_TRY(collect_parts(mesh, &parts.edges, &parts.faces));
  SUP_TRY(
      sup_mesh_create(fine, mesh->type,
                      mesh->num_vertices + parts.edges.count + parts.faces.count + mesh->num_cells,
                      8 * mesh->num_cells));
  SUP_TRY(sup_mesh_inherit_sets(*fine, mesh, 8));
  memcpy((*fine)->x, mesh->x, 3 * (size_t)mesh->num_vertices * sizeof *mesh->x);
  set_middles(*fine, mesh->num_vertices, &parts.edges, 2);
  set_middles(*fine, mesh->num_vertices + parts.edges.count, &parts.faces, 4);
  for (int c = 0; c < mesh->num_cells; c++) cut_hexahedron(*fine, mesh, &parts, c);
  return SUP_OK;
}

/* ---- any ------------------------------------------------------------------------------------- */

sup_status sup_mesh_check_levels(int num_cells, int levels) {
  const int most = INT_MAX / (8 * SUP_CELL_MAX_VERTICES);
  double    cells = ldexp(num_cells, 3 * (levels < 100 ? levels : 100));
  if (!(cells <= most))
    return SUP_FAIL(SUP_E_ARG,
                    "refining %d cells %d times gives %.3g cells; at most %d are possible",
                    num_cells, levels, cells, most);
  return SUP_OK;
}

sup_status sup_mesh_refined_parts(const sup_mesh *mesh, sup_part_set *edges, sup_part_set *faces) {
  sup_mesh  *pieces = NULL;
  sup_status status;
  if (mesh->type == SUP_CELL_H8) {
    SUP_TRY(collect_parts(mesh, edges, faces));
    return SUP_OK;
  }
  if (mesh->type == SUP_CELL_T10) SUP_TRY(sup_mesh_to_t4(&pieces, mesh));
  status = sup_mesh_edges(pieces ? pieces : mesh, edges);
  sup_mesh_destroy(&pieces);
  return status;
}

sup_status sup_mesh_refine(sup_mesh **fine, const sup_mesh *mesh) {
  *fine = NULL;
  SUP_TRY(sup_mesh_check_levels(mesh->num_cells, 1));
  sup_status status =
      mesh->type == SUP_CELL_H8 ? refine_hexahedra(fine, mesh) : refine_tetrahedra(fine, mesh);
  if (status != SUP_OK) sup_mesh_destroy(fine);
  return status;
}

sup_status sup_mesh_refine_levels(sup_mesh **mesh, int levels) {
  SUP_TRY(sup_mesh_check_levels((*mesh)->num_cells, levels));
  for (int level = 0; level < levels; level++) {
    sup_mesh *fine;
    SUP_TRY(sup_mesh_refine(&fine, *mesh));
    sup_mesh_destroy(mesh);
    *mesh = fine;
  }
  return SUP_OK;
}
