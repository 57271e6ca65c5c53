/** Typed access to the node tree.  Layer scene.
 *
 *  A section is a mapping with its list of known keys: opening it refuses every other key, before anything is read.
 *  sup_get_* take the default in *value and write it into the tree when the key is absent, so that printing the tree
 *  gives the resolved scene; sup_need_* fail when it is absent.  All messages: file:line:column, what was found, what
 *  would be right. */
#pragma once

#include "base/vec.h"
#include "scene/node.h"
#include "scene/units.h"

enum { SUP_SECTION_MAX_KEYS = 24 };

typedef struct sup_section {
  sup_node   *node;
  const char *what;                       /* for messages: "contact", "rigid body 'box'" */
  const char *keys[SUP_SECTION_MAX_KEYS]; /* [num_keys] */
  int         num_keys;
} sup_section;

/** Which values of a number are right. */
typedef enum sup_sign { SUP_ANY, SUP_POSITIVE, SUP_NOT_NEGATIVE } sup_sign;

/** The node must be a mapping without other keys than `keys` [num_keys].  `what` and the
 *  words of `keys` outlive the section. */
SUP_NODISCARD sup_status sup_section_open(sup_section *section, sup_node *node, const char *what,
                                          const char *const *keys, int num_keys);
#define SUP_SECTION_OPEN(section, node, what, ...)                                \
  sup_section_open((section), (node), (what), (const char *const[]){__VA_ARGS__}, \
                   (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

/** Entry of a section, NULL when absent; an entry without value is an error of the functions below. */
sup_node *sup_section_find(const sup_section *section, const char *key);
/** Entry that must be there; `example` shows how it is written. */
SUP_NODISCARD sup_status sup_section_need(const sup_section *section, const char *key, const char *example,
                                          sup_node **node);
/** Entry that is a mapping; an empty one is made when the key is absent. */
SUP_NODISCARD sup_status sup_section_mapping(const sup_section *section, const char *key, sup_node **node);
/** Put a new entry into the tree, taken from *child and set NULL. */
SUP_NODISCARD sup_status sup_section_add(const sup_section *section, const char *key, sup_node **child);

/* ---- single values of nodes ---- */

/** `name` is for messages.  The node becomes a number in SI. */
SUP_NODISCARD sup_status sup_node_number(sup_node *node, const char *name, sup_dimension dimension, sup_sign sign,
                                         double *value);
/** List of 3 numbers. */
SUP_NODISCARD sup_status sup_node_vector(sup_node *node, const char *name, sup_dimension dimension, double value[3]);
SUP_NODISCARD sup_status sup_node_text(const sup_node *node, const char *name, const char **text);
/** The node must be a mapping, or a list. */
SUP_NODISCARD sup_status sup_node_check_mapping(const sup_node *node, const char *name);
SUP_NODISCARD sup_status sup_node_check_list(const sup_node *node, const char *name);
/** Index of the word among words [num_words]. */
SUP_NODISCARD sup_status sup_node_word(const sup_node *node, const char *name, const char *const *words, int num_words,
                                       int *index);
/** A key that names something of the user's: letters, digits, _ and -, shorter than SUP_NAME_MAX. */
SUP_NODISCARD sup_status sup_node_name(const sup_node *node, const char *what, char name[SUP_NAME_MAX]);

/* ---- entries of sections ---- */

/** The entry `name`, of the same letters as sup_node_name; stays as it is when absent. */
SUP_NODISCARD sup_status sup_get_name(const sup_section *section, const char *what, char name[SUP_NAME_MAX]);

SUP_NODISCARD sup_status sup_get_number(const sup_section *section, const char *key, sup_dimension dimension,
                                        sup_sign sign, double *value);
SUP_NODISCARD sup_status sup_need_number(const sup_section *section, const char *key, sup_dimension dimension,
                                         sup_sign sign, double *value);
/** Whole number >= lowest. */
SUP_NODISCARD sup_status sup_get_integer(const sup_section *section, const char *key, int lowest, int *value);
/** true or false, nothing else. */
SUP_NODISCARD sup_status sup_get_boolean(const sup_section *section, const char *key, int *value);
SUP_NODISCARD sup_status sup_get_vector(const sup_section *section, const char *key, sup_dimension dimension,
                                        double value[3]);
SUP_NODISCARD sup_status sup_need_vector(const sup_section *section, const char *key, sup_dimension dimension,
                                         double value[3]);
/** One of words [num_words]; *index is the default on entry. */
SUP_NODISCARD sup_status sup_get_word(const sup_section *section, const char *key, const char *const *words,
                                      int num_words, int *index);
SUP_NODISCARD sup_status sup_need_text(const sup_section *section, const char *key, const char *example,
                                       const char **text);
/** Table over time: list of rows [t, value ...] with strictly increasing t; dimension [width] of the values.  The table
 *  is the caller's to free, also after a failure. */
SUP_NODISCARD sup_status sup_node_table(sup_node *node, const char *name, int width, const sup_dimension *dimension,
                                        sup_table *table);
