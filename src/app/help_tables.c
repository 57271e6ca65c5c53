/* `supple help columns` and `supple help summary`: what history.csv and summary.json hold, from the
 * tables of observables and of the summary's entries. */
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "output/summary.h"

enum { NAME_WIDTH = 36, UNIT_WIDTH = 14, MEANING_SIZE = 256 };

static void print_row(const char *name, const char *unit, const char *meaning) {
  printf("  %-*s%s %-*s %s\n", NAME_WIDTH, name, strlen(name) > NAME_WIDTH ? " " : "", UNIT_WIDTH,
         unit, meaning);
}

static void print_json_row(const char *name, const char *unit, const char *meaning, int is_first) {
  const char *keys[] = {"name", "unit", "meaning"}, *texts[] = {name, unit, meaning};
  printf("%s  {", is_first ? "" : ",\n");
  for (int i = 0; i < 3; i++) {
    printf("%s\"%s\": ", i ? ", " : "", keys[i]);
    sup_json_quote(stdout, texts[i]);
  }
  printf("}");
}

static void print_columns(int is_json) {
  int                         num_groups, count = 0;
  const sup_observable_group *group = sup_observable_groups(&num_groups);
  for (int g = 0; g < num_groups; g++) {
    if (!is_json) printf("\n%s\n", group[g].what);
    for (int r = 0; r < group[g].num_rows; r++) {
      const sup_observable *o = &group[g].row[r];
      char                  names[SUP_COLUMN_MAX];
      snprintf(names, sizeof names, "%s%s", group[g].pattern, o->names);
      if (is_json)
        print_json_row(names, o->unit, o->meaning, count++ == 0);
      else
        print_row(names, o->unit, o->meaning);
    }
  }
}

static void print_summary(int is_json) {
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

static int print_table(int argc, char **argv, const char *title, void (*print)(int is_json),
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
  return print_table(argc, argv,
                     "Entries of summary.json: name, unit, meaning.  Words in capitals stand for "
                     "names of the scene,\nN for the number in a list; a dot leads into an "
                     "object.\n",
                     print_summary,
                     "run examples/finray_press.yaml -o out/press && cat out/press/summary.json");
}
