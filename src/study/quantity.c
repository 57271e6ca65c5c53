#include "study/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "output/summary.h"
#include "scene/file/table_file.h"
#include "scene/file/yaml.h"
#include "scene/schema/section.h"
#include "study/reduction.h"

enum { MAX_COLUMNS = 4000, KNOWN_SIZE = 1500 };

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_word takes[SUP_NUM_WINDOW_VALUES] = {
    {"end", "the last value"},
    {"change", "last less first value"},
    {"max", NULL},
    {"min", NULL},
    {"mean", "over time"},
    {"peak", "the value of largest magnitude, with its sign"},
    {"excursion", "the largest change from the first value, with its sign"},
    {"integral", "over time"},
    {"norm", "(sum over the rows of |value|^exponent)^(1/exponent), at least the largest |value|"},
    {"at", NULL}, /* these are no words of `take`: they have keys */
    {"table", NULL},
    {"sum", NULL}};

const char *sup_window_value_name(sup_window_value take) { return takes[take].name; }

static const sup_key quantity_keys[] = {
    SUP_CUSTOM("column", SUP_KEY_REFERENCE, "probe.tip.z", "A column of history.csv.",
               .absent = "needed, or summary or sum"),
    SUP_CUSTOM("summary", SUP_KEY_REFERENCE, "newton.mean", "A path in summary.json.",
               .absent = "needed, or column or sum"),
    SUP_CUSTOM("sum", SUP_KEY_ENTRIES, "{force: 1, peak: -0.5}",
               "Weights of quantities of one unit that stand above it.",
               .absent = "needed, or column or summary"),
    {.name = "take",
     .type = SUP_KEY_WORD,
     .words = takes,
     .num_words = SUP_WINDOW_AT,
     .place = SUP_AT(sup_quantity_def, take),
     .example = "change",
     .meaning = "Reduction of the column to a number."},
    SUP_NUMBER("exponent", SUP_DIM_NUMBER, SUP_POSITIVE, SUP_AT(sup_quantity_def, exponent), "8",
               "Exponent of the norm, 1 or more.", .need = SUP_OPTIONAL,
               .absent = "needed with take: norm"),
    SUP_CUSTOM("table", SUP_KEY_FILE, "measured.csv",
               "CSV file: the number is the mean square of the column's difference to it; headings "
               "may have units."),
    SUP_CUSTOM("columns", SUP_KEY_LIST, "[displacement, force]", "Headings of the table.",
               .absent = "the first two"),
    SUP_CUSTOM("by", SUP_KEY_REFERENCE, "cylinder.x",
               "Column of history.csv that the table's first column stands for.", .absent = "time"),
    SUP_NUMBER("at", SUP_DIM_TIME, SUP_NOT_NEGATIVE, SUP_AT(sup_quantity_def, at), "0.5 s",
               "Time of the value, interpolated between two rows, in place of take.",
               .need = SUP_OPTIONAL),
    SUP_NUMBER("from", SUP_DIM_TIME, SUP_NOT_NEGATIVE, SUP_AT(sup_quantity_def, from), "0.2 s",
               "Begin of the window of the column.", .need = SUP_OPTIONAL,
               .absent = "the first row"),
    SUP_NUMBER("to", SUP_DIM_TIME, SUP_NOT_NEGATIVE, SUP_AT(sup_quantity_def, to), "0.8 s",
               "End of the window.", .need = SUP_OPTIONAL, .absent = "the last row"),
    SUP_NUMBER("scale", SUP_DIM_NUMBER, SUP_ANY, SUP_AT(sup_quantity_def, scale), "2.0e+10",
               "Factor on the number, not 0."),
    SUP_CUSTOM("unit", SUP_KEY_TEXT, "m/N", "Unit after scaling.", .absent = "that of the column"),
    SUP_CUSTOM("reference", SUP_KEY_TEXT, "0.16011", "The exact number, after scaling.")};
