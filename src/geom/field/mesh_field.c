#include "geom/field/mesh_field_parts.h"

#include <string.h>

#include "base/memory.h"
#include "geom/boundary.h"
#include "mesh/quadratic.h"

void sup_carrier_add(sup_carrier *to, const sup_carrier *from, double weight) {
  for (int k = 0; k < from->num_vertices; k++) {
    int at = 0;
    while (at < to->num_vertices && to->vertex[at] != from->vertex[k]) at++;
    SUP_ASSERT(at < SUP_CARRIER_MAX_VERTICES);
    if (at == to->num_vertices)
      to->vertex[at] = from->vertex[k], to->weight[at] = 0, to->num_vertices++;
    to->weight[at] += weight * from->weight[k];
  }
}

void sup_mesh_field_points(const sup_mesh_field *f, const double *vertex, double *x) {
  for (int i = 0; i < f->num_points; i++) {
    const sup_carrier *c = &f->carrier[i];
    double             sum[3] = {0, 0, 0};
    for (int k = 0; k < c->num_vertices; k++)
      for (int d = 0; d < 3; d++) sum[d] += c->weight[k] * vertex[3 * c->vertex[k] + d];
    memcpy(x + 3 * i, sum, sizeof sum);
  }
}

/* ---- points and cells ------------------------------------------------------------------------ */

int sup_mesh_field_mean(sup_mesh_field *f, const int *vertex, int n) {
  sup_carrier *c = &f->carrier[f->num_points];
  c->num_vertices = n;
  for (int k = 0; k < n; k++) c->vertex[k] = vertex[k], c->weight[k] = 1. / n;
  return f->num_points++;
}

void sup_mesh_field_add_tet(sup_mesh_field *f, int cell, int a, int b, int c, int d) {
  int *tet = f->tet + 4 * f->num_tets;
  tet[0] = a, tet[1] = b, tet[2] = c, tet[3] = d;
  f->tet_triangle[f->num_tets] = SUP_NONE;
  f->tet_cell[f->num_tets++] = cell;
}

/** Faces of a cell, seen from outside. */
static void cut_hex(sup_mesh_field *f, const sup_mesh *mesh, int cell) {
  const int *v = sup_mesh_cell(mesh, cell);
  int        centre = sup_mesh_field_mean(f, v, 8);
  for (int s = 0; s < sup_cell_kind_of(SUP_CELL_H8)->num_faces; s++) {
    int face[SUP_CELL_FACE_MAX_VERTICES], n = sup_mesh_cell_face(mesh, cell, s, face),
                                          middle = sup_mesh_field_mean(f, face, n);
    for (int k = 0; k < n; k++)
      sup_mesh_field_add_tet(f, cell, centre, face[k], face[(k + 1) % n], middle);
  }
}

static void cut_tet(sup_mesh_field *f, int cell, const int v[4], const unsigned char *on_surface) {
  static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  if (!(on_surface[v[0]] && on_surface[v[1]] && on_surface[v[2]] && on_surface[v[3]])) {
    sup_mesh_field_add_tet(f, cell, v[0], v[1], v[2], v[3]);
    return;
  }
  int centre = sup_mesh_field_mean(f, v, 4);
  for (int s = 0; s < 4; s++)
    sup_mesh_field_add_tet(f, cell, centre, v[face[s][0]], v[face[s][1]], v[face[s][2]]);
  f->num_cut++;
}

static void cut_quadratic(sup_mesh_field *f, const sup_mesh *mesh, int cell,
                          const unsigned char *on_surface) {
  const int *v = sup_mesh_cell(mesh, cell);
  double     x[30];
  int        part[8][4];
  for (int a = 0; a < 10; a++) sup_v3_store(x + 3 * a, sup_mesh_vertex(mesh, v[a]));
  sup_t10_cut(x, part);
  for (int k = 0; k < 8; k++) {
    int tet[4] = {v[part[k][0]], v[part[k][1]], v[part[k][2]], v[part[k][3]]};
    cut_tet(f, cell, tet, on_surface);
  }
}

static void cut_cell(sup_mesh_field *f, const sup_mesh *mesh, int cell,
                     const unsigned char *on_surface) {
  switch (mesh->type) {
    case SUP_CELL_T4:
      cut_tet(f, cell, sup_mesh_cell(mesh, cell), on_surface);
      break;
    case SUP_CELL_H8:
      cut_hex(f, mesh, cell);
      break;
    case SUP_CELL_T10:
      cut_quadratic(f, mesh, cell, on_surface);
      break;
  }
}

/* ---- distances ------------------------------------------------------------------------------- */

static sup_status measure(sup_mesh_field *f, const sup_mesh *mesh, const sup_surface *surface,
                          const unsigned char *on_surface) {
  SUP_OWN_VALUE(sup_boundary) b = {0};
  SUP_FREED double           *x = NULL;
  SUP_TRY(SUP_CALLOC(x, 3 * (size_t)f->num_points));
  SUP_TRY(sup_boundary_create(&b, surface, mesh->x));
  sup_mesh_field_points(f, mesh->x, x);
  sup_v3 size = sup_v3_sub(b.bvh->node[0].box.upper, b.bvh->node[0].box.lower);
  double zero = 1e-12 * (size.x + size.y + size.z);
  for (int i = 0; i < f->num_points; i++) {
    if (i < mesh->num_vertices && on_surface[i]) continue;
    double best = sup_boundary_distance(&b, sup_v3_load(x + 3 * i));
    f->distance[i] = best > zero ? best : 0;
  }
  return SUP_OK;
}

