#include "scene/schema/section.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* ---- entries --------------------------------------------------------------------------------- */

static const sup_key *row_of(const sup_section *section, const char *key) {
  const sup_key *row = sup_schema_key(section->schema, key);
  SUP_ASSERT(row != NULL);
  return row;
}

/** The only section below that has the key; NULL: none, or several. */
static const char *section_that_has(const sup_schema *schema, const char *key) {
  const char *found = NULL;
  for (int i = 0; i < schema->num_keys; i++) {
    const sup_key *row = &schema->keys[i];
    bool is_there = sup_schema_key(schema, row->name) != NULL; /* in this variant of the section */
    if (!is_there || row->type != SUP_KEY_SECTION || !row->schema) continue;
    if (!sup_schema_key(row->schema, key)) continue;
    if (found) return NULL;
    found = row->name;
  }
  return found;
}

/** The only table over time of a section, for its interpolation; NULL: none, or several. */
static const char *table_that_has(const sup_schema *schema, const char *key) {
  const char *found = NULL;
  if (strcmp(key, "interpolation") != 0) return NULL;
  for (int i = 0; i < schema->num_keys; i++) {
    const char *name = schema->keys[i].name;
    if (schema->keys[i].type != SUP_KEY_TABLE || !sup_schema_key(schema, name)) continue;
    if (found) return NULL;
    found = name;
  }
  return found;
}

static sup_status unknown_key(const sup_section *section, const sup_node *node) {
  const char *names[SUP_SCHEMA_MAX_KEYS], *below = section_that_has(section->schema, node->key),
                                          *table = table_that_has(section->schema, node->key);
  char known[512];
  int  count = sup_schema_names(section->schema, names, SUP_SCHEMA_MAX_KEYS);
  if (below)
    return SUP_FAIL_AT(node->key_place, "unknown key '%s' in %s; did you mean '%s: {%s: ...}'?%s",
                       node->key, section->what, below, node->key,
                       sup_known_text("", names, count, known, sizeof known) + 1);
  if (table)
    return SUP_FAIL_AT(node->key_place,
                       "unknown key '%s' in %s; did you mean '%s: {rows: [...], %s: ...}'?%s",
                       node->key, section->what, table, node->key,
                       sup_known_text("", names, count, known, sizeof known) + 1);
  const char *comma = isdigit((unsigned char)node->key[0]) ? "; decimals have a point" : "";
  return SUP_FAIL_AT(node->key_place, "unknown key '%.60s' in %s%s%s", node->key, section->what,
                     comma, sup_known_text(node->key, names, count, known, sizeof known));
}

sup_status sup_section_open(sup_section *section, sup_node *node, const sup_schema *schema,
                            const char *what) {
  *section = (sup_section){.node = node, .what = what ? what : schema->title, .schema = schema};
  SUP_TRY(sup_node_check_mapping(node, section->what));
  for (const sup_node *c = node->child; c; c = c->next) {
    if (sup_schema_key(schema, c->key)) continue;
    sup_status status = unknown_key(section, c);
    return status;
  }
  return SUP_OK;
}

sup_status sup_section_open_named(sup_section *section, sup_node *node, const sup_schema *schema,
                                  const char *kind, char *name, char *what) {
  SUP_TRY(sup_node_name(node, kind, name));
  snprintf(what, 2 * SUP_NAME_MAX, "%s '%s'", kind, name);
  SUP_TRY(sup_section_open(section, node, schema, what));
  return SUP_OK;
}

sup_node *sup_section_entry(const sup_section *section, const char *key) {
  (void)row_of(section, key);
  return sup_node_find(section->node, key);
}

sup_status sup_section_require(const sup_section *section, const char *key, sup_node **node) {
  *node = sup_section_entry(section, key);
  if (!*node)
    return SUP_FAIL_AT(section->node->place, "%s needs the key '%s', for instance '%s: %s'",
                       section->what, key, key, row_of(section, key)->example);
  return SUP_OK;
}

sup_status sup_section_add(const sup_section *section, const char *key, sup_node **child) {
  sup_status status = sup_node_set_key(*child, key, section->node->place);
  if (status == SUP_OK)
    sup_node_append(section->node, child);
  else
    sup_node_destroy(child);
  return status;
}

sup_status sup_section_mapping(const sup_section *section, const char *key, sup_node **node) {
  *node = sup_section_entry(section, key);
  if (*node) {
    SUP_TRY(sup_node_check_mapping(*node, key));
    return SUP_OK;
  }
  sup_node *child = NULL;
  SUP_TRY(sup_node_create(&child, SUP_NODE_MAPPING, section->node->place));
  *node = child;
  sup_status status = sup_section_add(section, key, &child);
  return status;
}

