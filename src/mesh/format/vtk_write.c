#define _DEFAULT_SOURCE /* htobe64 */
#include <endian.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/format/vtk.h"
#include "mesh/format/vtk_floats.h"
#include "mesh/named_set.h"

enum { TITLE_MAX = 255, RECORD_MAX = 1 << 25 };

/* ---- bytes and numbers ----------------------------------------------------------------------- */

/** Add to a record; one that gets too large, or for which there is no memory, is given up. */
static void keep(sup_vtk_record *r, const void *bytes, size_t size) {
  if (r->is_too_large) return;
  if (r->size + size > RECORD_MAX || SUP_GROW(r->bytes, r->capacity, r->size + size) != SUP_OK) {
    sup_vtk_record_free(r);
    r->is_too_large = 1;
    return;
  }
  memcpy(r->bytes + r->size, bytes, size);
  r->size += size;
}

/* Write bytes; the file stores failures and reports them when committed. */
static void put_bytes(sup_vtk_writer *w, const void *bytes, size_t size) {
  sup_file_add(&w->out, bytes, size);
  if (w->record) keep(w->record, bytes, size);
}

static void put_text(sup_vtk_writer *w, const char *text) { put_bytes(w, text, strlen(text)); }

/* Write a whole number without printf: a frame has some thirty, for which printf takes as long as
 * the numbers of a small body. */
static void put_integer(sup_vtk_writer *w, long long value) {
  char               digit[24];
  size_t             at = sizeof digit;
  unsigned long long size = value < 0 ? -(unsigned long long)value : (unsigned long long)value;
  do digit[--at] = (char)('0' + size % 10);
  while ((size /= 10) > 0);
  if (value < 0) digit[--at] = '-';
  put_bytes(w, digit + at, sizeof digit - at);
}

/** "WORD count" */
static void put_count(sup_vtk_writer *w, const char *word, long long count) {
  put_text(w, word), put_text(w, " "), put_integer(w, count);
}

/** Words that are converted at a time, in the file's own room. */
enum { BLOCK = 2048 };

/** Bytes that stand in the file's room by now. */
static void put_done(sup_vtk_writer *w, const unsigned char *bytes, size_t size) {
  if (w->record) keep(w->record, bytes, size);
}

static void put_ints_binary(sup_vtk_writer *w, size_t count, const int *value) {
  for (size_t done = 0; done < count; done += BLOCK) {
    size_t         n = count - done < BLOCK ? count - done : BLOCK;
    unsigned char *to = sup_file_reserve(&w->out, n * sizeof(uint32_t));
    for (size_t i = 0; i < n; i++) {
      uint32_t bits = htobe32((uint32_t)value[done + i]);
      memcpy(to + i * sizeof bits, &bits, sizeof bits);
    }
    put_done(w, to, n * sizeof(uint32_t));
  }
}

/** Write numbers as text on one line. */
static void put_ints(sup_vtk_writer *w, size_t count, const int *value) {
  if (w->binary) {
    put_ints_binary(w, count, value);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    put_integer(w, value[i]);
    if (i + 1 < count) put_text(w, " ");
  }
}

static double finite_or_zero(sup_vtk_writer *w, double value) {
  if (isfinite(value)) return value;
  w->nonfinite++;
  return 0;
}

static void put_doubles_binary(sup_vtk_writer *w, size_t count, const double *value) {
  for (size_t done = 0; done < count; done += BLOCK) {
    size_t         n = count - done < BLOCK ? count - done : BLOCK;
    unsigned char *to = sup_file_reserve(&w->out, n * sizeof(uint64_t));
    for (size_t i = 0; i < n; i++) {
      double   d = finite_or_zero(w, value[done + i]);
      uint64_t bits;
      memcpy(&bits, &d, sizeof bits);
      bits = htobe64(bits);
      memcpy(to + i * sizeof bits, &bits, sizeof bits);
    }
    put_done(w, to, n * sizeof(uint64_t));
  }
}

/** The nearest float; a number beyond all becomes the largest. */
static float to_single(sup_vtk_writer *w, double value) {
  double finite = finite_or_zero(w, value);
  return (float)fmin(fmax(finite, -(double)FLT_MAX), (double)FLT_MAX);
}

static void put_single(sup_vtk_writer *w, double value, unsigned char *to) {
  float    f = to_single(w, value);
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  bits = htobe32(bits);
  memcpy(to, &bits, sizeof bits);
}

