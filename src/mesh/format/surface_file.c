/* From the triangles of a file to a surface: scale, weld, drop triangles without area. */
#include "mesh/format/surface_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "mesh/edge_key.h"
#include "mesh/format/surface_parse.h"
#include "mesh/numerics.h"
#include "mesh/surface_orient.h"

enum { MAX_TRIANGLES = INT_MAX / (3 * SUP_FACE_MAX_VERTICES) };

sup_status sup_triangles_point(sup_triangles *t, const double p[3]) {
  if (t->num_points == INT_MAX / 3)
    return SUP_FAIL(SUP_E_PARSE, "a surface of more than %d points", INT_MAX / 3);
  SUP_TRY(SUP_GROW(t->point, t->point_capacity, 3 * ((size_t)t->num_points + 1)));
  memcpy(t->point + 3 * (size_t)t->num_points++, p, 3 * sizeof *p);
  return SUP_OK;
}

sup_status sup_triangles_add(sup_triangles *t, int a, int b, int c) {
  if (t->num_triangles == MAX_TRIANGLES)
    return SUP_FAIL(SUP_E_PARSE, "a surface of more than %d triangles", MAX_TRIANGLES);
  SUP_TRY(SUP_GROW(t->triangle, t->triangle_capacity, 3 * ((size_t)t->num_triangles + 1)));
  int *corner = t->triangle + 3 * (size_t)t->num_triangles++;
  corner[0] = a, corner[1] = b, corner[2] = c;
  return SUP_OK;
}

/* ---- welding --------------------------------------------------------------------------------- */

/** Retained points in a hash table of cells four tolerances wide: the twin of a point is in one of
 * at most 8 cells. */
typedef struct welder {
  const double *x;
  double        tolerance;
  size_t        mask;
  int          *head; /* [mask + 1] first point of a chain plus 1; 0: empty */
  int          *next; /* [points] */
} welder;

static size_t cell_hash(const welder *w, const int64_t cell[3]) {
  uint64_t h = (uint64_t)cell[0] * 0x9e3779b97f4a7c15u;
  h = (h ^ h >> 32 ^ (uint64_t)cell[1]) * 0xbf58476d1ce4e5b9u;
  h = (h ^ h >> 32 ^ (uint64_t)cell[2]) * 0x94d049bb133111ebu;
  return (size_t)(h ^ h >> 31) & w->mask;
}

static int64_t cell_of(const welder *w, double x) { return (int64_t)floor(x / (4 * w->tolerance)); }

static int find_twin(const welder *w, const double *p) {
  int best = SUP_NONE;
  for (int corner = 0; corner < 8; corner++) {
    int64_t cell[3];
    bool    is_new = 1;
    for (int i = 0; i < 3; i++) {
      cell[i] = cell_of(w, p[i] - w->tolerance);
      if (!(corner >> i & 1)) continue;
      int64_t upper = cell_of(w, p[i] + w->tolerance);
      is_new = is_new && upper != cell[i];
      cell[i] = upper;
    }
    if (!is_new) continue;
    for (int k = w->head[cell_hash(w, cell)] - 1; k >= 0; k = w->next[k] - 1) {
      sup_v3 d = sup_v3_sub(sup_v3_load(w->x + 3 * (size_t)k), sup_v3_load(p));
      if (sup_v3_norm(d) <= w->tolerance && (best == SUP_NONE || k < best)) best = k;
    }
  }
  return best;
}

static void keep_point(welder *w, int k) {
  int64_t cell[3];
  for (int i = 0; i < 3; i++) cell[i] = cell_of(w, w->x[3 * (size_t)k + (size_t)i]);
  size_t at = cell_hash(w, cell);
  w->next[k] = w->head[at];
  w->head[at] = k + 1;
}

static void welder_free(welder *w) { SUP_FREE_ALL(&w->head, &w->next); }

/** twin[k] := first point within a share of the largest coordinate of point k, both in `among`;
 * NULL: all. */
