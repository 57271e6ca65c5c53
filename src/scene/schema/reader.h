/** Typed values of nodes.  Layer scene.  All messages: file:line:column, the value found, the
 * values allowed; sections with their keys are scene/schema/section.h. */
#pragma once

#include "base/vec.h"
#include "scene/file/node.h"
#include "scene/schema/schema.h"

/** `name` is for messages.  The node becomes a number in SI. */
SUP_NODISCARD sup_status sup_node_number(sup_node *node, const char *name, sup_dimension dimension,
                                         sup_range range, double *value);
/** sup_node_number with an example of the value for messages. */
SUP_NODISCARD sup_status sup_node_quantity(sup_node *node, const char *name,
                                           sup_dimension dimension, sup_range range,
                                           const char *example, double *value);
/** List of 3 numbers. */
SUP_NODISCARD sup_status sup_node_vector(sup_node *node, const char *name, sup_dimension dimension,
                                         sup_range range, double value[3]);
SUP_NODISCARD sup_status sup_node_text(const sup_node *node, const char *name, const char **text);
/** The node must be a mapping, or a list. */
SUP_NODISCARD sup_status sup_node_check_mapping(const sup_node *node, const char *name);
SUP_NODISCARD sup_status sup_node_check_list(const sup_node *node, const char *name);
/** Index of the word among words [num_words]. */
SUP_NODISCARD sup_status sup_node_word(const sup_node *node, const char *name,
                                       const char *const *words, int num_words, int *index);
/** A key that names something of the user's: letters, digits, _ and -, shorter than SUP_NAME_MAX.
 */
SUP_NODISCARD sup_status sup_node_name(const sup_node *node, const char *what,
                                       char name[SUP_NAME_MAX]);
/** A text that names something of the user's, of the same letters. */
SUP_NODISCARD sup_status sup_node_text_name(const sup_node *node, const char *key, const char *what,
                                            char name[SUP_NAME_MAX]);
