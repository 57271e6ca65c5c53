#include "study/gradient/verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/file.h"
#include "base/memory.h"
#include "output/format/csv.h"
#include "output/format/number.h"
#include "study/gradient/adjoint.h"
#include "study/gradient/point.h"
#include "study/ladder.h"
#include "study/numerics.h"

/** Lengths along a direction: twice the width of differences and the width; where terms of third
 * order are large there, a half and a quarter of it, too. */
enum { LENGTHS = 2, MOST_LENGTHS = LENGTHS + 2 };

void sup_gradient_checks_free(sup_gradient_checks *checks) {
  SUP_FREE(checks->row);
  *checks = (sup_gradient_checks){0};
}

static sup_status add(sup_gradient_checks *checks, sup_gradient_check row) {
  SUP_TRY(SUP_GROW(checks->row, checks->capacity, checks->count + 1));
  row.holds = row.is_most ? row.value <= row.bound : row.value >= row.bound;
  checks->row[checks->count++] = row;
  checks->num_broken += !row.holds;
  return SUP_OK;
}

/** value [num_quantities] of a run at the point plus h times the direction. */
static sup_status run_beside(const sup_study *study, const double *direction, double h,
                             double *value) {
  double               at[SUP_MAX_PARAMETERS];
  sup_study_point      point;
  sup_load_path        path;
  sup_study_objectives o;
  for (int p = 0; p < study->num_parameters; p++)
    at[p] = study->parameter[p].value + h * direction[p];
  SUP_TRY(sup_study_point_create(&point, study, at));
  sup_status status = sup_study_point_run(&point, study, NULL, 0, 0, &path, &o);
  if (status == SUP_OK) {
    for (int q = 0; q < study->num_quantities; q++) value[q] = o.value[q];
    sup_load_path_free(&path);
    sup_study_objectives_free(&o);
  }
  sup_study_point_free(&point);
  return status;
}

/** Least size of a change against which errors are measured. */
static double least_of(double value) { return sqrt(sup_study_numerics.exact) * fabs(value); }

/** Order with which |L(p + h d) - L - h L' d| falls to the last of two h, the k-th; not finite: it
 * is round-off.
 *  @param[in] slope  L' d
 *  @param[in] before, last  L(p + h d) of the two */
static double order_of(double value, double slope, int k, double before, double last) {
  double size = fmax(fabs(ldexp(slope, -k)), least_of(value)),
         remainder = fabs(last - value - ldexp(slope, -k));
  if (remainder <= sup_study_numerics.exact * size) return HUGE_VAL;
  return log2(fabs(before - value - ldexp(slope, 1 - k)) / remainder);
}

/** L' d of a quantity. */
static double slope_along(const sup_study *study, const double *direction, int q) {
  double slope = 0;
  for (int p = 0; p < study->num_parameters; p++)
    slope += direction[p] * study->gradient.adjoint[q * study->num_parameters + p].gradient;
  return slope;
}

/** order [num_quantities] := the largest along a direction [num_parameters, in their units] from
 * the values `at` the point; a wrong slope has less by shorter lengths. */
static sup_status find_orders(const sup_study *study, const double *direction, const double *at,
                              double *order) {
  double value[MOST_LENGTHS][SUP_MAX_QUANTITIES], least = 0;
  for (int q = 0; q < study->num_quantities; q++) order[q] = 0;
  for (int k = 0; k < MOST_LENGTHS && least < sup_study_numerics.taylor_order; k++) {
    SUP_TRY(run_beside(study, direction, ldexp(1, -k), value[k]));
    if (k == 0) continue;
    least = HUGE_VAL;
    for (int q = 0; q < study->num_quantities; q++) {
      double slope = slope_along(study, direction, q);
      if (order[q] < sup_study_numerics.taylor_order)
        order[q] = fmax(order[q], order_of(at[q], slope, k, value[k - 1][q], value[k][q]));
      least = fmin(least, order[q]);
    }
  }
  return SUP_OK;
}

