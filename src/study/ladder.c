#include "study/ladder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "output/format/number.h"

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_key ladder_keys[] = {
    SUP_CUSTOM("key", SUP_KEY_REFERENCE, "time.step",
               "Key of the scene that changes from level to level, or a list of keys.",
               .need = SUP_NEEDED),
    SUP_CUSTOM("values", SUP_KEY_LIST, "[10 ms, 5 ms, 2 ms]",
               "Values of the key; of several keys a list a level.", .absent = "needed, or start"),
    SUP_CUSTOM("start", SUP_KEY_TEXT, "10 ms",
               "First value of the key, a number or a list of numbers.",
               .absent = "needed, or values"),
    SUP_NUMBER("factor", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_BY_CODE, "0.5",
               "Factor on every number of start from level to level.", .absent = "0.5"),
    SUP_INTEGER("levels", 2, SUP_BY_CODE, "4", "Number of levels.", .need = SUP_NEEDED,
                .absent = "needed with start")};
const sup_schema sup_schema_ladder =
    SUP_SCHEMA("ladder", ladder_keys, "Levels from coarse to fine.");

/* ---- values as text -------------------------------------------------------------------------- */

int sup_leading_number(const char *text, double *value, const char **unit) {
  char   number[SUP_NAME_MAX];
  size_t digits = strspn(text, "0123456789+-.eE");
  if (digits >= sizeof number) return 0;
  memcpy(number, text, digits);
  number[digits] = '\0';
  *unit = text + digits;
  return sup_text_number(number, value);
}

/** Text that grows; a failure is kept until it is asked for. */
typedef struct string {
  char      *letters;
  size_t     used, capacity;
  sup_status status;
} string;

static void put(string *t, const char *letters) {
  size_t length = strlen(letters);
  if (t->status == SUP_OK) t->status = SUP_GROW(t->letters, t->capacity, t->used + length + 1);
  if (t->status != SUP_OK) return;
  memcpy(t->letters + t->used, letters, length + 1);
  t->used += length;
}

/** The text becomes the caller's; nothing is left when a part of it failed. */
static sup_status take(string *t, char **letters) {
  if (t->status != SUP_OK) SUP_FREE(t->letters);
  *letters = t->letters;
  return t->status;
}

static void put_scalar(string *t, const sup_node *node) {
  char letter[2] = "";
  bool is_bare = node->is_plain && !strpbrk(node->text, ",[]{}#:&*!|>'\"%@`");
  if (is_bare) {
    put(t, node->text);
    return;
  }
  put(t, "'");
  for (const char *c = node->text; *c; c++) {
    letter[0] = *c;
    put(t, *c == '\'' ? "''" : letter);
  }
  put(t, "'");
}

/** Write a value in flow style, every number multiplied by the factor. */
static void put_value(string *t, const sup_node *node, double factor) {
  char number[SUP_NUMBER_SIZE];
  if (node->type == SUP_NODE_SCALAR) {
    const char *unit;
    double      value;
    if (factor == 1 || !sup_leading_number(node->text, &value, &unit)) {
      put_scalar(t, node);
      return;
    }
    sup_number_text(number, factor * value, 15);
    put(t, number);
    put(t, unit);
    return;
  }
  bool is_mapping = node->type == SUP_NODE_MAPPING;
  put(t, is_mapping ? "{" : "[");
  for (const sup_node *c = node->child; c; c = c->next) {
    if (is_mapping) put(t, c->key), put(t, ": ");
    put_value(t, c, factor);
    if (c->next) put(t, ", ");
  }
  put(t, is_mapping ? "}" : "]");
}

/* ---- levels ---------------------------------------------------------------------------------- */

sup_status sup_level_add(sup_level *level, const char *key, const sup_node *value, double factor) {
  string t = {NULL};
  size_t capacity = (size_t)level->num_sets;
  SUP_TRY(SUP_GROW(level->set, capacity, level->num_sets + 1));
  put(&t, key);
  put(&t, "=");
  put_value(&t, value, factor);
  SUP_TRY(take(&t, &level->set[level->num_sets]));
  level->num_sets++;
  return SUP_OK;
}

