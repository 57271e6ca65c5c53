/* `supple help columns`: what history.csv holds, from the table of observables. */
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "output/observable.h"

enum { NAME_WIDTH = 30, UNIT_WIDTH = 14 };

static void print_group(const sup_observable_group *group) {
  printf("\n%s\n", group->what);
  for (int r = 0; r < group->num_rows; r++) {
    const sup_observable *o = &group->row[r];
    char                  names[SUP_COLUMN_MAX];
    int                   used = snprintf(names, sizeof names, "%s%s", group->pattern, o->names);
    printf("  %-*s%s %-*s %s\n", NAME_WIDTH, names, used > NAME_WIDTH ? " " : "", UNIT_WIDTH,
           o->unit, o->meaning);
  }
}

int sup_app_help_columns(void) {
  int                         num_groups;
  const sup_observable_group *group = sup_observable_groups(&num_groups);
  printf(
      "Columns of history.csv: name, unit, meaning.  SI units, world axes; one column for each "
      "word.\n");
  for (int g = 0; g < num_groups; g++) print_group(&group[g]);
  sup_app_print_example(
      stdout, "run examples/finray_press.yaml -o out/press && head -n 2 out/press/history.csv");
  return SUP_EXIT_OK;
}
