#include "mesh/field_cells.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/surface.h"

/** Edges or faces known by their vertices in increasing order; an edge has SUP_NONE first. */
typedef struct part_key {
  int vertex[4];
} part_key;

static int compare_parts(const void *a, const void *b) {
  const part_key *p = a, *q = b;
  for (int k = 0; k < 4; k++)
    if (p->vertex[k] != q->vertex[k]) return p->vertex[k] < q->vertex[k] ? -1 : 1;
  return 0;
}

/** A set of parts without repetition. */
typedef struct part_set {
  part_key *key;
  int       count;
  size_t    capacity;
} part_set;

static part_key key_of(const int *vertex, int n) {
  part_key key = {{SUP_NONE, SUP_NONE, SUP_NONE, SUP_NONE}};
  for (int i = 0; i < n; i++) {
    int k = 3;
    for (; k > 3 - i && key.vertex[k] > vertex[i]; k--) continue;
    memmove(key.vertex + 3 - i, key.vertex + 4 - i, (size_t)(k - 3 + i) * sizeof *key.vertex);
    key.vertex[k] = vertex[i];
  }
  return key;
}

static sup_status add_part(part_set *set, const int *vertex, int n) {
  if (set->count == INT_MAX) return SUP_FAIL(SUP_E_ARG, "the mesh has too many edges: %d", set->count);
  SUP_TRY(SUP_GROW(set->key, set->capacity, set->count + 1));
  set->key[set->count++] = key_of(vertex, n);
  return SUP_OK;
}

static void sort_parts(part_set *set) {
  int kept = 0;
  if (set->count > 0) qsort(set->key, (size_t)set->count, sizeof *set->key, compare_parts);
  for (int i = 0; i < set->count; i++)
    if (kept == 0 || compare_parts(&set->key[kept - 1], &set->key[i]) != 0) set->key[kept++] = set->key[i];
  set->count = kept;
}

/** Number of a part, SUP_NONE when it is not in the set. */
static int find_part(const part_set *set, const int *vertex, int n) {
  part_key key = key_of(vertex, n), *found = NULL;
  if (set->count > 0) found = bsearch(&key, set->key, (size_t)set->count, sizeof *set->key, compare_parts);
  return found ? (int)(found - set->key) : SUP_NONE;
}

static void set_mean(sup_mesh *mesh, int to, const int *vertex, int n) {
  sup_v3 sum = {0, 0, 0};
  for (int k = 0; k < n; k++) sum = sup_v3_madd(sum, 1. / n, sup_mesh_vertex(mesh, vertex[k]));
  sup_v3_store(mesh->x + 3 * to, sum);
}

/* ---- hexahedra --------------------------------------------------------------------------------------------------- */

static sup_status collect_faces(const sup_mesh *mesh, part_set *faces) {
  for (int c = 0; c < mesh->num_cells; c++)
    for (int f = 0; f < 6; f++) {
      int face[SUP_FACE_MAX_VERTICES], n = sup_mesh_cell_face(mesh, c, f, face);
      SUP_TRY(add_part(faces, face, n));
    }
  sort_parts(faces);
  return SUP_OK;
}

static sup_status cut_hexahedra(sup_mesh **t4, const sup_mesh *mesh, const part_set *faces) {
  int centre = mesh->num_vertices + faces->count, next = 0;
  if (mesh->num_cells > INT_MAX / (24 * 4))
    return SUP_FAIL(SUP_E_ARG, "the mesh has too many cells: %d", mesh->num_cells);
  SUP_TRY(sup_mesh_create(t4, SUP_CELL_T4, centre + mesh->num_cells, 24 * mesh->num_cells));
  memcpy((*t4)->x, mesh->x, 3 * (size_t)mesh->num_vertices * sizeof *mesh->x);
  for (int c = 0; c < mesh->num_cells; c++) {
    set_mean(*t4, centre + c, sup_mesh_cell(mesh, c), 8);
    for (int f = 0; f < 6; f++) {
      int face[SUP_FACE_MAX_VERTICES], n = sup_mesh_cell_face(mesh, c, f, face);
      int middle = mesh->num_vertices + find_part(faces, face, n);
      set_mean(*t4, middle, face, n);
      for (int k = 0; k < n; k++) {
        int cell[4] = {centre + c, face[k], face[(k + 1) % n], middle};
        memcpy((*t4)->cell + 4 * next++, cell, sizeof cell);
      }
    }
  }
  return SUP_OK;
}

