#include "output/percentile.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
  double x = ((const sup_weighted *)a)->value, y = ((const sup_weighted *)b)->value;
  if (isnan(x) || isnan(y)) return !!isnan(x) - !!isnan(y);
  return (x > y) - (x < y);
}

double sup_percentile(double share, int count, const double *value, const double *weight,
                      sup_weighted *workspace) {
  static const double round_off = 1e-12;
  double              total = 0, sum = 0;
  for (int i = 0; i < count; i++)
    workspace[i] = (sup_weighted){value[i], weight[i]}, total += weight[i];
  if (count == 0) return 0;
  qsort(workspace, (size_t)count, sizeof *workspace, by_value);
  for (int i = 0; i < count - 1; i++) {
    sum += workspace[i].weight;
    if (sum >= (share - round_off) * total) return workspace[i].value;
  }
  return workspace[count - 1].value;
}
