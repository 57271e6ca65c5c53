#include "scene/file/xml.h"

#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "scene/file/parsers.h"

#pragma weak sup_parsers_table

struct sup_xml {
  xmlParserCtxt *context;
  xmlDoc        *doc;
  char          *path; /* as it was given */
  bool           has_values_in_elements;
  int            is_without_memory;
  int            error_line; /* of the first error; those that follow are mostly its echo */
  char           error[400];
};

#if LIBXML_VERSION >= 21200
typedef const xmlError received_error;
#else
typedef xmlError received_error;
#endif

static const xmlNode *from(const sup_xml_node *node) { return (const xmlNode *)(const void *)node; }
static const sup_xml_node *to_element(const xmlNode *node) {
  while (node && node->type != XML_ELEMENT_NODE) node = node->next;
  return (const sup_xml_node *)(const void *)node;
}

/** Keep the first error that matters; forgotten declarations of prefixes do not. */
static void keep_error(void *context, received_error *error) {
  sup_xml *xml = ((xmlParserCtxt *)context)->_private;
  if (error->code == XML_ERR_NO_MEMORY) xml->is_without_memory = 1;
  if (xml->error[0] || error->level < XML_ERR_ERROR || error->domain == XML_FROM_NAMESPACE ||
      !error->message)
    return;
  size_t length = strcspn(error->message, "\r\n");
  xml->error_line = error->line;
  snprintf(xml->error, sizeof xml->error, "%.*s",
           (int)(length < sizeof xml->error ? length : sizeof xml->error - 1), error->message);
}

/** Put the prefix into every element's own name, so that names can be read as they stand in the
 * file. */
static sup_status qualify_names(xmlNode *root) {
  char name[512];
  for (xmlNode *node = root; node;) {
    if (node->type == XML_ELEMENT_NODE && node->ns && node->ns->prefix) {
      snprintf(name, sizeof name, "%.200s:%.200s", (const char *)node->ns->prefix,
               (const char *)node->name);
      sup_parsers_table.xmlNodeSetName(node, (const xmlChar *)name);
      if (strcmp((const char *)node->name, name) != 0)
        return SUP_FAIL(SUP_E_MEMORY, "out of memory for the name '%s'", name);
    }
    if (node->type == XML_ELEMENT_NODE && node->children) {
      node = node->children;
      continue;
    }
    while (node != root && !node->next) node = node->parent;
    node = node == root ? NULL : node->next;
  }
  return SUP_OK;
}

/** libxml2 refuses a declaration below empty lines and versions other than 1, which robots of
 * others have and which change nothing of what follows: the declaration goes before the lines, so
 * that their numbers stay, and its version is 1.0.  `text` ends with '\0'. */
static void mend_declaration(char *text) {
  char   declaration[256];
  size_t blank = strspn(text, " \t\r\n"), length;
  char  *end = strncmp(text + blank, "<?xml ", 6) == 0 ? strstr(text + blank, "?>") : NULL;
  if (!end) return;
  length = (size_t)(end + 2 - text) - blank;
  if (length > sizeof declaration) return;
  memcpy(declaration, text + blank, length);
  memmove(text + length, text, blank);
  memcpy(text, declaration, length);
  char *version = strstr(text, "version=");
  if (!version || version > text + length - 13 || strncmp(version + 9, "1.", 2) == 0) return;
  if (version[10] == '.' && version[12] == version[8]) memcpy(version + 9, "1.0", 3);
}

static sup_status parse(sup_xml *xml, const char *path, const char *text, size_t size) {
  const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                      XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES;
  if (!&sup_parsers_table)
    return SUP_FAIL(SUP_E_EXTERNAL, "%s: the program was linked without libsupple-parsers", path);
  if (size > INT32_MAX)
    return SUP_FAIL(SUP_E_PARSE, "%s:1: a file of %zu bytes is too large", path, size);
  xml->context = sup_parsers_table.xmlNewParserCtxt();
  if (!xml->context) return SUP_FAIL(SUP_E_MEMORY, "out of memory while reading %s", path);
  xml->context->_private = xml;
  xml->context->sax->serror = keep_error;
  xml->doc =
      sup_parsers_table.xmlCtxtReadMemory(xml->context, text, (int)size, path, NULL, options);
  if (xml->is_without_memory || xml->context->errNo == XML_ERR_NO_MEMORY)
    return SUP_FAIL(SUP_E_MEMORY, "out of memory in libxml2 while reading %s", path);
  xmlNode *root = xml->doc ? sup_parsers_table.xmlDocGetRootElement(xml->doc) : NULL;
  if (!root && xml->error[0])
    return SUP_FAIL(SUP_E_PARSE, "%s:%d: the XML is broken: %s", path, xml->error_line, xml->error);
  if (!root) return SUP_FAIL(SUP_E_PARSE, "%s:1: this is not an XML file", path);
  if (sup_parsers_table.xmlGetIntSubset(xml->doc)) /* its entities could make a small file large */
    return SUP_FAIL(SUP_E_PARSE,
                    "%s:1: the file declares a document type; remove the line <!DOCTYPE ...>",
                    path);
  xml->doc->_private = xml;
  SUP_TRY(qualify_names(root));
  return SUP_OK;
}

