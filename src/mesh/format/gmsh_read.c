/* Gmsh's .msh 2.2 and 4.1 (Gmsh reference manual, "MSH file format"): sections "$Name ...
 * $EndName"; the numbers of binary files are read by gmsh_binary.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/format/gmsh_parse.h"
#include "mesh/format/mesh_write.h"

enum { MAX_COUNT = SUP_GMSH_MAX_COUNT };

static const sup_gmsh_type types[] = {{1, 1, 2, "lines"},
                                      {2, 2, 3, "triangles"},
                                      {3, 2, 4, "quadrangles"},
                                      {4, 3, 4, "tetrahedra"},
                                      {5, 3, 8, "hexahedra"},
                                      {6, 3, 6, "prisms"},
                                      {7, 3, 5, "pyramids"},
                                      {8, 1, 3, "second-order lines"},
                                      {9, 2, 6, "second-order triangles"},
                                      {10, 2, 9, "second-order quadrangles"},
                                      {11, 3, 10, "second-order tetrahedra"},
                                      {12, 3, 27, "second-order hexahedra of 27 points"},
                                      {13, 3, 18, "second-order prisms of 18 points"},
                                      {14, 3, 14, "second-order pyramids of 14 points"},
                                      {15, 0, 1, "points of the geometry"},
                                      {16, 2, 8, "second-order quadrangles of 8 points"},
                                      {17, 3, 20, "second-order hexahedra of 20 points"},
                                      {18, 3, 15, "second-order prisms"},
                                      {19, 3, 13, "second-order pyramids"}};
enum { NUM_TYPES = sizeof types / sizeof *types, MOST_TYPE = 98 };

sup_status sup_gmsh_find_type(const sup_scan *s, int number, const sup_gmsh_type **type) {
  for (int i = 0; i < NUM_TYPES; i++)
    if (types[i].number == number) {
      *type = &types[i];
      return SUP_OK;
    }
  if (number >= 20 && number <= MOST_TYPE)
    return SUP_SCAN_FAIL(s,
                         "found elements of an order above 2 (type %d), expected the orders 1 and "
                         "2: mesh the shape with gmsh -order 2",
                         number);
  return SUP_SCAN_FAIL(
      s, "found the element type %d, expected 4 (tetrahedra) or 5 (hexahedra), or 1 to 19", number);
}

/** Binary: bytes may look like ends of lines. */
static int find_end(sup_gmsh_reader *r, const char *end) {
  size_t length = strlen(end);
  while (r->s.at && (size_t)(r->s.end - r->s.at) >= length) {
    if (memcmp(r->s.at, end, length) == 0) {
      r->s.at += length;
      return 1;
    }
    r->s.at = memchr(r->s.at + 1, '$', (size_t)(r->s.end - r->s.at) - 1);
  }
  r->s.at = r->s.end;
  return 0;
}

/** Skip to "$EndName" of a section "$Name". */
static sup_status pass_section(sup_gmsh_reader *r, const char *section, long begin) {
  char end[SUP_SCAN_WORD_MAX + 4];
  snprintf(end, sizeof end, "$End%s", section + 1);
  if (r->is_binary && find_end(r, end)) return SUP_OK;
  while (sup_scan_next_line(&r->s))
    if (sup_scan_in_line(&r->s) && strcmp(r->s.word, end) == 0) return SUP_OK;
  return SUP_SCAN_FAIL(&r->s, "found the end of the file, expected %s of the section at %s %ld",
                       end, r->s.is_binary ? "byte" : "line", begin);
}

/** "$MeshFormat", version, 0 for ASCII, size of a number. */
static sup_status read_format(sup_gmsh_reader *r) {
  static const char versions[] = "2.2 or 4.1: gmsh IN.msh -save -format msh41 -o OUT.msh";
  sup_scan         *s = &r->s;
  double            version;
  int               is_binary, size;
  sup_scan_anywhere(s);
  if (strcmp(s->word, "$Comments") == 0) {
    SUP_TRY(pass_section(r, "$Comments", s->line));
    sup_scan_anywhere(s);
  }
  if (strcmp(s->word, "$NOD") == 0)
    return SUP_SCAN_FAIL(s, "found '$NOD', which begins version 1 of the format, expected %s",
                         versions);
  if (strcmp(s->word, "$MeshFormat") != 0) return sup_scan_unexpected(s, "$MeshFormat");
  sup_scan_anywhere(s);
  SUP_TRY(sup_scan_number(s, "the version of the format", &version));
  if (fabs(version - 2.2) > 1e-9 && fabs(version - 4.1) > 1e-9)
    return SUP_SCAN_FAIL(s, "found version %g of the format, expected %s", version, versions);
  r->is_version_4 = version > 4;
  SUP_TRY(sup_scan_read_integer(s, "the kind of file", 0, 1, &is_binary));
  SUP_TRY(sup_scan_read_integer(s, "the bytes of a number, 4 or 8", 4, 8, &size));
  r->size_bytes = (size_t)size;
  sup_scan_next_line(s);
  r->is_binary = is_binary;
  if (is_binary) SUP_TRY(sup_gmsh_read_order(r));
  return SUP_OK;
}

