/* Vertices, cells and corners under other numbers. */
#include "mesh/mesh.h"
#include "meta_scene.h"

/** A random order of n things. */
static int *random_order(meta_scene *s, int n) {
  int *order = meta_own(s, (size_t)n * sizeof *order);
  for (int i = 0; i < n; i++) {
    int k = meta_one_of(s, i + 1);
    order[i] = order[k], order[k] = i;
  }
  return order;
}

/** Even permutations of a cell's vertices that keep its sense. */
static const int turned[3][2][SUP_CELL_MAX_VERTICES] = {
    [SUP_CELL_T4] = {{1, 2, 0, 3}, {3, 1, 0, 2}},
    [SUP_CELL_H8] = {{1, 2, 3, 0, 5, 6, 7, 4}, {4, 0, 3, 7, 5, 1, 2, 6}},
    [SUP_CELL_T10] = {{1, 2, 0, 3, 5, 6, 4, 8, 9, 7}, {1, 2, 0, 3, 5, 6, 4, 8, 9, 7}}};

/** Solid-shells know their thickness by the numbers of corners (THEORY 21): theirs stay. */
static void reorder_mesh(meta_scene *s, sup_mesh *mesh, int keeps_corners, int **to) {
  int     n = mesh->num_vertices, corners = sup_cell_num_vertices(mesh->type);
  int    *vertex = random_order(s, n), *place = random_order(s, mesh->num_cells);
  double *x = calloc(3 * (size_t)n, sizeof *x);
  int    *cell = calloc((size_t)(corners * mesh->num_cells), sizeof *cell);
  CU_ASSERT_FATAL(x && cell);
  memcpy(x, mesh->x, 3 * (size_t)n * sizeof *x);
  memcpy(cell, mesh->cell, (size_t)(corners * mesh->num_cells) * sizeof *cell);
  for (int i = 0; i < n; i++) memcpy(mesh->x + 3 * vertex[i], x + 3 * i, 3 * sizeof *x);
  for (int c = 0; c < mesh->num_cells; c++) {
    int        kind = meta_one_of(s, 3);
    const int *turn = turned[mesh->type][kind % 2];
    for (int k = 0; k < corners; k++)
      mesh->cell[corners * place[c] + k] =
          vertex[cell[corners * c + (keeps_corners || kind == 2 ? k : turn[k])]];
  }
  free(x), free(cell);
  if (to) *to = vertex;
}

static void reorder_hull(meta_scene *s, sup_hull *hull) {
  int    *point = random_order(s, hull->num_points), *place = random_order(s, hull->num_triangles);
  size_t  points = 3 * (size_t)hull->num_points, triangles = 3 * (size_t)hull->num_triangles;
  double *x = calloc(points, sizeof *x), *normal = calloc(triangles, sizeof *normal);
  int    *corner = calloc(triangles, sizeof *corner);
  CU_ASSERT_FATAL(x && normal && corner);
  memcpy(x, hull->point, points * sizeof *x);
  memcpy(normal, hull->normal, triangles * sizeof *normal);
  memcpy(corner, hull->triangle, triangles * sizeof *corner);
  for (int i = 0; i < hull->num_points; i++)
    memcpy(hull->point + 3 * point[i], x + 3 * i, 3 * sizeof *x);
  for (int t = 0; t < hull->num_triangles; t++) {
    int first = meta_one_of(s, 3);
    memcpy(hull->normal + 3 * place[t], normal + 3 * t, 3 * sizeof *normal);
    for (int k = 0; k < 3; k++)
      hull->triangle[3 * place[t] + k] = point[corner[3 * t + (k + first) % 3]];
  }
  free(x), free(normal), free(corner);
}

void meta_reorder_vertices(meta_scene *s) {
  for (int i = 0; i < s->num_hulls; i++) reorder_hull(s, s->hull[i]);
  for (int i = 0; i < s->num_cells; i++) reorder_mesh(s, s->cells[i], 0, NULL);
  for (int i = 0; i < s->def.num_softs; i++)
    reorder_mesh(s, s->mesh[i], s->soft[i].solid_shell, &s->vertex[i]);
}
