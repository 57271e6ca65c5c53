/* Partition of cells among ranks (mesh/distribute/distribute.h). */
#include <string.h>

#include "mesh/distribute/distribute.h"
#include "mesh/distribute/part.h"
#include "ranks/ranks_test.h"
#include "solids.h"

static sup_mesh *small_box(sup_cell_type type) {
  const double size[3] = {.3, .2, .1};
  const int    n[3] = {4, 3, 2};
  return solid_box_cells(type, size, n);
}

/** Corners that two cells have in common, one by one. */
static int common_corners(const sup_mesh *mesh, int c, int d) {
  int n = sup_cell_kind_of(mesh->type)->num_corners, found = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) found += sup_mesh_cell(mesh, c)[i] == sup_mesh_cell(mesh, d)[k];
  return found;
}

static void cells_with_a_common_face_are_neighbours(void) {
  for (int type = 0; type < SUP_NUM_CELL_TYPES; type++) {
    sup_mesh *mesh = small_box((sup_cell_type)type);
    int       num = mesh->num_cells, corners = sup_cell_kind_of(mesh->type)->corners_per_face;
    int      *start = calloc((size_t)num + 1, sizeof *start),
        *neighbour = calloc(6 * (size_t)num, sizeof *neighbour), wrong = 0;
    OK(sup_mesh_dual_graph(mesh, 0, num, start, neighbour));
    for (int c = 0; c < num; c++) {
      int k = start[c];
      for (int d = 0; d < num; d++)
        if (d != c && common_corners(mesh, c, d) == corners)
          wrong += k >= start[c + 1] || neighbour[k++] != d;
      wrong += k != start[c + 1];
    }
    CHECK(wrong == 0 && start[num] > num);
    free(start), free(neighbour);
    sup_mesh_destroy(&mesh);
  }
}

static void ranges_of_cells_have_the_edges_of_the_whole(void) {
  sup_mesh *mesh = small_box(SUP_CELL_T4);
  int       num = mesh->num_cells, start[3][200], neighbour[3][800];
  const int bounds[] = {0, num / 3, num};
  CHECK(num < 199);
  OK(sup_mesh_dual_graph(mesh, 0, num, start[2], neighbour[2]));
  for (int r = 0; r < 2; r++) {
    int first = bounds[r], n = bounds[r + 1] - first;
    OK(sup_mesh_dual_graph(mesh, first, bounds[r + 1], start[r], neighbour[r]));
    for (int i = 0; i < n; i++) {
      int *whole = start[2] + first + i;
      CHECK(start[r][i + 1] - start[r][i] == whole[1] - whole[0]);
      CHECK(memcmp(neighbour[r] + start[r][i], neighbour[2] + whole[0],
                   (size_t)(whole[1] - whole[0]) * sizeof(int)) == 0);
    }
  }
  sup_mesh_destroy(&mesh);
}

/** Vertices in more than one part, and the cells of the largest. */
static int count_shared(const sup_mesh *mesh, const int *part, int num_parts, int *largest) {
  int *seen = malloc((size_t)mesh->num_vertices * sizeof *seen), shared = 0;
  int *count = calloc((size_t)num_parts, sizeof *count);
  for (int v = 0; v < mesh->num_vertices; v++) seen[v] = SUP_NONE;
  for (int c = 0; c < mesh->num_cells; c++) {
    count[part[c]]++;
    for (int a = 0; a < sup_cell_num_vertices(mesh->type); a++) {
      int *s = &seen[sup_mesh_cell(mesh, c)[a]];
      if (*s == SUP_NONE)
        *s = part[c];
      else if (*s != part[c] && *s < num_parts)
        *s = num_parts, shared++;
    }
  }
  *largest = 0;
  for (int p = 0; p < num_parts; p++) *largest = count[p] > *largest ? count[p] : *largest;
  free(seen), free(count);
  return shared;
}

