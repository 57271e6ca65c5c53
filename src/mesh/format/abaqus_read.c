/* *NODE, *ELEMENT and their sets of Abaqus and CalculiX .inp files (CalculiX CrunchiX manual,
 * "Input deck format"): keyword lines
 * "*NAME, PARAMETER=VALUE", data lines of numbers between commas, comments "**".  Case and blanks
 * do not matter. */
#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "mesh/mesh_builder.h"

enum { VALUE_MAX = 512 };

/** Meaning of data lines after a keyword. */
typedef enum block { BLOCK_OTHER, BLOCK_POINTS, BLOCK_CELLS, BLOCK_SET } block;

/** A text being read; s.word holds the field that was read last. */
typedef struct deck {
  sup_scan    s;
  const char *field; /* the same, of any length */
  size_t      length;
  int         ends_with_comma; /* the field was followed by one */
} deck;

/** A keyword line: the parameters that matter, empty when absent. */
typedef struct keyword {
  char name[SUP_SCAN_WORD_MAX]; /* "NODE", without the asterisk */
  char type[SUP_SCAN_WORD_MAX], system[SUP_SCAN_WORD_MAX], input[VALUE_MAX];
  char nset[VALUE_MAX], elset[VALUE_MAX], instance[VALUE_MAX];
  int  generates; /* the parameter GENERATE */
} keyword;

typedef struct reader {
  sup_mesh_builder mesh;
  sup_mesh_report *report;
  char            *data[SUP_MESH_MAX_FILES]; /* of the files in report->more */
  int              num_parts, num_instances, is_in_assembly, is_in_instance;
  block            block;
  char             type[SUP_SCAN_WORD_MAX]; /* of *ELEMENT */
  int              num_vertices;            /* vertices of a cell */
  int              set, generates;          /* set of the data lines, SUP_NONE: none */
} reader;

/* ---- fields and lines ------------------------------------------------------------------------ */

static bool is_line_end(const deck *d) {
  return d->s.at == d->s.end || *d->s.at == '\n' || *d->s.at == '\r';
}

/** The next field of the line, without the blanks about it; 0 at the line's end.  An empty field is
 * a field. */
static int next_field(deck *d) {
  const char *begin, *end;
  d->s.word[0] = '\0';
  while (!is_line_end(d) && (*d->s.at == ' ' || *d->s.at == '\t')) d->s.at++;
  if (is_line_end(d)) return 0;
  for (begin = end = d->s.at; !is_line_end(d) && *d->s.at != ','; d->s.at++)
    if (*d->s.at != ' ' && *d->s.at != '\t') end = d->s.at + 1;
  d->field = begin, d->length = (size_t)(end - begin);
  sup_scan_set_word(&d->s, begin, d->length);
  d->ends_with_comma = !is_line_end(d);
  if (d->ends_with_comma) d->s.at++;
  return 1;
}

/** Advance to the next line, skipping comments; 0 at the end of the text. */
static int next_line(deck *d) {
  do {
    while (!is_line_end(d)) d->s.at++;
    if (d->s.at == d->s.end) return 0;
    if (*d->s.at == '\r' && d->s.at + 1 < d->s.end && d->s.at[1] == '\n') d->s.at++;
    d->s.at++, d->s.line++;
    d->ends_with_comma = 0;
  } while (d->s.end - d->s.at >= 2 && d->s.at[0] == '*' && d->s.at[1] == '*');
  return 1;
}

static bool is_keyword_line(const deck *d) { return d->s.at < d->s.end && *d->s.at == '*'; }

/** Next field of data; after a comma at the line's end, data continue in the next line. */
static int next_data(deck *d) {
  int follows = d->ends_with_comma;
  if (next_field(d)) return 1;
  return follows && next_line(d) && !is_keyword_line(d) && next_field(d);
}

/** Letters in capitals, without blanks: "Element" and "EL EMENT" are "ELEMENT". */
static void normalise(char *to, const char *from) {
  for (; *from; from++)
    if (*from != ' ' && *from != '\t') *to++ = (char)toupper((unsigned char)*from);
  *to = '\0';
}

/** Copy VALUE when the field is "NAME = VALUE"; quotes about it are left out, and a long one is cut
 * off. */
static void take_value(const deck *d, const char *name, char *value, size_t size) {
  const char *at = d->field, *end = d->field + d->length;
  size_t      length = strlen(name);
  if (d->length <= length || strncasecmp(at, name, length) != 0) return;
  for (at += length; at < end && (*at == ' ' || *at == '\t');) at++;
  if (at == end || *at != '=') return;
  for (at++; at < end && (*at == ' ' || *at == '\t');) at++;
  if (end - at >= 2 && *at == '"' && end[-1] == '"') at++, end--;
  snprintf(value, size, "%.*s", (int)(end - at < VALUE_MAX ? end - at : VALUE_MAX), at);
}

