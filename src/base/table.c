#include "base/table.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double PI = 3.14159265358979323846;

/** Share of the way between two rows that is covered at the share s of the time. */
static double share_at(sup_interpolation kind, double s) {
  double left = 1 - s;
  if (kind == SUP_INTERPOLATION_MINIMUM_JERK) return s * s * s * (10 + s * (6 * s - 15));
  if (kind == SUP_INTERPOLATION_CUBIC) return s * s * (3 - 2 * s);
  if (kind == SUP_INTERPOLATION_LINEAR) return s;
  if (3 * s < 1) return 2.25 * s * s; /* speeds up, cruises and slows down for a third each */
  return 3 * s > 2 ? 1 - 2.25 * left * left : 1.5 * s - 0.25;
}

/** Slope of a cubic at a row: that of the parabola through it and its neighbours; 0 at the ends. */
static double slope_at(const sup_table *table, int i, int k) {
  if (i == 0 || i == table->num_rows - 1) return 0;
  const double *t = table->time + i, *y = table->value + i * table->width + k;
  double        before = t[0] - t[-1], after = t[1] - t[0];
  return (after / before * (y[0] - y[-table->width]) + before / after * (y[table->width] - y[0])) /
         (before + after);
}

/** First row after t. */
static int row_after(const sup_table *table, double t) {
  int next = 0, end = table->num_rows;
  while (next < end) {
    int middle = (next + end) / 2;
    if (table->time[middle] <= t)
      next = middle + 1;
    else
      end = middle;
  }
  return next;
}

/** Value k at t, before row `next` and not before the one ahead of it. */
static double value_at(const sup_table *table, int next, double t, int k) {
  int    a = next > 0 ? next - 1 : 0, b = next < table->num_rows ? next : a;
  double span = table->time[b] - table->time[a], s = span > 0 ? (t - table->time[a]) / span : 0,
         share = share_at(table->interpolation, s),
         value = (1 - share) * table->value[a * table->width + k] +
                 share * table->value[b * table->width + k];
  if (table->interpolation == SUP_INTERPOLATION_CUBIC)
    value += span * s * (1 - s) * ((1 - s) * slope_at(table, a, k) - s * slope_at(table, b, k));
  return value;
}

void sup_table_at(const sup_table *table, double t, double *value) {
  int w = table->width, next = row_after(table, t);
  if (table->num_rows == 0) return;
  if (table->period > 0) {
    double angle = 2 * PI * t / table->period + table->phase;
    for (int k = 0; k < w; k++)
      value[k] = sin(angle) * table->value[k] +
                 (table->num_rows > 1 ? cos(angle) * table->value[w + k] : 0);
    return;
  }
  for (int k = 0; k < w; k++) value[k] = value_at(table, next, t, k);
}

/** End of the polynomial that holds from t on, at most t1. */
static double piece_end(const sup_table *table, int next, double t, double t1) {
  if (next == table->num_rows) return t1;
  double end = table->time[next];
  for (int third = 2; third > 0 && next > 0; third--) {
    double from = table->time[next - 1], at = from + third * (table->time[next] - from) / 3;
    if (table->interpolation == SUP_INTERPOLATION_TRAPEZOID && at > t) end = at;
  }
  return end < t1 ? end : t1;
}

void sup_table_mean(const sup_table *table, double t0, double t1, double *value) {
  static const double GAUSS_3 = 0.7745966692414834; /* exact for the quintic */
  static const double place[2][3] = {{0}, {0, -1, 1}};
  static const double weight[2][3] = {{1}, {8. / 18, 5. / 18, 5. / 18}};
  int                 n = table->num_rows, w = table->width, next = 0;
  int                 rule = table->interpolation != SUP_INTERPOLATION_LINEAR;
  if (n == 0) return;
  if (table->period > 0) { /* the mean of a sine is that of its middle, sin(x)/x times */
    double x = PI * (t1 - t0) / table->period, share = x > 0 ? sin(x) / x : 1;
    sup_table_at(table, 0.5 * (t0 + t1), value);
    for (int k = 0; k < w; k++) value[k] *= share;
    return;
  }
  for (int k = 0; k < w; k++) value[k] = 0;
  for (double t = t0, end; t < t1; t = end) {
    while (next < n && table->time[next] <= t) next++;
    end = piece_end(table, next, t, t1);
    for (int g = 0; g < 1 + 2 * rule; g++) {
      double at = (t + end) / 2 + place[rule][g] * GAUSS_3 * (end - t) / 2;
      for (int k = 0; k < w; k++)
        value[k] += (end - t) / (t1 - t0) * (weight[rule][g] * value_at(table, next, at, k));
    }
  }
}

