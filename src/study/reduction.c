#include "study/reduction.h"

#include <math.h>

#include "study/numerics.h"

/* ---- the window ------------------------------------------------------------------------------ */

/** Rows of the window with numbers, by their indices. */
typedef struct window {
  int    num, first, last, low, high;
  double integral;
} window;

static bool counts(const sup_quantity_def *def, const sup_history_rows *r, int i) {
  double same = sup_study_numerics.same_time;
  return isfinite(r->value[i]) && r->time[i] >= def->from - same && r->time[i] <= def->to + same;
}

static window find_window(const sup_quantity_def *def, const sup_history_rows *r) {
  window        w = {0};
  const double *v = r->value;
  for (int i = 0; i < r->num; i++) {
    if (!counts(def, r, i)) continue;
    if (w.num++ == 0)
      w.first = w.low = w.high = i;
    else
      w.integral += 0.5 * (v[w.last] + v[i]) * (r->time[i] - r->time[w.last]);
    w.last = i;
    if (v[i] < v[w.low]) w.low = i;
    if (v[i] > v[w.high]) w.high = i;
  }
  return w;
}

/** The row that is farthest from a value. */
static int farthest(const window *w, const sup_history_rows *r, double from) {
  return from - r->value[w->low] > r->value[w->high] - from ? w->low : w->high;
}

/* ---- reductions ------------------------------------------------------------------------------ */

static void put(double *weight, int i, double by) {
  if (weight) weight[i] += by;
}

static double take_row(const sup_history_rows *r, int i, double *weight) {
  put(weight, i, 1);
  return r->value[i];
}

static double take_change(const sup_history_rows *r, int i, int from, double *weight) {
  put(weight, i, 1), put(weight, from, -1);
  return r->value[i] - r->value[from];
}

static double take_integral(const sup_quantity_def *def, const sup_history_rows *r, const window *w,
                            double factor, double *weight) {
  for (int i = w->first, last = w->first; i <= w->last; i++) {
    if (!counts(def, r, i)) continue;
    double half = 0.5 * factor * (r->time[i] - r->time[last]);
    put(weight, last, half), put(weight, i, half);
    last = i;
  }
  return factor * w->integral;
}

static double take_mean(const sup_quantity_def *def, const sup_history_rows *r, const window *w,
                        double *weight) {
  double span = r->time[w->last] - r->time[w->first];
  if (!(span > 0)) return take_row(r, w->last, weight);
  take_integral(def, r, w, 1 / span, weight);
  return w->integral / span;
}

static double take_norm(const sup_quantity_def *def, const sup_history_rows *r, const window *w,
                        double *weight) {
  double most = fabs(r->value[farthest(w, r, 0)]), sum = 0, p = def->exponent;
  if (most == 0) return 0;
  for (int i = w->first; i <= w->last; i++)
    if (counts(def, r, i)) sum += pow(fabs(r->value[i]) / most, p);
  double norm = most * pow(sum, 1 / p);
  for (int i = w->first; i <= w->last; i++)
    if (counts(def, r, i) && r->value[i] != 0)
      put(weight, i, copysign(pow(fabs(r->value[i]) / norm, p - 1), r->value[i]));
  return norm;
}

