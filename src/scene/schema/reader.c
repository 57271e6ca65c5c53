#include "scene/schema/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* ---- mappings and lists ---------------------------------------------------------------------- */

/** "soft.bar.clamp.0" */
static void path_of(const sup_node *node, char path[SUP_SCHEMA_PATH_SIZE]) {
  size_t used;
  path[0] = '\0';
  if (!node->parent) return;
  path_of(node->parent, path);
  used = strlen(path);
  snprintf(path + used, SUP_SCHEMA_PATH_SIZE - used, "%s%s", used ? "." : "",
           node->key ? node->key : "0");
}

/** Fail with an example of the value that is expected at this key, if it begins with `opening`. */
static sup_status wrong_kind(const sup_node *node, const char *name, char opening,
                             const char *kind) {
  char path[SUP_SCHEMA_PATH_SIZE], text[SUP_SCHEMA_PATH_SIZE], what[SUP_SOURCE_POSITION_SIZE];
  path_of(node, path);
  const char *example = sup_schema_example(&sup_schema_scene, path, text);
  int         fits = example && example[0] == opening;
  return SUP_FAIL_AT(node->place, "%s must be %s%s%s; found %s", name, kind,
                     fits ? ", for instance " : "", fits ? example : "",
                     sup_node_describe(node, what));
}

sup_status sup_node_check_mapping(const sup_node *node, const char *name) {
  if (node->type == SUP_NODE_MAPPING) return SUP_OK;
  return wrong_kind(node, name, '{', "a mapping 'key: value'");
}

sup_status sup_node_check_list(const sup_node *node, const char *name) {
  if (node->type == SUP_NODE_SEQUENCE) return SUP_OK;
  return wrong_kind(node, name, '[', "a list [...]");
}

/* ---- values ---------------------------------------------------------------------------------- */

static sup_status unknown_unit(const sup_node *node, const char *name, const char *word) {
  const char *symbols[64];
  char        known[512];
  int         count = 0;
  while (count < 64 && sup_unit_symbol(count)) symbols[count] = sup_unit_symbol(count), count++;
  return SUP_FAIL_AT(node->place, "'%.60s' for %s has the unknown unit '%s'%s", node->text, name,
                     word, sup_known_text(word, symbols, count, known, sizeof known));
}

static sup_status read_quantity(const sup_node *node, const char *name, sup_dimension dimension,
                                const char *example, double *value) {
  char        what[SUP_SOURCE_POSITION_SIZE], word[SUP_UNIT_WORD_SIZE];
  const char *found, *wanted = sup_dimension_name(dimension);
  if (node->type != SUP_NODE_SCALAR || sup_node_is_empty(node))
    return SUP_FAIL_AT(node->place, "%s must be %s, for instance %s; found %s", name, wanted,
                       example, sup_node_describe(node, what));
  sup_quantity_result result = sup_quantity_read(node->text, dimension, value, word, &found);
  if (result == SUP_QUANTITY_UNKNOWN_UNIT) return unknown_unit(node, name, word);
  if (result == SUP_QUANTITY_NO_NUMBER) {
    const char *comma = strchr(node->text, ',');
    bool        is_decimal = comma && isdigit((unsigned char)comma[1]);
    return SUP_FAIL_AT(node->place, "%s must be %s, for instance %s; %s is not a number%s", name,
                       wanted, example, sup_node_describe(node, what),
                       is_decimal ? ": decimals have a point" : "");
  }
  if (result == SUP_QUANTITY_OTHER_DIMENSION)
    return SUP_FAIL_AT(node->place, "%s must be %s, for instance %s; '%.60s' is %s", name, wanted,
                       example, node->text, found[0] ? found : "something else");
  return SUP_OK;
}

