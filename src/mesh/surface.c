#include "mesh/surface.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/buckets.h"
#include "mesh/distribute/point_rank.h"
#include "mesh/edge_key.h"
#include "mesh/numerics.h"

int sup_mesh_cell_face(const sup_mesh *mesh, int c, int local,
                       int vertex[SUP_CELL_FACE_MAX_VERTICES]) {
  const sup_cell_kind *kind = sup_cell_kind_of(mesh->type);
  const int           *cell = sup_mesh_cell(mesh, c);
  for (int a = 0; a < kind->vertices_per_face; a++) vertex[a] = cell[kind->face[local][a]];
  return kind->vertices_per_face;
}

/** A face known by its sorted corners; place = cell x faces per cell + local face. */
typedef struct face_key {
  int vertex[SUP_FACE_MAX_VERTICES];
  int place;
} face_key;

static int compare_vertices(const face_key *a, const face_key *b) {
  for (int k = 0; k < SUP_FACE_MAX_VERTICES; k++)
    if (a->vertex[k] != b->vertex[k]) return a->vertex[k] < b->vertex[k] ? -1 : 1;
  return 0;
}

static int compare_keys(const void *a, const void *b) {
  const face_key *p = a, *q = b;
  int             order = compare_vertices(p, q);
  return order != 0 ? order : (p->place > q->place) - (p->place < q->place);
}

static face_key face_key_of(const sup_mesh *mesh, int c, int local) {
  const sup_cell_kind *kind = sup_cell_kind_of(mesh->type);
  face_key             key = {{-1, -1, -1, -1}, c * kind->num_faces + local};
  for (int a = 0; a < kind->corners_per_face; a++) {
    int b = a, vertex = sup_mesh_cell(mesh, c)[kind->face[local][a]];
    for (; b > 0 && key.vertex[b - 1] > vertex; b--) key.vertex[b] = key.vertex[b - 1];
    key.vertex[b] = vertex;
  }
  return key;
}

/** Two cells with the corners of a face in common must have its other vertices in common, too. */
static sup_status check_shared_face(const sup_mesh *mesh, int place_a, int place_b) {
  int a[SUP_CELL_FACE_MAX_VERTICES], b[SUP_CELL_FACE_MAX_VERTICES],
      faces = sup_cell_kind_of(mesh->type)->num_faces;
  int n = sup_mesh_cell_face(mesh, place_a / faces, place_a % faces, a), found = 0;
  sup_mesh_cell_face(mesh, place_b / faces, place_b % faces, b);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) found += a[i] == b[j];
  if (found == n) return SUP_OK;
  return SUP_FAIL(SUP_E_GEOMETRY,
                  "cells %d and %d share the corners %d, %d and %d of a face, but not the vertices "
                  "on its edges",
                  place_a / faces, place_b / faces, a[0], a[1], a[2]);
}

static int lowest_corner(const void *user, int place) {
  const sup_mesh      *mesh = user;
  const sup_cell_kind *kind = sup_cell_kind_of(mesh->type);
  const int           *cell = sup_mesh_cell(mesh, place / kind->num_faces);
  const int           *face = kind->face[place % kind->num_faces];
  int                  lowest = cell[face[0]];
  for (int a = 1; a < kind->corners_per_face; a++)
    if (cell[face[a]] < lowest) lowest = cell[face[a]];
  return lowest;
}

/** Set is_boundary[place] for faces in order of which only one cell has each. */
static sup_status mark_single(const sup_mesh *mesh, const face_key *key, int count,
                              unsigned char *is_boundary, int *num_boundary) {
  int faces = sup_cell_kind_of(mesh->type)->num_faces;
  for (int first = 0, last; first < count; first = last) {
    for (last = first + 1; last < count && compare_vertices(key + first, key + last) == 0;) last++;
    if (last - first > 2)
      return SUP_FAIL(
          SUP_E_GEOMETRY,
          "cells %d, %d and %d share one face; a face can be shared by two cells at most",
          key[first].place / faces, key[first + 1].place / faces, key[first + 2].place / faces);
    if (last - first == 2)
      SUP_TRY(check_shared_face(mesh, key[first].place, key[first + 1].place));
    else
      is_boundary[key[first].place] = 1, ++*num_boundary;
  }
  return SUP_OK;
}

