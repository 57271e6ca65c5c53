#include "geom/field/mesh_field.h"

#include <string.h>

#include "base/memory.h"
#include "geom/boundary.h"
#include "mesh/distribute/point_rank.h"
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

static int mean_of(sup_mesh_field *f, const int *vertex, int n) {
  sup_carrier *c = &f->carrier[f->num_points];
  c->num_vertices = n;
  for (int k = 0; k < n; k++) c->vertex[k] = vertex[k], c->weight[k] = 1. / n;
  return f->num_points++;
}

static void add_tet(sup_mesh_field *f, int cell, int a, int b, int c, int d) {
  int *tet = f->tet + 4 * f->num_tets;
  tet[0] = a, tet[1] = b, tet[2] = c, tet[3] = d;
  f->tet_triangle[f->num_tets] = SUP_NONE;
  f->tet_cell[f->num_tets++] = cell;
}

/** Faces of a cell, seen from outside. */
static void cut_hex(sup_mesh_field *f, const sup_mesh *mesh, int cell) {
  const int *v = sup_mesh_cell(mesh, cell);
  int        centre = mean_of(f, v, 8);
  for (int s = 0; s < sup_cell_kind_of(SUP_CELL_H8)->num_faces; s++) {
    int face[SUP_CELL_FACE_MAX_VERTICES], n = sup_mesh_cell_face(mesh, cell, s, face),
                                          middle = mean_of(f, face, n);
    for (int k = 0; k < n; k++) add_tet(f, cell, centre, face[k], face[(k + 1) % n], middle);
  }
}