/** Orders of remainders along a direction. */
static sup_status add_taylor(const sup_study *study, const double *direction, const char *on,
                             const double *at, sup_gradient_checks *checks) {
  double order[SUP_MAX_QUANTITIES];
  SUP_TRY(find_orders(study, direction, at, order));
  for (int q = 0; q < study->num_quantities; q++) {
    sup_gradient_check row = {.name = "Taylor order",
                              .quantity = q,
                              .value = order[q],
                              .bound = sup_study_numerics.taylor_order};
    snprintf(row.on, sizeof row.on, "%s", on);
    SUP_TRY(add(checks, row));
  }
  return SUP_OK;
}

static sup_status add_all_taylor(const sup_study *study, const double *at,
                                 sup_gradient_checks *checks) {
  double   all[SUP_MAX_PARAMETERS];
  unsigned seed = 1;
  for (int p = 0; p < study->num_parameters; p++) {
    double one[SUP_MAX_PARAMETERS] = {0};
    one[p] = ldexp(sup_gradient_width(&study->parameter[p], 0), LENGTHS - 1);
    SUP_TRY(add_taylor(study, one, study->parameter[p].name, at, checks));
    seed = seed * 1664525u + 1013904223u; /* Numerical Recipes */
    all[p] = one[p] * (2. * seed / 4294967296. - 1);
  }
  return add_taylor(study, all, "random direction", at, checks);
}

/** Adjoint against tangent, where the columns have both; study->gradient.adjoint := the tangent. */
static sup_status add_dual(sup_study *study, const double *at, sup_gradient_checks *checks) {
  int               n = study->num_quantities * study->num_parameters;
  SUP_FREED double *first = NULL;
  SUP_TRY(SUP_CALLOC(first, n));
  bool may_lack = !study->is_static && study->gradient.method != SUP_GRADIENT_ADJOINT;
  study->gradient.method = SUP_GRADIENT_ADJOINT;
  sup_status status = sup_gradient_run_adjoint(study, NULL);
  if (status == SUP_E_ARG && may_lack) {
    study->gradient.method = SUP_GRADIENT_TANGENT;
    return sup_gradient_run_adjoint(study, NULL);
  }
  SUP_TRY(status);
  if (study->gradient.is_tangent) return SUP_OK; /* one way alone has these columns */
  for (int i = 0; i < n; i++) first[i] = study->gradient.adjoint[i].gradient;
  study->gradient.method = SUP_GRADIENT_TANGENT;
  SUP_TRY(sup_gradient_run_adjoint(study, NULL));
  for (int i = 0; i < n; i++) {
    const sup_parameter *p = &study->parameter[i % study->num_parameters];
    double least = least_of(at[i / study->num_parameters] / fmax(fabs(p->value), p->width));
    double tangent = study->gradient.adjoint[i].gradient,
           size = fmax(fmax(fabs(tangent), fabs(first[i])), least);
    double             share = size > 0 ? fabs(first[i] - tangent) / size : 0;
    sup_gradient_check row = {.name = "adjoint - tangent",
                              .quantity = i / study->num_parameters,
                              .value = share,
                              .bound = sup_study_numerics.dual,
                              .is_most = true};
    snprintf(row.on, sizeof row.on, "%s", p->name);
    SUP_TRY(add(checks, row));
  }
  return SUP_OK;
}

/* ---- identities ------------------------------------------------------------------------------ */

/** Values of the study's runs and how far numbers are moved from theirs. */
typedef struct neighbour {
  sup_study    *study;
  const double *at;
} neighbour;

/** Change of a quantity with a number; a scene that fails beside its value counts as one. */
static bool matters(void *user, const char *key, double value) {
  const neighbour *n = user;
  sup_level       *level = &n->study->family[0].level[0];
  double           none[SUP_MAX_PARAMETERS] = {0}, other[SUP_MAX_QUANTITIES];
  double           step = ldexp(n->study->gradient.width, LENGTHS);
  char             text[SUP_NUMBER_SIZE];
  sup_number_text(text, value * (1 + step), 0);
  sup_node number = {.type = SUP_NODE_SCALAR, .is_plain = 1, .text = text};
  if (sup_level_add(level, key, &number, 1) != SUP_OK) return true;
  sup_status status = run_beside(n->study, none, 0, other);
  SUP_FREE(level->set[--level->num_sets]);
  for (int q = 0; q < n->study->num_quantities && status == SUP_OK; q++)
    if (fabs(other[q] - n->at[q]) > sup_study_numerics.dual * step * fabs(n->at[q])) return true;
  return status != SUP_OK;
}

