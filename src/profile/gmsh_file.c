#define _DEFAULT_SOURCE /* realpath */
#include "profile/gmsh_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/vec.h"
#include "mesh/format/scan.h"
#include "profile/numerics.h"

/** The group of the surfaces; names of curves that begin so are no sets. */
#define OWN_GROUP "supple_section"

/* ---- out ------------------------------------------------------------------------------------- */

typedef struct geo {
  FILE              *file;
  const sup_profile *profile;
  double             scale;
  int                num_points, num_curves;
} geo;

static void put_points(geo *g, const sup_loop *loop) {
  for (int i = 0; i < loop->num_points; i++)
    sup_file_print(g->file, "Point(%d) = {%.17g, %.17g, 0};\n", g->num_points + i + 1,
                   g->scale * loop->x[2 * i], g->scale * loop->x[2 * i + 1]);
}

/** A curve through points `from` to `to` of the loop, which may count round. */
static void put_curve(geo *g, const sup_loop *loop, int from, int to) {
  sup_file_print(g->file, "%s(%d) = {", to == from + 1 ? "Line" : "Spline", ++g->num_curves);
  for (int i = from; i <= to; i++)
    sup_file_print(g->file, "%s%d", i > from ? ", " : "", g->num_points + i % loop->num_points + 1);
  sup_file_print(g->file, "};\n");
}

/** 1: the pieces before and behind point i are too different in length for a spline through them,
 * of one parameter a piece: it folds back from a ratio of 5 on. */
static bool is_uneven(const sup_loop *loop, int i) {
  double a = sup_loop_length(loop, i + loop->num_points - 1), b = sup_loop_length(loop, i);
  return fmax(a, b) > sup_profile_numerics.uneven * fmin(a, b);
}

/** A side from one corner to the next: curves through points of even distances. */
static void put_side(geo *g, const sup_loop *loop, int from, int to) {
  for (int i = from + 1, begin = from; i <= to; i++)
    if (i == to || is_uneven(loop, i)) put_curve(g, loop, begin, i), begin = i;
}

static void put_range(const geo *g, const char *before, int first, int last, const char *behind) {
  fputs(before, g->file);
  for (int i = first; i <= last; i++) sup_file_print(g->file, "%s%d", i > first ? ", " : "", i);
  fputs(behind, g->file);
}

/** Sides from corner to corner, those of the outer loop as groups; a loop without corners is cut in
 * two. */
static void put_loop(geo *g, const sup_loop *loop, bool is_outer) {
  int n = loop->num_points, first = 0, side = 0;
  put_points(g, loop);
  while (first < n && !sup_loop_is_corner(loop, first)) first++;
  int has_corners = first < n, start = has_corners ? first : 0;
  for (int from = start, to; from < start + n; from = to) {
    int before = g->num_curves;
    for (to = from + 1; to < start + n; to++)
      if (has_corners ? sup_loop_is_corner(loop, to % n) : to == n / 2) break;
    put_side(g, loop, from, to);
    if (!is_outer || ++side >= SUP_QUADS_MAX_SETS / 2) continue;
    sup_file_print(g->file, "Physical Curve(\"side_%d\") = {", side);
    put_range(g, "", before + 1, g->num_curves, "};\n");
  }
  g->num_points += n;
}

/** Loops, the surface, and the groups whose names become sets. */
static void put_profile(geo *g) {
  char before[64];
  for (int l = 0; l < g->profile->num_loops; l++) {
    int first = g->num_curves + 1;
    put_loop(g, &g->profile->loop[l], l == 0);
    snprintf(before, sizeof before, "Curve Loop(%d) = {", l + 1);
    put_range(g, before, first, g->num_curves, "};\n");
    if (l == 0)
      snprintf(before, sizeof before, "Physical Curve(\"outer\") = {");
    else
      snprintf(before, sizeof before, "Physical Curve(\"hole_%d\") = {", l);
    put_range(g, before, first, g->num_curves, "};\n");
  }
  put_range(g, "Plane Surface(1) = {", 1, g->profile->num_loops, "};\n");
}

static void put_sizes(const geo *g, const sup_size_grid *s) {
  fputs("View \"size\" {\n", g->file);
  for (int j = 0; j < s->n[1]; j++)
    for (int i = 0; i < s->n[0]; i++) {
      static const int corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
      fputs("SQ(", g->file);
      for (int k = 0; k < 4; k++)
        sup_file_print(g->file, "%s%.9g,%.9g,0", k ? "," : "",
                       g->scale * (s->lower[0] + s->step * (i + corner[k][0])),
                       g->scale * (s->lower[1] + s->step * (j + corner[k][1])));
      fputs("){", g->file);
      for (int k = 0; k < 4; k++)
        sup_file_print(g->file, "%s%.9g", k ? "," : "",
                       g->scale * s->size[(j + corner[k][1]) * (s->n[0] + 1) + i + corner[k][0]]);
      fputs("};\n", g->file);
    }
  fputs(
      "};\nField[1] = PostView;\nField[1].ViewIndex = 0;\nBackground Field = 1;\n"
      "Mesh.MeshSizeExtendFromBoundary = 0;\nMesh.MeshSizeFromPoints = 0;\n"
      "Mesh.MeshSizeFromCurvature = 0;\n",
      g->file);
}

