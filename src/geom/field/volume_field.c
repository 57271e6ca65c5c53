#include "geom/field/volume_field.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "geom/boundary.h"
#include "geom/field/deepest.h"
#include "geom/field/harmonic.h"
#include "geom/field/mesh_field.h"
#include "geom/field/numerics.h"
#include "geom/shell.h"
#include "mesh/generate/field_cells.h"

static double largest(const double *value, int n, int *at) {
  *at = 0;
  for (int i = 1; i < n; i++)
    if (value[i] > value[*at]) *at = i;
  return value[*at];
}

/* ---- the deepest point ----------------------------------------------------------------------- */

enum { MAX_STARTS = 40 };

/** The deepest point: climbs from the deepest vertices, none in the inner half of another one's
 * ball.  @param distance  [num_vertices], is spoilt */
static sup_status find_deepest(const sup_boundary *b, const sup_mesh *m, double *distance,
                               double *depth) {
  double first = 0;
  *depth = 0;
  for (int start = 0; start < MAX_STARTS; start++) {
    int    at;
    double d = largest(distance, m->num_vertices, &at), found;
    sup_v3 x = sup_mesh_vertex(m, at), centre = x;
    if (start == 0) first = d;
    if (!(d > 0.5 * first)) break;
    for (int i = 0; i < m->num_vertices; i++)
      if (sup_v3_norm(sup_v3_sub(sup_mesh_vertex(m, i), centre)) <= 0.5 * d) distance[i] = 0;
    SUP_TRY(sup_deepest_near(b, &x, &found));
    *depth = fmax(*depth, found);
  }
  return SUP_OK;
}

/* ---- the core of a harmonic field ------------------------------------------------------------ */

/** Points of which no neighbour is deeper by almost the way to it: centres of balls that no other
 * ball holds. */
static void find_ridge(const sup_mesh *m, const double *distance, unsigned char *is_ridge) {
  for (int i = 0; i < m->num_vertices; i++) is_ridge[i] = distance[i] > 0;
  for (int c = 0; c < m->num_cells; c++) {
    const int *v = sup_mesh_cell(m, c);
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < 4; k++) {
        double way = sup_v3_norm(sup_v3_sub(sup_mesh_vertex(m, v[k]), sup_mesh_vertex(m, v[i])));
        if (distance[v[k]] - distance[v[i]] > sup_geom_field_numerics.ridge * way)
          is_ridge[v[i]] = 0;
      }
  }
}

/** 1: a ball holds the point i and is more than 1/core times as large as the distance of i.
 */
static bool is_in_larger(const sup_mesh *m, const double *distance, const int *centre,
                         const int *ball, int n, int i) {
  for (int k = 0; k < n; k++) {
    int    u = centre[ball[k]];
    double way = sup_v3_norm(sup_v3_sub(sup_mesh_vertex(m, u), sup_mesh_vertex(m, i)));
    if (way < distance[u] && sup_geom_field_numerics.core * distance[u] > distance[i]) return 1;
  }
  return 0;
}

/** Room for the balls about the points of the ridge. */
typedef struct balls {
  unsigned char *is_ridge;
  int           *centre, *item;
  sup_box       *box;
  sup_bvh       *bvh;
  int            count;
} balls;

static sup_status collect_balls(balls *b, const sup_mesh *m, const double *distance) {
  int deepest;
  SUP_TRY(SUP_CALLOC(b->is_ridge, m->num_vertices));
  SUP_TRY(SUP_CALLOC(b->centre, m->num_vertices));
  SUP_TRY(SUP_CALLOC(b->item, m->num_vertices));
  SUP_TRY(SUP_CALLOC(b->box, m->num_vertices));
  find_ridge(m, distance, b->is_ridge);
  largest(distance, m->num_vertices, &deepest);
  b->is_ridge[deepest] = 1;
  for (int i = 0; i < m->num_vertices; i++) {
    if (!b->is_ridge[i]) continue;
    sup_v3 x = sup_mesh_vertex(m, i), r = {distance[i], distance[i], distance[i]};
    b->box[b->count] = (sup_box){sup_v3_sub(x, r), sup_v3_add(x, r)};
    b->centre[b->count++] = i;
  }
  SUP_TRY(sup_bvh_create(&b->bvh, b->count, b->box));
  return SUP_OK;
}

static void balls_free(balls *b) {
  SUP_FREE_ALL(&b->is_ridge, &b->centre, &b->item, &b->box);
  sup_bvh_destroy(&b->bvh);
}

/** e = 1 and fixed in the core, 0 and fixed on the surface. */
static sup_status fix_values(const sup_mesh *m, const double *distance, unsigned char *is_fixed,
                             double *extent) {
  SUP_OWN_VALUE(balls) b = {0};
  SUP_TRY(collect_balls(&b, m, distance));
  for (int i = 0; i < m->num_vertices; i++) {
    sup_v3  x = sup_mesh_vertex(m, i);
    sup_box box = {x, x};
    int     n = distance[i] > 0 ? sup_bvh_query(b.bvh->node, &box, b.item) : 0;
    bool    is_core = distance[i] > 0 && !is_in_larger(m, distance, b.centre, b.item, n, i);
    extent[i] = is_core;
    is_fixed[i] = is_core || !(distance[i] > 0);
  }
  return SUP_OK;
}