sup_status sup_section_choice(const sup_section *section, int *index) {
  const char *names[SUP_SCHEMA_MAX_KEYS];
  char        known[512] = "";
  size_t      used = 0;
  SUP_ASSERT(section->schema->is_choice);
  *index = SUP_NONE;
  int count = sup_schema_names(section->schema, names, SUP_SCHEMA_MAX_KEYS);
  for (int i = 0; i < count; i++)
    if (used < sizeof known)
      used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", names[i]);
  if (section->node->num_children != 1)
    return SUP_FAIL_AT(section->node->place, "%s needs exactly one of the keys %s; found %d",
                       section->what, known, section->node->num_children);
  *index = (int)(row_of(section, section->node->child->key) - section->schema->keys);
  return SUP_OK;
}

/* ---- defaults go into the tree --------------------------------------------------------------- */

static sup_status add_text(const sup_section *section, const char *key, const char *text) {
  sup_node *child = NULL;
  SUP_TRY(sup_node_create_scalar(&child, text, section->node->place));
  child->is_plain = 1;
  sup_status status = sup_section_add(section, key, &child);
  return status;
}

static sup_status add_number(const sup_section *section, const char *key, sup_dimension dimension,
                             double value) {
  sup_node *child = NULL;
  SUP_TRY(sup_node_create_scalar(&child, "", section->node->place));
  child->is_number = 1, child->number = value, child->dimension = dimension;
  sup_status status = sup_section_add(section, key, &child);
  return status;
}

static sup_status add_vector(const sup_section *section, const char *key, sup_dimension dimension,
                             const double value[3]) {
  sup_node          *number = NULL;
  SUP_OWN(sup_node) *list = NULL;
  SUP_TRY(sup_node_create(&list, SUP_NODE_SEQUENCE, section->node->place));
  for (int i = 0; i < 3; i++) {
    SUP_TRY(sup_node_create_scalar(&number, "", section->node->place));
    number->is_number = 1, number->number = value[i], number->dimension = dimension;
    sup_node_append(list, &number);
  }
  SUP_TRY(sup_section_add(section, key, &list));
  return SUP_OK;
}

/* ---- one key --------------------------------------------------------------------------------- */

/** The entry of a key; NULL when it is absent and need not be there.  *writes: its default belongs
 * into the tree. */
static sup_status find_entry(const sup_section *section, const sup_key *row, sup_node **node,
                             int *writes) {
  sup_need need = row->need == SUP_NEEDED && section->is_override ? SUP_DEFAULT : row->need;
  *node = sup_node_find(section->node, row->name);
  *writes = !*node && need == SUP_DEFAULT;
  if (!*node && need == SUP_NEEDED) SUP_TRY(sup_section_require(section, row->name, node));
  return SUP_OK;
}

static sup_status read_number(const sup_section *section, const sup_key *row, double *value) {
  sup_node *node;
  int       writes;
  SUP_TRY(find_entry(section, row, &node, &writes));
  if (node)
    SUP_TRY(sup_node_quantity(node, row->name, row->dimension, row->range, row->example, value));
  if (writes) SUP_TRY(add_number(section, row->name, row->dimension, *value));
  return SUP_OK;
}

static sup_status read_integer(const sup_section *section, const sup_key *row, int *value) {
  sup_node *node;
  int       writes;
  double    number = *value;
  SUP_TRY(find_entry(section, row, &node, &writes));
  if (node)
    SUP_TRY(sup_node_quantity(node, row->name, SUP_DIM_NUMBER, SUP_ANY, row->example, &number));
  if (number < row->lowest || number > 1e9 || number != floor(number))
    return SUP_FAIL_AT(node ? node->place : section->node->place,
                       "%s is %g; it must be a whole number of at least %d", row->name, number,
                       row->lowest);
  *value = (int)number;
  if (writes) SUP_TRY(add_number(section, row->name, row->dimension, number));
  return SUP_OK;
}

static sup_status read_boolean(const sup_section *section, const sup_key *row, int *value) {
  sup_node *node;
  char      what[SUP_SOURCE_POSITION_SIZE];
  int       writes;
  SUP_TRY(find_entry(section, row, &node, &writes));
  if (writes) SUP_TRY(add_text(section, row->name, *value ? "true" : "false"));
  if (!node) return SUP_OK;
  bool is_text = node->type == SUP_NODE_SCALAR;
  if (is_text && strcmp(node->text, "true") == 0)
    *value = 1;
  else if (is_text && strcmp(node->text, "false") == 0)
    *value = 0;
  else /* a list or a section was meant for another key */
    return SUP_FAIL_AT(node->place, "%s must be true or false; found %s%s%s", row->name,
                       sup_node_describe(node, what),
                       is_text ? "" : "; its meaning: ", is_text ? "" : row->meaning);
  return SUP_OK;
}

static sup_status read_word(const sup_section *section, const sup_key *row, int *index) {
  const char *words[SUP_SCHEMA_MAX_KEYS];
  sup_node   *node;
  int         writes, count = sup_key_words(row, words, SUP_SCHEMA_MAX_KEYS);
  SUP_TRY(find_entry(section, row, &node, &writes));
  if (node) SUP_TRY(sup_node_word(node, row->name, words, count, index));
  if (writes) SUP_TRY(add_text(section, row->name, words[*index]));
  return SUP_OK;
}

