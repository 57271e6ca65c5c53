/* What of history.csv a reader of results quotes: motions, forces, efforts, energies, stress. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "study/estimate.h"
#include "study/quantity.h"

/** Groups of numbers of which small ones are not worth a line beside large ones. */
enum { GROUP_FORCE, GROUP_PROBE, GROUP_ENERGY, GROUP_CENTRE, GROUP_RIGID, GROUP_STRESS, GROUP_EFFORT };

typedef struct rule {
  const char *prefix, *suffixes; /* of a column's name */
  int         group;
  sup_take    over_time, last; /* last: SUP_NUM_TAKES for none */
} rule;

static const rule rules[] = {
    {"contact.", " fx fy fz fn ", GROUP_FORCE, SUP_TAKE_PEAK, SUP_TAKE_END},
    {"reaction.", " fx fy fz ", GROUP_FORCE, SUP_TAKE_PEAK, SUP_TAKE_END},
    {"attach.", " fx fy fz ", GROUP_FORCE, SUP_TAKE_PEAK, SUP_TAKE_END},
    {"probe.", " x y z ", GROUP_PROBE, SUP_TAKE_EXCURSION, SUP_TAKE_CHANGE},
    {"energy.", " kinetic elastic ", GROUP_ENERGY, SUP_TAKE_MAX, SUP_NUM_TAKES},
    {"", " elastic_energy ", GROUP_ENERGY, SUP_TAKE_MAX, SUP_NUM_TAKES},
    {"", " com_x com_y com_z ", GROUP_CENTRE, SUP_TAKE_EXCURSION, SUP_NUM_TAKES},
    {"", " x y z ", GROUP_RIGID, SUP_TAKE_EXCURSION, SUP_TAKE_CHANGE},
    {"", " von_mises_p99 ", GROUP_STRESS, SUP_TAKE_MAX, SUP_NUM_TAKES},
    {"", " tau ", GROUP_EFFORT, SUP_TAKE_PEAK, SUP_TAKE_END},
};

static const rule *find_rule(const char *column) {
  char        word[SUP_NAME_MAX + 2];
  const char *dot = strrchr(column, '.');
  snprintf(word, sizeof word, " %.60s ", dot ? dot + 1 : column);
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (strncmp(column, rules[i].prefix, strlen(rules[i].prefix)) == 0 && strstr(rules[i].suffixes, word))
      return &rules[i];
  return NULL;
}

static sup_estimate_row make_row(const char *column, const rule *r, sup_take take) {
  sup_estimate_row row = {.group = r->group};
  row.def = (sup_quantity_def){.source = column, .take = take, .from = -HUGE_VAL, .to = HUGE_VAL, .scale = 1};
  snprintf(row.def.name, sizeof row.def.name, "%.60s", column);
  strcpy(row.def.unit, sup_quantity_unit(column));
  return row;
}

/** In an equilibrium only the end counts. */
static sup_take take_of_static(sup_take take) { return take == SUP_TAKE_EXCURSION ? SUP_TAKE_CHANGE : SUP_TAKE_END; }

sup_status sup_key_quantities(char *columns, int is_static, sup_estimate_row **row, int *num_rows) {
  size_t capacity = 0;
  *row = NULL, *num_rows = 0;
  for (char *at = columns, *next; at; at = next) {
    next = strchr(at, ',');
    if (next) *next++ = '\0';
    const rule *r = find_rule(at);
    if (!r) continue;
    sup_status status = SUP_GROW(*row, capacity, *num_rows + 2);
    if (status != SUP_OK) {
      SUP_FREE(*row);
      return status;
    }
    (*row)[(*num_rows)++] = make_row(at, r, is_static ? take_of_static(r->over_time) : r->over_time);
    if (!is_static && r->last != SUP_NUM_TAKES) (*row)[(*num_rows)++] = make_row(at, r, r->last);
  }
  return SUP_OK;
}