static sup_status find_boundary(const sup_mesh *mesh, unsigned char *is_boundary,
                                int *num_boundary) {
  int                        faces = sup_cell_kind_of(mesh->type)->num_faces;
  SUP_OWN_VALUE(sup_buckets) places = {0};
  SUP_FREED face_key        *key = NULL;
  *num_boundary = 0;
  SUP_TRY(
      sup_buckets_fill(&places, mesh->num_vertices, mesh->num_cells * faces, lowest_corner, mesh));
  SUP_TRY(SUP_CALLOC(key, places.largest));
  for (int v = 0; v < mesh->num_vertices; v++) {
    int first = places.start[v], count = places.start[v + 1] - first;
    for (int k = 0; k < count; k++)
      key[k] = face_key_of(mesh, places.item[first + k] / faces, places.item[first + k] % faces);
    if (count > 1) qsort(key, (size_t)count, sizeof *key, compare_keys);
    SUP_TRY(mark_single(mesh, key, count, is_boundary, num_boundary));
  }
  return SUP_OK;
}

/* ---- faces to triangles ---------------------------------------------------------------------- */

sup_status sup_surface_create(sup_surface **surface, int num_points, int num_faces,
                              int vertices_per_face) {
  SUP_ASSERT(vertices_per_face == 3 || vertices_per_face == 4);
  *surface = NULL;
  SUP_OWN(sup_surface) *s = NULL;
  int                   parts = vertices_per_face == 3 ? 1 : 4;
  if (num_faces < 0 || num_faces > INT_MAX / (parts * 3 * SUP_FACE_MAX_VERTICES))
    return SUP_FAIL(SUP_E_ARG, "a surface of %d faces is too large; at most %d are possible",
                    num_faces, INT_MAX / (parts * 3 * SUP_FACE_MAX_VERTICES));
  SUP_TRY(SUP_CALLOC(s, 1));
  s->num_points = num_points;
  s->num_faces = num_faces;
  s->vertices_per_face = vertices_per_face;
  s->num_triangles = num_faces * parts;
  SUP_TRY(SUP_CALLOC(s->face, (size_t)num_faces * (size_t)vertices_per_face));
  SUP_TRY(SUP_CALLOC(s->face_cell, num_faces));
  SUP_TRY(SUP_CALLOC(s->triangle_face, s->num_triangles));
  for (int f = 0; f < num_faces; f++) s->face_cell[f] = SUP_NONE;
  for (int t = 0; t < s->num_triangles; t++) s->triangle_face[t] = t / parts;
  *surface = s;
  s = NULL;
  return SUP_OK;
}

void sup_surface_destroy(sup_surface **surface) {
  if (!*surface) return;
  SUP_FREE_ALL(&(*surface)->face, &(*surface)->face_cell, &(*surface)->triangle_face, surface);
}

/** The four faces of a quadratic one, between its corners and the middles of its sides. */
static const int quadratic_part[4][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};

/** Write the faces of a boundary face of a cell, one or four; returns their number. */
static int cut_face(const sup_mesh *mesh, int c, int local, int *face) {
  int vertex[SUP_CELL_FACE_MAX_VERTICES], n = sup_mesh_cell_face(mesh, c, local, vertex);
  if (n < 6) {
    memcpy(face, vertex, (size_t)n * sizeof *vertex);
    return 1;
  }
  for (int k = 0; k < 12; k++) face[k] = vertex[quadratic_part[k / 3][k % 3]];
  return 4;
}

sup_status sup_surface_of_mesh(sup_surface **surface, const sup_mesh *mesh) {
  const sup_cell_kind *kind = sup_cell_kind_of(mesh->type);
  int faces = kind->num_faces, parts = kind->vertices_per_face == 6 ? 4 : 1, num_boundary, next = 0;
  SUP_FREED unsigned char *is_boundary = NULL;
  *surface = NULL;
  if (mesh->num_cells > INT_MAX / (faces * parts))
    return SUP_FAIL(SUP_E_ARG, "the mesh has too many cells: %d", mesh->num_cells);
  SUP_TRY(SUP_CALLOC(is_boundary, (size_t)mesh->num_cells * (size_t)faces));
  SUP_TRY(find_boundary(mesh, is_boundary, &num_boundary));
  SUP_TRY(sup_surface_create(surface, mesh->num_vertices, num_boundary * parts,
                             kind->corners_per_face));
  (*surface)->is_quadratic = parts == 4;
  for (int place = 0; place < mesh->num_cells * faces; place++) {
    if (!is_boundary[place]) continue;
    int count = cut_face(mesh, place / faces, place % faces,
                         (*surface)->face + next * kind->corners_per_face);
    while (count-- > 0) (*surface)->face_cell[next++] = place / faces;
  }
  return SUP_OK;
}