static sup_status find_twins(const sup_triangles *t, double share, const unsigned char *among,
                             int *twin) {
  double                largest = 0;
  size_t                slots = 16;
  SUP_OWN_VALUE(welder) w = {.x = t->point};
  for (size_t i = 0; i < 3 * (size_t)t->num_points; i++) largest = fmax(largest, fabs(t->point[i]));
  w.tolerance = largest > 0 ? largest * share : 1;
  while (slots < (size_t)t->num_points) slots *= 2;
  w.mask = slots - 1;
  SUP_TRY(SUP_CALLOC(w.head, slots));
  SUP_TRY(SUP_CALLOC(w.next, t->num_points));
  for (int k = 0; k < t->num_points; k++) {
    bool is_in = !among || among[k];
    twin[k] = is_in ? find_twin(&w, t->point + 3 * (size_t)k) : k;
    if (twin[k] != SUP_NONE) continue;
    twin[k] = k;
    keep_point(&w, k);
  }
  return SUP_OK;
}

/* ---- the surface ----------------------------------------------------------------------------- */

/** Replace corners by their twins, drop triangles with only two corners, number the points in use.
 * number[k]: of point k, SUP_NONE when unused. */
static void compact(sup_triangles *t, const int *twin, int *number, sup_surface_repair *repair) {
  int kept = 0, used = 0;
  for (int k = 0; k < t->num_points; k++)
    number[k] = SUP_NONE, repair->points_welded += twin[k] != k;
  for (int i = 0; i < t->num_triangles; i++) {
    const int *from = t->triangle + 3 * (size_t)i;
    int        c[3] = {twin[from[0]], twin[from[1]], twin[from[2]]};
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
    for (int k = 0; k < 3; k++) number[c[k]] = 0;
    memcpy(t->triangle + 3 * (size_t)kept++, c, sizeof c);
  }
  repair->triangles_dropped = t->num_triangles - kept;
  t->num_triangles = kept;
  for (int k = 0; k < t->num_points; k++)
    if (number[k] == 0) number[k] = used++;
  for (size_t i = 0; i < 3 * (size_t)kept; i++) t->triangle[i] = number[t->triangle[i]];
  for (int k = 0; k < t->num_points; k++)
    if (number[k] != SUP_NONE)
      memmove(t->point + 3 * (size_t)number[k], t->point + 3 * (size_t)k, 3 * sizeof(double));
  t->num_points = used;
}

static sup_status weld(sup_triangles *t, const char *name, sup_surface_repair *repair) {
  SUP_FREED int *twin = NULL, *number = NULL;
  int            found = t->num_triangles;
  SUP_TRY(SUP_CALLOC(twin, t->num_points));
  SUP_TRY(SUP_CALLOC(number, t->num_points));
  SUP_TRY(find_twins(t, 0x1p-22, NULL, twin));
  compact(t, twin, number, repair);
  if (t->num_triangles == 0)
    return SUP_FAIL(SUP_E_GEOMETRY, "%s: found %d triangles%s; expected a surface", name, found,
                    found > 0 ? ", all of them without area" : "");
  return SUP_OK;
}

/* ---- gaps ------------------------------------------------------------------------------------ */

/** Points at edges that are not used equally often in both directions; returns in `count` those
 * edges. */
static sup_status mark_open(const sup_triangles *t, unsigned char *is_open, int *count) {
  int                     total = 3 * t->num_triangles;
  SUP_FREED sup_edge_key *edge = NULL;
  *count = 0;
  SUP_TRY(SUP_CALLOC(edge, total));
  for (int e = 0; e < total; e++)
    edge[e] = sup_edge_key_of(t->triangle[e], t->triangle[e % 3 == 2 ? e - 2 : e + 1], e);
  sup_edge_keys_sort(edge, total);
  for (int first = 0, last; first < total; first = last) {
    int balance = 0;
    last = sup_edge_keys_end(edge, first, total);
    for (int k = first; k < last; k++) balance += edge[k].direction;
    if (balance == 0) continue;
    ++*count;
    is_open[edge[first].low] = is_open[edge[first].high] = 1;
  }
  return SUP_OK;
}

