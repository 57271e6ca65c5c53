/* Wavefront OBJ: vertices and faces. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/format/surface_parse.h"

/** Statements of the format; the first two are read, those of free-form curves refused, the others
 * passed over. */
static const char *const statements[] = {
    "v",   "f",          "vt",        "vn",     "vp",     "g",      "o",     "s",        "mg",
    "l",   "p",          "usemtl",    "mtllib", "maplib", "usemap", "bevel", "c_interp", "d_interp",
    "lod", "shadow_obj", "trace_obj", "curv",   "curv2",  "surf",   "cstype"};
enum {
  NUM_STATEMENTS = sizeof statements / sizeof *statements,
  FIRST_FREE_FORM = NUM_STATEMENTS - 4
};

/** v x y z, perhaps with a weight or a colour behind. */
static sup_status parse_vertex(sup_triangles *t, sup_scan *s) {
  double p[3];
  for (int i = 0; i < 3; i++) {
    sup_scan_in_line(s);
    SUP_TRY(sup_scan_number(s, "'v x y z' with finite numbers", &p[i]));
  }
  SUP_TRY(sup_triangles_point(t, p));
  return SUP_OK;
}

/** A corner "v", "v/vt", "v//vn" or "v/vt/vn"; v counts from 1, or back from the last vertex when
 * it is negative. */
static sup_status parse_corner(const sup_triangles *t, const sup_scan *s, int *point) {
  char *end;
  errno = 0;
  long index = strtol(s->word, &end, 10);
  if (end == s->word || errno != 0 || (*end != '\0' && *end != '/'))
    return sup_scan_unexpected(
        s, "a corner of a face: v, v/vt, v//vn or v/vt/vn with the numbers of vertices");
  if (index == 0 || index > t->num_points || index < -(long)t->num_points)
    return SUP_SCAN_FAIL(
        s,
        "the face has the vertex %ld; above it stand %d: expected 1 to %d, or -1 for the last one",
        index, t->num_points, t->num_points);
  *point = (int)(index > 0 ? index - 1 : t->num_points + index);
  return SUP_OK;
}

/** A polygon is the fan about its first corner. */
static sup_status parse_face(sup_triangles *t, sup_scan *s) {
  int first = SUP_NONE, last = SUP_NONE, corner = SUP_NONE, count = 0;
  for (; sup_scan_in_line(s); count++) {
    SUP_TRY(parse_corner(t, s, &corner));
    if (count == 0) first = corner;
    if (count >= 2) SUP_TRY(sup_triangles_add(t, first, last, corner));
    last = corner;
  }
  if (count < 3) return SUP_SCAN_FAIL(s, "a face of %d corners; expected at least 3", count);
  return SUP_OK;
}

static sup_status parse_other(const sup_scan *s) {
  for (int i = 0; i < NUM_STATEMENTS; i++) {
    if (strcmp(s->word, statements[i]) != 0) continue;
    if (i < FIRST_FREE_FORM) return SUP_OK;
    return SUP_SCAN_FAIL(
        s, "found '%s': free-form curves and surfaces are not read; export the part as triangles",
        s->word);
  }
  return sup_scan_unexpected(s, "'v', 'f' or another statement of OBJ");
}

sup_status sup_obj_parse(sup_triangles *t, const char *name, const char *data, size_t size) {
  sup_scan s = sup_scan_open(name, data, size);
  do {
    if (!sup_scan_in_line(&s)) continue;
    if (strcmp(s.word, "v") == 0)
      SUP_TRY(parse_vertex(t, &s));
    else if (strcmp(s.word, "f") == 0)
      SUP_TRY(parse_face(t, &s));
    else
      SUP_TRY(parse_other(&s));
  } while (sup_scan_next_line(&s));
  return SUP_OK;
}
