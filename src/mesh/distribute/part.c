#include "mesh/distribute/part.h"

#include <string.h>

#include "base/memory.h"
#include "mesh/named_set.h"

/* ---- recursive coordinate bisection ---------------------------------------------------------- */

typedef struct place {
  double x[3]; /* centre, up to a factor */
  int    cell;
} place;

/** Longest side of the box about the centres. */
static int longest_axis(const place *p, int n) {
  int    longest = 0;
  double most = -1;
  for (int k = 0; k < 3; k++) {
    double low = p[0].x[k], high = low;
    for (int i = 1; i < n; i++) {
      low = p[i].x[k] < low ? p[i].x[k] : low;
      high = p[i].x[k] > high ? p[i].x[k] : high;
    }
    if (high - low > most) most = high - low, longest = k;
  }
  return longest;
}

static bool is_before(const place *a, const place *b, int axis) {
  return a->x[axis] != b->x[axis] ? a->x[axis] < b->x[axis] : a->cell < b->cell;
}

static void swap(place *a, place *b) {
  place kept = *a;
  *a = *b, *b = kept;
}

/** Partition p [n] so that its first `count` items are the lowest along the axis (Hoare's selection
 * with the median of three). */
static void select_first(place *p, int n, int count, int axis) {
  int low = 0, high = n - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (is_before(&p[middle], &p[low], axis)) swap(&p[middle], &p[low]);
    if (is_before(&p[high], &p[low], axis)) swap(&p[high], &p[low]);
    if (is_before(&p[high], &p[middle], axis)) swap(&p[high], &p[middle]);
    place pivot = p[middle];
    int   i = low, j = high;
    while (i <= j) {
      while (is_before(&p[i], &pivot, axis)) i++;
      while (is_before(&pivot, &p[j], axis)) j--;
      if (i <= j) swap(&p[i++], &p[j--]);
    }
    if (count <= j)
      high = j;
    else if (count >= i)
      low = i;
    else
      return;
  }
}

/** Cells of p [n] go into the parts first .. first + num_parts - 1. */
static void bisect(place *p, int n, int first, int num_parts, int *part) {
  while (num_parts > 1) {
    int left = num_parts / 2, cut = (int)((int64_t)n * left / num_parts);
    select_first(p, n, cut, longest_axis(p, n));
    bisect(p, cut, first, left, part);
    p += cut, n -= cut, first += left, num_parts -= left;
  }
  for (int i = 0; i < n; i++) part[p[i].cell] = first;
}

sup_status sup_mesh_bisect(const sup_mesh *mesh, int num_parts, int *part) {
  place *p = NULL;
  int    n = sup_cell_num_vertices(mesh->type);
  if (num_parts < 1 || num_parts > mesh->num_cells)
    return SUP_FAIL(SUP_E_ARG, "%d cells cannot be distributed to %d ranks; take at most %d",
                    mesh->num_cells, num_parts, mesh->num_cells);
  SUP_TRY(SUP_CALLOC(p, mesh->num_cells));
  for (int c = 0; c < mesh->num_cells; c++) {
    p[c].cell = c;
    for (int a = 0; a < n; a++)
      for (int k = 0; k < 3; k++) p[c].x[k] += mesh->x[3 * sup_mesh_cell(mesh, c)[a] + k];
  }
  bisect(p, mesh->num_cells, 0, num_parts, part);
  SUP_FREE(p);
  return SUP_OK;
}

/* ---- one part -------------------------------------------------------------------------------- */

static int count_cells(const sup_mesh *mesh, const int *part, int rank) {
  int count = 0;
  for (int c = 0; c < mesh->num_cells; c++) count += part[c] == rank;
  return count;
}

/** Members of the old sets among the cells and vertices that `made` has.
 *  @param[in] number  [2] of sup_set_kind: numbers in the old mesh; NULL: the same */
