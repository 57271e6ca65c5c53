#include "output/percentile.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
  double x = ((const sup_weighted *)a)->value, y = ((const sup_weighted *)b)->value;
  if (isnan(x) || isnan(y)) return !!isnan(x) - !!isnan(y);
  return (x > y) - (x < y);
}

double sup_percentile(double share, int count, const double *value, const double *weight,
                      sup_weighted *room) {
  static const double round_off = 1e-12;
  double              total = 0, sum = 0;
  for (int i = 0; i < count; i++) room[i] = (sup_weighted){value[i], weight[i]}, total += weight[i];
  if (count == 0) return 0;
  qsort(room, (size_t)count, sizeof *room, by_value);
  for (int i = 0; i < count - 1; i++) {
    sum += room[i].weight;
    if (sum >= (share - round_off) * total) return room[i].value;
  }
  return room[count - 1].value;
}
