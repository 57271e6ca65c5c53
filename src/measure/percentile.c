#include "measure/percentile.h"

#include "measure/numerics.h"

#include <math.h>
#include <stdbool.h>

/** Order of numbers in which NaN is the largest. */
static bool is_less(double a, double b) { return isnan(b) ? !isnan(a) : a < b; }

static double middle_of(double a, double b, double c) {
  double low = is_less(a, b) ? a : b, high = is_less(a, b) ? b : a;
  return is_less(c, low) ? low : is_less(c, high) ? c : high;
}

static void swap(sup_weighted *a, sup_weighted *b) {
  sup_weighted old = *a;
  *a = *b, *b = old;
}

/** Partition of the values by a pivot: below it, equal to it, above it. */
typedef struct parts {
  int    like, above;      /* where they begin */
  double below, not_above; /* weights */
} parts;

static parts divide(sup_weighted *w, int first, int end, double pivot) {
  parts p = {first, end, 0, 0};
  for (int i = first; i < p.above;) {
    if (is_less(w[i].value, pivot))
      p.below += w[i].weight, swap(&w[i++], &w[p.like++]);
    else if (is_less(pivot, w[i].value))
      swap(&w[i], &w[--p.above]);
    else
      p.not_above += w[i++].weight;
  }
  p.not_above += p.below;
  return p;
}

/** Choose the values that may be the percentile.  The first candidates are those above half the
 * largest: most stresses lie below, and these count by their weight alone.  @return number of the
 * candidates; *before is the weight of the other values, which lie below `wanted` */
static int choose(int count, const double *value, const double *weight, double wanted,
                  sup_weighted *w, double *before) {
  double largest = 0;
  int    n = 0;
  for (int i = 0; i < count; i++) largest = value[i] > largest ? value[i] : largest;
  *before = 0;
  for (int i = 0; i < count; i++) {
    bool is_below = value[i] < 0.5 * largest;
    w[n] = (sup_weighted){value[i], weight[i]};
    n += !is_below, *before += is_below ? weight[i] : 0;
  }
  if (*before < wanted) return n;
  for (int i = 0; i < count; i++) w[i] = (sup_weighted){value[i], weight[i]};
  *before = 0;
  return count;
}

double sup_percentile(double share, int count, const double *value, const double *weight,
                      sup_weighted *workspace) {
  sup_weighted *w = workspace;
  double        total = 0, before = 0, pivot = 0;
  for (int i = 0; i < count; i++) total += weight[i];
  double wanted = (share - sup_measure_numerics.percentile) * total;
  int    end = choose(count, value, weight, wanted, w, &before);
  for (int first = 0; first < end;) { /* quickselect (Hoare 1961) */
    pivot = middle_of(w[first].value, w[first + (end - first) / 2].value, w[end - 1].value);
    parts p = divide(w, first, end, pivot);
    if (p.like > first && before + p.below >= wanted)
      end = p.like;
    else if (before + p.not_above >= wanted)
      break;
    else
      before += p.not_above, first = p.above;
  }
  return pivot;
}
