/* Tables over time: rows [t, value ...], or a section with rows and the way from one to the next.
 */
#include <stdio.h>

#include "base/memory.h"
#include "scene/build.h"

#define WORD(NAME, name, meaning) {#name, meaning},
const sup_word sup_interpolation_words[SUP_NUM_INTERPOLATIONS] = {SUP_INTERPOLATION_LIST(WORD)};
#undef WORD

static const sup_key table_keys[] = {
    SUP_CUSTOM("rows", SUP_KEY_TABLE, "[[0 s, 0], [1 s, 0.1]]",
               "Rows [t, value ...] with increasing times; constant before the first and after the "
               "last.",
               .need = SUP_NEEDED),
    SUP_WORD("interpolation", sup_interpolation_words, SUP_AT(sup_table, interpolation),
             "minimum_jerk", "Way from row to row.")};
static void      straight(void *target) { *(sup_table *)target = (sup_table){.num_rows = 0}; }
const sup_schema sup_schema_table = SUP_SCHEMA(
    "table", table_keys, "A table over time with the way from row to row; also its rows alone.",
    SUP_DEFAULTS(straight, sup_table));

static sup_status read_row(sup_node *row, const char *name, int width,
                           const sup_dimension *dimension, double *time, double *value) {
  char what[SUP_SOURCE_POSITION_SIZE], column[SUP_NAME_MAX];
  int  i = 0;
  if (row->type != SUP_NODE_SEQUENCE || row->num_children != width + 1)
    return SUP_FAIL_AT(row->place,
                       "a row of %s must be a list of %d numbers, the time first; found %s", name,
                       width + 1, sup_node_describe(row, what));
  for (sup_node *c = row->child; c; c = c->next, i++) {
    snprintf(column, sizeof column, "column %d of %.40s", i + 1, name);
    SUP_TRY(sup_node_number(c, column, i == 0 ? SUP_DIM_TIME : dimension[i - 1], SUP_ANY,
                            i == 0 ? time : &value[i - 1]));
  }
  return SUP_OK;
}

static sup_status read_rows(sup_node *node, const char *name, const sup_dimension *dimension,
                            sup_table *table) {
  int width = table->width;
  SUP_TRY(sup_node_check_list(node, name));
  if (node->num_children == 0)
    return SUP_FAIL_AT(node->place, "%s has no rows; give at least one [time, ...]", name);
  SUP_TRY(SUP_CALLOC(table->time, node->num_children));
  SUP_TRY(SUP_CALLOC(table->value, (size_t)node->num_children * (size_t)width));
  for (sup_node *row = node->child; row; row = row->next) {
    int i = table->num_rows;
    SUP_TRY(read_row(row, name, width, dimension, &table->time[i],
                     &table->value[(ptrdiff_t)i * width]));
    if (i > 0 && !(table->time[i] > table->time[i - 1]))
      return SUP_FAIL_AT(row->place, "the times of %s must increase; %g s comes after %g s", name,
                         table->time[i], table->time[i - 1]);
    table->num_rows++;
  }
  return SUP_OK;
}

sup_status sup_node_table(sup_node *node, const char *name, int width,
                          const sup_dimension *dimension, sup_table *table) {
  sup_section section;
  sup_node   *rows = node;
  *table = (sup_table){.width = width};
  if (node->type == SUP_NODE_MAPPING) {
    SUP_TRY(sup_section_open(&section, node, &sup_schema_table, name));
    SUP_TRY(sup_section_read(&section, table));
    SUP_TRY(sup_section_require(&section, "rows", &rows));
  }
  return read_rows(rows, name, dimension, table);
}

sup_status sup_scene_read_over_time(sup_node *node, const char *name, sup_dimension dimension,
                                    double *constant, sup_table *table) {
  if (node->type != SUP_NODE_SCALAR) return sup_node_table(node, name, 1, &dimension, table);
  return sup_node_number(node, name, dimension, SUP_ANY, constant);
}

sup_status sup_scene_read_vector_over_time(sup_node *node, const char *name,
                                           sup_dimension dimension, sup_table *table) {
  const sup_dimension axes[3] = {dimension, dimension, dimension};
  bool                is_constant =
      node->type != SUP_NODE_MAPPING && !(node->child && node->child->type == SUP_NODE_SEQUENCE);
  if (!is_constant) return sup_node_table(node, name, 3, axes, table);
  double value[3];
  SUP_TRY(sup_node_vector(node, name, dimension, SUP_ANY, value));
  SUP_TRY(SUP_CALLOC(table->time, 1));
  SUP_TRY(SUP_CALLOC(table->value, 3));
  table->num_rows = 1, table->width = 3;
  for (int k = 0; k < 3; k++) table->value[k] = value[k];
  return SUP_OK;
}