/** Value at a time, between two rows on their chord; SUP_NO_NUMBER: it is not reached. */
static double take_at(const sup_quantity_def *def, const sup_history_rows *r, const window *w,
                      double *weight) {
  double        same = sup_study_numerics.same_time, at = def->at;
  const double *t = r->time, *v = r->value;
  if (fabs(t[w->first] - at) <= same) return take_row(r, w->first, weight);
  for (int i = w->first, last = w->first; i <= w->last; i++) {
    if (!counts(def, r, i)) continue;
    if (t[last] < at && at <= t[i] + same) {
      double share = fmin(1, (at - t[last]) / (t[i] - t[last]));
      put(weight, last, 1 - share), put(weight, i, share);
      return v[last] + share * (v[i] - v[last]);
    }
    last = i;
  }
  return SUP_NO_NUMBER;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool has_numbers(const double *x, const double *y, int i) {
  return isfinite(x[i]) && isfinite(y[i]);
}

int sup_rows_pass(int num, const double *x, const double *y, double at, double *share) {
  double near = sup_study_numerics.noise * fabs(at);
  for (int i = 0; i < num; i++) {
    if (!has_numbers(x, y, i)) continue;
    bool is_last = i + 1 == num || !has_numbers(x, y, i + 1), is_there = fabs(x[i] - at) <= near;
    bool is_after = is_there && is_last && i > 0 && has_numbers(x, y, i - 1);
    *share = is_after;
    if (is_there) return i - is_after;
    if (is_last || (x[i] - at) * (x[i + 1] - at) > 0) continue;
    *share = (at - x[i]) / (x[i + 1] - x[i]);
    return i;
  }
  return SUP_NONE;
}

/** Mean square of the difference to a table. */
static sup_status take_table(const sup_quantity_def *def, const sup_history_rows *r, double *number,
                             double *weight, double *weight_by) {
  const sup_target *table = def->target;
  const double     *x = r->by ? r->by : r->time, *y = r->value;
  double            x0 = table->is_from_start && r->by ? x[0] : 0, sum = 0, s;
  double            y0 = table->is_from_start ? y[0] : 0;
  for (int k = 0; k < table->num; k++) {
    int i = sup_rows_pass(r->num, x, y, table->x[k] + x0, &s), n = i;
    if (i == SUP_NONE)
      return SUP_FAIL_AT(def->place,
                         "quantity '%s': the run goes from x = %g to %g, the table's x is %g",
                         def->name, x[0] - x0, x[r->num - 1] - x0, table->x[k]);
    if (i + 1 < r->num && has_numbers(x, y, i + 1)) n = i + 1;
    double off = y[i] + s * (y[n] - y[i]) - y0 - table->y[k], turn = 2 * off / table->num;
    double by = x[n] != x[i] ? turn * (y[n] - y[i]) / (x[n] - x[i]) : 0;
    sum += off * off;
    put(weight, i, turn * (1 - s)), put(weight, n, turn * s);
    put(weight_by, i, -by * (1 - s)), put(weight_by, n, -by * s);
    if (table->is_from_start) put(weight, 0, -turn), put(weight_by, 0, by);
  }
  *number = sum / table->num;
  return SUP_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static double take(const sup_quantity_def *def, const sup_history_rows *r, const window *w,
                   double *weight) {
  switch (def->take) {
    case SUP_WINDOW_END:
      return take_row(r, w->last, weight);
    case SUP_WINDOW_CHANGE:
      return take_change(r, w->last, w->first, weight);
    case SUP_WINDOW_MAX:
      return take_row(r, w->high, weight);
    case SUP_WINDOW_MIN:
      return take_row(r, w->low, weight);
    case SUP_WINDOW_MEAN:
      return take_mean(def, r, w, weight);
    case SUP_WINDOW_PEAK:
      return take_row(r, farthest(w, r, 0), weight);
    case SUP_WINDOW_EXCURSION:
      return take_change(r, farthest(w, r, r->value[w->first]), w->first, weight);
    case SUP_WINDOW_INTEGRAL:
      return take_integral(def, r, w, 1, weight);
    case SUP_WINDOW_NORM:
      return take_norm(def, r, w, weight);
    case SUP_WINDOW_AT:
      return take_at(def, r, w, weight);
    default:
      return SUP_NO_NUMBER;
  }
}

sup_status sup_rows_reduce(const sup_quantity_def *def, const sup_history_rows *rows,
                           double *number, double *weight, double *weight_by) {
  window w = find_window(def, rows);
  for (int i = 0; i < rows->num; i++) {
    if (weight) weight[i] = 0;
    if (weight_by) weight_by[i] = 0;
  }
  if (w.num == 0)
    return SUP_FAIL_AT(def->place, "quantity '%s': the column %s holds no number in the window",
                       def->name, def->source);
  if (def->take == SUP_WINDOW_TABLE)
    SUP_TRY(take_table(def, rows, number, weight, weight_by));
  else
    *number = take(def, rows, &w, weight);
  if (isnan(*number))
    return SUP_FAIL_AT(def->place, "quantity '%s': history.csv goes from %g s to %g s, not to %g s",
                       def->name, rows->time[w.first], rows->time[w.last], def->at);
  *number *= def->scale;
  for (int i = 0; i < rows->num; i++) {
    if (weight) weight[i] *= def->scale;
    if (weight_by) weight_by[i] *= def->scale;
  }
  return SUP_OK;
}
