#include <string.h>

#include "base/memory.h"
#include "geom/field/mesh_field_parts.h"
#include "geom/field/numerics.h"
#include "mesh/distribute/part_set.h"
#include "mesh/distribute/point_rank.h"

static double angle_at(sup_v3 p, sup_v3 a, sup_v3 b) {
  sup_v3 u = sup_v3_sub(a, p), v = sup_v3_sub(b, p);
  return atan2(sup_v3_norm(sup_v3_cross(u, v)), sup_v3_dot(u, v));
}

int sup_mesh_field_parents(const sup_mesh_field *f, int middle, int parent[3]) {
  const sup_part *part = &f->middle[middle - f->first_middle];
  int             n = 0;
  for (int k = 1; k < 4; k++)
    if (part->vertex[k] != SUP_NONE) parent[n++] = part->vertex[k];
  return n;
}

static void place_middles(const sup_mesh_field *f, double *outer) {
  for (int i = f->first_middle; i < f->num_shell; i++) {
    int    parent[3], n = sup_mesh_field_parents(f, i, parent);
    sup_v3 x = {0, 0, 0};
    for (int k = 0; k < n; k++) x = sup_v3_madd(x, 1. / n, sup_v3_load(outer + 3 * parent[k]));
    sup_v3_store(outer + 3 * i, x);
  }
}

void sup_mesh_field_raise(const sup_mesh_field *f, double width, sup_v3 *normal, double *x) {
  double *weight =
      x + 3 * (size_t)f->first_outer; /* sum of the angles about a point, in its place for now */
  for (int i = 0; i < f->first_middle; i++) normal[i] = sup_v3_make(0, 0, 0), weight[3 * i] = 0;
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
  for (int i = 0; i < f->first_middle; i++) { /* mean normal m: planes at right angles, too, move
                                              out by `width` along m/|m|^2 */
    sup_v3 m = weight[3 * i] > 0 ? sup_v3_scale(1 / weight[3 * i], normal[i]) : normal[i];
    double size = sup_max(sup_v3_norm(m), 1. / SUP_MESH_FIELD_STANDOFF);
    sup_v3_store(x + 3 * (f->first_outer + i),
                 sup_v3_madd(sup_v3_load(x + 3 * f->shell_inner[i]), width / (size * size), m));
  }
  place_middles(f, x + 3 * (size_t)f->first_outer);
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
  if (!(fabs(facing) > sup_geom_field_numerics.shell_facing * sup_v3_norm(area))) return 0;
  weight[1] = sup_v3_dot(sup_v3_cross(r, b), n) / facing;
  weight[2] = sup_v3_dot(sup_v3_cross(a, r), n) / facing;
  weight[0] = 1 - weight[1] - weight[2];
  return 1;
}

/* ---- points ---------------------------------------------------------------------------------- */

/** Shell points: surface vertices, then the centres of quads.  `number` [num_vertices] is zero at
 * first. */
static sup_status number_corners(sup_mesh_field *f, const sup_surface *surface, int *number) {
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
    if (n == 4) f->shell_inner[f->num_shell++] = sup_mesh_field_mean(f, v, 4);
    for (int k = 0; k < (n == 4 ? 4 : 1); k++) {
      int *to = f->shell_triangle + 3 * f->num_shell_triangles++;
      for (int c = 0; c < corners; c++) to[c] = number[v[(k + c) % n]] - 1;
      if (n == 4) to[2] = f->num_shell - 1;
    }
  }
  f->first_middle = f->num_shell;
  return SUP_OK;
}

/** Sides of prisms between points that are alike, and triangles of three such points. */
static sup_status collect_alike(const sup_mesh_field *f, const int *alike, sup_part_set *set) {
  for (int t = 0; t < f->num_shell_triangles; t++) {
    const int *corner = f->shell_triangle + 3 * t;
    int        same = 0;
    for (int k = 0; k < 3; k++) {
      int side[2] = {corner[k], corner[(k + 1) % 3]};
      if (alike[side[0]] != alike[side[1]]) continue;
      SUP_TRY(sup_part_add(set, side, 2));
      same++;
    }
    if (same == 3) SUP_TRY(sup_part_add(set, corner, 3));
  }
  sup_part_sort(set);
  return SUP_OK;
}

