/** The functions of libyaml and libxml2 that yaml.c and xml.c call, under their own names.  They
 * are called through a table, so that the archive without it needs neither library.  Layer scene;
 * private to these two files and parsers.c. */
#pragma once

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <yaml.h>

#include "supple/parsers.h"

#define SUP_PARSER_FUNCTIONS(X)   \
  X(yaml_parser_initialize)       \
  X(yaml_parser_set_input_string) \
  X(yaml_parser_parse)            \
  X(yaml_parser_delete)           \
  X(yaml_event_delete)            \
  X(xmlNewParserCtxt)             \
  X(xmlCtxtReadMemory)            \
  X(xmlDocGetRootElement)         \
  X(xmlGetIntSubset)              \
  X(xmlNodeSetName)               \
  X(xmlGetLineNo)                 \
  X(xmlFreeDoc)                   \
  X(xmlFreeParserCtxt)

struct sup_parsers {
#define SUP_PARSER_MEMBER(name) __typeof__(&name) name;
  SUP_PARSER_FUNCTIONS(SUP_PARSER_MEMBER)
#undef SUP_PARSER_MEMBER
};