sup_status sup_xml_read(sup_xml **xml, const char *path) {
  sup_status status;
  char      *text = NULL;
  size_t     size;
  *xml = NULL;
  SUP_TRY(sup_file_read_most(path, SUP_FILE_MOST_TEXT, &text, &size));
  mend_declaration(text);
  SUP_TRY_GOTO(SUP_CALLOC(*xml, 1), status, done);
  SUP_TRY_GOTO(SUP_CALLOC((*xml)->path, strlen(path) + 1), status, done);
  memcpy((*xml)->path, path, strlen(path));
  SUP_TRY_GOTO(parse(*xml, path, text, size), status, done);
done:
  SUP_FREE(text);
  if (status != SUP_OK) sup_xml_destroy(xml);
  return status;
}

void sup_xml_destroy(sup_xml **xml) {
  if (!*xml) return;
  if ((*xml)->doc) sup_parsers_table.xmlFreeDoc((*xml)->doc);
  if ((*xml)->context) sup_parsers_table.xmlFreeParserCtxt((*xml)->context);
  SUP_FREE((*xml)->path);
  SUP_FREE(*xml);
}

sup_xml *sup_xml_document(const sup_xml_node *node) { return from(node)->doc->_private; }

const sup_xml_node *sup_xml_root(const sup_xml *xml) {
  return to_element(sup_parsers_table.xmlDocGetRootElement(xml->doc));
}
const sup_xml_node *sup_xml_first(const sup_xml_node *node) {
  return to_element(from(node)->children);
}
const sup_xml_node *sup_xml_next(const sup_xml_node *node) { return to_element(from(node)->next); }
const char *sup_xml_name(const sup_xml_node *node) { return (const char *)from(node)->name; }
bool        sup_xml_is(const sup_xml_node *node, const char *name) {
         return strcmp(sup_xml_name(node), name) == 0;
}
const char *sup_xml_path(const sup_xml_node *node) { return sup_xml_document(node)->path; }
long sup_xml_line(const sup_xml_node *node) { return sup_parsers_table.xmlGetLineNo(from(node)); }

const sup_xml_node *sup_xml_child(const sup_xml_node *node, const char *name) {
  const sup_xml_node *child = sup_xml_first(node);
  while (child && !sup_xml_is(child, name)) child = sup_xml_next(child);
  return child;
}

/** Text of an element that has nothing else; NULL: there is none. */
static const char *content(const xmlNode *node) {
  const xmlNode *text = NULL;
  for (const xmlNode *c = node->children; c; c = c->next) {
    if (c->type == XML_ELEMENT_NODE) return NULL;
    if (c->type == XML_TEXT_NODE && !text) text = c;
  }
  return text ? (const char *)text->content : NULL;
}

static bool has_values_in_elements(const sup_xml_node *node) {
  return sup_xml_document(node)->has_values_in_elements;
}

/** Value of the child of this name, or of the element itself. */
static const char *value_in_element(const sup_xml_node *node, const char *name) {
  const sup_xml_node *child = sup_xml_child(node, name);
  if (child) return content(from(child));
  bool is_own =
      strcmp(name, "value") == 0 || strcmp(name, "link") == 0 || strcmp(name, "name") == 0;
  return is_own ? content(from(node)) : NULL;
}

