/* Orders of cells in which neighbours are near. */
#include "base/memory.h"
#include "mesh/cell_order.h"
#include "mesh/generate/generate.h"
#include "test.h"

/** Cells of a box in an order without sense, twice: two boxes that share no vertex. */
static sup_mesh *two_boxes(void) {
  static const double size[3] = {.1, .3, .1};
  static const int    n[3] = {4, 12, 4};
  sup_mesh           *box = NULL, *two = NULL;
  OK(sup_mesh_box(&box, size, n, SUP_PATTERN_KUHN));
  OK(sup_mesh_create(&two, SUP_CELL_T4, 2 * box->num_vertices, 2 * box->num_cells));
  for (int i = 0; i < 2 * box->num_vertices; i++) {
    sup_v3 x = sup_mesh_vertex(box, i / 2); /* vertices of the two take turns */
    sup_v3_store(two->x + 3 * i, sup_v3_add(x, sup_v3_make(0, i % 2, 0)));
  }
  for (int c = 0; c < 2 * box->num_cells; c++) {
    const int *from = sup_mesh_cell(box, (int)((long)c / 2 * 601 % box->num_cells));
    for (int a = 0; a < 4; a++) two->cell[4 * c + a] = 2 * from[a] + c % 2;
  }
  sup_mesh_destroy(&box);
  return two;
}

static void every_cell_comes_once_and_near_its_neighbours(void) {
  sup_mesh *mesh = two_boxes();
  int      *order = NULL, *first = NULL, n = mesh->num_cells, farthest = 0;
  double   *is_out = NULL;
  OK(SUP_CALLOC(order, n));
  OK(SUP_CALLOC(first, mesh->num_vertices));
  OK(SUP_CALLOC(is_out, n));
  OK(sup_mesh_cell_order(mesh, order));
  for (int k = 0; k < n; k++) CHECK(order[k] >= 0 && order[k] < n && is_out[order[k]]++ == 0);
  for (int i = 0; i < mesh->num_vertices; i++) first[i] = SUP_NONE;
  for (int k = 0; k < 4 * n; k++) {
    int vertex = sup_mesh_cell(mesh, order[k / 4])[k % 4];
    if (first[vertex] == SUP_NONE) first[vertex] = k / 4;
    if (k / 4 - first[vertex] > farthest) farthest = k / 4 - first[vertex];
  }
  CHECK(farthest < 3 * 4 * 4 * 6); /* three layers across one box, which has twelve */
  SUP_FREE(order), SUP_FREE(first), SUP_FREE(is_out);
  sup_mesh_destroy(&mesh);
}

static void cells_around_a_vertex_ascend(void) {
  sup_mesh *mesh = two_boxes();
  int      *start = NULL, *around = NULL;
  OK(SUP_CALLOC(start, mesh->num_vertices + 1));
  OK(SUP_CALLOC(around, 4 * mesh->num_cells));
  sup_mesh_cells_around(mesh, start, around);
  CHECK(start[0] == 0 && start[mesh->num_vertices] == 4 * mesh->num_cells);
  for (int i = 0; i < mesh->num_vertices; i++)
    for (int k = start[i]; k < start[i + 1]; k++) {
      const int *cell = sup_mesh_cell(mesh, around[k]);
      CHECK(cell[0] == i || cell[1] == i || cell[2] == i || cell[3] == i);
      CHECK(k == start[i] || around[k] > around[k - 1]);
    }
  SUP_FREE(start), SUP_FREE(around);
  sup_mesh_destroy(&mesh);
}

static void failed_allocation_is_told(void) {
  sup_mesh *mesh = two_boxes();
  int      *order = NULL;
  OK(SUP_CALLOC(order, mesh->num_cells));
  for (int k = 1; k <= 5; k++) {
    sup_memory_fail_at(k);
    FAILS(sup_mesh_cell_order(mesh, order), SUP_E_MEMORY, "out of memory");
  }
  sup_memory_fail_at(0);
  SUP_FREE(order);
  sup_mesh_destroy(&mesh);
}

SUITE_TESTS(cell_order, TEST(every_cell_comes_once_and_near_its_neighbours),
            TEST(cells_around_a_vertex_ascend), TEST(failed_allocation_is_told));
