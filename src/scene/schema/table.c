/* Tables over time: rows [t, value ...], or a section with rows or a file and the way from row to
 * row. */
#include <stdio.h>

#include "base/memory.h"
#include "scene/build.h"
#include "scene/file/table_file.h"

enum { PATH_SIZE = 4096 };

#define WORD(NAME, name, meaning) {#name, meaning},
const sup_word sup_interpolation_words[SUP_NUM_INTERPOLATIONS] = {SUP_INTERPOLATION_LIST(WORD)};
#undef WORD

static const sup_key table_keys[] = {
    SUP_CUSTOM("rows", SUP_KEY_TABLE, "[[0 s, 0], [1 s, 0.1]]",
               "Rows [t, value ...] with increasing times; constant before the first and after the "
               "last.",
               .absent = "none; rows or a file"),
    SUP_CUSTOM(
        "file", SUP_KEY_FILE, "path.csv",
        "Rows of a CSV file, whose first line may name columns and units: time [s], q1 [deg].",
        .absent = "none"),
    SUP_CUSTOM("columns", SUP_KEY_LIST, "[time, q1]",
               "Columns of the file by heading or by number from 1, the time first.",
               .absent = "the first ones"),
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

/* ---- files ----------------------------------------------------------------------------------- */

/** Factor to SI of a column's unit. */
static sup_status find_factor(const sup_node *file, const sup_table_column *column,
                              const char *name, sup_dimension dimension, double *factor) {
  char        text[SUP_TABLE_UNIT_SIZE + 4], word[SUP_UNIT_WORD_SIZE];
  const char *found;
  *factor = 1;
  if (!column->unit[0]) return SUP_OK;
  snprintf(text, sizeof text, "1 %s", column->unit);
  if (sup_quantity_read(text, dimension, factor, word, &found) == SUP_QUANTITY_OK) return SUP_OK;
  return SUP_FAIL_AT(file->place,
                     "%s: the file has a column in [%s]; its unit must be one of %s, for instance "
                     "[%s]",
                     name, column->unit, sup_dimension_name(dimension),
                     sup_dimension_unit(dimension));
}

/** A note when SI is taken without a word. */
static void tell_units(const char *path, const char *name, int width,
                       const sup_dimension *dimension, const sup_table_column *column) {
  const char *missing = NULL;
  for (int k = 0; k <= width; k++) {
    sup_dimension of = k > 0 ? dimension[k - 1] : SUP_DIM_TIME;
    if (!column[k].unit[0] && of != SUP_DIM_NUMBER) missing = sup_dimension_unit(of);
  }
  if (missing)
    sup_log(SUP_LOG_NOTE, "%s: columns of %s have no unit and are taken in SI: [%s]", path, name,
            missing);
}

static sup_status choose_columns(sup_node *columns, const char *name, int width,
                                 sup_table_column *column) {
  for (int k = 0; k <= width; k++) column[k] = (sup_table_column){.heading = ""};
  column[0].increases = 1;
  if (!columns) return SUP_OK;
  SUP_TRY(sup_node_check_list(columns, "columns"));
  if (columns->num_children != width + 1)
    return SUP_FAIL_AT(columns->place, "columns lists %d headings; %s needs %d, the time first",
                       columns->num_children, name, width + 1);
  for (int k = 0; k <= width; k++)
    SUP_TRY(sup_node_text(sup_node_at(columns, k), "columns", &column[k].heading));
  return SUP_OK;
}

/** Values in SI from the columns of the file into the table. */
static sup_status fill(const sup_node *file, const char *name, const sup_dimension *dimension,
                       const sup_table_column *column, sup_table *table) {
  int    n = table->num_rows, w = table->width;
  double factor;
  SUP_TRY(SUP_CALLOC(table->time, n));
  SUP_TRY(SUP_CALLOC(table->value, (size_t)n * (size_t)w));
  for (int k = 0; k <= w; k++) {
    SUP_TRY(find_factor(file, &column[k], name, k > 0 ? dimension[k - 1] : SUP_DIM_TIME, &factor));
    for (int i = 0; i < n; i++)
      *(k > 0 ? &table->value[i * w + k - 1] : &table->time[i]) = factor * column[k].value[i];
  }
  return SUP_OK;
}

static sup_status read_file(const sup_scene_build *b, sup_node *file, sup_node *columns,
                            const char *name, const sup_dimension *dimension, sup_table *table) {
  char             path[PATH_SIZE];
  const char      *input = path;
  sup_table_column column[SUP_TABLE_MOST_COLUMNS];
  int              width = table->width, num_rows;
  SUP_TRY(sup_node_path(b->scene, file, name, path, sizeof path));
  SUP_TRY(sup_scene_add_input(b->scene, &input));
  SUP_TRY(choose_columns(columns, name, width, column));
  SUP_TRY(sup_table_file_read(input, file->place, width + 1, column, &num_rows));
  tell_units(input, name, width, dimension, column);
  table->num_rows = num_rows;
  sup_status status = fill(file, name, dimension, column, table);
  for (int k = 0; k <= width; k++) SUP_FREE(column[k].value);
  return status;
}

/* ---- tables ---------------------------------------------------------------------------------- */

sup_status sup_node_table(const sup_scene_build *b, sup_node *node, const char *name, int width,
                          const sup_dimension *dimension, sup_table *table) {
  sup_section section;
  *table = (sup_table){.width = width};
  if (node->type != SUP_NODE_MAPPING) return read_rows(node, name, dimension, table);
  SUP_TRY(sup_section_open(&section, node, &sup_schema_table, name));
  SUP_TRY(sup_section_read(&section, table));
  sup_node *rows = sup_section_entry(&section, "rows"), *file = sup_section_entry(&section, "file"),
           *columns = sup_section_entry(&section, "columns");
  if ((rows != NULL) + (file != NULL) != 1 || (rows && columns))
    return SUP_FAIL_AT(node->place,
                       "%s needs either rows, for instance [[0 s, 0], [1 s, 0.1]], or a file, for "
                       "instance path.csv, with or without columns",
                       name);
  if (file) return read_file(b, file, columns, name, dimension, table);
  return read_rows(rows, name, dimension, table);
}

sup_status sup_scene_read_over_time(const sup_scene_build *b, sup_node *node, const char *name,
                                    sup_dimension dimension, double *constant, sup_table *table) {
  if (node->type != SUP_NODE_SCALAR) return sup_node_table(b, node, name, 1, &dimension, table);
  return sup_node_number(node, name, dimension, SUP_ANY, constant);
}

sup_status sup_scene_read_vector_over_time(const sup_scene_build *b, sup_node *node,
                                           const char *name, sup_dimension dimension,
                                           sup_table *table) {
  const sup_dimension axes[3] = {dimension, dimension, dimension};
  bool                is_constant =
      node->type != SUP_NODE_MAPPING && !(node->child && node->child->type == SUP_NODE_SEQUENCE);
  if (!is_constant) return sup_node_table(b, node, name, 3, axes, table);
  double value[3];
  SUP_TRY(sup_node_vector(node, name, dimension, SUP_ANY, value));
  SUP_TRY(SUP_CALLOC(table->time, 1));
  SUP_TRY(SUP_CALLOC(table->value, 3));
  table->num_rows = 1, table->width = 3;
  for (int k = 0; k < 3; k++) table->value[k] = value[k];
  return SUP_OK;
}