/** Read the present keyword line; a line that ends with a comma continues in the next line.
 */
static void read_keyword(deck *d, keyword *k) {
  *k = (keyword){0};
  d->s.at++; /* the asterisk */
  next_field(d);
  normalise(k->name, d->s.word);
  while (next_data(d)) {
    take_value(d, "TYPE", k->type, sizeof k->type);
    take_value(d, "SYSTEM", k->system, sizeof k->system);
    take_value(d, "INPUT", k->input, sizeof k->input);
    take_value(d, "NSET", k->nset, sizeof k->nset);
    take_value(d, "ELSET", k->elset, sizeof k->elset);
    take_value(d, "INSTANCE", k->instance, sizeof k->instance);
    k->generates |= d->length == 8 && strncasecmp(d->field, "GENERATE", 8) == 0;
  }
}

/* ---- data ------------------------------------------------------------------------------------ */

/** "number, x, y, z"; coordinates that are left out are 0. */
static sup_status read_point(reader *r, deck *d) {
  double x[3] = {0, 0, 0};
  int    tag;
  SUP_TRY(sup_scan_integer(&d->s, "the number of a node", 1, INT_MAX, &tag));
  for (int k = 0; k < 3 && next_field(d); k++)
    if (d->s.word[0]) SUP_TRY(sup_scan_number(&d->s, "a coordinate of a node", &x[k]));
  if (next_field(d))
    return sup_scan_unexpected(&d->s,
                               "the end of the line after 'number, x, y, z' (decimals have "
                               "a point)");
  SUP_TRY(sup_builder_add_point(&r->mesh, &d->s, tag, x));
  if (r->set != SUP_NONE) SUP_TRY(sup_builder_add_member(&r->mesh, r->set, tag));
  return SUP_OK;
}

/** "number, node, node, ...". */
static sup_status read_cell(reader *r, deck *d) {
  int n = r->num_vertices, corner[SUP_CELL_MAX_VERTICES], tag;
  SUP_TRY(sup_scan_integer(&d->s, "the number of an element", 1, INT_MAX, &tag));
  for (int k = 0; k < n; k++) {
    if (!next_data(d))
      return SUP_SCAN_FAIL(
          &d->s,
          "found %d nodes of element %d, expected %d for %s; a line that goes on ends with a comma",
          k, tag, n, r->type);
    SUP_TRY(sup_scan_integer(&d->s, "a node of an element", 1, INT_MAX, &corner[k]));
  }
  if (next_field(d))
    return sup_scan_unexpected(&d->s, "the end of the line after the last node of the element");
  SUP_TRY(sup_builder_add_cell(&r->mesh, &d->s, n, r->type, tag, corner));
  if (r->set != SUP_NONE) SUP_TRY(sup_builder_add_member(&r->mesh, r->set, tag));
  return SUP_OK;
}

/** GENERATE: "first, last, step". */
static sup_status read_range(reader *r, deck *d) {
  sup_builder_members m = {.set = r->set, .source = SUP_NONE, .step = 1};
  SUP_TRY(sup_scan_integer(&d->s, "the first number of a set", 1, INT_MAX, &m.first));
  if (!next_field(d))
    return sup_scan_unexpected(&d->s, "the last number of a set: 'first, last, step'");
  SUP_TRY(sup_scan_integer(&d->s, "the last number of a set", m.first, INT_MAX, &m.last));
  if (next_field(d) && d->s.word[0])
    SUP_TRY(sup_scan_integer(&d->s, "the step of a set", 1, INT_MAX, &m.step));
  SUP_TRY(sup_builder_add_members(&r->mesh, m));
  return SUP_OK;
}

/** Add all members of another set; an unknown set has no members in the mesh. */
static sup_status add_source(reader *r, sup_set_kind kind, const char *name) {
  int source = sup_builder_find_set(&r->mesh, kind, name);
  if (source == SUP_NONE)
    sup_builder_skip(&r->mesh, "names in sets that no set before has", 1);
  else if (source != r->set)
    SUP_TRY(
        sup_builder_add_members(&r->mesh, (sup_builder_members){.set = r->set, .source = source}));
  return SUP_OK;
}

/** Numbers, or names of sets before. */
static sup_status read_members(reader *r, deck *d) {
  do {
    char name[VALUE_MAX];
    int  tag;
    if (d->length == 0) continue; /* after the last comma */
    if (isdigit((unsigned char)d->field[0])) {
      SUP_TRY(sup_scan_integer(&d->s, "the number of a node or element", 1, INT_MAX, &tag));
      SUP_TRY(sup_builder_add_member(&r->mesh, r->set, tag));
    } else {
      int quoted = d->length >= 2 && d->field[0] == '"' && d->field[d->length - 1] == '"';
      snprintf(name, sizeof name, "%.*s",
               (int)(d->length < VALUE_MAX ? d->length : VALUE_MAX) - 2 * quoted,
               d->field + quoted);
      SUP_TRY(add_source(r, r->mesh.set[r->set].kind, name));
    }
  } while (next_field(d));
  return SUP_OK;
}