/* Through the ribs, and not along a wall. */
static void a_finger_is_cut_across_its_ribs(void) {
  ON_RANKS("distribute.a_finger_is_cut_across_its_ribs");
  sup_finray finray = sup_default_finray();
  sup_mesh  *mesh;
  finray.pattern = SUP_PATTERN_HEX;
  finray.wall_cells = finray.rib_cells = 2, finray.depth_cells = 6;
  finray.inner_cells = finray.cavity_cells = 12;
  OK(sup_mesh_finray(&mesh, &finray));
  int *part = calloc((size_t)mesh->num_cells, sizeof *part), largest, even,
      *halves = calloc((size_t)mesh->num_cells, sizeof *halves);
  OK(sup_mesh_distribute(mesh, c, part));
  OK(sup_mesh_bisect(mesh, c->size, halves));
  int shared = count_shared(mesh, part, c->size, &largest),
      of_halves = count_shared(mesh, halves, c->size, &even);
  CHECK(shared > 0 && 3 * shared < 2 * of_halves);
  CHECK(largest <= 1.03 * even);
  if (c->rank == 0)
    printf("= %d shared vertices, %d by bisection; %.3f of the mean\n", shared, of_halves,
           (double)largest * c->size / mesh->num_cells);
  free(part), free(halves);
  sup_mesh_destroy(&mesh);
}

/* The parts do not depend on what was cut before, and are equal on all ranks. */
static void the_same_mesh_is_cut_alike_each_time(void) {
  ON_RANKS("distribute.the_same_mesh_is_cut_alike_each_time");
  enum { TIMES = 6 };
  const double size[3] = {.2, .2, .2};
  const int    n[3] = {24, 25, 26};
  sup_mesh    *mesh;
  OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_HEX));
  size_t bytes = (size_t)mesh->num_cells * sizeof(int);
  int   *first = calloc(1, bytes), *part = calloc(1, bytes);
  for (int k = 0; k < TIMES; k++) {
    OK(sup_mesh_distribute(mesh, c, k == 0 ? first : part));
    CHECK(k == 0 || memcmp(first, part, bytes) == 0);
  }
  memcpy(part, first, bytes);
  c->broadcast(c, 0, bytes, part);
  CHECK(memcmp(first, part, bytes) == 0);
  free(first), free(part);
  sup_mesh_destroy(&mesh);
}

/* Meshes of a few cells are cut by coordinates where a part of the graph would be empty. */
static void every_rank_gets_a_cell(void) {
  ON_RANKS("distribute.every_rank_gets_a_cell");
  const double size[3] = {.2, .2, .2};
  for (int cells = 1; cells <= 4; cells++) {
    const int n[3] = {cells, 1, 1};
    int       part[4], has[TEST_NUM_RANKS] = {0};
    sup_mesh *mesh;
    OK(sup_mesh_box(&mesh, size, n, SUP_PATTERN_HEX));
    if (cells < c->size) {
      FAILS(sup_mesh_distribute(mesh, c, part), SUP_E_ARG, "1 cells cannot be distributed to 2");
    } else {
      OK(sup_mesh_distribute(mesh, c, part));
      for (int k = 0; k < cells; k++) has[part[k]]++;
      for (int r = 0; r < c->size; r++) CHECK(has[r] > 0);
    }
    sup_mesh_destroy(&mesh);
  }
}

static void one_rank_has_all(void) {
  sup_mesh *mesh = small_box(SUP_CELL_H8);
  int       part[24];
  memset(part, 1, sizeof part);
  OK(sup_mesh_distribute(mesh, &sup_one_rank, part));
  for (int k = 0; k < 24; k++) CHECK(part[k] == 0);
  sup_mesh_destroy(&mesh);
}

SUITE_TESTS(distribute, TEST(cells_with_a_common_face_are_neighbours),
            TEST(ranges_of_cells_have_the_edges_of_the_whole),
            TEST(a_finger_is_cut_across_its_ribs), TEST(the_same_mesh_is_cut_alike_each_time),
            TEST(every_rank_gets_a_cell), TEST(one_rank_has_all));