static void sup_triangles_free(sup_triangles *t) { SUP_FREE_ALL(&t->point, &t->triangle); }

static sup_status copy_triangles(sup_triangles *to, const sup_triangles *from) {
  *to = (sup_triangles){.num_points = from->num_points, .num_triangles = from->num_triangles};
  SUP_TRY(SUP_GROW(to->point, to->point_capacity, 3 * (size_t)from->num_points));
  SUP_TRY(SUP_GROW(to->triangle, to->triangle_capacity, 3 * (size_t)from->num_triangles));
  memcpy(to->point, from->point, 3 * (size_t)from->num_points * sizeof *to->point);
  memcpy(to->triangle, from->triangle, 3 * (size_t)from->num_triangles * sizeof *to->triangle);
  return SUP_OK;
}

/** Weld corners at open edges that a program wrote with six digits, if the surface is closed then
 * and keeps all its triangles. */
static sup_status close_gaps(sup_triangles *t, sup_surface_repair *repair) {
  SUP_FREED unsigned char     *is_open = NULL;
  SUP_FREED int               *twin = NULL, *number = NULL;
  SUP_OWN_VALUE(sup_triangles) other = {0};
  sup_surface_repair           more = {0};
  int                          count;
  SUP_TRY(SUP_CALLOC(is_open, t->num_points));
  SUP_TRY(mark_open(t, is_open, &count));
  if (count == 0) return SUP_OK;
  SUP_TRY(SUP_CALLOC(twin, t->num_points));
  SUP_TRY(SUP_CALLOC(number, t->num_points));
  SUP_TRY(find_twins(t, sup_mesh_numerics.gap, is_open, twin));
  for (int k = 0; k < t->num_points; k++)
    more.widest_gap =
        fmax(more.widest_gap, sup_v3_norm(sup_v3_sub(sup_v3_load(t->point + 3 * (size_t)twin[k]),
                                                     sup_v3_load(t->point + 3 * (size_t)k))));
  SUP_TRY(copy_triangles(&other, t));
  compact(&other, twin, number, &more);
  if (more.triangles_dropped > 0) return SUP_OK;
  SUP_TRY(
      sup_surface_orient(other.point, other.num_triangles, other.triangle, &more.triangles_turned));
  SUP_TRY(mark_open(&other, is_open, &count));
  if (count > 0) return SUP_OK;
  repair->gaps_closed = more.points_welded, repair->widest_gap = more.widest_gap;
  repair->triangles_turned += more.triangles_turned;
  sup_triangles open = *t;
  *t = other;
  other = open;
  return SUP_OK;
}

static sup_status make_surface(const sup_triangles *t, const double scale[3], sup_surface **surface,
                               double **points) {
  bool is_mirrored = scale[0] * scale[1] * scale[2] < 0;
  SUP_TRY(SUP_CALLOC(*points, 3 * (size_t)t->num_points));
  for (int k = 0; k < t->num_points; k++)
    for (int i = 0; i < 3; i++) {
      double x = t->point[3 * k + i] * scale[i];
      if (!isfinite(x))
        return SUP_FAIL(SUP_E_GEOMETRY, "the surface is infinitely large after scaling by %g",
                        scale[i]);
      (*points)[3 * k + i] = x;
    }
  SUP_TRY(sup_surface_create(surface, t->num_points, t->num_triangles, 3));
  for (int f = 0; f < t->num_triangles; f++)
    for (int c = 0; c < 3; c++)
      (*surface)->face[3 * f + c] = t->triangle[3 * f + (is_mirrored ? 2 - c : c)];
  return SUP_OK;
}

