#include "scene/file/yaml.h"

#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "scene/file/parsers.h"

#pragma weak sup_parsers_table

/** Nodes a document may hold, and nodes that copies of anchored values may add to it. */
enum { MAX_NODES = 4000000, MAX_COPIED = 100000, MAX_ANCHORS = 1000, MAX_KEYS = 10000 };

typedef struct anchor {
  char               *name;
  const sup_node     *node; /* complete; part of the tree that is being built */
  sup_source_position place;
  int                 is_open; /* its value is still being read */
} anchor;

typedef struct reader {
  yaml_parser_t parser;
  const char   *file, *text;
  int           is_argument;
  long          num_nodes, num_copied;
  anchor       *anchor;
  size_t        num_anchors, anchor_capacity;
  sup_node     *merged; /* values of merge keys: out of the tree, but anchors may lead to them */
} reader;

static sup_source_position place_of(const reader *r, yaml_mark_t mark) {
  return (sup_source_position){r->file, r->is_argument ? 0 : (int)mark.line + 1,
                               r->is_argument ? 0 : (int)mark.column + 1};
}

/** libyaml counts bytes when the text is no valid UTF-8. */
static sup_source_position place_of_byte(const reader *r, size_t offset) {
  yaml_mark_t mark = {0, 0, 0};
  for (size_t i = 0; i < offset && r->text[i]; i++) {
    mark.column++;
    if (r->text[i] == '\n') mark.line++, mark.column = 0;
  }
  return place_of(r, mark);
}

/** 1: the line begins with a tab, after blanks. */
static int begins_with_tab(const reader *r, size_t line) {
  const char *text = r->text;
  while (line > 0 && *text)
    if (*text++ == '\n') line--;
  while (*text == ' ') text++;
  return *text == '\t';
}

static sup_status parser_failure(const reader *r) {
  const yaml_parser_t *p = &r->parser;
  const char          *problem = p->problem ? p->problem : "not readable as YAML";
  if (p->error == YAML_MEMORY_ERROR)
    return SUP_FAIL(SUP_E_MEMORY, "out of memory while reading %s", r->file);
  if (p->error == YAML_READER_ERROR) {
    if (p->problem_value == -1)
      return SUP_FAIL_AT(place_of_byte(r, p->problem_offset), "%s", problem);
    return SUP_FAIL_AT(place_of_byte(r, p->problem_offset), "%s (0x%X)", problem,
                       (unsigned)p->problem_value);
  }
  if (begins_with_tab(r, p->problem_mark.line))
    return SUP_FAIL_AT(place_of(r, p->problem_mark),
                       "found a tab where a line begins; YAML is indented with blanks");
  if (!p->context || (p->context_mark.line == p->problem_mark.line))
    return SUP_FAIL_AT(place_of(r, p->problem_mark), "%s%s%s", problem, p->context ? " " : "",
                       p->context ? p->context : "");
  return SUP_FAIL_AT(place_of(r, p->problem_mark), "%s %s that begins in line %d", problem,
                     p->context, (int)p->context_mark.line + 1);
}

static sup_status next_event(reader *r, yaml_event_t *event) {
  if (sup_parsers_table.yaml_parser_parse(&r->parser, event)) return SUP_OK;
  sup_status status = parser_failure(r);
  return status;
}

static sup_status count_nodes(reader *r, long added, sup_source_position place) {
  r->num_nodes += added;
  if (r->num_nodes > MAX_NODES)
    return SUP_FAIL_AT(place, "more than %d values in one file", MAX_NODES);
  return SUP_OK;
}

/* ---- anchors and aliases --------------------------------------------------------------------- */

static sup_status open_anchor(reader *r, const yaml_char_t *name, sup_source_position place,
                              size_t *index) {
  if (r->num_anchors >= MAX_ANCHORS)
    return SUP_FAIL_AT(place, "more than %d anchors in one file", MAX_ANCHORS);
  SUP_TRY(SUP_GROW(r->anchor, r->anchor_capacity, r->num_anchors + 1));
  anchor *a = &r->anchor[r->num_anchors];
  SUP_TRY(SUP_CALLOC(a->name, strlen((const char *)name) + 1));
  strcpy(a->name, (const char *)name);
  a->place = place;
  a->is_open = 1;
  *index = r->num_anchors++;
  return SUP_OK;
}

static sup_status copy_alias(reader *r, const yaml_event_t *event, sup_node **node) {
  const char         *name = (const char *)event->data.alias.anchor;
  sup_source_position place = place_of(r, event->start_mark);
  for (size_t i = r->num_anchors; i-- > 0;) {
    const anchor *a = &r->anchor[i];
    char          where[SUP_SOURCE_POSITION_SIZE];
    if (strcmp(a->name, name) != 0) continue;
    if (a->is_open)
      return SUP_FAIL_AT(place, "the alias '*%s' stands inside its own anchor (%s)", name,
                         sup_source_position_text(a->place, where));
    long count = sup_node_count(a->node);
    r->num_copied += count;
    if (r->num_copied > MAX_COPIED)
      return SUP_FAIL_AT(place, "the aliases of this file expand to more than %d values",
                         MAX_COPIED);
    SUP_TRY(count_nodes(r, count, place));
    SUP_TRY(sup_node_copy(node, a->node));
    return SUP_OK;
  }
  return SUP_FAIL_AT(place, "there is no anchor '&%s' before this alias", name);
}

