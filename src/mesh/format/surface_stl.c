/* STL: Binary if the size fits the count of triangles, else ASCII ("solid" begins many binary
 * files, too). */
#include <limits.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "mesh/format/surface_parse.h"

enum { HEADER_BYTES = 84, TRIANGLE_BYTES = 50 };

/* ---- binary: 80 bytes, count, then normal, three corners and two bytes each; little-endian ----
 */

static uint32_t load_u32(const char *data) {
  const unsigned char *b = (const unsigned char *)data;
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double load_float(const char *data) {
  uint32_t bits = load_u32(data);
  float    value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

static uint64_t binary_size(const char *data) {
  return HEADER_BYTES + (uint64_t)TRIANGLE_BYTES * load_u32(data + 80);
}

static sup_status parse_binary(sup_triangles *t, const char *name, const char *data, size_t size) {
  uint64_t expected = binary_size(data);
  uint32_t count = load_u32(data + 80);
  if (expected != size)
    return SUP_FAIL(SUP_E_PARSE,
                    "%s: found %zu bytes, expected %llu: a binary STL of %lu triangles (bytes 81 "
                    "to 84) has 84 + 50 bytes a triangle; the file is cut off, damaged or no STL",
                    name, size, (unsigned long long)expected, (unsigned long)count);
  for (uint32_t k = 0; k < count; k++) {
    const char *corner = data + HEADER_BYTES + (size_t)TRIANGLE_BYTES * k + 12;
    for (int c = 0; c < 3; c++) {
      double p[3];
      for (int i = 0; i < 3; i++) {
        p[i] = load_float(corner + 12 * c + 4 * i);
        if (!isfinite(p[i]))
          return SUP_FAIL(
              SUP_E_PARSE,
              "%s: triangle %lu of %lu: %c of corner %d is %g; expected a finite number", name,
              (unsigned long)k + 1, (unsigned long)count, "xyz"[i], c + 1, p[i]);
      }
      SUP_TRY(sup_triangles_point(t, p));
    }
    SUP_TRY(sup_triangles_add(t, t->num_points - 3, t->num_points - 2, t->num_points - 1));
  }
  return SUP_OK;
}

/* ---- ASCII ----------------------------------------------------------------------------------- */

static bool is_word(const sup_scan *s, const char *word) { return strcasecmp(s->word, word) == 0; }

static sup_status need_word(sup_scan *s, const char *word, const char *expected) {
  if (sup_scan_anywhere(s) && is_word(s, word)) return SUP_OK;
  return sup_scan_unexpected(s, expected);
}

/** Behind `facet`: the normal, which follows from the corners and is often missing or NaN, then the
 * corners. */
static sup_status parse_facet(sup_triangles *t, sup_scan *s) {
  while (sup_scan_in_line(s)) continue;
  SUP_TRY(need_word(s, "outer", "'outer loop'"));
  SUP_TRY(need_word(s, "loop", "'outer loop'"));
  for (int c = 0; c < 3; c++) {
    double p[3];
    SUP_TRY(need_word(s, "vertex", "'vertex x y z', three of them"));
    for (int i = 0; i < 3; i++) {
      sup_scan_in_line(s);
      SUP_TRY(sup_scan_number(s, "'vertex x y z' with finite numbers", &p[i]));
    }
    SUP_TRY(sup_triangles_point(t, p));
  }
  SUP_TRY(need_word(s, "endloop", "'endloop' behind three vertices"));
  SUP_TRY(need_word(s, "endfacet", "'endfacet'"));
  SUP_TRY(sup_triangles_add(t, t->num_points - 3, t->num_points - 2, t->num_points - 1));
  return SUP_OK;
}

static sup_status parse_text(sup_triangles *t, const char *name, const char *data, size_t size) {
  sup_scan s = sup_scan_open(name, data, size);
  SUP_TRY(need_word(&s, "solid",
                    "'solid': an ASCII STL begins with it, a binary one has 84 + 50 n bytes"));
  sup_scan_next_line(&s);
  int inside = 1;
  while (sup_scan_anywhere(&s)) {
    if (inside && is_word(&s, "facet")) {
      SUP_TRY(parse_facet(t, &s));
    } else if (is_word(&s, inside ? "endsolid" : "solid")) { /* a file may hold several */
      inside = !inside;
      sup_scan_next_line(&s); /* the rest is a name */
    } else {
      return sup_scan_unexpected(
          &s, inside ? "'facet' or 'endsolid'" : "'solid' or the end of the file");
    }
  }
  if (inside) return sup_scan_unexpected(&s, "'facet' or 'endsolid'; the file is cut off");
  return SUP_OK;
}

sup_status sup_stl_parse(sup_triangles *t, const char *name, const char *data, size_t size) {
  int  says_solid = size >= 5 && strncasecmp(data, "solid", 5) == 0;
  bool is_binary = size >= HEADER_BYTES &&
                   (binary_size(data) == size || (!says_solid && memchr(data, '\0', size)) ||
                    (says_solid && memchr(data, '\0', HEADER_BYTES)));
  if (is_binary)
    SUP_TRY(parse_binary(t, name, data, size));
  else
    SUP_TRY(parse_text(t, name, data, size));
  return SUP_OK;
}
