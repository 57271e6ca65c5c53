#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/memory.h"
#include "mesh/cut.h"
#include "mesh/format/vtk.h"
#include "mesh/format/vtk_scan.h"
#include "mesh/mesh_builder.h"

/** Contents of the file's sections. */
typedef struct content {
  int              num_points, num_cells; /* volume cells once their types are known */
  double          *x;
  int             *start;          /* [num_cells + 1] */
  int             *vertex;         /* [start[num_cells]] */
  unsigned char   *num_vertices;   /* [num_cells] */
  int              type;           /* type of the first cell; 0: none yet */
  bool             is_mixed;       /* cells that are cut into T4 */
  int              num_file_cells; /* with surfaces and lines, not in the mesh */
  unsigned char   *num_parts;      /* [num_file_cells] cells of the mesh */
  sup_mesh_builder passed;         /* counts skipped cells */
} content;

/* ---- sections -------------------------------------------------------------------------------- */

static const sup_vtk_type plain_int = {"int", 4, SUP_VTK_INTEGER};

static sup_status read_points(sup_vtk_scan *r, content *c) {
  sup_vtk_type type;
  SUP_TRY(
      sup_vtk_read_count(r, "points", 6, &c->num_points)); /* at least "0 0 0\n" or three floats */
  SUP_TRY(sup_vtk_read_type(r, &type));
  if (type.kind != SUP_VTK_FLOAT) return sup_vtk_unexpected(r, "points of type float or double");
  SUP_TRY(SUP_CALLOC(c->x, 3 * (size_t)c->num_points));
  SUP_TRY(sup_vtk_read_coordinates(r, type, 3 * (size_t)c->num_points, c->x));
  return SUP_OK;
}

/** Versions below 5: "CELLS n size", each cell as its number of vertices and then the vertices. */
static sup_status read_cells_inline(sup_vtk_scan *r, content *c) {
  int         size, left, used = 0;
  sup_vtk_run s;
  SUP_TRY(sup_vtk_read_count(r, "cells", 2, &c->num_cells));
  SUP_TRY(sup_vtk_read_count(r, "numbers in CELLS", r->binary ? 4 : 2, &size));
  if (size < c->num_cells)
    return sup_vtk_unexpected(r, "at least %d numbers: one for each cell and its vertices",
                              c->num_cells);
  SUP_TRY(SUP_CALLOC(c->start, (size_t)c->num_cells + 1));
  SUP_TRY(SUP_CALLOC(c->vertex, size));
  SUP_TRY(sup_vtk_run_open(r, &s, "cells", plain_int, (size_t)size));
  left = size;
  for (int i = 0; i < c->num_cells; i++) {
    int n;
    if (left == 0)
      return sup_vtk_malformed(r, "the %d numbers of CELLS end before cell %d of %d", size, i,
                               c->num_cells);
    SUP_TRY(sup_vtk_run_next(r, &s, "a number of vertices", 0, left - 1, &n));
    for (int a = 0; a < n; a++)
      SUP_TRY(sup_vtk_run_next(r, &s, "a vertex", 0, c->num_points - 1, &c->vertex[used++]));
    c->start[i + 1] = used;
    left -= 1 + n;
  }
  if (left == 0) return SUP_OK;
  return sup_vtk_malformed(r, "the %d cells take %d numbers, CELLS announces %d", c->num_cells,
                           size - left, size);
}