static sup_status read_point(sup_gmsh_reader *r, int tag) {
  double x[3];
  if (r->is_version_4) { /* on a line of its own */
    sup_scan_anywhere(&r->s);
    SUP_TRY(sup_scan_number(&r->s, "a coordinate of a point", &x[0]));
  }
  for (int k = r->is_version_4; k < 3; k++)
    SUP_TRY(sup_scan_read_number(&r->s, "a coordinate of a point", &x[k]));
  SUP_TRY(sup_builder_add_point(&r->mesh, &r->s, tag, x));
  sup_scan_next_line(&r->s); /* parameters on the geometry may follow */
  return SUP_OK;
}

/* ---- physical groups: sets of cells in three dimensions, of vertices in less ----------------- */

sup_status sup_gmsh_join_group(sup_gmsh_reader *r, int dimension, int physical) {
  char        number[32];
  const char *name = number;
  SUP_TRY(SUP_GROW(r->set, r->sets_capacity, r->num_sets + 1));
  snprintf(number, sizeof number, "physical_%d", physical);
  for (int i = 0; i < r->num_physical; i++)
    if (r->physical[i].dimension == dimension && r->physical[i].number == physical)
      name = r->physical[i].name;
  SUP_TRY(sup_builder_need_set(&r->mesh, &r->s, dimension == 3 ? SUP_SET_CELLS : SUP_SET_VERTICES,
                               name, &r->set[r->num_sets]));
  r->num_sets++;
  return SUP_OK;
}

sup_status sup_gmsh_add_entity(sup_gmsh_reader *r, sup_gmsh_group entity) {
  SUP_TRY(SUP_GROW(r->entity, r->entity_capacity, r->num_entity + 1));
  if (entity.physical < 0) entity.physical = -entity.physical; /* turned */
  r->entity[r->num_entity++] = entity;
  return SUP_OK;
}

sup_status sup_gmsh_enter_entity(sup_gmsh_reader *r, int dimension, int entity) {
  r->num_sets = 0;
  for (int i = 0; i < r->num_entity; i++)
    if (r->entity[i].dimension == dimension && r->entity[i].number == entity)
      SUP_TRY(sup_gmsh_join_group(r, dimension, r->entity[i].physical));
  return SUP_OK;
}

/** Lines 'dimension number "name"'. */
static sup_status read_names(sup_gmsh_reader *r) {
  sup_scan *s = &r->s;
  int       count;
  SUP_TRY(sup_scan_begin_line(s, "the number of physical groups", 0, SUP_MESH_MAX_SETS, &count));
  for (int i = 0; i < count; i++) {
    sup_gmsh_group g = {0};
    SUP_TRY(sup_scan_begin_line(s, "the dimension of a physical group", 0, 3, &g.dimension));
    SUP_TRY(
        sup_scan_read_integer(s, "the number of a physical group", -INT_MAX, INT_MAX, &g.number));
    const char *begin = s->at, *end;
    for (end = begin; end < s->end && *end != '\n' && *end != '\r';) end++;
    s->at = end;
    while (begin < end && *begin != '"') begin++;
    while (end > begin && end[-1] != '"') end--;
    if (end - begin < 3)
      return sup_scan_unexpected(s, "the name of the physical group between double quotes");
    begin++, end--;
    if (end - begin >= SUP_NAME_MAX)
      return SUP_SCAN_FAIL(s, "found the name '%.40s...' of a group, expected at most %d letters",
                           begin, SUP_NAME_MAX - 1);
    memcpy(g.name, begin, (size_t)(end - begin));
    SUP_TRY(SUP_GROW(r->physical, r->physical_capacity, r->num_physical + 1));
    r->physical[r->num_physical++] = g;
  }
  return SUP_OK;
}