/** Convert to floats and detect values that are not finite at the same time; most arrays have none.
 */
static void put_floats_binary(sup_vtk_writer *w, size_t count, const double *value) {
  for (size_t done = 0; done < count; done += BLOCK) {
    size_t         n = count - done < BLOCK ? count - done : BLOCK;
    unsigned char *to = sup_file_reserve(&w->out, n * sizeof(float));
    bool           is_good = sup_vtk_floats(n, value + done, to);
    for (size_t i = is_good ? n : 0; i < n; i++)
      put_single(w, value[done + i], to + i * sizeof(float));
    put_done(w, to, n * sizeof(float));
  }
}

/** In text.  A decimal comma would end every reader: the numbers are written in the C locale
 * whatever the program's locale is. */
static void put_doubles_text(sup_vtk_writer *w, int count, int width, const double *value) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0), old = uselocale(c_locale);
  for (size_t i = 0; i < (size_t)count * (size_t)width; i++) {
    char   text[40];
    double v = w->is_single ? (double)to_single(w, value[i]) : finite_or_zero(w, value[i]);
    snprintf(text, sizeof text, "%.*g", w->is_single ? 9 : 17, v);
    put_text(w, text), put_text(w, (i + 1) % (size_t)width > 0 ? " " : "\n");
  }
  uselocale(old);
  if (c_locale) freelocale(c_locale);
}

/** Rows of `width` numbers, then a newline. */
static void put_doubles(sup_vtk_writer *w, int count, int width, const double *value) {
  size_t numbers = (size_t)count * (size_t)width;
  if (!w->binary) {
    put_doubles_text(w, count, width, value);
    return;
  }
  if (w->is_single)
    put_floats_binary(w, numbers, value);
  else
    put_doubles_binary(w, numbers, value);
  put_text(w, "\n");
}

/* ---- order and counts ------------------------------------------------------------------------ */

#define FAIL(w, ...) ((w)->status = SUP_FAIL(SUP_E_ARG, __VA_ARGS__))

static sup_status check_name(sup_vtk_writer *w, const char *name) {
  size_t length = strlen(name);
  int    good = length > 0 && length < 128;
  for (size_t i = 0; i < length; i++) good = good && name[i] > ' ' && name[i] < 127;
  if (!good)
    return FAIL(w, "%s: the array name '%.128s' is not one word of plain letters", w->out.path,
                name);
  return SUP_OK;
}

static sup_status check_array(sup_vtk_writer *w, const char *name, int count) {
  if (w->status != SUP_OK) return w->status;
  SUP_TRY(check_name(w, name));
  if (count == w->count) return SUP_OK;
  return FAIL(w, "%s: array %s has %d tuples; its section has %d", w->out.path, name, count,
              w->count);
}

/* ---- the file -------------------------------------------------------------------------------- */

static sup_status open_file(sup_vtk_writer *w, const char *path, const char *title, int binary,
                            bool is_one_of_many) {
  char line[TITLE_MAX + 1];
  w->binary = binary, w->is_single = w->nonfinite = 0, w->record = NULL;
  w->num_points = w->num_cells = w->count = SUP_NONE; /* sup_vtk_open sets the rest */
  w->status = sup_file_open_bytes(&w->out, path, is_one_of_many);
  SUP_TRY(w->status);
  size_t length = strnlen(title, TITLE_MAX);
  for (size_t i = 0; i < length; i++) line[i] = (unsigned char)title[i] < ' ' ? ' ' : title[i];
  put_text(w, "# vtk DataFile Version 3.0\n");
  put_bytes(w, line, length);
  put_text(w, binary ? "\nBINARY\n" : "\nASCII\n");
  put_text(w, "DATASET UNSTRUCTURED_GRID\n");
  return SUP_OK;
}

sup_status sup_vtk_open(sup_vtk_writer *w, const char *path, const char *title, int binary) {
  return open_file(w, path, title, binary, 0);
}

sup_status sup_vtk_open_frame(sup_vtk_writer *w, const char *path, const char *title, int binary) {
  return open_file(w, path, title, binary, 1);
}

/** Write the type of the numbers that follow, and the end of the line. */
static void put_type(sup_vtk_writer *w) { put_text(w, w->is_single ? " float\n" : " double\n"); }