/** From version 5 on: "CELLS n m", n offsets (one more than cells), m vertices. */
static sup_status read_cells_offsets(sup_vtk_scan *r, content *c) {
  int          num_offsets, size, first = 0;
  sup_vtk_run  s;
  sup_vtk_type type;
  SUP_TRY(sup_vtk_read_count(r, "offsets", r->binary ? 4 : 2, &num_offsets));
  SUP_TRY(sup_vtk_read_count(r, "vertices in CELLS", r->binary ? 4 : 2, &size));
  c->num_cells = num_offsets > 0 ? num_offsets - 1 : 0;
  SUP_TRY(SUP_CALLOC(c->start, (size_t)c->num_cells + 1));
  SUP_TRY(SUP_CALLOC(c->vertex, size));
  sup_vtk_next_word(r);
  if (!sup_vtk_is_word(r, "OFFSETS")) return sup_vtk_unexpected(r, "OFFSETS");
  SUP_TRY(sup_vtk_read_type(r, &type));
  if (type.kind != SUP_VTK_INTEGER || type.bytes < 4)
    return sup_vtk_unexpected(r, "vtktypeint64 or int");
  SUP_TRY(sup_vtk_run_open(r, &s, "offsets", type, (size_t)num_offsets));
  for (int i = 0; i < num_offsets; i++) {
    SUP_TRY(sup_vtk_run_next(r, &s, "an offset", first, i == 0 ? 0 : size, &c->start[i]));
    first = c->start[i];
  }
  if (first != size)
    return sup_vtk_malformed(r, "the offsets end at %d, CELLS announces %d vertices", first, size);
  sup_vtk_next_word(r);
  if (!sup_vtk_is_word(r, "CONNECTIVITY")) return sup_vtk_unexpected(r, "CONNECTIVITY");
  SUP_TRY(sup_vtk_read_type(r, &type));
  if (type.kind != SUP_VTK_INTEGER || type.bytes < 4)
    return sup_vtk_unexpected(r, "vtktypeint64 or int");
  SUP_TRY(sup_vtk_run_open(r, &s, "connectivity", type, (size_t)size));
  for (int k = 0; k < size; k++)
    SUP_TRY(sup_vtk_run_next(r, &s, "a vertex", 0, c->num_points - 1, &c->vertex[k]));
  return SUP_OK;
}

/** Cell types of VTK; several are no volume cells and are skipped. */
static const struct {
  const char *one, *several;
} type_names[] = {[1] = {"vertex", "vertices"},
                  [2] = {"poly-vertex", "poly-vertices"},
                  [3] = {"line", "lines"},
                  [4] = {"poly-line", "poly-lines"},
                  [5] = {"triangle", "triangles"},
                  [6] = {"triangle strip", "triangle strips"},
                  [7] = {"polygon", "polygons"},
                  [8] = {"pixel", "pixels"},
                  [9] = {"quad", "quads"},
                  [10] = {"tetrahedron", NULL},
                  [11] = {"voxel", NULL},
                  [12] = {"hexahedron", NULL},
                  [13] = {"wedge", NULL},
                  [14] = {"pyramid", NULL},
                  [21] = {"quadratic edge", "quadratic edges"},
                  [22] = {"quadratic triangle", "quadratic triangles"},
                  [23] = {"quadratic quad", "quadratic quads"},
                  [24] = {"quadratic tetrahedron", NULL},
                  [25] = {"quadratic hexahedron", NULL},
                  [28] = {"biquadratic quad", "biquadratic quads"}};
enum { NUM_TYPE_NAMES = sizeof type_names / sizeof *type_names };

/** Vertices of a volume cell by VTK's type; 0: none that is read. */
static int vertices_of(int type) {
  static const unsigned char number[] = {
      [10] = 4, [11] = 8, [12] = 8, [13] = 6, [14] = 5, [24] = 10};
  return type < (int)sizeof number ? number[type] : 0;
}

static void swap(int *vertex, int a, int b) {
  int first = vertex[a];
  vertex[a] = vertex[b], vertex[b] = first;
}

/** From VTK's order to that of the mesh: voxels count along x, then y; the first triangle of a
 * wedge points outwards. */
static void order_vertices(int type, int *vertex) {
  if (type == 11) swap(vertex, 2, 3), swap(vertex, 6, 7);
  if (type == 13) swap(vertex, 1, 2), swap(vertex, 4, 5);
}

