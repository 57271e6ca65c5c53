/* Small quadratic programmes with bounds. */
#include <math.h>
#include <string.h>

#include "control/ilqr.h"
#include "control/numerics.h"
#include "la/dense_cholesky.h"

enum { MAX_ITERATIONS = 100, MAX_HALVINGS = 40 };

static double clamp(double x, double low, double high) { return fmin(fmax(x, low), high); }

static double value(int m, const double *H, const double *g, const double *x) {
  double sum = 0;
  for (int i = 0; i < m; i++) {
    sum += g[i] * x[i];
    for (int j = 0; j < m; j++) sum += .5 * x[i] * H[i * m + j] * x[j];
  }
  return sum;
}

/** Factor of H on the indices that are free. */
static int factor_free(int m, const double *H, const int *free, int num_free, double *L) {
  for (int c = 0; c < num_free; c++)
    for (int r = 0; r < num_free; r++) L[c * num_free + r] = H[free[r] * m + free[c]];
  return sup_dense_cholesky(num_free, L) == num_free;
}

/** Gradient at x, the indices that are free there, and the norm of the free gradient. */
static double find_free(int m, const double *H, const double *g, const double *low,
                        const double *high, const double *x, double *gradient, int *free,
                        int *num_free) {
  double norm = 0;
  *num_free = 0;
  for (int i = 0; i < m; i++) {
    gradient[i] = g[i];
    for (int j = 0; j < m; j++) gradient[i] += H[i * m + j] * x[j];
    if ((x[i] <= low[i] && gradient[i] > 0) || (x[i] >= high[i] && gradient[i] < 0)) continue;
    free[(*num_free)++] = i;
    norm = hypot(norm, gradient[i]);
  }
  return norm;
}

/** x := the best of projected steps along -L^-T L^-1 gradient; 0: none is better. */
static int search(int m, const double *H, const double *g, const double *low, const double *high,
                  const double *step, const int *free, int num_free, double *work, double *x) {
  double before = value(m, H, g, x), alpha = 1;
  for (int k = 0; k < MAX_HALVINGS; k++, alpha /= 2) {
    memcpy(work, x, (size_t)m * sizeof *x);
    for (int i = 0; i < num_free; i++) {
      int at = free[i];
      work[at] = clamp(x[at] - alpha * step[i], low[at], high[at]);
    }
    if (value(m, H, g, work) < before) {
      memcpy(x, work, (size_t)m * sizeof *x);
      return 1;
    }
  }
  return 0;
}

int sup_bounded_step(int m, const double *H, const double *g, const double *low, const double *high,
                     double *x, double *L, int *free, int *num_free) {
  double *gradient = L + (size_t)(m * m), *step = gradient + m, *work = step + m, scale = 0;
  for (int i = 0; i < m; i++) x[i] = clamp(x[i], low[i], high[i]), scale = hypot(scale, g[i]);
  for (int k = 0; k < MAX_ITERATIONS; k++) {
    double norm = find_free(m, H, g, low, high, x, gradient, free, num_free);
    if (!factor_free(m, H, free, *num_free, L)) return 0;
    if (norm <= sup_ilqr_numerics.bound * scale) break;
    for (int i = 0; i < *num_free; i++) step[i] = gradient[free[i]];
    sup_dense_cholesky_solve(*num_free, L, step);
    if (!search(m, H, g, low, high, step, free, *num_free, work, x)) break;
  }
  return 1;
}