static double square_side(const double *x, int i, int j) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double d = x[3 * i + k] - x[3 * j + k];
    sum += d * d;
  }
  return sum;
}

/** 1: side a comes before b: its point of lower rank does, or, if equal, the other one. */
static int comes_first(const int *rank, const int a[2], const int b[2]) {
  int low_a = rank[a[0]] < rank[a[1]] ? 0 : 1, low_b = rank[b[0]] < rank[b[1]] ? 0 : 1;
  int first = rank[a[low_a]] - rank[b[low_b]], other = rank[a[1 - low_a]] - rank[b[1 - low_b]];
  return first != 0 ? first < 0 : other < 0;
}

/** Turn a face so that its longest side comes first; returns by how many places. */
static int turn_face(const double *x, const int *rank, int face[3]) {
  int    best = 0, was[3] = {face[0], face[1], face[2]};
  double longest = square_side(x, face[0], face[1]);
  for (int k = 1; k < 3; k++) {
    int    side[2] = {was[k], was[(k + 1) % 3]}, other[2] = {was[best], was[(best + 1) % 3]};
    double square = square_side(x, side[0], side[1]);
    if (square < longest * (1 - sup_mesh_numerics.same_side)) continue;
    if (square < longest * (1 + sup_mesh_numerics.same_side) && !comes_first(rank, side, other))
      continue;
    best = k, longest = square;
  }
  for (int k = 0; k < 3; k++) face[k] = was[(best + k) % 3];
  return best;
}

/** The four faces in a row, so that their corners are turned. */
static void turn_quadratic_face(const double *x, const int *rank, int face[4 * 3]) {
  int corner[3] = {0}, middle[3] = {0}, turned[6];
  for (int k = 0; k < 12; k++)
    if (quadratic_part[k / 3][k % 3] < 3)
      corner[quadratic_part[k / 3][k % 3]] = face[k];
    else
      middle[quadratic_part[k / 3][k % 3] - 3] = face[k];
  int by = turn_face(x, rank, corner);
  for (int k = 0; k < 3; k++) turned[k] = corner[k], turned[3 + k] = middle[(by + k) % 3];
  for (int k = 0; k < 12; k++) face[k] = turned[quadratic_part[k / 3][k % 3]];
}

sup_status sup_surface_turn_faces(sup_surface *surface, const double *x) {
  int *rank;
  if (surface->vertices_per_face != 3) return SUP_OK;
  SUP_TRY(SUP_CALLOC(rank, surface->num_points));
  sup_status status = sup_point_rank(surface->num_points, x, rank, NULL);
  for (int f = 0; f < surface->num_faces && !status; f += surface->is_quadratic ? 4 : 1)
    if (surface->is_quadratic)
      turn_quadratic_face(x, rank, surface->face + 3 * (size_t)f);
    else
      turn_face(x, rank, surface->face + 3 * (size_t)f);
  SUP_FREE(rank);
  return status;
}

/* ---- queries --------------------------------------------------------------------------------- */

const double *sup_surface_weights(const sup_surface *surface, int triangle) {
  static const double whole[3][SUP_FACE_MAX_VERTICES] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  /* a side of the quad, then its centre */
  static const double part[4][3][SUP_FACE_MAX_VERTICES] = {
      {{1, 0, 0, 0}, {0, 1, 0, 0}, {0.25, 0.25, 0.25, 0.25}},
      {{0, 1, 0, 0}, {0, 0, 1, 0}, {0.25, 0.25, 0.25, 0.25}},
      {{0, 0, 1, 0}, {0, 0, 0, 1}, {0.25, 0.25, 0.25, 0.25}},
      {{0, 0, 0, 1}, {1, 0, 0, 0}, {0.25, 0.25, 0.25, 0.25}}};
  return surface->vertices_per_face == 3 ? whole[0] : part[triangle % 4][0];
}