static sup_status read_vector(const sup_section *section, const sup_key *row, double value[3]) {
  sup_node *node;
  int       writes;
  SUP_TRY(find_entry(section, row, &node, &writes));
  if (node) SUP_TRY(sup_node_vector(node, row->name, row->dimension, row->range, value));
  if (writes) SUP_TRY(add_vector(section, row->name, row->dimension, value));
  return SUP_OK;
}

/** One number for all axes, or one an axis. */
static sup_status read_axes(const sup_section *section, const sup_key *row, double value[3]) {
  const sup_node *node = sup_node_find(section->node, row->name);
  if (!node || node->type != SUP_NODE_SCALAR) return read_vector(section, row, value);
  SUP_TRY(read_number(section, row, value));
  value[1] = value[2] = value[0];
  return SUP_OK;
}

static sup_status read_name(const sup_section *section, const sup_key *row,
                            char name[SUP_NAME_MAX]) {
  sup_node *node;
  int       writes;
  SUP_TRY(find_entry(section, row, &node, &writes));
  if (node) SUP_TRY(sup_node_text_name(node, row->name, section->schema->title, name));
  return SUP_OK;
}

/* ---- single keys by name --------------------------------------------------------------------- */

#define READ_KEY(kind, TYPE, pointer)                                                \
  sup_status sup_read_##kind(const sup_section *section, const char *key, pointer) { \
    const sup_key *row = row_of(section, key);                                       \
    SUP_ASSERT(row->type == SUP_KEY_##TYPE);                                         \
    sup_status status = read_##kind(section, row, value);                            \
    return status;                                                                   \
  }
READ_KEY(number, NUMBER, double *value)
READ_KEY(integer, INTEGER, int *value)
READ_KEY(boolean, BOOLEAN, int *value)
READ_KEY(word, WORD, int *value)
READ_KEY(vector, VECTOR, double value[3])

sup_status sup_read_text(const sup_section *section, const char *key, const char **text) {
  const sup_key *row = row_of(section, key);
  sup_node      *node;
  int            writes;
  SUP_TRY(find_entry(section, row, &node, &writes));
  if (node) SUP_TRY(sup_node_text(node, key, text));
  return SUP_OK;
}

/* ---- all keys with a place ------------------------------------------------------------------- */

static sup_status read_section(const sup_section *section, const sup_key *row, void *target) {
  sup_node *node = sup_node_find(section->node, row->name);
  if (!node && row->need == SUP_OPTIONAL) return SUP_OK;
  if (row->need == SUP_NEEDED)
    SUP_TRY(sup_section_require(section, row->name, &node));
  else
    SUP_TRY(sup_section_mapping(section, row->name, &node));
  SUP_TRY(sup_section_load(node, row->schema, NULL, target));
  return SUP_OK;
}

/** Enumerations are read as the integers that they are. */
static sup_status read_index(const sup_section *section, const sup_key *row, void *member) {
  int value;
  memcpy(&value, member, sizeof value);
  if (row->type == SUP_KEY_INTEGER)
    SUP_TRY(read_integer(section, row, &value));
  else if (row->type == SUP_KEY_BOOLEAN)
    SUP_TRY(read_boolean(section, row, &value));
  else
    SUP_TRY(read_word(section, row, &value));
  memcpy(member, &value, sizeof value);
  return SUP_OK;
}

static sup_status read_key(const sup_section *section, const sup_key *row, void *member) {
  switch (row->type) {
    case SUP_KEY_NUMBER:
      return read_number(section, row, member);
    case SUP_KEY_INTEGER:
    case SUP_KEY_BOOLEAN:
    case SUP_KEY_WORD:
      return read_index(section, row, member);
    case SUP_KEY_VECTOR:
      return read_vector(section, row, member);
    case SUP_KEY_AXES:
      return read_axes(section, row, member);
    case SUP_KEY_NAME:
      return read_name(section, row, member);
    case SUP_KEY_SECTION:
      return read_section(section, row, member);
    default:
      SUP_ASSERT(row->type < SUP_KEY_TEXT); /* the others have no place */
      return SUP_OK;
  }
}

sup_status sup_section_read(const sup_section *section, void *target) {
  const sup_schema *schema = section->schema;
  for (int i = 0; i < schema->num_keys; i++) {
    const sup_key *row = &schema->keys[i];
    if (row->place.size > 0 && !row->by_code && sup_schema_has(schema, row))
      SUP_TRY(read_key(section, row, (char *)target + row->place.offset));
  }
  return SUP_OK;
}

sup_status sup_section_load(sup_node *node, const sup_schema *schema, const char *what,
                            void *target) {
  sup_section section;
  SUP_TRY(sup_section_open(&section, node, schema, what));
  SUP_TRY(sup_section_read(&section, target));
  return SUP_OK;
}