static void defaults(void *target) {
  *(sup_quantity_def *)target = (sup_quantity_def){.from = -HUGE_VAL, .to = HUGE_VAL, .scale = 1};
}
const sup_schema sup_schema_quantity =
    SUP_SCHEMA("quantity", quantity_keys, "A number that is compared.",
               SUP_DEFAULTS(defaults, sup_quantity_def));

/* ---- definition ------------------------------------------------------------------------------ */

const char *sup_quantity_unit(const char *column) {
  const sup_observable *observable = sup_observable_find(column);
  return observable && strcmp(observable->unit, "-") != 0 ? observable->unit : "";
}

/** Unit of an entry of summary.json by its path. */
static const char *summary_unit(const char *path) {
  sup_summary_table table;
  sup_summary_table_make(&table);
  const sup_summary_entry *entry = sup_summary_find(&table, path);
  return entry && strcmp(entry->unit, "-") != 0 ? entry->unit : "";
}

/** def->unit := that of the reduction of a number with a unit. */
static void derive_unit(sup_quantity_def *def, const char *unit) {
  size_t length = strlen(unit);
  bool   is_product = strpbrk(unit, " /^") != NULL, is_table = def->take == SUP_WINDOW_TABLE;
  bool   is_rate = length > 2 && strcmp(unit + length - 2, "/s") == 0;
  if (def->take == SUP_WINDOW_INTEGRAL && is_rate)
    snprintf(def->unit, sizeof def->unit, "%.*s", (int)length - 2, unit);
  else if (def->take == SUP_WINDOW_INTEGRAL)
    snprintf(def->unit, sizeof def->unit, "%s%s", unit, length ? " s" : "s");
  else if (is_table && length)
    snprintf(def->unit, sizeof def->unit, is_product ? "(%s)^2" : "%s^2", unit);
  else
    snprintf(def->unit, sizeof def->unit, "%s", unit);
}

static void set_unit(sup_quantity_def *def) {
  const char *unit = def->is_summary ? summary_unit(def->source) : sup_quantity_unit(def->source);
  if (!def->has_own_unit) derive_unit(def, unit);
}

/** `at: TIME`: the value there instead of a window's. */
static sup_status read_time(const sup_section *section, sup_quantity_def *def) {
  static const char *const others[] = {"take", "from", "to"};
  sup_node                *node = sup_section_entry(section, "at");
  if (!node) return SUP_OK;
  if (def->is_summary) return SUP_FAIL_AT(node->key_place, "at belongs to a column of history.csv");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (sup_section_entry(section, others[i]))
      return SUP_FAIL_AT(node->key_place, "at takes the value at one time; leave out '%s'",
                         others[i]);
  def->take = SUP_WINDOW_AT;
  SUP_TRY(sup_read_number(section, "at", &def->at));
  return SUP_OK;
}

static sup_status read_window(const sup_section *section, sup_quantity_def *def) {
  for (int i = 0; i < 2; i++) {
    const char *key = i ? "to" : "from";
    sup_node   *node = sup_section_entry(section, key);
    if (!node) continue;
    if (def->is_summary)
      return SUP_FAIL_AT(node->key_place, "%s belongs to a column of history.csv", key);
    SUP_TRY(sup_read_number(section, key, i ? &def->to : &def->from));
  }
  if (def->to < def->from)
    return SUP_FAIL_AT(section->node->place,
                       "the window of %s ends at %g s, before it begins at %g s", def->name,
                       def->to, def->from);
  return SUP_OK;
}

sup_status sup_quantity_read_number(sup_node *node, const char *name, double *value) {
  char        word[SUP_UNIT_WORD_SIZE];
  const char *found;
  for (int d = 0; node->type == SUP_NODE_SCALAR && d < SUP_NUM_DIMENSIONS; d++)
    if (sup_quantity_read(node->text, (sup_dimension)d, value, word, &found) == SUP_QUANTITY_OK)
      return SUP_OK;
  SUP_TRY(sup_node_number(node, name, SUP_DIM_NUMBER, SUP_ANY, value));
  return SUP_OK;
}

