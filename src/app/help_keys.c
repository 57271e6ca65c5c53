/* `supple help scene` and `supple help study`: the keys of files, from the tables of the sections
 * that read them. */
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "base/status.h"
#include "base/text.h"
#include "output/format/json.h"
#include "study/study.h"

enum { WIDTH = 100, TEXT_SIZE = 1024, MAX_COLUMNS = 4 };

typedef struct topic {
  const char       *name; /* of the file: "scene" */
  const sup_schema *root;
} topic;

static const topic topics[] = {{"scene", &sup_schema_scene}, {"study", &sup_schema_study}};
enum { NUM_TOPICS = sizeof topics / sizeof *topics };

/* ---- text in columns ------------------------------------------------------------------------- */

/** Length of the first line of text that is cut at a blank to fit into `width`; a longer word stays
 * whole. */
static size_t line_length(const char *text, size_t width) {
  size_t length = strlen(text), cut = 0;
  if (length <= width) return length;
  for (size_t i = 0; i < length && (i <= width || cut == 0); i++)
    if (text[i] == ' ') cut = i;
  return cut ? cut : length;
}

/** One row: texts side by side, each wrapped within its width; the last width is the rest of
 * the line. */
static void print_row(size_t indent, int count, const char *const *texts, const size_t *widths) {
  const char *rest[MAX_COLUMNS];
  bool        is_done = 0;
  for (int i = 0; i < count; i++) rest[i] = texts[i];
  while (!is_done) {
    size_t column = indent, printed = 0;
    is_done = 1;
    for (int i = 0; i < count; i++) {
      size_t width = i + 1 < count ? widths[i] : WIDTH - column,
             length = line_length(rest[i], width);
      if (length > 0)
        printed += (size_t)printf("%*s%.*s", (int)(column - printed), "", (int)length, rest[i]);
      rest[i] += length + strspn(rest[i] + length, " ");
      is_done &= *rest[i] == '\0';
      column += width + 2;
    }
    printf("\n");
  }
}

static void print_paragraph(size_t indent, const char *text) { print_row(indent, 1, &text, NULL); }

static void print_fact(const char *name, const char *text) {
  const char  *texts[] = {name, text};
  const size_t widths[] = {8};
  print_row(2, 2, texts, widths);
}

/* ---- examples -------------------------------------------------------------------------------- */

/** Length at which a long value in flow style is cut: behind the last comma that fits, else behind
 * the first. */
static size_t flow_length(const char *text, size_t width) {
  size_t length = strlen(text), cut = 0;
  if (length <= width) return length;
  for (size_t i = 0; i < length && (i < width || cut == 0); i++)
    if (text[i] == ',' && text[i + 1] == ' ') cut = i + 1;
  return cut ? cut : length;
}

/** The value, cut into lines; the first one begins behind `column` letters. */
static void print_value(const char *value, size_t column, size_t indent) {
  while (*value) {
    size_t length = flow_length(value, WIDTH - column);
    printf("%.*s\n", (int)length, value);
    value += length + strspn(value + length, " ");
    if (*value) printf("%*s", (int)indent, "");
    column = indent;
  }
}

/** The value below all the sections that lead to it, as it can be pasted into a file. */
static void print_example(const sup_schema *root, const char *path, const char *value) {
  char        start[SUP_SCHEMA_PATH_SIZE];
  size_t      indent = 4, length = 0;
  const char *dash = "";
  for (const char *p = path;; p += length + 1) {
    sup_schema_target place;
    length = strcspn(p, ".");
    snprintf(start, sizeof start, "%.*s", (int)(p - path + (ptrdiff_t)length), path);
    (void)sup_schema_find(root, start, &place);
    printf("%*s%s%.*s:", (int)(indent - strlen(dash)), "", dash, (int)length, p);
    if (p[length] != '.') break;
    printf("\n");
    indent += 2, dash = "";
    if (sup_key_has_names(place.key)) printf("%*sNAME:\n", (int)indent, ""), indent += 2;
    if (place.key->type == SUP_KEY_SECTIONS) dash = "- ", indent += 2;
  }
  printf(" ");
  print_value(value, indent + length + 2, indent + 2);
}