sup_status sup_level_print(sup_level *level, const char *format, ...) {
  size_t  capacity = (size_t)level->num_sets;
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(NULL, 0, format, arguments) + 1;
  va_end(arguments);
  SUP_TRY(SUP_GROW(level->set, capacity, level->num_sets + 1));
  SUP_TRY(SUP_CALLOC(level->set[level->num_sets], size));
  va_start(arguments, format);
  vsnprintf(level->set[level->num_sets++], (size_t)size, format, arguments);
  va_end(arguments);
  return SUP_OK;
}

sup_status sup_level_add_all(sup_level *level, const sup_node *mapping) {
  for (const sup_node *c = mapping->child; c; c = c->next)
    SUP_TRY(sup_level_add(level, c->key, c, 1));
  return SUP_OK;
}

/** A new level with the overrides before its ladder. */
static sup_status add_level(sup_family *family, sup_source_position place,
                            const sup_node *const *before, int num_before, sup_level **level) {
  if (family->num_levels == SUP_MAX_LEVELS)
    return SUP_FAIL_AT(place, "a ladder has at most %d levels", SUP_MAX_LEVELS);
  *level = &family->level[family->num_levels++];
  (*level)->place = place;
  for (int i = 0; i < num_before; i++)
    if (before[i]) SUP_TRY(sup_level_add_all(*level, before[i]));
  return SUP_OK;
}

sup_status sup_level_label(sup_level *level, int first) {
  string t = {NULL};
  for (int i = first; i < level->num_sets; i++) {
    if (i > first) put(&t, " ");
    put(&t, level->set[i]);
  }
  SUP_TRY(take(&t, &level->label));
  return SUP_OK;
}

static int count_sets(const sup_node *const *before, int num_before) {
  int count = 0;
  for (int i = 0; i < num_before; i++) count += before[i] ? before[i]->num_children : 0;
  return count;
}

/* ---- the three forms of a ladder ------------------------------------------------------------- */

/** [{KEY: VALUE, ...}, ...] */
static sup_status read_list(sup_node *ladder, const sup_node *const *before, int num_before,
                            sup_family *family) {
  sup_level *level;
  for (sup_node *c = ladder->child; c; c = c->next) {
    SUP_TRY(sup_node_check_mapping(c, "a level of the ladder"));
    if (c->num_children == 0)
      return SUP_FAIL_AT(c->place, "a level needs overrides, for instance {time.step: 5 ms}");
    SUP_TRY(add_level(family, c->place, before, num_before, &level));
    SUP_TRY(sup_level_add_all(level, c));
    SUP_TRY(sup_level_label(level, count_sets(before, num_before)));
  }
  return SUP_OK;
}

static sup_status check_row(const sup_node *keys, const sup_node *row) {
  char what[SUP_SOURCE_POSITION_SIZE];
  if (keys->type == SUP_NODE_SCALAR) return SUP_OK;
  if (row->type == SUP_NODE_SEQUENCE && row->num_children == keys->num_children) return SUP_OK;
  return SUP_FAIL_AT(row->place,
                     "values of %d keys are lists of %d values, one list a level; found %s",
                     keys->num_children, keys->num_children, sup_node_describe(row, what));
}

/** {key: KEY, values: [VALUE, ...]}, or several keys with as many values a level. */
static sup_status read_values(const sup_node *keys, sup_node *values, const sup_node *const *before,
                              int num_before, sup_family *family) {
  sup_level *level;
  SUP_TRY(sup_node_check_list(values, "values"));
  for (sup_node *row = values->child; row; row = row->next) {
    SUP_TRY(check_row(keys, row));
    SUP_TRY(add_level(family, row->place, before, num_before, &level));
    if (keys->type == SUP_NODE_SCALAR) SUP_TRY(sup_level_add(level, keys->text, row, 1));
    const sup_node *value = keys->type == SUP_NODE_SEQUENCE ? row->child : NULL;
    for (const sup_node *k = value ? keys->child : NULL; k; k = k->next, value = value->next)
      SUP_TRY(sup_level_add(level, k->text, value, 1));
    SUP_TRY(sup_level_label(level, count_sets(before, num_before)));
  }
  return SUP_OK;
}

static int holds_number(const sup_node *node) {
  if (node->type != SUP_NODE_SCALAR) {
    for (const sup_node *c = node->child; c; c = c->next)
      if (!holds_number(c)) return 0;
    return node->num_children > 0;
  }
  const char *unit;
  double      value;
  return sup_leading_number(node->text, &value, &unit) && value != 0;
}