/** Add a cell of the file: keep volume cells, count others. */
static sup_status take_cell(sup_vtk_scan *r, content *c, int i, int begin, int end, int type) {
  int  n = vertices_of(type);
  bool is_named = type < NUM_TYPE_NAMES && type_names[type].one;
  if (is_named && type_names[type].several) {
    sup_builder_skip(&c->passed, type_names[type].several, 1);
    return SUP_OK;
  }
  if (n == 0)
    return sup_vtk_malformed(r,
                             "found type %d (%s) for cell %d, expected 10 (tetrahedron), 11 "
                             "(voxel), 12 (hexahedron), 13 (wedge), 14 (pyramid) or 24 (quadratic "
                             "tetrahedron)",
                             type, is_named ? type_names[type].one : "unknown", i);
  if (c->type == 0) c->type = type;
  if (type != c->type && (n == 10 || vertices_of(c->type) == 10))
    return sup_vtk_malformed(
        r, "found type %d (%s) for cell %d after %d (%s), expected quadratic cells alone or none",
        type, type_names[type].one, i, c->type, type_names[c->type].one);
  if (end - begin != n)
    return sup_vtk_malformed(r, "found cell %d with %d vertices, expected %d for a %s", i,
                             end - begin, n, type_names[type].one);
  c->is_mixed |= n != vertices_of(c->type) || n == 5 || n == 6;
  c->num_parts[i] = 1;
  c->num_vertices[c->num_cells] = (unsigned char)n;
  int at = c->start[c->num_cells]; /* never behind `begin` */
  memmove(c->vertex + at, c->vertex + begin, (size_t)(end - begin) * sizeof *c->vertex);
  order_vertices(type, c->vertex + at);
  c->start[++c->num_cells] = at + end - begin;
  return SUP_OK;
}

static sup_status read_cell_types(sup_vtk_scan *r, content *c) {
  int         count, begin = 0;
  sup_vtk_run s;
  SUP_TRY(sup_vtk_read_count(r, "cell types", r->binary ? 4 : 2, &count));
  if (count != c->num_cells)
    return sup_vtk_unexpected(r, "%d cell types, one for each cell", c->num_cells);
  SUP_TRY(sup_vtk_run_open(r, &s, "cell types", plain_int, (size_t)count));
  SUP_TRY(SUP_CALLOC(c->num_parts, (size_t)count + 1));
  SUP_TRY(SUP_CALLOC(c->num_vertices, (size_t)count + 1));
  c->num_file_cells = count, c->num_cells = 0;
  for (int i = 0; i < count; i++) {
    int type, end = c->start[i + 1];
    SUP_TRY(sup_vtk_run_next(r, &s, "a cell type", 0, 255, &type));
    SUP_TRY(take_cell(r, c, i, begin, end, type));
    begin = end;
  }
  return SUP_OK;
}

/** Names are written with %XX for other characters than plain letters. */
static void decode(const char *text, char *name) {
  unsigned code;
  for (; *text; *name++ = (char)code) {
    bool is_code = *text == '%' && sscanf(text + 1, "%2x", &code) == 1 && text[2];
    if (!is_code) code = (unsigned char)*text;
    text += is_code ? 3 : 1;
  }
  *name = '\0';
}

/** Target of point or cell data. */
typedef struct attributes {
  sup_mesh      *mesh; /* NULL: dataset attributes before the cells */
  const content *file;
  sup_set_kind   kind;
  int            in_set; /* 1: reading a set, where failures are errors */
} attributes;

/** Number of points or cells of the file, including skipped ones. */
static int num_items(const attributes *to) {
  return to->kind == SUP_SET_CELLS ? to->file->num_file_cells : to->file->num_points;
}