/** Sum of exponents times p dL/dp against the exponent of L times L. */
static sup_status add_identity(const sup_study *study, sup_scale scale, int q, double at,
                               sup_gradient_checks *checks) {
  int    exponent;
  double sum = 0, size = 0;
  if (!sup_scale_of_quantity(scale, &study->quantity[q], &exponent)) return SUP_OK;
  for (int p = 0; p < study->num_parameters; p++) {
    const sup_parameter *own = &study->parameter[p];
    double               term = sup_scale_exponent(scale, own->dimension) * own->value *
                  study->gradient.adjoint[q * study->num_parameters + p].gradient;
    sum += term, size += fabs(term);
  }
  size = fmax(fmax(size, fabs(exponent * at)), least_of(at));
  sup_gradient_check row = {.name = sup_scale_name(scale),
                            .on = "all",
                            .quantity = q,
                            .value = size > 0 ? fabs(sum - exponent * at) / size : 0,
                            .bound = sup_study_numerics.dual,
                            .is_most = true};
  SUP_TRY(add(checks, row));
  return SUP_OK;
}

static sup_status add_identities(sup_study *study, const double *at, sup_gradient_checks *checks) {
  neighbour              n = {study, at};
  const sup_number_probe probe = {matters, &n};
  for (int s = 0; s < SUP_NUM_SCALES; s++) {
    SUP_TRY(sup_scale_missing(study, (sup_scale)s, &probe, checks->missing[s]));
    for (int q = 0; q < study->num_quantities && !checks->missing[s][0]; q++)
      SUP_TRY(add_identity(study, (sup_scale)s, q, at[q], checks));
  }
  return SUP_OK;
}

sup_status sup_gradient_verify(sup_study *study, sup_gradient_checks *checks) {
  double at[SUP_MAX_QUANTITIES], none[SUP_MAX_PARAMETERS] = {0};
  *checks = (sup_gradient_checks){0};
  SUP_TRY(run_beside(study, none, 0, at));
  sup_status status = add_dual(study, at, checks);
  if (status == SUP_OK) status = add_all_taylor(study, at, checks);
  if (status == SUP_OK && study->is_static) status = add_identities(study, at, checks);
  if (status != SUP_OK) sup_gradient_checks_free(checks);
  return status;
}

sup_status sup_gradient_checks_write(const sup_study *study, const sup_gradient_checks *checks,
                                     const char *folder) {
  static const char *const heading[] = {"check",     "quantity",  "by",
                                        "value [-]", "bound [-]", "holds"};
  char                     path[SUP_STUDY_PATH_SIZE];
  sup_csv                  csv;
  SUP_TRY(sup_make_folder(folder));
  snprintf(path, sizeof path, "%.3900s/verify.csv", folder);
  sup_csv_begin(&csv);
  for (size_t k = 0; k < sizeof heading / sizeof *heading; k++) sup_csv_text(&csv, heading[k]);
  sup_csv_end_row(&csv);
  for (int i = 0; i < checks->count; i++) {
    const sup_gradient_check *row = &checks->row[i];
    sup_csv_text(&csv, row->name);
    sup_csv_text(&csv, study->quantity[row->quantity].name);
    sup_csv_text(&csv, row->on);
    sup_csv_number(&csv, row->value);
    sup_csv_number(&csv, row->bound);
    sup_csv_integer(&csv, row->holds);
    sup_csv_end_row(&csv);
  }
  SUP_TRY(sup_csv_save(&csv, path));
  return SUP_OK;
}