static sup_status read_numbers(const sup_section *section, sup_quantity_def *def) {
  sup_node *reference = sup_section_entry(section, "reference"),
           *unit = sup_section_entry(section, "unit");
  const char *text;
  SUP_TRY(sup_read_number(section, "scale", &def->scale));
  if (def->scale == 0)
    return SUP_FAIL_AT(sup_section_entry(section, "scale")->place,
                       "scale is 0; expected another number");
  if (reference) {
    def->has_reference = 1;
    SUP_TRY(sup_quantity_read_number(reference, "reference", &def->reference));
  }
  def->has_own_unit = unit || def->scale != 1;
  if (!unit) return SUP_OK;
  SUP_TRY(sup_node_text(unit, "unit", &text));
  if (strlen(text) >= sizeof def->unit)
    return SUP_FAIL_AT(unit->place, "a unit has at most %zu letters", sizeof def->unit - 1);
  strcpy(def->unit, text);
  return SUP_OK;
}

/** `exponent`, which the norm needs and nothing else has. */
static sup_status read_exponent(const sup_section *section, sup_quantity_def *def) {
  sup_node *node = sup_section_entry(section, "exponent");
  if (node && def->take != SUP_WINDOW_NORM)
    return SUP_FAIL_AT(node->key_place, "exponent belongs to 'take: norm'");
  if (node) SUP_TRY(sup_read_number(section, "exponent", &def->exponent));
  if (def->take == SUP_WINDOW_NORM && !(def->exponent >= 1))
    return SUP_FAIL_AT(node ? node->place : section->node->place,
                       "the norm needs an exponent of 1 or more, for instance 'exponent: 8'");
  return SUP_OK;
}

/** Factor to SI of a unit that has the dimension of another. */
static bool find_factor(const char *unit, const char *other, double *factor) {
  char        text[2][SUP_UNIT_SIZE + 2], word[SUP_UNIT_WORD_SIZE];
  const char *found;
  double      one;
  snprintf(text[0], sizeof text[0], "1 %s", unit), snprintf(text[1], sizeof text[1], "1 %s", other);
  for (int d = 0; d < SUP_NUM_DIMENSIONS; d++)
    if (sup_quantity_read(text[0], (sup_dimension)d, factor, word, &found) == SUP_QUANTITY_OK &&
        sup_quantity_read(text[1], (sup_dimension)d, &one, word, &found) == SUP_QUANTITY_OK)
      return true;
  return false;
}

/** Numbers of a table to SI, where its heading has a unit. */
static sup_status convert(const sup_quantity_def *def, const char *column, const char *unit,
                          double *value) {
  double      factor = 1;
  const char *own = strcmp(column, "time") == 0 ? "s" : sup_quantity_unit(column);
  if (!unit[0]) return SUP_OK;
  if (!find_factor(unit, own, &factor) && strcmp(unit, own) != 0)
    return SUP_FAIL_AT(def->place, "quantity '%s': the table is in %s and the column %s in %s",
                       def->name, unit, column, own[0] ? own : "numbers without unit");
  for (int i = 0; i < def->target->num; i++) value[i] *= factor;
  return SUP_OK;
}

/** The table's two columns, in SI. */
static sup_status read_file(const sup_section *section, const char *path, sup_quantity_def *def) {
  sup_table_column column[2] = {{.heading = ""}, {.heading = ""}};
  sup_node        *columns = sup_section_entry(section, "columns");
  sup_target      *t = def->target;
  if (columns) {
    SUP_TRY(sup_node_check_list(columns, "columns"));
    if (columns->num_children != 2)
      return SUP_FAIL_AT(columns->place, "columns lists %d headings; two are needed",
                         columns->num_children);
    for (int k = 0; k < 2; k++)
      SUP_TRY(sup_node_text(sup_node_at(columns, k), "columns", &column[k].heading));
  }
  SUP_TRY(sup_table_file_read(path, def->place, 2, column, &t->num));
  t->x = column[0].value, t->y = column[1].value;
  SUP_TRY(convert(def, t->by ? t->by : "time", column[0].unit, t->x));
  SUP_TRY(convert(def, def->source, column[1].unit, t->y));
  return SUP_OK;
}

