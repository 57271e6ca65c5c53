#include "scene/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* ---- sections ---- */

sup_status sup_node_check_mapping(const sup_node *node, const char *name) {
  char what[SUP_PLACE_SIZE];
  if (node->type == SUP_NODE_MAPPING) return SUP_OK;
  return SUP_FAIL_AT(node->place, "%s must be a mapping 'key: value'; found %s", name, sup_node_describe(node, what));
}

sup_status sup_node_check_list(const sup_node *node, const char *name) {
  char what[SUP_PLACE_SIZE];
  if (node->type == SUP_NODE_SEQUENCE) return SUP_OK;
  return SUP_FAIL_AT(node->place, "%s must be a list [...]; found %s", name, sup_node_describe(node, what));
}

static int is_known(const char *key, const char *const *keys, int num_keys) {
  for (int i = 0; i < num_keys; i++)
    if (strcmp(keys[i], key) == 0) return 1;
  return 0;
}

sup_status sup_section_open(sup_section *section, sup_node *node, const char *what, const char *const *keys,
                            int num_keys) {
  SUP_ASSERT(num_keys <= SUP_SECTION_MAX_KEYS);
  *section = (sup_section){.node = node, .what = what, .num_keys = num_keys};
  for (int i = 0; i < num_keys; i++) section->keys[i] = keys[i];
  SUP_TRY(sup_node_check_mapping(node, what));
  for (const sup_node *c = node->child; c; c = c->next) {
    char known[512];
    if (!is_known(c->key, keys, num_keys))
      return SUP_FAIL_AT(c->key_place, "unknown key '%.60s' in %s%s", c->key, what,
                         sup_known_text(c->key, keys, num_keys, known, sizeof known));
  }
  return SUP_OK;
}

sup_node *sup_section_find(const sup_section *section, const char *key) {
  SUP_ASSERT(is_known(key, section->keys, section->num_keys));
  return sup_node_find(section->node, key);
}

sup_status sup_section_need(const sup_section *section, const char *key, const char *example, sup_node **node) {
  *node = sup_section_find(section, key);
  if (!*node)
    return SUP_FAIL_AT(section->node->place, "%s needs the key '%s', for instance '%s: %s'", section->what, key, key,
                       example);
  return SUP_OK;
}

sup_status sup_section_add(const sup_section *section, const char *key, sup_node **child) {
  SUP_ASSERT(is_known(key, section->keys, section->num_keys));
  sup_status status = sup_node_set_key(*child, key, section->node->place);
  if (status == SUP_OK)
    sup_node_append(section->node, child);
  else
    sup_node_destroy(child);
  return status;
}

