#include "mesh/distribute/point_rank.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/vec.h"
#include "mesh/numerics.h"

/** Degrees of the moments from 2 on. */
enum { NUM_MOMENTS = 3, LAST_DEGREE = NUM_MOMENTS + 1, NUM_INVARIANTS = 1 + NUM_MOMENTS };
enum { NUM_KEYS = NUM_INVARIANTS + 6 };

typedef struct item {
  double key; /* by which they are sorted now */
  int    number;
  sup_v3 from; /* the mean, over the largest distance */
  double moment[NUM_MOMENTS];
} item;

/** Mean of the power of the scalar product of each point with all of them: by the moments of the
 * powers of coordinates, in linear time. */
static void add_moments(item *order, int n, int degree) {
  const double factorial[LAST_DEGREE + 1] = {1, 1, 2, 6, 24};
  for (int a = 0; a <= degree; a++)
    for (int b = 0; a + b <= degree; b++) {
      int    c = degree - a - b;
      double sum = 0, times = factorial[degree] / (factorial[a] * factorial[b] * factorial[c] * n);
      for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
          const double x[3] = {order[i].from.x, order[i].from.y, order[i].from.z};
          double       product = 1;
          for (int k = 0; k < degree; k++) product *= x[k < a ? 0 : k < a + b ? 1 : 2];
          if (pass == 0)
            sum += times * product;
          else
            order[i].moment[degree - 2] += sum * product;
        }
    }
}

static int compare(const void *a, const void *b) {
  double p = ((const item *)a)->key, q = ((const item *)b)->key;
  return (p > q) - (p < q);
}

static double key_of(const item *i, int key) {
  const double x[3] = {i->from.z, i->from.y, i->from.x};
  int          axis = key - NUM_INVARIANTS;
  if (key == 0) return sup_v3_norm(i->from);
  if (axis < 0) return i->moment[key - 1];
  return axis < 3 ? fabs(x[axis]) : x[axis - 3];
}

/** Sort by a key, equal items by the next keys. */
static void sort(item *order, int first, int n, int key, int *alike) {
  item *part = order + first;
  if (alike && (n == 1 ? key <= NUM_INVARIANTS : key == NUM_INVARIANTS))
    for (int i = 0; i < n; i++) alike[part[i].number] = first;
  if (n < 2 || key == NUM_KEYS) return;
  for (int i = 0; i < n; i++) part[i].key = key_of(&part[i], key);
  qsort(part, (size_t)n, sizeof *part, compare);
  for (int begin = 0, end; begin < n; begin = end) {
    for (end = begin + 1;
         end < n && part[end].key - part[end - 1].key <= sup_mesh_numerics.same_rank; end++) {
    }
    sort(order, first + begin, end - begin, key + 1, alike);
  }
}

sup_status sup_point_rank(int n, const double *x, int *rank, int *alike) {
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
  for (int i = 0; i < n && largest > 0; i++)
    order[i].from = sup_v3_scale(1 / largest, order[i].from);
  for (int degree = 2; degree <= LAST_DEGREE; degree++) add_moments(order, n, degree);
  sort(order, 0, n, 0, alike);
  for (int i = 0; i < n; i++) rank[order[i].number] = i;
  SUP_FREE(order);
  return SUP_OK;
}