/* ---- merge keys ------------------------------------------------------------------------------ */

/** Append copies of the entries of `from` that `to` lacks. */
static sup_status merge(reader *r, sup_node *to, const sup_node *from) {
  char what[SUP_SOURCE_POSITION_SIZE];
  if (from->type != SUP_NODE_MAPPING)
    return SUP_FAIL_AT(from->place, "'<<' merges mappings; found %s",
                       sup_node_describe(from, what));
  for (const sup_node *c = from->child; c; c = c->next) {
    sup_node *copy = NULL;
    if (sup_node_find(to, c->key)) continue;
    SUP_TRY(sup_node_copy(&copy, c));
    sup_status status = sup_node_set_key(copy, c->key, c->key_place);
    if (status == SUP_OK) status = count_nodes(r, sup_node_count(copy), c->key_place);
    sup_node_append(to, &copy);
    if (status != SUP_OK) return status;
  }
  return SUP_OK;
}

static sup_status resolve_merge(reader *r, sup_node *mapping) {
  sup_node *from = sup_node_find(mapping, "<<");
  if (!from) return SUP_OK;
  if (from->type == SUP_NODE_SEQUENCE) {
    for (const sup_node *c = from->child; c; c = c->next) SUP_TRY(merge(r, mapping, c));
  } else {
    SUP_TRY(merge(r, mapping, from));
  }
  if (!r->merged) SUP_TRY(sup_node_create(&r->merged, SUP_NODE_SEQUENCE, from->place));
  sup_node_detach(from);
  sup_node_append(r->merged, &from);
  return SUP_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

static sup_status read_value(reader *r, const yaml_event_t *first, int depth, sup_node **out);

static sup_status scalar_text(const reader *r, const yaml_event_t *event, const char **text) {
  *text = (const char *)event->data.scalar.value;
  if (strlen(*text) != event->data.scalar.length)
    return SUP_FAIL_AT(place_of(r, event->start_mark), "a text may not hold a zero character");
  return SUP_OK;
}

static sup_status check_key(const reader *r, const sup_node *mapping, const yaml_event_t *event) {
  sup_source_position place = place_of(r, event->start_mark);
  const char         *text;
  char                where[SUP_SOURCE_POSITION_SIZE];
  if (event->type != YAML_SCALAR_EVENT)
    return SUP_FAIL_AT(place, "a key must be a word; found a list, mapping or alias");
  SUP_TRY(scalar_text(r, event, &text));
  if (event->data.scalar.anchor || event->data.scalar.tag)
    return SUP_FAIL_AT(place, "the key '%s' may have no anchor and no tag", text);
  if (text[0] == '\0') return SUP_FAIL_AT(place, "a key is missing before ':'");
  if (mapping->num_children >= MAX_KEYS)
    return SUP_FAIL_AT(place, "more than %d keys in one mapping", MAX_KEYS);
  const sup_node *same = sup_node_find(mapping, text);
  if (same)
    return SUP_FAIL_AT(place, "the key '%s' was already given at %s", text,
                       sup_source_position_text(same->key_place, where));
  return SUP_OK;
}

static sup_status read_entry(reader *r, sup_node *mapping, const yaml_event_t *key, int depth) {
  yaml_event_t event;
  sup_node    *child = NULL;
  SUP_TRY(check_key(r, mapping, key));
  SUP_TRY(next_event(r, &event));
  sup_status status = read_value(r, &event, depth, &child);
  sup_parsers_table.yaml_event_delete(&event);
  if (status != SUP_OK) return status;
  SUP_TRY_GOTO(
      sup_node_set_key(child, (const char *)key->data.scalar.value, place_of(r, key->start_mark)),
      status, fail);
  sup_node_append(mapping, &child);
  return SUP_OK;
fail:
  sup_node_destroy(&child);
  return status;
}

static sup_status read_element(reader *r, sup_node *sequence, const yaml_event_t *event,
                               int depth) {
  sup_node *child = NULL;
  SUP_TRY(read_value(r, event, depth, &child));
  sup_node_append(sequence, &child);
  return SUP_OK;
}

static sup_status read_children(reader *r, sup_node *node, int depth) {
  yaml_event_type_t end =
      node->type == SUP_NODE_MAPPING ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
  if (depth >= SUP_NODE_MAX_DEPTH)
    return SUP_FAIL_AT(node->place, "lists and mappings are nested deeper than %d levels",
                       SUP_NODE_MAX_DEPTH);
  for (;;) {
    yaml_event_t event;
    SUP_TRY(next_event(r, &event));
    int        done = event.type == end;
    sup_status status = SUP_OK;
    if (!done && node->type == SUP_NODE_MAPPING)
      status = read_entry(r, node, &event, depth + 1);
    else if (!done)
      status = read_element(r, node, &event, depth + 1);
    sup_parsers_table.yaml_event_delete(&event);
    if (status != SUP_OK) return status;
    if (done) break;
  }
  if (node->type == SUP_NODE_MAPPING) SUP_TRY(resolve_merge(r, node));
  return SUP_OK;
}

static sup_status read_value(reader *r, const yaml_event_t *first, int depth, sup_node **out) {
  const yaml_char_t  *name = NULL, *tag = NULL;
  sup_source_position place = place_of(r, first->start_mark);
  SUP_OWN(sup_node)  *node = NULL;
  size_t              index = 0;
  *out = NULL;
  if (first->type == YAML_ALIAS_EVENT) {
    SUP_TRY(copy_alias(r, first, out));
    return SUP_OK;
  }
  SUP_TRY(count_nodes(r, 1, place));
  if (first->type == YAML_SCALAR_EVENT) {
    const char *text;
    name = first->data.scalar.anchor, tag = first->data.scalar.tag;
    SUP_TRY(scalar_text(r, first, &text));
    SUP_TRY(sup_node_create_scalar(&node, text, place));
    node->is_plain = first->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  } else if (first->type == YAML_SEQUENCE_START_EVENT) {
    name = first->data.sequence_start.anchor, tag = first->data.sequence_start.tag;
    SUP_TRY(sup_node_create(&node, SUP_NODE_SEQUENCE, place));
  } else {
    name = first->data.mapping_start.anchor, tag = first->data.mapping_start.tag;
    SUP_TRY(sup_node_create(&node, SUP_NODE_MAPPING, place));
  }
  if (tag) {
    return SUP_FAIL_AT(place, "the tag '%s' is not understood; write the plain value",
                       (const char *)tag);
  }
  if (name) SUP_TRY(open_anchor(r, name, place, &index));
  if (node->type != SUP_NODE_SCALAR) SUP_TRY(read_children(r, node, depth));
  if (name) r->anchor[index].node = node, r->anchor[index].is_open = 0;
  *out = node;
  node = NULL;
  return SUP_OK;
}

/* ---- document -------------------------------------------------------------------------------- */

/** Skip to the first event of a document's value; E_PARSE when the text holds none. */
static sup_status read_document(reader *r, sup_node **root) {
  yaml_event_t event;
  for (;;) {
    SUP_TRY(next_event(r, &event));
    if (event.type == YAML_STREAM_END_EVENT) {
      sup_parsers_table.yaml_event_delete(&event);
      return SUP_FAIL_AT(place_of(r, (yaml_mark_t){0, 0, 0}),
                         "there is nothing in it but blanks and comments");
    }
    if (event.type != YAML_STREAM_START_EVENT && event.type != YAML_DOCUMENT_START_EVENT) break;
    sup_parsers_table.yaml_event_delete(&event);
  }
  sup_status status = read_value(r, &event, 0, root);
  sup_parsers_table.yaml_event_delete(&event);
  return status;
}

static sup_status check_end(reader *r) {
  yaml_event_t event;
  for (;;) {
    SUP_TRY(next_event(r, &event));
    yaml_event_type_t type = event.type;
    yaml_mark_t       mark = event.start_mark;
    sup_parsers_table.yaml_event_delete(&event);
    if (type == YAML_STREAM_END_EVENT) return SUP_OK;
    if (type != YAML_DOCUMENT_END_EVENT)
      return SUP_FAIL_AT(place_of(r, mark),
                         "a second document begins here; one document a file is read");
  }
}

sup_status sup_yaml_parse(sup_node **root, const char *text, size_t size, const char *file,
                          bool is_argument) {
  reader     r = {.file = file, .text = text, .is_argument = is_argument};
  sup_status status;
  *root = NULL;
  if (!&sup_parsers_table)
    return SUP_FAIL(SUP_E_EXTERNAL, "%s: the program was linked without libsupple-parsers", file);
  if (!sup_parsers_table.yaml_parser_initialize(&r.parser))
    return SUP_FAIL(SUP_E_MEMORY, "out of memory while reading %s", file);
  sup_parsers_table.yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
  SUP_TRY_GOTO(read_document(&r, root), status, done);
  SUP_TRY_GOTO(check_end(&r), status, done);
done:
  if (status != SUP_OK) sup_node_destroy(root);
  for (size_t i = 0; i < r.num_anchors; i++) SUP_FREE(r.anchor[i].name);
  SUP_FREE(r.anchor);
  sup_node_destroy(&r.merged);
  sup_parsers_table.yaml_parser_delete(&r.parser);
  return status;
}

sup_status sup_yaml_read(sup_node **root, const char *path) {
  char  *text = NULL;
  size_t size;
  *root = NULL;
  SUP_TRY(sup_file_read_most(path, SUP_FILE_MOST_TEXT, &text, &size));
  sup_status status = sup_yaml_parse(root, text, size, path, 0);
  SUP_FREE(text);
  return status;
}