sup_status sup_section_mapping(const sup_section *section, const char *key, sup_node **node) {
  *node = sup_section_find(section, key);
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

static sup_status add_number(const sup_section *section, const char *key, double value) {
  sup_node *child = NULL;
  SUP_TRY(sup_node_create_scalar(&child, "", section->node->place));
  child->is_number = 1, child->number = value;
  sup_status status = sup_section_add(section, key, &child);
  return status;
}

static sup_status add_text(const sup_section *section, const char *key, const char *text) {
  sup_node *child = NULL;
  SUP_TRY(sup_node_create_scalar(&child, text, section->node->place));
  child->is_plain = 1;
  sup_status status = sup_section_add(section, key, &child);
  return status;
}

/* ---- values ---- */

static sup_status unknown_unit(const sup_node *node, const char *name, const char *word) {
  const char *symbols[64];
  char        known[512];
  int         count = 0;
  while (count < 64 && sup_unit_symbol(count)) symbols[count] = sup_unit_symbol(count), count++;
  return SUP_FAIL_AT(node->place, "'%.60s' for %s has the unknown unit '%s'%s", node->text, name, word,
                     sup_known_text(word, symbols, count, known, sizeof known));
}

static sup_status read_quantity(const sup_node *node, const char *name, sup_dimension dimension, double *value) {
  char        what[SUP_PLACE_SIZE], word[SUP_UNIT_WORD_SIZE];
  const char *found, *wanted = sup_dimension_name(dimension), *example = sup_dimension_example(dimension);
  if (node->type != SUP_NODE_SCALAR || sup_node_is_empty(node))
    return SUP_FAIL_AT(node->place, "%s must be %s, for instance %s; found %s", name, wanted, example,
                       sup_node_describe(node, what));
  sup_quantity_result result = sup_quantity_read(node->text, dimension, value, word, &found);
  if (result == SUP_QUANTITY_UNKNOWN_UNIT) return unknown_unit(node, name, word);
  if (result == SUP_QUANTITY_NO_NUMBER)
    return SUP_FAIL_AT(node->place, "%s must be %s, for instance %s; %s is not a number", name, wanted, example,
                       sup_node_describe(node, what));
  if (result == SUP_QUANTITY_OTHER_DIMENSION)
    return SUP_FAIL_AT(node->place, "%s must be %s, for instance %s; '%.60s' is %s", name, wanted, example, node->text,
                       found[0] ? found : "something else");
  return SUP_OK;
}

sup_status sup_node_number(sup_node *node, const char *name, sup_dimension dimension, sup_sign sign, double *value) {
  if (!node->is_number) SUP_TRY(read_quantity(node, name, dimension, &node->number));
  double found = node->number;
  if (sign == SUP_POSITIVE && !(found > 0))
    return SUP_FAIL_AT(node->place, "%s is %g; it must be positive, for instance %s", name, found,
                       sup_dimension_example(dimension));
  if (sign == SUP_NOT_NEGATIVE && !(found >= 0))
    return SUP_FAIL_AT(node->place, "%s is %g; it must not be negative; for instance %s", name, found,
                       sup_dimension_example(dimension));
  node->is_number = 1;
  *value = found;
  return SUP_OK;
}

sup_status sup_node_vector(sup_node *node, const char *name, sup_dimension dimension, double value[3]) {
  char what[SUP_PLACE_SIZE];
  int  i = 0;
  if (node->type != SUP_NODE_SEQUENCE || node->num_children != 3)
    return SUP_FAIL_AT(node->place, "%s must be a list of 3 numbers [x, y, z], each %s; found %s", name,
                       sup_dimension_name(dimension), sup_node_describe(node, what));
  for (sup_node *c = node->child; c; c = c->next, i++) {
    char element[SUP_NAME_MAX];
    snprintf(element, sizeof element, "%c of %.50s", "xyz"[i], name);
    SUP_TRY(sup_node_number(c, element, dimension, SUP_ANY, &value[i]));
  }
  return SUP_OK;
}

sup_status sup_node_text(const sup_node *node, const char *name, const char **text) {
  char what[SUP_PLACE_SIZE];
  if (node->type != SUP_NODE_SCALAR || sup_node_is_empty(node) || node->text[0] == '\0')
    return SUP_FAIL_AT(node->place, "%s must be a text; found %s", name,
                       node->type == SUP_NODE_SCALAR ? "nothing" : sup_node_describe(node, what));
  *text = node->text;
  return SUP_OK;
}

sup_status sup_node_word(const sup_node *node, const char *name, const char *const *words, int num_words, int *index) {
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

static sup_status copy_name(const char *text, sup_place place, const char *what, char name[SUP_NAME_MAX]) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  int               good = strlen(text) < SUP_NAME_MAX && strspn(text, letters) == strlen(text);
  if (!good)
    return SUP_FAIL_AT(place, "'%.80s' cannot name a %s; up to %d letters, digits, _ and - can", text, what,
                       SUP_NAME_MAX - 1);
  strcpy(name, text);
  return SUP_OK;
}

sup_status sup_node_name(const sup_node *node, const char *what, char name[SUP_NAME_MAX]) {
  return copy_name(node->key, node->key_place, what, name);
}

sup_status sup_get_name(const sup_section *section, const char *what, char name[SUP_NAME_MAX]) {
  const sup_node *node = sup_section_find(section, "name");
  const char     *text;
  if (!node) return SUP_OK;
  SUP_TRY(sup_node_text(node, "name", &text));
  return copy_name(text, node->place, what, name);
}

/* ---- entries ---- */

sup_status sup_get_number(const sup_section *section, const char *key, sup_dimension dimension, sup_sign sign,
                          double *value) {
  sup_node *node = sup_section_find(section, key);
  if (node)
    SUP_TRY(sup_node_number(node, key, dimension, sign, value));
  else
    SUP_TRY(add_number(section, key, *value));
  return SUP_OK;
}

sup_status sup_need_number(const sup_section *section, const char *key, sup_dimension dimension, sup_sign sign,
                           double *value) {
  sup_node *node;
  SUP_TRY(sup_section_need(section, key, sup_dimension_example(dimension), &node));
  SUP_TRY(sup_node_number(node, key, dimension, sign, value));
  return SUP_OK;
}

sup_status sup_get_integer(const sup_section *section, const char *key, int lowest, int *value) {
  double number = *value;
  SUP_TRY(sup_get_number(section, key, SUP_DIM_NUMBER, SUP_ANY, &number));
  if (number < lowest || number > 1e9 || number != floor(number))
    return SUP_FAIL_AT(sup_section_find(section, key)->place, "%s is %g; it must be a whole number of at least %d", key,
                       number, lowest);
  *value = (int)number;
  return SUP_OK;
}

sup_status sup_get_boolean(const sup_section *section, const char *key, int *value) {
  sup_node *node = sup_section_find(section, key);
  char      what[SUP_PLACE_SIZE];
  if (!node) {
    SUP_TRY(add_text(section, key, *value ? "true" : "false"));
    return SUP_OK;
  }
  int is_text = node->type == SUP_NODE_SCALAR;
  if (is_text && strcmp(node->text, "true") == 0)
    *value = 1;
  else if (is_text && strcmp(node->text, "false") == 0)
    *value = 0;
  else
    return SUP_FAIL_AT(node->place, "%s must be true or false; found %s", key, sup_node_describe(node, what));
  return SUP_OK;
}

sup_status sup_need_vector(const sup_section *section, const char *key, sup_dimension dimension, double value[3]) {
  sup_node *node;
  char      example[SUP_NAME_MAX];
  snprintf(example, sizeof example, "[0, 0, %s]", sup_dimension_example(dimension));
  SUP_TRY(sup_section_need(section, key, example, &node));
  SUP_TRY(sup_node_vector(node, key, dimension, value));
  return SUP_OK;
}

static sup_status add_vector(const sup_section *section, const char *key, const double value[3]) {
  sup_node  *list = NULL, *number = NULL;
  sup_status status;
  SUP_TRY(sup_node_create(&list, SUP_NODE_SEQUENCE, section->node->place));
  for (int i = 0; i < 3; i++) {
    SUP_TRY_GOTO(sup_node_create_scalar(&number, "", section->node->place), status, fail);
    number->is_number = 1, number->number = value[i];
    sup_node_append(list, &number);
  }
  SUP_TRY_GOTO(sup_section_add(section, key, &list), status, fail);
  return SUP_OK;
fail:
  sup_node_destroy(&list);
  return status;
}

sup_status sup_get_vector(const sup_section *section, const char *key, sup_dimension dimension, double value[3]) {
  sup_node *node = sup_section_find(section, key);
  if (node)
    SUP_TRY(sup_node_vector(node, key, dimension, value));
  else
    SUP_TRY(add_vector(section, key, value));
  return SUP_OK;
}

sup_status sup_get_word(const sup_section *section, const char *key, const char *const *words, int num_words,
                        int *index) {
  sup_node *node = sup_section_find(section, key);
  if (node)
    SUP_TRY(sup_node_word(node, key, words, num_words, index));
  else
    SUP_TRY(add_text(section, key, words[*index]));
  return SUP_OK;
}

sup_status sup_need_text(const sup_section *section, const char *key, const char *example, const char **text) {
  sup_node *node;
  SUP_TRY(sup_section_need(section, key, example, &node));
  SUP_TRY(sup_node_text(node, key, text));
  return SUP_OK;
}

/* ---- tables ---- */

static sup_status read_row(sup_node *row, const char *name, int width, const sup_dimension *dimension, double *time,
                           double *value) {
  char what[SUP_PLACE_SIZE], column[SUP_NAME_MAX];
  int  i = 0;
  if (row->type != SUP_NODE_SEQUENCE || row->num_children != width + 1)
    return SUP_FAIL_AT(row->place, "a row of %s must be a list of %d numbers, the time first; found %s", name,
                       width + 1, sup_node_describe(row, what));
  for (sup_node *c = row->child; c; c = c->next, i++) {
    snprintf(column, sizeof column, "column %d of %.40s", i + 1, name);
    SUP_TRY(
        sup_node_number(c, column, i == 0 ? SUP_DIM_TIME : dimension[i - 1], SUP_ANY, i == 0 ? time : &value[i - 1]));
  }
  return SUP_OK;
}

sup_status sup_node_table(sup_node *node, const char *name, int width, const sup_dimension *dimension,
                          sup_table *table) {
  SUP_TRY(sup_node_check_list(node, name));
  if (node->num_children == 0) return SUP_FAIL_AT(node->place, "%s has no rows; give at least one [time, ...]", name);
  *table = (sup_table){.width = width};
  SUP_TRY(SUP_CALLOC(table->time, node->num_children));
  SUP_TRY(SUP_CALLOC(table->value, (size_t)node->num_children * (size_t)width));
  for (sup_node *row = node->child; row; row = row->next) {
    int i = table->num_rows;
    SUP_TRY(read_row(row, name, width, dimension, &table->time[i], &table->value[(ptrdiff_t)i * width]));
    if (i > 0 && !(table->time[i] > table->time[i - 1]))
      return SUP_FAIL_AT(row->place, "the times of %s must increase; %g s comes after %g s", name, table->time[i],
                         table->time[i - 1]);
    table->num_rows++;
  }
  return SUP_OK;
}
