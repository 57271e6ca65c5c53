/** A read-only view of an XML file: elements, attributes, numbers, and the line of everything.
 * Layer scene; xml.c is the only file that knows libxml2. */
#pragma once

#include "base/status.h"

typedef struct sup_xml      sup_xml;      /* a document */
typedef struct sup_xml_node sup_xml_node; /* an element; lives as long as its document */

/** E_IO: the file cannot be read.  E_PARSE: it is not well-formed XML, or declares a document type.
 */
SUP_NODISCARD sup_status sup_xml_read(sup_xml **xml, const char *path);
void                     sup_xml_destroy(sup_xml **xml);
/** The document of an element. */
sup_xml            *sup_xml_document(const sup_xml_node *node);
const sup_xml_node *sup_xml_root(const sup_xml *xml);
/** From now on the value of an attribute that is absent is the text of the child of that name, as
 * SDF writes values, or for "value", "link" and "name" of the element itself; blanks about texts
 * are gone. */
void sup_xml_values_in_elements(sup_xml *xml);

/** First child element and next sibling element; NULL at the end. */
const sup_xml_node *sup_xml_first(const sup_xml_node *node);
const sup_xml_node *sup_xml_next(const sup_xml_node *node);
/** First child of this name, NULL when there is none. */
const sup_xml_node *sup_xml_child(const sup_xml_node *node, const char *name);
/** Name with its prefix ("drake:capsule"), also where the file forgot to declare the prefix. */
const char *sup_xml_name(const sup_xml_node *node);
bool        sup_xml_is(const sup_xml_node *node, const char *name);
const char *sup_xml_path(const sup_xml_node *node);
long        sup_xml_line(const sup_xml_node *node);

/** Value of an attribute, NULL when it is absent. */
const char *sup_xml_attribute(const sup_xml_node *node, const char *name);
/** Text of an element that has nothing but text; NULL: it has other things, or nothing. */
const char *sup_xml_content(const sup_xml_node *node);
/** Name of attribute k; attributes with a prefix do not count.  NULL behind the last. */
const char *sup_xml_attribute_name(const sup_xml_node *node, int k);

/** E_PARSE with "file:line: ..." about an element; takes at least one argument after the format. */
#define SUP_XML_FAIL(node, format, ...) \
  SUP_FAIL(SUP_E_PARSE, "%s:%ld: " format, sup_xml_path(node), sup_xml_line(node), __VA_ARGS__)

/** The attribute must be there. */
SUP_NODISCARD sup_status sup_xml_text(const sup_xml_node *node, const char *name,
                                      const char **value);
/** The attribute must be there and hold exactly n finite numbers. */
SUP_NODISCARD sup_status sup_xml_numbers(const sup_xml_node *node, const char *name, int n,
                                         double *to);
/** The attribute must be there and hold finite numbers, of which the first `most` go to `to`;
 * *count is how many there are. */
SUP_NODISCARD sup_status sup_xml_number_list(const sup_xml_node *node, const char *name, int most,
                                             double *to, int *count);
/** sup_xml_numbers, but `to` keeps its values when the attribute is absent. */
SUP_NODISCARD sup_status sup_xml_optional_numbers(const sup_xml_node *node, const char *name, int n,
                                                  double *to);
/** A required positive number. */
SUP_NODISCARD sup_status sup_xml_positive(const sup_xml_node *node, const char *name, double *to);
/** An optional number that is not negative. */
SUP_NODISCARD sup_status sup_xml_not_negative(const sup_xml_node *node, const char *name,
                                              double *to);