sup_v3 sup_surface_corner(const sup_surface *surface, const double *points, int triangle,
                          int corner) {
  int           n = surface->vertices_per_face;
  const int    *face = surface->face + surface->triangle_face[triangle] * n;
  const double *weight = sup_surface_weights(surface, triangle) + corner * SUP_FACE_MAX_VERTICES;
  sup_v3        x = {0, 0, 0};
  for (int a = 0; a < n; a++) x = sup_v3_madd(x, weight[a], sup_v3_load(points + 3 * face[a]));
  return x;
}

int sup_surface_triangles_per_face(const sup_surface *surface) {
  return surface->vertices_per_face == 3 ? 1 : 4;
}

sup_v3 sup_surface_centre(const sup_surface *surface, const double *points, int face) {
  const int *vertex = surface->face + 4 * (size_t)face;
  sup_v3     x = {0, 0, 0};
  for (int a = 0; a < 4; a++) x = sup_v3_madd(x, 0.25, sup_v3_load(points + 3 * vertex[a]));
  return x;
}

void sup_surface_part(const sup_surface *surface, int part, int corner[3]) {
  bool is_whole = surface->vertices_per_face == 3;
  corner[0] = part;
  corner[1] = is_whole ? 1 : (part + 1) % 4;
  corner[2] = is_whole ? 2 : 4;
}

void sup_surface_barycentric_weights(const sup_surface *surface, int t, const double barycentric[3],
                                     int    vertex[SUP_FACE_MAX_VERTICES],
                                     double weight[SUP_FACE_MAX_VERTICES]) {
  int           n = surface->vertices_per_face, face = surface->triangle_face[t];
  const double *of_corners = sup_surface_weights(surface, t);
  for (int k = 0; k < n; k++) {
    vertex[k] = surface->face[face * n + k], weight[k] = 0;
    for (int c = 0; c < 3; c++)
      weight[k] += barycentric[c] * of_corners[c * SUP_FACE_MAX_VERTICES + k];
  }
}

double sup_surface_area(const sup_surface *surface, const double *points, sup_v3 *vector_sum) {
  double area = 0;
  sup_v3 sum = {0, 0, 0};
  for (int t = 0; t < surface->num_triangles; t++) {
    sup_v3 a = sup_surface_corner(surface, points, t, 0),
           b = sup_surface_corner(surface, points, t, 1);
    sup_v3 c = sup_surface_corner(surface, points, t, 2);
    sup_v3 twice = sup_v3_cross(sup_v3_sub(b, a), sup_v3_sub(c, a));
    area += 0.5 * sup_v3_norm(twice);
    sum = sup_v3_madd(sum, 0.5, twice);
  }
  if (vector_sum) *vector_sum = sum;
  return area;
}

double sup_surface_volume(const sup_surface *surface, const double *points) {
  double volume = 0;
  for (int t = 0; t < surface->num_triangles; t++)
    volume += sup_v3_dot(sup_surface_corner(surface, points, t, 0),
                         sup_v3_cross(sup_surface_corner(surface, points, t, 1),
                                      sup_surface_corner(surface, points, t, 2))) /
              6;
  return volume;
}

sup_status sup_surface_open_edges(const sup_surface *surface, int *num_open) {
  int           n = surface->vertices_per_face, total = surface->num_faces * n;
  sup_edge_key *edge = NULL;
  *num_open = 0;
  SUP_TRY(SUP_CALLOC(edge, total));
  for (int e = 0; e < total; e++) {
    int a = surface->face[e], b = surface->face[e % n == n - 1 ? e - n + 1 : e + 1];
    edge[e] = sup_edge_key_of(a, b, e);
  }
  sup_edge_keys_sort(edge, total);
  for (int first = 0, last; first < total; first = last) {
    int balance = 0;
    last = sup_edge_keys_end(edge, first, total);
    for (int k = first; k < last; k++) balance += edge[k].direction;
    if (balance != 0) ++*num_open;
  }
  SUP_FREE(edge);
  return SUP_OK;
}