/** A line of $Entities: number, a place (points) or two corners of a box, the physical groups. */
static sup_status read_entity(sup_gmsh_reader *r, int dimension) {
  sup_scan      *s = &r->s;
  sup_gmsh_group g = {.dimension = dimension};
  int            count;
  double         ignored;
  sup_scan_next_line(s);
  SUP_TRY(sup_scan_begin_line(s, "the number of an entity", -INT_MAX, INT_MAX, &g.number));
  for (int k = 0; k < (dimension == 0 ? 3 : 6); k++)
    SUP_TRY(sup_scan_read_number(s, "a coordinate of an entity", &ignored));
  SUP_TRY(sup_scan_read_integer(s, "how many physical groups an entity has", 0, SUP_MESH_MAX_SETS,
                                &count));
  for (int k = 0; k < count; k++) {
    SUP_TRY(
        sup_scan_read_integer(s, "a physical group of an entity", -INT_MAX, INT_MAX, &g.physical));
    SUP_TRY(sup_gmsh_add_entity(r, g));
  }
  return SUP_OK;
}

static sup_status read_entities(sup_gmsh_reader *r) {
  int count[4];
  if (r->is_binary) {
    sup_scan_next_line(&r->s);
    return sup_gmsh_binary_entities(r);
  }
  SUP_TRY(sup_scan_begin_line(&r->s, "how many points the geometry has", 0, MAX_COUNT, &count[0]));
  for (int d = 1; d < 4; d++)
    SUP_TRY(sup_scan_read_integer(&r->s, "how many entities the geometry has", 0, MAX_COUNT,
                                  &count[d]));
  for (int d = 0; d < 4; d++)
    for (int i = 0; i < count[d]; i++) SUP_TRY(read_entity(r, d));
  return SUP_OK;
}

/* ---- elements -------------------------------------------------------------------------------- */

sup_status sup_gmsh_check_type(const sup_gmsh_reader *r, const sup_gmsh_type *type) {
  int  n = type->number;
  bool is_linear = n >= 4 && n <= 7;
  if (type->dimension < 3 || r->mesh.keeps_faces || is_linear || n == 11) return SUP_OK;
  return SUP_SCAN_FAIL(&r->s,
                       "found %s, expected second-order tetrahedra or linear cells: mesh the shape "
                       "with gmsh -order 1",
                       type->name);
}

sup_status sup_gmsh_add_element(sup_gmsh_reader *r, const sup_gmsh_type *type, int tag,
                                const int *point) {
  int corner[SUP_GMSH_MAX_POINTS];
  if (type->dimension < 3 || r->mesh.keeps_faces) {
    sup_builder_skip(&r->mesh, type->name, 1);
    for (int k = 0; k < type->num_points; k++)
      for (int i = 0; i < r->num_sets; i++)
        SUP_TRY(sup_builder_add_member(&r->mesh, r->set[i], point[k]));
    r->mesh.has_cells |= type->dimension == 3;
    if (type->dimension != 2) return SUP_OK;
    SUP_TRY(sup_builder_add_face(&r->mesh, &r->s, type->num_points, point));
    return SUP_OK;
  }
  for (int k = 0; k < type->num_points; k++)
    corner[type->number == 11 ? sup_gmsh_t10_order[k] : k] = point[k];
  SUP_TRY(sup_builder_add_cell(&r->mesh, &r->s, type->num_points, type->name, tag, corner));
  for (int i = 0; i < r->num_sets; i++) SUP_TRY(sup_builder_add_member(&r->mesh, r->set[i], tag));
  return SUP_OK;
}

/** Read the points of an element, or skip elements that are not used. */
static sup_status read_element(sup_gmsh_reader *r, const sup_gmsh_type *type, int tag) {
  int  point[SUP_GMSH_MAX_POINTS] = {0};
  bool is_needed = type->dimension == 3 || r->num_sets > 0 || r->mesh.keeps_faces;
  SUP_TRY(sup_gmsh_check_type(r, type));
  for (int k = 0; k < type->num_points && is_needed; k++)
    SUP_TRY(sup_scan_read_integer(&r->s, "a point of the element", 0, INT_MAX, &point[k]));
  SUP_TRY(sup_gmsh_add_element(r, type, tag, point));
  sup_scan_next_line(&r->s);
  return SUP_OK;
}

/* ---- 2.2 ------------------------------------------------------------------------------------- */

static sup_status read_points_2(sup_gmsh_reader *r) {
  int count, tag;
  SUP_TRY(sup_scan_begin_line(&r->s, "the number of points", 0, MAX_COUNT, &count));
  for (int i = 0; i < count; i++) {
    SUP_TRY(sup_scan_begin_line(&r->s, "the number of a point", 0, INT_MAX, &tag));
    SUP_TRY(read_point(r, tag));
  }
  return SUP_OK;
}

