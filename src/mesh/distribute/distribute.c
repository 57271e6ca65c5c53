#include "mesh/distribute/distribute.h"

#include "base/memory.h"
#include "mesh/distribute/part.h"

/* ---- the dual graph -------------------------------------------------------------------------- */

static void sort(int *value, int n) {
  for (int i = 1; i < n; i++)
    for (int k = i; k > 0 && value[k - 1] > value[k]; k--) {
      int kept = value[k];
      value[k] = value[k - 1], value[k - 1] = kept;
    }
}

/** Cells at the corners of a range of cells. */
typedef struct near_cells {
  int *start, *around; /* [num_vertices + 1]; those at vertex v: around[start[v]] .. */
} near_cells;

/** List in `around` the cells at each corner of the range's cells; NULL: count only. */
static void list_cells(const sup_mesh *mesh, const unsigned char *is_own, int *next, int *around) {
  int corners = sup_cell_kind_of(mesh->type)->num_corners;
  for (int c = 0; c < mesh->num_cells; c++)
    for (int a = 0; a < corners; a++) {
      int v = sup_mesh_cell(mesh, c)[a];
      if (!is_own[v]) continue;
      if (around) around[next[v]] = c;
      next[v]++;
    }
}

static sup_status find_cells(const sup_mesh *mesh, int first, int last, near_cells *near) {
  SUP_FREED unsigned char *is_own = NULL;
  int                      corners = sup_cell_kind_of(mesh->type)->num_corners;
  SUP_FREED int           *next = NULL;
  SUP_TRY(SUP_CALLOC(is_own, mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(next, mesh->num_vertices));
  SUP_TRY(SUP_CALLOC(near->start, mesh->num_vertices + 1));
  for (int c = first; c < last; c++)
    for (int a = 0; a < corners; a++) is_own[sup_mesh_cell(mesh, c)[a]] = 1;
  list_cells(mesh, is_own, next, NULL);
  for (int v = 0; v < mesh->num_vertices; v++) {
    near->start[v + 1] = near->start[v] + next[v];
    next[v] = near->start[v];
  }
  SUP_TRY(SUP_CALLOC(near->around, near->start[mesh->num_vertices]));
  list_cells(mesh, is_own, next, near->around);
  return SUP_OK;
}

/** Cells that have as many corners in common with cell c as a face has; common [num_cells] is zero
 * before and after.  Returns their number. */
static int cells_beside(const sup_mesh *mesh, const near_cells *near, int c, unsigned char *common,
                        int *neighbour) {
  const sup_cell_kind *kind = sup_cell_kind_of(mesh->type);
  int                  count = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int a = 0; a < kind->num_corners; a++) {
      int v = sup_mesh_cell(mesh, c)[a];
      for (int k = near->start[v]; k < near->start[v + 1]; k++) {
        int d = near->around[k];
        if (pass == 1)
          common[d] = 0;
        else if (++common[d] == kind->corners_per_face && d != c && count < kind->num_faces)
          neighbour[count++] = d;
      }
    }
  sort(neighbour, count);
  return count;
}

static void near_cells_free(near_cells *n) { SUP_FREE_ALL(&n->start, &n->around); }

sup_status sup_mesh_dual_graph(const sup_mesh *mesh, int first, int last, int *start,
                               int *neighbour) {
  SUP_OWN_VALUE(near_cells) near = {0};
  SUP_FREED unsigned char  *common = NULL;
  int                       count = 0;
  SUP_TRY(find_cells(mesh, first, last, &near));
  SUP_TRY(SUP_CALLOC(common, mesh->num_cells));
  for (int c = first; c < last; c++) {
    start[c - first] = count;
    count += cells_beside(mesh, &near, c, common, neighbour + count);
  }
  start[last - first] = count;
  return SUP_OK;
}

/* ---- the cut --------------------------------------------------------------------------------- */

/** First cell of a rank's range. */
static int range_begin(int num_cells, int num_ranks, int rank) {
  return (int)((int64_t)num_cells * rank / num_ranks);
}

static bool is_everywhere(const int *part, int num_cells, int num_ranks, unsigned char *has) {
  int found = 0;
  for (int c = 0; c < num_cells; c++)
    if (!has[part[c]]) has[part[c]] = 1, found++;
  return found == num_ranks;
}

/** part := parts of PT-Scotch, on all ranks; *is_done := 0 if PT-Scotch gives none. */
static sup_status cut_graph(const sup_mesh *mesh, const sup_collective *ranks, int *part,
                            bool *is_done) {
  int num = mesh->num_cells, *own = NULL, *start = NULL, *neighbour = NULL;
  int first = range_begin(num, ranks->size, ranks->rank),
      last = range_begin(num, ranks->size, ranks->rank + 1);
  size_t        *bytes = NULL;
  unsigned char *has = NULL;
  sup_status     status;
  *is_done = 0;
  SUP_TRY_GOTO(SUP_CALLOC(own, last - first), status, ready);
  SUP_TRY_GOTO(SUP_CALLOC(start, last - first + 1), status, ready);
  SUP_TRY_GOTO(SUP_CALLOC(neighbour,
                          (size_t)(last - first) * (size_t)sup_cell_kind_of(mesh->type)->num_faces),
               status, ready);
  SUP_TRY_GOTO(SUP_CALLOC(bytes, ranks->size), status, ready);
  SUP_TRY_GOTO(SUP_CALLOC(has, ranks->size), status, ready);
  SUP_TRY_GOTO(sup_mesh_dual_graph(mesh, first, last, start, neighbour), status, ready);
ready:
  status = sup_agree(ranks, status);
  if (status != SUP_OK) goto done;
  sup_graph_share graph = {num, last - first, start, neighbour};
  if (!ranks->cut(ranks, &graph, ranks->size, own)) goto done;
  for (int r = 0; r < ranks->size; r++)
    bytes[r] = sizeof *own *
               (size_t)(range_begin(num, ranks->size, r + 1) - range_begin(num, ranks->size, r));
  ranks->gather_parts(ranks, bytes, own, part);
  *is_done = is_everywhere(part, num, ranks->size, has);
done:
  SUP_FREE_ALL(&own, &start, &neighbour, &bytes, &has);
  return status;
}

sup_status sup_mesh_distribute(const sup_mesh *mesh, const sup_collective *ranks, int *part) {
  bool is_done = 0;
  if (sup_has_ranks(ranks) && ranks->cut && ranks->size <= mesh->num_cells)
    SUP_TRY(cut_graph(mesh, ranks, part, &is_done));
  if (is_done) return SUP_OK;
  return sup_agree(ranks, sup_mesh_bisect(mesh, ranks->size, part));
}