/** Read one number for each point or cell of the file; nonzero: belongs to the set. */
static sup_status read_flags(sup_vtk_scan *r, const attributes *to, const char *name,
                             sup_vtk_type type, unsigned char *member) {
  int            count = num_items(to), kept = 0;
  unsigned char *all;
  SUP_TRY(SUP_CALLOC(all, (size_t)count + 1));
  sup_status status = sup_vtk_read_flags(r, name, type, count, all);
  for (int i = 0; i < count; i++)
    for (int k = to->kind == SUP_SET_VERTICES ? 1 : to->file->num_parts[i]; k > 0; k--)
      member[kept++] = all[i];
  SUP_FREE(all);
  return status;
}

static sup_status read_array(sup_vtk_scan *r, attributes *to, const char *token, sup_vtk_type type,
                             size_t components, size_t tuples) {
  const size_t   length = sizeof SUP_VTK_SET_PREFIX - 1;
  char           name[SUP_VTK_WORD_MAX];
  unsigned char *member;
  decode(token, name);
  if (!to->mesh || strncmp(name, SUP_VTK_SET_PREFIX, length) != 0 || !name[length]) {
    SUP_TRY(sup_vtk_pass_numbers(r, type, components * tuples));
    return SUP_OK;
  }
  int count = num_items(to);
  to->in_set = 1;
  if (components != 1 || tuples != (size_t)count)
    return sup_vtk_malformed(
        r, "found %zu x %zu numbers in the array %s, expected one for each %s: %d", tuples,
        components, token, to->kind == SUP_SET_CELLS ? "cell" : "point", count);
  if (sup_mesh_add_set(to->mesh, to->kind, name + length, &member) != SUP_OK)
    return sup_vtk_malformed(r, "%s", sup_error_message());
  SUP_TRY(read_flags(r, to, name, type, member));
  to->in_set = 0;
  return SUP_OK;
}

/** "FIELD name n", then n times "name components tuples type" and the numbers. */
static sup_status read_field(sup_vtk_scan *r, attributes *to) {
  int arrays;
  sup_vtk_next_word(r);
  SUP_TRY(sup_vtk_read_count(r, "arrays", 8, &arrays));
  for (int a = 0; a < arrays; a++) {
    int          components, tuples;
    char         name[SUP_VTK_WORD_MAX];
    sup_vtk_type type;
    sup_vtk_next_word(r);
    for (; sup_vtk_is_word(r, "METADATA"); sup_vtk_next_word(r)) sup_vtk_skip_paragraph(r);
    memcpy(name, r->word, sizeof name);
    SUP_TRY(sup_vtk_read_count(r, "components", 1, &components));
    SUP_TRY(sup_vtk_read_count(r, "tuples", 1, &tuples));
    SUP_TRY(sup_vtk_read_type(r, &type));
    SUP_TRY(read_array(r, to, name, type, (size_t)components, (size_t)tuples));
  }
  return SUP_OK;
}

/* ---- attributes: only named sets are kept ---------------------------------------------------- */

/** "SCALARS name type components", "VECTORS name type" and their like, with the numbers. */
static sup_status read_attribute(sup_vtk_scan *r, attributes *to) {
  static const struct {
    const char *word;
    int         components; /* 0: on the line */
  } known[] = {{"SCALARS", 0},  {"VECTORS", 3},    {"NORMALS", 3},     {"TENSORS", 9},
               {"TENSORS6", 6}, {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}};
  char         name[SUP_VTK_WORD_MAX];
  sup_vtk_type type;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    int components = known[k].components;
    if (!sup_vtk_is_word(r, known[k].word)) continue;
    sup_vtk_next_word(r);
    memcpy(name, r->word, sizeof name);
    SUP_TRY(sup_vtk_read_type(r, &type));
    if (components == 0) {
      components = sup_vtk_number_in_line(r, 1);
      sup_vtk_scan ahead = *r;
      sup_vtk_next_word(&ahead);
      if (sup_vtk_is_word(&ahead, "LOOKUP_TABLE")) {
        sup_vtk_next_word(&ahead);
        *r = ahead;
      }
    }
    SUP_TRY(read_array(r, to, name, type, (size_t)components, (size_t)num_items(to)));
    return SUP_OK;
  }
  return sup_vtk_unexpected(r, "SCALARS, VECTORS, TENSORS or FIELD");
}