sup_status sup_vtk_time(sup_vtk_writer *w, double time, long cycle, int num_more) {
  if (w->status != SUP_OK) return w->status;
  if (w->num_points != SUP_NONE)
    return FAIL(w, "%s: the time comes before the points", w->out.path);
  if (cycle < 0 || cycle > INT_MAX)
    return FAIL(w, "%s: cycle %ld does not fit", w->out.path, cycle);
  int number = (int)cycle, is_single = w->is_single;
  put_count(w, "FIELD FieldData", 2LL + num_more), put_text(w, "\nTIME 1 1 double\n");
  w->is_single = 0; /* times of long runs need their digits */
  put_doubles(w, 1, 1, &time);
  w->is_single = is_single;
  put_text(w, "CYCLE 1 1 int\n");
  put_ints(w, 1, &number);
  put_text(w, "\n");
  return SUP_OK;
}

/** A name of an array: other characters than plain letters as %XX. */
static void put_plain(char *text, const char *name) {
  static const char digit[] = "0123456789ABCDEF";
  for (const char *c = name; *c; c++) {
    unsigned char letter = (unsigned char)*c;
    if (letter > ' ' && letter <= '~' && letter != '"' && letter != '%')
      *text++ = *c;
    else
      *text++ = '%', *text++ = digit[letter / 16], *text++ = digit[letter % 16];
  }
  *text = '\0';
}

sup_status sup_vtk_field_number(sup_vtk_writer *w, const char *name, int value) {
  char plain[6 * SUP_NAME_MAX + 1];
  if (w->status != SUP_OK) return w->status;
  if (strlen(name) > 2 * SUP_NAME_MAX)
    return FAIL(w, "%s: the name %.60s... is too long", w->out.path, name);
  put_plain(plain, name);
  put_text(w, plain), put_text(w, " 1 1 int\n");
  put_ints(w, 1, &value);
  put_text(w, "\n");
  return SUP_OK;
}

/* ---- parts equal in every file --------------------------------------------------------------- */

void sup_vtk_record_free(sup_vtk_record *record) {
  SUP_FREE(record->bytes);
  *record = (sup_vtk_record){.bytes = NULL};
}

int sup_vtk_record_begin(sup_vtk_writer *w, sup_vtk_record *record) {
  if (w->status != SUP_OK) return 0;
  if (!record->is_done) {
    w->record = record->is_too_large ? NULL : record;
    return 0;
  }
  put_bytes(w, record->bytes, record->size);
  w->num_points = record->num_points, w->num_cells = record->num_cells;
  return 1;
}

sup_status sup_vtk_record_end(sup_vtk_writer *w) {
  sup_vtk_record *r = w->record;
  w->record = NULL;
  if (!r || r->is_too_large) return w->status;
  if (w->status != SUP_OK) {
    sup_vtk_record_free(r);
    return w->status;
  }
  r->num_points = w->num_points, r->num_cells = w->num_cells;
  r->is_done = 1;
  return SUP_OK;
}

/* ---- points and cells ------------------------------------------------------------------------ */

/** "WORD cells numbers" */
static void put_sizes(sup_vtk_writer *w, const char *word, int count, long long numbers) {
  put_count(w, word, count), put_count(w, "", numbers), put_text(w, "\n");
}

sup_status sup_vtk_points(sup_vtk_writer *w, int num_points, const double *x) {
  if (w->status != SUP_OK) return w->status;
  if (num_points < 0 || w->num_points != SUP_NONE)
    return FAIL(w, "%s: %d points; expected one set of points", w->out.path, num_points);
  w->num_points = num_points;
  put_count(w, "POINTS", num_points), put_type(w);
  put_doubles(w, num_points, 3, x);
  return SUP_OK;
}

