/* New vertices lie in the middle of edges, faces and cells.  Edges and faces are numbered in the
 * order of their vertices' numbers.  The number of an edge is the count of edges before it: edges
 * with a lower lowest vertex, counted vertex by vertex and summed over ranks, plus some at the same
 * vertex.  The latter are either all local, or the vertex is shared and all ranks exchange them. */
#include "mesh/distribute/refine_part.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/distribute/distribute.h"
#include "mesh/named_set.h"
#include "mesh/refine.h"

sup_status sup_mesh_piece_create(sup_mesh_piece **out, const sup_mesh *mesh,
                                 const sup_collective *ranks) {
  SUP_OWN(sup_mesh_piece) *piece = NULL;
  SUP_OWN(sup_mesh_part)  *part = NULL;
  SUP_FREED int           *part_of = NULL;
  *out = NULL;
  SUP_TRY(sup_agree(ranks, SUP_CALLOC(part_of, mesh->num_cells)));
  SUP_TRY(sup_mesh_distribute(mesh, ranks, part_of));
  SUP_TRY(sup_mesh_part_create(&part, mesh, part_of, ranks->size, ranks->rank));
  SUP_TRY(SUP_CALLOC(piece, 1));
  SUP_TRY(SUP_CALLOC(piece->is_shared, part->mesh->num_vertices));
  for (int k = 0; k < part->shared_start[part->num_neighbours]; k++)
    piece->is_shared[part->shared[k]] = 1;
  piece->num_cells = part->num_cells, piece->num_vertices = part->num_vertices;
  piece->mesh = part->mesh, part->mesh = NULL;
  piece->cell = part->cell, part->cell = NULL;
  piece->vertex = part->vertex, part->vertex = NULL;
  *out = piece, piece = NULL;
  return SUP_OK;
}

void sup_mesh_piece_destroy(sup_mesh_piece **piece) {
  if (!*piece) return;
  sup_mesh_destroy(&(*piece)->mesh);
  SUP_FREE_ALL(&(*piece)->cell, &(*piece)->vertex, &(*piece)->is_shared, piece);
}

/* ---- numbers of edges and faces -------------------------------------------------------------- */

/** Copy the set in the numbers of the whole mesh, restricted to parts whose lowest vertex is (or is
 * not) shared. */
static sup_status select_parts(const sup_mesh_piece *piece, const sup_part_set *set, int n,
                               sup_part_set *shared) {
  for (int i = 0; i < set->count; i++) {
    const int *own = set->part[i].vertex + 4 - n;
    int        vertex[4];
    if (!piece->is_shared[own[0]]) continue;
    for (int k = 0; k < n; k++) vertex[k] = piece->vertex[own[k]];
    SUP_TRY(sup_part_add(shared, vertex, n));
  }
  return SUP_OK;
}

/** `all` := union of the ranks' `own`, each once. */
static sup_status gather_parts(const sup_collective *ranks, const sup_part_set *own,
                               sup_part_set *all) {
  size_t    *bytes = NULL, mine = (size_t)own->count * sizeof *own->part, total = 0;
  sup_status status;
  SUP_TRY_GOTO(SUP_CALLOC(bytes, ranks->size), status, agree);
agree:
  status = sup_agree(ranks, status);
  if (status != SUP_OK) goto done;
  ranks->gather(ranks, sizeof mine, &mine, bytes);
  for (int r = 0; r < ranks->size; r++) total += bytes[r];
  status = SUP_GROW(all->part, all->capacity, total / sizeof *all->part + 1);
  status = sup_agree(ranks, status);
  if (status != SUP_OK) goto done;
  ranks->gather_parts(ranks, bytes, own->part, all->part);
  all->count = (int)(total / sizeof *all->part);
  sup_part_sort(all);
done:
  SUP_FREE(bytes);
  return status;
}

/** count[a + 1] := number of edges or faces of the whole mesh with lowest vertex a; then cumulated:
 * count[a] precede those of a, count[num_vertices] is the total. */
static void count_before(const sup_mesh_piece *piece, const sup_part_set *set,
                         const sup_part_set *shared, int n, const sup_collective *ranks,
                         int64_t *count) {
  memset(count, 0, ((size_t)piece->num_vertices + 1) * sizeof *count);
  for (int i = 0; i < set->count; i++) {
    int lowest = set->part[i].vertex[4 - n];
    if (!piece->is_shared[lowest]) count[piece->vertex[lowest] + 1]++;
  }
  for (int i = 0; i < shared->count && sup_is_first_rank(ranks); i++)
    count[shared->part[i].vertex[4 - n] + 1]++;
  if (sup_has_ranks(ranks)) ranks->sum_integers(ranks, (size_t)piece->num_vertices + 1, count);
  for (int a = 0; a < piece->num_vertices; a++) count[a + 1] += count[a];
}

