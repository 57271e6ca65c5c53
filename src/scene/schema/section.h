/** Reading a section of a scene by the table of its keys.  Layer scene.
 *
 *  Opening a section refuses every key that its table does not have, before anything is read.  Then
 * either all keys with a place are read at once, in the order of the table (sup_section_read), or
 * single ones by name, in the order in which the section's code asks.  What is absent is written
 * into the tree with its default, so that printing the tree gives the resolved scene.  All
 * messages: file:line:column, the value found, the values allowed. */
#pragma once

#include "base/vec.h"
#include "scene/schema/reader.h"
#include "scene/schema/schema.h"

typedef struct sup_section {
  sup_node         *node;
  const char       *what; /* for messages: "contact", "rigid body 'box'" */
  const sup_schema *schema;
  int               is_override; /* values of *target stand for keys that are needed otherwise */
} sup_section;

/** The node must be a mapping without other keys than those of the schema.
 *  @param[in] what  for messages, "rigid body 'box'"; outlives the section; NULL: the schema's
 * title */
SUP_NODISCARD sup_status sup_section_open(sup_section *section, sup_node *node,
                                          const sup_schema *schema, const char *what);
/** sup_section_open of a thing that its key names.
 *  @param[out] name  [SUP_NAME_MAX] the key
 *  @param[out] what  [2 SUP_NAME_MAX] kind and name, "cable 'left'"; outlives the section */
SUP_NODISCARD sup_status sup_section_open_named(sup_section *section, sup_node *node,
                                                const sup_schema *schema, const char *kind,
                                                char *name, char *what);
/** Read every key that has a place into the struct `target`, sections below it included. */
SUP_NODISCARD sup_status sup_section_read(const sup_section *section, void *target);
/** sup_section_open and sup_section_read; keys absent from the tree keep their values in
 * *target. */
SUP_NODISCARD sup_status sup_section_load(sup_node *node, const sup_schema *schema,
                                          const char *what, void *target);

/** Entry of a section, NULL when absent. */
sup_node *sup_section_entry(const sup_section *section, const char *key);
/** Entry that must be there. */
SUP_NODISCARD sup_status sup_section_require(const sup_section *section, const char *key,
                                             sup_node **node);
/** Entry that is a mapping; an empty one is made when the key is absent. */
SUP_NODISCARD sup_status sup_section_mapping(const sup_section *section, const char *key,
                                             sup_node **node);
/** Index in the schema's table of the one entry of a section that is_choice. */
SUP_NODISCARD sup_status sup_section_choice(const sup_section *section, int *index);
/** Put a new entry into the tree, taken from *child and set NULL. */
SUP_NODISCARD sup_status sup_section_add(const sup_section *section, const char *key,
                                         sup_node **child);

/* ---- single keys: dimension, range, words and what happens when they are absent are those of
 * their rows ---- */

SUP_NODISCARD sup_status sup_read_number(const sup_section *section, const char *key,
                                         double *value);
SUP_NODISCARD sup_status sup_read_integer(const sup_section *section, const char *key, int *value);
SUP_NODISCARD sup_status sup_read_boolean(const sup_section *section, const char *key, int *value);
SUP_NODISCARD sup_status sup_read_vector(const sup_section *section, const char *key,
                                         double value[3]);
/** Index among the words of the row. */
SUP_NODISCARD sup_status sup_read_word(const sup_section *section, const char *key, int *index);
SUP_NODISCARD sup_status sup_read_text(const sup_section *section, const char *key,
                                       const char **text);