static sup_status read_elements_2(sup_gmsh_reader *r) {
  const sup_gmsh_type *type = NULL;
  int                  count, tag, number, num_tags;
  SUP_TRY(sup_scan_begin_line(&r->s, "the number of elements", 0, MAX_COUNT, &count));
  for (int i = 0; i < count; i++) {
    SUP_TRY(sup_scan_begin_line(&r->s, "the number of an element", 1, INT_MAX, &tag));
    SUP_TRY(sup_scan_read_integer(&r->s, "the type of an element", 1, INT_MAX, &number));
    SUP_TRY(sup_gmsh_find_type(&r->s, number, &type));
    SUP_TRY(sup_scan_read_integer(&r->s, "the number of tags of an element", 0, 1000, &num_tags));
    r->num_sets = 0;
    for (int k = 0; k < num_tags; k++) {
      SUP_TRY(sup_scan_read_integer(&r->s, "a tag of an element", -INT_MAX, INT_MAX, &number));
      if (k == 0 && number != 0)
        SUP_TRY(sup_gmsh_join_group(r, type->dimension, number < 0 ? -number : number));
    }
    SUP_TRY(read_element(r, type, tag));
  }
  return SUP_OK;
}

/* ---- 4.1 ------------------------------------------------------------------------------------- */

/** Line "blocks items lowest-tag highest-tag". */
static sup_status read_totals_4(sup_gmsh_reader *r, const char *what, int *num_blocks,
                                int *num_items) {
  SUP_TRY(sup_scan_begin_line(&r->s, "the number of blocks", 0, MAX_COUNT, num_blocks));
  SUP_TRY(sup_scan_read_integer(&r->s, what, 0, MAX_COUNT, num_items));
  sup_scan_next_line(&r->s);
  return SUP_OK;
}

/** Line "dimension entity third count" of a block; `left` items were announced and not read yet.
 * The items that follow belong to the groups of the entity. */
static sup_status read_block_4(sup_gmsh_reader *r, const char *third_name, int *third, int *left,
                               int *count) {
  int dimension, entity;
  SUP_TRY(sup_scan_begin_line(&r->s, "the dimension of a block", 0, 3, &dimension));
  SUP_TRY(sup_scan_read_integer(&r->s, "the entity of a block", -INT_MAX, INT_MAX, &entity));
  SUP_TRY(sup_scan_read_integer(&r->s, third_name, 0, INT_MAX, third));
  SUP_TRY(sup_scan_read_integer(&r->s, "the size of a block", 0, *left, count));
  *left -= *count;
  SUP_TRY(sup_gmsh_enter_entity(r, dimension, entity));
  return SUP_OK;
}

sup_status sup_gmsh_check_remaining(const sup_gmsh_reader *r, const char *what, int left) {
  if (left == 0) return SUP_OK;
  return SUP_SCAN_FAIL(&r->s, "the blocks end %d %s before the announced number", left, what);
}

/** A block holds all its tags, then all its coordinates. */
static sup_status read_points_4(sup_gmsh_reader *r) {
  int num_blocks, left;
  SUP_TRY(read_totals_4(r, "the number of points", &num_blocks, &left));
  for (int b = 0; b < num_blocks; b++) {
    int is_parametric, count, tag;
    SUP_TRY(read_block_4(r, "0 or 1 for parametric points", &is_parametric, &left, &count));
    sup_scan_next_line(&r->s);
    sup_scan tags = r->s; /* second reading position: tags are read along with the coordinates */
    for (int i = 0; i < count; i++) {
      SUP_TRY(sup_scan_begin_line(&r->s, "the number of a point", 0, INT_MAX, &tag));
      sup_scan_next_line(&r->s);
    }
    for (int i = 0; i < count; i++) {
      SUP_TRY(sup_scan_begin_line(&tags, "the number of a point", 0, INT_MAX, &tag));
      SUP_TRY(read_point(r, tag));
    }
  }
  SUP_TRY(sup_gmsh_check_remaining(r, "points", left));
  return SUP_OK;
}

