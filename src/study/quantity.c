#include "study/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "output/summary.h"
#include "scene/file/yaml.h"
#include "scene/schema/section.h"
#include "study/numerics.h"

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
    {"at", NULL}}; /* no word of `take`: its key is `at` */

const char *sup_window_value_name(sup_window_value take) { return takes[take].name; }

static const sup_key quantity_keys[] = {
    SUP_CUSTOM("column", SUP_KEY_REFERENCE, "probe.tip.z", "A column of history.csv.",
               .absent = "needed, or summary"),
    SUP_CUSTOM("summary", SUP_KEY_REFERENCE, "newton.mean", "A path in summary.json.",
               .absent = "needed, or column"),
    {.name = "take",
     .type = SUP_KEY_WORD,
     .words = takes,
     .num_words = SUP_WINDOW_AT,
     .place = SUP_AT(sup_quantity_def, take),
     .example = "change",
     .meaning = "Reduction of the column to a number."},
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

static void set_unit(sup_quantity_def *def) {
  snprintf(def->unit, sizeof def->unit, "%s",
           def->is_summary ? summary_unit(def->source) : sup_quantity_unit(def->source));
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
  if (!unit) return SUP_OK;
  SUP_TRY(sup_node_text(unit, "unit", &text));
  if (strlen(text) >= sizeof def->unit)
    return SUP_FAIL_AT(unit->place, "a unit has at most %zu letters", sizeof def->unit - 1);
  strcpy(def->unit, text);
  return SUP_OK;
}

static sup_status read_mapping(sup_node *node, sup_quantity_def *def) {
  sup_section section;
  char        what[2 * SUP_NAME_MAX];
  int         take = SUP_WINDOW_END;
  snprintf(what, sizeof what, "quantity '%s'", def->name);
  SUP_TRY(sup_section_open(&section, node, &sup_schema_quantity, what));
  const sup_node *column = sup_section_entry(&section, "column"),
                 *summary = sup_section_entry(&section, "summary");
  const sup_node *stray = sup_section_entry(&section, "take");
  if ((column != NULL) == (summary != NULL))
    return SUP_FAIL_AT(node->place,
                       "%s needs either 'column', of history.csv, or 'summary', of summary.json",
                       what);
  def->is_summary = summary != NULL;
  SUP_TRY(sup_node_text(column ? column : summary, column ? "column" : "summary", &def->source));
  if (summary && stray)
    return SUP_FAIL_AT(stray->key_place, "take belongs to a column of history.csv");
  SUP_TRY(read_time(&section, def));
  if (def->take != SUP_WINDOW_AT) {
    SUP_TRY(sup_read_word(&section, "take", &take));
    def->take = (sup_window_value)take;
  }
  SUP_TRY(read_window(&section, def));
  if (!sup_section_entry(&section, "scale")) set_unit(def);
  SUP_TRY(read_numbers(&section, def));
  return SUP_OK;
}

sup_status sup_quantity_read_def(sup_node *node, sup_quantity_def *def) {
  char name[SUP_NAME_MAX];
  SUP_TRY(sup_node_name(node, "quantity", name));
  SUP_TRY(sup_quantity_read_part(node, name, def));
  return SUP_OK;
}

sup_status sup_quantity_read_part(sup_node *node, const char *name, sup_quantity_def *def) {
  defaults(def);
  def->place = node->place;
  SUP_TRY(sup_text_copy(def->name, sizeof def->name, name));
  if (node->type == SUP_NODE_MAPPING) {
    SUP_TRY(read_mapping(node, def));
    return SUP_OK;
  }
  SUP_TRY(sup_node_text(node, def->name, &def->source));
  set_unit(def);
  return SUP_OK;
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

void sup_quantity_choose_unit(sup_quantity_def *def, const sup_model_def *model) {
  char *other = strstr(def->unit, " or ");
  if (!other) return;
  if (is_of_slide(model, def->source))
    memmove(def->unit, other + 4, strlen(other + 4) + 1);
  else
    *other = '\0';
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

/** Index of the column in the line of names; splits the line. */
static sup_status find_column(const sup_quantity_def *def, const char *source, char *line,
                              int *index) {
  const char **name = NULL;
  char         known[KNOWN_SIZE];
  sup_status   status = SUP_OK;
  *index = SUP_NONE;
  SUP_TRY(SUP_CALLOC(name, MAX_COLUMNS));
  int count = cut(line, name);
  for (int i = 0; i < count; i++)
    if (strcmp(name[i], source) == 0) *index = i;
  if (*index == SUP_NONE) { /* distances to all names take long */
    sup_known_text(source, name, count, known, sizeof known);
    status = SUP_FAIL_AT(def->place, "quantity '%s': history.csv has no column '%.100s'%s%s",
                         def->name, source, remedy(source), known);
  }
  SUP_FREE(name);
  return status;
}

sup_status sup_quantity_check(const sup_quantity_def *def, const char *columns) {
  char *line = NULL;
  int   index;
  if (def->is_summary) return SUP_OK;
  SUP_TRY(SUP_CALLOC(line, strlen(columns) + 1));
  strcpy(line, columns);
  sup_status status = find_column(def, def->source, line, &index);
  SUP_FREE(line);
  return status;
}

/** Running statistics of a column in its window. */
typedef struct window {
  int    rows;
  double at, there; /* value at the time `at`, between two rows on their chord; SUP_NO_NUMBER: not
                       reached */
  double first, last, low, high, time_first, time_last, integral;
} window;

static void see(window *w, double time, double value) {
  if (w->rows++ == 0) {
    w->first = w->low = w->high = value, w->time_first = time;
    if (fabs(time - w->at) <= sup_study_numerics.same_time) w->there = value;
  } else {
    if (w->time_last < w->at && w->at <= time + sup_study_numerics.same_time)
      w->there =
          w->last + fmin(1, (w->at - w->time_last) / (time - w->time_last)) * (value - w->last);
    w->integral += 0.5 * (w->last + value) * (time - w->time_last);
  }
  w->last = value, w->time_last = time;
  w->low = fmin(w->low, value), w->high = fmax(w->high, value);
}

static double farther(double low, double high) { return -low > high ? low : high; }

static double taken(const window *w, sup_window_value take) {
  double span = w->time_last - w->time_first;
  switch (take) {
    case SUP_WINDOW_END:
      return w->last;
    case SUP_WINDOW_CHANGE:
      return w->last - w->first;
    case SUP_WINDOW_MAX:
      return w->high;
    case SUP_WINDOW_MIN:
      return w->low;
    case SUP_WINDOW_MEAN:
      return span > 0 ? w->integral / span : w->last;
    case SUP_WINDOW_PEAK:
      return farther(w->low, w->high);
    case SUP_WINDOW_EXCURSION:
      return farther(w->low - w->first, w->high - w->first);
    case SUP_WINDOW_AT:
      return w->there;
    case SUP_NUM_WINDOW_VALUES:
      break;
  }
  return SUP_NO_NUMBER;
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

static sup_status read_column(const sup_quantity_def *def, char *text, double *value) {
  window w = {.at = def->at, .there = SUP_NO_NUMBER};
  char  *row = strchr(text, '\n');
  int    column;
  if (!row) return SUP_FAIL_AT(def->place, "quantity '%s': history.csv is empty", def->name);
  *row++ = '\0';
  SUP_TRY(find_column(def, def->source, text, &column));
  for (char *next; *row; row = next) {
    double time, number;
    next = row + strcspn(row, "\n");
    if (*next) *next++ = '\0';
    int counts = field(row, 0, &time) && time >= def->from - sup_study_numerics.same_time &&
                 time <= def->to + sup_study_numerics.same_time;
    if (counts && field(row, column, &number)) see(&w, time, number);
  }
  if (w.rows == 0)
    return SUP_FAIL_AT(def->place, "quantity '%s': the column %s holds no number in the window",
                       def->name, def->source);
  *value = taken(&w, def->take);
  if (isnan(*value))
    return SUP_FAIL_AT(def->place, "quantity '%s': history.csv goes from %g s to %g s, not to %g s",
                       def->name, w.time_first, w.time_last, def->at);
  return SUP_OK;
}

sup_status sup_quantity_series(const sup_quantity_def *def, const char *folder, int *num,
                               double **value) {
  char              path[SUP_STUDY_PATH_SIZE + 32];
  size_t            size, capacity = 0;
  SUP_FREED char   *text = NULL;
  SUP_FREED double *found = NULL;
  int               column, count = 0;
  snprintf(path, sizeof path, "%s/history.csv", folder);
  SUP_TRY(sup_file_read(path, &text, &size));
  char *row = strchr(text, '\n');
  if (!row) return SUP_FAIL_AT(def->place, "%s is empty", path);
  *row++ = '\0';
  SUP_TRY(find_column(def, def->source, text, &column));
  for (char *next; *row; row = next) {
    next = row + strcspn(row, "\n");
    if (*next) *next++ = '\0';
    SUP_TRY(SUP_GROW(found, capacity, count + 1));
    if (!field(row, column, &found[count])) found[count] = SUP_NO_NUMBER;
    count++;
  }
  double start = def->take == SUP_WINDOW_CHANGE && count > 0 ? found[0] : 0;
  for (int i = 0; i < count; i++) found[i] = def->scale * (found[i] - start);
  *num = count, *value = found;
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
  char   path[SUP_STUDY_PATH_SIZE + 32], *text = NULL;
  size_t size;
  snprintf(path, sizeof path, "%s/%s", folder, def->is_summary ? "summary.json" : "history.csv");
  if (def->is_summary) {
    sup_status status = sup_json_file_number(path, def->source, value);
    if (status == SUP_E_ARG) return SUP_FAIL_WRAP(SUP_E_PARSE, def->place);
    SUP_TRY(status);
  } else {
    SUP_TRY(sup_file_read(path, &text, &size));
    sup_status status = read_column(def, text, value);
    SUP_FREE(text);
    SUP_TRY(status);
  }
  *value *= def->scale;
  return SUP_OK;
}
