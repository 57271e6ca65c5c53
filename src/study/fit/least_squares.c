#include "study/fit/least_squares.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "la/dense_eigen.h"

enum { MAX = SUP_MAX_PARAMETERS };
static const double normal_quantile = 1.959963984540054; /* .975 */

double sup_least_squares_cost(int m, const double *r) {
  double sum = 0;
  for (int i = 0; i < m; i++) sum += r[i] * r[i];
  return 0.5 * sum;
}

/** J^T J [n x n] and J^T r [n]. */
static void normal_equations(const sup_least_squares *s, double *A, double *g) {
  int n = s->n;
  memset(A, 0, sizeof(double) * (size_t)(n * n));
  memset(g, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < s->m; i++)
    for (int a = 0; a < n; a++) {
      double value = s->J[i * n + a];
      g[a] += value * s->r[i];
      for (int b = 0; b < n; b++) A[a * n + b] += value * s->J[i * n + b];
    }
}

/* ---- step ------------------------------------------------------------------------------------ */

/** Solve A x = b of the free unknowns by Cholesky, in place.  0: A is not positive definite. */
static bool solve_free(int n, const bool *is_free, double *A, double *b) {
  for (int j = 0; j < n; j++) {
    if (!is_free[j]) continue;
    for (int k = 0; k < j; k++)
      if (is_free[k])
        for (int i = j; i < n; i++) A[i * n + j] -= A[i * n + k] * A[j * n + k];
    if (!(A[j * n + j] > 0)) return false;
    double pivot = sqrt(A[j * n + j]);
    for (int i = j; i < n; i++) A[i * n + j] /= pivot;
    b[j] /= pivot;
    for (int i = j + 1; i < n; i++) b[i] -= is_free[i] ? A[i * n + j] * b[j] : 0;
  }
  for (int j = n - 1; j >= 0; j--) {
    if (!is_free[j]) continue;
    for (int i = j + 1; i < n; i++) b[j] -= is_free[i] ? A[i * n + j] * b[i] : 0;
    b[j] /= A[j * n + j];
  }
  return true;
}

/** Step of the free parameters, the others at 0. */
static bool free_step(const sup_least_squares *s, const double *A, const double *g, double damping,
                      const bool *is_free, double *step) {
  double B[MAX * MAX];
  int    n = s->n;
  for (int a = 0; a < n; a++) {
    for (int b = 0; b < n; b++) B[a * n + b] = A[a * n + b];
    B[a * n + a] *= 1 + damping;
    step[a] = is_free[a] ? -g[a] : 0;
  }
  return solve_free(n, is_free, B, step);
}

double sup_least_squares_step(const sup_least_squares *s, double damping, double *step) {
  double A[MAX * MAX], g[MAX], decrease = 0;
  bool   is_free[MAX];
  int    n = s->n, num_free = 0;
  normal_equations(s, A, g);
  for (int a = 0; a < n; a++) {
    bool leaves = (s->x[a] <= s->low[a] && g[a] > 0) || (s->x[a] >= s->high[a] && g[a] < 0);
    is_free[a] = !leaves && A[a * n + a] > 0, num_free += is_free[a];
    step[a] = 0;
  }
  if (num_free == 0 || !free_step(s, A, g, damping, is_free, step)) return 0;
  for (int a = 0; a < n; a++)
    step[a] = fmin(fmax(s->x[a] + step[a], s->low[a]), s->high[a]) - s->x[a];
  for (int a = 0; a < n; a++) {
    decrease -= g[a] * step[a];
    for (int b = 0; b < n; b++) decrease -= 0.5 * step[a] * A[a * n + b] * step[b];
  }
  return decrease;
}

