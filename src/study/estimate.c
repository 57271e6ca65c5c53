#include "study/estimate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/numerics.h"
#include "study/quantity.h"

/* ---- one number ------------------------------------------------------------------------------ */

sup_error_bar sup_error_bar_of(double value, const double *finer, int num_finer) {
  const double  highest = 2, lowest = 0.5;
  sup_error_bar none = {SUP_NO_NUMBER, SUP_NO_NUMBER};
  double        h[1 + SUP_MAX_REFINEMENTS] = {1}, all[1 + SUP_MAX_REFINEMENTS] = {value};
  SUP_ASSERT(num_finer >= 1 && num_finer <= SUP_MAX_REFINEMENTS);
  for (int i = 0; i < num_finer; i++) {
    h[i + 1] = h[i] / 2, all[i + 1] = finer[i];
    if (value * finer[i] < 0 || !(fabs(finer[i] - value) <= fabs(value))) return none;
  }
  if (num_finer == 1)
    return (sup_error_bar){sup_study_numerics.safety * 2 * fabs(finer[0] - value), SUP_NO_NUMBER};
  sup_ladder_values ladder = {
      .num_levels = 1 + num_finer, .h = h, .value = all, .formal_order = highest};
  sup_convergence c = sup_converge(&ladder);
  if (c.behaviour == SUP_BEHAVIOUR_CONSTANT)
    return (sup_error_bar){sup_study_numerics.safety * fabs(finer[num_finer - 1] - value),
                           (double)NAN};
  none.order = c.num_changes ? c.change_order[c.num_changes - 1] : SUP_NO_NUMBER;
  if (!(c.order_used >= lowest)) return none;
  return (sup_error_bar){sup_study_numerics.safety * fabs(value - c.extrapolated), none.order};
}

double sup_error_bar_after_halving(const sup_error_bar *bar) {
  double p = isnan(bar->order) ? 1 : fmin(bar->order, 2);
  return bar->error * exp2(-p);
}

/* ---- life cycle ------------------------------------------------------------------------------ */

/** The quantities of the study are the rows. */
static sup_status take_quantities(sup_estimate *e, const sup_study *study) {
  SUP_TRY(SUP_CALLOC(e->row, study->num_quantities));
  e->num_rows = e->study->num_quantities = study->num_quantities;
  for (int q = 0; q < study->num_quantities; q++)
    e->study->quantity[q] = e->row[q].def = study->quantity[q];
  return SUP_OK;
}

static sup_status create(sup_estimate *e, const sup_estimate_def *def) {
  SUP_TRY(SUP_CALLOC(e->study, 1));
  e->study->is_static = def->is_static, e->study->num_ranks = def->num_ranks;
  e->study->has_families = 1;
  e->study->size = SUP_SIZE_GIVEN;
  if (def->study) {
    e->tolerance = def->study->tolerance, e->study->scene_place = def->study->scene_place;
    memcpy(e->study->title, def->study->title, sizeof e->study->title);
    SUP_TRY(take_quantities(e, def->study));
  }
  SUP_TRY(sup_text_copy(e->study->scene, sizeof e->study->scene, def->scene));
  SUP_TRY(sup_estimate_plan(e, def));
  if (!def->study) SUP_TRY(sup_key_quantities(e->columns, def->is_static, &e->row, &e->num_rows));
  if (e->num_keys) e->num_unwritten = e->num_keys - e->num_rows;
  return SUP_OK;
}

sup_status sup_estimate_create(sup_estimate **out, const sup_estimate_def *def) {
  sup_estimate *e = NULL;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(e, 1));
  sup_status status = create(e, def);
  if (status == SUP_OK)
    *out = e;
  else
    sup_estimate_destroy(&e);
  return status;
}

void sup_estimate_destroy(sup_estimate **e) {
  if (!*e) return;
  if ((*e)->study) sup_study_destroy(&(*e)->study);
  SUP_FREE_ALL(&(*e)->row, &(*e)->columns, e);
}

