#include "geom/mesh_field.h"

#include <string.h>

#include "base/memory.h"
#include "geom/bvh.h"
#include "geom/triangle.h"

void sup_mesh_field_points(const sup_mesh_field *f, const double *vertex, double *x) {
  for (int i = 0; i < f->num_points; i++) {
    const sup_carrier *c = &f->carrier[i];
    double             sum[3] = {0, 0, 0};
    for (int k = 0; k < c->num_vertices; k++)
      for (int d = 0; d < 3; d++) sum[d] += c->weight[k] * vertex[3 * c->vertex[k] + d];
    memcpy(x + 3 * i, sum, sizeof sum);
  }
}

/* ---- points and cells -------------------------------------------------------------------------------------------- */

static int mean_of(sup_mesh_field *f, const int *vertex, int n) {
  sup_carrier *c = &f->carrier[f->num_points];
  c->num_vertices = n;
  for (int k = 0; k < n; k++) c->vertex[k] = vertex[k], c->weight[k] = 1. / n;
  return f->num_points++;
}

static void add_tet(sup_mesh_field *f, int cell, int a, int b, int c, int d) {
  int *tet = f->tet + 4 * f->num_tets;
  tet[0] = a, tet[1] = b, tet[2] = c, tet[3] = d;
  f->tet_cell[f->num_tets++] = cell;
}

/** Faces of a cell, seen from outside. */
static void cut_hex(sup_mesh_field *f, const sup_mesh *mesh, int cell) {
  const int *v = sup_mesh_cell(mesh, cell);
  int        centre = mean_of(f, v, 8);
  for (int s = 0; s < sup_cell_num_faces(SUP_CELL_H8); s++) {
    int face[SUP_FACE_MAX_VERTICES], n = sup_mesh_cell_face(mesh, cell, s, face), middle = mean_of(f, face, n);
    for (int k = 0; k < n; k++) add_tet(f, cell, centre, face[k], face[(k + 1) % n], middle);
  }
}

static void cut_tet(sup_mesh_field *f, const sup_mesh *mesh, int cell, const unsigned char *on_surface) {
  const int *v = sup_mesh_cell(mesh, cell);
  if (!(on_surface[v[0]] && on_surface[v[1]] && on_surface[v[2]] && on_surface[v[3]])) {
    add_tet(f, cell, v[0], v[1], v[2], v[3]);
    return;
  }
  int centre = mean_of(f, v, 4);
  for (int s = 0; s < 4; s++) {
    int face[SUP_FACE_MAX_VERTICES];
    sup_mesh_cell_face(mesh, cell, s, face);
    add_tet(f, cell, centre, face[0], face[1], face[2]);
  }
  f->num_cut++;
}

/* ---- distances --------------------------------------------------------------------------------------------------- */

typedef struct boundary {
  const sup_surface *surface;
  const double      *x;
  sup_bvh           *bvh;
} boundary;

static double distance_to_box(const sup_box *b, sup_v3 p) {
  double dx = sup_max(0, sup_max(b->lower.x - p.x, p.x - b->upper.x));
  double dy = sup_max(0, sup_max(b->lower.y - p.y, p.y - b->upper.y));
  double dz = sup_max(0, sup_max(b->lower.z - p.z, p.z - b->upper.z));
  return sqrt(dx * dx + dy * dy + dz * dz);
}

/** Descend into what may be nearer than the best so far. */
static void nearest(const boundary *b, int index, sup_v3 p, double *best) {
  const sup_bvh_node *node = &b->bvh->node[index];
  if (node->left < 0) {
    int    t = -1 - node->left;
    sup_v3 q =
        sup_triangle_nearest(sup_surface_corner(b->surface, b->x, t, 0), sup_surface_corner(b->surface, b->x, t, 1),
                             sup_surface_corner(b->surface, b->x, t, 2), p);
    *best = sup_min(*best, sup_v3_norm(sup_v3_sub(p, q)));
    return;
  }
  double left = distance_to_box(&b->bvh->node[node->left].box, p);
  double right = distance_to_box(&b->bvh->node[node->right].box, p);
  int    first = left <= right ? node->left : node->right, second = left <= right ? node->right : node->left;
  if (sup_min(left, right) < *best) nearest(b, first, p, best);
  if (sup_max(left, right) < *best) nearest(b, second, p, best);
}

