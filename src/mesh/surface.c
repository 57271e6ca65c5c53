#include "mesh/surface.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/** Faces of a positive cell, outward by the right-hand rule. */
static const int tet_face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
static const int hex_face[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

int sup_cell_num_faces(sup_cell_type type) { return type == SUP_CELL_T4 ? 4 : 6; }

int sup_mesh_cell_face(const sup_mesh *mesh, int c, int local, int vertex[SUP_FACE_MAX_VERTICES]) {
  const int *cell = sup_mesh_cell(mesh, c), n = mesh->type == SUP_CELL_T4 ? 3 : 4;
  const int *corner = mesh->type == SUP_CELL_T4 ? tet_face[local] : hex_face[local];
  for (int a = 0; a < n; a++) vertex[a] = cell[corner[a]];
  return n;
}

/** A face known by its sorted vertices; place = cell x faces per cell + local face. */
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
  face_key key = {{-1, -1, -1, -1}, c * sup_cell_num_faces(mesh->type) + local};
  int      n = sup_mesh_cell_face(mesh, c, local, key.vertex);
  for (int a = 1; a < n; a++)
    for (int b = a; b > 0 && key.vertex[b - 1] > key.vertex[b]; b--) {
      int keep = key.vertex[b];
      key.vertex[b] = key.vertex[b - 1];
      key.vertex[b - 1] = keep;
    }
  return key;
}

/** Set is_boundary[place] for faces that only one cell has. */
static sup_status find_boundary(const sup_mesh *mesh, unsigned char *is_boundary, int *num_boundary) {
  int       faces = sup_cell_num_faces(mesh->type), total = mesh->num_cells * faces;
  face_key *key = NULL;
  *num_boundary = 0;
  SUP_TRY(SUP_CALLOC(key, total));
  for (int c = 0; c < mesh->num_cells; c++)
    for (int f = 0; f < faces; f++) key[c * faces + f] = face_key_of(mesh, c, f);
  if (total > 0) qsort(key, (size_t)total, sizeof *key, compare_keys);
  for (int first = 0, last; first < total; first = last) {
    for (last = first + 1; last < total && compare_vertices(key + first, key + last) == 0;) last++;
    if (last - first > 2) {
      int a = key[first].place / faces, b = key[first + 1].place / faces, c = key[first + 2].place / faces;
      SUP_FREE(key);
      return SUP_FAIL(SUP_E_GEOMETRY, "cells %d, %d and %d share one face; a face can be shared by two cells at most",
                      a, b, c);
    }
    if (last - first == 1) is_boundary[key[first].place] = 1, ++*num_boundary;
  }
  SUP_FREE(key);
  return SUP_OK;
}

/* ---- faces to triangles ------------------------------------------------------------------------------------------ */

sup_status sup_surface_create(sup_surface **surface, int num_points, int num_faces, int vertices_per_face) {
  SUP_ASSERT(vertices_per_face == 3 || vertices_per_face == 4);
  *surface = NULL;
  sup_surface *s = NULL;
  int          parts = vertices_per_face == 3 ? 1 : 4;
  sup_status   status;
  if (num_faces < 0 || num_faces > INT_MAX / (parts * 3 * SUP_FACE_MAX_VERTICES))
    return SUP_FAIL(SUP_E_ARG, "a surface of %d faces is too large; at most %d are possible", num_faces,
                    INT_MAX / (parts * 3 * SUP_FACE_MAX_VERTICES));
  SUP_TRY(SUP_CALLOC(s, 1));
  s->num_points = num_points;
  s->num_faces = num_faces;
  s->vertices_per_face = vertices_per_face;
  s->num_triangles = num_faces * parts;
  SUP_TRY_GOTO(SUP_CALLOC(s->face, (size_t)num_faces * (size_t)vertices_per_face), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(s->face_cell, num_faces), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(s->triangle_face, s->num_triangles), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(s->weight, (size_t)s->num_triangles * 3 * SUP_FACE_MAX_VERTICES), status, fail);
  for (int f = 0; f < num_faces; f++) s->face_cell[f] = SUP_NONE;
  for (int t = 0; t < s->num_triangles; t++) {
    double *weight = s->weight + (size_t)t * 3 * SUP_FACE_MAX_VERTICES;
    s->triangle_face[t] = t / parts;
    if (parts == 1) {
      for (int corner = 0; corner < 3; corner++) weight[corner * SUP_FACE_MAX_VERTICES + corner] = 1;
    } else { /* side t mod 4 of the quad, then its centre */
      weight[t % 4] = 1;
      weight[SUP_FACE_MAX_VERTICES + (t + 1) % 4] = 1;
      for (int a = 0; a < 4; a++) weight[2 * SUP_FACE_MAX_VERTICES + a] = 0.25;
    }
  }
  *surface = s;
  return SUP_OK;
fail:
  sup_surface_destroy(&s);
  return status;
}

