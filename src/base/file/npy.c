#include "base/file/npy.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/** Type of an element in bytes. */
typedef struct element {
  char   kind; /* f, i, u, b, S */
  size_t size; /* bytes */
  int    is_swapped;
} element;

typedef struct parser {
  const char          *where;
  const unsigned char *data;
  size_t               size, at, end; /* of the header */
} parser;

static int host_is_little(void) {
  const uint16_t one = 1;
  return *(const unsigned char *)&one == 1;
}

/* ---- the header: a literal of a Python dictionary -------------------------------------------- */

static sup_status expected(const parser *p, const char *what) {
  char found[24];
  if (p->at >= p->end) {
    snprintf(found, sizeof found, "the end");
  } else {
    int c = p->data[p->at];
    snprintf(found, sizeof found, c >= 32 && c < 127 ? "'%c'" : "the byte 0x%02x", c);
  }
  return SUP_FAIL(SUP_E_PARSE, "%s:%zu: found %s, expected %s", p->where, p->at, found, what);
}

static void skip_blanks(parser *p) {
  while (p->at < p->end && (p->data[p->at] == ' ' || p->data[p->at] == '\n')) p->at++;
}

static int accept(parser *p, char c) {
  skip_blanks(p);
  if (p->at >= p->end || p->data[p->at] != (unsigned char)c) return 0;
  p->at++;
  return 1;
}

static int accept_word(parser *p, const char *word) {
  size_t length = strlen(word);
  skip_blanks(p);
  if (p->end - p->at < length || memcmp(p->data + p->at, word, length) != 0) return 0;
  p->at += length;
  return 1;
}

/** 'text' or "text" without escapes. */
static sup_status parse_string(parser *p, char *out, size_t size) {
  size_t length = 0;
  skip_blanks(p);
  char quote = p->at < p->end ? (char)p->data[p->at] : 0;
  if (quote != '\'' && quote != '"') return expected(p, "a text in quotes");
  for (p->at++; p->at < p->end && p->data[p->at] != (unsigned char)quote; p->at++) {
    if (p->data[p->at] < 32 || p->data[p->at] > 126 || p->data[p->at] == '\\' || length + 1 >= size)
      return expected(p, "the closing quote of a short text");
    out[length++] = (char)p->data[p->at];
  }
  if (p->at >= p->end) return expected(p, "a closing quote");
  p->at++;
  out[length] = '\0';
  return SUP_OK;
}

static sup_status parse_size(parser *p, size_t *out) {
  size_t value = 0, digits = 0;
  skip_blanks(p);
  for (; p->at < p->end && p->data[p->at] >= '0' && p->data[p->at] <= '9'; p->at++, digits++) {
    if (value > SIZE_MAX / 16) return expected(p, "a size that memory can hold");
    value = 10 * value + (size_t)(p->data[p->at] - '0');
  }
  if (digits == 0) return expected(p, "a size");
  *out = value;
  return SUP_OK;
}

static sup_status parse_shape(parser *p, sup_npy *array) {
  if (!accept(p, '(')) return expected(p, "'(' of the shape");
  while (!accept(p, ')')) {
    if (array->num_dimensions == SUP_NPY_MAX_DIMENSIONS)
      return expected(p, "')' after at most 4 dimensions");
    SUP_TRY(parse_size(p, &array->shape[array->num_dimensions++]));
    if (accept(p, ',')) continue;
    if (array->num_dimensions == 1) return expected(p, "',' behind the only dimension");
    if (!accept(p, ')')) return expected(p, "',' or ')'");
    return SUP_OK;
  }
  return SUP_OK;
}