static sup_status read_data(reader *r, deck *d) {
  if (!next_field(d)) return SUP_OK; /* an empty line */
  if (r->block == BLOCK_POINTS) SUP_TRY(read_point(r, d));
  if (r->block == BLOCK_CELLS) SUP_TRY(read_cell(r, d));
  if (r->block == BLOCK_SET) SUP_TRY(r->generates ? read_range(r, d) : read_members(r, d));
  return SUP_OK;
}

/* ---- keywords -------------------------------------------------------------------------------- */

/** Begin cells of a TYPE: volume cells are read or refused, all others passed over. */
static sup_status begin_cells(reader *r, const deck *d, const char *type) {
  static const char *const endings[] = {"", "H", "R", "I", "RH", "IH", "S", "T", "E", "M", "HS"};
  static const struct {
    const char *name;
    int         num_vertices;
  } known[] = {{"C3D4", 4}, {"C3D5", 5}, {"C3D6", 6}, {"C3D8", 8}, {"C3D10", 10}};
  char what[SUP_SCAN_WORD_MAX + 32];
  normalise(r->type, type);
  r->block = BLOCK_CELLS;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++) {
      size_t length = strlen(known[k].name);
      if (strncmp(r->type, known[k].name, length) != 0 || strcmp(r->type + length, endings[e]) != 0)
        continue;
      r->num_vertices = known[k].num_vertices;
      return SUP_OK;
    }
  if (!r->type[0])
    return SUP_SCAN_FAIL(&d->s, "found *ELEMENT without %s, expected *ELEMENT, TYPE=C3D4", "TYPE");
  if (strncmp(r->type, "C3D", 3) == 0)
    return SUP_SCAN_FAIL(&d->s,
                         "found elements of type %s, expected C3D4, C3D10 (tetrahedra), C3D8, "
                         "C3D8I, C3D8R (hexahedra), C3D6 (wedges) or C3D5 (pyramids)",
                         r->type);
  snprintf(what, sizeof what, "blocks of %s elements", r->type);
  sup_builder_skip(&r->mesh, what, 1);
  r->block = BLOCK_OTHER;
  return SUP_OK;
}

static sup_status begin_points(reader *r, const deck *d, const keyword *k) {
  if (k->system[0] && strcasecmp(k->system, "R") != 0)
    return SUP_SCAN_FAIL(&d->s, "found SYSTEM=%s, expected rectangular coordinates (SYSTEM=R)",
                         k->system);
  r->block = BLOCK_POINTS;
  return SUP_OK;
}

static sup_status read_deck(reader *r, const char *name, const char *data, size_t size);

/** Read an included file. */
static sup_status include(reader *r, const deck *d, const char *file) {
  sup_mesh_report *report = r->report;
  size_t           size;
  long             line = d->s.line;
  if (report->num_more == SUP_MESH_MAX_FILES)
    return SUP_SCAN_FAIL(&d->s, "found more than %d included files; do they include each other?",
                         SUP_MESH_MAX_FILES);
  char *path = report->more[report->num_more], **text = &r->data[report->num_more];
  SUP_TRY(sup_path_relative_to(path, SUP_MESH_PATH_MAX, d->s.name, file));
  sup_status status = sup_file_read_most(path, SUP_FILE_MOST_CELLS, text, &size);
  if (status != SUP_OK) return SUP_FAIL(status, "%s:%ld: %s", d->s.name, line, sup_error_message());
  report->num_more++;
  SUP_TRY(read_deck(r, path, *text, size));
  return SUP_OK;
}

/** Refuse keywords that make or move nodes or elements: the mesh would not be the one of the file.
 */
static sup_status refuse_generators(const deck *d, const char *name) {
  static const char *const refused[] = {"NGEN",  "NFILL",  "NCOPY", "NMAP",
                                        "ELGEN", "ELCOPY", "SYSTEM"};
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
    if (strcmp(name, refused[k]) == 0)
      return SUP_SCAN_FAIL(&d->s,
                           "found *%s, which makes or moves nodes or elements; expected *NODE and "
                           "*ELEMENT with all of them",
                           name);
  return SUP_OK;
}

/** Parts and positions of their instances; nodes of the assembly itself are reference points, no
 * mesh. */