sup_status sup_vtk_cells(sup_vtk_writer *w, const sup_mesh *mesh) {
  if (w->status != SUP_OK) return w->status;
  int n = sup_cell_num_vertices(mesh->type), code = sup_cell_kind_of(mesh->type)->vtk;
  if (w->num_points != mesh->num_vertices || w->num_cells != SUP_NONE)
    return FAIL(w, "%s: cells on %d points; expected the mesh's %d points before", w->out.path,
                w->num_points, mesh->num_vertices);
  if (mesh->num_cells > INT_MAX / (n + 1))
    return FAIL(w, "%s: too many cells for the format: %d", w->out.path, mesh->num_cells);
  w->num_cells = mesh->num_cells;
  put_sizes(w, "CELLS", mesh->num_cells, (n + 1LL) * mesh->num_cells);
  for (int c = 0; c < mesh->num_cells; c++) {
    int row[SUP_CELL_MAX_VERTICES + 1] = {n};
    memcpy(row + 1, sup_mesh_cell(mesh, c), (size_t)n * sizeof *row);
    put_ints(w, (size_t)n + 1, row);
    if (!w->binary) put_text(w, "\n");
  }
  put_count(w, w->binary ? "\nCELL_TYPES" : "CELL_TYPES", mesh->num_cells), put_text(w, "\n");
  for (int c = 0; c < mesh->num_cells; c++) {
    put_ints(w, 1, &code);
    if (!w->binary) put_text(w, "\n");
  }
  if (w->binary) put_text(w, "\n");
  return SUP_OK;
}

/** VTK's number of a plane cell of this many corners. */
static int code_of_polygon(int num_corners) {
  static const int code[] = {7, 1, 3, 5, 9}; /* polygon, vertex, line, triangle, quadrilateral */
  return num_corners >= 0 && num_corners <= 4 ? code[num_corners] : code[0];
}

sup_status sup_vtk_polygons(sup_vtk_writer *w, int num_polygons, const int *start,
                            const int *point) {
  if (w->status != SUP_OK) return w->status;
  if (w->num_points == SUP_NONE || w->num_cells != SUP_NONE || num_polygons < 0)
    return FAIL(w, "%s: %d polygons; expected points written before", w->out.path, num_polygons);
  long long total = num_polygons > 0 ? (long long)num_polygons + start[num_polygons] - start[0] : 0;
  if (total > INT_MAX)
    return FAIL(w, "%s: too many polygons for the format: %d", w->out.path, num_polygons);
  w->num_cells = num_polygons;
  put_sizes(w, "CELLS", num_polygons, total);
  for (int i = 0; i < num_polygons; i++) {
    int n = start[i + 1] - start[i];
    for (int k = start[i]; k < start[i + 1]; k++)
      if (point[k] < 0 || point[k] >= w->num_points)
        return FAIL(w, "%s: polygon %d refers to point %d of %d", w->out.path, i, point[k],
                    w->num_points);
    put_ints(w, 1, &n);
    if (!w->binary) put_text(w, " ");
    put_ints(w, (size_t)n, point + start[i]);
    if (!w->binary) put_text(w, "\n");
  }
  put_count(w, w->binary ? "\nCELL_TYPES" : "CELL_TYPES", num_polygons), put_text(w, "\n");
  for (int i = 0; i < num_polygons; i++) {
    int code = code_of_polygon(start[i + 1] - start[i]);
    put_ints(w, 1, &code);
    if (!w->binary) put_text(w, "\n");
  }
  if (w->binary) put_text(w, "\n");
  return SUP_OK;
}

sup_status sup_vtk_data_begin(sup_vtk_writer *w, bool is_cell_data, int count) {
  if (w->status != SUP_OK) return w->status;
  int expected = is_cell_data ? w->num_cells : w->num_points;
  if (w->num_cells == SUP_NONE || count != expected)
    return FAIL(w, "%s: data for %d %s; the file has %d", w->out.path, count,
                is_cell_data ? "cells" : "points", expected);
  w->count = count;
  put_count(w, is_cell_data ? "CELL_DATA" : "POINT_DATA", count), put_text(w, "\n");
  return SUP_OK;
}

sup_status sup_vtk_scalars(sup_vtk_writer *w, const char *name, int count, const double *value) {
  SUP_TRY(check_array(w, name, count));
  put_text(w, "SCALARS "), put_text(w, name);
  put_text(w,
           w->is_single ? " float 1\nLOOKUP_TABLE default\n" : " double 1\nLOOKUP_TABLE default\n");
  put_doubles(w, count, 1, value);
  return SUP_OK;
}

sup_status sup_vtk_integers(sup_vtk_writer *w, const char *name, int count, const int *value) {
  SUP_TRY(check_array(w, name, count));
  put_text(w, "SCALARS "), put_text(w, name), put_text(w, " int 1\nLOOKUP_TABLE default\n");
  put_ints(w, (size_t)count, value);
  put_text(w, "\n");
  return SUP_OK;
}

sup_status sup_vtk_vectors(sup_vtk_writer *w, const char *name, int count, const double *value) {
  SUP_TRY(check_array(w, name, count));
  put_text(w, "VECTORS "), put_text(w, name), put_type(w);
  put_doubles(w, count, 3, value);
  return SUP_OK;
}

