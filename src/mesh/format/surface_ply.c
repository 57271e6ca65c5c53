/* PLY, ASCII and binary: points and polygons (G. Turk, "The PLY polygon file format", 1994). */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "mesh/format/surface_parse.h"

enum { MAX_ELEMENTS = 16, MAX_PROPERTIES = 64, NAME_SIZE = SUP_SCAN_WORD_MAX };

typedef enum number_type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT, DOUBLE } number_type;

/** Names of numbers, old and new; the index halved is the type. */
static const char *const type_names[] = {"char",   "int8",    "uchar",  "uint8",  "short", "int16",
                                         "ushort", "uint16",  "int",    "int32",  "uint",  "uint32",
                                         "float",  "float32", "double", "float64"};
static const int         type_bytes[] = {1, 1, 2, 2, 4, 4, 4, 8};
enum { NUM_TYPE_NAMES = sizeof type_names / sizeof *type_names };

typedef struct property {
  char        name[NAME_SIZE];
  int         is_list;
  number_type count, type; /* count: of a list's length */
} property;

typedef struct element {
  char     name[NAME_SIZE];
  int      count, num_properties;
  property property[MAX_PROPERTIES];
} element;

typedef struct reader {
  sup_scan             s;
  sup_triangles       *out;
  const unsigned char *at; /* binary: the next byte */
  int                  is_binary, is_big_endian, num_elements, face_points;
  element              element[MAX_ELEMENTS];
} reader;

/* ---- header ---------------------------------------------------------------------------------- */

static sup_status read_type(reader *r, number_type *type) {
  sup_scan_in_line(&r->s);
  for (int i = 0; i < NUM_TYPE_NAMES; i++)
    if (strcmp(r->s.word, type_names[i]) == 0) {
      *type = (number_type)(i / 2);
      return SUP_OK;
    }
  return sup_scan_unexpected(&r->s, "char, uchar, short, ushort, int, uint, float or double");
}

static sup_status read_property(reader *r) {
  if (r->num_elements == 0) return sup_scan_unexpected(&r->s, "'element vertex N' above it");
  element *e = &r->element[r->num_elements - 1];
  if (e->num_properties == MAX_PROPERTIES)
    return SUP_SCAN_FAIL(&r->s, "more than %d properties of an element", MAX_PROPERTIES);
  property *p = &e->property[e->num_properties++];
  sup_scan  word = r->s;
  sup_scan_in_line(&word);
  p->is_list = strcmp(word.word, "list") == 0;
  if (p->is_list) {
    r->s = word;
    SUP_TRY(read_type(r, &p->count));
    if (p->count >= FLOAT) return sup_scan_unexpected(&r->s, "a whole number for a list's length");
  }
  SUP_TRY(read_type(r, &p->type));
  if (!sup_scan_in_line(&r->s)) return sup_scan_unexpected(&r->s, "the name of the property");
  memcpy(p->name, r->s.word, sizeof p->name);
  return SUP_OK;
}

static sup_status read_element_line(reader *r) {
  if (r->num_elements == MAX_ELEMENTS)
    return SUP_SCAN_FAIL(&r->s, "more than %d elements", MAX_ELEMENTS);
  element *e = &r->element[r->num_elements++];
  *e = (element){.count = 0};
  if (!sup_scan_in_line(&r->s)) return sup_scan_unexpected(&r->s, "the name of the element");
  memcpy(e->name, r->s.word, sizeof e->name);
  SUP_TRY(
      sup_scan_read_integer(&r->s, "how many there are of the element", 0, INT_MAX / 4, &e->count));
  return SUP_OK;
}

static sup_status read_format(reader *r) {
  sup_scan_in_line(&r->s);
  r->is_big_endian = strcmp(r->s.word, "binary_big_endian") == 0;
  r->is_binary = r->is_big_endian || strcmp(r->s.word, "binary_little_endian") == 0;
  if (!r->is_binary && strcmp(r->s.word, "ascii") != 0)
    return sup_scan_unexpected(&r->s, "ascii, binary_little_endian or binary_big_endian");
  return SUP_OK;
}

static sup_status read_header(reader *r) {
  bool has_format = 0;
  sup_scan_anywhere(&r->s);
  if (strcmp(r->s.word, "ply") != 0) return sup_scan_unexpected(&r->s, "'ply', which begins a PLY");
  while (sup_scan_next_line(&r->s)) {
    if (!sup_scan_in_line(&r->s)) continue;
    const char *word = r->s.word;
    if (strcmp(word, "end_header") == 0) {
      if (!has_format) return sup_scan_unexpected(&r->s, "'format ascii 1.0' before it");
      sup_scan_next_line(&r->s);
      r->at = (const unsigned char *)r->s.at;
      return SUP_OK;
    }
    if (strcmp(word, "format") == 0) {
      SUP_TRY(read_format(r));
      has_format = 1;
    } else if (strcmp(word, "element") == 0) {
      SUP_TRY(read_element_line(r));
    } else if (strcmp(word, "property") == 0) {
      SUP_TRY(read_property(r));
    } else if (strcmp(word, "comment") != 0 && strcmp(word, "obj_info") != 0) {
      return sup_scan_unexpected(&r->s, "element, property, comment or end_header");
    }
  }
  return sup_scan_unexpected(&r->s, "'end_header'; the file is cut off");
}

/* ---- numbers --------------------------------------------------------------------------------- */