sup_status sup_gmsh_write_section(const char *path, const sup_profile *profile,
                                  const char *geometry, double scale, const sup_size_grid *sizes,
                                  const int way[2]) {
  sup_file_writer out;
  char            whole[PATH_MAX] = "";
  if (geometry && !realpath(geometry, whole))
    return SUP_FAIL(SUP_E_IO, "%s: no such file, or it cannot be read", geometry);
  SUP_TRY(sup_file_open(&out, path));
  geo g = {.file = out.file, .profile = profile, .scale = scale};
  if (geometry)
    sup_file_print(g.file, "Merge \"%s\";\n", whole);
  else
    put_profile(&g);
  fputs("Physical Surface(\"" OWN_GROUP "\") = Surface{:};\n", g.file);
  if (sizes)
    put_sizes(&g, sizes);
  else
    sup_file_print(g.file, "Mesh.MeshSizeFromCurvature = %g;\n", sup_profile_numerics.around);
  sup_file_print(g.file,
                 "Mesh.RecombineAll = 1;\nMesh.RecombinationAlgorithm = %d;\nMesh.Algorithm = %d;\n"
                 "Mesh.SubdivisionAlgorithm = 0;\nMesh.ElementOrder = 1;\nMesh.RandomSeed = 1;\n",
                 way[0], way[1]);
  return sup_file_commit(&out);
}

/* ---- in -------------------------------------------------------------------------------------- */

/** The file as it is read: groups and points by their numbers. */
typedef struct reader {
  sup_scan   scan;
  sup_quads *quads;
  double     scale, height; /* z of the first point */
  int        num_groups, *set_of_group, own_group;
  size_t     group_capacity;
  int        num_tags, *index; /* [num_tags + 1] point of each number, or SUP_NONE */
  double    *point;            /* [.. x 2] as they stand in the file */
  int        num_triangles;
} reader;

static sup_status read_groups(reader *r) {
  int n, dimension, number;
  SUP_TRY(sup_scan_begin_line(&r->scan, "the number of physical groups", 0, 1 << 20, &n));
  for (int k = 0; k < n; k++) {
    SUP_TRY(sup_scan_begin_line(&r->scan, "a dimension", 0, 3, &dimension));
    SUP_TRY(sup_scan_read_integer(&r->scan, "the number of a group", 0, 1 << 20, &number));
    if (!sup_scan_in_line(&r->scan)) return sup_scan_unexpected(&r->scan, "a name");
    char  *name = r->scan.word, *quote;
    size_t length = strlen(name);
    if (name[0] == '"') name++, length--;
    if ((quote = strchr(name, '"')) != NULL) *quote = '\0';
    if (dimension == 2 && strcmp(name, OWN_GROUP) == 0) r->own_group = number;
    if (dimension != 1 || r->quads->num_sets == SUP_QUADS_MAX_SETS || length >= SUP_NAME_MAX)
      continue;
    int before = r->num_groups;
    if (number >= r->num_groups) {
      SUP_TRY(SUP_GROW(r->set_of_group, r->group_capacity, number + 1));
      for (r->num_groups = number + 1; before <= number; before++)
        r->set_of_group[before] = SUP_NONE;
    }
    r->set_of_group[number] = r->quads->num_sets;
    snprintf(r->quads->set_name[r->quads->num_sets++], SUP_NAME_MAX, "%.*s", SUP_NAME_MAX - 1,
             name);
  }
  return SUP_OK;
}

static sup_status read_points(reader *r) {
  int n, tag;
  SUP_TRY(sup_scan_begin_line(&r->scan, "the number of points", 1, 1 << 26, &n));
  r->num_tags = 4 * n + 1024; /* numbers may have gaps */
  SUP_TRY(SUP_CALLOC(r->index, r->num_tags + 1));
  SUP_TRY(SUP_CALLOC(r->point, 3 * ((size_t)r->num_tags + 1)));
  for (int i = 0; i <= r->num_tags; i++) r->index[i] = SUP_NONE;
  for (int i = 0; i < n; i++) {
    SUP_TRY(sup_scan_begin_line(&r->scan, "the number of a point", 1, r->num_tags, &tag));
    for (int d = 0; d < 3; d++)
      SUP_TRY(sup_scan_read_number(&r->scan, "a coordinate", &r->point[3 * tag + d]));
  }
  return SUP_OK;
}

