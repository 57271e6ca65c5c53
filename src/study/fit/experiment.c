#include "study/fit/experiment.h"
#include "scene/file/table_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/quantity.h"
#include "study/reduction.h"

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_key experiment_keys[] = {
    SUP_CUSTOM("data", SUP_KEY_FILE, "press.csv", "CSV file of the measured curve, with a heading.",
               .need = SUP_NEEDED),
    SUP_CUSTOM("columns", SUP_KEY_LIST, "[displacement, force]", "Headings of x and y in the file.",
               .absent = "the first two"),
    SUP_CUSTOM("x", SUP_KEY_SECTION, "{column: cylinder.x, take: change, scale: 1000}",
               "Column of history.csv that is x: `take: end` as it is, `change` less its start.",
               .absent = "time", .schema = &sup_schema_quantity),
    SUP_CUSTOM("y", SUP_KEY_ONE_OR_MORE, "{column: contact.cylinder.finger.fx}",
               "Column of history.csv that is y; two or three: the length of their vector.",
               .need = SUP_NEEDED, .schema = &sup_schema_quantity),
    SUP_CUSTOM("scatter", SUP_KEY_TEXT, "5 %",
               "Standard deviation of y: a share of its value, a number in its unit, or a heading "
               "of the file.",
               .absent = "2 %"),
    SUP_CUSTOM("set", SUP_KEY_ENTRIES, "{rigid.cylinder.shape.cylinder.radius: 30 mm}",
               "Overrides of this experiment.", .absent = "none"),
    SUP_NUMBER("weight", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(sup_experiment, weight), "2",
               "Factor on its residuals."),
    SUP_BOOLEAN("held_back", SUP_BY_CODE, "true", "Predicted, not fitted.", .absent = "false")};
static void defaults(void *target) { *(sup_experiment *)target = (sup_experiment){.weight = 1}; }
const sup_schema sup_schema_experiment = SUP_SCHEMA(
    "experiment", experiment_keys, "A measured curve.", SUP_DEFAULTS(defaults, sup_experiment));

/* ---- the file -------------------------------------------------------------------------------- */

/** A point of value 0 has a scatter of 0 when that is a share: a hundredth of the largest counts.
 */
static sup_status check_scatter(sup_experiment *e) {
  double largest = 0;
  for (int i = 0; i < e->num; i++) largest = fmax(largest, e->deviation[i]);
  if (!(largest > 0))
    return SUP_FAIL_AT(
        e->place, "the scatter of %s is 0; a number in the unit of y: 'scatter: 0.1'", e->data);
  for (int i = 0; i < e->num; i++) e->deviation[i] = fmax(e->deviation[i], 0.01 * largest);
  return SUP_OK;
}

static sup_status read_data(sup_experiment *e) {
  sup_table_column column[3] = {
      {.heading = e->heading[0]}, {.heading = e->heading[1]}, {.heading = e->scatter}};
  SUP_TRY(sup_table_file_read(e->data, e->place, e->scatter[0] ? 3 : 2, column, &e->num));
  e->measured_x = column[0].value, e->measured_y = column[1].value, e->deviation = column[2].value;
  if (!e->scatter[0]) SUP_TRY(SUP_CALLOC(e->deviation, e->num));
  for (int i = 0; i < e->num && !e->scatter[0]; i++)
    e->deviation[i] = fmax(e->absolute, e->relative * fabs(e->measured_y[i]));
  SUP_TRY(check_scatter(e));
  SUP_TRY(SUP_CALLOC(e->found_y, e->num));
  return SUP_OK;
}

/* ---- definition ------------------------------------------------------------------------------ */

/** "5 %": a share; "0.1" or "0.1 N": a number; else a heading. */
static sup_status read_scatter(const sup_section *s, sup_experiment *e) {
  sup_node   *node = sup_section_entry(s, "scatter");
  const char *text, *other;
  char        word[SUP_UNIT_WORD_SIZE];
  e->relative = 0.02;
  if (!node) return SUP_OK;
  SUP_TRY(sup_node_text(node, "scatter", &text));
  double *to = strchr(text, '%') ? &e->relative : &e->absolute, value;
  for (int d = 0; d < SUP_NUM_DIMENSIONS; d++) {
    if (sup_quantity_read(text, (sup_dimension)d, &value, word, &other) != SUP_QUANTITY_OK)
      continue;
    if (!(value > 0)) return SUP_FAIL_AT(node->place, "scatter is %g; it must be positive", value);
    e->relative = 0, *to = value;
    return SUP_OK;
  }
  snprintf(e->scatter, sizeof e->scatter, "%s", text);
  return SUP_OK;
}