/** `table: FILE`: the difference to it instead of a window's value. */
static sup_status read_table(const sup_study *study, const sup_section *section,
                             sup_quantity_def *def) {
  static const char *const own[] = {"columns", "by"}, *const others[] = {"from", "to"};
  sup_node   *node = sup_section_entry(section, "table"), *by = sup_section_entry(section, "by");
  const char *text;
  char        path[SUP_STUDY_PATH_SIZE];
  for (int i = 0; i < 2; i++) {
    const sup_node *stray = sup_section_entry(section, node ? others[i] : own[i]);
    if (stray)
      return SUP_FAIL_AT(stray->key_place,
                         node ? "a table has no %s: its rows say where" : "%s belongs to a table",
                         stray->key);
  }
  if (!node) return SUP_OK;
  if (!study || def->is_summary || (def->take != SUP_WINDOW_END && def->take != SUP_WINDOW_CHANGE))
    return SUP_FAIL_AT(node->key_place,
                       "a table belongs to a column of `quantities`, as it is or "
                       "with 'take: change'");
  SUP_TRY(SUP_CALLOC(def->target, 1));
  def->target->is_from_start = def->take == SUP_WINDOW_CHANGE, def->take = SUP_WINDOW_TABLE;
  if (by) SUP_TRY(sup_node_text(by, "by", &def->target->by));
  SUP_TRY(sup_node_text(node, "table", &text));
  SUP_TRY(sup_path_relative_to(path, sizeof path, study->path, text));
  SUP_TRY(read_file(section, path, def));
  return SUP_OK;
}

/** Quantity of the study by its name; NULL: there is none above the last. */
static const sup_quantity_def *find_above(const sup_study *study, const char *name) {
  for (int q = 0; q + 1 < study->num_quantities; q++)
    if (strcmp(study->quantity[q].name, name) == 0) return &study->quantity[q];
  return NULL;
}

/** `sum: {NAME: weight}` */
static sup_status read_sum(const sup_study *study, sup_node *node, sup_quantity_def *def) {
  sup_combination *sum;
  size_t           used = 0;
  SUP_TRY(sup_node_check_mapping(node, "sum"));
  if (!study || node->num_children < 1)
    return SUP_FAIL_AT(node->place, "a sum belongs to `quantities`, with weights {NAME: 1}");
  SUP_TRY(SUP_CALLOC(def->sum, 1));
  sum = def->sum, def->take = SUP_WINDOW_SUM, def->source = sum->text;
  for (sup_node *c = node->child; c; c = c->next) {
    const sup_quantity_def *part = find_above(study, c->key);
    double                 *weight = &sum->weight[sum->num];
    if (!part)
      return SUP_FAIL_AT(c->key_place, "the sum '%s' has '%s', which is no quantity above it",
                         def->name, c->key);
    SUP_TRY(sup_node_number(c, c->key, SUP_DIM_NUMBER, SUP_ANY, weight));
    sum->part[sum->num++] = part;
    snprintf(sum->text + used, sizeof sum->text - used, "%s%.6g %s (%s)", used ? " + " : "",
             *weight, c->key, part->source);
    used = strlen(sum->text);
  }
  return SUP_OK;
}

static sup_status read_column(const sup_study *study, const sup_section *section,
                              sup_quantity_def *def) {
  int             take = SUP_WINDOW_END;
  const sup_node *stray = sup_section_entry(section, "take");
  if (def->is_summary && stray)
    return SUP_FAIL_AT(stray->key_place, "take belongs to a column of history.csv");
  SUP_TRY(read_time(section, def));
  if (def->take != SUP_WINDOW_AT) {
    SUP_TRY(sup_read_word(section, "take", &take));
    def->take = (sup_window_value)take;
  }
  SUP_TRY(read_window(section, def));
  SUP_TRY(read_exponent(section, def));
  SUP_TRY(read_table(study, section, def));
  return SUP_OK;
}

