/* Paths to keys: their targets, and the key that a misspelt path means. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "scene/schema/schema.h"

static bool is_list(const sup_key *key) {
  return key->type == SUP_KEY_SECTIONS || key->type == SUP_KEY_ONE_OR_MORE ||
         key->type == SUP_KEY_LIST || key->type == SUP_KEY_TABLE || key->type == SUP_KEY_VECTOR ||
         key->type == SUP_KEY_AXES;
}

/** Length of the segment at text, which ends at a dot or the end. */
static size_t segment_length(const char *text) { return strcspn(text, "."); }

static const sup_key *key_of_segment(const sup_schema *schema, const char *text, size_t length) {
  for (int i = 0; schema && i < schema->num_keys; i++) {
    const sup_key *key = &schema->keys[i];
    if (strlen(key->name) == length && memcmp(key->name, text, length) == 0 &&
        sup_schema_has(schema, key))
      return key;
  }
  return NULL;
}

/** 1: this segment can be the name or number of an entry of the key. */
static int may_be_entry(const sup_key *key, const char *text, size_t length) {
  return sup_key_has_names(key) || (is_list(key) && strspn(text, "0123456789") >= length);
}

static void enter(sup_schema_target *place, const sup_schema *schema, const sup_key *key) {
  size_t used = strlen(place->path);
  place->schema = schema, place->key = key, place->is_entry = 0;
  snprintf(place->path + used, sizeof place->path - used, "%s%s", used ? "." : "", key->name);
}

/** Keys before names: in soft.mesh the mesh is that of any body, soft.mesh.mesh that of a body
 * called mesh. */
int sup_schema_find(const sup_schema *root, const char *path, sup_schema_target *place) {
  const sup_schema *schema = root;
  const char       *text = path;
  *place = (sup_schema_target){.schema = root};
  while (*text) {
    size_t         length = segment_length(text);
    const sup_key *key = key_of_segment(schema, text, length);
    if (key) {
      enter(place, schema, key);
      schema = key->type == SUP_KEY_TABLE ? &sup_schema_table : key->schema;
    } else if (place->key && !place->is_entry && may_be_entry(place->key, text, length)) {
      place->is_entry = 1;
    } else {
      place->schema = schema;
      return 0;
    }
    text += length;
    place->known = (size_t)(text - path);
    if (*text == '.') text++;
  }
  return 1;
}

/** Example of an entry: the first mapping in the row's example of the list or collection. */
const char *sup_schema_example(const sup_schema *root, const char *path,
                               char text[SUP_SCHEMA_PATH_SIZE]) {
  sup_schema_target place;
  if (!sup_schema_find(root, path, &place) || !place.key || !place.key->example) return NULL;
  const char *start = place.key->example;
  size_t      length = strlen(start);
  if (place.is_entry) {
    int depth = 0;
    start = start[0] ? strchr(start + 1, '{') : NULL;
    if (!start) return NULL;
    for (length = 0; start[length] && (length == 0 || depth > 0); length++)
      depth += start[length] == '{' ? 1 : start[length] == '}' ? -1 : 0;
  }
  snprintf(text, SUP_SCHEMA_PATH_SIZE, "%.*s", (int)length, start);
  return text;
}

/* ---- misspelt paths -------------------------------------------------------------------------- */

typedef struct search {
  const char *prefix, *tail; /* "soft" and "contact.friction": paths that begin and end so */
  int         count, max;
  char (*path)[SUP_SCHEMA_PATH_SIZE];
} search;

static int compare(const sup_schema_step *step, void *user) {
  search *s = user;
  size_t  prefix = strlen(s->prefix), tail = strlen(s->tail), length = strlen(step->path);
  if (prefix > 0 && (strncmp(step->path, s->prefix, prefix) != 0 || step->path[prefix] != '.'))
    return 0;
  if (length < tail || strcmp(step->path + length - tail, s->tail) != 0) return 0;
  if (length > tail && step->path[length - tail - 1] != '.') return 0;
  snprintf(s->path[s->count++], SUP_SCHEMA_PATH_SIZE, "%s", step->path);
  return s->count == s->max;
}

int sup_schema_ends(const sup_schema *root, const char *prefix, const char *tail, int max,
                    char (*path)[SUP_SCHEMA_PATH_SIZE]) {
  search s = {prefix, tail, 0, max, path};
  (void)sup_schema_walk(root, compare, &s);
  return s.count;
}

bool sup_schema_is_near(const sup_schema *schema, const char *word) {
  const char *names[SUP_SCHEMA_MAX_KEYS];
  return schema &&
         sup_text_nearest(word, names, sup_schema_names(schema, names, SUP_SCHEMA_MAX_KEYS)) !=
             SUP_NONE;
}