/** {key: KEY, start: VALUE, factor: 0.5, levels: 4}: every number of the value times the factor
 * from level to level. */
static sup_status read_powers(const sup_section *section, const sup_node *key, sup_node *start,
                              const sup_node *const *before, int num_before, sup_family *family) {
  double     factor = 0.5, scale = 1;
  int        levels = 0;
  char       what[SUP_SOURCE_POSITION_SIZE];
  sup_node  *need;
  sup_level *level;
  if (!holds_number(start))
    return SUP_FAIL_AT(start->place,
                       "start must be a number, with its unit, or a list of numbers; found %s",
                       sup_node_describe(start, what));
  if (key->type != SUP_NODE_SCALAR)
    return SUP_FAIL_AT(key->place, "a ladder with 'start' has one key");
  SUP_TRY(sup_read_number(section, "factor", &factor));
  if (factor == 1)
    return SUP_FAIL_AT(sup_section_entry(section, "factor")->place,
                       "factor is 1, which refines nothing; expected another number");
  SUP_TRY(sup_section_require(section, "levels", &need));
  SUP_TRY(sup_read_integer(section, "levels", &levels));
  for (int i = 0; i < levels; i++, scale *= factor) {
    SUP_TRY(add_level(family, need->place, before, num_before, &level));
    SUP_TRY(sup_level_add(level, key->text, start, scale));
    SUP_TRY(sup_level_label(level, count_sets(before, num_before)));
  }
  return SUP_OK;
}

static sup_status read_short(sup_node *ladder, const sup_node *const *before, int num_before,
                             sup_family *family) {
  sup_section section;
  sup_node   *key;
  const char *text;
  SUP_TRY(sup_section_open(&section, ladder, &sup_schema_ladder, NULL));
  SUP_TRY(sup_section_require(&section, "key", &key));
  if (key->type == SUP_NODE_SEQUENCE)
    for (const sup_node *c = key->child; c; c = c->next) SUP_TRY(sup_node_text(c, "key", &text));
  else
    SUP_TRY(sup_node_text(key, "key", &text));
  sup_node *values = sup_section_entry(&section, "values"),
           *start = sup_section_entry(&section, "start");
  if ((values != NULL) == (start != NULL))
    return SUP_FAIL_AT(
        ladder->place,
        "a ladder needs 'values: [...]' or 'start: ...' with 'levels: ...'; it has %s of them",
        values ? "both" : "none");
  if (start) {
    SUP_TRY(read_powers(&section, key, start, before, num_before, family));
    return SUP_OK;
  }
  for (int i = 0; i < 2; i++) {
    sup_node *stray = sup_section_entry(&section, i ? "factor" : "levels");
    if (stray)
      return SUP_FAIL_AT(stray->key_place, "%s belongs to a ladder with 'start'", stray->key);
  }
  SUP_TRY(read_values(key, values, before, num_before, family));
  return SUP_OK;
}

sup_status sup_ladder_read(sup_node *ladder, const sup_node *const *before, int num_before,
                           sup_family *family) {
  char what[SUP_SOURCE_POSITION_SIZE];
  SUP_TRY(SUP_CALLOC(family->level, SUP_MAX_LEVELS));
  if (ladder->type == SUP_NODE_SEQUENCE)
    SUP_TRY(read_list(ladder, before, num_before, family));
  else if (ladder->type == SUP_NODE_MAPPING)
    SUP_TRY(read_short(ladder, before, num_before, family));
  else
    return SUP_FAIL_AT(ladder->place,
                       "ladder must be a list of levels [{KEY: VALUE}, ...] or {key: KEY, values: "
                       "[...]}; found %s",
                       sup_node_describe(ladder, what));
  if (family->num_levels < 2)
    return SUP_FAIL_AT(ladder->place,
                       "a ladder needs two levels at least, three to tell an order; found %d",
                       family->num_levels);
  return SUP_OK;
}

void sup_ladder_keep(sup_family *family, int count) {
  for (int i = count; family->level && i < family->num_levels; i++) {
    sup_level *level = &family->level[i];
    for (int k = 0; k < level->num_sets; k++) SUP_FREE(level->set[k]);
    SUP_FREE_ALL(&level->set, &level->label);
  }
  family->num_levels = count;
}

void sup_ladder_free(sup_family *family) {
  sup_ladder_keep(family, 0);
  SUP_FREE(family->level);
}