typedef struct format {
  const char *ending;
  int         has_cells; /* meshes of volume cells have the same */
  sup_status (*parse)(sup_triangles *t, const char *name, const char *data, size_t size);
} format;

static const format formats[] = {{".stl", 0, sup_stl_parse},
                                 {".obj", 0, sup_obj_parse},
                                 {".ply", 0, sup_ply_parse},
                                 {".msh", 1, sup_gmsh_parse_surface},
                                 {".mesh", 1, sup_medit_parse_surface}};

/** By the end of the name; NULL: none. */
static const format *format_of(const char *path) {
  const char *dot = strrchr(path, '.');
  for (size_t k = 0; dot && k < sizeof formats / sizeof *formats; k++)
    if (strcasecmp(dot, formats[k].ending) == 0) return &formats[k];
  return NULL;
}

bool sup_surface_is_file_name(const char *path) {
  const format *f = format_of(path);
  return f && !f->has_cells;
}

bool sup_surface_is_all(const char *path) {
  const format *f = format_of(path);
  char         *data = NULL;
  size_t        size;
  sup_triangles t = {0};
  if (!f || !f->has_cells) return f != NULL;
  t.refuses_cells = 1;
  bool is_all = sup_file_read_most(path, SUP_FILE_MOST_CELLS, &data, &size) == SUP_OK &&
                f->parse(&t, path, data, size) == SUP_OK;
  SUP_FREE_ALL(&data, &t.point, &t.triangle);
  return is_all;
}

sup_status sup_surface_parse(sup_surface **surface, double **points, const char *name,
                             const char *data, size_t size, const double scale[3],
                             sup_surface_repair *repair) {
  sup_triangles      t = {0};
  sup_surface_repair mended = {0};
  sup_status         status;
  const format      *f = format_of(name);
  *surface = NULL, *points = NULL;
  if (!f)
    return SUP_FAIL(SUP_E_PARSE,
                    "%s: surfaces are read from .obj, .stl, .ply, .msh and .mesh files; convert "
                    "this one, if it is a surface and no mesh of volume cells",
                    name);
  SUP_TRY_GOTO(f->parse(&t, name, data, size), status, done);
  SUP_TRY_GOTO(weld(&t, name, &mended), status, done);
  SUP_TRY_GOTO(sup_surface_orient(t.point, t.num_triangles, t.triangle, &mended.triangles_turned),
               status, done);
  SUP_TRY_GOTO(close_gaps(&t, &mended), status, done);
  SUP_TRY_GOTO(make_surface(&t, scale, surface, points), status, done);
  if (repair) *repair = mended;
done:
  SUP_FREE_ALL(&t.point, &t.triangle);
  if (status != SUP_OK) {
    SUP_FREE(*points);
    sup_surface_destroy(surface);
  }
  return status;
}

void sup_surface_repair_text(const sup_surface_repair *repair, int num_triangles, char *text,
                             size_t size) {
  size_t used = 0;
  text[0] = '\0';
  if (repair->gaps_closed > 0)
    used = (size_t)snprintf(
        text, size,
        "%d corners at open edges were welded to others, up to %.3g away in the "
        "file's coordinates%s",
        repair->gaps_closed, repair->widest_gap, repair->triangles_turned > 0 ? "; " : "");
  if (repair->triangles_turned > 0 && used < size)
    snprintf(text + used, size - used,
             "%d of %d triangles were turned to face outwards as their neighbours do",
             repair->triangles_turned, num_triangles);
}

sup_status sup_surface_read(sup_surface **surface, double **points, const char *path,
                            const double scale[3], sup_surface_repair *repair) {
  char  *data;
  size_t size;
  *surface = NULL, *points = NULL;
  SUP_TRY(sup_file_read_most(path, SUP_FILE_MOST_CELLS, &data, &size));
  sup_status status = sup_surface_parse(surface, points, path, data, size, scale, repair);
  SUP_FREE(data);
  return status;
}
