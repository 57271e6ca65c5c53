#include "base/table.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double PI = 3.14159265358979323846;

void sup_table_at(const sup_table *table, double t, double *value) {
  int n = table->num_rows, w = table->width;
  if (n == 0) return;
  if (table->period > 0) {
    double swing = sin(2 * PI * t / table->period + table->phase);
    for (int k = 0; k < w; k++) value[k] = swing * table->value[k];
    return;
  }
  int i = 0;
  while (i < n && table->time[i] <= t) i++;
  if (i == 0 || i == n) {
    memcpy(value, table->value + (i == 0 ? 0 : n - 1) * w, (size_t)w * sizeof *value);
    return;
  }
  double s = (t - table->time[i - 1]) / (table->time[i] - table->time[i - 1]);
  for (int k = 0; k < w; k++)
    value[k] = (1 - s) * table->value[(i - 1) * w + k] + s * table->value[i * w + k];
}

void sup_table_mean(const sup_table *table, double t0, double t1, double *value) {
  int n = table->num_rows, w = table->width, next = 0;
  if (n == 0) return;
  if (table->period > 0) { /* the mean of a sine is that of its middle, sin(x)/x times */
    double x = PI * (t1 - t0) / table->period, share = x > 0 ? sin(x) / x : 1;
    sup_table_at(table, 0.5 * (t0 + t1), value);
    for (int k = 0; k < w; k++) value[k] *= share;
    return;
  }
  while (next < n && table->time[next] <= t0) next++;
  for (int k = 0; k < w; k++) value[k] = 0;
  for (double t = t0; t < t1; next++) { /* between corners the mean is the value in the middle */
    double end = next < n && table->time[next] < t1 ? table->time[next] : t1,
           weight = (end - t) / (t1 - t0);
    int    a = next > 0 ? next - 1 : 0, b = next < n ? next : n - 1;
    double span = table->time[b] - table->time[a],
           s = span > 0 ? ((t + end) / 2 - table->time[a]) / span : 0;
    for (int k = 0; k < w; k++)
      value[k] += weight * ((1 - s) * table->value[a * w + k] + s * table->value[b * w + k]);
    t = end;
  }
}

double sup_table_next_corner(const sup_table *table, double t, double jump) {
  int n = table->num_rows, w = table->width;
  if (table->period > 0) return HUGE_VAL;
  for (int i = 0; i < n; i++) {
    if (table->time[i] <= t) continue;
    for (int k = 0; k < w; k++) {
      const double *y = table->value + i * w + k;
      double        before = i > 0 ? (y[0] - y[-w]) / (table->time[i] - table->time[i - 1]) : 0;
      double        after = i + 1 < n ? (y[w] - y[0]) / (table->time[i + 1] - table->time[i]) : 0;
      if (fabs(after - before) > jump) return table->time[i];
    }
  }
  return HUGE_VAL;
}

sup_status sup_table_copy(sup_table *to, const sup_table *from) {
  *to = (sup_table){.num_rows = from->num_rows,
                    .width = from->width,
                    .period = from->period,
                    .phase = from->phase};
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