const char *sup_xml_attribute(const sup_xml_node *node, const char *name) {
  for (const xmlAttr *a = from(node)->properties; a; a = a->next) {
    if (a->ns && strcmp((const char *)a->ns->href, "http://www.w3.org/1999/xlink") != 0) continue;
    if (strcmp((const char *)a->name, name) != 0) continue;
    if (!a->children) return "";
    return a->children->type == XML_TEXT_NODE && !a->children->next
               ? (const char *)a->children->content
               : NULL;
  }
  return has_values_in_elements(node) ? value_in_element(node, name) : NULL;
}

static void trim(char *text) {
  size_t length = strlen(text), blank = strspn(text, " \t\r\n");
  while (length > blank && strchr(" \t\r\n", text[length - 1])) length--;
  memmove(text, text + blank, length - blank);
  text[length - blank] = '\0';
}

void sup_xml_values_in_elements(sup_xml *xml) {
  xmlNode *root = sup_parsers_table.xmlDocGetRootElement(xml->doc);
  xml->has_values_in_elements = true;
  for (xmlNode *node = root; node;) {
    if (node->type == XML_TEXT_NODE) trim((char *)node->content);
    if (node->type == XML_ELEMENT_NODE && node->children) {
      node = node->children;
      continue;
    }
    while (node != root && !node->next) node = node->parent;
    node = node == root ? NULL : node->next;
  }
}

const char *sup_xml_content(const sup_xml_node *node) {
  const xmlNode *text = from(node)->children;
  return text && text->type == XML_TEXT_NODE && !text->next ? (const char *)text->content : NULL;
}

const char *sup_xml_attribute_name(const sup_xml_node *node, int k) {
  for (const xmlAttr *a = from(node)->properties; a; a = a->next) {
    if (a->ns || strchr((const char *)a->name, ':')) continue;
    if (k-- == 0) return (const char *)a->name;
  }
  return NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

sup_status sup_xml_text(const sup_xml_node *node, const char *name, const char **value) {
  *value = sup_xml_attribute(node, name);
  if (!*value && has_values_in_elements(node))
    return SUP_XML_FAIL(node, "<%s> has no <%s>", sup_xml_name(node), name);
  if (!*value)
    return SUP_XML_FAIL(node, "<%s> has no attribute '%s'; write <%s %s=\"...\">",
                        sup_xml_name(node), name, sup_xml_name(node), name);
  return SUP_OK;
}

sup_status sup_xml_number_list(const sup_xml_node *node, const char *name, int most, double *to,
                               int *count) {
  const char *at;
  char        word[64];
  SUP_TRY(sup_xml_text(node, name, &at));
  for (*count = 0;; ++*count) {
    at += strspn(at, " \t\r\n");
    size_t length = strcspn(at, " \t\r\n");
    double value;
    if (length == 0) break;
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
    if (length >= sizeof word || !sup_text_number(word, &value))
      return SUP_XML_FAIL(node, "'%s' in attribute '%s' of <%s> is not a finite number%s", word,
                          name, sup_xml_name(node),
                          strchr(word, '$') ? "; expand the file with xacro first" : "");
    if (*count < most) to[*count] = value;
    at += length;
  }
  return SUP_OK;
}

sup_status sup_xml_numbers(const sup_xml_node *node, const char *name, int n, double *to) {
  int found;
  SUP_TRY(sup_xml_number_list(node, name, n, to, &found));
  if (found != n)
    return SUP_XML_FAIL(node, "attribute '%s' of <%s> has %d number%s; it must have %d", name,
                        sup_xml_name(node), found, found == 1 ? "" : "s", n);
  return SUP_OK;
}

sup_status sup_xml_optional_numbers(const sup_xml_node *node, const char *name, int n, double *to) {
  if (!sup_xml_attribute(node, name)) return SUP_OK;
  SUP_TRY(sup_xml_numbers(node, name, n, to));
  return SUP_OK;
}

sup_status sup_xml_positive(const sup_xml_node *node, const char *name, double *to) {
  SUP_TRY(sup_xml_numbers(node, name, 1, to));
  if (!(*to > 0))
    return SUP_XML_FAIL(node, "attribute '%s' of <%s> is %g; it must be positive", name,
                        sup_xml_name(node), *to);
  return SUP_OK;
}

sup_status sup_xml_not_negative(const sup_xml_node *node, const char *name, double *to) {
  SUP_TRY(sup_xml_optional_numbers(node, name, 1, to));
  if (*to < 0)
    return SUP_XML_FAIL(node, "attribute '%s' of <%s> is %g; it must be 0 or more", name,
                        sup_xml_name(node), *to);
  return SUP_OK;
}
