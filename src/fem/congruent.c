/* Congruent cells share one stiffness.  Cells are congruent if they have one material, the same
 * vertex order, and equal shapes up to the round-off of coordinates.  Without sharing, structured
 * and refined meshes would store millions of copies and read them at each assembly.  Cells are
 * compared by the positions of their vertices relative to the first vertex, with the tolerance of
 * differences of rounded coordinates.  A hash of these positions on a grid finds candidates; cells
 * on both sides of a grid plane stay separate, which only costs memory.  The stored stiffness is
 * that of the first such cell in the order of this folder. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "fem/body_parts.h"
#include "fem/numerics.h"

/* Smallest number of cells for sharing; in smaller bodies each cell has its own stiffness. */
enum { LEAST_CELLS = 4096 };

/** An open table of numbers by hash. */
typedef struct table {
  int     *number; /* [size] SUP_NONE: free */
  uint64_t size;   /* a power of two */
} table;

static sup_status create_table(table *t, int most) {
  for (t->size = 64; t->size < 2 * (uint64_t)most;) t->size *= 2;
  SUP_TRY(SUP_CALLOC(t->number, t->size));
  for (uint64_t i = 0; i < t->size; i++) t->number[i] = SUP_NONE;
  return SUP_OK;
}

typedef bool is_same(const void *user, int a, int b);

/** Find the number equal to `item`, or insert `item`. */
static int find(table *t, uint64_t hash, int item, is_same *same, const void *user) {
  for (uint64_t at = hash & (t->size - 1);; at = (at + 1) & (t->size - 1)) {
    if (t->number[at] == SUP_NONE) t->number[at] = item;
    if (t->number[at] == item || same(user, t->number[at], item)) return t->number[at];
  }
}

/* ---- cells ----------------------------------------------------------------------------------- */

typedef struct cells {
  const sup_mesh *mesh;
  const int      *material; /* [num_cells] of each; NULL: one of all */
} cells;

/** Vertex a of cell c about its first one. */
static sup_v3 arm(const sup_mesh *mesh, int c, int a) {
  const int *cell = sup_mesh_cell(mesh, c);
  return sup_v3_sub(sup_mesh_vertex(mesh, cell[a]), sup_mesh_vertex(mesh, cell[0]));
}

/** Round-off of the coordinates of two cells, times four [m]. */
static double round_off(const sup_mesh *mesh, int a, int b) {
  sup_v3 x = sup_mesh_vertex(mesh, sup_mesh_cell(mesh, a)[0]),
         y = sup_mesh_vertex(mesh, sup_mesh_cell(mesh, b)[0]), d = arm(mesh, a, 1);
  return 4 * DBL_EPSILON *
         (fabs(x.x) + fabs(x.y) + fabs(x.z) + fabs(y.x) + fabs(y.y) + fabs(y.z) + fabs(d.x) +
          fabs(d.y) + fabs(d.z));
}

/** 1: the vertex numbers of both cells are in the same order. */
static bool has_same_slots(const sup_mesh *mesh, int a, int b) {
  const int *p = sup_mesh_cell(mesh, a), *q = sup_mesh_cell(mesh, b);
  int        n = sup_cell_num_vertices(mesh->type);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      if ((p[i] < p[j]) != (q[i] < q[j])) return 0;
  return 1;
}

static bool is_congruent(const void *user, int a, int b) {
  const cells    *all = user;
  const sup_mesh *mesh = all->mesh;
  double          most = round_off(mesh, a, b);
  if (all->material && all->material[a] != all->material[b]) return 0;
  if (!has_same_slots(mesh, a, b)) return 0;
  for (int i = 1; i < sup_cell_num_vertices(mesh->type); i++) {
    sup_v3 d = sup_v3_sub(arm(mesh, a, i), arm(mesh, b, i));
    if (!(fabs(d.x) <= most && fabs(d.y) <= most && fabs(d.z) <= most)) return 0;
  }
  return 1;
}

static uint64_t hash_of_cell(const sup_mesh *mesh, int c, double grid) {
  uint64_t hash = sup_hash_begin();
  for (int i = 1; i < sup_cell_num_vertices(mesh->type); i++) {
    sup_v3  d = arm(mesh, c, i);
    int64_t at[3] = {llround(d.x / grid), llround(d.y / grid), llround(d.z / grid)};
    hash = sup_hash_bytes(hash, at, sizeof at);
  }
  return hash ^ hash >> 29;
}