/** Harmonic extent, clamped to 0 .. 1: in obtuse cells linear elements leave this range by a
 * little. */
static sup_status harmonic_extent(const sup_mesh *m, const double *distance, double *extent) {
  SUP_FREED unsigned char *is_fixed = NULL;
  SUP_TRY(SUP_CALLOC(is_fixed, m->num_vertices));
  SUP_TRY(fix_values(m, distance, is_fixed, extent));
  SUP_TRY(sup_harmonic_solve(m, is_fixed, extent));
  for (int i = 0; i < m->num_vertices; i++) extent[i] = fmax(0, fmin(1, extent[i]));
  return SUP_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

typedef struct builder {
  sup_mesh       *inside; /* the cells that carry the field */
  sup_surface    *surface;
  sup_mesh_field *field; /* of inside, with its shell: its points are those of the result */
  int            *tet;   /* [field->num_tets x 4] those of inside, then those of the shell */
  double         *x;     /* [field->num_points x 3] */
  double         *extent;
  double         *slope,
      *width; /* [field->num_shell] of e along the outward way [1/m]; of the margin [m] */
  double        *offset;  /* [field->num_shell x 3] */
  unsigned char *is_used; /* [field->num_tets] */
} builder;

static sup_status allocate(builder *b) {
  const sup_mesh_field *f = b->field;
  SUP_TRY(SUP_CALLOC(b->x, 3 * (size_t)f->num_points));
  SUP_TRY(SUP_CALLOC(b->extent, f->num_points));
  SUP_TRY(SUP_CALLOC(b->slope, f->num_shell));
  SUP_TRY(SUP_CALLOC(b->width, f->num_shell));
  SUP_TRY(SUP_CALLOC(b->offset, 3 * (size_t)f->num_shell));
  SUP_TRY(SUP_CALLOC(b->is_used, f->num_tets));
  SUP_TRY(SUP_CALLOC(b->tet, 4 * (size_t)f->num_tets));
  int next[2] = {0, b->inside->num_cells};
  for (int t = 0; t < f->num_tets; t++)
    memcpy(b->tet + 4 * (size_t)next[f->tet_triangle[t] != SUP_NONE]++, f->tet + 4 * (size_t)t,
           4 * sizeof *f->tet);
  SUP_ASSERT(next[0] == b->inside->num_cells); /* no cell was cut once more */
  return SUP_OK;
}

static sup_status find_depth(const builder *b, double *depth) {
  SUP_OWN_VALUE(sup_boundary) boundary = {0};
  SUP_FREED double           *distance = NULL;
  SUP_TRY(SUP_CALLOC(distance, b->inside->num_vertices));
  memcpy(distance, b->field->distance, (size_t)b->inside->num_vertices * sizeof *distance);
  SUP_TRY(sup_boundary_create(&boundary, b->surface, b->inside->x));
  SUP_TRY(find_deepest(&boundary, b->inside, distance, depth));
  return SUP_OK;
}

static sup_status set_extent(builder *b, sup_field_kind kind, double depth) {
  if (kind == SUP_FIELD_HARMONIC) {
    SUP_TRY(harmonic_extent(b->inside, b->field->distance, b->extent));
    return SUP_OK;
  }
  for (int i = 0; i < b->inside->num_vertices; i++) b->extent[i] = b->field->distance[i] / depth;
  return SUP_OK;
}

/** Rise of e per depth in the cell behind a triangle of the surface. */
static double slope_behind(const builder *b, int triangle, sup_v3 twice_area) {
  const int *v = sup_mesh_cell(b->inside, b->surface->face_cell[triangle]);
  sup_v3     a = sup_surface_corner(b->surface, b->inside->x, triangle, 0);
  double     area = sup_v3_norm(twice_area), rise = 0, depth = 0;
  for (int k = 0; k < 4; k++) {
    double d = -sup_v3_dot(twice_area, sup_v3_sub(sup_mesh_vertex(b->inside, v[k]), a)) / area;
    if (d > depth) depth = d, rise = b->extent[v[k]];
  }
  return rise / depth;
}

/** The slope at each point of the surface: the mean over its triangles, between points that of
 * these; of a field of distances 1/D. */
static void set_slopes(builder *b, sup_field_kind kind, double depth) {
  double *area = b->width; /* for now */
  for (int t = 0; t < b->surface->num_triangles && kind == SUP_FIELD_HARMONIC; t++) {
    sup_v3 p[3];
    for (int k = 0; k < 3; k++) p[k] = sup_surface_corner(b->surface, b->inside->x, t, k);
    sup_v3 twice = sup_v3_cross(sup_v3_sub(p[1], p[0]), sup_v3_sub(p[2], p[0]));
    double slope = slope_behind(b, t, twice), size = sup_v3_norm(twice);
    for (int k = 0; k < 3; k++) {
      int i = b->field->shell_triangle[3 * t + k];
      b->slope[i] += size * slope, area[i] += size;
    }
  }
  for (int i = 0; i < b->field->first_middle; i++)
    b->slope[i] = kind == SUP_FIELD_HARMONIC ? b->slope[i] / area[i] : 1 / depth;
  for (int i = b->field->first_middle; i < b->field->num_shell; i++) {
    int parent[3], n = sup_mesh_field_parents(b->field, i, parent);
    for (int k = 0; k < n; k++) b->slope[i] += b->slope[parent[k]] / n;
  }
}

static sup_status fit_shell(builder *b, double margin) {
  const sup_mesh_field *f = b->field;
  SUP_FREED sup_v3     *normal = NULL;
  SUP_TRY(SUP_CALLOC(normal, f->num_shell));
  sup_mesh_field_raise(f, 1, normal, b->x);
  for (int i = 0; i < f->num_shell; i++) {
    sup_v3 out = sup_v3_load(b->x + 3 * (f->first_outer + i));
    sup_v3_store(b->offset + 3 * i, sup_v3_sub(out, sup_v3_load(b->x + 3 * f->shell_inner[i])));
    b->width[i] = margin;
  }
  sup_shell shell = {.num_points = f->num_points,
                     .num_tets = f->num_tets,
                     .x = b->x,
                     .tet = b->tet,
                     .first_tet = b->inside->num_cells,
                     .first_outer = f->first_outer,
                     .inner = f->shell_inner,
                     .offset = b->offset};
  SUP_TRY(sup_shell_fit(&shell, b->width, b->is_used));
  for (int i = 0; i < f->num_shell; i++) b->extent[f->first_outer + i] = -b->slope[i] * b->width[i];
  return SUP_OK;
}

/** Cells of the body, then the remaining prisms. */
static sup_status write_mesh(const builder *b, double margin, sup_mesh **mesh) {
  const sup_mesh_field *f = b->field;
  int                   points = margin > 0 ? f->num_points : b->inside->num_vertices, next = 0;
  int                   tets = margin > 0 ? f->num_tets : b->inside->num_cells;
  SUP_TRY(sup_mesh_create(mesh, SUP_CELL_T4, points, tets));
  memcpy((*mesh)->x, b->x, 3 * (size_t)points * sizeof *b->x);
  for (int t = 0; t < tets; t++)
    if (t < b->inside->num_cells || b->is_used[t])
      memcpy((*mesh)->cell + 4 * next++, b->tet + 4 * (size_t)t, 4 * sizeof *b->tet);
  (*mesh)->num_cells = next;
  return SUP_OK;
}

static sup_status open_body(builder *b, const sup_mesh *cells) {
  SUP_TRY(sup_mesh_open_inside(&b->inside, cells));
  SUP_TRY(sup_surface_of_mesh(&b->surface, b->inside));
  SUP_TRY(sup_mesh_field_create(&b->field, b->inside, b->surface));
  return SUP_OK;
}

static void forget(builder *b) {
  sup_mesh_field_destroy(&b->field);
  sup_surface_destroy(&b->surface);
  sup_mesh_destroy(&b->inside);
  SUP_FREE_ALL(&b->x, &b->extent, &b->slope, &b->width, &b->offset, &b->is_used, &b->tet);
}

static sup_status build(builder *b, const sup_mesh *cells, sup_field_kind kind, double margin,
                        double *depth) {
  SUP_TRY(open_body(b, cells));
  SUP_TRY(allocate(b));
  sup_mesh_field_points(b->field, b->inside->x, b->x);
  SUP_TRY(find_depth(b, depth));
  SUP_TRY(set_extent(b, kind, *depth));
  if (margin > 0) {
    set_slopes(b, kind, *depth);
    SUP_TRY(fit_shell(b, margin));
  }
  return SUP_OK;
}

sup_status sup_mesh_of_volume_field(sup_mesh **mesh, double **extent, double *depth,
                                    const sup_mesh *cells, sup_field_kind kind, double margin) {
  SUP_SCOPED(forget) builder b = {0};
  *mesh = NULL, *extent = NULL;
  SUP_ASSERT(margin >= 0 && isfinite(margin));
  SUP_TRY(build(&b, cells, kind, margin, depth));
  SUP_TRY(write_mesh(&b, margin, mesh));
  *extent = b.extent;
  b.extent = NULL;
  return SUP_OK;
}

sup_status sup_mesh_depth(const sup_mesh *cells, double *depth) {
  SUP_SCOPED(forget) builder b = {0};
  SUP_TRY(open_body(&b, cells));
  SUP_TRY(find_depth(&b, depth));
  return SUP_OK;
}
