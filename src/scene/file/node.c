#include "scene/file/node.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

sup_status sup_node_create(sup_node **out, sup_node_type type, sup_source_position place) {
  sup_node *node = NULL;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(node, 1));
  node->type = type;
  node->place = place;
  *out = node;
  return SUP_OK;
}

sup_status sup_node_create_scalar(sup_node **out, const char *text, sup_source_position place) {
  SUP_OWN(sup_node) *node = NULL;
  *out = NULL;
  SUP_TRY(sup_node_create(&node, SUP_NODE_SCALAR, place));
  SUP_TRY(sup_text_new(&node->text, text));
  *out = node;
  node = NULL;
  return SUP_OK;
}

void sup_node_destroy(sup_node **handle) {
  sup_node *node = *handle;
  if (!node) return;
  for (sup_node *child = node->child, *next; child; child = next) {
    next = child->next;
    sup_node_destroy(&child);
  }
  SUP_FREE_ALL(&node->key, &node->text, handle);
}

sup_status sup_node_set_key(sup_node *node, const char *key, sup_source_position place) {
  char *text = NULL;
  SUP_TRY(sup_text_new(&text, key));
  SUP_FREE(node->key);
  node->key = text;
  node->key_place = place;
  return SUP_OK;
}

sup_status sup_node_set_text(sup_node *scalar, const char *text) {
  char *copy = NULL;
  SUP_TRY(sup_text_new(&copy, text));
  SUP_FREE(scalar->text);
  scalar->text = copy;
  return SUP_OK;
}

void sup_node_append(sup_node *parent, sup_node **child) {
  sup_node *node = *child;
  if (parent->last_child)
    parent->last_child->next = node;
  else
    parent->child = node;
  parent->last_child = node;
  parent->num_children++;
  node->parent = parent;
  *child = NULL;
}

void sup_node_replace(sup_node *from, sup_node **to) {
  sup_node *node = *to;
  node->next = from->next;
  node->parent = from->parent;
  SUP_FREE(node->key);
  node->key = from->key;
  node->key_place = from->key_place;
  from->key = NULL;
  if (node->parent) {
    sup_node *parent = node->parent, **link = &parent->child;
    while (*link != from) link = &(*link)->next;
    *link = node;
    if (parent->last_child == from) parent->last_child = node;
  }
  sup_node_destroy(&from);
  *to = NULL;
}

void sup_node_detach(sup_node *child) {
  sup_node  *parent = child->parent, *before = NULL;
  sup_node **link = &parent->child;
  while (*link != child) before = *link, link = &before->next;
  *link = child->next;
  if (parent->last_child == child) parent->last_child = before;
  parent->num_children--;
  child->parent = child->next = NULL;
}

sup_status sup_node_copy(sup_node **to, const sup_node *from) {
  SUP_OWN(sup_node) *node = NULL, *child = NULL;
  *to = NULL;
  SUP_TRY(sup_node_create(&node, from->type, from->place));
  node->is_plain = from->is_plain, node->is_number = from->is_number, node->number = from->number;
  if (from->text) SUP_TRY(sup_text_new(&node->text, from->text));
  for (const sup_node *c = from->child; c; c = c->next) {
    SUP_TRY(sup_node_copy(&child, c));
    if (c->key) SUP_TRY(sup_node_set_key(child, c->key, c->key_place));
    sup_node_append(node, &child);
  }
  *to = node;
  node = NULL;
  return SUP_OK;
}

sup_node *sup_node_find(const sup_node *mapping, const char *key) {
  for (sup_node *c = mapping->child; c; c = c->next)
    if (c->key && strcmp(c->key, key) == 0) return c;
  return NULL;
}

sup_node *sup_node_at(const sup_node *sequence, int index) {
  sup_node *c = sequence->child;
  for (int i = 0; c && i < index; i++) c = c->next;
  return index < 0 ? NULL : c;
}

sup_node *sup_node_find_path(sup_node *root, const char *path) {
  sup_node *node = root;
  while (node && *path) {
    size_t length = strcspn(path, ".");
    char   segment[SUP_NAME_MAX], *end;
    if (length >= sizeof segment) return NULL;
    snprintf(segment, sizeof segment, "%.*s", (int)length, path);
    long index = strtol(segment, &end, 10);
    node = node->type == SUP_NODE_SEQUENCE
               ? (*end || end == segment ? NULL : sup_node_at(node, (int)index))
           : node->type == SUP_NODE_MAPPING ? sup_node_find(node, segment)
                                            : NULL;
    path += length + (path[length] == '.');
  }
  return node;
}

bool sup_node_is_empty(const sup_node *node) {
  return node->type == SUP_NODE_SCALAR && node->is_plain &&
         (node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

long sup_node_count(const sup_node *node) {
  long count = 1;
  for (const sup_node *c = node->child; c; c = c->next) count += sup_node_count(c);
  return count;
}

const char *sup_node_describe(const sup_node *node, char buffer[SUP_SOURCE_POSITION_SIZE]) {
  if (sup_node_is_empty(node)) return "nothing";
  switch (node->type) {
    case SUP_NODE_SCALAR:
      snprintf(buffer, SUP_SOURCE_POSITION_SIZE, strlen(node->text) > 60 ? "'%.57s...'" : "'%s'",
               node->text);
      break;
    case SUP_NODE_SEQUENCE:
      snprintf(buffer, SUP_SOURCE_POSITION_SIZE,
               node->num_children ? "a list of %d" : "an empty list", node->num_children);
      break;
    case SUP_NODE_MAPPING:
      return "a mapping";
  }
  return buffer;
}

const char *sup_source_position_text(sup_source_position place,
                                     char                buffer[SUP_SOURCE_POSITION_SIZE]) {
  if (place.line > 0)
    snprintf(buffer, SUP_SOURCE_POSITION_SIZE, "%.450s:%d:%d", place.file, place.line,
             place.column);
  else
    snprintf(buffer, SUP_SOURCE_POSITION_SIZE, "%.450s", place.file);
  return buffer;
}

sup_status sup_fail_at(sup_status code, sup_source_position place, const char *function,
                       const char *file, int line, const char *format, ...) {
  char    message[1024], where[SUP_SOURCE_POSITION_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  return sup_fail(code, function, file, line, "%s: %s", sup_source_position_text(place, where),
                  message);
}