/** The points below middles are on the surface, corners of no cell. */
static sup_status add_middles(sup_mesh_field *f, const sup_part_set *set) {
  size_t points = (size_t)f->num_points, carriers = points, distances = points;
  size_t inner = (size_t)f->num_shell, needed = inner + (size_t)set->count;
  if (set->count == 0) return SUP_OK;
  SUP_TRY(SUP_CALLOC(f->middle, set->count));
  memcpy(f->middle, set->part, (size_t)set->count * sizeof *set->part);
  SUP_TRY(SUP_GROW(f->shell_inner, inner, needed));
  SUP_TRY(SUP_GROW(f->carrier, carriers, points + (size_t)set->count + needed));
  SUP_TRY(SUP_GROW(f->distance, distances, points + (size_t)set->count + needed));
  for (int i = 0; i < set->count; i++) {
    sup_carrier *c = &f->carrier[f->num_points];
    int          middle = f->num_shell, parent[3], n = sup_mesh_field_parents(f, middle, parent);
    *c = (sup_carrier){0};
    for (int k = 0; k < n; k++) sup_carrier_add(c, &f->carrier[f->shell_inner[parent[k]]], 1. / n);
    f->distance[f->num_points] = 0;
    f->shell_inner[f->num_shell++] = f->num_points++;
  }
  return SUP_OK;
}

/** Ranks of the corners; those that are alike have one. */
static sup_status rank_corners(const sup_mesh_field *f, const sup_mesh *mesh, int *alike) {
  SUP_FREED double *x = NULL, *corner = NULL;
  SUP_FREED int    *rank = NULL;
  SUP_TRY(SUP_CALLOC(x, 3 * (size_t)f->num_points));
  SUP_TRY(SUP_CALLOC(corner, 3 * (size_t)f->num_shell));
  SUP_TRY(SUP_CALLOC(rank, f->num_shell));
  sup_mesh_field_points(f, mesh->x, x);
  for (int i = 0; i < f->num_shell; i++)
    memcpy(corner + 3 * i, x + 3 * f->shell_inner[i], 3 * sizeof *x);
  SUP_TRY(sup_point_rank(f->num_shell, corner, rank, alike));
  return SUP_OK;
}

static void add_outer(sup_mesh_field *f) {
  f->first_outer = f->num_points;
  for (int i = 0; i < f->num_shell; i++) {
    f->carrier[f->num_points] = f->carrier[f->shell_inner[i]];
    f->distance[f->num_points++] = -f->shell_width;
  }
}

/* ---- prisms ---------------------------------------------------------------------------------- */

typedef struct prism_cutter {
  sup_mesh_field *field;
  const int      *alike; /* [num_shell] */
  sup_part_set    middle;
  const double   *x;                      /* [num_points x 3] */
  size_t          tets, cells, triangles; /* capacities */
} prism_cutter;

/** A prism below a triangle and above it: points of corner k in[k] and out[k]. */
typedef struct prism {
  int cell, triangle, shell[3], in[3], out[3];
} prism;

static double volume_of(const double *x, const int *tet) {
  sup_v3 o = sup_v3_load(x + 3 * tet[0]), a = sup_v3_sub(sup_v3_load(x + 3 * tet[1]), o);
  sup_v3 b = sup_v3_sub(sup_v3_load(x + 3 * tet[2]), o),
         c = sup_v3_sub(sup_v3_load(x + 3 * tet[3]), o);
  return sup_v3_dot(sup_v3_cross(a, b), c);
}

static prism prism_of(const sup_mesh_field *f, int cell, int triangle, int first) {
  prism p = {.cell = cell, .triangle = triangle};
  for (int k = 0; k < 3; k++) {
    p.shell[k] = f->shell_triangle[3 * triangle + (first + k) % 3];
    p.in[k] = f->shell_inner[p.shell[k]], p.out[k] = f->first_outer + p.shell[k];
  }
  return p;
}

static int middle_of(const prism_cutter *c, const int *shell, int n) {
  return c->field->first_outer + c->field->first_middle + sup_part_find(&c->middle, shell, n);
}

static sup_status add_tets(prism_cutter *c, const prism *p, int n, int tet[][4]) {
  sup_mesh_field *f = c->field;
  size_t          needed = (size_t)f->num_tets + (size_t)n;
  SUP_TRY(SUP_GROW(f->tet, c->tets, 4 * needed));
  SUP_TRY(SUP_GROW(f->tet_cell, c->cells, needed));
  SUP_TRY(SUP_GROW(f->tet_triangle, c->triangles, needed));
  for (int k = 0; k < n; k++) {
    const int *v = tet[k];
    if (!(volume_of(c->x, v) > 0)) continue; /* a knife's edge at rest */
    sup_mesh_field_add_tet(f, p->cell, v[0], v[1], v[2], v[3]);
    f->tet_triangle[f->num_tets - 1] = p->triangle;
  }
  return SUP_OK;
}

/** Three tetrahedra, the corner of the lowest rank first: it goes up last. */
static sup_status cut_along_diagonals(prism_cutter *c, const prism *p) {
  const int *in = p->in, *out = p->out;
  int        tets[2][3][4] = {{{in[0], in[1], in[2], out[2]},
                               {in[0], in[1], out[2], out[1]},
                               {in[0], out[1], out[2], out[0]}},
                              {{in[0], in[1], in[2], out[1]},
                               {in[0], out[1], in[2], out[2]},
                               {in[0], out[1], out[2], out[0]}}};
  SUP_TRY(add_tets(c, p, 3, tets[c->alike[p->shell[1]] < c->alike[p->shell[2]] ? 0 : 1]));
  return SUP_OK;
}

