#include "scene/schema/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* ---- rows ------------------------------------------------------------------------------------ */

bool sup_schema_has(const sup_schema *schema, const sup_key *key) {
  return !key->only || !schema->variant || (key->only & schema->variant) != 0;
}

const sup_key *sup_schema_key(const sup_schema *schema, const char *name) {
  for (int i = 0; i < schema->num_keys; i++)
    if (strcmp(schema->keys[i].name, name) == 0 && sup_schema_has(schema, &schema->keys[i]))
      return &schema->keys[i];
  return NULL;
}

int sup_schema_names(const sup_schema *schema, const char **names, int max) {
  int count = 0;
  for (int i = 0; i < schema->num_keys && count < max; i++)
    if (sup_schema_has(schema, &schema->keys[i])) names[count++] = schema->keys[i].name;
  return count;
}

int sup_key_words(const sup_key *key, const char **names, int max) {
  int count = 0;
  while (count < key->num_words && count < max) names[count] = key->words[count].name, count++;
  return count;
}

bool sup_key_has_names(const sup_key *key) {
  return key->type == SUP_KEY_COLLECTION || key->type == SUP_KEY_ENTRIES;
}

/* ---- the walk -------------------------------------------------------------------------------- */

typedef struct walker {
  int (*visit)(const sup_schema_step *step, void *user);
  void *user;
  char  path[SUP_SCHEMA_PATH_SIZE];
} walker;

/** Members of the section's target are those of the section above, unless it has defaults of its
 * own. */
static int walk(walker *w, const sup_schema *schema, const void *above, int depth) {
  size_t length = strlen(w->path);
  void  *own = NULL;
  int    ended = 0;
  if (schema->defaults) {
    if (SUP_CALLOC(*(char **)&own, schema->size) != SUP_OK) return 0;
    schema->defaults(own);
  }
  const char *target = own ? own : above;
  for (int i = 0; i < schema->num_keys && !ended; i++) {
    const sup_key *key = &schema->keys[i];
    if (!sup_schema_has(schema, key)) continue;
    snprintf(w->path + length, sizeof w->path - length, "%s%s", length ? "." : "", key->name);
    sup_schema_step step = {w->path, depth, key, schema, target};
    ended = w->visit(&step, w->user);
    if (ended || !key->schema || depth + 1 >= SUP_SCHEMA_MAX_DEPTH) continue;
    ended = walk(w, key->schema, target && key->place.size > 0 ? target + key->place.offset : NULL,
                 depth + 1);
  }
  w->path[length] = '\0';
  SUP_FREE(own);
  return ended;
}

int sup_schema_walk(const sup_schema *root, int (*visit)(const sup_schema_step *step, void *user),
                    void             *user) {
  walker w = {visit, user, ""};
  return walk(&w, root, NULL, 0);
}

/* ---- words for people ------------------------------------------------------------------------ */

const char *sup_range_text(sup_range range) {
  static const char *const text[] = {[SUP_ANY] = "",
                                     [SUP_POSITIVE] = "positive",
                                     [SUP_NOT_NEGATIVE] = "0 or more",
                                     [SUP_UP_TO_ONE] = "0 to 1",
                                     [SUP_BELOW_ONE] = "positive, below 1"};
  return text[range];
}

static size_t append(char *text, size_t size, size_t used, const char *more) {
  return used < size ? used + (size_t)snprintf(text + used, size - used, "%s", more) : used;
}

static void append_range(char *text, size_t size, size_t used, sup_range range) {
  if (range == SUP_ANY) return;
  used = append(text, size, used, ", ");
  append(text, size, used, sup_range_text(range));
}