/** "<f8": byte order, kind, bytes. */
static sup_status parse_type(parser *p, element *e) {
  static const char known[] = "f4, f8, i1 to i8, u1 to u8, b1 or S of 1 to 4096 bytes";
  char              text[24];
  size_t            start;
  if (accept(p, '[')) {
    p->at--;
    return expected(p, "one type: arrays of records are not read");
  }
  start = p->at;
  SUP_TRY(parse_string(p, text, sizeof text));
  char        order = text[0] && strchr("<>=|", text[0]) ? text[0] : '=';
  const char *type = text + (text[0] && strchr("<>=|", text[0]) ? 1 : 0);
  char       *end = NULL;
  long        size = type[0] && type[1] >= '0' && type[1] <= '9' ? strtol(type + 1, &end, 10) : 0;
  bool        is_known = 0;
  if (end && *end == '\0') {
    if (type[0] == 'f') is_known = size == 4 || size == 8;
    if (type[0] == 'i' || type[0] == 'u')
      is_known = size == 1 || size == 2 || size == 4 || size == 8;
    if (type[0] == 'b') is_known = size == 1;
    if (type[0] == 'S') is_known = size >= 1 && size <= 4096;
  }
  if (!is_known)
    return SUP_FAIL(SUP_E_PARSE, "%s:%zu: found elements of the type '%s', expected %s", p->where,
                    start, text, known);
  *e = (element){type[0], (size_t)size, 0};
  if (type[0] != 'S')
    e->is_swapped = (order == '>' && host_is_little()) || (order == '<' && !host_is_little());
  return SUP_OK;
}

static sup_status parse_boolean(parser *p, bool *out) {
  if (accept_word(p, "True"))
    *out = 1;
  else if (accept_word(p, "False"))
    *out = 0;
  else
    return expected(p, "True or False");
  return SUP_OK;
}

static sup_status parse_dictionary(parser *p, sup_npy *array, element *e, bool *is_fortran) {
  static const char *const keys[] = {"descr", "fortran_order", "shape"};
  unsigned                 seen = 0;
  if (!accept(p, '{')) return expected(p, "'{' of the header");
  while (!accept(p, '}')) {
    char   key[24];
    int    which = 0;
    size_t start = p->at;
    SUP_TRY(parse_string(p, key, sizeof key));
    while (which < 3 && strcmp(key, keys[which]) != 0) which++;
    if (which == 3 || seen & 1u << which)
      return SUP_FAIL(SUP_E_PARSE,
                      "%s:%zu: found the key '%s', expected each of descr, fortran_order and shape "
                      "once",
                      p->where, start, key);
    seen |= 1u << which;
    if (!accept(p, ':')) return expected(p, "':' behind a key");
    SUP_TRY(which == 0   ? parse_type(p, e)
            : which == 1 ? parse_boolean(p, is_fortran)
                         : parse_shape(p, array));
    if (accept(p, ',')) continue;
    if (!accept(p, '}')) return expected(p, "',' or '}'");
    break;
  }
  if (seen != 7) return expected(p, "descr, fortran_order and shape before the end of the header");
  skip_blanks(p);
  return p->at == p->end ? SUP_OK : expected(p, "nothing but blanks behind the header");
}

