#include "mesh/distribute/point_rank.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/vec.h"

enum { NUM_KEYS = 7 };

typedef struct item {
  double key; /* by which they are sorted now */
  int    number;
  sup_v3 from; /* the mean */
} item;

static int compare(const void *a, const void *b) {
  double p = ((const item *)a)->key, q = ((const item *)b)->key;
  return (p > q) - (p < q);
}

static double key_of(const item *i, int key) {
  const double x[3] = {i->from.z, i->from.y, i->from.x};
  return key == 0 ? sup_v3_norm(i->from) : key < 4 ? fabs(x[key - 1]) : x[key - 4];
}

/** Sort by a key, equal items by the next keys. */
static void sort(item *order, int n, int key, double equal) {
  if (n < 2 || key == NUM_KEYS) return;
  for (int i = 0; i < n; i++) order[i].key = key_of(&order[i], key);
  qsort(order, (size_t)n, sizeof *order, compare);
  for (int first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && order[end].key - order[end - 1].key <= equal; end++) {
    }
    sort(order + first, end - first, key + 1, equal);
  }
}

sup_status sup_point_rank(int n, const double *x, int *rank) {
  item  *order;
  sup_v3 mean = {0, 0, 0};
  double largest = 0;
  if (n == 0) return SUP_OK;
  SUP_TRY(SUP_CALLOC(order, n));
  for (int i = 0; i < n; i++) mean = sup_v3_madd(mean, 1. / n, sup_v3_load(x + 3 * i));
  for (int i = 0; i < n; i++) {
    order[i].number = i, order[i].from = sup_v3_sub(sup_v3_load(x + 3 * i), mean);
    largest = fmax(largest, sup_v3_norm(order[i].from));
  }
  sort(order, n, 0, 1e-9 * largest);
  for (int i = 0; i < n; i++) rank[order[i].number] = i;
  SUP_FREE(order);
  return SUP_OK;
}