double sup_table_fastest(const sup_table *table, double *when) {
  static const double peak[] = {[SUP_INTERPOLATION_LINEAR] = 1,
                                [SUP_INTERPOLATION_MINIMUM_JERK] = 1.875,
                                [SUP_INTERPOLATION_TRAPEZOID] = 1.5};
  bool                is_cubic = table->interpolation == SUP_INTERPOLATION_CUBIC;
  double              fastest = 0;
  for (int i = 1; i < table->num_rows; i++) {
    double span = table->time[i] - table->time[i - 1], at[3] = {0, 0.5, 1}, speed[3] = {0};
    double mean = (table->value[i * table->width] - table->value[(i - 1) * table->width]) / span;
    if (is_cubic) { /* speeds at both ends and where the parabola of the speed turns */
      double a = slope_at(table, i - 1, 0), b = slope_at(table, i, 0),
             bend = 3 * (a + b - 2 * mean);
      double turn = (2 * a + b - 3 * mean) / bend;
      if (turn > 0 && turn < 1) at[1] = turn;
      for (int k = 0; k < 3; k++)
        speed[k] = a + at[k] * (2 * (3 * mean - 2 * a - b) + at[k] * bend);
    } else
      speed[table->interpolation != SUP_INTERPOLATION_LINEAR] = peak[table->interpolation] * mean;
    for (int k = 0; k < 3; k++)
      if (fabs(speed[k]) > fastest * (1 + 1e-9))
        fastest = fabs(speed[k]), *when = table->time[i - 1] + at[k] * span;
  }
  return fastest;
}

double sup_table_next_corner(const sup_table *table, double t, double jump) {
  int  n = table->num_rows, w = table->width;
  bool is_smooth = table->interpolation != SUP_INTERPOLATION_LINEAR;
  if (table->period > 0) return HUGE_VAL;
  for (int i = 0; i < n; i++) {
    if (table->time[i] <= t) continue;
    for (int k = 0; k < w; k++) {
      const double *y = table->value + i * w + k;
      double        before = i > 0 ? (y[0] - y[-w]) / (table->time[i] - table->time[i - 1]) : 0;
      double        after = i + 1 < n ? (y[w] - y[0]) / (table->time[i + 1] - table->time[i]) : 0;
      if (is_smooth && fmin(fabs(before), fabs(after)) > jump) continue;
      if (fabs(after - before) > jump) return table->time[i];
    }
  }
  return HUGE_VAL;
}

sup_status sup_table_copy(sup_table *to, const sup_table *from) {
  *to = (sup_table){.num_rows = from->num_rows,
                    .width = from->width,
                    .period = from->period,
                    .phase = from->phase,
                    .interpolation = from->interpolation};
  sup_status status;
  SUP_TRY_GOTO(SUP_CALLOC(to->time, from->num_rows), status, fail);
  SUP_TRY_GOTO(SUP_CALLOC(to->value, from->num_rows * from->width), status, fail);
  for (int i = 0; i < from->num_rows; i++) to->time[i] = from->time[i];
  for (int i = 0; i < from->num_rows * from->width; i++) to->value[i] = from->value[i];
  return SUP_OK;
fail:
  sup_table_free(to);
  return status;
}

void sup_table_free(sup_table *table) {
  SUP_FREE_ALL(&table->time, &table->value);
  table->num_rows = 0;
}