/* ---- one key --------------------------------------------------------------------------------- */

typedef struct wanted {
  const char *path;
  int         is_found;
  char        text[TEXT_SIZE]; /* its default */
} wanted;

static int keep_default(const sup_schema_step *step, void *user) {
  wanted *w = user;
  if (strcmp(step->path, w->path) != 0) return 0;
  (void)sup_key_default(step, w->text, sizeof w->text);
  return w->is_found = 1;
}

static void print_words(const sup_key *key) {
  for (int i = 0; i < key->num_words; i++) {
    const char  *texts[] = {key->words[i].name, key->words[i].meaning ? key->words[i].meaning : ""};
    const size_t widths[] = {22};
    if (key->words[i].meaning) print_row(12, 2, texts, widths);
  }
}

static void print_key(const topic *t, const sup_schema_target *place) {
  char   text[TEXT_SIZE];
  wanted w = {place->path, 0, ""};
  (void)sup_schema_walk(t->root, keep_default, &w);
  print_fact("value", sup_key_kind(place->key, text, sizeof text));
  print_words(place->key);
  if (place->key->type == SUP_KEY_TABLE)
    print_words(sup_schema_key(&sup_schema_table, "interpolation"));
  if (w.text[0]) print_fact("default", w.text);
  printf("  example\n");
  print_example(t->root, place->path, place->key->example);
}

/* ---- all keys of a section ------------------------------------------------------------------- */

/** The unit, or the type in a word. */
static const char *short_kind(const sup_key *key, char *text, size_t size) {
  static const char *const words[SUP_NUM_KEY_TYPES] = {
      [SUP_KEY_INTEGER] = "integer",     [SUP_KEY_BOOLEAN] = "boolean",
      [SUP_KEY_WORD] = "word",           [SUP_KEY_NAME] = "name",
      [SUP_KEY_SECTION] = "section",     [SUP_KEY_TEXT] = "text",
      [SUP_KEY_FILE] = "file",           [SUP_KEY_REFERENCE] = "name",
      [SUP_KEY_TABLE] = "table",         [SUP_KEY_LIST] = "list",
      [SUP_KEY_ONE_OR_MORE] = "section", [SUP_KEY_SECTIONS] = "list",
      [SUP_KEY_COLLECTION] = "sections", [SUP_KEY_ENTRIES] = "entries"};
  if (key->type == SUP_KEY_NUMBER)
    snprintf(text, size, "%s", sup_dimension_unit(key->dimension));
  else if (key->type == SUP_KEY_VECTOR || key->type == SUP_KEY_AXES)
    snprintf(text, size, "3 x %s", sup_dimension_unit(key->dimension));
  else
    snprintf(text, size, "%s", words[key->type]);
  return text;
}

typedef struct table {
  const char *section; /* path; "": the root */
  int         depth;
  size_t      widths[MAX_COLUMNS - 1];
  int         is_printing; /* 0: measures the columns */
} table;

static bool is_of_section(const table *t, const sup_schema_step *step) {
  size_t length = strlen(t->section);
  return step->depth == t->depth && strncmp(step->path, t->section, length) == 0 &&
         (length == 0 || step->path[length] == '.');
}

static int visit_row(const sup_schema_step *step, void *user) {
  table *t = user;
  char   kind[64], value[TEXT_SIZE], meaning[TEXT_SIZE];
  size_t widest[] = {20, 10, 22};
  if (!is_of_section(t, step)) return 0;
  const sup_key *key = step->key;
  const char    *texts[] = {key->name, short_kind(key, kind, sizeof kind),
                            sup_key_default(step, value, sizeof value), meaning};
  size_t         used = (size_t)snprintf(meaning, sizeof meaning, "%s", key->meaning);
  for (int i = 0; i < key->num_words && used < sizeof meaning; i++)
    used += (size_t)snprintf(meaning + used, sizeof meaning - used, "%s%s%s", i ? ", " : " One of ",
                             key->words[i].name, i + 1 == key->num_words ? "." : "");
  for (int i = 0; i < MAX_COLUMNS - 1; i++) {
    size_t length = strlen(texts[i]) < widest[i] ? strlen(texts[i]) : widest[i];
    if (length > t->widths[i]) t->widths[i] = length;
  }
  if (t->is_printing) print_row(2, MAX_COLUMNS, texts, t->widths);
  return 0;
}

