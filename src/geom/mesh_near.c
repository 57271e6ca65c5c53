#include "geom/mesh_near.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"
#include "base/vec.h"

/** Mesh data of the search, and its state about one cell. */
typedef struct search {
  const sup_mesh *mesh;
  int             corners;
  double         *size;          /* [num_cells] mean edge [m] */
  double          largest;       /* of them */
  int            *first, *cells; /* of each vertex */
  double         *way;           /* [num_vertices] from the cell, HUGE_VAL: not reached */
  int            *queue;         /* [num_vertices] reached so far */
  int             count;
} search;

static double distance(const search *s, int i, int j) {
  return sup_v3_norm(sup_v3_sub(sup_v3_load(s->mesh->x + 3 * i), sup_v3_load(s->mesh->x + 3 * j)));
}

static double mean_edge(const search *s, const int *v) {
  const sup_cell_kind *kind = sup_cell_kind_of(s->mesh->type);
  double               sum = 0;
  for (int e = 0; e < kind->num_edges; e++)
    sum += distance(s, v[kind->edge[e][0]], v[kind->edge[e][1]]);
  return sum / kind->num_edges;
}

static void list_cells_of_vertices(search *s) {
  const sup_mesh *mesh = s->mesh;
  int             n = mesh->num_cells * s->corners;
  for (int i = 0; i < n; i++) s->first[mesh->cell[i] + 1]++;
  for (int i = 0; i < mesh->num_vertices; i++) {
    s->first[i + 1] += s->first[i];
    s->queue[i] = s->first[i]; /* where the next one goes */
  }
  for (int i = 0; i < n; i++) s->cells[s->queue[mesh->cell[i]]++] = i / s->corners;
}

/** Shorten the path to a vertex; 1: the path was longer. */
static int reach(search *s, int vertex, double way) {
  if (!(way < s->way[vertex])) return 0;
  if (!(s->way[vertex] < HUGE_VAL)) s->queue[s->count++] = vertex;
  s->way[vertex] = way;
  return 1;
}

/** Shortest paths from a cell to vertices within range.  Their number is small, so that relaxation
 * rounds over all of them until nothing changes are cheap. */
static void spread(search *s, int cell) {
  double most = 0.5 * (s->size[cell] + s->largest);
  s->count = 0;
  for (int k = 0; k < s->corners; k++) reach(s, sup_mesh_cell(s->mesh, cell)[k], 0);
  for (int changed = 1; changed;) {
    changed = 0;
    for (int i = 0; i < s->count; i++) {
      int v = s->queue[i];
      for (int c = s->first[v]; c < s->first[v + 1]; c++)
        for (int k = 0; k < s->corners; k++) {
          int    w = sup_mesh_cell(s->mesh, s->cells[c])[k];
          double way = s->way[v] + distance(s, v, w);
          if (way < most) changed |= reach(s, w, way);
        }
    }
  }
}

/** Cells near one cell, ascending; resets the paths. */
static sup_status collect(search *s, int cell, int **list, size_t *capacity, int *total) {
  int start = *total, kept = start;
  for (int i = 0; i < s->count; i++) {
    int v = s->queue[i];
    for (int c = s->first[v]; c < s->first[v + 1]; c++) {
      int other = s->cells[c];
      if (other == cell || !(s->way[v] <= 0 || s->way[v] < 0.5 * (s->size[cell] + s->size[other])))
        continue;
      SUP_TRY(SUP_GROW(*list, *capacity, *total + 1));
      (*list)[(*total)++] = other;
    }
  }
  for (int i = 0; i < s->count; i++) s->way[s->queue[i]] = HUGE_VAL;
  if (*total > start)
    qsort(*list + start, (size_t)(*total - start), sizeof **list, sup_compare_int);
  for (int i = start; i < *total; i++)
    if (kept == start || (*list)[i] != (*list)[kept - 1]) (*list)[kept++] = (*list)[i];
  *total = kept;
  return SUP_OK;
}

static sup_status allocate(search *s) {
  const sup_mesh *mesh = s->mesh;
  SUP_TRY(SUP_CALLOC(s->size, mesh->num_cells));
  SUP_TRY(SUP_CALLOC(s->first, mesh->num_vertices + 1));
  SUP_TRY(SUP_CALLOC(s->cells, mesh->num_cells * s->corners));
  SUP_TRY(SUP_CALLOC(s->way, mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(s->queue, mesh->num_vertices));
  return SUP_OK;
}

static sup_status fill(sup_mesh_near *near, search *s) {
  const sup_mesh *mesh = s->mesh;
  size_t          capacity = 0;
  int             total = 0;
  for (int c = 0; c < mesh->num_cells; c++) {
    s->size[c] = mean_edge(s, sup_mesh_cell(mesh, c));
    s->largest = sup_max(s->largest, s->size[c]);
  }
  for (int i = 0; i < mesh->num_vertices; i++) s->way[i] = HUGE_VAL;
  list_cells_of_vertices(s);
  for (int c = 0; c < mesh->num_cells; c++) {
    spread(s, c);
    SUP_TRY(collect(s, c, &near->cell, &capacity, &total));
    near->first[c + 1] = total;
  }
  return SUP_OK;
}

static void search_free(search *s) {
  SUP_FREE_ALL(&s->size, &s->first, &s->cells, &s->way, &s->queue);
}

sup_status sup_mesh_near_create(sup_mesh_near **out, const sup_mesh *mesh) {
  SUP_OWN(sup_mesh_near) *near = NULL;
  SUP_OWN_VALUE(search)   s = {.mesh = mesh, .corners = sup_cell_num_vertices(mesh->type)};
  *out = NULL;
  SUP_TRY(SUP_CALLOC(near, 1));
  SUP_TRY(SUP_CALLOC(near->first, mesh->num_cells + 1));
  SUP_TRY(allocate(&s));
  SUP_TRY(fill(near, &s));
  *out = near;
  near = NULL;
  return SUP_OK;
}

void sup_mesh_near_destroy(sup_mesh_near **near) {
  if (!*near) return;
  SUP_FREE_ALL(&(*near)->first, &(*near)->cell, near);
}

bool sup_mesh_near_has(const sup_mesh_near *near, int a, int b) {
  int low = near->first[a], high = near->first[a + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (near->cell[middle] < b)
      low = middle + 1;
    else
      high = middle;
  }
  return low < near->first[a + 1] && near->cell[low] == b;
}
