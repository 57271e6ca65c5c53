#include "study/fit/experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/quantity.h"

enum { MAX_FIELDS = 64 };

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

/** Cut a line at its commas, blanks about fields left out. */
static int cut(char *line, char **field) {
  int count = 0;
  for (char *next = line; next && count < MAX_FIELDS;) {
    char *start = next + strspn(next, " \t"), *end;
    next = strchr(start, ',');
    if (next) *next++ = '\0';
    end = start + strlen(start);
    while (end > start && strchr(" \t\r", end[-1])) *--end = '\0';
    field[count++] = start;
  }
  return count;
}

static sup_status find_heading(const sup_experiment *e, const char *name, char **field, int count,
                               int *index) {
  char known[512];
  for (*index = 0; *index < count; ++*index)
    if (strcmp(field[*index], name) == 0) return SUP_OK;
  return SUP_FAIL_AT(e->place, "%s has no column '%s'%s", e->data, name,
                     sup_known_text(name, (const char **)field, count, known, sizeof known));
}

/** Indices of x, y and, if it is a column, scatter. */
static sup_status find_columns(const sup_experiment *e, char **field, int count, int index[3]) {
  index[0] = 0, index[1] = 1, index[2] = SUP_NONE;
  if (count < 2)
    return SUP_FAIL_AT(e->place, "%s has %d columns; x and y are needed", e->data, count);
  for (int k = 0; k < 2; k++)
    if (e->heading[k][0]) SUP_TRY(find_heading(e, e->heading[k], field, count, &index[k]));
  if (e->scatter[0]) SUP_TRY(find_heading(e, e->scatter, field, count, &index[2]));
  return SUP_OK;
}

static sup_status add_point(sup_experiment *e, int line, char **field, int count,
                            const int index[3], size_t capacity[3]) {
  double number[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++)
    if (index[k] != SUP_NONE &&
        (index[k] >= count || !sup_text_number(field[index[k]], &number[k])))
      return SUP_FAIL_AT(e->place, "%s:%d: column %d holds '%.40s', a number was expected", e->data,
                         line, index[k] + 1, index[k] < count ? field[index[k]] : "");
  if (index[2] == SUP_NONE) number[2] = fmax(e->absolute, e->relative * fabs(number[1]));
  double **array[3] = {&e->measured_x, &e->measured_y, &e->deviation};
  for (int k = 0; k < 3; k++) {
    SUP_TRY(SUP_GROW(*array[k], capacity[k], e->num + 1));
    (*array[k])[e->num] = number[k];
  }
  e->num++;
  return SUP_OK;
}

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
  SUP_FREED char *text = NULL;
  char           *field[MAX_FIELDS];
  size_t          size, capacity[3] = {0};
  int             index[3] = {SUP_NONE, SUP_NONE, SUP_NONE}, line = 0;
  sup_status      status = sup_file_read(e->data, &text, &size);
  if (status != SUP_OK) return SUP_FAIL_WRAP(SUP_E_PARSE, e->place);
  for (char *row = text, *next; row; row = next) {
    next = strchr(row, '\n');
    if (next) *next++ = '\0';
    line++;
    if (row[strspn(row, " \t\r")] == '\0' || row[0] == '#') continue;
    int count = cut(row, field);
    if (index[0] == SUP_NONE)
      SUP_TRY(find_columns(e, field, count, index));
    else
      SUP_TRY(add_point(e, line, field, count, index, capacity));
  }
  if (e->num == 0) return SUP_FAIL_AT(e->place, "%s holds no point", e->data);
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
        e->num_y == 1 && y->type != SUP_NODE_SEQUENCE ? y : sup_node_at(y, k), "y", &e->y[k]));
  e->x = (sup_quantity_def){.source = "time", .scale = 1, .unit = "s", .place = e->place};
  if (x) SUP_TRY(sup_quantity_read_part(x, "x", &e->x));
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

/** Value of y at the first place where the run passes x. */
static bool interpolate(int num, const double *x, const double *y, double at, double *value) {
  for (int i = 0; i < num; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) continue;
    if (x[i] == at) {
      *value = y[i];
      return true;
    }
    if (i + 1 < num && isfinite(x[i + 1]) && isfinite(y[i + 1]) &&
        (x[i] - at) * (x[i + 1] - at) <= 0) {
      *value = y[i] + (at - x[i]) / (x[i + 1] - x[i]) * (y[i + 1] - y[i]);
      return true;
    }
  }
  return false;
}

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
  int               num;
  SUP_TRY(sup_quantity_series(&e->x, folder, &num, &xs));
  SUP_TRY(find_length(e, folder, num, &ys));
  for (int i = 0; i < e->num; i++)
    if (!interpolate(num, xs, ys, e->measured_x[i], &y[i]))
      return SUP_FAIL_AT(e->place,
                         "experiment '%s': the run goes from x = %g to %g, the measured x is %g: "
                         "check the units of both (scale) and the length of the run",
                         e->name, xs[0], xs[num - 1], e->measured_x[i]);
  return SUP_OK;
}
