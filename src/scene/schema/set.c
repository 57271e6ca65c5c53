#include "scene/schema/set.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/file/yaml.h"
#include "scene/schema/schema.h"

enum { SEGMENT_SIZE = 256, MAX_KNOWN = 100, MAX_MEANT = 5 };

typedef struct path {
  const char         *text; /* KEY */
  size_t              done; /* letters of it that lead to the current node, without the dot */
  sup_source_position place;
} path;

static sup_status next_segment(path *p, size_t length, char segment[SEGMENT_SIZE], bool *is_last) {
  size_t start = p->done ? p->done + 1 : 0, end = start;
  while (end < length && p->text[end] != '.') end++;
  if (end == start || end - start >= SEGMENT_SIZE || start > length)
    return SUP_FAIL_AT(p->place,
                       "the path before '=' must be keys joined by dots, for instance time.step");
  memcpy(segment, p->text + start, end - start);
  segment[end - start] = '\0';
  p->done = end;
  *is_last = end == length;
  return SUP_OK;
}

/** 1: the first `length` letters of the path name a mapping whose keys are names of the user's. */
static bool is_collection(const path *p, size_t length) {
  char              start[SUP_SCHEMA_PATH_SIZE];
  sup_schema_target place;
  if (length >= sizeof start) return 0;
  snprintf(start, sizeof start, "%.*s", (int)length, p->text);
  return sup_schema_find(&sup_schema_scene, start, &place) && place.key && !place.is_entry &&
         place.key->type == SUP_KEY_COLLECTION;
}

/** 1: the first `length` letters of the path name a list of numbers. */
static bool is_list(const path *p, size_t length) {
  char              start[SUP_SCHEMA_PATH_SIZE];
  sup_schema_target place;
  if (length >= sizeof start) return false;
  snprintf(start, sizeof start, "%.*s", (int)length, p->text);
  return sup_schema_find(&sup_schema_scene, start, &place) && place.key && !place.is_entry &&
         (place.key->type == SUP_KEY_VECTOR || place.key->type == SUP_KEY_AXES ||
          place.key->type == SUP_KEY_TABLE || place.key->type == SUP_KEY_LIST);
}

static sup_status no_such_name(const path *p, const sup_node *node, const char *segment,
                               size_t length) {
  const char *names[MAX_KNOWN];
  char        known[512];
  int         count = 0;
  for (const sup_node *c = node->child; c && count < MAX_KNOWN; c = c->next)
    names[count++] = c->key;
  return SUP_FAIL_AT(p->place, "there is no '%.60s' in %.*s%s", segment, (int)length, p->text,
                     sup_known_text(segment, names, count, known, sizeof known));
}

static sup_status list_entry(const path *p, const sup_node *list, const char *segment,
                             sup_node **entry) {
  size_t digits = strspn(segment, "0123456789");
  int    index = 0;
  *entry = NULL;
  if (digits == strlen(segment) && digits < 9 && sscanf(segment, "%d", &index) == 1)
    *entry = sup_node_at(list, index);
  if (!*entry)
    return SUP_FAIL_AT(
        p->place, "'%.60s' is no entry of the list '%.*s', which has the entries 0 to %d", segment,
        (int)(p->done - strlen(segment) - 1), p->text, list->num_children - 1);
  return SUP_OK;
}

static sup_status add_child(sup_node *mapping, const char *key, sup_source_position place,
                            sup_node **child) {
  sup_status status = sup_node_set_key(*child, key, place);
  if (status == SUP_OK)
    sup_node_append(mapping, child);
  else
    sup_node_destroy(child);
  return status;
}

/** A key without value becomes an empty mapping, so that keys can be put into it. */
static sup_status fill_empty(const path *p, sup_node **node) {
  sup_node *mapping = NULL, *filled;
  if (!sup_node_is_empty(*node)) return SUP_OK;
  SUP_TRY(sup_node_create(&mapping, SUP_NODE_MAPPING, p->place));
  filled = mapping;
  sup_node_replace(*node, &mapping);
  *node = filled;
  return SUP_OK;
}

/** Letters of KEY before its current segment. */
static size_t parent_length(const path *p, const char *segment) {
  size_t length = strlen(segment);
  return p->done > length ? p->done - length - 1 : 0;
}

static sup_status check_has_keys(const path *p, const sup_node *node, const char *segment) {
  char what[SUP_SOURCE_POSITION_SIZE], where[SUP_SOURCE_POSITION_SIZE];
  if (node->type != SUP_NODE_SCALAR) return SUP_OK;
  return SUP_FAIL_AT(p->place,
                     "'%.*s' is the single value %s (%s) without keys of its own; replace it whole",
                     (int)parent_length(p, segment), p->text, sup_node_describe(node, what),
                     sup_source_position_text(node->place, where));
}

/** One step down the path, adding a section that is missing. */
static sup_status descend(const path *p, sup_node **node, const char *segment) {
  sup_node *child = NULL, *added = NULL;
  SUP_TRY(check_has_keys(p, *node, segment));
  if ((*node)->type == SUP_NODE_SEQUENCE)
    SUP_TRY(list_entry(p, *node, segment, &child));
  else
    child = sup_node_find(*node, segment);
  if (!child && is_collection(p, parent_length(p, segment))) {
    sup_status status = no_such_name(p, *node, segment, parent_length(p, segment));
    return status;
  }
  if (!child && is_list(p, p->done))
    return SUP_FAIL_AT(p->place, "the scene has no '%.*s'; set the whole list: %.*s=[...]",
                       (int)p->done, p->text, (int)p->done, p->text);
  if (!child) {
    SUP_TRY(sup_node_create(&added, SUP_NODE_MAPPING, p->place));
    child = added;
    SUP_TRY(add_child(*node, segment, p->place, &added));
  }
  SUP_TRY(fill_empty(p, &child));
  *node = child;
  return SUP_OK;
}