static sup_status read_attributes(sup_vtk_scan *r, attributes *to) {
  for (sup_vtk_next_word(r); r->word[0]; sup_vtk_next_word(r)) {
    int is_points = sup_vtk_is_word(r, "POINT_DATA"), count;
    if (is_points || sup_vtk_is_word(r, "CELL_DATA")) {
      to->kind = is_points ? SUP_SET_VERTICES : SUP_SET_CELLS;
      SUP_TRY(sup_vtk_read_count(r, "points or cells", 1, &count));
      if (count != num_items(to))
        return sup_vtk_unexpected(r, "the number of %s: %d", is_points ? "points" : "cells",
                                  num_items(to));
    } else if (sup_vtk_is_word(r, "METADATA")) {
      sup_vtk_skip_paragraph(r);
    } else if (sup_vtk_is_word(r, "FIELD")) {
      SUP_TRY(read_field(r, to));
    } else {
      SUP_TRY(read_attribute(r, to));
    }
  }
  return SUP_OK;
}

/** Read attributes; unknown ones are allowed, only a set that cannot be read is an error. */
static sup_status read_sets(sup_vtk_scan *r, const content *file, sup_mesh *mesh) {
  attributes to = {.mesh = mesh, .file = file};
  sup_status status = read_attributes(r, &to);
  if (status == SUP_OK || to.in_set) return status;
  sup_log(SUP_LOG_NOTE, "attributes from here on are not read: %s", sup_error_message());
  return SUP_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

/** The major version: from 5 on, cells are stored as offsets and connectivity. */
static sup_status read_heading(sup_vtk_scan *r, int *major) {
  static const char magic[] = "# vtk DataFile Version ";
  sup_vtk_next_line(r);
  if (strncmp(r->word, "<?xml", 5) == 0 || strncmp(r->word, "<VTKFile", 8) == 0)
    return sup_vtk_unexpected(r,
                              "a legacy VTK file; this one is XML (.vtu): ParaView's File > Save "
                              "Data writes it as .vtk");
  if (strncasecmp(r->word, magic, sizeof magic - 1) != 0)
    return sup_vtk_unexpected(r, "'%s2.0' to '5.1' (a legacy VTK file)", magic);
  *major = atoi(r->word + sizeof magic - 1);
  if (*major < 1 || *major > 5) return sup_vtk_unexpected(r, "a version from 2.0 to 5.1");
  sup_vtk_next_line(r); /* title */
  sup_vtk_next_word(r);
  r->binary = sup_vtk_is_word(r, "BINARY");
  if (!r->binary && !sup_vtk_is_word(r, "ASCII")) return sup_vtk_unexpected(r, "ASCII or BINARY");
  sup_vtk_next_word(r);
  if (!sup_vtk_is_word(r, "DATASET")) return sup_vtk_unexpected(r, "DATASET");
  sup_vtk_next_word(r);
  if (!sup_vtk_is_word(r, "UNSTRUCTURED_GRID"))
    return sup_vtk_unexpected(r, "UNSTRUCTURED_GRID, a mesh of volume cells");
  return SUP_OK;
}

static sup_status read_sections(sup_vtk_scan *r, int major, content *c) {
  bool has_points = 0, has_cells = 0, has_types = 0;
  while (!has_types) {
    const char *wanted = !has_points ? "POINTS" : !has_cells ? "CELLS" : "CELL_TYPES";
    sup_vtk_next_word(r);
    if (sup_vtk_is_word(r, "METADATA")) {
      sup_vtk_skip_paragraph(r);
    } else if (sup_vtk_is_word(r, "FIELD")) {
      SUP_TRY(read_field(r, &(attributes){0}));
    } else if (!sup_vtk_is_word(r, wanted)) {
      return sup_vtk_unexpected(r, "%s", wanted);
    } else if (!has_points) {
      SUP_TRY(read_points(r, c));
      has_points = 1;
    } else if (!has_cells) {
      if (major < 5)
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

/** Cut the cells into tetrahedra. */
static sup_status cut_cells(const sup_vtk_scan *r, content *c, char *text, size_t size) {
  sup_cut    cut = {0};
  int        bad_cell, volume = 0;
  sup_status status =
      sup_cut_cells(&cut, c->num_cells, c->num_vertices, c->vertex, c->x, &bad_cell);
  sup_cut_text(&cut, c->num_cells, c->num_vertices, text, size);
  if (status != SUP_OK) {
    sup_cut_free(&cut);
    return SUP_FAIL(status, "%s: %s (volume cells are counted from 0)", r->name,
                    sup_error_message());
  }
  for (int i = 0, part = 0; i < c->num_file_cells; i++) {
    if (c->num_parts[i] == 0) continue;
    for (c->num_parts[i] = 0; part < cut.num_cells && cut.parent[part] == volume; part++)
      c->num_parts[i]++;
    volume++;
  }
  SUP_FREE(c->vertex);
  c->vertex = cut.cell, c->num_cells = cut.num_cells, cut.cell = NULL;
  sup_cut_free(&cut);
  return SUP_OK;
}

static sup_status parse(sup_vtk_scan *r, content *c, sup_mesh **mesh, sup_mesh_report *report) {
  int             major = 0;
  sup_mesh_repair repair;
  char            passed[sizeof report->skipped], text[sizeof report->cut] = "";
  SUP_TRY(read_heading(r, &major));
  SUP_TRY(read_sections(r, major, c));
  sup_builder_passed_over(&c->passed, 0, passed, sizeof passed);
  if (c->num_cells == 0)
    return sup_vtk_malformed(r, "the mesh has no cells%s%s%s; expected tetrahedra or hexahedra",
                             passed[0] ? " but " : "", passed,
                             passed[0] ? ", which are no volumes" : "");
  if (c->is_mixed) SUP_TRY(cut_cells(r, c, text, sizeof text));
  sup_cell_type type = sup_cell_type_of(c->is_mixed ? 4 : vertices_of(c->type));
  SUP_TRY(sup_mesh_create(mesh, type, c->num_points, c->num_cells));
  SUP_FREE((*mesh)->x); /* move the data into the mesh, so that large meshes are not stored twice */
  (*mesh)->x = c->x, c->x = NULL;
  SUP_FREE((*mesh)->cell);
  (*mesh)->cell = c->vertex, c->vertex = NULL;
  SUP_TRY(read_sets(r, c, *mesh));
  sup_status status = sup_mesh_clean(*mesh, &repair);
  if (status != SUP_OK)
    return SUP_FAIL(status, "%s: %s (%scells are counted from 0%s)", r->name, sup_error_message(),
                    passed[0] ? "volume " : "", c->is_mixed ? " after they were cut" : "");
  if (!report) return SUP_OK;
  report->repair = repair;
  memcpy(report->skipped, passed, sizeof passed);
  memcpy(report->cut, text, sizeof text);
  return SUP_OK;
}

sup_status sup_vtk_parse_mesh(sup_mesh **mesh, const char *name, const char *data, size_t size,
                              sup_mesh_report *report) {
  sup_vtk_scan r = {.name = name, .data = size > 0 ? data : "", .size = size, .line = 1};
  content      c = {0};
  *mesh = NULL;
  sup_status status = parse(&r, &c, mesh, report);
  if (status != SUP_OK) sup_mesh_destroy(mesh);
  SUP_FREE_ALL(&c.x, &c.start, &c.vertex, &c.num_vertices, &c.num_parts);
  sup_builder_free(&c.passed);
  return status;
}