static sup_status read_columns(const sup_section *s, sup_experiment *e) {
  sup_node *columns = sup_section_entry(s, "columns"), *x = sup_section_entry(s, "x"), *y;
  SUP_TRY(sup_section_require(s, "y", &y));
  e->num_y = y->type == SUP_NODE_SEQUENCE ? y->num_children : 1;
  if (e->num_y < 1 || e->num_y > 3)
    return SUP_FAIL_AT(y->place, "y lists %d columns; one, or the two or three of a vector",
                       e->num_y);
  for (int k = 0; k < e->num_y; k++)
    SUP_TRY(sup_quantity_read_part(
        NULL, e->num_y == 1 && y->type != SUP_NODE_SEQUENCE ? y : sup_node_at(y, k), "y",
        &e->y[k]));
  e->x = (sup_quantity_def){.source = "time", .scale = 1, .unit = "s", .place = e->place};
  if (x) SUP_TRY(sup_quantity_read_part(NULL, x, "x", &e->x));
  if (!columns) return SUP_OK;
  SUP_TRY(sup_node_check_list(columns, "columns"));
  if (columns->num_children != 2)
    return SUP_FAIL_AT(columns->place, "columns lists %d headings; two are needed, of x and of y",
                       columns->num_children);
  for (int k = 0; k < 2; k++) {
    const char *text;
    SUP_TRY(sup_node_text(sup_node_at(columns, k), "columns", &text));
    SUP_TRY(sup_text_copy(e->heading[k], sizeof e->heading[k], text));
  }
  return SUP_OK;
}

sup_status sup_experiment_read(const char *study_path, sup_node *node, sup_experiment *e) {
  sup_section s;
  char        what[2 * SUP_NAME_MAX];
  const char *data;
  int         is_held_back = 0;
  defaults(e);
  e->place = node->place;
  SUP_TRY(sup_node_name(node, "experiment", e->name));
  snprintf(what, sizeof what, "experiment '%s'", e->name);
  SUP_TRY(sup_section_open(&s, node, &sup_schema_experiment, what));
  SUP_TRY(sup_section_read(&s, e));
  SUP_TRY(sup_read_text(&s, "data", &data));
  SUP_TRY(sup_path_relative_to(e->data, sizeof e->data, study_path, data));
  SUP_TRY(read_columns(&s, e));
  SUP_TRY(read_scatter(&s, e));
  if (sup_section_entry(&s, "held_back")) SUP_TRY(sup_read_boolean(&s, "held_back", &is_held_back));
  e->is_held_back = is_held_back, e->set = sup_section_entry(&s, "set");
  if (e->set) SUP_TRY(sup_node_check_mapping(e->set, "set"));
  SUP_TRY(read_data(e));
  return SUP_OK;
}

void sup_experiment_free(sup_experiment *e) {
  SUP_FREE_ALL(&e->measured_x, &e->measured_y, &e->deviation, &e->found_y);
}

/* ---- a run ----------------------------------------------------------------------------------- */

/** y of each row of the run: value [num], which the caller frees. */
static sup_status find_length(const sup_experiment *e, const char *folder, int num,
                              double **value) {
  int also;
  SUP_TRY(sup_quantity_series(&e->y[0], folder, &also, value));
  for (int k = 1; k < e->num_y; k++) {
    SUP_FREED double *part = NULL;
    SUP_TRY(sup_quantity_series(&e->y[k], folder, &also, &part));
    for (int i = 0; i < num; i++) (*value)[i] = hypot((*value)[i], part[i]);
  }
  return SUP_OK;
}

sup_status sup_experiment_find(const sup_experiment *e, const char *folder, double *y) {
  SUP_FREED double *xs = NULL;
  SUP_FREED double *ys = NULL;
  double            share;
  int               num;
  SUP_TRY(sup_quantity_series(&e->x, folder, &num, &xs));
  SUP_TRY(find_length(e, folder, num, &ys));
  for (int i = 0; i < e->num; i++) {
    int row = sup_rows_pass(num, xs, ys, e->measured_x[i], &share);
    if (row == SUP_NONE)
      return SUP_FAIL_AT(e->place,
                         "experiment '%s': the run goes from x = %g to %g, the measured x is %g: "
                         "check the units of both (scale) and the length of the run",
                         e->name, xs[0], xs[num - 1], e->measured_x[i]);
    y[i] = share > 0 ? ys[row] + share * (ys[row + 1] - ys[row]) : ys[row];
  }
  return SUP_OK;
}