/** The point of a number, which becomes one of the mesh; all have the same height. */
static sup_status use_point(reader *r, int tag, int *at) {
  sup_quads *m = r->quads;
  if (r->index[tag] == SUP_NONE) {
    const double *x = r->point + 3 * (size_t)tag;
    if (m->num_points == 0) r->height = x[2];
    if (fabs(x[2] - r->height) > 1e-6 * (1 + fabs(x[0]) + fabs(x[1])))
      return SUP_FAIL(SUP_E_GEOMETRY,
                      "%s: found points at the heights z = %g and %g; expected a plane section, "
                      "all at one",
                      r->scan.name, r->height, x[2]);
    SUP_TRY(SUP_GROW(m->x, m->x_capacity, 2 * ((size_t)m->num_points + 1)));
    for (int d = 0; d < 2; d++) m->x[2 * m->num_points + d] = x[d] / r->scale;
    r->index[tag] = m->num_points++;
  }
  *at = r->index[tag];
  return SUP_OK;
}

static sup_status take_element(reader *r, int type, int group, const int *tag) {
  sup_quads *m = r->quads;
  if (type == 2 && group == r->own_group) r->num_triangles++;
  if (type == 3 && group == r->own_group) {
    SUP_TRY(SUP_GROW(m->quad, m->quad_capacity, 4 * (size_t)(m->num_quads + 1)));
    for (int k = 0; k < 4; k++) SUP_TRY(use_point(r, tag[k], &m->quad[4 * m->num_quads + k]));
    m->num_quads++;
  }
  if (type != 1 || group >= r->num_groups || r->set_of_group[group] == SUP_NONE) return SUP_OK;
  SUP_TRY(SUP_GROW(m->mark, m->mark_capacity, m->num_marks + 1));
  m->mark[m->num_marks++] = (sup_quad_mark){r->set_of_group[group], {tag[0], tag[1]}};
  return SUP_OK;
}

static sup_status read_elements(reader *r) {
  static const int num_vertices[] = {0, 2, 3, 4};
  int              n, skip, type, num_tags, group, tag[4];
  SUP_TRY(sup_scan_begin_line(&r->scan, "the number of elements", 0, INT_MAX, &n));
  for (int e = 0; e < n; e++) {
    SUP_TRY(sup_scan_begin_line(&r->scan, "the number of an element", 1, INT_MAX, &skip));
    SUP_TRY(sup_scan_read_integer(&r->scan, "a type of elements", 1, 1000, &type));
    SUP_TRY(sup_scan_read_integer(&r->scan, "the number of tags", 1, 100, &num_tags));
    SUP_TRY(sup_scan_read_integer(&r->scan, "a physical group", 0, INT_MAX, &group));
    for (int k = 1; k < num_tags; k++)
      SUP_TRY(sup_scan_read_integer(&r->scan, "a tag", 0, INT_MAX, &skip));
    if (type > 3) continue;
    for (int k = 0; k < num_vertices[type]; k++)
      SUP_TRY(sup_scan_read_integer(&r->scan, "a point", 1, r->num_tags, &tag[k]));
    SUP_TRY(take_element(r, type, group, tag));
  }
  return SUP_OK;
}

/** Marks name points of the file till now; those that are in the mesh stay.  Quadrilaterals are
 * turned where the surface's normal points down. */
static void finish(reader *r) {
  sup_quads *m = r->quads;
  int        kept = 0;
  for (int k = 0; k < m->num_marks; k++) {
    sup_quad_mark *mark = &m->mark[k];
    for (int end = 0; end < 2; end++) mark->vertex[end] = r->index[mark->vertex[end]];
    if (mark->vertex[0] != SUP_NONE && mark->vertex[1] != SUP_NONE) m->mark[kept++] = *mark;
  }
  m->num_marks = kept;
  if (sup_quads_area(m) >= 0) return;
  for (int q = 0; q < m->num_quads; q++) {
    int *v = m->quad + 4 * (size_t)q, second = v[1];
    v[1] = v[3], v[3] = second;
  }
}

static sup_status read_sections(reader *r) {
  while (sup_scan_anywhere(&r->scan)) {
    if (strcmp(r->scan.word, "$PhysicalNames") == 0) SUP_TRY(read_groups(r));
    if (strcmp(r->scan.word, "$Nodes") == 0) SUP_TRY(read_points(r));
    if (strcmp(r->scan.word, "$Elements") == 0) {
      if (!r->index) return sup_scan_unexpected(&r->scan, "$Nodes before it");
      SUP_TRY(read_elements(r));
    }
  }
  return SUP_OK;
}

sup_status sup_gmsh_read_section(sup_quads **quads, const char *path, double scale,
                                 int *num_triangles) {
  char      *data = NULL;
  size_t     size;
  reader     r = {.scale = scale, .own_group = SUP_NONE};
  sup_status status;
  *quads = NULL;
  SUP_TRY_GOTO(sup_file_read(path, &data, &size), status, done);
  SUP_TRY_GOTO(SUP_CALLOC(*quads, 1), status, done);
  r.scan = sup_scan_open(path, data, size);
  r.quads = *quads;
  SUP_TRY_GOTO(read_sections(&r), status, done);
  finish(&r);
  *num_triangles = r.num_triangles;
done:
  if (status != SUP_OK) sup_quads_destroy(quads);
  SUP_FREE_ALL(&r.set_of_group, &r.index, &r.point, &data);
  return status;
}