/** The corners 1 and 2 are alike: about the middle above their side, from below corner 0 when it is
 * of lower rank, else from above. */
static sup_status cut_about_side(prism_cutter *c, const prism *p) {
  const int *in = p->in, *out = p->out;
  int        m = middle_of(c, p->shell + 1, 2);
  int        low[5][4] = {{in[0], in[1], in[2], m},
                          {in[0], in[1], m, out[1]},
                          {in[0], in[2], out[2], m},
                          {in[0], out[1], m, out[0]},
                          {in[0], m, out[2], out[0]}};
  int        high[4][4] = {{in[0], in[1], in[2], out[0]},
                           {in[2], in[1], m, out[0]},
                           {in[1], out[1], m, out[0]},
                           {in[2], m, out[2], out[0]}};
  if (c->alike[p->shell[0]] < c->alike[p->shell[1]])
    SUP_TRY(add_tets(c, p, 5, low));
  else
    SUP_TRY(add_tets(c, p, 4, high));
  return SUP_OK;
}

/** All corners are alike: about the middles above the sides and the one above the triangle. */
static sup_status cut_about_centre(prism_cutter *c, const prism *p) {
  const int *in = p->in, *out = p->out;
  int        top = middle_of(c, p->shell, 3), tet[10][4] = {{in[0], in[1], in[2], top}};
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, side[2] = {p->shell[k], p->shell[l]}, m = middle_of(c, side, 2);
    int part[3][4] = {{in[l], in[k], m, top}, {in[k], out[k], m, top}, {in[l], m, out[l], top}};
    memcpy(tet + 1 + 3 * k, part, sizeof part);
  }
  SUP_TRY(add_tets(c, p, 10, tet));
  return SUP_OK;
}

/** Tetrahedra of a prism, such that neighbours agree.  Where a side of the prism is not plane its
 * diagonal says which triangle sees what is beside an edge: by numbers areas of contact differed by
 * up to a third.  It rises from the end of lower rank; a side between images of each other has no
 * diagonal, but a middle above it. */
static sup_status cut_prism(prism_cutter *c, int cell, int triangle) {
  const int *corner = c->field->shell_triangle + 3 * triangle;
  int        r[3], single = SUP_NONE;
  for (int k = 0; k < 3; k++) r[k] = c->alike[corner[k]];
  for (int k = 0; k < 3; k++)
    if (r[(k + 1) % 3] == r[(k + 2) % 3]) single = k;
  int   low = r[0] < r[1] ? (r[0] < r[2] ? 0 : 2) : (r[1] < r[2] ? 1 : 2);
  prism p = prism_of(c->field, cell, triangle, single == SUP_NONE ? low : single);
  if (single == SUP_NONE) return cut_along_diagonals(c, &p);
  return r[0] == r[1] && r[1] == r[2] ? cut_about_centre(c, &p) : cut_about_side(c, &p);
}

static void prism_cutter_free(prism_cutter *c) { sup_part_free(&c->middle); }

sup_status sup_mesh_field_add_shell(sup_mesh_field *f, const sup_mesh *mesh,
                                    const sup_surface *surface) {
  SUP_OWN_VALUE(prism_cutter) c = {.field = f};
  SUP_FREED int              *number = NULL, *alike = NULL;
  SUP_FREED double           *x = NULL;
  SUP_FREED sup_v3           *normal = NULL;
  SUP_TRY(SUP_CALLOC(number, mesh->num_vertices));
  SUP_TRY(number_corners(f, surface, number));
  SUP_TRY(SUP_CALLOC(alike, f->num_shell));
  SUP_TRY(rank_corners(f, mesh, alike));
  SUP_TRY(collect_alike(f, alike, &c.middle));
  SUP_TRY(add_middles(f, &c.middle));
  f->shell_width = sup_geom_field_numerics.shell_width *
                   sqrt(sup_surface_area(surface, mesh->x, NULL) / surface->num_triangles);
  add_outer(f);
  SUP_TRY(SUP_CALLOC(x, 3 * (size_t)f->num_points));
  SUP_TRY(SUP_CALLOC(normal, f->num_shell));
  sup_mesh_field_points(f, mesh->x, x);
  sup_mesh_field_raise(f, f->shell_width, normal, x);
  c.alike = alike, c.x = x;
  c.cells = c.triangles = (size_t)f->num_tets, c.tets = 4 * c.cells;
  for (int t = 0; t < f->num_shell_triangles; t++)
    SUP_TRY(cut_prism(&c, surface->face_cell[surface->triangle_face[t]], t));
  return SUP_OK;
}
