#include "mesh/thin.h"

#include <string.h>

#include "base/vec.h"
#include "mesh/cell.h"
#include "mesh/surface.h"

sup_brick_size sup_brick_measure(const double *X) {
  static const int edge[3][4][2] = {{{0, 1}, {3, 2}, {4, 5}, {7, 6}},
                                    {{0, 3}, {1, 2}, {4, 7}, {5, 6}},
                                    {{0, 4}, {1, 5}, {3, 7}, {2, 6}}};
  sup_brick_size   s = {.thinnest = 0};
  for (int k = 0; k < 3; k++) {
    sup_v3 sum = sup_v3_make(0, 0, 0);
    for (int e = 0; e < 4; e++)
      sum = sup_v3_add(
          sum, sup_v3_sub(sup_v3_load(X + 3 * edge[k][e][1]), sup_v3_load(X + 3 * edge[k][e][0])));
    s.length[k] = 0.25 * sup_v3_norm(sum);
    if (s.length[k] < s.length[s.thinnest]) s.thinnest = k;
  }
  s.aspect =
      fmin(s.length[(s.thinnest + 1) % 3], s.length[(s.thinnest + 2) % 3]) / s.length[s.thinnest];
  return s;
}

/** Faces of the cell that lie across its thinnest direction. */
static bool is_across(const sup_mesh *mesh, int c, int thinnest, const int *face) {
  static const int far[3][4] = {{1, 2, 5, 6}, {2, 3, 6, 7}, {4, 5, 6, 7}};
  const int       *cell = sup_mesh_cell(mesh, c);
  int              count = 0;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) count += face[i] == cell[far[thinnest][j]];
  return count == 0 || count == 4;
}

static void count_cell(const sup_mesh *mesh, const sup_surface *surface, int c, int *face,
                       sup_thin_bricks *thin) {
  double X[24];
  int    sides = 0;
  for (int a = 0; a < 8; a++)
    memcpy(X + 3 * a, mesh->x + 3 * (size_t)sup_mesh_cell(mesh, c)[a], 3 * sizeof *X);
  sup_brick_size s = sup_brick_measure(X);
  for (; *face < surface->num_faces && surface->face_cell[*face] == c; ++*face)
    sides += is_across(mesh, c, s.thinnest, surface->face + 4 * (size_t)*face);
  if (!(s.aspect >= SUP_THIN_BRICK_ASPECT)) return;
  thin->num++, thin->single += sides == 2;
  if (sides == 2 && s.aspect > thin->aspect)
    thin->aspect = s.aspect, thin->thickness = s.length[s.thinnest];
}

sup_status sup_thin_bricks_find(const sup_mesh *mesh, sup_thin_bricks *thin) {
  sup_surface *surface = NULL;
  int          face = 0; /* they are ordered by cell */
  *thin = (sup_thin_bricks){0};
  if (mesh->type != SUP_CELL_H8) return SUP_OK;
  SUP_TRY(sup_surface_of_mesh(&surface, mesh));
  for (int c = 0; c < mesh->num_cells; c++) count_cell(mesh, surface, c, &face, thin);
  sup_surface_destroy(&surface);
  return SUP_OK;
}