static sup_status measure(sup_mesh_field *f, const sup_mesh *mesh, const sup_surface *surface,
                          const unsigned char *on_surface) {
  boundary   b = {surface, mesh->x, NULL};
  sup_box   *box = NULL;
  double    *x = NULL;
  sup_status status;
  SUP_TRY_GOTO(SUP_CALLOC(box, surface->num_triangles), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(x, 3 * (size_t)f->num_points), status, done);
  for (int t = 0; t < surface->num_triangles; t++) {
    box[t] = sup_box_empty();
    for (int c = 0; c < 3; c++) box[t] = sup_box_add(box[t], sup_surface_corner(surface, mesh->x, t, c));
  }
  SUP_TRY_GOTO(sup_bvh_create(&b.bvh, surface->num_triangles, box), status, done);
  sup_mesh_field_points(f, mesh->x, x);
  sup_v3 size = sup_v3_sub(b.bvh->node[0].box.upper, b.bvh->node[0].box.lower);
  double zero = 1e-12 * (size.x + size.y + size.z);
  for (int i = 0; i < f->num_points; i++) {
    if (i < mesh->num_vertices && on_surface[i]) continue;
    double best = HUGE_VAL;
    nearest(&b, 0, sup_v3_load(x + 3 * i), &best);
    f->distance[i] = best > zero ? best : 0;
  }
done:
  sup_bvh_destroy(&b.bvh);
  SUP_FREE(box);
  SUP_FREE(x);
  return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static sup_status fill(sup_mesh_field *f, const sup_mesh *mesh, const sup_surface *surface,
                       const unsigned char *on_surface) {
  int is_hex = mesh->type == SUP_CELL_H8, points = mesh->num_vertices + mesh->num_cells * (is_hex ? 7 : 1);
  SUP_TRY(SUP_CALLOC(f->carrier, points));
  SUP_TRY(SUP_CALLOC(f->distance, points));
  SUP_TRY(SUP_CALLOC(f->tet, 4 * (size_t)mesh->num_cells * (is_hex ? 24 : 4)));
  SUP_TRY(SUP_CALLOC(f->tet_cell, (size_t)mesh->num_cells * (is_hex ? 24 : 4)));
  for (int i = 0; i < mesh->num_vertices; i++) mean_of(f, &i, 1);
  for (int c = 0; c < mesh->num_cells; c++)
    if (is_hex)
      cut_hex(f, mesh, c);
    else
      cut_tet(f, mesh, c, on_surface);
  SUP_TRY(measure(f, mesh, surface, on_surface));
  return SUP_OK;
}

sup_status sup_mesh_field_create(sup_mesh_field **field, const sup_mesh *mesh, const sup_surface *surface) {
  sup_mesh_field *f = NULL;
  unsigned char  *on_surface = NULL;
  sup_status      status;
  *field = NULL;
  SUP_TRY_GOTO(SUP_CALLOC(f, 1), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(on_surface, mesh->num_vertices), status, done);
  for (int i = 0; i < surface->num_faces * surface->vertices_per_face; i++) on_surface[surface->face[i]] = 1;
  SUP_TRY_GOTO(fill(f, mesh, surface, on_surface), status, done);
  *field = f;
  f = NULL;
done:
  sup_mesh_field_destroy(&f);
  SUP_FREE(on_surface);
  return status;
}

void sup_mesh_field_destroy(sup_mesh_field **field) {
  sup_mesh_field *f = *field;
  if (!f) return;
  SUP_FREE(f->carrier);
  SUP_FREE(f->distance);
  SUP_FREE(f->tet);
  SUP_FREE(f->tet_cell);
  SUP_FREE(*field);
}