static sup_status read_mapping(const sup_study *study, sup_node *node, sup_quantity_def *def) {
  static const char *const kinds[] = {"column", "summary", "sum"};
  sup_section              section;
  char                     what[2 * SUP_NAME_MAX];
  sup_node                *source = NULL;
  int                      count = 0;
  snprintf(what, sizeof what, "quantity '%s'", def->name);
  SUP_TRY(sup_section_open(&section, node, &sup_schema_quantity, what));
  for (int i = 0; i < 3; i++) {
    if (!sup_section_entry(&section, kinds[i])) continue;
    source = sup_section_entry(&section, kinds[i]), count++;
  }
  if (count != 1)
    return SUP_FAIL_AT(node->place,
                       "%s needs either 'column', of history.csv, or 'summary', of summary.json, "
                       "or 'sum', of other quantities",
                       what);
  def->is_summary = strcmp(source->key, "summary") == 0;
  SUP_TRY(read_numbers(&section, def));
  if (strcmp(source->key, "sum") == 0) {
    SUP_TRY(read_sum(study, source, def));
    return SUP_OK;
  }
  SUP_TRY(sup_node_text(source, source->key, &def->source));
  SUP_TRY(read_column(study, &section, def));
  set_unit(def);
  return SUP_OK;
}

sup_status sup_quantity_read_def(sup_study *study, sup_node *node) {
  sup_quantity_def *def = &study->quantity[study->num_quantities++];
  char              name[SUP_NAME_MAX];
  SUP_TRY(sup_node_name(node, "quantity", name));
  SUP_TRY(sup_quantity_read_part(study, node, name, def));
  return SUP_OK;
}

sup_status sup_quantity_read_part(const sup_study *study, sup_node *node, const char *name,
                                  sup_quantity_def *def) {
  defaults(def);
  def->place = node->place;
  SUP_TRY(sup_text_copy(def->name, sizeof def->name, name));
  if (node->type == SUP_NODE_MAPPING) {
    SUP_TRY(read_mapping(study, node, def));
    return SUP_OK;
  }
  SUP_TRY(sup_node_text(node, def->name, &def->source));
  set_unit(def);
  return SUP_OK;
}

void sup_quantity_free(sup_quantity_def *def) {
  if (def->target) SUP_FREE_ALL(&def->target->x, &def->target->y);
  SUP_FREE(def->target);
  SUP_FREE(def->sum);
}

/** 1: the column ROBOT.JOINT.x is of a joint that slides. */
static bool is_of_slide(const sup_model_def *model, const char *column) {
  for (int t = 0; t < model->num_trees; t++) {
    const sup_tree_def *tree = &model->trees[t];
    size_t              length = strlen(tree->name);
    if (strncmp(column, tree->name, length) != 0 || column[length] != '.') continue;
    for (int l = 0; l < tree->num_links; l++) {
      const char *joint = tree->links[l].joint_name;
      size_t      size = strlen(joint);
      if (strncmp(column + length + 1, joint, size) == 0 && column[length + 1 + size] == '.')
        return tree->links[l].joint == SUP_JOINT_PRISMATIC;
    }
  }
  return false;
}

/** Unit of a sum: that of its parts. */
static sup_status check_sum(sup_quantity_def *def) {
  const sup_quantity_def *const *part = def->sum->part;
  for (int k = 1; k < def->sum->num; k++)
    if (strcmp(part[k]->unit, part[0]->unit) != 0)
      return SUP_FAIL_AT(def->place,
                         "the sum '%s' has '%s' in %s and '%s' in %s; give them one unit by scale "
                         "and unit",
                         def->name, part[0]->name, part[0]->unit[0] ? part[0]->unit : "-",
                         part[k]->name, part[k]->unit[0] ? part[k]->unit : "-");
  if (!def->has_own_unit) snprintf(def->unit, sizeof def->unit, "%s", part[0]->unit);
  return SUP_OK;
}

