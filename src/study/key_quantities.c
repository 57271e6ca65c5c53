/* Key quantities of history.csv: motions, forces, efforts, energies, stress. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "measure/observable.h"
#include "study/estimate.h"
#include "study/quantity.h"

/** Reductions of a column to key quantities: over the run, and at its end. */
typedef struct rule {
  sup_window_value over_time, last; /* last: SUP_NUM_WINDOW_VALUES for none */
} rule;

static const rule rules[] = {[SUP_QUOTED_FORCE] = {SUP_WINDOW_PEAK, SUP_WINDOW_END},
                             [SUP_QUOTED_PROBE] = {SUP_WINDOW_EXCURSION, SUP_WINDOW_CHANGE},
                             [SUP_QUOTED_ENERGY] = {SUP_WINDOW_MAX, SUP_NUM_WINDOW_VALUES},
                             [SUP_QUOTED_CENTRE] = {SUP_WINDOW_EXCURSION, SUP_NUM_WINDOW_VALUES},
                             [SUP_QUOTED_RIGID] = {SUP_WINDOW_EXCURSION, SUP_WINDOW_CHANGE},
                             [SUP_QUOTED_STRESS] = {SUP_WINDOW_MAX, SUP_NUM_WINDOW_VALUES},
                             [SUP_QUOTED_EFFORT] = {SUP_WINDOW_PEAK, SUP_WINDOW_END}};

static sup_estimate_row make_row(const char *column, int group, sup_window_value take) {
  sup_estimate_row row = {.group = group};
  row.def = (sup_quantity_def){
      .source = column, .take = take, .from = -HUGE_VAL, .to = HUGE_VAL, .scale = 1};
  snprintf(row.def.name, sizeof row.def.name, "%.60s", column);
  snprintf(row.def.unit, sizeof row.def.unit, "%s", sup_quantity_unit(column));
  return row;
}

/** Reduction for load steps, of which only the end counts. */
static sup_window_value take_of_static(sup_window_value take) {
  return take == SUP_WINDOW_EXCURSION ? SUP_WINDOW_CHANGE : SUP_WINDOW_END;
}

sup_status sup_key_quantities(char *columns, bool is_static, sup_estimate_row **row,
                              int *num_rows) {
  size_t capacity = 0;
  *row = NULL, *num_rows = 0;
  for (char *at = columns, *next; at; at = next) {
    next = strchr(at, ',');
    if (next) *next++ = '\0';
    const sup_observable *observable = sup_observable_find(at);
    if (!observable || observable->quoted == SUP_QUOTED_NOT) continue;
    const rule *r = &rules[observable->quoted];
    int         group =
        (int)observable->quoted; /* small numbers are not worth a line beside large ones of it */
    sup_status status = SUP_GROW(*row, capacity, *num_rows + 2);
    if (status != SUP_OK) {
      SUP_FREE(*row);
      return status;
    }
    (*row)[(*num_rows)++] =
        make_row(at, group, is_static ? take_of_static(r->over_time) : r->over_time);
    if (!is_static && r->last != SUP_NUM_WINDOW_VALUES)
      (*row)[(*num_rows)++] = make_row(at, group, r->last);
  }
  return SUP_OK;
}
