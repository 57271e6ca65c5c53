#include "mesh/distribute.h"

#include <string.h>

#include "base/memory.h"
#include "mesh/buckets.h"
#include "mesh/part.h"

/* ---- the dual graph -------------------------------------------------------------------------- */

static void sort(int *value, int n) {
  for (int i = 1; i < n; i++)
    for (int k = i; k > 0 && value[k - 1] > value[k]; k--) {
      int kept = value[k];
      value[k] = value[k - 1], value[k - 1] = kept;
    }
}

/** Corners of a face, ascending, the rest filled up. */
static void face_corners(const sup_mesh *mesh, int c, int local, int corner[4]) {
  const sup_cell_kind *kind = sup_cell_kind_of(mesh->type);
  for (int a = 0; a < 4; a++)
    corner[a] =
        a < kind->corners_per_face ? sup_mesh_cell(mesh, c)[kind->face[local][a]] : SUP_NONE;
  sort(corner, kind->corners_per_face);
}

/** Faces that may be seen from the cells of a range: those of cells at its vertices. */
typedef struct near_faces {
  const sup_mesh *mesh;
  int             num;
  int            *place; /* [num] cell x faces of a cell + local face, ascending */
} near_faces;

static int lowest_corner(const void *user, int item) {
  const near_faces *near = user;
  int corner[4], faces = sup_cell_kind_of(near->mesh->type)->num_faces, place = near->place[item];
  face_corners(near->mesh, place / faces, place % faces, corner);
  return corner[0];
}

/** Own faces, and those of others all of whose corners the own cells have. */
static void find_near(near_faces *near, int first, int last, const unsigned char *is_own) {
  int faces = sup_cell_kind_of(near->mesh->type)->num_faces, corner[4];
  near->num = 0;
  for (int c = 0; c < near->mesh->num_cells; c++)
    for (int f = 0; f < faces; f++) {
      int is_near = 1;
      face_corners(near->mesh, c, f, corner);
      for (int a = 0; a < 4 && (c < first || c >= last) && is_near; a++)
        is_near = corner[a] == SUP_NONE || is_own[corner[a]];
      if (!is_near) continue;
      if (near->place) near->place[near->num] = c * faces + f;
      near->num++;
    }
}

/** The cell on the other side of face f of cell c; SUP_NONE. */
static int cell_behind(const near_faces *near, const sup_buckets *at, int c, int f) {
  int corner[4], other[4], faces = sup_cell_kind_of(near->mesh->type)->num_faces;
  face_corners(near->mesh, c, f, corner);
  for (int k = at->start[corner[0]]; k < at->start[corner[0] + 1]; k++) {
    int place = near->place[at->item[k]];
    if (place / faces == c) continue;
    face_corners(near->mesh, place / faces, place % faces, other);
    if (memcmp(corner, other, sizeof corner) == 0) return place / faces;
  }
  return SUP_NONE;
}

sup_status sup_mesh_dual_graph(const sup_mesh *mesh, int first, int last, int *start,
                               int *neighbour) {
  int            faces = sup_cell_kind_of(mesh->type)->num_faces, count = 0;
  near_faces     near = {mesh, 0, NULL};
  sup_buckets    at = {0};
  unsigned char *is_own = NULL;
  sup_status     status;
  SUP_TRY_GOTO(SUP_CALLOC(is_own, mesh->num_vertices), status, done);
  for (int c = first; c < last; c++)
    for (int a = 0; a < sup_cell_num_vertices(mesh->type); a++)
      is_own[sup_mesh_cell(mesh, c)[a]] = 1;
  find_near(&near, first, last, is_own);
  SUP_TRY_GOTO(SUP_CALLOC(near.place, near.num), status, done);
  find_near(&near, first, last, is_own);
  SUP_TRY_GOTO(sup_buckets_fill(&at, mesh->num_vertices, near.num, lowest_corner, &near), status,
               done);
  for (int c = first; c < last; c++) {
    int begin = start[c - first] = count;
    for (int f = 0; f < faces; f++) {
      int other = cell_behind(&near, &at, c, f);
      if (other != SUP_NONE) neighbour[count++] = other;
    }
    sort(neighbour + begin, count - begin);
  }
  start[last - first] = count;
done:
  SUP_FREE(is_own);
  SUP_FREE(near.place);
  sup_buckets_free(&at);
  return status;
}

/* ---- the cut --------------------------------------------------------------------------------- */

/** First cell of a rank's range. */
static int range_begin(int num_cells, int num_ranks, int rank) {
  return (int)((int64_t)num_cells * rank / num_ranks);
}

static int is_everywhere(const int *part, int num_cells, int num_ranks, unsigned char *has) {
  int found = 0;
  for (int c = 0; c < num_cells; c++)
    if (!has[part[c]]) has[part[c]] = 1, found++;
  return found == num_ranks;
}

/** part := those of PT-Scotch, on all ranks; *is_done 0: there are none. */
static sup_status cut_graph(const sup_mesh *mesh, const sup_collective *ranks, int *part,
                            int *is_done) {
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
  SUP_FREE(own);
  SUP_FREE(start);
  SUP_FREE(neighbour);
  SUP_FREE(bytes);
  SUP_FREE(has);
  return status;
}

sup_status sup_mesh_distribute(const sup_mesh *mesh, const sup_collective *ranks, int *part) {
  int is_done = 0;
  if (sup_has_ranks(ranks) && ranks->cut && ranks->size <= mesh->num_cells)
    SUP_TRY(cut_graph(mesh, ranks, part, &is_done));
  if (is_done) return SUP_OK;
  return sup_agree(ranks, sup_mesh_bisect(mesh, ranks->size, part));
}