const char *sup_key_kind(const sup_key *key, char *text, size_t size) {
  static const char *const kinds[SUP_NUM_KEY_TYPES] = {
      [SUP_KEY_BOOLEAN] = "true or false",
      [SUP_KEY_NAME] = "a name: letters, digits, _ and -",
      [SUP_KEY_SECTION] = "a section",
      [SUP_KEY_TEXT] = "a text",
      [SUP_KEY_FILE] = "the path of a file, relative to the file that names it",
      [SUP_KEY_REFERENCE] = "the name of something in the scene",
      [SUP_KEY_TABLE] =
          "a table over time: rows [t, value ...], or {rows or file, "
          "interpolation}",
      [SUP_KEY_LIST] = "a list",
      [SUP_KEY_SECTIONS] = "a list of sections",
      [SUP_KEY_ONE_OR_MORE] = "a section, or a list of sections",
      [SUP_KEY_COLLECTION] = "sections with names of your choice",
      [SUP_KEY_ENTRIES] = "entries by name"};
  size_t used = 0;
  text[0] = '\0';
  switch (key->type) {
    case SUP_KEY_NUMBER:
      used = append(text, size, used, sup_dimension_name(key->dimension));
      append_range(text, size, used, key->range);
      break;
    case SUP_KEY_INTEGER:
      snprintf(text, size, "a whole number of at least %d", key->lowest);
      break;
    case SUP_KEY_VECTOR:
    case SUP_KEY_AXES:
      used =
          append(text, size, used, key->type == SUP_KEY_AXES ? "one number for all axes, or " : "");
      used = append(text, size, used, "a list of 3 numbers [x, y, z], each ");
      used = append(text, size, used, sup_dimension_name(key->dimension));
      append_range(text, size, used, key->range);
      break;
    case SUP_KEY_WORD:
      used = append(text, size, used, "one of the words ");
      for (int i = 0; i < key->num_words; i++) {
        used = append(text, size, used, i ? ", " : "");
        used = append(text, size, used, key->words[i].name);
      }
      break;
    default:
      append(text, size, used, kinds[key->type]);
      if (key->type == SUP_KEY_SECTION && key->schema && key->schema->is_choice)
        snprintf(text, size, "a section with exactly one of its keys");
      if (key->type == SUP_KEY_COLLECTION && !key->schema)
        snprintf(text, size, "entries with names of your choice");
  }
  return text;
}

/* ---- defaults -------------------------------------------------------------------------------- */

static size_t append_number(char *text, size_t size, size_t used, double value) {
  char number[64];
  snprintf(number, sizeof number, "%.10g", value == 0 ? 0 : value);
  return append(text, size, used, number);
}

static void append_unit(char *text, size_t size, size_t used, sup_dimension dimension,
                        double value) {
  if (dimension == SUP_DIM_NUMBER || value == 0) return;
  used = append(text, size, used, " ");
  append(text, size, used, sup_dimension_unit(dimension));
}

static void default_of_member(const sup_key *key, const char *member, char *text, size_t size) {
  double value[3] = {0, 0, 0};
  int    index = 0;
  size_t used = 0;
  if (key->type == SUP_KEY_NUMBER || key->type == SUP_KEY_VECTOR || key->type == SUP_KEY_AXES)
    memcpy(value, member, key->place.size);
  if (key->type == SUP_KEY_INTEGER || key->type == SUP_KEY_BOOLEAN || key->type == SUP_KEY_WORD)
    memcpy(&index, member, sizeof index);
  switch (key->type) {
    case SUP_KEY_NUMBER:
      if (!isfinite(value[0])) {
        snprintf(text, size, "none");
        break;
      }
      used = append_number(text, size, used, value[0]);
      append_unit(text, size, used, key->dimension, value[0]);
      break;
    case SUP_KEY_VECTOR:
    case SUP_KEY_AXES:
      for (int i = 0; i < 3; i++) {
        used = append(text, size, used, i ? ", " : "[");
        used = append_number(text, size, used, value[i]);
      }
      used = append(text, size, used, "]");
      append_unit(text, size, used, key->dimension,
                  fmax(fabs(value[0]), fmax(fabs(value[1]), fabs(value[2]))));
      break;
    case SUP_KEY_INTEGER:
      snprintf(text, size, "%d", index);
      break;
    case SUP_KEY_BOOLEAN:
      snprintf(text, size, "%s", index ? "true" : "false");
      break;
    case SUP_KEY_WORD:
      snprintf(text, size, "%s",
               index >= 0 && index < key->num_words ? key->words[index].name : "none");
      break;
    default:
      break;
  }
}

const char *sup_key_default(const sup_schema_step *step, char *text, size_t size) {
  const sup_key *key = step->key;
  text[0] = '\0';
  if (key->absent)
    snprintf(text, size, "%s", key->absent);
  else if (key->need == SUP_NEEDED)
    snprintf(text, size, "needed");
  else if (key->need == SUP_OPTIONAL || key->type >= SUP_KEY_TEXT)
    snprintf(text, size, "none");
  else if (step->target && key->place.size > 0)
    default_of_member(key, (const char *)step->target + key->place.offset, text, size);
  return text;
}