sup_status sup_mesh_to_t4(sup_mesh **t4, const sup_mesh *mesh) {
  part_set   faces = {0};
  sup_status status;
  *t4 = NULL;
  if (mesh->type == SUP_CELL_T4) {
    SUP_TRY(sup_mesh_copy(t4, mesh));
    return SUP_OK;
  }
  SUP_TRY_GOTO(collect_faces(mesh, &faces), status, done);
  SUP_TRY_GOTO(cut_hexahedra(t4, mesh, &faces), status, done);
  SUP_TRY_GOTO(sup_mesh_clean(*t4, NULL), status, done); /* a folded brick gives flat cells: refused by number */
done:
  if (status != SUP_OK) sup_mesh_destroy(t4);
  SUP_FREE(faces.key);
  return status;
}

/* ---- cells between points of the surface ------------------------------------------------------------------------- */

static const int tet_edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
/** Opposite to each corner, outward. */
static const int tet_face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

typedef struct opener {
  const sup_mesh *mesh;
  unsigned char  *on_surface; /* [num_vertices] */
  part_set        outer;      /* edges and faces of the surface */
  part_set        edges;      /* inside, between two points of the surface: new vertices in this order */
  part_set        faces;      /* then these, between three */
  int            *cell;       /* [num_cells x 4] */
  int            *deep;       /* [num_deep x 4] cells that get a vertex of their own, the last ones */
  int             num_cells, num_deep;
  size_t          capacity, deep_capacity;
} opener;

static sup_status collect_outer(opener *o) {
  sup_surface *surface = NULL;
  sup_status   status;
  SUP_TRY_GOTO(sup_surface_of_mesh(&surface, o->mesh), status, done);
  for (int f = 0; f < surface->num_faces; f++) {
    const int *v = surface->face + 3 * f;
    SUP_TRY_GOTO(add_part(&o->outer, v, 3), status, done);
    for (int k = 0; k < 3; k++) {
      int edge[2] = {v[k], v[(k + 1) % 3]};
      o->on_surface[v[k]] = 1;
      SUP_TRY_GOTO(add_part(&o->outer, edge, 2), status, done);
    }
  }
  sort_parts(&o->outer);
done:
  sup_surface_destroy(&surface);
  return status;
}

static sup_status add_inner(const opener *o, part_set *set, const int *vertex, int n) {
  for (int k = 0; k < n; k++) /* vertices beyond those of the mesh are inside */
    if (vertex[k] >= o->mesh->num_vertices || !o->on_surface[vertex[k]]) return SUP_OK;
  if (find_part(&o->outer, vertex, n) == SUP_NONE) SUP_TRY(add_part(set, vertex, n));
  return SUP_OK;
}

static sup_status collect_edges(opener *o) {
  for (int c = 0; c < o->mesh->num_cells; c++)
    for (int e = 0; e < 6; e++) {
      const int *v = sup_mesh_cell(o->mesh, c);
      int        edge[2] = {v[tet_edge[e][0]], v[tet_edge[e][1]]};
      SUP_TRY(add_inner(o, &o->edges, edge, 2));
    }
  sort_parts(&o->edges);
  return SUP_OK;
}

static sup_status add_cell(opener *o, int a, int b, int c, int d) {
  int v[4] = {a, b, c, d};
  if (o->num_cells == INT_MAX / 8) return SUP_FAIL(SUP_E_ARG, "the field would have more than %d cells", INT_MAX / 8);
  SUP_TRY(SUP_GROW(o->cell, o->capacity, 4 * ((size_t)o->num_cells + 1)));
  memcpy(o->cell + 4 * (size_t)o->num_cells++, v, sizeof v);
  return SUP_OK;
}

/** Halve a cell at the first of its edges that are to be cut, and its halves likewise: cells that share a face cut it
 *  alike, since the order of the edges is one for all. */
static sup_status cut_edges(opener *o, const int v[4]) {
  int first = SUP_NONE, at = 0;
  for (int e = 0; e < 6; e++) {
    int edge[2] = {v[tet_edge[e][0]], v[tet_edge[e][1]]};
    int number = find_part(&o->edges, edge, 2);
    if (number != SUP_NONE && (first == SUP_NONE || number < first)) first = number, at = e;
  }
  if (first == SUP_NONE) {
    SUP_TRY(add_cell(o, v[0], v[1], v[2], v[3]));
    return SUP_OK;
  }
  for (int side = 0; side < 2; side++) {
    int half[4] = {v[0], v[1], v[2], v[3]};
    half[tet_edge[at][side]] = o->mesh->num_vertices + first;
    SUP_TRY(cut_edges(o, half));
  }
  return SUP_OK;
}

static sup_status collect_inner_faces(opener *o) {
  for (int c = 0; c < o->num_cells; c++)
    for (int f = 0; f < 4; f++) {
      const int *v = o->cell + 4 * (size_t)c;
      int        face[3] = {v[tet_face[f][0]], v[tet_face[f][1]], v[tet_face[f][2]]};
      SUP_TRY(add_inner(o, &o->faces, face, 3));
    }
  sort_parts(&o->faces);
  return SUP_OK;
}

