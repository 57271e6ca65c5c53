/** The tree of values that a scene file holds, with the place each came from.  Layer scene.
 *
 *  A node owns its children, key and text; `file` belongs to the caller and outlives the tree.
 * Reading a scene writes defaults and SI numbers into the tree, so that printing it afterwards
 * gives the resolved scene. */
#pragma once

#include "base/status.h"
#include "base/text.h"
#include "scene/file/units.h"

typedef enum sup_node_type { SUP_NODE_SCALAR, SUP_NODE_SEQUENCE, SUP_NODE_MAPPING } sup_node_type;

/** Source position of a value; line 0: an argument of the command line, shown by `file` alone. */
typedef struct sup_source_position {
  const char *file;
  int         line, column; /* from 1 */
} sup_source_position;

typedef struct sup_node sup_node;
struct sup_node {
  sup_node_type       type;
  sup_source_position place;
  sup_source_position key_place; /* of the key; entries of a mapping only */
  char               *key;       /* entries of a mapping only, else NULL */
  char               *text;      /* scalars only: what was written, without quotes */
  int                 is_plain;  /* scalars: written without quotes */
  int           is_number; /* scalars: read as `number`, which is printed instead of the text */
  double        number;    /* SI */
  sup_dimension dimension; /* of the number */
  sup_node     *child, *last_child, *next, *parent;
  int           num_children;
};

enum { SUP_NODE_MAX_DEPTH = 64, SUP_SOURCE_POSITION_SIZE = 512 };

SUP_NODISCARD sup_status sup_node_create(sup_node **node, sup_node_type type,
                                         sup_source_position place);
SUP_NODISCARD sup_status sup_node_create_scalar(sup_node **node, const char *text,
                                                sup_source_position place);
/** Free a node and all below; accepts NULL. */
void sup_node_destroy(sup_node **node);
/** Deep copy without key. */
SUP_NODISCARD sup_status sup_node_copy(sup_node **to, const sup_node *from);
SUP_NODISCARD sup_status sup_node_set_key(sup_node *node, const char *key,
                                          sup_source_position place);

SUP_NODISCARD sup_status sup_node_set_text(sup_node *scalar, const char *text);

/** Append; parent takes *child and sets it NULL. */
void sup_node_append(sup_node *parent, sup_node **child);
/** Put *to, which is taken and set NULL, in the place of `from`, which is freed; key and its place
 * stay. */
void sup_node_replace(sup_node *from, sup_node **to);
/** Take a child out of its parent; the caller then owns it. */
void sup_node_detach(sup_node *child);

/** Entry of a mapping, NULL when absent. */
sup_node *sup_node_find(const sup_node *mapping, const char *key);
/** Element of a sequence from 0, NULL when absent. */
sup_node *sup_node_at(const sup_node *sequence, int index);
/** Node at a path of keys and numbers of list entries, "contact.pairs.0.friction"; NULL: none. */
sup_node *sup_node_find_path(sup_node *root, const char *path);
/** A scalar that says nothing: `key:` alone, ~ or null. */
bool sup_node_is_empty(const sup_node *node);
/** Nodes of the tree, this one included. */
long sup_node_count(const sup_node *node);

/** "'text'", "a list of 3", "a mapping", "nothing"; for messages. */
const char *sup_node_describe(const sup_node *node, char buffer[SUP_SOURCE_POSITION_SIZE]);
/** "file:line:column" */
const char *sup_source_position_text(sup_source_position place,
                                     char                buffer[SUP_SOURCE_POSITION_SIZE]);

/** Record a failure at a place: "file:line:column: message". */
#define SUP_FAIL_AT(place, ...) \
  sup_fail_at(SUP_E_PARSE, (place), __func__, __FILE__, __LINE__, __VA_ARGS__)
/** Put the place before the message of a failed call, whose code stays. */
#define SUP_FAIL_WRAP(status, place) \
  sup_fail_at((status), (place), __func__, __FILE__, __LINE__, "%s", sup_error_message())

SUP_NODISCARD sup_status sup_fail_at(sup_status code, sup_source_position place,
                                     const char *function, const char *file, int line,
                                     const char *format, ...) __attribute__((format(printf, 6, 7)));

/** Write the tree as YAML that reads back to the same values, as comment-free block style with
 * short lists in flow style; numbers in SI with as many digits as the same bits need. */
SUP_NODISCARD sup_status sup_node_write(const sup_node *root, const char *path,
                                        const char *comment);