/** number[i] := first + number of edge or face i in the whole mesh; *total := their total.
 */
static sup_status number_parts(const sup_mesh_piece *piece, const sup_part_set *set, int n,
                               const sup_collective *ranks, int64_t first, int64_t *number,
                               int64_t *total) {
  sup_part_set own = {0}, shared = {0};
  int64_t     *before = NULL;
  int         *place = NULL; /* of a shared one among those of its lowest vertex */
  sup_status   status;
  SUP_TRY_GOTO(select_parts(piece, set, n, &own), status, agree);
  SUP_TRY_GOTO(SUP_CALLOC(before, (size_t)piece->num_vertices + 1), status, agree);
agree:
  status = sup_agree(ranks, status);
  if (status != SUP_OK) goto done;
  SUP_TRY_GOTO(gather_parts(ranks, &own, &shared), status, done);
  status = sup_agree(ranks, SUP_CALLOC(place, shared.count));
  if (status != SUP_OK) goto done;
  for (int i = 1; i < shared.count; i++)
    if (shared.part[i].vertex[4 - n] == shared.part[i - 1].vertex[4 - n])
      place[i] = place[i - 1] + 1;
  count_before(piece, set, &shared, n, ranks, before);
  for (int i = 0, run = 0; i < set->count; i++) {
    const int *vertex = set->part[i].vertex + 4 - n;
    int        all[4], lowest = vertex[0];
    run = i > 0 && set->part[i - 1].vertex[4 - n] == lowest ? run + 1 : 0;
    for (int k = 0; k < n; k++) all[k] = piece->vertex[vertex[k]];
    number[i] = first + before[piece->vertex[lowest]] +
                (piece->is_shared[lowest] ? place[sup_part_find(&shared, all, n)] : run);
  }
  *total = before[piece->num_vertices];
done:
  sup_part_free(&own);
  sup_part_free(&shared);
  SUP_FREE_ALL(&before, &place);
  return status;
}

/* ---- one level ------------------------------------------------------------------------------- */

/** A piece refined by one level. */
typedef struct level {
  sup_part_set   edges, faces;
  sup_mesh      *fine;
  int64_t       *number; /* of new vertices in the whole mesh */
  int           *cell, *vertex;
  unsigned char *is_shared;
} level;

static void free_level(level *l) {
  sup_part_free(&l->edges);
  sup_part_free(&l->faces);
  sup_mesh_destroy(&l->fine);
  SUP_FREE_ALL(&l->number, &l->cell, &l->vertex, &l->is_shared);
}

/** Restore the sets of the coarse mesh in its order: refinement drops those without own members. */
static sup_status restore_sets(sup_mesh *fine, const sup_mesh *mesh) {
  for (int s = 0; s < mesh->num_sets; s++) {
    unsigned char *member;
    int            found = s;
    SUP_TRY(sup_mesh_add_set(fine, mesh->set[s].kind, mesh->set[s].name, &member));
    while (fine->set[found].kind != mesh->set[s].kind ||
           strcmp(fine->set[found].name, mesh->set[s].name) != 0)
      found++;
    sup_named_set kept = fine->set[s];
    fine->set[s] = fine->set[found];
    fine->set[found] = kept;
  }
  return SUP_OK;
}

static sup_status make_level(const sup_mesh_piece *piece, level *l) {
  SUP_TRY(sup_mesh_refined_parts(piece->mesh, &l->edges, &l->faces));
  SUP_TRY(sup_mesh_refine(&l->fine, piece->mesh));
  SUP_TRY(restore_sets(l->fine, piece->mesh));
  SUP_TRY(SUP_CALLOC(l->number, (size_t)l->edges.count + (size_t)l->faces.count));
  SUP_TRY(SUP_CALLOC(l->cell, l->fine->num_cells));
  SUP_TRY(SUP_CALLOC(l->vertex, l->fine->num_vertices));
  SUP_TRY(SUP_CALLOC(l->is_shared, l->fine->num_vertices));
  return SUP_OK;
}

static bool are_all_shared(const sup_mesh_piece *piece, const int *vertex, int n) {
  int are = 1;
  for (int k = 0; k < n; k++) are = are && piece->is_shared[vertex[k]];
  return are;
}

/** Number the old vertices, those of edges, faces and, of hexahedra, cells; the latter begin at
 * `centres`. */