sup_status sup_quantity_choose_unit(sup_quantity_def *def, const sup_model_def *model) {
  char unit[2 * SUP_UNIT_SIZE];
  if (def->sum) return check_sum(def);
  if (def->is_summary || def->has_own_unit) return SUP_OK;
  snprintf(unit, sizeof unit, "%s", sup_quantity_unit(def->source));
  char *other = strstr(unit, " or ");
  if (!other) return SUP_OK;
  *other = '\0';
  derive_unit(def, is_of_slide(model, def->source) ? other + 4 : unit);
  return SUP_OK;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/** Cut a line of names at its commas; the names point into it. */
static int cut(char *line, const char **name) {
  int count = 0;
  while (count < MAX_COLUMNS) {
    char *comma = strchr(line, ',');
    name[count++] = line;
    if (!comma) break;
    *comma = '\0';
    line = comma + 1;
  }
  return count;
}

/** Remedy for the absence of a column that a scene has to ask for. */
static const char *remedy(const char *source) {
  static const char ending[] = ".stress_error";
  size_t            length = strlen(source), size = sizeof ending - 1;
  bool              is_error = length > size && strcmp(source + length - size, ending) == 0;
  return is_error ? "; `output.arrays: [default, stress_error]` makes it, and {summary: "
                    "stress.BODY.stress_error} is that of the end"
                  : "";
}

/** Indices of columns [num] in the line of names; splits the line. */
static sup_status find_columns(const sup_quantity_def *def, char *line, int num,
                               const char *const *source, int *index) {
  SUP_FREED const char **name = NULL;
  char                   known[KNOWN_SIZE];
  SUP_TRY(SUP_CALLOC(name, MAX_COLUMNS));
  int count = cut(line, name);
  for (int k = 0; k < num; k++) {
    index[k] = SUP_NONE;
    for (int i = 0; i < count; i++)
      if (strcmp(name[i], source[k]) == 0) index[k] = i;
    if (index[k] != SUP_NONE) continue; /* distances to all names take long */
    sup_known_text(source[k], name, count, known, sizeof known);
    return SUP_FAIL_AT(def->place, "quantity '%s': history.csv has no column '%.100s'%s%s",
                       def->name, source[k], remedy(source[k]), known);
  }
  return SUP_OK;
}

/** The columns of a quantity: time, its own and that of its table. */
static int list_columns(const sup_quantity_def *def, const char *source[3]) {
  source[0] = "time", source[1] = def->source;
  if (!def->target || !def->target->by) return 2;
  source[2] = def->target->by;
  return 3;
}

sup_status sup_quantity_check(const sup_quantity_def *def, const char *columns) {
  SUP_FREED char *line = NULL;
  const char     *source[3];
  int             index[3];
  if (def->is_summary || def->sum) return SUP_OK;
  SUP_TRY(SUP_CALLOC(line, strlen(columns) + 1));
  strcpy(line, columns);
  SUP_TRY(find_columns(def, line, list_columns(def, source), source, index));
  return SUP_OK;
}

/** Field of a row; 0 when it is empty or not there. */
static int field(const char *row, int index, double *value) {
  char number[SUP_NAME_MAX];
  while (index-- > 0) {
    row = strchr(row, ',');
    if (!row++) return 0;
  }
  snprintf(number, sizeof number, "%.*s", (int)strcspn(row, ","), row);
  return sup_text_number(number, value);
}

/** value [num_columns] := all rows [num each] of columns of FOLDER/history.csv, which the caller
 * frees, also after a failure; SUP_NO_NUMBER where a field is empty. */
static sup_status read_rows(const sup_quantity_def *def, const char *folder, int num_columns,
                            const char *const *source, int *num, double **value) {
  char            path[SUP_STUDY_PATH_SIZE + 32];
  size_t          size, capacity[3] = {0};
  SUP_FREED char *text = NULL;
  int             index[3];
  snprintf(path, sizeof path, "%s/history.csv", folder);
  SUP_TRY(sup_file_read(path, &text, &size));
  char *row = strchr(text, '\n');
  if (!row) return SUP_FAIL_AT(def->place, "quantity '%s': %s is empty", def->name, path);
  *row++ = '\0', *num = 0;
  SUP_TRY(find_columns(def, text, num_columns, source, index));
  for (char *next; *row; row = next, ++*num) {
    next = row + strcspn(row, "\n");
    if (*next) *next++ = '\0';
    for (int k = 0; k < num_columns; k++) {
      SUP_TRY(SUP_GROW(value[k], capacity[k], *num + 1));
      if (!field(row, index[k], &value[k][*num])) value[k][*num] = SUP_NO_NUMBER;
    }
  }
  return SUP_OK;
}

static sup_status reduce_column(const sup_quantity_def *def, const char *folder, double *number) {
  double     *value[3] = {NULL, NULL, NULL};
  const char *source[3];
  int         num;
  sup_status  status = read_rows(def, folder, list_columns(def, source), source, &num, value);
  if (status == SUP_OK) {
    const sup_history_rows rows = {num, value[0], value[1], value[2]};
    status = sup_rows_reduce(def, &rows, number, NULL, NULL);
  }
  SUP_FREE_ALL(&value[0], &value[1], &value[2]);
  return status;
}

sup_status sup_quantity_series(const sup_quantity_def *def, const char *folder, int *num,
                               double **value) {
  SUP_FREED double *found = NULL;
  SUP_TRY(read_rows(def, folder, 1, &def->source, num, &found));
  double start = def->take == SUP_WINDOW_CHANGE && *num > 0 ? found[0] : 0;
  for (int i = 0; i < *num; i++) found[i] = def->scale * (found[i] - start);
  *value = found;
  found = NULL;
  return SUP_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/** JSON is YAML.  The node at a path of keys, which may hold dots themselves. */
static const sup_node *node_at(const sup_node *node, const char *path) {
  for (const sup_node *c = node->type == SUP_NODE_MAPPING ? node->child : NULL; c; c = c->next) {
    size_t length = strlen(c->key);
    if (strcmp(c->key, path) == 0) return c;
    if (strncmp(c->key, path, length) != 0 || path[length] != '.') continue;
    const sup_node *found = node_at(c, path + length + 1);
    if (found) return found;
  }
  return NULL;
}

/** "dofs.total, dofs.fem, ...": every number below the node. */
static void list_numbers(const sup_node *node, const char *prefix, char text[KNOWN_SIZE]) {
  for (const sup_node *c = node->child; c; c = c->next) {
    char   path[4 * SUP_NAME_MAX];
    double number;
    size_t used = strlen(text);
    snprintf(path, sizeof path, "%s%s%s", prefix, prefix[0] ? "." : "", c->key ? c->key : "");
    if (c->type == SUP_NODE_MAPPING)
      list_numbers(c, path, text);
    else if (c->type == SUP_NODE_SCALAR && c->is_plain && sup_text_number(c->text, &number))
      snprintf(text + used, KNOWN_SIZE - used, "%s%s", used ? ", " : "", path);
  }
}

sup_status sup_json_file_number(const char *file, const char *path, double *value) {
  sup_node *root = NULL;
  char      known[KNOWN_SIZE] = "";
  SUP_TRY(sup_yaml_read(&root, file));
  const sup_node *node = node_at(root, path);
  int good = node && node->type == SUP_NODE_SCALAR && sup_text_number(node->text, value);
  if (!good) list_numbers(root, "", known);
  sup_node_destroy(&root);
  return good ? SUP_OK
              : SUP_FAIL(SUP_E_ARG, "%s has no number '%.100s'; known: %s", file, path, known);
}

sup_status sup_quantity_value(const sup_quantity_def *def, const char *folder, double *value) {
  char   path[SUP_STUDY_PATH_SIZE + 32];
  double part, sum = 0;
  if (!def->is_summary && !def->sum) return reduce_column(def, folder, value);
  for (int k = 0; def->sum && k < def->sum->num; k++) {
    SUP_TRY(sup_quantity_value(def->sum->part[k], folder, &part));
    sum += def->sum->weight[k] * part;
  }
  if (def->is_summary) {
    snprintf(path, sizeof path, "%s/summary.json", folder);
    sup_status status = sup_json_file_number(path, def->source, &sum);
    if (status == SUP_E_ARG) return SUP_FAIL_WRAP(SUP_E_PARSE, def->place);
    SUP_TRY(status);
  }
  *value = def->scale * sum;
  return SUP_OK;
}
