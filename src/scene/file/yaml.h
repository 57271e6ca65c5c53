/** YAML text -> node tree.  Layer scene; yaml.c is the only file that knows libyaml.
 *
 *  One document of scalars, lists and mappings.  Aliases and merge keys (<<) become copies; what a
 * person cannot have meant is an error with its place: a key written twice (both places), an alias
 * without anchor, a tag, a second document, a key that is no word, more than SUP_NODE_MAX_DEPTH
 * levels, aliases that multiply beyond measure. */
#pragma once

#include "scene/file/node.h"

/** @param[in] text          followed by a zero byte, which size does not count
 *  @param[in] file          shown in messages; outlives the tree
 *  @param[in] is_argument   1: text is an argument of the command line, places show no line
 *  E_PARSE "file:line:column: ..." */
SUP_NODISCARD sup_status sup_yaml_parse(sup_node **root, const char *text, size_t size,
                                        const char *file, bool is_argument);
/** E_IO when the file cannot be read. */
SUP_NODISCARD sup_status sup_yaml_read(sup_node **root, const char *path);