static void number_level(const sup_mesh_piece *piece, level *l, int64_t centres) {
  int old = piece->mesh->num_vertices, edges = l->edges.count, faces = l->faces.count;
  memcpy(l->vertex, piece->vertex, (size_t)old * sizeof *l->vertex);
  memcpy(l->is_shared, piece->is_shared, (size_t)old);
  for (int i = 0; i < edges + faces; i++) {
    l->vertex[old + i] = (int)l->number[i];
    l->is_shared[old + i] =
        (unsigned char)(i < edges ? are_all_shared(piece, l->edges.part[i].vertex + 2, 2)
                                  : are_all_shared(piece, l->faces.part[i - edges].vertex, 4));
  }
  for (int i = old + edges + faces; i < l->fine->num_vertices; i++)
    l->vertex[i] = (int)(centres + piece->cell[i - old - edges - faces]);
  for (int c = 0; c < l->fine->num_cells; c++) l->cell[c] = 8 * piece->cell[c / 8] + c % 8;
}

static sup_status check_total(int64_t vertices) {
  if (vertices <= INT_MAX / 3) return SUP_OK;
  return SUP_FAIL(SUP_E_ARG, "refining gives %.4g vertices; at most %d are possible",
                  (double)vertices, INT_MAX / 3);
}

static sup_status refine_once(sup_mesh_piece *piece, const sup_collective *ranks) {
  level      l = {0};
  int64_t    edges = 0, faces = 0, first = piece->num_vertices;
  sup_status status = sup_agree(ranks, make_level(piece, &l));
  if (status != SUP_OK) goto done;
  SUP_TRY_GOTO(number_parts(piece, &l.edges, 2, ranks, first, l.number, &edges), status, done);
  first += edges;
  if (piece->mesh->type == SUP_CELL_H8)
    SUP_TRY_GOTO(number_parts(piece, &l.faces, 4, ranks, first, l.number + l.edges.count, &faces),
                 status, done);
  first += faces;
  int64_t total = first + (piece->mesh->type == SUP_CELL_H8 ? piece->num_cells : 0);
  SUP_TRY_GOTO(check_total(total), status, done);
  number_level(piece, &l, first);
  piece->num_vertices = (int)total, piece->num_cells *= 8;
  sup_mesh_destroy(&piece->mesh);
  SUP_FREE_ALL(&piece->vertex, &piece->cell, &piece->is_shared);
  piece->mesh = l.fine, piece->vertex = l.vertex, piece->cell = l.cell;
  piece->is_shared = l.is_shared;
  l.fine = NULL, l.vertex = l.cell = NULL, l.is_shared = NULL;
done:
  free_level(&l);
  return status;
}

sup_status sup_mesh_piece_refine(sup_mesh_piece *piece, int levels, const sup_collective *ranks) {
  SUP_TRY(sup_mesh_check_levels(piece->num_cells, levels));
  for (int k = 0; k < levels; k++) SUP_TRY(refine_once(piece, ranks));
  return SUP_OK;
}

/* ---- union of all pieces
 * ------------------------------------------------------------------------- */

/** Piece as a message, in the numbers of the whole mesh. */
typedef struct parcel {
  int64_t        num_cells, num_vertices;
  int           *cell, *vertex;
  int           *corner; /* [num_cells x vertices per cell] */
  double        *x;
  unsigned char *member; /* of one set after the other */
} parcel;

static void free_parcel(parcel *p) {
  SUP_FREE_ALL(&p->cell, &p->vertex, &p->corner, &p->x, &p->member);
}

/** Bytes of the members of all sets. */
static size_t members_of(const sup_mesh *sets, const parcel *p) {
  size_t total = 0;
  for (int s = 0; s < sets->num_sets; s++)
    total += (size_t)(sets->set[s].kind == SUP_SET_CELLS ? p->num_cells : p->num_vertices);
  return total;
}

/** Memory for a piece of those sizes. */
static sup_status make_parcel(const sup_mesh *sets, parcel *p) {
  SUP_TRY(SUP_CALLOC(p->cell, p->num_cells));
  SUP_TRY(SUP_CALLOC(p->vertex, p->num_vertices));
  SUP_TRY(SUP_CALLOC(p->corner, (size_t)p->num_cells * (size_t)sup_cell_num_vertices(sets->type)));
  SUP_TRY(SUP_CALLOC(p->x, 3 * p->num_vertices));
  SUP_TRY(SUP_CALLOC(p->member, members_of(sets, p)));
  return SUP_OK;
}

static void fill_parcel(const sup_mesh_piece *piece, parcel *p) {
  const sup_mesh *mesh = piece->mesh;
  size_t          n = (size_t)p->num_cells * (size_t)sup_cell_num_vertices(mesh->type);
  unsigned char  *to = p->member;
  memcpy(p->cell, piece->cell, (size_t)p->num_cells * sizeof *p->cell);
  memcpy(p->vertex, piece->vertex, (size_t)p->num_vertices * sizeof *p->vertex);
  memcpy(p->x, mesh->x, 3 * (size_t)p->num_vertices * sizeof *p->x);
  for (size_t k = 0; k < n; k++) p->corner[k] = piece->vertex[mesh->cell[k]];
  for (int s = 0; s < mesh->num_sets; s++) {
    size_t size = (size_t)sup_mesh_set_size(mesh, mesh->set[s].kind);
    memcpy(to, mesh->set[s].member, size);
    to += size;
  }
}

