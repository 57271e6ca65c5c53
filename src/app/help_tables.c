/* `supple help columns`, `help summary`, `help solvers` and `help numerics`: columns of
 * history.csv, entries of summary.json, features of contact solvers, numbers that decide, from the
 * tables of observables, of the summary's entries, of the solvers and of the rooms' numbers. */
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/numerics.h"
#include "output/summary.h"
#include "solve/solver.h"

enum { NAME_WIDTH = 36, UNIT_WIDTH = 14, MEANING_SIZE = 512 };

static void print_row(const char *name, const char *unit, const char *meaning) {
  printf("  %-*s%s %-*s %s\n", NAME_WIDTH, name, strlen(name) > NAME_WIDTH ? " " : "", UNIT_WIDTH,
         unit, meaning);
}

static void print_json_row(const char *name, const char *unit, const char *meaning, bool is_first) {
  const char *keys[] = {"name", "unit", "meaning"}, *texts[] = {name, unit, meaning};
  printf("%s  {", is_first ? "" : ",\n");
  for (int i = 0; i < 3; i++) {
    printf("%s\"%s\": ", i ? ", " : "", keys[i]);
    sup_json_quote(stdout, texts[i]);
  }
  printf("}");
}

static void print_columns(bool is_json) {
  int                         count = 0;
  const sup_observable_group *group;
  for (int g = 0; (group = sup_observable_group_at(g)) != NULL; g++) {
    if (!is_json) printf("\n%s\n", group->what);
    for (int r = 0; r < group->num_rows; r++) {
      const sup_observable *o = &group->row[r];
      char                  names[SUP_COLUMN_MAX];
      snprintf(names, sizeof names, "%s%s", group->pattern, o->names);
      if (is_json)
        print_json_row(names, o->unit, o->meaning, count++ == 0);
      else
        print_row(names, o->unit, o->meaning);
    }
  }
}

static void print_summary(bool is_json) {
  sup_summary_table table;
  sup_summary_table_make(&table);
  if (!is_json) printf("\n");
  for (int i = 0; i < table.count; i++) {
    const sup_summary_entry *e = &table.entry[i];
    char                     meaning[MEANING_SIZE];
    sup_summary_meaning(e, meaning, sizeof meaning);
    if (is_json)
      print_json_row(e->path, e->unit, meaning, i == 0);
    else
      print_row(e->path, e->unit, meaning);
  }
}

/* ---- contact solvers ------------------------------------------------------------------------- */

/** out := the words whose bits are set. */
static void join(unsigned bits, const char *const *words, int count, char out[MEANING_SIZE]) {
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; i < count; i++)
    if (bits >> i & 1)
      used += (size_t)snprintf(out + used, MEANING_SIZE - used, "%s%s", used ? ", " : "", words[i]);
}

/** Bits of the laws of a list that a solver accepts. */
static unsigned accepted(const sup_contact_solver_row *row, const sup_law_kind *kinds, int count) {
  unsigned bits = 0;
  for (int i = 0; i < count; i++) bits |= (unsigned)(row->accepts(kinds[i]) != 0) << i;
  return bits;
}

/** Bits of the normal laws. */
static unsigned accepted_normal(const sup_contact_solver_row *row) {
  unsigned bits = 0;
  for (int i = 0; i < SUP_NUM_NORMAL_LAWS; i++)
    if (row->takes_barriers || !sup_normal_table((sup_normal_law)i)->is_barrier) bits |= 1u << i;
  return bits;
}