static sup_status note_assembly(reader *r, const deck *d, const char *name) {
  if (strcmp(name, "PART") == 0 && ++r->num_parts > 1)
    return SUP_SCAN_FAIL(
        &d->s, "found a second %s, expected one: the numbers of its nodes begin anew", "*PART");
  if (strcmp(name, "INSTANCE") == 0) {
    r->is_in_instance = 1;
    if (++r->num_instances > 1)
      return SUP_SCAN_FAIL(&d->s, "found a second %s, expected one: a mesh is one part",
                           "*INSTANCE");
  }
  if (strcmp(name, "ENDINSTANCE") == 0) r->is_in_instance = 0;
  if (strcmp(name, "ASSEMBLY") == 0) r->is_in_assembly = 1;
  if (strcmp(name, "ENDASSEMBLY") == 0) r->is_in_assembly = 0;
  return SUP_OK;
}

/** A set that is named by *NODE, *ELEMENT, *NSET or *ELSET, to which the next lines belong. */
static sup_status begin_set(reader *r, const deck *d, const keyword *k) {
  bool is_node_set = strcmp(k->name, "NSET") == 0, is_cell_set = strcmp(k->name, "ELSET") == 0;
  if (r->block == BLOCK_POINTS && k->nset[0])
    SUP_TRY(sup_builder_need_set(&r->mesh, &d->s, SUP_SET_VERTICES, k->nset, &r->set));
  if (r->block == BLOCK_CELLS && k->elset[0])
    SUP_TRY(sup_builder_need_set(&r->mesh, &d->s, SUP_SET_CELLS, k->elset, &r->set));
  if (!is_node_set && !is_cell_set) return SUP_OK;
  const char *name = is_node_set ? k->nset : k->elset;
  if (!name[0])
    return SUP_SCAN_FAIL(&d->s, "found *%s without its name, expected *%s, %s=NAME", k->name,
                         k->name, k->name);
  SUP_TRY(sup_builder_need_set(&r->mesh, &d->s, is_node_set ? SUP_SET_VERTICES : SUP_SET_CELLS,
                               name, &r->set));
  r->block = BLOCK_SET, r->generates = k->generates;
  if (is_node_set && k->elset[0]) SUP_TRY(add_source(r, SUP_SET_CELLS, k->elset));
  return SUP_OK;
}

static sup_status obey(reader *r, const deck *d, const keyword *k) {
  bool is_mesh = !r->is_in_assembly || r->is_in_instance;
  if (strcmp(k->name, "INCLUDE") == 0) { /* read as if its lines were here */
    if (!k->input[0])
      return SUP_SCAN_FAIL(&d->s, "found *INCLUDE without %s, expected INPUT=FILE", "INPUT");
    SUP_TRY(include(r, d, k->input));
    return SUP_OK;
  }
  r->block = BLOCK_OTHER;
  SUP_TRY(refuse_generators(d, k->name));
  SUP_TRY(note_assembly(r, d, k->name));
  r->set = SUP_NONE;
  if (!is_mesh && !k->instance[0])
    return SUP_OK; /* sets of the assembly's own nodes are none of the mesh */
  if (is_mesh && strcmp(k->name, "NODE") == 0) SUP_TRY(begin_points(r, d, k));
  if (is_mesh && strcmp(k->name, "ELEMENT") == 0) SUP_TRY(begin_cells(r, d, k->type));
  SUP_TRY(begin_set(r, d, k));
  if (r->block != BLOCK_OTHER && k->input[0]) SUP_TRY(include(r, d, k->input));
  return SUP_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static sup_status read_deck(reader *r, const char *name, const char *data, size_t size) {
  deck d = {.s = sup_scan_open(name, data, size)};
  bool is_comment = size >= 2 && data[0] == '*' && data[1] == '*';
  if (is_comment && !next_line(&d)) return SUP_OK;
  do {
    if (is_keyword_line(&d)) {
      keyword k;
      read_keyword(&d, &k);
      SUP_TRY(obey(r, &d, &k));
    } else {
      SUP_TRY(read_data(r, &d));
    }
  } while (next_line(&d));
  return SUP_OK;
}

sup_status sup_abaqus_parse_mesh(sup_mesh **mesh, const char *name, const char *data, size_t size,
                                 sup_mesh_report *report) {
  static const char advice[] = ": *ELEMENT, TYPE=C3D4 or C3D8";
  reader            r = {.report = report, .mesh = {.ignores_case = 1}, .set = SUP_NONE};
  sup_status        status;
  *mesh = NULL;
  report->num_more = 0;
  SUP_TRY_GOTO(read_deck(&r, name, data, size), status, done);
  SUP_TRY_GOTO(sup_builder_finish(&r.mesh, name, advice, mesh, report), status, done);
done:
  sup_builder_free(&r.mesh);
  for (int i = 0; i < SUP_MESH_MAX_FILES; i++) SUP_FREE(r.data[i]);
  return status;
}
