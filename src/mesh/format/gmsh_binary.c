/* The bytes of Gmsh's binary .msh 2.2 and 4.1 (Gmsh reference manual, "MSH file format"): whole
 * numbers of 4 bytes, in 4.1 counts and tags of as many as the file says, numbers of 8. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "mesh/format/gmsh_parse.h"

enum { MAX_COUNT = SUP_GMSH_MAX_COUNT };

/** The next bytes in the order of this machine. */
static sup_status take(sup_gmsh_reader *r, const char *what, void *value, size_t bytes) {
  unsigned char *to = value;
  r->s.line = (long)(r->s.at - r->begin);
  if ((size_t)(r->s.end - r->s.at) < bytes)
    return SUP_SCAN_FAIL(&r->s, "found the end of the file, expected %s", what);
  for (size_t k = 0; k < bytes; k++)
    to[k] = (unsigned char)r->s.at[r->is_swapped ? bytes - 1 - k : k];
  r->s.at += bytes;
  return SUP_OK;
}

static sup_status check(const sup_gmsh_reader *r, const char *what, int64_t low, int64_t high,
                        int64_t number, int *value) {
  if (number < low || number > high)
    return SUP_SCAN_FAIL(&r->s, "found %lld for %s, expected a whole number from %lld to %lld",
                         (long long)number, what, (long long)low, (long long)high);
  *value = (int)number;
  return SUP_OK;
}

static sup_status read_integer(sup_gmsh_reader *r, const char *what, int low, int high,
                               int *value) {
  int32_t number;
  SUP_TRY(take(r, what, &number, sizeof number));
  SUP_TRY(check(r, what, low, high, number, value));
  return SUP_OK;
}

/** A count or tag of 8 bytes, or of 4 as a machine of 32 bits has it. */
static sup_status read_size(sup_gmsh_reader *r, const char *what, int low, int high, int *value) {
  int64_t number; /* larger numbers are out of range in any case */
  if (r->size_bytes == 4) return read_integer(r, what, low, high, value);
  SUP_TRY(take(r, what, &number, sizeof number));
  SUP_TRY(check(r, what, low, high, number, value));
  return SUP_OK;
}

static sup_status read_number(sup_gmsh_reader *r, const char *what, double *value) {
  SUP_TRY(take(r, what, value, sizeof *value));
  if (!isfinite(*value)) return SUP_SCAN_FAIL(&r->s, "found %g for %s", *value, what);
  return SUP_OK;
}

/** Skip numbers of the given size. */
static sup_status pass(sup_gmsh_reader *r, const char *what, size_t count, size_t bytes) {
  r->s.line = (long)(r->s.at - r->begin);
  if ((size_t)(r->s.end - r->s.at) / bytes < count)
    return SUP_SCAN_FAIL(&r->s, "found the end of the file, expected %s", what);
  r->s.at += count * bytes;
  return SUP_OK;
}

sup_status sup_gmsh_read_order(sup_gmsh_reader *r) {
  long    line = r->s.line;
  int32_t one;
  r->s.is_binary = 1;
  SUP_TRY(take(r, "the number 1 as 4 bytes", &one, sizeof one));
  r->is_swapped = one != 1;
  if (one != 1 && one != 0x01000000)
    return SUP_SCAN_FAIL(&r->s, "found the bytes of %ld, expected those of 1, in either order",
                         (long)one);
  r->s.is_binary = 0, r->s.line = line;
  return SUP_OK;
}

/* ---- the geometry ---------------------------------------------------------------------------- */

/** Number, a place (points) or two corners of a box, physical groups, entities of its boundary. */
static sup_status read_entity(sup_gmsh_reader *r, int dimension) {
  sup_gmsh_group g = {.dimension = dimension};
  int            count;
  SUP_TRY(read_integer(r, "the number of an entity", -INT_MAX, INT_MAX, &g.number));
  SUP_TRY(pass(r, "a coordinate of an entity", dimension == 0 ? 3 : 6, sizeof(double)));
  SUP_TRY(read_size(r, "how many physical groups an entity has", 0, SUP_MESH_MAX_SETS, &count));
  for (int k = 0; k < count; k++) {
    SUP_TRY(read_integer(r, "a physical group of an entity", -INT_MAX, INT_MAX, &g.physical));
    SUP_TRY(sup_gmsh_add_entity(r, g));
  }
  if (dimension == 0) return SUP_OK;
  SUP_TRY(read_size(r, "how many entities bound one", 0, MAX_COUNT, &count));
  SUP_TRY(pass(r, "an entity of a boundary", (size_t)count, sizeof(int32_t)));
  return SUP_OK;
}

sup_status sup_gmsh_binary_entities(sup_gmsh_reader *r) {
  int count[4];
  r->s.is_binary = 1;
  for (int d = 0; d < 4; d++)
    SUP_TRY(read_size(r, "how many entities the geometry has", 0, MAX_COUNT, &count[d]));
  for (int d = 0; d < 4; d++)
    for (int i = 0; i < count[d]; i++) SUP_TRY(read_entity(r, d));
  return SUP_OK;
}

/* ---- points ---------------------------------------------------------------------------------- */

static sup_status read_point(sup_gmsh_reader *r, int tag) {
  double x[3];
  for (int k = 0; k < 3; k++) SUP_TRY(read_number(r, "a coordinate of a point", &x[k]));
  SUP_TRY(sup_builder_add_point(&r->mesh, &r->s, tag, x));
  return SUP_OK;
}

static sup_status read_points_2(sup_gmsh_reader *r, int count) {
  int tag;
  for (int i = 0; i < count; i++) {
    SUP_TRY(read_integer(r, "the number of a point", 0, INT_MAX, &tag));
    SUP_TRY(read_point(r, tag));
  }
  return SUP_OK;
}