static void cut_tet(sup_mesh_field *f, int cell, const int v[4], const unsigned char *on_surface) {
  static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  if (!(on_surface[v[0]] && on_surface[v[1]] && on_surface[v[2]] && on_surface[v[3]])) {
    add_tet(f, cell, v[0], v[1], v[2], v[3]);
    return;
  }
  int centre = mean_of(f, v, 4);
  for (int s = 0; s < 4; s++) add_tet(f, cell, centre, v[face[s][0]], v[face[s][1]], v[face[s][2]]);
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

/* ---- shell ----------------------------------------------------------------------------------- */

/** Width of the shell at rest over the mean edge: small enough for every mesh. */
static const double rest_width = 1e-3;
static const double least_normal = 1. / SUP_MESH_FIELD_STANDOFF;
/** Cosine beyond which a line across the shell is too flat to have a foot nearby. */
static const double least_facing = 0.5;

static double angle_at(sup_v3 p, sup_v3 a, sup_v3 b) {
  sup_v3 u = sup_v3_sub(a, p), v = sup_v3_sub(b, p);
  return atan2(sup_v3_norm(sup_v3_cross(u, v)), sup_v3_dot(u, v));
}

void sup_mesh_field_raise(const sup_mesh_field *f, double width, sup_v3 *normal, double *x) {
  double *weight =
      x + 3 * (size_t)f->first_outer; /* sum of the angles about a point, in its place for now */
  for (int i = 0; i < f->num_shell; i++) normal[i] = sup_v3_make(0, 0, 0), weight[3 * i] = 0;
  for (int t = 0; t < f->num_shell_triangles; t++) {
    const int *v = f->shell_triangle + 3 * t;
    sup_v3     p[3];
    for (int k = 0; k < 3; k++) p[k] = sup_v3_load(x + 3 * f->shell_inner[v[k]]);
    sup_v3 n = sup_v3_cross(sup_v3_sub(p[1], p[0]), sup_v3_sub(p[2], p[0]));
    double size = sup_v3_norm(n);
    if (!(size > 0)) continue;
    for (int k = 0; k < 3; k++) {
      double angle = angle_at(p[k], p[(k + 1) % 3], p[(k + 2) % 3]);
      normal[v[k]] = sup_v3_madd(normal[v[k]], angle / size, n);
      weight[3 * v[k]] += angle;
    }
  }
  for (int i = 0; i < f->num_shell; i++) { /* mean normal m: planes at right angles, too, move out
                                              by `width` along m/|m|^2 */
    sup_v3 m = weight[3 * i] > 0 ? sup_v3_scale(1 / weight[3 * i], normal[i]) : normal[i];
    double size = sup_max(sup_v3_norm(m), least_normal);
    sup_v3_store(x + 3 * (f->first_outer + i),
                 sup_v3_madd(sup_v3_load(x + 3 * f->shell_inner[i]), width / (size * size), m));
  }
}

int sup_mesh_field_foot(const sup_mesh_field *f, int t, const double *x, sup_v3 p, sup_v3 n,
                        int inner[3], double weight[3]) {
  if (f->tet_triangle[t] == SUP_NONE) return 0;
  const int *corner = f->shell_triangle + 3 * f->tet_triangle[t];
  sup_v3     q[3];
  for (int k = 0; k < 3; k++)
    inner[k] = f->shell_inner[corner[k]], q[k] = sup_v3_load(x + 3 * inner[k]);
  sup_v3 a = sup_v3_sub(q[1], q[0]), b = sup_v3_sub(q[2], q[0]), r = sup_v3_sub(p, q[0]),
         area = sup_v3_cross(a, b);
  double facing = sup_v3_dot(area, n);
  if (!(fabs(facing) > least_facing * sup_v3_norm(area))) return 0;
  weight[1] = sup_v3_dot(sup_v3_cross(r, b), n) / facing;
  weight[2] = sup_v3_dot(sup_v3_cross(a, r), n) / facing;
  weight[0] = 1 - weight[1] - weight[2];
  return 1;
}

/** Shell points: surface vertices, then the centres of quads.  `number` [num_vertices] is zero at
 * first. */
static sup_status number_shell(sup_mesh_field *f, const sup_surface *surface, int *number) {
  int n = surface->vertices_per_face, corners = n == 4 ? 2 : 3;
  SUP_TRY(SUP_CALLOC(f->shell_inner, surface->num_faces * (n + 1)));
  SUP_TRY(SUP_CALLOC(f->shell_triangle, 3 * (size_t)surface->num_triangles));
  for (int i = 0; i < surface->num_faces * n; i++) {
    int v = surface->face[i];
    if (number[v]) continue;
    f->shell_inner[f->num_shell++] = v;
    number[v] = f->num_shell;
  }
  for (int face = 0; face < surface->num_faces; face++) {
    const int *v = surface->face + face * n;
    if (n == 4) f->shell_inner[f->num_shell++] = mean_of(f, v, 4);
    for (int k = 0; k < (n == 4 ? 4 : 1); k++) {
      int *to = f->shell_triangle + 3 * f->num_shell_triangles++;
      for (int c = 0; c < corners; c++) to[c] = number[v[(k + c) % n]] - 1;
      if (n == 4) to[2] = f->num_shell - 1;
    }
  }
  f->first_outer = f->num_points;
  for (int i = 0; i < f->num_shell; i++)
    f->carrier[f->num_points++] = f->carrier[f->shell_inner[i]];
  return SUP_OK;
}

static double volume_of(const double *x, const int *tet) {
  sup_v3 o = sup_v3_load(x + 3 * tet[0]), a = sup_v3_sub(sup_v3_load(x + 3 * tet[1]), o);
  sup_v3 b = sup_v3_sub(sup_v3_load(x + 3 * tet[2]), o),
         c = sup_v3_sub(sup_v3_load(x + 3 * tet[3]), o);
  return sup_v3_dot(sup_v3_cross(a, b), c);
}

/** Three tetrahedra a prism, cut so that neighbours agree: the corner of the lower rank goes up
 * last.  Where a side of the prism is not plane its diagonal says which triangle sees what is
 * beside an edge: by numbers areas of contact differed by up to a third. */
static void cut_prism(sup_mesh_field *f, int cell, int triangle, const int *rank, const double *x) {
  const int *corner = f->shell_triangle + 3 * triangle;
  int        r[3] = {rank[corner[0]], rank[corner[1]], rank[corner[2]]};
  int        low = r[0] < r[1] ? (r[0] < r[2] ? 0 : 2) : (r[1] < r[2] ? 1 : 2);
  int        s[3] = {corner[low], corner[(low + 1) % 3], corner[(low + 2) % 3]}, in[3], out[3];
  for (int k = 0; k < 3; k++) in[k] = f->shell_inner[s[k]], out[k] = f->first_outer + s[k];
  int tets[2][3][4] = {{{in[0], in[1], in[2], out[2]},
                        {in[0], in[1], out[2], out[1]},
                        {in[0], out[1], out[2], out[0]}},
                       {{in[0], in[1], in[2], out[1]},
                        {in[0], out[1], in[2], out[2]},
                        {in[0], out[1], out[2], out[0]}}};
  for (int k = 0; k < 3; k++) {
    const int *v = tets[rank[s[1]] < rank[s[2]] ? 0 : 1][k];
    if (!(volume_of(x, v) > 0)) continue; /* a knife's edge at rest */
    add_tet(f, cell, v[0], v[1], v[2], v[3]);
    f->tet_triangle[f->num_tets - 1] = triangle;
  }
}

static sup_status add_shell(sup_mesh_field *f, const sup_mesh *mesh, const sup_surface *surface) {
  SUP_FREED int    *number = NULL, *rank = NULL;
  SUP_FREED double *x = NULL;
  SUP_FREED sup_v3 *normal = NULL;
  SUP_TRY(SUP_CALLOC(number, mesh->num_vertices));
  SUP_TRY(number_shell(f, surface, number));
  SUP_TRY(SUP_CALLOC(x, 3 * (size_t)f->num_points));
  SUP_TRY(SUP_CALLOC(normal, f->num_shell));
  f->shell_width =
      rest_width * sqrt(sup_surface_area(surface, mesh->x, NULL) / surface->num_triangles);
  sup_mesh_field_points(f, mesh->x, x);
  SUP_TRY(SUP_CALLOC(rank, f->num_shell));
  SUP_TRY(sup_point_rank(f->num_shell, x + 3 * (size_t)f->first_outer, rank));
  sup_mesh_field_raise(f, f->shell_width, normal, x);
  for (int t = 0; t < f->num_shell_triangles; t++)
    cut_prism(f, surface->face_cell[surface->triangle_face[t]], t, rank, x);
  for (int i = 0; i < f->num_shell; i++) f->distance[f->first_outer + i] = -f->shell_width;
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
  int tets = mesh->num_cells * most_tets[mesh->type] + 3 * surface->num_triangles;
  SUP_TRY(SUP_CALLOC(f->carrier, points));
  SUP_TRY(SUP_CALLOC(f->distance, points));
  SUP_TRY(SUP_CALLOC(f->tet, 4 * (size_t)tets));
  SUP_TRY(SUP_CALLOC(f->tet_cell, tets));
  SUP_TRY(SUP_CALLOC(f->tet_triangle, tets));
  for (int i = 0; i < mesh->num_vertices; i++) mean_of(f, &i, 1);
  for (int c = 0; c < mesh->num_cells; c++) cut_cell(f, mesh, c, on_surface);
  SUP_TRY(measure(f, mesh, surface, on_surface));
  SUP_TRY(add_shell(f, mesh, surface));
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
  SUP_FREE_ALL(&f->tet_triangle, &f->shell_inner, &f->shell_triangle, field);
}
