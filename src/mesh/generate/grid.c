#include "mesh/generate/grid.h"

#include "base/memory.h"
#include "mesh/named_set.h"

enum { MAX_BRICKS = 40 * 1000 * 1000, TETS_PER_BRICK = 6 };

/** Corner offsets of a brick in VTK's hexahedron order. */
static const int hex_offset[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
/** The six ways from corner (0,0,0) to (1,1,1) along edges: order of the directions, and whether it
 * is an odd permutation. */
static const int path[TETS_PER_BRICK][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                            {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static const int path_is_odd[TETS_PER_BRICK] = {0, 1, 1, 0, 0, 1};

sup_status sup_grid_check(const int n[3], sup_mesh_pattern pattern) {
  if (pattern != SUP_PATTERN_HEX && pattern != SUP_PATTERN_KUHN && pattern != SUP_PATTERN_MIRROR)
    return SUP_FAIL(SUP_E_ARG, "mesh pattern %d is unknown", (int)pattern);
  for (int d = 0; d < 3; d++)
    if (n[d] < 1 || n[d] > MAX_BRICKS)
      return SUP_FAIL(SUP_E_ARG, "%d bricks along %c; expected 1 to %d", n[d], "xyz"[d],
                      MAX_BRICKS);
  if ((double)n[0] * n[1] * n[2] > MAX_BRICKS)
    return SUP_FAIL(SUP_E_ARG, "%d x %d x %d bricks are too many; at most %d are possible", n[0],
                    n[1], n[2], MAX_BRICKS);
  return SUP_OK;
}

static size_t num_points(const int n[3]) {
  return ((size_t)n[0] + 1) * ((size_t)n[1] + 1) * ((size_t)n[2] + 1);
}
static size_t num_bricks(const int n[3]) { return (size_t)n[0] * (size_t)n[1] * (size_t)n[2]; }

sup_status sup_grid_init(sup_grid *grid, const int n[3], sup_mesh_pattern pattern) {
  *grid = (sup_grid){.n = {n[0], n[1], n[2]}, .pattern = pattern};
  SUP_TRY(SUP_CALLOC(grid->x, 3 * num_points(n)));
  SUP_TRY(SUP_CALLOC(grid->keep, num_bricks(n)));
  for (size_t b = 0; b < num_bricks(n); b++) grid->keep[b] = 1;
  return SUP_OK;
}

void sup_grid_free(sup_grid *grid) { SUP_FREE_ALL(&grid->x, &grid->keep); }

/** Number of the grid point `offset` away from the first corner of brick (i,j,k). */
static size_t grid_point(const int n[3], const int brick[3], const int offset[3]) {
  size_t i = (size_t)(brick[0] + offset[0]), j = (size_t)(brick[1] + offset[1]),
         k = (size_t)(brick[2] + offset[2]);
  return (i * ((size_t)n[1] + 1) + j) * ((size_t)n[2] + 1) + k;
}

/** Tet t of the brick: the corners passed on path t from (0,0,0) to (1,1,1), mirrored in the
 * directions of `flip`. */
static void tet_points(const int n[3], const int brick[3], const int flip[3], int t,
                       size_t point[4]) {
  int corner[3] = {flip[0], flip[1], flip[2]};
  point[0] = grid_point(n, brick, corner);
  for (int a = 0; a < 3; a++) {
    corner[path[t][a]] ^= 1;
    point[a + 1] = grid_point(n, brick, corner);
  }
  if ((path_is_odd[t] + flip[0] + flip[1] + flip[2]) % 2 == 0) return;
  size_t keep = point[1];
  point[1] = point[2], point[2] = keep;
}

/** Points of the cells of one brick; returns their number of vertices in all. */
static int brick_points(const sup_grid *grid, const int brick[3],
                        size_t point[TETS_PER_BRICK * 4]) {
  if (grid->pattern == SUP_PATTERN_HEX) {
    for (int a = 0; a < 8; a++) point[a] = grid_point(grid->n, brick, hex_offset[a]);
    return 8;
  }
  int mirror = grid->pattern == SUP_PATTERN_MIRROR;
  int flip[3] = {mirror && brick[0] % 2, mirror && brick[1] % 2, mirror && brick[2] % 2};
  for (int t = 0; t < TETS_PER_BRICK; t++) tet_points(grid->n, brick, flip, t, point + 4 * t);
  return TETS_PER_BRICK * 4;
}

/** Number the points that a kept brick uses, in grid order; SUP_NONE for the others.  Returns how
 * many. */
static int number_used_points(const sup_grid *grid, int *number) {
  int used = 0;
  for (size_t p = 0; p < num_points(grid->n); p++) number[p] = SUP_NONE;
  for (size_t b = 0; b < num_bricks(grid->n); b++) {
    size_t nz = (size_t)grid->n[2], ny = (size_t)grid->n[1];
    int    brick[3] = {(int)(b / nz / ny), (int)(b / nz % ny), (int)(b % nz)};
    for (int a = 0; a < 8 && grid->keep[b]; a++)
      number[grid_point(grid->n, brick, hex_offset[a])] = 0;
  }
  for (size_t p = 0; p < num_points(grid->n); p++)
    if (number[p] == 0) number[p] = used++;
  return used;
}

static sup_status name_sides(sup_mesh *mesh, const sup_grid *grid, const int *number) {
  for (int side = 0; side < 6; side++) {
    int            d = side / 2, at = side % 2 ? grid->n[d] : 0, brick[3] = {0, 0, 0}, p[3];
    unsigned char *member;
    if (!grid->side[side]) continue;
    SUP_TRY(sup_mesh_add_set(mesh, SUP_SET_VERTICES, grid->side[side], &member));
    for (p[0] = 0; p[0] <= grid->n[0]; p[0]++)
      for (p[1] = 0; p[1] <= grid->n[1]; p[1]++)
        for (p[2] = 0; p[2] <= grid->n[2]; p[2]++) {
          int vertex = p[d] == at ? number[grid_point(grid->n, brick, p)] : SUP_NONE;
          if (vertex != SUP_NONE) member[vertex] = 1;
        }
  }
  return SUP_OK;
}

/** Cells come brick by brick. */
static sup_status name_parts(sup_mesh *mesh, const sup_grid *grid, int cells_per_brick) {
  for (int part = 0; part < SUP_GRID_MAX_PARTS; part++) {
    unsigned char *member;
    if (!grid->part[part]) continue;
    SUP_TRY(sup_mesh_add_set(mesh, SUP_SET_CELLS, grid->part[part], &member));
    for (size_t b = 0; b < num_bricks(grid->n); b++)
      for (int k = 0; k < cells_per_brick && grid->keep[b]; k++) *member++ = grid->keep[b] == part;
  }
  sup_mesh_drop_empty_sets(mesh);
  return SUP_OK;
}

sup_status sup_grid_mesh(sup_mesh **mesh, const sup_grid *grid) {
  sup_status status;
  int       *number = NULL, cells_per_brick = grid->pattern == SUP_PATTERN_HEX ? 1 : TETS_PER_BRICK,
      kept = 0, next = 0;
  *mesh = NULL;
  for (size_t b = 0; b < num_bricks(grid->n); b++) kept += grid->keep[b] != 0;
  SUP_TRY(SUP_CALLOC(number, num_points(grid->n)));
  SUP_TRY_GOTO(sup_mesh_create(mesh, cells_per_brick == 1 ? SUP_CELL_H8 : SUP_CELL_T4,
                               number_used_points(grid, number), kept * cells_per_brick),
               status, done);
  for (size_t p = 0; p < num_points(grid->n); p++)
    if (number[p] != SUP_NONE)
      sup_v3_store((*mesh)->x + 3 * number[p], sup_v3_load(grid->x + 3 * p));
  for (int i = 0; i < grid->n[0]; i++)
    for (int j = 0; j < grid->n[1]; j++)
      for (int k = 0; k < grid->n[2]; k++) {
        size_t point[TETS_PER_BRICK * 4];
        int    brick[3] = {i, j, k};
        if (!grid->keep[((size_t)i * (size_t)grid->n[1] + (size_t)j) * (size_t)grid->n[2] +
                        (size_t)k])
          continue;
        int count = brick_points(grid, brick, point);
        for (int a = 0; a < count; a++) (*mesh)->cell[next++] = number[point[a]];
      }
  SUP_TRY_GOTO(name_sides(*mesh, grid, number), status, done);
  SUP_TRY_GOTO(name_parts(*mesh, grid, cells_per_brick), status, done);
done:
  if (status != SUP_OK) sup_mesh_destroy(mesh);
  SUP_FREE(number);
  return status;
}