/** Grid size as a small share of a cell's size; an odd value, of which no edge length is a
 * multiple. */
static double grid_of(const sup_mesh *mesh) {
  double longest = 0;
  for (int i = 1; i < sup_cell_num_vertices(mesh->type); i++)
    longest = fmax(longest, sup_v3_norm(arm(mesh, 0, i)));
  return sup_fem_numerics.grid * longest;
}

/** shape[c] := the first cell that is congruent to c. */
static sup_status find_cells(const cells *all, int *shape) {
  const sup_mesh *mesh = all->mesh;
  table           t = {0};
  double          grid = grid_of(mesh);
  for (int c = 0; c < mesh->num_cells; c++) shape[c] = c;
  if (!(grid > 0)) return SUP_OK;
  SUP_TRY(create_table(&t, mesh->num_cells));
  for (int c = 0; c < mesh->num_cells; c++)
    shape[c] = find(&t, hash_of_cell(mesh, c, grid), c, is_congruent, all);
  SUP_FREE(t.number);
  return SUP_OK;
}

/* ---- batches --------------------------------------------------------------------------------- */

typedef struct batches {
  const sup_fem_body *body;
  const int          *shape;
} batches;

static int num_of(const sup_fem_body *body, int k) {
  int rest = body->mesh->num_cells - SUP_BATCH * k;
  return rest < SUP_BATCH ? rest : SUP_BATCH;
}

static bool is_same_batch(const void *user, int a, int b) {
  const batches *all = user;
  int            num = num_of(all->body, a);
  return num == num_of(all->body, b) &&
         memcmp(all->shape + SUP_BATCH * a, all->shape + SUP_BATCH * b,
                (size_t)num * sizeof *all->shape) == 0;
}

/** body->lanes_of := numbers of lanes, 0 .. num_lanes - 1 in the order in which they come up. */
static sup_status find_batches(sup_fem_body *body, const int *shape) {
  batches all = {body, shape};
  int     num = sup_fem_num_batches(body);
  table   t = {0};
  SUP_TRY(create_table(&t, num));
  for (int k = 0; k < num; k++) {
    uint64_t hash = sup_hash_bytes(sup_hash_begin(), shape + SUP_BATCH * k,
                                   (size_t)num_of(body, k) * sizeof *shape);
    int      first = find(&t, hash ^ hash >> 29, k, is_same_batch, &all);
    body->lanes_of[k] = first == k ? body->num_lanes++ : body->lanes_of[first];
  }
  SUP_FREE(t.number);
  return SUP_OK;
}

sup_status sup_fem_find_congruent(sup_fem_body *body) {
  const sup_mesh *mesh = body->mesh;
  cells           all = {mesh, body->cell_material};
  int            *shape = NULL;
  SUP_TRY(SUP_CALLOC(body->lanes_of, sup_fem_num_batches(body)));
  sup_status status = SUP_CALLOC(shape, mesh->num_cells);
  for (int c = 0; status == SUP_OK && c < mesh->num_cells; c++) shape[c] = c;
  if (status == SUP_OK && mesh->num_cells >= LEAST_CELLS) status = find_cells(&all, shape);
  if (status == SUP_OK) status = find_batches(body, shape);
  SUP_FREE(shape);
  return status;
}

sup_status sup_fem_count_stored(const sup_mesh *mesh, double num_cells, double *kept) {
  cells  all = {mesh, NULL};
  int   *shape = NULL, shapes = 0;
  double share = num_cells / mesh->num_cells;
  *kept = num_cells;
  if (num_cells < LEAST_CELLS) return SUP_OK;
  SUP_TRY(SUP_CALLOC(shape, mesh->num_cells));
  sup_status status = find_cells(&all, shape);
  for (int c = 0; c < mesh->num_cells; c++) shapes += shape[c] == c;
  if (status == SUP_OK) *kept = fmin(num_cells, SUP_BATCH * shapes * cbrt(share * share));
  SUP_FREE(shape);
  return status;
}