/* ---- cells of the mesh ----------------------------------------------------------------------- */

/** Tetrahedra of a cell follow each other; their order within it stays. */
static sup_status sort_by_cell(sup_mesh_field *f, int num_cells) {
  SUP_FREED int *tet = NULL, *cell = NULL, *triangle = NULL, *to = NULL;
  size_t         n = (size_t)f->num_tets;
  SUP_TRY(SUP_CALLOC(f->cell_tet, num_cells + 1));
  SUP_TRY(SUP_CALLOC(to, num_cells));
  SUP_TRY(SUP_CALLOC(tet, 4 * n));
  SUP_TRY(SUP_CALLOC(cell, n));
  SUP_TRY(SUP_CALLOC(triangle, n));
  for (size_t t = 0; t < n; t++) f->cell_tet[f->tet_cell[t] + 1]++;
  for (int c = 0; c < num_cells; c++) f->cell_tet[c + 1] += f->cell_tet[c], to[c] = f->cell_tet[c];
  for (size_t t = 0; t < n; t++) {
    int k = to[f->tet_cell[t]]++;
    memcpy(tet + 4 * k, f->tet + 4 * t, 4 * sizeof *tet);
    cell[k] = f->tet_cell[t], triangle[k] = f->tet_triangle[t];
  }
  memcpy(f->tet, tet, 4 * n * sizeof *tet);
  memcpy(f->tet_cell, cell, n * sizeof *cell);
  memcpy(f->tet_triangle, triangle, n * sizeof *triangle);
  return SUP_OK;
}

static void cell_boxes(const sup_mesh_field *f, int num_cells, const double *x, sup_box *box) {
  for (int c = 0; c < num_cells; c++) {
    box[c] = sup_box_empty();
    for (int k = 4 * f->cell_tet[c]; k < 4 * f->cell_tet[c + 1]; k++)
      box[c] = sup_box_add(box[c], sup_v3_load(x + 3 * f->tet[k]));
  }
}

void sup_mesh_field_refit(const sup_mesh_field *f, const double *x, sup_box *box,
                          sup_bvh_node *node) {
  cell_boxes(f, f->bvh->num_items, x, box);
  sup_bvh_refit(f->bvh, box, node);
}

static sup_status build_hierarchy(sup_mesh_field *f, const sup_mesh *mesh) {
  SUP_FREED sup_box *box = NULL;
  SUP_FREED double  *x = NULL;
  SUP_TRY(SUP_CALLOC(box, mesh->num_cells));
  SUP_TRY(SUP_CALLOC(x, 3 * (size_t)f->num_points));
  sup_mesh_field_points(f, mesh->x, x);
  cell_boxes(f, mesh->num_cells, x, box);
  SUP_TRY(sup_bvh_create(&f->bvh, mesh->num_cells, box));
  return SUP_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static sup_status fill(sup_mesh_field *f, const sup_mesh *mesh, const sup_surface *surface,
                       const unsigned char *on_surface) {
  static const int most_tets[SUP_NUM_CELL_TYPES] = {
      [SUP_CELL_T4] = 4, [SUP_CELL_H8] = 24, [SUP_CELL_T10] = 32};
  static const int most_points[SUP_NUM_CELL_TYPES] = {
      [SUP_CELL_T4] = 1, [SUP_CELL_H8] = 7, [SUP_CELL_T10] = 8};
  int points =
      2 * mesh->num_vertices + mesh->num_cells * most_points[mesh->type] + 2 * surface->num_faces;
  int tets = mesh->num_cells * most_tets[mesh->type];
  SUP_TRY(SUP_CALLOC(f->carrier, points));
  SUP_TRY(SUP_CALLOC(f->distance, points));
  SUP_TRY(SUP_CALLOC(f->tet, 4 * (size_t)tets));
  SUP_TRY(SUP_CALLOC(f->tet_cell, tets));
  SUP_TRY(SUP_CALLOC(f->tet_triangle, tets));
  for (int i = 0; i < mesh->num_vertices; i++) sup_mesh_field_mean(f, &i, 1);
  for (int c = 0; c < mesh->num_cells; c++) cut_cell(f, mesh, c, on_surface);
  SUP_TRY(measure(f, mesh, surface, on_surface));
  SUP_TRY(sup_mesh_field_add_shell(f, mesh, surface));
  SUP_TRY(sort_by_cell(f, mesh->num_cells));
  SUP_TRY(build_hierarchy(f, mesh));
  return SUP_OK;
}

sup_status sup_mesh_field_create(sup_mesh_field **field, const sup_mesh *mesh,
                                 const sup_surface *surface) {
  SUP_OWN(sup_mesh_field) *f = NULL;
  SUP_FREED unsigned char *on_surface = NULL;
  *field = NULL;
  SUP_TRY(SUP_CALLOC(f, 1));
  SUP_TRY(SUP_CALLOC(on_surface, mesh->num_vertices));
  for (int i = 0; i < surface->num_faces * surface->vertices_per_face; i++)
    on_surface[surface->face[i]] = 1;
  SUP_TRY(fill(f, mesh, surface, on_surface));
  *field = f;
  f = NULL;
  return SUP_OK;
}

void sup_mesh_field_destroy(sup_mesh_field **field) {
  sup_mesh_field *f = *field;
  if (!f) return;
  SUP_FREE_ALL(&f->carrier, &f->distance, &f->tet, &f->tet_cell, &f->cell_tet);
  sup_bvh_destroy(&f->bvh);
  SUP_FREE_ALL(&f->tet_triangle, &f->shell_inner, &f->shell_triangle, &f->middle, field);
}
