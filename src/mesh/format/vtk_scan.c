#include "mesh/format/vtk_scan.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "mesh/cell.h"

/* ---- messages -------------------------------------------------------------------------------- */

sup_status sup_vtk_malformed(const sup_vtk_scan *r, const char *format, ...) {
  char    text[640], place[48];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (r->binary)
    snprintf(place, sizeof place, " byte %zu", r->word_at);
  else
    snprintf(place, sizeof place, "%ld", r->word_line);
  return SUP_FAIL(SUP_E_PARSE, "%s:%s: %s", r->name, place, text);
}

sup_status sup_vtk_unexpected(const sup_vtk_scan *r, const char *expected, ...) {
  char    text[384], found[SUP_VTK_WORD_MAX + 2];
  va_list args;
  va_start(args, expected);
  vsnprintf(text, sizeof text, expected, args);
  va_end(args);
  snprintf(found, sizeof found, r->word[0] ? "'%s'" : "the end of the file", r->word);
  for (char *c = found; *c; c++)
    if (*c < ' ' || *c > '~') *c = '?';
  return sup_vtk_malformed(r, "found %s, expected %s", found, text);
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static void skip_line(sup_vtk_scan *r) {
  while (r->at < r->size && r->data[r->at] != '\n') r->at++;
  if (r->at < r->size) r->at++, r->line++;
}

void sup_vtk_next_word(sup_vtk_scan *r) {
  for (;;) {
    while (r->at < r->size && is_blank(r->data[r->at])) r->line += r->data[r->at++] == '\n';
    if (r->at == r->size || r->data[r->at] != '#') break;
    skip_line(r);
  }
  size_t length = 0;
  r->word_at = r->at, r->word_line = r->line;
  for (; r->at < r->size && !is_blank(r->data[r->at]); r->at++)
    if (length < SUP_VTK_WORD_MAX - 1) r->word[length++] = r->data[r->at];
  r->word[length] = '\0';
  /* no number or keyword is that long: make sure that its beginning is not taken for one */
  if (length == SUP_VTK_WORD_MAX - 1) memcpy(r->word + SUP_VTK_WORD_MAX - 4, "...", 4);
}

bool sup_vtk_is_word(const sup_vtk_scan *r, const char *word) {
  return strcasecmp(r->word, word) == 0;
}

static int parse_integer(const char *text, long long *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  return *text && !is_blank(*text) && *end == '\0' && errno == 0;
}

sup_status sup_vtk_read_count(sup_vtk_scan *r, const char *what, size_t bytes, int *count) {
  long long value;
  sup_vtk_next_word(r);
  if (!parse_integer(r->word, &value) || value < 0)
    return sup_vtk_unexpected(r, "the number of %s", what);
  size_t rest = r->size - r->at;
  if ((unsigned long long)value > (rest + 1) / bytes)
    return sup_vtk_unexpected(r, "at most %zu %s: the file has %zu more bytes", (rest + 1) / bytes,
                              what, rest);
  if (value > INT_MAX / SUP_CELL_MAX_VERTICES)
    return sup_vtk_unexpected(r, "at most %d %s", INT_MAX / SUP_CELL_MAX_VERTICES, what);
  *count = (int)value;
  return SUP_OK;
}

void sup_vtk_next_line(sup_vtk_scan *r) {
  size_t start = r->at, length;
  r->word_at = start, r->word_line = r->line;
  skip_line(r);
  length = r->at - start;
  while (length > 0 && is_blank(r->data[start + length - 1])) length--;
  if (length > SUP_VTK_WORD_MAX - 1) length = SUP_VTK_WORD_MAX - 1;
  memcpy(r->word, r->data + start, length);
  r->word[length] = '\0';
}

void sup_vtk_skip_paragraph(sup_vtk_scan *r) {
  skip_line(r);
  while (r->at < r->size) {
    size_t first = r->at;
    skip_line(r);
    while (first < r->at && is_blank(r->data[first])) first++;
    if (first == r->at) return;
  }
}

int sup_vtk_number_in_line(sup_vtk_scan *r, int absent) {
  long long value = absent;
  size_t    at = r->at;
  while (at < r->size && (r->data[at] == ' ' || r->data[at] == '\t' || r->data[at] == '\r')) at++;
  if (at == r->size || r->data[at] == '\n') return absent;
  sup_vtk_next_word(r);
  return parse_integer(r->word, &value) && value > 0 && value < 100 ? (int)value : absent;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

sup_status sup_vtk_read_type(sup_vtk_scan *r, sup_vtk_type *type) {
  static const sup_vtk_type known[] = {
      {"float", 4, SUP_VTK_FLOAT},           {"double", 8, SUP_VTK_FLOAT},
      {"int", 4, SUP_VTK_INTEGER},           {"unsigned_int", 4, SUP_VTK_INTEGER},
      {"long", 8, SUP_VTK_INTEGER},          {"unsigned_long", 8, SUP_VTK_INTEGER},
      {"vtkIdType", 4, SUP_VTK_INTEGER}, /* legacy files store 32 bits */
      {"vtktypeint64", 8, SUP_VTK_INTEGER},  {"vtktypeuint64", 8, SUP_VTK_INTEGER},
      {"short", 2, SUP_VTK_INTEGER},         {"unsigned_short", 2, SUP_VTK_INTEGER},
      {"char", 1, SUP_VTK_INTEGER},          {"signed_char", 1, SUP_VTK_INTEGER},
      {"unsigned_char", 1, SUP_VTK_INTEGER}, {"bit", 0, SUP_VTK_BIT},
      {"string", 0, SUP_VTK_STRING},         {"utf8_string", 0, SUP_VTK_STRING}};
  sup_vtk_next_word(r);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (sup_vtk_is_word(r, known[i].name)) {
      *type = known[i];
      return SUP_OK;
    }
  return sup_vtk_unexpected(r, "a number type such as float, double or int");
}

/** Binary data starts right after the newline of its heading and takes `bytes` bytes; *from is
 * their place. */
static sup_status take_block(sup_vtk_scan *r, const char *what, size_t count, size_t bytes_each,
                             size_t *from) {
  while (r->at < r->size && r->data[r->at] != '\n' && is_blank(r->data[r->at])) r->at++;
  if (r->at == r->size || r->data[r->at] != '\n') {
    sup_vtk_next_word(r);
    return sup_vtk_unexpected(r, "the end of the line before the binary %s", what);
  }
  r->word_at = ++r->at;
  if (bytes_each > 0 && count > (r->size - r->at) / bytes_each)
    return sup_vtk_malformed(
        r, "found %zu bytes to the end of the file, expected %zu x %zu bytes of %s",
        r->size - r->at, count, bytes_each, what);
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

sup_status sup_vtk_read_coordinates(sup_vtk_scan *r, sup_vtk_type type, size_t count,
                                    double *value) {
  size_t from = 0;
  if (r->binary) SUP_TRY(take_block(r, "point coordinates", count, type.bytes, &from));
  for (size_t i = 0; i < count; i++) {
    bool is_number;
    if (r->binary) {
      r->word_at = from + i * type.bytes;
      value[i] = big_endian_float(r->data + r->word_at, type.bytes);
      is_number = isfinite(value[i]);
      if (!is_number) snprintf(r->word, sizeof r->word, "%g", value[i]);
    } else {
      sup_vtk_next_word(r);
      is_number = sup_text_number(r->word, value + i);
    }
    if (!is_number)
      return sup_vtk_unexpected(r, "a finite number as %c of point %zu", "xyz"[i % 3], i / 3);
  }
  return SUP_OK;
}

sup_status sup_vtk_run_open(sup_vtk_scan *r, sup_vtk_run *s, const char *what, sup_vtk_type type,
                            size_t count) {
  *s = (sup_vtk_run){0, type.bytes};
  if (r->binary) SUP_TRY(take_block(r, what, count, type.bytes, &s->at));
  return SUP_OK;
}

sup_status sup_vtk_run_next(sup_vtk_scan *r, sup_vtk_run *s, const char *what, int lower, int upper,
                            int *value) {
  long long found = 0;
  bool      is_number = 1;
  if (r->binary) {
    uint64_t bits = big_endian(r->data + s->at, s->bytes);
    found = s->bytes == 8 ? (long long)(int64_t)bits : (long long)(int32_t)(uint32_t)bits;
    r->word_at = s->at;
    s->at += s->bytes;
  } else {
    sup_vtk_next_word(r);
    is_number = parse_integer(r->word, &found);
  }
  *value = (int)found;
  if (is_number && found >= lower && found <= upper) return SUP_OK;
  if (r->binary) snprintf(r->word, sizeof r->word, "%lld", found);
  return sup_vtk_unexpected(r, "%s from %d to %d", what, lower, upper);
}

sup_status sup_vtk_pass_numbers(sup_vtk_scan *r, sup_vtk_type type, size_t count) {
  size_t from;
  if (type.kind == SUP_VTK_STRING && r->binary)
    return sup_vtk_unexpected(r, "an array of numbers: binary strings are not supported");
  if (r->binary && type.kind == SUP_VTK_BIT) count = (count + 7) / 8, type.bytes = 1;
  if (r->binary) SUP_TRY(take_block(r, "field data", count, type.bytes, &from));
  if (!r->binary && count > r->size - r->at)
    return sup_vtk_unexpected(r, "an array that fits into the file");
  if (!r->binary && type.kind == SUP_VTK_STRING) skip_line(r);
  for (size_t i = 0; i < count && !r->binary; i++) {
    if (type.kind == SUP_VTK_STRING)
      skip_line(r);
    else
      sup_vtk_next_word(r);
  }
  return SUP_OK;
}

sup_status sup_vtk_read_flags(sup_vtk_scan *r, const char *name, sup_vtk_type type, int count,
                              unsigned char *member) {
  size_t from = 0;
  if (type.kind != SUP_VTK_INTEGER && type.kind != SUP_VTK_FLOAT)
    return sup_vtk_unexpected(r, "numbers in the array %s", name);
  if (r->binary) SUP_TRY(take_block(r, "a named set", (size_t)count, type.bytes, &from));
  for (int i = 0; i < count; i++) {
    double value = 0;
    if (r->binary) {
      const char *at = r->data + from + (size_t)i * type.bytes;
      value = type.kind == SUP_VTK_FLOAT ? big_endian_float(at, type.bytes)
                                         : big_endian(at, type.bytes) != 0;
    } else {
      sup_vtk_next_word(r);
      if (!sup_text_number(r->word, &value))
        return sup_vtk_unexpected(r, "a number of the array %s", name);
    }
    member[i] = value != 0;
  }
  return SUP_OK;
}