static sup_status check_range(const sup_node *node, const char *name, sup_dimension dimension,
                              sup_range range, const char *example) {
  double      x = node->number;
  bool        has_unit = dimension != SUP_DIM_NUMBER;
  const char *blank = has_unit ? " " : "", *unit = has_unit ? sup_dimension_unit(dimension) : "";
  if ((range == SUP_POSITIVE || range == SUP_BELOW_ONE) && !(x > 0))
    return SUP_FAIL_AT(node->place, "%s is %g%s%s; it must be positive, for instance %s", name, x,
                       blank, unit, example);
  if (range == SUP_NOT_NEGATIVE && !(x >= 0))
    return SUP_FAIL_AT(node->place, "%s is %g%s%s; it must not be negative; for instance %s", name,
                       x, blank, unit, example);
  if (range == SUP_UP_TO_ONE && !(x >= 0 && x <= 1))
    return SUP_FAIL_AT(node->place, "%s is %g; it must lie between 0 and 1, for instance %s", name,
                       x, example);
  if (range == SUP_BELOW_ONE && !(x < 1))
    return SUP_FAIL_AT(node->place,
                       "%s is %g; it is relative and must lie below 1, for instance %s", name, x,
                       example);
  return SUP_OK;
}

sup_status sup_node_quantity(sup_node *node, const char *name, sup_dimension dimension,
                             sup_range range, const char *example, double *value) {
  if (!node->is_number) SUP_TRY(read_quantity(node, name, dimension, example, &node->number));
  SUP_TRY(check_range(node, name, dimension, range, example));
  node->is_number = 1, node->dimension = dimension;
  *value = node->number;
  return SUP_OK;
}

sup_status sup_node_number(sup_node *node, const char *name, sup_dimension dimension,
                           sup_range range, double *value) {
  SUP_TRY(sup_node_quantity(node, name, dimension, range, sup_dimension_example(dimension), value));
  return SUP_OK;
}

sup_status sup_node_vector(sup_node *node, const char *name, sup_dimension dimension,
                           sup_range range, double value[3]) {
  char what[SUP_SOURCE_POSITION_SIZE];
  int  i = 0;
  if (node->type != SUP_NODE_SEQUENCE || node->num_children != 3)
    return SUP_FAIL_AT(node->place, "%s must be a list of 3 numbers [x, y, z], each %s; found %s",
                       name, sup_dimension_name(dimension), sup_node_describe(node, what));
  for (sup_node *c = node->child; c; c = c->next, i++) {
    char element[SUP_NAME_MAX];
    snprintf(element, sizeof element, "%c of %.50s", "xyz"[i], name);
    SUP_TRY(sup_node_number(c, element, dimension, range, &value[i]));
  }
  return SUP_OK;
}

sup_status sup_node_text(const sup_node *node, const char *name, const char **text) {
  char what[SUP_SOURCE_POSITION_SIZE];
  if (node->type != SUP_NODE_SCALAR || sup_node_is_empty(node) || node->text[0] == '\0')
    return SUP_FAIL_AT(node->place, "%s must be a text; found %s", name,
                       node->type == SUP_NODE_SCALAR ? "nothing" : sup_node_describe(node, what));
  *text = node->text;
  return SUP_OK;
}

sup_status sup_node_word(const sup_node *node, const char *name, const char *const *words,
                         int num_words, int *index) {
  const char *text;
  char        known[512];
  SUP_TRY(sup_node_text(node, name, &text));
  for (int i = 0; i < num_words; i++)
    if (strcmp(words[i], text) == 0) {
      *index = i;
      return SUP_OK;
    }
  return SUP_FAIL_AT(node->place, "unknown %s '%.60s'%s", name, text,
                     sup_known_text(text, words, num_words, known, sizeof known));
}

static sup_status copy_name(const char *text, sup_source_position place, const char *what,
                            char name[SUP_NAME_MAX]) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  int               good = strlen(text) < SUP_NAME_MAX && strspn(text, letters) == strlen(text);
  if (!good)
    return SUP_FAIL_AT(place,
                       "'%.80s' cannot name a %s; a name has up to %d letters, digits, _ and -",
                       text, what, SUP_NAME_MAX - 1);
  strcpy(name, text);
  return SUP_OK;
}

sup_status sup_node_name(const sup_node *node, const char *what, char name[SUP_NAME_MAX]) {
  return copy_name(node->key, node->key_place, what, name);
}

sup_status sup_node_text_name(const sup_node *node, const char *key, const char *what,
                              char name[SUP_NAME_MAX]) {
  const char *text;
  SUP_TRY(sup_node_text(node, key, &text));
  return copy_name(text, node->place, what, name);
}