/** Magic, version, length; p->at and p->end are then the dictionary's. */
static sup_status parse_preamble(parser *p) {
  static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  p->end = p->size;
  for (; p->at < sizeof magic; p->at++)
    if (p->at >= p->size || p->data[p->at] != magic[p->at])
      return expected(p, "the first bytes of an array of numpy, 0x93 NUMPY");
  if (p->size < 10) return p->at = p->size, expected(p, "a version and the length of the header");
  int major = p->data[6];
  if (major < 1 || major > 3) return expected(p, "a version from 1 to 3");
  size_t first = major == 1 ? 10 : 12, length = 0;
  if (p->size < first) return p->at = p->size, expected(p, "the length of the header");
  for (size_t k = first; k-- > 8;) length = 256 * length + p->data[k];
  if (length > p->size - first)
    return SUP_FAIL(SUP_E_PARSE,
                    "%s:8: found a header of %zu bytes, expected at most %zu, what is "
                    "left of the array",
                    p->where, length, p->size - first);
  p->at = first, p->end = first + length;
  return SUP_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

static double value_of(const element *e, const unsigned char *bytes) {
  unsigned char b[8];
  for (size_t k = 0; k < e->size; k++) b[k] = bytes[e->is_swapped ? e->size - 1 - k : k];
#define AS(type)             \
  do {                       \
    type x;                  \
    memcpy(&x, b, sizeof x); \
    return (double)x;        \
  } while (0)
  switch (e->kind) {
    case 'f':
      if (e->size == 4) AS(float);
      AS(double);
    case 'i':
      if (e->size == 1) AS(int8_t);
      if (e->size == 2) AS(int16_t);
      if (e->size == 4) AS(int32_t);
      AS(int64_t);
    default:
      if (e->size == 1) AS(uint8_t);
      if (e->size == 2) AS(uint16_t);
      if (e->size == 4) AS(uint32_t);
      AS(uint64_t);
  }
#undef AS
}

/** Place in the file of element j, which is in C order. */
static size_t place_of(const sup_npy *array, size_t j, bool is_fortran) {
  size_t place = 0, stride = 1, index[SUP_NPY_MAX_DIMENSIONS];
  if (!is_fortran || array->num_dimensions < 2) return j;
  for (int d = array->num_dimensions; d-- > 0;)
    index[d] = j % array->shape[d], j /= array->shape[d];
  for (int d = 0; d < array->num_dimensions; d++)
    place += index[d] * stride, stride *= array->shape[d];
  return place;
}

static sup_status take_values(sup_npy *array, const element *e, bool is_fortran,
                              const unsigned char *data) {
  if (e->kind == 'S') {
    array->width = e->size;
    SUP_TRY(SUP_CALLOC(array->text, array->count * (e->size + 1)));
    for (size_t j = 0; j < array->count; j++)
      memcpy(array->text + j * (e->size + 1), data + place_of(array, j, is_fortran) * e->size,
             e->size);
    return SUP_OK;
  }
  SUP_TRY(SUP_CALLOC(array->number, array->count));
  for (size_t j = 0; j < array->count; j++)
    array->number[j] = value_of(e, data + place_of(array, j, is_fortran) * e->size);
  return SUP_OK;
}

sup_status sup_npy_parse(sup_npy *array, const char *where, const void *data, size_t size) {
  parser  p = {where, data, size, 0, 0};
  element e = {0};
  bool    is_fortran = 0;
  *array = (sup_npy){.count = 1};
  SUP_TRY(parse_preamble(&p));
  SUP_TRY(parse_dictionary(&p, array, &e, &is_fortran));
  size_t have = size - p.end;
  for (int d = 0; d < array->num_dimensions; d++) {
    int fits = array->shape[d] == 0 || array->count <= SIZE_MAX / array->shape[d];
    array->count = fits ? array->count * array->shape[d] : SIZE_MAX;
  }
  if (have % e.size != 0 || array->count != have / e.size)
    return SUP_FAIL(SUP_E_PARSE,
                    "%s:%zu: found %zu bytes of values, expected %zu elements of %zu bytes each",
                    where, p.end, have, array->count, e.size);
  SUP_TRY(take_values(array, &e, is_fortran, p.data + p.end));
  return SUP_OK;
}

void sup_npy_free(sup_npy *array) { SUP_FREE_ALL(&array->number, &array->text); }

void sup_npy_header(char out[SUP_NPY_HEADER_SIZE], const char *type, int num_dimensions,
                    const size_t *shape) {
  static const char magic[8] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  enum { LENGTH = SUP_NPY_HEADER_SIZE - 10 };
  char   text[SUP_NPY_HEADER_SIZE];
  size_t used;
  SUP_ASSERT(num_dimensions <= SUP_NPY_MAX_DIMENSIONS && strlen(type) <= 8);
  snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
  used = strlen(text);
  for (int d = 0; d < num_dimensions; d++)
    used += (size_t)snprintf(text + used, sizeof text - used, d ? " %zu," : "%zu,", shape[d]);
  snprintf(text + used, sizeof text - used, "), }");
  used = strlen(text);
  SUP_ASSERT(used < LENGTH);
  memcpy(out, magic, sizeof magic);
  out[8] = LENGTH, out[9] = 0;
  memset(out + 10, ' ', LENGTH);
  memcpy(out + 10, text, used);
  out[SUP_NPY_HEADER_SIZE - 1] = '\n';
}
