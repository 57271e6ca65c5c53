#include "mesh/generate/field_cells.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/distribute/part_set.h"
#include "mesh/distribute/point_rank.h"
#include "mesh/named_set.h"
#include "mesh/surface.h"

/* ---- cells between points of the surface ----------------------------------------------------- */

static const int tet_edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
/** Faces opposite to each corner, outward. */
static const int tet_face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

typedef struct opener {
  const sup_mesh *mesh;
  unsigned char  *on_surface; /* [num_vertices] */
  sup_part_set    outer;      /* edges and faces of the surface */
  sup_part_set    edges; /* inside, between two points of the surface: new vertices in this order */
  sup_part_set    faces; /* then these, between three */
  int   *rank; /* [edges.count] order in which edges are cut, independent of vertex numbers */
  int   *cell; /* [num_cells x 4] */
  int   *deep; /* [num_deep x 4] cells that get a vertex of their own, the last ones */
  int    num_cells, num_deep;
  size_t capacity, deep_capacity;
} opener;

static sup_status collect_outer(opener *o) {
  SUP_OWN(sup_surface) *surface = NULL;
  SUP_TRY(sup_surface_of_mesh(&surface, o->mesh));
  for (int f = 0; f < surface->num_faces; f++) {
    const int *v = surface->face + 3 * f;
    SUP_TRY(sup_part_add(&o->outer, v, 3));
    for (int k = 0; k < 3; k++) {
      int edge[2] = {v[k], v[(k + 1) % 3]};
      o->on_surface[v[k]] = 1;
      SUP_TRY(sup_part_add(&o->outer, edge, 2));
    }
  }
  sup_part_sort(&o->outer);
  return SUP_OK;
}

static sup_status add_inner(const opener *o, sup_part_set *set, const int *vertex, int n) {
  for (int k = 0; k < n; k++) /* vertices beyond those of the mesh are inside */
    if (vertex[k] >= o->mesh->num_vertices || !o->on_surface[vertex[k]]) return SUP_OK;
  if (sup_part_find(&o->outer, vertex, n) == SUP_NONE) SUP_TRY(sup_part_add(set, vertex, n));
  return SUP_OK;
}

static sup_status collect_edges(opener *o) {
  for (int c = 0; c < o->mesh->num_cells; c++)
    for (int e = 0; e < 6; e++) {
      const int *v = sup_mesh_cell(o->mesh, c);
      int        edge[2] = {v[tet_edge[e][0]], v[tet_edge[e][1]]};
      SUP_TRY(add_inner(o, &o->edges, edge, 2));
    }
  sup_part_sort(&o->edges);
  return SUP_OK;
}

/** Rank the edges by their middles' distance from the mean of all middles. */
static sup_status rank_edges(opener *o) {
  int     n = o->edges.count;
  double *middle;
  SUP_TRY(SUP_CALLOC(o->rank, n));
  SUP_TRY(SUP_CALLOC(middle, 3 * (size_t)n));
  for (int e = 0; e < n; e++) {
    const int *v = o->edges.part[e].vertex + 2;
    sup_v3     ends = sup_v3_add(sup_mesh_vertex(o->mesh, v[0]), sup_mesh_vertex(o->mesh, v[1]));
    sup_v3_store(middle + 3 * (size_t)e, sup_v3_scale(.5, ends));
  }
  sup_status status = sup_point_rank(n, middle, o->rank, NULL);
  SUP_FREE(middle);
  return status;
}

static sup_status add_cell(opener *o, int a, int b, int c, int d) {
  int v[4] = {a, b, c, d};
  if (o->num_cells == INT_MAX / 8)
    return SUP_FAIL(SUP_E_ARG, "the field would have more than %d cells", INT_MAX / 8);
  SUP_TRY(SUP_GROW(o->cell, o->capacity, 4 * ((size_t)o->num_cells + 1)));
  memcpy(o->cell + 4 * (size_t)o->num_cells++, v, sizeof v);
  return SUP_OK;
}

/** Halve a cell at the first of its edges that are to be cut, then its halves in the same way:
 * cells that share a face cut it alike, since the order of the edges is one for all. */
static sup_status cut_edges(opener *o, const int v[4]) {
  int first = SUP_NONE, at = 0;
  for (int e = 0; e < 6; e++) {
    int edge[2] = {v[tet_edge[e][0]], v[tet_edge[e][1]]};
    int number = sup_part_find(&o->edges, edge, 2);
    if (number == SUP_NONE) continue;
    if (first == SUP_NONE || o->rank[number] < o->rank[first]) first = number, at = e;
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
  sup_part_sort(&o->faces);
  return SUP_OK;
}

/** Join a face, cut about its centre when it must be, to a point on its inner side. */
static sup_status join(opener *o, const int face[3], int apex) {
  int number = sup_part_find(&o->faces, face, 3),
      centre = o->mesh->num_vertices + o->edges.count + number;
  if (number == SUP_NONE) {
    SUP_TRY(add_cell(o, apex, face[0], face[1], face[2]));
    return SUP_OK;
  }
  for (int k = 0; k < 3; k++) SUP_TRY(add_cell(o, apex, face[k], face[(k + 1) % 3], centre));
  return SUP_OK;
}

static int first_deep(const opener *o) {
  return o->mesh->num_vertices + o->edges.count + o->faces.count;
}

static bool is_outer(const opener *o, int vertex) {
  return vertex < o->mesh->num_vertices && o->on_surface[vertex];
}

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
  for (int c = 0; c < num_halved && status == SUP_OK; c++)
    status = cut_faces(o, halved + 4 * (size_t)c);
  SUP_FREE(halved);
  return status;
}

/** The points of the cells, in the order in which they are numbered. */
static sup_status write_mesh(const opener *o, sup_mesh **out) {
  int n = o->mesh->num_vertices, deep = first_deep(o);
  SUP_TRY(sup_mesh_create(out, SUP_CELL_T4, deep + o->num_deep, o->num_cells));
  memcpy((*out)->x, o->mesh->x, 3 * (size_t)n * sizeof *o->mesh->x);
  memcpy((*out)->cell, o->cell, 4 * (size_t)o->num_cells * sizeof *o->cell);
  for (int e = 0; e < o->edges.count; e++)
    sup_mesh_set_mean(*out, n + e, o->edges.part[e].vertex + 2, 2);
  for (int f = 0; f < o->faces.count; f++)
    sup_mesh_set_mean(*out, n + o->edges.count + f, o->faces.part[f].vertex + 1, 3);
  for (int d = 0; d < o->num_deep; d++)
    sup_mesh_set_mean(*out, deep + d, o->deep + 4 * (size_t)d, 4);
  return SUP_OK;
}

static void opener_free(opener *o) {
  SUP_FREE_ALL(&o->on_surface, &o->rank, &o->cell, &o->deep);
  sup_part_free(&o->outer);
  sup_part_free(&o->edges);
  sup_part_free(&o->faces);
}

sup_status sup_mesh_open_inside(sup_mesh **out, const sup_mesh *mesh) {
  SUP_OWN_VALUE(opener) o = {.mesh = mesh};
  *out = NULL;
  SUP_ASSERT(mesh->type == SUP_CELL_T4);
  SUP_TRY(SUP_CALLOC(o.on_surface, mesh->num_vertices));
  SUP_TRY(collect_outer(&o));
  SUP_TRY(collect_edges(&o));
  SUP_TRY(rank_edges(&o));
  SUP_TRY(cut_all(&o));
  SUP_TRY(write_mesh(&o, out));
  return SUP_OK;
}