static void print_solver(const sup_contact_solver_row *row, bool is_json, bool is_first) {
#define NAME(NAME, name, ...) #name,
  static const char *const models[] = {SUP_CONTACT_MODEL_LIST(NAME)};
  static const char *const normal_laws[] = {SUP_NORMAL_LAW_LIST(NAME)};
#undef NAME
  static const char *const  sticks[] = {"soft", "elastic"};
  static const char *const  joints[] = {"limits", "couplers", "actuators"};
  static const sup_law_kind of_joints[] = {SUP_LAW_LIMIT, SUP_LAW_COUPLER, SUP_LAW_PD};
  static const sup_law_kind of_sticks[] = {SUP_LAW_LAGGED, SUP_LAW_ELASTIC_STICK};
  static const char *const  what[] = {"models", "normal_laws", "stick", "joints", "iterates_on"};
  char                      text[5][MEANING_SIZE];
  join(row->models, models, SUP_NUM_CONTACT_MODELS, text[0]);
  join(accepted_normal(row), normal_laws, SUP_NUM_NORMAL_LAWS, text[1]);
  join(accepted(row, of_sticks, 2), sticks, 2, text[2]);
  join(accepted(row, of_joints, 3), joints, 3, text[3]);
  snprintf(text[4], MEANING_SIZE, "%s", row->iterates_on_impulses ? "impulses" : "velocities");
  for (int i = 0; i < 5; i++) {
    char name[SUP_COLUMN_MAX];
    snprintf(name, sizeof name, "%s.%s", row->name, what[i]);
    if (is_json)
      print_json_row(name, "-", text[i], is_first && i == 0);
    else
      print_row(name, "-", text[i]);
  }
}

static void print_solvers(bool is_json) {
  for (int i = 0; i < SUP_NUM_CONTACT_SOLVERS; i++) {
    if (!is_json) printf("\n");
    print_solver(sup_contact_solver_table((sup_contact_solver)i), is_json, i == 0);
  }
}

/* ---- numbers that decide --------------------------------------------------------------------- */

static void print_number(const char *room, const sup_number *n, bool is_json, bool is_first) {
  char name[SUP_COLUMN_MAX], meaning[MEANING_SIZE];
  snprintf(name, sizeof name, "%s.%s", room, n->name);
  snprintf(meaning, sizeof meaning, "%.6g: %s; %s; %s%s", n->value, n->meaning, n->why,
           n->test[0] ? "test " : "no test", n->test);
  if (is_json)
    print_json_row(name, n->unit, meaning, is_first);
  else
    print_row(name, n->unit, meaning);
}

static void print_numerics(bool is_json) {
  int count = 0;
#define PRINT_ROOM(room, LIST)                                     \
  do {                                                             \
    static const sup_number row[] = {LIST(SUP_NUMBER_ROW)};        \
    if (!is_json) printf("\n%s/\n", room);                         \
    for (size_t i = 0; i < sizeof row / sizeof *row; i++, count++) \
      print_number(room, &row[i], is_json, count == 0);            \
  } while (0);
  SUP_NUMERICS_ROOMS(PRINT_ROOM)
#undef PRINT_ROOM
}

/* ---------------------------------------------------------------------------------------------- */

static int print_table(int argc, char **argv, const char *title, void (*print)(bool is_json),
                       const char *example) {
  if (argc == 3 && strcmp(argv[1], "--format") == 0 && strcmp(argv[2], "json") == 0) {
    printf("[\n");
    print(1);
    printf("\n]\n");
    return SUP_EXIT_OK;
  }
  if (argc > 1) {
    fprintf(stderr, "supple: error: expected 'supple help %s [--format json]'\n", argv[0]);
    return SUP_EXIT_INPUT;
  }
  printf("%s", title);
  print(0);
  sup_app_print_example(stdout, example);
  return SUP_EXIT_OK;
}

int sup_app_help_columns(int argc, char **argv) {
  return print_table(
      argc, argv,
      "Columns of history.csv: name, unit, meaning.  SI units, world axes; one column for each "
      "word.\n",
      print_columns,
      "run examples/finray_press.yaml -o out/press && head -n 2 out/press/history.csv");
}

int sup_app_help_summary(int argc, char **argv) {
  return print_table(
      argc, argv,
      "Entries of summary.json: name, unit, meaning.  Words in capitals stand for names of the "
      "scene,\n"
      "N for the number in a list; a dot leads into an object.\n",
      print_summary, "run examples/finray_press.yaml -o out/press && cat out/press/summary.json");
}

int sup_app_help_solvers(int argc, char **argv) {
  return print_table(
      argc, argv,
      "Features of each contact.solver: contact.model, normal laws, contact.stick and constraints "
      "of joints, between\n"
      "bodies of every kind.  Scenes with other features are refused.\n",
      print_solvers, "help scene contact.solver");
}

int sup_app_help_numerics(int argc, char **argv) {
  return print_table(
      argc, argv,
      "Numbers that decide, by room of src/: name, unit, value with its meaning, its reason and a "
      "test that\n"
      "fails by another value.  None is an option.\n",
      print_numerics, "help numerics --format json");
}