void sup_surface_destroy(sup_surface **surface) {
  if (!*surface) return;
  SUP_FREE((*surface)->face);
  SUP_FREE((*surface)->face_cell);
  SUP_FREE((*surface)->triangle_face);
  SUP_FREE((*surface)->weight);
  SUP_FREE(*surface);
}

sup_status sup_surface_of_mesh(sup_surface **surface, const sup_mesh *mesh) {
  int            faces = sup_cell_num_faces(mesh->type), num_boundary = 0, next = 0;
  unsigned char *is_boundary = NULL;
  sup_status     status;
  *surface = NULL;
  if (mesh->num_cells > INT_MAX / faces) return SUP_FAIL(SUP_E_ARG, "the mesh has too many cells: %d", mesh->num_cells);
  SUP_TRY(SUP_CALLOC(is_boundary, (size_t)mesh->num_cells * (size_t)faces));
  SUP_TRY_GOTO(find_boundary(mesh, is_boundary, &num_boundary), status, done);
  SUP_TRY_GOTO(sup_surface_create(surface, mesh->num_vertices, num_boundary, mesh->type == SUP_CELL_T4 ? 3 : 4), status,
               done);
  for (int place = 0; place < mesh->num_cells * faces; place++) {
    if (!is_boundary[place]) continue;
    int vertex[SUP_FACE_MAX_VERTICES], n = sup_mesh_cell_face(mesh, place / faces, place % faces, vertex);
    memcpy((*surface)->face + next * n, vertex, (size_t)n * sizeof *vertex);
    (*surface)->face_cell[next++] = place / faces;
  }
done:
  SUP_FREE(is_boundary);
  return status;
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

sup_v3 sup_surface_corner(const sup_surface *surface, const double *points, int triangle, int corner) {
  int           n = surface->vertices_per_face;
  const int    *face = surface->face + surface->triangle_face[triangle] * n;
  const double *weight = surface->weight + ((size_t)triangle * 3 + (size_t)corner) * SUP_FACE_MAX_VERTICES;
  sup_v3        x = {0, 0, 0};
  for (int a = 0; a < n; a++) x = sup_v3_madd(x, weight[a], sup_v3_load(points + 3 * face[a]));
  return x;
}

void sup_surface_carry(const sup_surface *surface, int t, const double barycentric[3],
                       int vertex[SUP_FACE_MAX_VERTICES], double weight[SUP_FACE_MAX_VERTICES]) {
  int n = surface->vertices_per_face, face = surface->triangle_face[t];
  for (int k = 0; k < n; k++) {
    vertex[k] = surface->face[face * n + k], weight[k] = 0;
    for (int c = 0; c < 3; c++) weight[k] += barycentric[c] * surface->weight[(t * 3 + c) * SUP_FACE_MAX_VERTICES + k];
  }
}

double sup_surface_area(const sup_surface *surface, const double *points, sup_v3 *vector_sum) {
  double area = 0;
  sup_v3 sum = {0, 0, 0};
  for (int t = 0; t < surface->num_triangles; t++) {
    sup_v3 a = sup_surface_corner(surface, points, t, 0), b = sup_surface_corner(surface, points, t, 1);
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
    volume +=
        sup_v3_dot(sup_surface_corner(surface, points, t, 0),
                   sup_v3_cross(sup_surface_corner(surface, points, t, 1), sup_surface_corner(surface, points, t, 2))) /
        6;
  return volume;
}

typedef struct edge_key {
  int low, high, direction; /* +1: from low to high */
} edge_key;

static int compare_edges(const void *a, const void *b) {
  const edge_key *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  return (p->high > q->high) - (p->high < q->high);
}

sup_status sup_surface_open_edges(const sup_surface *surface, int *num_open) {
  int       n = surface->vertices_per_face, total = surface->num_faces * n;
  edge_key *edge = NULL;
  *num_open = 0;
  SUP_TRY(SUP_CALLOC(edge, total));
  for (int e = 0; e < total; e++) {
    int a = surface->face[e], b = surface->face[e % n == n - 1 ? e - n + 1 : e + 1];
    edge[e] = a < b ? (edge_key){a, b, 1} : (edge_key){b, a, -1};
  }
  if (total > 0) qsort(edge, (size_t)total, sizeof *edge, compare_edges);
  for (int first = 0, last; first < total; first = last) {
    int balance = 0;
    for (last = first; last < total && compare_edges(edge + first, edge + last) == 0; last++)
      balance += edge[last].direction;
    if (balance != 0) ++*num_open;
  }
  SUP_FREE(edge);
  return SUP_OK;
}