sup_status sup_vtk_tensors(sup_vtk_writer *w, const char *name, int count, const double *value) {
  SUP_TRY(check_array(w, name, count));
  put_text(w, "TENSORS "), put_text(w, name), put_type(w);
  put_doubles(w, count, 9, value);
  return SUP_OK;
}

sup_status sup_vtk_close(sup_vtk_writer *w) {
  if (w->status == SUP_OK && w->num_cells == SUP_NONE)
    FAIL(w, "%s: closed before its cells were written", w->out.path);
  if (w->status != SUP_OK) {
    sup_vtk_abandon(w);
    return w->status;
  }
  w->status = sup_file_commit(&w->out);
  SUP_TRY(w->status);
  return SUP_OK;
}

void sup_vtk_abandon(sup_vtk_writer *w) { sup_file_abandon(&w->out); }

/** "region_NAME" as arrays are written. */
static void set_array_name(const char *name, char text[4 * SUP_NAME_MAX]) {
  memcpy(text, SUP_VTK_SET_PREFIX, sizeof SUP_VTK_SET_PREFIX);
  put_plain(text + strlen(text), name);
}

/** Numbers in a whole mesh (NULL: none), then the sets. */
static sup_status put_data(sup_vtk_writer *w, const sup_mesh *mesh, sup_set_kind kind,
                           const int *number) {
  int            size = sup_mesh_set_size(mesh, kind), is_begun = 0;
  SUP_FREED int *value = NULL;
  SUP_TRY(SUP_CALLOC(value, size));
  for (int s = -1; s < mesh->num_sets; s++) {
    char name[4 * SUP_NAME_MAX];
    if (s < 0 ? !number : mesh->set[s].kind != kind) continue;
    if (!is_begun) SUP_TRY(sup_vtk_data_begin(w, kind == SUP_SET_CELLS, size));
    is_begun = 1;
    if (s < 0) {
      SUP_TRY(sup_vtk_integers(
          w, kind == SUP_SET_CELLS ? SUP_VTK_GLOBAL_CELL : SUP_VTK_GLOBAL_VERTEX, size, number));
      continue;
    }
    for (int i = 0; i < size; i++) value[i] = mesh->set[s].member[i];
    set_array_name(mesh->set[s].name, name);
    SUP_TRY(sup_vtk_integers(w, name, size, value));
  }
  return SUP_OK;
}

static sup_status write_mesh(const sup_mesh *mesh, const char *title, const int *vertex,
                             const int *cell, const char *path, int binary) {
  sup_vtk_writer w;
  sup_status     status;
  SUP_TRY(sup_vtk_open(&w, path, title, binary));
  SUP_TRY_GOTO(sup_vtk_points(&w, mesh->num_vertices, mesh->x), status, fail);
  SUP_TRY_GOTO(sup_vtk_cells(&w, mesh), status, fail);
  SUP_TRY_GOTO(put_data(&w, mesh, SUP_SET_VERTICES, vertex), status, fail);
  SUP_TRY_GOTO(put_data(&w, mesh, SUP_SET_CELLS, cell), status, fail);
  if (w.nonfinite > 0) {
    status = SUP_FAIL(SUP_E_NONFINITE, "%s: %d coordinates of the mesh are not finite", path,
                      w.nonfinite);
    goto fail;
  }
  SUP_TRY_GOTO(sup_vtk_close(&w), status, fail);
  return SUP_OK;
fail:
  sup_vtk_abandon(&w);
  return status;
}

sup_status sup_vtk_write_mesh(const sup_mesh *mesh, const char *path, int binary) {
  char title[96];
  snprintf(title, sizeof title, "Supple mesh: %d vertices, %d %s cells", mesh->num_vertices,
           mesh->num_cells, sup_cell_name(mesh->type));
  return write_mesh(mesh, title, NULL, NULL, path, binary);
}

sup_status sup_vtk_write_piece(const sup_mesh_piece *piece, const char *path, int binary) {
  char title[96];
  snprintf(title, sizeof title, "Supple mesh: %d vertices, %d %s cells", piece->num_vertices,
           piece->num_cells, sup_cell_name(piece->mesh->type));
  return write_mesh(piece->mesh, title, piece->vertex, piece->cell, path, binary);
}