/** Put the value, which is taken, at the last key of the path. */
static sup_status place_value(const path *p, sup_node *node, const char *segment,
                              sup_node **value) {
  sup_node *old = NULL;
  SUP_TRY(check_has_keys(p, node, segment));
  if (node->type == SUP_NODE_SEQUENCE)
    SUP_TRY(list_entry(p, node, segment, &old));
  else
    old = sup_node_find(node, segment);
  if (old)
    sup_node_replace(old, value);
  else
    SUP_TRY(add_child(node, segment, p->place, value));
  return SUP_OK;
}

/* ---- paths that lead nowhere ----------------------------------------------------------------- */

/** "finger.material": the name of a body without its section. */
static sup_status check_name(const sup_node *root, const path *p, const char *key) {
  size_t length = strcspn(key, ".");
  char   name[SEGMENT_SIZE];
  if (length >= sizeof name) return SUP_OK;
  snprintf(name, sizeof name, "%.*s", (int)length, key);
  for (int i = 0; i < sup_schema_scene.num_keys; i++) {
    const sup_key  *row = &sup_schema_scene.keys[i];
    const sup_node *section =
        row->type == SUP_KEY_COLLECTION ? sup_node_find(root, row->name) : NULL;
    if (section && section->type == SUP_NODE_MAPPING && sup_node_find(section, name))
      return SUP_FAIL_AT(p->place, "unknown key '%s' in the scene; did you mean '%s.%s'?", name,
                         row->name, key);
  }
  return SUP_OK;
}

/** "friction", "soft.finger.friction", "solver.steps": keys that sections below have, or else any.
 */
static sup_status check_elsewhere(const path *p, const char *key, const sup_schema_target *place) {
  char found[MAX_MEANT][SUP_SCHEMA_PATH_SIZE], meant[MAX_MEANT * SUP_SCHEMA_PATH_SIZE] = "",
                                                                 word[SEGMENT_SIZE];
  const char *tail = key + place->known + (place->known > 0);
  size_t      used = 0, inside = strlen(place->path), kept = place->known;
  int         count = 0;
  snprintf(word, sizeof word, "%.*s", (int)strcspn(tail, "."), tail);
  if (!place->schema) return SUP_OK;
  if (inside > 0) count = sup_schema_ends(&sup_schema_scene, place->path, tail, MAX_MEANT, found);
  if (count == 0 && sup_schema_is_near(place->schema, word)) return SUP_OK;
  if (count == 0)
    inside = kept = 0, count = sup_schema_ends(&sup_schema_scene, "", tail, MAX_MEANT, found);
  if (count == 0 || (kept == 0 && strcmp(found[0], word) == 0)) return SUP_OK;
  for (int i = 0; i < count; i++) /* the names of the path stay in it */
    used += (size_t)snprintf(meant + used, sizeof meant - used, "%s'%.*s%s'",
                             i == 0          ? ""
                             : i < count - 1 ? ", "
                                             : " or ",
                             (int)kept, key, found[i] + inside);
  return SUP_FAIL_AT(p->place, "unknown key '%s' in %s; did you mean %s?", word,
                     place->schema->title, meant);
}

/** Check the path for an unknown name or a key of another section; the section's reader finds other
 * wrong keys. */
static sup_status check_path(const sup_node *root, const path *p, size_t length) {
  char              key[SUP_SCHEMA_PATH_SIZE];
  sup_schema_target place;
  if (length >= sizeof key) return SUP_OK;
  snprintf(key, sizeof key, "%.*s", (int)length, p->text);
  if (sup_schema_find(&sup_schema_scene, key, &place)) return SUP_OK;
  if (place.known == 0) SUP_TRY(check_name(root, p, key));
  SUP_TRY(check_elsewhere(p, key, &place));
  return SUP_OK;
}

sup_status sup_set_apply(sup_node *root, const char *argument, const char *shown) {
  const char        *equal = strchr(argument, '=');
  path               p = {argument, 0, {shown, 0, 0}};
  char               segment[SEGMENT_SIZE];
  bool               is_last = 0;
  sup_node          *node = root;
  SUP_OWN(sup_node) *value = NULL;
  if (!equal) return SUP_FAIL_AT(p.place, "expected KEY=VALUE, for instance time.step=5e-3");
  size_t length = (size_t)(equal - argument);
  if (equal[1 + strspn(equal + 1, " ")] == '\0')
    return SUP_FAIL_AT(p.place, "a value is missing after '='");
  SUP_TRY(check_path(root, &p, length));
  SUP_TRY(sup_yaml_parse(&value, equal + 1, strlen(equal + 1), shown, 1));
  for (;;) {
    SUP_TRY(next_segment(&p, length, segment, &is_last));
    if (is_last) break;
    SUP_TRY(descend(&p, &node, segment));
  }
  SUP_TRY(place_value(&p, node, segment, &value));
  return SUP_OK;
}