static void send_parcel(const sup_collective *ranks, int from, const sup_mesh *sets, parcel *p) {
  size_t cells = (size_t)p->num_cells, vertices = (size_t)p->num_vertices;
  ranks->broadcast(ranks, from, cells * sizeof *p->cell, p->cell);
  ranks->broadcast(ranks, from, vertices * sizeof *p->vertex, p->vertex);
  ranks->broadcast(ranks, from,
                   cells * (size_t)sup_cell_num_vertices(sets->type) * sizeof *p->corner,
                   p->corner);
  ranks->broadcast(ranks, from, 3 * vertices * sizeof *p->x, p->x);
  ranks->broadcast(ranks, from, members_of(sets, p), p->member);
}

static void unpack(const parcel *p, sup_mesh *whole) {
  size_t               n = (size_t)sup_cell_num_vertices(whole->type);
  const unsigned char *from = p->member;
  for (int64_t c = 0; c < p->num_cells; c++)
    memcpy(whole->cell + n * (size_t)p->cell[c], p->corner + n * (size_t)c, n * sizeof *p->corner);
  for (int64_t v = 0; v < p->num_vertices; v++)
    memcpy(whole->x + 3 * (size_t)p->vertex[v], p->x + 3 * v, 3 * sizeof *p->x);
  for (int s = 0; s < whole->num_sets; s++) {
    bool       is_of_cells = whole->set[s].kind == SUP_SET_CELLS;
    const int *number = is_of_cells ? p->cell : p->vertex;
    for (int64_t i = 0; i < (is_of_cells ? p->num_cells : p->num_vertices); i++)
      whole->set[s].member[number[i]] = *from++;
  }
}

/** An empty mesh of the size of the whole, with the names of its sets. */
static sup_status make_whole(const sup_mesh_piece *piece, sup_mesh **whole) {
  const sup_mesh *own = piece->mesh;
  unsigned char  *member;
  SUP_TRY(sup_mesh_create(whole, own->type, piece->num_vertices, piece->num_cells));
  for (int s = 0; s < own->num_sets; s++)
    SUP_TRY(sup_mesh_add_set(*whole, own->set[s].kind, own->set[s].name, &member));
  return SUP_OK;
}

sup_status sup_mesh_piece_gather(sup_mesh **out, const sup_mesh_piece *piece,
                                 const sup_collective *ranks) {
  sup_mesh  *whole = NULL;
  sup_status status = sup_agree(ranks, make_whole(piece, &whole));
  *out = NULL;
  for (int r = 0; r < ranks->size && status == SUP_OK; r++) {
    parcel p = {.num_cells = piece->mesh->num_cells, .num_vertices = piece->mesh->num_vertices};
    ranks->broadcast(ranks, r, sizeof p.num_cells, &p.num_cells);
    ranks->broadcast(ranks, r, sizeof p.num_vertices, &p.num_vertices);
    status = sup_agree(ranks, make_parcel(whole, &p));
    if (status == SUP_OK) {
      if (r == ranks->rank) fill_parcel(piece, &p);
      send_parcel(ranks, r, whole, &p);
      unpack(&p, whole);
    }
    free_parcel(&p);
  }
  if (status == SUP_OK)
    *out = whole;
  else
    sup_mesh_destroy(&whole);
  return status;
}

/** Smallest number of cells for which a part has fewer neighbours than inner cells. */
static bool is_worth_cutting(const sup_mesh *mesh, const sup_collective *ranks) {
  const int cells_of_a_rank = 100;
  return mesh->num_cells / cells_of_a_rank >= ranks->size;
}

sup_status sup_mesh_refine_on(sup_mesh **mesh, int levels, const sup_collective *ranks) {
  SUP_OWN(sup_mesh_piece) *piece = NULL;
  sup_mesh                *whole = NULL;
  SUP_TRY(sup_mesh_check_levels((*mesh)->num_cells, levels));
  if (!sup_has_ranks(ranks)) return sup_mesh_refine_levels(mesh, levels);
  for (; levels > 0 && !is_worth_cutting(*mesh, ranks); levels--)
    SUP_TRY(sup_agree(ranks, sup_mesh_refine_levels(mesh, 1)));
  if (levels == 0) return SUP_OK;
  SUP_TRY(sup_agree(ranks, sup_mesh_piece_create(&piece, *mesh, ranks)));
  SUP_TRY(sup_mesh_piece_refine(piece, levels, ranks));
  SUP_TRY(sup_mesh_piece_gather(&whole, piece, ranks));
  sup_mesh_destroy(mesh);
  *mesh = whole;
  return SUP_OK;
}