static void print_section(const topic *t, const char *section, int depth) {
  static const char *const heads[] = {"key", "value", "default", "meaning"};
  table                    rows = {section, depth, {3, 5, 7}, 0};
  (void)sup_schema_walk(t->root, visit_row, &rows);
  print_row(2, MAX_COLUMNS, heads, rows.widths);
  rows.is_printing = 1;
  (void)sup_schema_walk(t->root, visit_row, &rows);
}

/* ---- the file -------------------------------------------------------------------------------- */

typedef struct overview {
  const char *name;
  char        below[TEXT_SIZE]; /* sections of the last key */
} overview;

static void print_below(overview *o) {
  const char  *texts[] = {"", o->below};
  const size_t widths[] = {10};
  if (o->below[0]) print_row(2, 2, texts, widths);
  o->below[0] = '\0';
}

static int visit_top(const sup_schema_step *step, void *user) {
  overview *o = user;
  size_t    used = strlen(o->below);
  if (step->depth == 1 && step->key->schema)
    snprintf(o->below + used, sizeof o->below - used, "%s%s", used ? ", " : "with ", step->path);
  if (step->depth > 0) return 0;
  print_below(o);
  const char  *texts[] = {step->key->name, step->key->meaning};
  const size_t widths[] = {10};
  print_row(2, 2, texts, widths);
  return 0;
}

static void print_file(const topic *t) {
  overview o = {t->name, ""};
  printf(
      "The keys of a %s file (YAML); numbers are SI or carry a unit: 2 mm, 12 MPa, 30 deg, 60 %%.\n"
      "\n",
      t->name);
  (void)sup_schema_walk(t->root, visit_top, &o);
  print_below(&o);
  printf(
      "\n"
      "`supple help %s SECTION` lists the keys of a section, `supple help %s SECTION.KEY` tells\n"
      "all of one; --format json writes all keys as JSON.\n",
      t->name, t->name);
}

static int visit_json(const sup_schema_step *step, void *user) {
  const char *names[] = {"path", "value", "unit", "range", "default", "meaning", "example"};
  char        kind[TEXT_SIZE], value[TEXT_SIZE];
  bool        is_number = step->key->type == SUP_KEY_NUMBER || step->key->type == SUP_KEY_VECTOR ||
                   step->key->type == SUP_KEY_AXES;
  const char *texts[] = {step->path,
                         sup_key_kind(step->key, kind, sizeof kind),
                         is_number ? sup_dimension_unit(step->key->dimension) : "",
                         sup_range_text(step->key->range),
                         sup_key_default(step, value, sizeof value),
                         step->key->meaning,
                         step->key->example};
  int        *count = user;
  printf("%s  {", (*count)++ ? ",\n" : "");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    printf("%s\"%s\": ", i ? ", " : "", names[i]);
    sup_json_quote(stdout, texts[i]);
  }
  printf(", \"words\": [");
  for (int i = 0; i < step->key->num_words; i++) {
    const sup_word *word = &step->key->words[i];
    printf("%s{\"name\": ", i ? ", " : "");
    sup_json_quote(stdout, word->name);
    printf(", \"meaning\": ");
    sup_json_quote(stdout, word->meaning ? word->meaning : "");
    printf("}");
  }
  printf("]}");
  return 0;
}

static void print_json(const topic *t) {
  int count = 0;
  printf("[\n");
  (void)sup_schema_walk(t->root, visit_json, &count);
  printf("\n]\n");
}

/* ---- the command ----------------------------------------------------------------------------- */

