/* Node tree -> YAML text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "output/format/number.h"
#include "scene/scene.h"

enum { LINE_WIDTH = 110, INDENT = 2 };

/* ---- scalars --------------------------------------------------------------------------------- */

static bool is_safe_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         strchr("_./+-", c) != NULL;
}

/** Words that read back as themselves without quotes; everything else gets quotes. */
static bool is_safe(const char *text) {
  if (!((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z') ||
        text[0] == '/' || text[0] == '.'))
    return 0;
  for (const char *c = text; *c; c++)
    if (!is_safe_letter(*c)) return 0;
  return strcmp(text, "null") != 0 && strcmp(text, "...") != 0;
}

/** Next code point of valid UTF-8. */
static unsigned long next_code(const unsigned char **text) {
  const unsigned char *p = *text;
  int                  more = *p < 0x80 ? 0 : *p < 0xE0 ? 1 : *p < 0xF0 ? 2 : 3;
  unsigned long        code = more == 0 ? *p : *p & (0x3Fu >> more);
  p++;
  for (; more > 0 && (*p & 0xC0) == 0x80; more--, p++) code = code << 6 | (*p & 0x3Fu);
  *text = p;
  return code;
}

/** Write text in double quotes; characters other than printable ASCII become escapes. */
static void write_quoted(FILE *file, const char *text) {
  const unsigned char *p = (const unsigned char *)text;
  fputc('"', file);
  while (*p) {
    char          escape[16];
    unsigned long code = next_code(&p);
    if (code == '"' || code == '\\')
      snprintf(escape, sizeof escape, "\\%c", (int)code);
    else if (code >= 0x20 && code < 0x7F)
      snprintf(escape, sizeof escape, "%c", (int)code);
    else
      snprintf(escape, sizeof escape, code > 0xFFFF ? "\\U%08lX" : "\\u%04lX", code);
    fputs(escape, file);
  }
  fputc('"', file);
}

/** YAML 1.1 readers take 1e-5 for a text: 1.0e-5. */
static void write_number(FILE *file, double value) {
  char text[SUP_NUMBER_SIZE];
  sup_number_text(text, value, 0);
  bool has_point = strchr(text, '.') != NULL;
  for (const char *c = text; *c; c++) {
    if (*c == 'e' && !has_point) fputs(".0", file);
    fputc(*c, file);
  }
}

static void write_text(FILE *file, const char *text, int may_be_plain) {
  if (may_be_plain && is_safe(text))
    fputs(text, file);
  else
    write_quoted(file, text);
}

static void write_scalar(FILE *file, const sup_node *node) {
  if (node->is_number)
    write_number(file, node->number);
  else if (sup_node_is_empty(node))
    fputs("null", file);
  else
    write_text(file, node->text, 1);
}

/* ---- lists and mappings ---------------------------------------------------------------------- */

/** Letters of the node in flow style, about; more than a line when it holds another mapping. */
static size_t flow_size(const sup_node *node) {
  size_t size = node->key ? strlen(node->key) + 4 : 2;
  if (node->type == SUP_NODE_SCALAR) return size + (node->is_number ? 8 : strlen(node->text));
  for (const sup_node *c = node->child; c && size <= LINE_WIDTH; c = c->next) size += flow_size(c);
  return size;
}

static void write_flow(FILE *file, const sup_node *node) {
  if (node->type == SUP_NODE_SCALAR) {
    write_scalar(file, node);
    return;
  }
  bool is_mapping = node->type == SUP_NODE_MAPPING;
  fputc(is_mapping ? '{' : '[', file);
  for (const sup_node *c = node->child; c; c = c->next) {
    if (is_mapping) write_text(file, c->key, 1), fputs(": ", file);
    write_flow(file, c);
    if (c->next) fputs(", ", file);
  }
  fputc(is_mapping ? '}' : ']', file);
}

static bool is_flow(const sup_node *node, int indent) {
  return node->num_children == 0 || (indent > 0 && (size_t)indent + flow_size(node) <= LINE_WIDTH);
}

/** The children of a list or mapping, one a line; the first line is already indented when
 * `continues`. */
static void write_block(FILE *file, const sup_node *node, int indent, int continues) {
  for (const sup_node *c = node->child; c; c = c->next) {
    for (int i = 0; i < indent && !continues; i++) fputc(' ', file);
    continues = 0;
    if (node->type == SUP_NODE_MAPPING) {
      write_text(file, c->key, 1);
      fputc(':', file);
    } else {
      fputc('-', file);
    }
    if (is_flow(c, indent + 1)) {
      fputc(' ', file);
      write_flow(file, c);
      fputc('\n', file);
    } else if (node->type == SUP_NODE_SEQUENCE) {
      fputc(' ', file);
      write_block(file, c, indent + INDENT, 1);
    } else {
      fputc('\n', file);
      write_block(file, c, indent + INDENT, 0);
    }
  }
}

sup_status sup_node_write(const sup_node *root, const char *path, const char *comment) {
  sup_file_writer writer;
  SUP_TRY(sup_file_open(&writer, path));
  fputs("# ", writer.file);
  fputs(comment, writer.file);
  fputc('\n', writer.file);
  if (root->type == SUP_NODE_SCALAR || root->num_children == 0) {
    write_flow(writer.file, root);
    fputc('\n', writer.file);
  } else {
    write_block(writer.file, root, 0, 0);
  }
  SUP_TRY(sup_file_commit(&writer));
  return SUP_OK;
}

/* ---- keys ------------------------------------------------------------------------------------ */

enum { PATH_SIZE = 2000 };

/** A line for each value below the mapping. */
static void write_keys(FILE *file, const sup_node *mapping, const char *path) {
  for (const sup_node *c = mapping->child; c; c = c->next) {
    char name[PATH_SIZE];
    snprintf(name, sizeof name, "%s%s%s", path, path[0] ? "." : "", c->key);
    if (c->type == SUP_NODE_MAPPING && c->num_children > 0) {
      write_keys(file, c, name);
      continue;
    }
    fputs(name, file);
    fputs(": ", file);
    write_flow(file, c);
    fputc('\n', file);
  }
}

sup_status sup_scene_keys(const sup_scene *scene, char **text) {
  size_t size;
  FILE  *file = open_memstream(text, &size);
  if (!file) return SUP_FAIL(SUP_E_MEMORY, "no memory for the keys of a scene");
  if (scene->root->type == SUP_NODE_MAPPING) write_keys(file, scene->root, "");
  if (fclose(file) == 0) return SUP_OK;
  free(*text);
  *text = NULL;
  return SUP_FAIL(SUP_E_MEMORY, "no memory for the keys of a scene");
}