static sup_status take_sets(sup_mesh *made, const sup_mesh *mesh, const int *const number[2]) {
  for (int s = 0; s < mesh->num_sets; s++) {
    const sup_named_set *set = &mesh->set[s];
    unsigned char       *member;
    SUP_TRY(sup_mesh_add_set(made, set->kind, set->name, &member));
    for (int i = 0; i < sup_mesh_set_size(made, set->kind); i++)
      member[i] = set->member[number[set->kind] ? number[set->kind][i] : i];
  }
  return SUP_OK;
}

sup_status sup_mesh_cells_of_part(sup_mesh **out, const sup_mesh *mesh, const int *part, int rank) {
  SUP_OWN(sup_mesh) *own = NULL;
  int                n = sup_cell_num_vertices(mesh->type), count = 0;
  SUP_FREED int     *cell = NULL;
  *out = NULL;
  SUP_TRY(sup_mesh_create(&own, mesh->type, mesh->num_vertices, count_cells(mesh, part, rank)));
  SUP_TRY(SUP_CALLOC(cell, own->num_cells));
  memcpy(own->x, mesh->x, 3 * (size_t)mesh->num_vertices * sizeof *own->x);
  for (int c = 0; c < mesh->num_cells; c++) {
    if (part[c] != rank) continue;
    memcpy(own->cell + (size_t)n * (size_t)count, sup_mesh_cell(mesh, c),
           (size_t)n * sizeof *own->cell);
    cell[count++] = c;
  }
  SUP_TRY(take_sets(own, mesh, (const int *const[2]){NULL, cell}));
  *out = own;
  own = NULL;
  return SUP_OK;
}

/** Workspace of the build, over all vertices of the whole mesh. */
typedef struct build {
  const sup_mesh *mesh;
  const int      *part;
  int             num_parts, rank;
  int            *start, *around; /* cells around the vertices */
  int            *own;            /* [num_vertices] own number, SUP_NONE */
  unsigned char  *is_at;          /* [num_parts] parts at the vertex at hand */
  int            *count;          /* [num_parts] vertices shared with each */
} build;

/** List the parts at vertex v in is_at; returns the lowest. */
static int look_around(const build *b, int v) {
  int lowest = b->num_parts;
  memset(b->is_at, 0, (size_t)b->num_parts);
  for (int k = b->start[v]; k < b->start[v + 1]; k++) {
    int p = b->part[b->around[k]];
    b->is_at[p] = 1;
    if (p < lowest) lowest = p;
  }
  return lowest;
}

static sup_status take_cells(const build *b, sup_mesh_part *out) {
  const sup_mesh *mesh = b->mesh;
  int             n = sup_cell_num_vertices(mesh->type), cells = 0, vertices = 0, num_cells;
  num_cells = count_cells(mesh, b->part, b->rank);
  for (int v = 0; v < mesh->num_vertices; v++) b->own[v] = SUP_NONE;
  for (int c = 0; c < mesh->num_cells; c++)
    for (int a = 0; a < n && b->part[c] == b->rank; a++) b->own[sup_mesh_cell(mesh, c)[a]] = 0;
  for (int v = 0; v < mesh->num_vertices; v++)
    if (b->own[v] != SUP_NONE) b->own[v] = vertices++;
  SUP_TRY(sup_mesh_create(&out->mesh, mesh->type, vertices, num_cells));
  SUP_TRY(SUP_CALLOC(out->cell, num_cells));
  SUP_TRY(SUP_CALLOC(out->vertex, vertices));
  SUP_TRY(SUP_CALLOC(out->owner, vertices));
  for (int v = 0; v < mesh->num_vertices; v++)
    if (b->own[v] != SUP_NONE) {
      out->vertex[b->own[v]] = v;
      memcpy(out->mesh->x + 3 * b->own[v], mesh->x + 3 * v, 3 * sizeof *mesh->x);
    }
  for (int c = 0; c < mesh->num_cells; c++) {
    if (b->part[c] != b->rank) continue;
    for (int a = 0; a < n; a++)
      out->mesh->cell[(size_t)n * (size_t)cells + (size_t)a] = b->own[sup_mesh_cell(mesh, c)[a]];
    out->cell[cells++] = c;
  }
  return take_sets(out->mesh, mesh, (const int *const[2]){out->vertex, out->cell});
}