/** The key is not there: the nearest of its section, or where others have it. */
static int unknown_key(const topic *t, const char *word, const sup_schema_target *place) {
  enum { MAX_FOUND = 8 };
  const char *names[SUP_SCHEMA_MAX_KEYS];
  char        found[MAX_FOUND][SUP_SCHEMA_PATH_SIZE], known[TEXT_SIZE] = "";
  int count = place->schema ? sup_schema_names(place->schema, names, SUP_SCHEMA_MAX_KEYS) : 0,
      elsewhere = 0;
  fprintf(stderr, "supple: error: a %s has no key '%s'%s%s", t->name, word,
          place->path[0] ? " in " : "", place->path);
  if (place->path[0]) elsewhere = sup_schema_ends(t->root, place->path, word, MAX_FOUND, found);
  if (elsewhere == 0 && !sup_schema_is_near(place->schema, word))
    elsewhere = sup_schema_ends(t->root, "", word, MAX_FOUND, found);
  for (int i = 0; i < elsewhere; i++)
    fprintf(stderr, "%s%s",
            i == 0              ? "; did you mean "
            : i + 1 < elsewhere ? ", "
                                : " or ",
            found[i]);
  if (elsewhere > 0) fprintf(stderr, "?");
  if (elsewhere == 0 && count > 0)
    fputs(sup_known_text(word, names, count, known, sizeof known), stderr);
  fputc('\n', stderr);
  return SUP_EXIT_INPUT;
}

/** "soft.frictin" is no body of the name frictin, though it may be one. */
static bool is_misspelt(const sup_schema_target *place, const char *name) {
  char found[1][SUP_SCHEMA_PATH_SIZE];
  return place->is_entry && place->key->schema &&
         (sup_schema_is_near(place->key->schema, name) ||
          sup_schema_ends(place->key->schema, "", name, 1, found) > 0);
}

static int depth_of(const char *path) {
  int depth = path[0] != '\0';
  for (; *path; path++) depth += *path == '.';
  return depth;
}

static int print_path(const topic *t, const char *path) {
  char              title[TEXT_SIZE];
  sup_schema_target place;
  const char       *last = strrchr(path, '.');
  if (!sup_schema_find(t->root, path, &place) || !place.key)
    return unknown_key(t, path + place.known + (place.known > 0), &place);
  if (last && is_misspelt(&place, last + 1)) {
    place.schema = place.key->schema;
    return unknown_key(t, last + 1, &place);
  }
  snprintf(title, sizeof title, "%s: %s", place.path, place.key->meaning);
  print_paragraph(0, title);
  printf("\n");
  print_key(t, &place);
  if (!place.key->schema || place.key->schema->num_keys == 0) return SUP_EXIT_OK;
  snprintf(title, sizeof title, "%s", place.key->schema->meaning);
  printf("\n");
  if (strcmp(title, place.key->meaning) != 0) print_paragraph(0, title), printf("\n");
  print_section(t, place.path, depth_of(place.path));
  return SUP_EXIT_OK;
}

int sup_app_help_keys(int argc, char **argv) {
  const topic *t = NULL;
  for (int i = 0; i < NUM_TOPICS; i++)
    if (strcmp(topics[i].name, argv[0]) == 0) t = &topics[i];
  SUP_ASSERT(t);
  if (argc == 1) {
    char example[64];
    print_file(t);
    snprintf(example, sizeof example, "help %s %s", t->name,
             t->root == &sup_schema_scene ? "contact" : "quantities");
    sup_app_print_example(stdout, example);
    return SUP_EXIT_OK;
  }
  if (argc == 3 && strcmp(argv[1], "--format") == 0 && strcmp(argv[2], "json") == 0) {
    print_json(t);
    return SUP_EXIT_OK;
  }
  if (argc > 2 || argv[1][0] == '-') {
    fprintf(stderr, "supple: error: expected 'supple help %s [SECTION[.KEY]]' or --format json\n",
            t->name);
    return SUP_EXIT_INPUT;
  }
  return print_path(t, argv[1]);
}