/** Little-endian bytes as a number of the type. */
static double decode(const unsigned char *b, number_type type) {
  uint64_t bits = 0;
  for (int k = type_bytes[type] - 1; k >= 0; k--) bits = bits << 8 | b[k];
  switch (type) {
    case INT8:
      return (double)(int8_t)bits;
    case UINT8:
    case UINT16:
    case UINT32:
      return (double)bits;
    case INT16:
      return (double)(int16_t)bits;
    case INT32:
      return (double)(int32_t)bits;
    case FLOAT: {
      uint32_t half = (uint32_t)bits;
      float    value;
      memcpy(&value, &half, sizeof value);
      return (double)value;
    }
    case DOUBLE:
      break;
  }
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static sup_status next_number(reader *r, const element *e, int item, number_type type,
                              double *value) {
  unsigned char bytes[8];
  int           size = type_bytes[type];
  if (!r->is_binary) {
    sup_scan_anywhere(&r->s);
    SUP_TRY(sup_scan_number(&r->s, "a number of the element", value));
    return SUP_OK;
  }
  if ((const unsigned char *)r->s.end - r->at < size)
    return SUP_FAIL(SUP_E_PARSE, "%s: the file ends in %s %d of %d, which its header counts",
                    r->s.name, e->name, item + 1, e->count);
  for (int k = 0; k < size; k++) bytes[k] = r->at[r->is_big_endian ? size - 1 - k : k];
  r->at += size;
  *value = decode(bytes, type);
  return SUP_OK;
}

static sup_status fail_at(const reader *r, const element *e, int item, const char *what,
                          double found) {
  if (!r->is_binary) return SUP_SCAN_FAIL(&r->s, "found %g for %s", found, what);
  return SUP_FAIL(SUP_E_PARSE, "%s: %s %d of %d: found %g for %s", r->s.name, e->name, item + 1,
                  e->count, found, what);
}

/* ---- elements -------------------------------------------------------------------------------- */

/** A polygon is the fan about its first corner. */
static sup_status read_list(reader *r, const element *e, int item, const property *p,
                            bool is_polygon) {
  int    first = SUP_NONE, last = SUP_NONE;
  double count, index;
  SUP_TRY(next_number(r, e, item, p->count, &count));
  if (!(count >= 0 && count <= 1e6))
    return fail_at(r, e, item, "the length of a list, expected 0 or more", count);
  if (is_polygon && count < 3)
    return fail_at(r, e, item, "the corners of a polygon, expected 3 or more", count);
  for (int k = 0; k < (int)count; k++) {
    SUP_TRY(next_number(r, e, item, p->type, &index));
    if (!is_polygon) continue;
    if (!(index >= 0 && index < r->out->num_points) || index != floor(index))
      return fail_at(r, e, item, "a corner, expected the number of a point, counted from 0", index);
    if (k == 0) first = (int)index;
    if (k >= 2) SUP_TRY(sup_triangles_add(r->out, first, last, (int)index));
    last = (int)index;
  }
  return SUP_OK;
}

static sup_status read_item(reader *r, const element *e, int item, bool is_point, bool is_face) {
  double x[3] = {0}, value;
  for (int k = 0; k < e->num_properties; k++) {
    const property *p = &e->property[k];
    if (p->is_list) {
      bool is_polygon = is_face && (strcmp(p->name, "vertex_indices") == 0 ||
                                    strcmp(p->name, "vertex_index") == 0);
      SUP_TRY(read_list(r, e, item, p, is_polygon));
      continue;
    }
    SUP_TRY(next_number(r, e, item, p->type, &value));
    if (!is_point || p->name[1] != '\0' || p->name[0] < 'x' || p->name[0] > 'z') continue;
    if (!isfinite(value))
      return fail_at(r, e, item, "a coordinate, expected a finite number", value);
    x[p->name[0] - 'x'] = value;
  }
  if (is_point) SUP_TRY(sup_triangles_point(r->out, x));
  return SUP_OK;
}

static bool has_property(const element *e, const char *name) {
  for (int k = 0; k < e->num_properties; k++)
    if (strcmp(e->property[k].name, name) == 0) return 1;
  return 0;
}

static sup_status check_elements(const reader *r) {
  int points = SUP_NONE, faces = SUP_NONE;
  for (int i = 0; i < r->num_elements; i++) {
    const element *e = &r->element[i];
    if (strcmp(e->name, "vertex") == 0 && has_property(e, "x") && has_property(e, "y") &&
        has_property(e, "z"))
      points = i;
    if (strcmp(e->name, "face") == 0 &&
        (has_property(e, "vertex_indices") || has_property(e, "vertex_index")))
      faces = i;
  }
  if (points == SUP_NONE || faces == SUP_NONE || faces < points)
    return SUP_FAIL(SUP_E_PARSE,
                    "%s: expected the element vertex with x, y and z, then the element face with "
                    "the list vertex_indices; found no %s; convert a cloud of points or strips of "
                    "triangles to polygons first",
                    r->s.name, points == SUP_NONE ? "such points" : "such faces behind them");
  return SUP_OK;
}

sup_status sup_ply_parse(sup_triangles *t, const char *name, const char *data, size_t size) {
  reader r = {.s = sup_scan_open(name, data, size), .out = t};
  SUP_TRY(read_header(&r));
  SUP_TRY(check_elements(&r));
  for (int i = 0; i < r.num_elements; i++) {
    const element *e = &r.element[i];
    bool is_point = strcmp(e->name, "vertex") == 0, is_face = strcmp(e->name, "face") == 0;
    if (e->num_properties == 0) continue;
    for (int k = 0; k < e->count; k++) SUP_TRY(read_item(&r, e, k, is_point, is_face));
  }
  return SUP_OK;
}