static sup_status find_shared(const build *b, sup_mesh_part *out) {
  int num = out->mesh->num_vertices, total = 0;
  for (int i = 0; i < num; i++) {
    out->owner[i] = look_around(b, out->vertex[i]);
    for (int p = 0; p < b->num_parts; p++) b->count[p] += b->is_at[p] && p != b->rank;
  }
  for (int p = 0; p < b->num_parts; p++)
    out->num_neighbours += b->count[p] > 0, total += b->count[p];
  SUP_TRY(SUP_CALLOC(out->neighbour, out->num_neighbours));
  SUP_TRY(SUP_CALLOC(out->shared_start, out->num_neighbours + 1));
  SUP_TRY(SUP_CALLOC(out->shared, total));
  for (int p = 0, k = 0, next = 0; p < b->num_parts; p++) {
    if (b->count[p] == 0) continue;
    out->neighbour[k++] = p;
    int first = next;
    next += b->count[p];
    out->shared_start[k] = next;
    b->count[p] = first; /* from here on: index of the next entry */
  }
  for (int i = 0; i < num; i++) {
    (void)look_around(b, out->vertex[i]);
    for (int p = 0; p < b->num_parts; p++)
      if (b->is_at[p] && p != b->rank) out->shared[b->count[p]++] = i;
  }
  return SUP_OK;
}

static sup_status build_part(build *b, sup_mesh_part *out) {
  size_t corners = (size_t)sup_cell_num_vertices(b->mesh->type) * (size_t)b->mesh->num_cells;
  SUP_TRY(SUP_CALLOC(b->start, b->mesh->num_vertices + 1));
  SUP_TRY(SUP_CALLOC(b->around, corners));
  SUP_TRY(SUP_CALLOC(b->own, b->mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(b->is_at, b->num_parts));
  SUP_TRY(SUP_CALLOC(b->count, b->num_parts));
  sup_mesh_cells_around(b->mesh, b->start, b->around);
  SUP_TRY(take_cells(b, out));
  SUP_TRY(find_shared(b, out));
  return SUP_OK;
}

sup_status sup_mesh_part_create(sup_mesh_part **out, const sup_mesh *mesh, const int *part,
                                int num_parts, int rank) {
  sup_mesh_part *own = NULL;
  *out = NULL;
  for (int c = 0; c < mesh->num_cells; c++)
    if (part[c] < 0 || part[c] >= num_parts)
      return SUP_FAIL(SUP_E_ARG, "cell %d is in part %d of %d, counted from 0", c, part[c],
                      num_parts);
  SUP_TRY(SUP_CALLOC(own, 1));
  own->rank = rank, own->num_parts = num_parts;
  own->num_cells = mesh->num_cells, own->num_vertices = mesh->num_vertices;
  build      b = {.mesh = mesh, .part = part, .num_parts = num_parts, .rank = rank};
  sup_status status = build_part(&b, own);
  SUP_FREE_ALL(&b.start, &b.around, &b.own, &b.is_at, &b.count);
  if (status == SUP_OK)
    *out = own;
  else
    sup_mesh_part_destroy(&own);
  return status;
}

void sup_mesh_part_destroy(sup_mesh_part **part) {
  if (!*part) return;
  sup_mesh_destroy(&(*part)->mesh);
  SUP_FREE_ALL(&(*part)->cell, &(*part)->vertex, &(*part)->owner, &(*part)->neighbour,
               &(*part)->shared_start, &(*part)->shared, part);
}