/** Read the numbers of blocks and items of a section; pass its least and greatest tag. */
static sup_status read_totals(sup_gmsh_reader *r, const char *what, int *num_blocks, int *left) {
  SUP_TRY(read_size(r, "the number of blocks", 0, MAX_COUNT, num_blocks));
  SUP_TRY(read_size(r, what, 0, MAX_COUNT, left));
  SUP_TRY(pass(r, "the least and the greatest tag", 2, r->size_bytes));
  return SUP_OK;
}

/** Dimension, entity, a third number, and how many items the block has. */
static sup_status read_block(sup_gmsh_reader *r, const char *third_name, int *dimension, int *third,
                             int *left, int *count) {
  int entity;
  SUP_TRY(read_integer(r, "the dimension of a block", 0, 3, dimension));
  SUP_TRY(read_integer(r, "the entity of a block", -INT_MAX, INT_MAX, &entity));
  SUP_TRY(read_integer(r, third_name, 0, INT_MAX, third));
  SUP_TRY(read_size(r, "the size of a block", 0, *left, count));
  *left -= *count;
  SUP_TRY(sup_gmsh_enter_entity(r, *dimension, entity));
  return SUP_OK;
}

/** A block holds all its tags, then all its coordinates. */
static sup_status read_points_4(sup_gmsh_reader *r) {
  int num_blocks, left;
  SUP_TRY(read_totals(r, "the number of points", &num_blocks, &left));
  for (int b = 0; b < num_blocks; b++) {
    int dimension, is_parametric, count, tag;
    SUP_TRY(
        read_block(r, "0 or 1 for parametric points", &dimension, &is_parametric, &left, &count));
    sup_gmsh_reader tags = *r; /* second reading position */
    SUP_TRY(pass(r, "the number of a point", (size_t)count, r->size_bytes));
    for (int i = 0; i < count; i++) {
      SUP_TRY(read_size(&tags, "the number of a point", 0, INT_MAX, &tag));
      SUP_TRY(read_point(r, tag));
      if (is_parametric)
        SUP_TRY(pass(r, "a parameter of a point", (size_t)dimension, sizeof(double)));
    }
  }
  SUP_TRY(sup_gmsh_check_remaining(r, "points", left));
  return SUP_OK;
}

sup_status sup_gmsh_binary_points(sup_gmsh_reader *r, int count) {
  r->s.is_binary = 1;
  SUP_TRY(r->is_version_4 ? read_points_4(r) : read_points_2(r, count));
  return SUP_OK;
}

/* ---- elements -------------------------------------------------------------------------------- */

/** Elements of one type with as many tags: the first is the physical group. */
static sup_status read_elements_2(sup_gmsh_reader *r, int left) {
  while (left > 0) {
    const sup_gmsh_type *type = NULL;
    int                  number, count, num_tags, point[SUP_GMSH_MAX_POINTS];
    SUP_TRY(read_integer(r, "the type of an element", 1, INT_MAX, &number));
    SUP_TRY(sup_gmsh_find_type(&r->s, number, &type));
    SUP_TRY(sup_gmsh_check_type(r, type));
    SUP_TRY(read_integer(r, "how many elements of the type follow", 1, left, &count));
    SUP_TRY(read_integer(r, "the number of tags of an element", 0, 1000, &num_tags));
    left -= count;
    for (int i = 0; i < count; i++) {
      int tag, group = 0;
      SUP_TRY(read_integer(r, "the number of an element", 1, INT_MAX, &tag));
      for (int k = 0; k < num_tags; k++) {
        int *to = k == 0 ? &group : &number;
        SUP_TRY(read_integer(r, "a tag of an element", -INT_MAX, INT_MAX, to));
      }
      r->num_sets = 0;
      if (group != 0) SUP_TRY(sup_gmsh_join_group(r, type->dimension, group < 0 ? -group : group));
      for (int k = 0; k < type->num_points; k++)
        SUP_TRY(read_integer(r, "a point of the element", 0, INT_MAX, &point[k]));
      SUP_TRY(sup_gmsh_add_element(r, type, tag, point));
    }
  }
  return SUP_OK;
}

static sup_status read_elements_4(sup_gmsh_reader *r) {
  int num_blocks, left;
  SUP_TRY(read_totals(r, "the number of elements", &num_blocks, &left));
  for (int b = 0; b < num_blocks; b++) {
    const sup_gmsh_type *type = NULL;
    int                  dimension, number, count, tag, point[SUP_GMSH_MAX_POINTS];
    SUP_TRY(read_block(r, "the type of the elements", &dimension, &number, &left, &count));
    SUP_TRY(sup_gmsh_find_type(&r->s, number, &type));
    SUP_TRY(sup_gmsh_check_type(r, type));
    for (int i = 0; i < count; i++) {
      SUP_TRY(read_size(r, "the number of an element", 1, INT_MAX, &tag));
      for (int k = 0; k < type->num_points; k++)
        SUP_TRY(read_size(r, "a point of the element", 0, INT_MAX, &point[k]));
      SUP_TRY(sup_gmsh_add_element(r, type, tag, point));
    }
  }
  SUP_TRY(sup_gmsh_check_remaining(r, "elements", left));
  return SUP_OK;
}

sup_status sup_gmsh_binary_elements(sup_gmsh_reader *r, int count) {
  r->s.is_binary = 1;
  SUP_TRY(r->is_version_4 ? read_elements_4(r) : read_elements_2(r, count));
  return SUP_OK;
}