void sup_least_squares_along(const sup_least_squares *s, int parameter, double way, double *step) {
  double A[MAX * MAX], g[MAX];
  bool   is_free[MAX] = {false};
  int    n = s->n;
  normal_equations(s, A, g);
  for (int a = 0; a < n; a++) {
    is_free[a] = a != parameter && A[a * n + a] > 0 && s->x[a] > s->low[a] && s->x[a] < s->high[a];
    g[a] = A[a * n + parameter] * way;
  }
  if (!free_step(s, A, g, 0, is_free, step)) memset(step, 0, sizeof(double) * (size_t)n);
  step[parameter] = way;
  for (int a = 0; a < n; a++)
    step[a] = fmin(fmax(s->x[a] + step[a], s->low[a]), s->high[a]) - s->x[a];
}

/* ---- statistics ------------------------------------------------------------------------------ */

double sup_student_quantile(double v) {
  double z = normal_quantile, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, z9 = z7 * z * z;
  if (v < 1) return HUGE_VAL;
  if (v < 2) return 12.706204736;
  if (v < 3) return 4.302652730;
  return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v) +
         (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * v * v * v * v);
}

/** Singular values of J and their directions, from the eigenvalues of J^T J. */
static void decompose(int n, const double *A, sup_fit_statistics *t) {
  double B[MAX * MAX], Q[MAX * MAX];
  int    order[MAX];
  memcpy(B, A, sizeof(double) * (size_t)(n * n));
  sup_dense_eigen(n, B, Q);
  for (int k = 0; k < n; k++) {
    int i = k;
    for (; i > 0 && B[order[i - 1] * n + order[i - 1]] < B[k * n + k]; i--) order[i] = order[i - 1];
    order[i] = k;
  }
  for (int k = 0; k < n; k++) {
    t->singular[k] = sqrt(fmax(0, B[order[k] * n + order[k]]));
    for (int a = 0; a < n; a++) t->direction[k * n + a] = Q[a * n + order[k]];
  }
}

/** (J^T J)^-1; infinite along directions whose singular value is round-off. */
static double covariance(int n, const sup_fit_statistics *t, int a, int b) {
  double sum = 0;
  for (int k = 0; k < n; k++) {
    double part = t->direction[k * n + a] * t->direction[k * n + b];
    if (t->singular[k] > sqrt(DBL_EPSILON) * t->singular[0])
      sum += part / (t->singular[k] * t->singular[k]);
    else if (fabs(part) > DBL_EPSILON)
      return part > 0 ? HUGE_VAL : -HUGE_VAL;
  }
  return sum;
}

void sup_least_squares_statistics(const sup_least_squares *s, sup_fit_statistics *t) {
  double A[MAX * MAX], g[MAX];
  int    n = s->n;
  *t = (sup_fit_statistics){0};
  normal_equations(s, A, g);
  for (int a = 0; a < n; a++) {
    bool is_bound = s->x[a] <= s->low[a] || s->x[a] >= s->high[a];
    t->num_free += !is_bound;
    for (int b = 0; is_bound && b < n; b++) A[a * n + b] = A[b * n + a] = 0;
  }
  decompose(n, A, t);
  t->chi_square = 2 * sup_least_squares_cost(s->m, s->r), t->degrees = s->m - t->num_free;
  double quantile = sup_student_quantile(t->degrees);
  double deviation = t->degrees > 0 ? sqrt(t->chi_square / t->degrees) : HUGE_VAL;
  t->rise = fmax(normal_quantile * normal_quantile, quantile * quantile * deviation * deviation);
  for (int a = 0; a < n; a++) {
    double variance = A[a * n + a] > 0 ? covariance(n, t, a, a) : 0;
    if (A[a * n + a] == 0 && s->x[a] > s->low[a] && s->x[a] < s->high[a]) variance = HUGE_VAL;
    t->by_scatter[a] = normal_quantile * sqrt(variance);
    t->by_residuals[a] = variance == 0 ? 0 : quantile * deviation * sqrt(variance);
    for (int b = 0; b < n; b++) {
      double both = covariance(n, t, a, b),
             size = sqrt(covariance(n, t, a, a) * covariance(n, t, b, b));
      t->correlation[a * n + b] = a == b                       ? 1
                                  : isfinite(size) && size > 0 ? both / size
                                                               : SUP_NO_NUMBER;
    }
  }
}