/** Join a face, cut about its centre when it must be, to a point on its inner side. */
static sup_status join(opener *o, const int face[3], int apex) {
  int number = find_part(&o->faces, face, 3), centre = o->mesh->num_vertices + o->edges.count + number;
  if (number == SUP_NONE) {
    SUP_TRY(add_cell(o, apex, face[0], face[1], face[2]));
    return SUP_OK;
  }
  for (int k = 0; k < 3; k++) SUP_TRY(add_cell(o, apex, face[k], face[(k + 1) % 3], centre));
  return SUP_OK;
}

static int first_deep(const opener *o) { return o->mesh->num_vertices + o->edges.count + o->faces.count; }

static int is_outer(const opener *o, int vertex) { return vertex < o->mesh->num_vertices && o->on_surface[vertex]; }

/** A cell whose edges are done: three vertices on the surface, or four, and faces between them. */
static sup_status cut_faces(opener *o, const int v[4]) {
  int outer = 0, inner = 0;
  for (int k = 0; k < 4; k++) {
    outer += is_outer(o, v[k]);
    if (!is_outer(o, v[k])) inner = k;
  }
  if (outer < 3) {
    SUP_TRY(add_cell(o, v[0], v[1], v[2], v[3]));
    return SUP_OK;
  }
  int apex = v[inner];
  if (outer == 4) {
    SUP_TRY(SUP_GROW(o->deep, o->deep_capacity, 4 * ((size_t)o->num_deep + 1)));
    memcpy(o->deep + 4 * (size_t)o->num_deep, v, 4 * sizeof *v);
    apex = first_deep(o) + o->num_deep++;
  }
  for (int f = 0; f < 4; f++) {
    int face[3] = {v[tet_face[f][0]], v[tet_face[f][1]], v[tet_face[f][2]]};
    if (outer == 4 || f == inner) SUP_TRY(join(o, face, apex));
  }
  return SUP_OK;
}

static sup_status cut_all(opener *o) {
  int *halved, num_halved;
  for (int c = 0; c < o->mesh->num_cells; c++) SUP_TRY(cut_edges(o, sup_mesh_cell(o->mesh, c)));
  SUP_TRY(collect_inner_faces(o));
  halved = o->cell, num_halved = o->num_cells;
  o->cell = NULL, o->capacity = 0, o->num_cells = 0;
  sup_status status = SUP_OK;
  for (int c = 0; c < num_halved && status == SUP_OK; c++) status = cut_faces(o, halved + 4 * (size_t)c);
  SUP_FREE(halved);
  return status;
}

/** The points of the cells, in the order in which they are numbered. */
static sup_status write_mesh(const opener *o, sup_mesh **out) {
  int n = o->mesh->num_vertices, deep = first_deep(o);
  SUP_TRY(sup_mesh_create(out, SUP_CELL_T4, deep + o->num_deep, o->num_cells));
  memcpy((*out)->x, o->mesh->x, 3 * (size_t)n * sizeof *o->mesh->x);
  memcpy((*out)->cell, o->cell, 4 * (size_t)o->num_cells * sizeof *o->cell);
  for (int e = 0; e < o->edges.count; e++) set_mean(*out, n + e, o->edges.key[e].vertex + 2, 2);
  for (int f = 0; f < o->faces.count; f++) set_mean(*out, n + o->edges.count + f, o->faces.key[f].vertex + 1, 3);
  for (int d = 0; d < o->num_deep; d++) set_mean(*out, deep + d, o->deep + 4 * (size_t)d, 4);
  return SUP_OK;
}

sup_status sup_mesh_open_inside(sup_mesh **out, const sup_mesh *mesh) {
  opener     o = {.mesh = mesh};
  sup_status status;
  *out = NULL;
  SUP_ASSERT(mesh->type == SUP_CELL_T4);
  SUP_TRY_GOTO(SUP_CALLOC(o.on_surface, mesh->num_vertices), status, done);
  SUP_TRY_GOTO(collect_outer(&o), status, done);
  SUP_TRY_GOTO(collect_edges(&o), status, done);
  SUP_TRY_GOTO(cut_all(&o), status, done);
  SUP_TRY_GOTO(write_mesh(&o, out), status, done);
done:
  SUP_FREE(o.on_surface);
  SUP_FREE(o.outer.key);
  SUP_FREE(o.edges.key);
  SUP_FREE(o.faces.key);
  SUP_FREE(o.cell);
  SUP_FREE(o.deep);
  return status;
}