static sup_status read_elements_4(sup_gmsh_reader *r) {
  int num_blocks, left;
  SUP_TRY(read_totals_4(r, "the number of elements", &num_blocks, &left));
  for (int b = 0; b < num_blocks; b++) {
    const sup_gmsh_type *type = NULL;
    int                  number, count, tag;
    SUP_TRY(read_block_4(r, "the type of the elements", &number, &left, &count));
    SUP_TRY(sup_gmsh_find_type(&r->s, number, &type));
    sup_scan_next_line(&r->s);
    for (int i = 0; i < count; i++) {
      SUP_TRY(sup_scan_begin_line(&r->s, "the number of an element", 1, INT_MAX, &tag));
      SUP_TRY(read_element(r, type, tag));
    }
  }
  SUP_TRY(sup_gmsh_check_remaining(r, "elements", left));
  return SUP_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

/** Position in binary sections: a byte, since lines are no longer counted. */
static void count_bytes(sup_gmsh_reader *r) {
  if (r->s.is_binary) r->s.line = (long)(r->s.at - r->begin);
}

/** Check that the next word is the end of the completely read section. */
static sup_status need_end(sup_gmsh_reader *r, const char *end) {
  if (sup_scan_anywhere(&r->s) && strcmp(r->s.word, end) == 0) return SUP_OK;
  count_bytes(r);
  return sup_scan_unexpected(&r->s, end);
}

/** The section of a binary file: of 2.2 the count is text. */
static sup_status read_bytes(sup_gmsh_reader *r,
                             sup_status (*read)(sup_gmsh_reader *r, int count)) {
  int count = 0;
  if (!r->is_version_4)
    SUP_TRY(sup_scan_begin_line(&r->s, "how many items the section has", 0, MAX_COUNT, &count));
  sup_scan_next_line(&r->s);
  SUP_TRY(read(r, count));
  return SUP_OK;
}

static sup_status read_points(sup_gmsh_reader *r) {
  if (r->is_binary) return read_bytes(r, sup_gmsh_binary_points);
  return r->is_version_4 ? read_points_4(r) : read_points_2(r);
}

static sup_status read_elements(sup_gmsh_reader *r) {
  if (r->is_binary) return read_bytes(r, sup_gmsh_binary_elements);
  return r->is_version_4 ? read_elements_4(r) : read_elements_2(r);
}

static sup_status read_section(sup_gmsh_reader *r, const char *section, bool *has_points,
                               bool *has_elements) {
  if (strcmp(section, "$Nodes") == 0) {
    SUP_TRY(read_points(r));
    SUP_TRY(need_end(r, "$EndNodes"));
    *has_points = 1;
  } else if (strcmp(section, "$Elements") == 0) {
    SUP_TRY(read_elements(r));
    SUP_TRY(need_end(r, "$EndElements"));
    *has_elements = 1;
  } else {
    long begin = r->s.line;
    if (strcmp(section, "$PhysicalNames") == 0) SUP_TRY(read_names(r));
    if (strcmp(section, "$Entities") == 0 && r->is_version_4) SUP_TRY(read_entities(r));
    SUP_TRY(pass_section(r, section, begin));
  }
  return SUP_OK;
}

static sup_status read_sections(sup_gmsh_reader *r) {
  bool has_points = 0, has_elements = 0;
  while (sup_scan_anywhere(&r->s)) {
    char section[SUP_SCAN_WORD_MAX];
    memcpy(section, r->s.word, sizeof section);
    count_bytes(r);
    if (section[0] != '$')
      return sup_scan_unexpected(&r->s, "$Nodes, $Elements or another section");
    if (strcmp(section, "$EndMeshFormat") == 0) continue;
    SUP_TRY(read_section(r, section, &has_points, &has_elements));
    sup_scan_next_line(&r->s);
  }
  if (!has_points || !has_elements)
    return sup_scan_unexpected(&r->s, has_points ? "the section $Elements" : "the section $Nodes");
  return SUP_OK;
}

static void free_reader(sup_gmsh_reader *r) {
  sup_builder_free(&r->mesh);
  SUP_FREE_ALL(&r->physical, &r->entity, &r->set);
}

sup_status sup_gmsh_parse_mesh(sup_mesh **mesh, const char *name, const char *data, size_t size,
                               sup_mesh_report *report) {
  SUP_SCOPED(free_reader) sup_gmsh_reader r = {.s = sup_scan_open(name, data, size), .begin = data};
  *mesh = NULL;
  SUP_TRY(read_format(&r));
  SUP_TRY(read_sections(&r));
  SUP_TRY(sup_builder_finish(
      &r.mesh, name,
      ": gmsh -3 makes them, and -setnumber Mesh.SaveAll 1 saves those of no physical group", mesh,
      report));
  return SUP_OK;
}

sup_status sup_gmsh_parse_surface(sup_triangles *t, const char *name, const char *data,
                                  size_t size) {
  sup_gmsh_reader r = {
      .s = sup_scan_open(name, data, size), .begin = data, .mesh = {.keeps_faces = 1}};
  sup_status status;
  SUP_TRY_GOTO(read_format(&r), status, done);
  SUP_TRY_GOTO(read_sections(&r), status, done);
  SUP_TRY_GOTO(sup_builder_surface(&r.mesh, name, t), status, done);
done:
  free_reader(&r);
  return status;
}
