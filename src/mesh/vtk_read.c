#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "mesh/named_set.h"
#include "mesh/vtk.h"

enum { TOKEN_MAX = 128 };

/** A file in memory and the place of the word that was read last. */
typedef struct reader {
  const char *name, *data;
  size_t      size, at;
  long        line;
  int         binary;
  int         major; /* version: from 5 on, cells are stored as offsets and connectivity */
  char        token[TOKEN_MAX];
  size_t      token_at;
  long        token_line;
} reader;

/** What the sections hold. */
typedef struct content {
  int                  num_points, num_cells;
  double              *x;
  int                 *start;  /* [num_cells + 1] */
  int                 *vertex; /* [start[num_cells]] */
  const sup_cell_kind *kind;   /* of all cells; NULL when there is none */
} content;

/* ---- messages ---------------------------------------------------------------------------------------------------- */

/** Any message about the word or number that was read last. */
static sup_status malformed(const reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static sup_status malformed(const reader *r, const char *format, ...) {
  char    text[640], place[48];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (r->binary)
    snprintf(place, sizeof place, " byte %zu", r->token_at);
  else
    snprintf(place, sizeof place, "%ld", r->token_line);
  return SUP_FAIL(SUP_E_PARSE, "%s:%s: %s", r->name, place, text);
}

/** "found ..., expected ...". */
static sup_status unexpected(const reader *r, const char *expected, ...) __attribute__((format(printf, 2, 3)));
static sup_status unexpected(const reader *r, const char *expected, ...) {
  char    text[384], found[TOKEN_MAX + 2];
  va_list args;
  va_start(args, expected);
  vsnprintf(text, sizeof text, expected, args);
  va_end(args);
  snprintf(found, sizeof found, r->token[0] ? "'%s'" : "the end of the file", r->token);
  for (char *c = found; *c; c++)
    if (*c < ' ' || *c > '~') *c = '?';
  return malformed(r, "found %s, expected %s", found, text);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

static void skip_line(reader *r) {
  while (r->at < r->size && r->data[r->at] != '\n') r->at++;
  if (r->at < r->size) r->at++, r->line++;
}

/** The next word between blanks; empty at the end of the file.  A line that starts a word with # is a comment. */
static void next_token(reader *r) {
  for (;;) {
    while (r->at < r->size && is_blank(r->data[r->at])) r->line += r->data[r->at++] == '\n';
    if (r->at == r->size || r->data[r->at] != '#') break;
    skip_line(r);
  }
  size_t length = 0;
  r->token_at = r->at, r->token_line = r->line;
  for (; r->at < r->size && !is_blank(r->data[r->at]); r->at++)
    if (length < TOKEN_MAX - 1) r->token[length++] = r->data[r->at];
  r->token[length] = '\0';
  /* no number or keyword is that long: make sure that its beginning is not taken for one */
  if (length == TOKEN_MAX - 1) memcpy(r->token + TOKEN_MAX - 4, "...", 4);
}

static int is_word(const reader *r, const char *word) { return strcasecmp(r->token, word) == 0; }

static int parse_integer(const char *text, long long *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  return *text && !is_blank(*text) && *end == '\0' && errno == 0;
}

/** A count of things that take at least `bytes` bytes each: never more than the rest of the file can hold. */
static sup_status read_count(reader *r, const char *what, size_t bytes, int *count) {
  long long value;
  next_token(r);
  if (!parse_integer(r->token, &value) || value < 0) return unexpected(r, "the number of %s", what);
  size_t rest = r->size - r->at;
  if ((unsigned long long)value > (rest + 1) / bytes)
    return unexpected(r, "at most %zu %s: the file has %zu more bytes", (rest + 1) / bytes, what, rest);
  if (value > INT_MAX / SUP_CELL_MAX_VERTICES)
    return unexpected(r, "at most %d %s", INT_MAX / SUP_CELL_MAX_VERTICES, what);
  *count = (int)value;
  return SUP_OK;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

typedef enum number_kind { KIND_BIT, KIND_INTEGER, KIND_FLOAT, KIND_STRING } number_kind;
typedef struct number_type {
  const char *name;
  size_t      bytes;
  number_kind kind;
} number_type;

/** Read the name of a number type. */
static sup_status read_type(reader *r, number_type *type) {
  static const number_type known[] = {{"float", 4, KIND_FLOAT},           {"double", 8, KIND_FLOAT},
                                      {"int", 4, KIND_INTEGER},           {"unsigned_int", 4, KIND_INTEGER},
                                      {"long", 8, KIND_INTEGER},          {"unsigned_long", 8, KIND_INTEGER},
                                      {"vtkIdType", 4, KIND_INTEGER}, /* legacy files store 32 bits */
                                      {"vtktypeint64", 8, KIND_INTEGER},  {"vtktypeuint64", 8, KIND_INTEGER},
                                      {"short", 2, KIND_INTEGER},         {"unsigned_short", 2, KIND_INTEGER},
                                      {"char", 1, KIND_INTEGER},          {"signed_char", 1, KIND_INTEGER},
                                      {"unsigned_char", 1, KIND_INTEGER}, {"bit", 0, KIND_BIT},
                                      {"string", 0, KIND_STRING},         {"utf8_string", 0, KIND_STRING}};
  next_token(r);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (is_word(r, known[i].name)) {
      *type = known[i];
      return SUP_OK;
    }
  return unexpected(r, "a number type such as float, double or int");
}

/** Binary data starts right after the newline of its heading and takes `bytes` bytes; *from is their place. */
static sup_status take_block(reader *r, const char *what, size_t count, size_t bytes_each, size_t *from) {
  while (r->at < r->size && r->data[r->at] != '\n' && is_blank(r->data[r->at])) r->at++;
  if (r->at == r->size || r->data[r->at] != '\n') {
    next_token(r);
    return unexpected(r, "the end of the line before the binary %s", what);
  }
  r->token_at = ++r->at;
  if (bytes_each > 0 && count > (r->size - r->at) / bytes_each)
    return malformed(r, "found %zu bytes to the end of the file, expected %zu x %zu bytes of %s", r->size - r->at,
                     count, bytes_each, what);
  *from = r->at;
  r->at += count * bytes_each;
  return SUP_OK;
}

/** Big-endian unsigned number of up to 8 bytes. */
static uint64_t big_endian(const char *data, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; i++) value = value << 8 | (unsigned char)data[i];
  return value;
}

static double big_endian_float(const char *data, size_t bytes) {
  uint64_t bits = big_endian(data, bytes);
  if (bytes == 8) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  uint32_t low = (uint32_t)bits;
  float    value;
  memcpy(&value, &low, sizeof value);
  return (double)value;
}

static sup_status read_coordinates(reader *r, number_type type, size_t count, double *value) {
  size_t from = 0;
  if (r->binary) SUP_TRY(take_block(r, "point coordinates", count, type.bytes, &from));
  for (size_t i = 0; i < count; i++) {
    int is_number;
    if (r->binary) {
      r->token_at = from + i * type.bytes;
      value[i] = big_endian_float(r->data + r->token_at, type.bytes);
      is_number = isfinite(value[i]);
      if (!is_number) snprintf(r->token, sizeof r->token, "%g", value[i]);
    } else {
      next_token(r);
      is_number = sup_text_number(r->token, value + i);
    }
    if (!is_number) return unexpected(r, "a finite number as %c of point %zu", "xyz"[i % 3], i / 3);
  }
  return SUP_OK;
}

/** Integers one after the other, from words or from a binary block. */
typedef struct integers {
  size_t at, bytes; /* of the next number in a binary block */
} integers;

static sup_status integers_open(reader *r, integers *s, const char *what, number_type type, size_t count) {
  *s = (integers){0, type.bytes};
  if (r->binary) SUP_TRY(take_block(r, what, count, type.bytes, &s->at));
  return SUP_OK;
}

/** The next integer, from lower to upper. */
static sup_status integers_next(reader *r, integers *s, const char *what, int lower, int upper, int *value) {
  long long found = 0;
  int       is_number = 1;
  if (r->binary) {
    uint64_t bits = big_endian(r->data + s->at, s->bytes);
    found = s->bytes == 8 ? (long long)(int64_t)bits : (long long)(int32_t)(uint32_t)bits;
    r->token_at = s->at;
    s->at += s->bytes;
  } else {
    next_token(r);
    is_number = parse_integer(r->token, &found);
  }
  *value = (int)found;
  if (is_number && found >= lower && found <= upper) return SUP_OK;
  if (r->binary) snprintf(r->token, sizeof r->token, "%lld", found);
  return unexpected(r, "%s from %d to %d", what, lower, upper);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static const number_type plain_int = {"int", 4, KIND_INTEGER};

static sup_status read_points(reader *r, content *c) {
  number_type type;
  SUP_TRY(read_count(r, "points", 6, &c->num_points)); /* at least "0 0 0\n" or three floats */
  SUP_TRY(read_type(r, &type));
  if (type.kind != KIND_FLOAT) return unexpected(r, "points of type float or double");
  SUP_TRY(SUP_CALLOC(c->x, 3 * (size_t)c->num_points));
  SUP_TRY(read_coordinates(r, type, 3 * (size_t)c->num_points, c->x));
  return SUP_OK;
}

/** Versions below 5: "CELLS n size", each cell as its number of vertices and then the vertices. */
static sup_status read_cells_inline(reader *r, content *c) {
  int      size, left, used = 0;
  integers s;
  SUP_TRY(read_count(r, "cells", 2, &c->num_cells));
  SUP_TRY(read_count(r, "numbers in CELLS", r->binary ? 4 : 2, &size));
  if (size < c->num_cells)
    return unexpected(r, "at least %d numbers: one for each cell and its vertices", c->num_cells);
  SUP_TRY(SUP_CALLOC(c->start, (size_t)c->num_cells + 1));
  SUP_TRY(SUP_CALLOC(c->vertex, size));
  SUP_TRY(integers_open(r, &s, "cells", plain_int, (size_t)size));
  left = size;
  for (int i = 0; i < c->num_cells; i++) {
    int n;
    if (left == 0) return malformed(r, "the %d numbers of CELLS end before cell %d of %d", size, i, c->num_cells);
    SUP_TRY(integers_next(r, &s, "a number of vertices", 0, left - 1, &n));
    for (int a = 0; a < n; a++) SUP_TRY(integers_next(r, &s, "a vertex", 0, c->num_points - 1, &c->vertex[used++]));
    c->start[i + 1] = used;
    left -= 1 + n;
  }
  if (left == 0) return SUP_OK;
  return malformed(r, "the %d cells take %d numbers, CELLS announces %d", c->num_cells, size - left, size);
}

/** From version 5 on: "CELLS n m", n offsets (one more than cells), m vertices. */
static sup_status read_cells_offsets(reader *r, content *c) {
  int         num_offsets, size, first = 0;
  integers    s;
  number_type type;
  SUP_TRY(read_count(r, "offsets", r->binary ? 4 : 2, &num_offsets));
  SUP_TRY(read_count(r, "vertices in CELLS", r->binary ? 4 : 2, &size));
  c->num_cells = num_offsets > 0 ? num_offsets - 1 : 0;
  SUP_TRY(SUP_CALLOC(c->start, (size_t)c->num_cells + 1));
  SUP_TRY(SUP_CALLOC(c->vertex, size));
  next_token(r);
  if (!is_word(r, "OFFSETS")) return unexpected(r, "OFFSETS");
  SUP_TRY(read_type(r, &type));
  if (type.kind != KIND_INTEGER || type.bytes < 4) return unexpected(r, "vtktypeint64 or int");
  SUP_TRY(integers_open(r, &s, "offsets", type, (size_t)num_offsets));
  for (int i = 0; i < num_offsets; i++) {
    SUP_TRY(integers_next(r, &s, "an offset", first, i == 0 ? 0 : size, &c->start[i]));
    first = c->start[i];
  }
  if (first != size) return malformed(r, "the offsets end at %d, CELLS announces %d vertices", first, size);
  next_token(r);
  if (!is_word(r, "CONNECTIVITY")) return unexpected(r, "CONNECTIVITY");
  SUP_TRY(read_type(r, &type));
  if (type.kind != KIND_INTEGER || type.bytes < 4) return unexpected(r, "vtktypeint64 or int");
  SUP_TRY(integers_open(r, &s, "connectivity", type, (size_t)size));
  for (int k = 0; k < size; k++) SUP_TRY(integers_next(r, &s, "a vertex", 0, c->num_points - 1, &c->vertex[k]));
  return SUP_OK;
}

static const char *cell_type_name(int type) {
  static const char *const names[] = {[1] = "vertex",
                                      [2] = "poly-vertex",
                                      [3] = "line",
                                      [4] = "poly-line",
                                      [5] = "triangle",
                                      [6] = "triangle strip",
                                      [7] = "polygon",
                                      [8] = "pixel",
                                      [9] = "quad",
                                      [10] = "tetrahedron",
                                      [11] = "voxel",
                                      [12] = "hexahedron",
                                      [13] = "wedge",
                                      [14] = "pyramid",
                                      [22] = "quadratic triangle",
                                      [24] = "quadratic tetrahedron",
                                      [25] = "quadratic hexahedron"};
  int                      is_known = type >= 0 && type < (int)(sizeof names / sizeof *names) && names[type];
  return is_known ? names[type] : "unknown";
}

/** NULL: no type that is read. */
static const sup_cell_kind *kind_of(int vtk) {
  for (int type = 0; type < SUP_NUM_CELL_TYPES; type++)
    if (sup_cell_kind_of((sup_cell_type)type)->vtk == vtk) return sup_cell_kind_of((sup_cell_type)type);
  return NULL;
}

static sup_status read_cell_types(reader *r, content *c) {
  int      count;
  integers s;
  SUP_TRY(read_count(r, "cell types", r->binary ? 4 : 2, &count));
  if (count != c->num_cells) return unexpected(r, "%d cell types, one for each cell", c->num_cells);
  SUP_TRY(integers_open(r, &s, "cell types", plain_int, (size_t)count));
  for (int i = 0; i < count; i++) {
    int type, n = c->start[i + 1] - c->start[i];
    SUP_TRY(integers_next(r, &s, "a cell type", 0, 255, &type));
    const sup_cell_kind *kind = kind_of(type);
    if (!kind)
      return malformed(r,
                       "found type %d (%s) for cell %d, expected 10 (tetrahedron), 12 (hexahedron) or 24 (quadratic "
                       "tetrahedron): volume cells only",
                       type, cell_type_name(type), i);
    if (i > 0 && kind != c->kind)
      return malformed(r, "found type %d (%s) for cell %d, expected %d (%s) as for cell 0: one type a file", type,
                       kind->word, i, c->kind->vtk, c->kind->word);
    c->kind = kind;
    if (n != kind->num_vertices)
      return malformed(r, "found cell %d with %d vertices, expected %d for a %s", i, n, kind->num_vertices, kind->word);
  }
  return SUP_OK;
}

/** METADATA runs to the next empty line. */
static void skip_metadata(reader *r) {
  skip_line(r);
  while (r->at < r->size) {
    size_t first = r->at;
    skip_line(r);
    while (first < r->at && is_blank(r->data[first])) first++;
    if (first == r->at) return;
  }
}

/** Numbers of an array that is no set. */
static sup_status pass_numbers(reader *r, number_type type, size_t count) {
  size_t from;
  if (type.kind == KIND_STRING && r->binary)
    return unexpected(r, "an array of numbers: binary strings are not supported");
  if (r->binary && type.kind == KIND_BIT) count = (count + 7) / 8, type.bytes = 1;
  if (r->binary) SUP_TRY(take_block(r, "field data", count, type.bytes, &from));
  if (!r->binary && count > r->size - r->at) return unexpected(r, "an array that fits into the file");
  if (!r->binary && type.kind == KIND_STRING) skip_line(r);
  for (size_t i = 0; i < count && !r->binary; i++) {
    if (type.kind == KIND_STRING)
      skip_line(r);
    else
      next_token(r);
  }
  return SUP_OK;
}

/** The array of a set: not 0 for what belongs to it. */
static sup_status read_set(reader *r, const char *name, number_type type, int count, unsigned char *holds) {
  size_t from = 0;
  if (type.kind != KIND_INTEGER && type.kind != KIND_FLOAT)
    return unexpected(r, "numbers in the array %s%s", SUP_VTK_SET_PREFIX, name);
  if (r->binary) SUP_TRY(take_block(r, "a named set", (size_t)count, type.bytes, &from));
  for (int i = 0; i < count; i++) {
    double value = 0;
    if (r->binary) {
      const char *at = r->data + from + (size_t)i * type.bytes;
      value = type.kind == KIND_FLOAT ? big_endian_float(at, type.bytes) : big_endian(at, type.bytes) != 0;
    } else {
      next_token(r);
      if (!sup_text_number(r->token, &value))
        return unexpected(r, "a number of the array %s%s", SUP_VTK_SET_PREFIX, name);
    }
    holds[i] = value != 0;
  }
  return SUP_OK;
}

/** Names are written with %XX for what is no plain letter. */
static void decode(const char *text, char *name) {
  unsigned code;
  for (; *text; *name++ = (char)code) {
    int is_code = *text == '%' && sscanf(text + 1, "%2x", &code) == 1 && text[2];
    if (!is_code) code = (unsigned char)*text;
    text += is_code ? 3 : 1;
  }
  *name = '\0';
}

/** What point or cell data belong to. */
typedef struct attributes {
  sup_mesh    *mesh; /* NULL: dataset attributes before the cells */
  sup_set_kind kind;
  int          in_set; /* reading a set, which must not fail */
} attributes;

static sup_status read_array(reader *r, attributes *to, const char *token, number_type type, size_t components,
                             size_t tuples) {
  const size_t   length = sizeof SUP_VTK_SET_PREFIX - 1;
  char           name[TOKEN_MAX];
  unsigned char *holds;
  decode(token, name);
  if (!to->mesh || strncmp(name, SUP_VTK_SET_PREFIX, length) != 0 || !name[length]) {
    SUP_TRY(pass_numbers(r, type, components * tuples));
    return SUP_OK;
  }
  int count = sup_mesh_set_size(to->mesh, to->kind);
  to->in_set = 1;
  if (components != 1 || tuples != (size_t)count)
    return malformed(r, "found %zu x %zu numbers in the array %s, expected one for each %s: %d", tuples, components,
                     token, to->kind == SUP_SET_CELLS ? "cell" : "point", count);
  if (sup_mesh_add_set(to->mesh, to->kind, name + length, &holds) != SUP_OK)
    return malformed(r, "%s", sup_error_message());
  SUP_TRY(read_set(r, name + length, type, count, holds));
  to->in_set = 0;
  return SUP_OK;
}

/** "FIELD name n", then n times "name components tuples type" and the numbers. */
static sup_status read_field(reader *r, attributes *to) {
  int arrays;
  next_token(r);
  SUP_TRY(read_count(r, "arrays", 8, &arrays));
  for (int a = 0; a < arrays; a++) {
    int         components, tuples;
    char        name[TOKEN_MAX];
    number_type type;
    next_token(r);
    for (; is_word(r, "METADATA"); next_token(r)) skip_metadata(r);
    memcpy(name, r->token, sizeof name);
    SUP_TRY(read_count(r, "components", 1, &components));
    SUP_TRY(read_count(r, "tuples", 1, &tuples));
    SUP_TRY(read_type(r, &type));
    SUP_TRY(read_array(r, to, name, type, (size_t)components, (size_t)tuples));
  }
  return SUP_OK;
}

/* ---- attributes: only named sets are kept ------------------------------------------------------------------------ */

/** The next number when it stands on this line. */
static int number_in_line(reader *r, int absent) {
  long long value = absent;
  size_t    at = r->at;
  while (at < r->size && (r->data[at] == ' ' || r->data[at] == '\t' || r->data[at] == '\r')) at++;
  if (at == r->size || r->data[at] == '\n') return absent;
  next_token(r);
  return parse_integer(r->token, &value) && value > 0 && value < 100 ? (int)value : absent;
}

/** "SCALARS name type components", "VECTORS name type" and their like, with the numbers. */
static sup_status read_attribute(reader *r, attributes *to) {
  static const struct {
    const char *word;
    int         components; /* 0: on the line */
  } known[] = {{"SCALARS", 0},  {"VECTORS", 3},    {"NORMALS", 3},     {"TENSORS", 9},
               {"TENSORS6", 6}, {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}};
  char        name[TOKEN_MAX];
  number_type type;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    int components = known[k].components;
    if (!is_word(r, known[k].word)) continue;
    next_token(r);
    memcpy(name, r->token, sizeof name);
    SUP_TRY(read_type(r, &type));
    if (components == 0) {
      components = number_in_line(r, 1);
      reader ahead = *r;
      next_token(&ahead);
      if (is_word(&ahead, "LOOKUP_TABLE")) {
        next_token(&ahead);
        *r = ahead;
      }
    }
    SUP_TRY(read_array(r, to, name, type, (size_t)components, (size_t)sup_mesh_set_size(to->mesh, to->kind)));
    return SUP_OK;
  }
  return unexpected(r, "SCALARS, VECTORS, TENSORS or FIELD");
}

static sup_status read_attributes(reader *r, attributes *to) {
  for (next_token(r); r->token[0]; next_token(r)) {
    int is_points = is_word(r, "POINT_DATA"), count;
    if (is_points || is_word(r, "CELL_DATA")) {
      to->kind = is_points ? SUP_SET_VERTICES : SUP_SET_CELLS;
      SUP_TRY(read_count(r, "points or cells", 1, &count));
      if (count != sup_mesh_set_size(to->mesh, to->kind))
        return unexpected(r, "the number of %s: %d", is_points ? "points" : "cells",
                          sup_mesh_set_size(to->mesh, to->kind));
    } else if (is_word(r, "METADATA")) {
      skip_metadata(r);
    } else if (is_word(r, "FIELD")) {
      SUP_TRY(read_field(r, to));
    } else {
      SUP_TRY(read_attribute(r, to));
    }
  }
  return SUP_OK;
}

/** A file may hold what is not known here: only a set that cannot be read is an error. */
static sup_status read_sets(reader *r, sup_mesh *mesh) {
  attributes to = {.mesh = mesh};
  sup_status status = read_attributes(r, &to);
  if (status == SUP_OK || to.in_set) return status;
  sup_log(SUP_LOG_NOTE, "attributes from here on are not read: %s", sup_error_message());
  return SUP_OK;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

/** Copy the next line into r->token without its end. */
static void next_line(reader *r) {
  size_t start = r->at, length;
  r->token_at = start, r->token_line = r->line;
  skip_line(r);
  length = r->at - start;
  while (length > 0 && is_blank(r->data[start + length - 1])) length--;
  if (length > TOKEN_MAX - 1) length = TOKEN_MAX - 1;
  memcpy(r->token, r->data + start, length);
  r->token[length] = '\0';
}

static sup_status read_heading(reader *r) {
  static const char magic[] = "# vtk DataFile Version ";
  next_line(r);
  if (strncasecmp(r->token, magic, sizeof magic - 1) != 0)
    return unexpected(r, "'%s2.0' to '5.1' (a legacy VTK file)", magic);
  r->major = atoi(r->token + sizeof magic - 1);
  if (r->major < 1 || r->major > 5) return unexpected(r, "a version from 2.0 to 5.1");
  next_line(r); /* title */
  next_token(r);
  r->binary = is_word(r, "BINARY");
  if (!r->binary && !is_word(r, "ASCII")) return unexpected(r, "ASCII or BINARY");
  next_token(r);
  if (!is_word(r, "DATASET")) return unexpected(r, "DATASET");
  next_token(r);
  if (!is_word(r, "UNSTRUCTURED_GRID")) return unexpected(r, "UNSTRUCTURED_GRID, a mesh of volume cells");
  return SUP_OK;
}

static sup_status read_sections(reader *r, content *c) {
  int has_points = 0, has_cells = 0, has_types = 0;
  while (!has_types) {
    const char *wanted = !has_points ? "POINTS" : !has_cells ? "CELLS" : "CELL_TYPES";
    next_token(r);
    if (is_word(r, "METADATA")) {
      skip_metadata(r);
    } else if (is_word(r, "FIELD")) {
      SUP_TRY(read_field(r, &(attributes){0}));
    } else if (!is_word(r, wanted)) {
      return unexpected(r, "%s", wanted);
    } else if (!has_points) {
      SUP_TRY(read_points(r, c));
      has_points = 1;
    } else if (!has_cells) {
      if (r->major < 5)
        SUP_TRY(read_cells_inline(r, c));
      else
        SUP_TRY(read_cells_offsets(r, c));
      has_cells = 1;
    } else {
      SUP_TRY(read_cell_types(r, c));
      has_types = 1;
    }
  }
  return SUP_OK;
}

sup_status sup_vtk_parse_mesh(sup_mesh **mesh, const char *name, const char *data, size_t size,
                              sup_mesh_repair *repair) {
  reader     r = {.name = name, .data = size > 0 ? data : "", .size = size, .line = 1};
  content    c = {0};
  sup_status status;
  *mesh = NULL;
  SUP_TRY_GOTO(read_heading(&r), status, done);
  SUP_TRY_GOTO(read_sections(&r, &c), status, done);
  if (c.num_cells == 0) {
    status = malformed(&r, "the mesh has no cells");
    goto done;
  }
  SUP_TRY_GOTO(sup_mesh_create(mesh, c.kind->type, c.num_points, c.num_cells), status, done);
  memcpy((*mesh)->x, c.x, 3 * (size_t)c.num_points * sizeof *c.x);
  memcpy((*mesh)->cell, c.vertex, (size_t)c.start[c.num_cells] * sizeof *c.vertex);
  SUP_TRY_GOTO(read_sets(&r, *mesh), status, done);
  status = sup_mesh_clean(*mesh, repair);
  if (status != SUP_OK) status = SUP_FAIL(status, "%s: %s", name, sup_error_message());
done:
  if (status != SUP_OK) sup_mesh_destroy(mesh);
  SUP_FREE(c.x);
  SUP_FREE(c.start);
  SUP_FREE(c.vertex);
  return status;
}

sup_status sup_vtk_read_mesh(sup_mesh **mesh, const char *path, sup_mesh_repair *repair) {
  char  *data;
  size_t size;
  *mesh = NULL;
  SUP_TRY(sup_file_read(path, &data, &size));
  sup_status status = sup_vtk_parse_mesh(mesh, path, data, size, repair);
  SUP_FREE(data);
  SUP_TRY(status);
  return SUP_OK;
}