int sup_estimate_find(const sup_estimate *e, sup_source source, int k) {
  for (int f = 0; f < e->study->num_families; f++)
    if (e->repeat[f].source == (int)source && e->repeat[f].halvings == k) return f;
  return SUP_NONE;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static sup_status read_row(const sup_estimate *e, sup_estimate_row *row, const char *folder,
                           const char *repeats) {
  char path[SUP_STUDY_PATH_SIZE];
  row->value = SUP_NO_NUMBER;
  for (int f = 0; f < e->study->num_families; f++) {
    const sup_family *family = &e->study->family[f];
    double           *value = &row->repeat[f];
    *value = SUP_NO_NUMBER;
    if (!sup_level_is_complete(family->level)) continue;
    sup_level_folder(e->study, family, 0, repeats, path);
    SUP_TRY(sup_quantity_value(&row->def, path, value));
  }
  SUP_TRY(sup_quantity_value(&row->def, folder, &row->value));
  return SUP_OK;
}

/** An equilibrium is solved to 1e-8 of its forces: what is below a hundred times that is the
 * solver's. */
static bool are_same(const sup_estimate *e, double a, double b) {
  double noise = e->study->is_static ? 1e-6 : 1e-12;
  return (isnan(a) && isnan(b)) || fabs(a - b) <= noise * fmax(fabs(a), fabs(b));
}

/** 1: the row has the same value in all repeats that ran: a driven body, a number that is zero. */
static bool is_exact(const sup_estimate *e, const sup_estimate_row *row) {
  for (int f = 0; f < e->study->num_families; f++)
    if (!isnan(row->repeat[f]) && !are_same(e, row->repeat[f], row->value)) return 0;
  return 1;
}

static double size_of(const sup_estimate *e, const sup_estimate_row *row) {
  double size = fabs(row->value);
  for (int f = 0; f < e->study->num_families; f++)
    if (!isnan(row->repeat[f])) size = fmax(size, fabs(row->repeat[f]));
  return size;
}

static bool is_small(const sup_estimate *e, const sup_estimate_row *row) {
  const double share = 0.01;
  double       largest = 0;
  for (int i = 0; i < e->num_rows; i++)
    if (e->row[i].group == row->group) largest = fmax(largest, size_of(e, &e->row[i]));
  return size_of(e, row) < share * largest;
}

/** 1: an earlier row has the same numbers: the end of a force that only rises, the energy of the
 * only soft body. */
static bool is_double(const sup_estimate *e, int k) {
  for (int i = 0; i < k; i++) {
    const sup_estimate_row *a = &e->row[i], *b = &e->row[k];
    int                     same = a->group == b->group && are_same(e, a->value, b->value);
    for (int f = 0; same && f < e->study->num_families; f++)
      same = are_same(e, a->repeat[f], b->repeat[f]);
    if (same) return 1;
  }
  return 0;
}

/** Keep the rows that say something. */
static void select_rows(sup_estimate *e) {
  int count = 0;
  enum { KEEP, DOUBLE, EXACT, SMALL };
  for (int k = 0; k < e->num_rows; k++) {
    sup_estimate_row *row = &e->row[k];
    int               fate = is_exact(e, row)   ? EXACT
                             : is_small(e, row) ? SMALL
                             : is_double(e, k)  ? DOUBLE
                                                : KEEP;
    e->num_exact += fate == EXACT, e->num_small += fate == SMALL;
    row->is_left_out = fate != KEEP;
  }
  for (int k = 0; k < e->num_rows; k++)
    if (!e->row[k].is_left_out) e->row[count++] = e->row[k];
  e->num_rows = count;
}

/* ---- errors ---------------------------------------------------------------------------------- */

/** @return the number of repeats of the source in a row that ran */
static int gather(const sup_estimate *e, const sup_estimate_row *row, sup_source source,
                  double finer[SUP_MAX_REFINEMENTS]) {
  int n = 0;
  for (; n < e->num[source]; n++) {
    finer[n] = row->repeat[sup_estimate_find(e, source, n + 1)];
    if (isnan(finer[n])) break;
  }
  return n;
}

static void set_errors(const sup_estimate *e, sup_estimate_row *row) {
  double finer[SUP_MAX_REFINEMENTS], low = row->value, high = low;
  int    ran = 1;
  row->error = 0;
  for (int s = 0; s < SUP_NUM_SOURCES; s++) {
    int n = gather(e, row, (sup_source)s, finer);
    row->part[s] =
        n > 0 ? sup_error_bar_of(row->value, finer, n) : (sup_error_bar){0, SUP_NO_NUMBER};
    row->error += row->part[s].error;
    ran &= n > 0 || e->num[s] == 0;
  }
  if (!ran) row->error = SUP_NO_NUMBER;
  for (int f = 0; f < e->study->num_families; f++)
    if (e->repeat[f].model != SUP_NONE && !isnan(row->repeat[f]))
      low = fmin(low, row->repeat[f]), high = fmax(high, row->repeat[f]);
  row->spread = high - low;
}

/** Times of the runs' own reports. */
static void set_costs(sup_estimate *e, const char *folder, const char *repeats) {
  char   path[SUP_STUDY_PATH_SIZE + 32], of[SUP_STUDY_PATH_SIZE];
  double own;
  snprintf(path, sizeof path, "%.3900s/summary.json", folder);
  bool is_known = sup_json_file_number(path, "wall.total", &own) == SUP_OK && own > 0;
  for (int f = 0; f < e->study->num_families; f++) {
    const sup_family *family = &e->study->family[f];
    double            wall;
    e->cost[f] = SUP_NO_NUMBER;
    if (!is_known || !sup_level_is_complete(family->level)) continue;
    sup_level_folder(e->study, family, 0, repeats, of);
    snprintf(path, sizeof path, "%.3900s/summary.json", of);
    if (sup_json_file_number(path, "wall.total", &wall) == SUP_OK) e->cost[f] = wall / own;
  }
}

sup_status sup_estimate_evaluate(sup_estimate *e, const char *folder, const char *repeats) {
  for (int i = 0; i < e->num_rows; i++) SUP_TRY(read_row(e, &e->row[i], folder, repeats));
  if (!e->has_base) select_rows(e); /* requested repeats are reported */
  for (int i = 0; i < e->num_rows; i++) set_errors(e, &e->row[i]);
  set_costs(e, folder, repeats);
  sup_estimate_format(e);
  return SUP_OK;
}
