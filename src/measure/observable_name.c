/* Columns by name: names of an observable, and the observable of a name. */
#include <stdio.h>
#include <string.h>

#include "measure/observable.h"

bool sup_observable_applies(const sup_observable *observable, const sup_observed_scene *scene,
                            int i) {
  return !observable->applies || observable->applies(scene, i);
}

int sup_observable_width(const sup_observable *observable) {
  int width = 1;
  for (const char *c = observable->names; *c; c++) width += *c == ' ';
  return width;
}

void sup_observable_column(const sup_observable *observable, int k, const char *prefix,
                           char *text) {
  const char *name = observable->names;
  for (; k > 0; k--) name = strchr(name, ' ') + 1;
  snprintf(text, SUP_COLUMN_MAX, "%s%.*s", prefix, (int)strcspn(name, " "), name);
}

static bool has_name(const sup_observable *observable, const char *name) {
  char own[SUP_COLUMN_MAX];
  for (int k = 0; k < sup_observable_width(observable); k++) {
    sup_observable_column(observable, k, "", own);
    if (strcmp(own, name) == 0) return 1;
  }
  return 0;
}

/** 1: the column begins as the pattern does, up to its first word in capitals, and has a word in
 * its place before the name; an empty pattern fits a column of one word. */
static int fits(const char *pattern, const char *column, const char *name) {
  size_t fixed = strcspn(pattern, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  if (strncmp(pattern, column, fixed) != 0) return 0;
  return pattern[0] ? name > column + fixed || pattern[fixed] == '\0' : name == column;
}

const sup_observable *sup_observable_find(const char *column) {
  const sup_observable_group *group;
  const char                 *dot = strrchr(column, '.'), *name = dot ? dot + 1 : column;
  const sup_observable       *found = NULL;
  size_t                      best = 0;
  for (int g = 0; (group = sup_observable_group_at(g)) != NULL; g++) {
    size_t fixed = strcspn(group->pattern, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (!fits(group->pattern, column, name) || (found && fixed < best)) continue;
    for (int r = 0; r < group->num_rows; r++)
      if (has_name(&group->row[r], name) && (!found || fixed > best))
        found = &group->row[r], best = fixed;
  }
  return found;
}

const sup_observable *sup_observable_with_statistic(int i, const sup_observable_group **group) {
  for (int g = 0; (*group = sup_observable_group_at(g)) != NULL; g++)
    for (int r = 0; r < (*group)->num_rows; r++)
      if ((*group)->row[r].statistic != SUP_STATISTIC_NONE && i-- == 0) return &(*group)->row[r];
  return NULL;
}
