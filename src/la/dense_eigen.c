#include "la/dense_eigen.h"

#include <float.h>
#include <string.h>

enum { SMALL = 8, SWEEPS = 30 };

/* ---- Jacobi's method, of small matrices ------------------------------------------------------ */

static void rotate_all(int n, double *A, double *Q) {
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        if (!(fabs(A[p * n + q]) < 1e-300)) sup_jacobi_rotate(n, A, Q, p, q);
}

/* ---- tridiagonal form, of others ------------------------------------------------------------- */

static double dot(int first, int n, const double *v, const double *w) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = first; i < n; i++) sum += v[i] * w[i];
  return sum;
}

/** w += scale v of the entries from `first`. */
static void add(int first, int n, double scale, const double *restrict v, double *restrict w) {
#pragma omp simd
  for (int i = first; i < n; i++) w[i] += scale * v[i];
}

/** v := the reflection H = 1 - v v^T, |v|^2 = 2, of its entries from `first` into their first one;
 * returns that. */
static double reflection(int first, int n, double *v) {
  double size = 0;
  for (int i = first; i < n; i++) size = fmax(size, fabs(v[i]));
  if (!(size > 0)) return 0;
  for (int i = first; i < n; i++) v[i] /= size;
  double norm = copysign(sqrt(dot(first, n, v, v)), v[first]), square = norm * (norm + v[first]);
  v[first] += norm;
  for (int i = first; i < n; i++) v[i] /= sqrt(square);
  return -size * norm;
}

/** A := H A H tridiagonal by a reflection a row (Householder 1958), the lower of its diagonals and
 * the main one; Q := product of the reflections, row by row transposed. */
static void reflect_all(int n, double *A, double *Q) {
  for (int k = 0; k + 2 < n; k++) {
    double *v = A + k * n, *w = Q;
    A[(k + 1) * n + k] = reflection(k + 1, n, v);
    for (int i = k + 1; i < n; i++) w[i] = dot(k + 1, n, A + i * n, v);
    add(k + 1, n, -.5 * dot(k + 1, n, v, w), v, w);
    for (int i = k + 1; i < n; i++)
      add(k + 1, n, -v[i], w, A + i * n), add(k + 1, n, -w[i], v, A + i * n);
  }
  for (int i = 0; i < n * n; i++) Q[i] = i % (n + 1) == 0;
  for (int k = n - 3; k >= 0; k--)
    for (int i = k + 1; i < n; i++)
      add(k + 1, n, -dot(k + 1, n, Q + i * n, A + k * n), A + k * n, Q + i * n);
}

/** Rows q and r of n entries := c q - s r and s q + c r. */
static void rotate(int n, double c, double s, double *restrict q, double *restrict r) {
#pragma omp simd
  for (int k = 0; k < n; k++) {
    double a = q[k], b = r[k];
    q[k] = c * a - s * b, r[k] = s * a + c * b;
  }
}

/** Implicit QL step with Wilkinson's shift on the rows l to m of the tridiagonal A, which end at
 * zeros of its lower diagonal. */
static void step(int n, double *A, double *Q, int l, int m) {
  double *d = A, *e = A + n; /* diagonals, of stride n + 1 */
  int     one = n + 1;
  double  g = (d[(l + 1) * one] - d[l * one]) / (2 * e[l * one]);
  double  s = 1, c = 1, p = 0;
  g = d[m * one] - d[l * one] + e[l * one] / (g + copysign(hypot(g, 1), g));
  for (int i = m - 1; i >= l; i--) {
    double f = s * e[i * one], b = c * e[i * one], r = hypot(f, g);
    if (i + 1 < m) e[(i + 1) * one] = r;
    if (r == 0) { /* it has come apart */
      d[(i + 1) * one] -= p;
      return;
    }
    s = f / r, c = g / r, g = d[(i + 1) * one] - p;
    r = (d[i * one] - g) * s + 2 * c * b;
    p = s * r, d[(i + 1) * one] = g + p, g = c * r - b;
    rotate(n, c, s, Q + i * n, Q + (i + 1) * n);
  }
  d[l * one] -= p, e[l * one] = g;
}

static void iterate(int n, double *A, double *Q) {
  enum { STEPS = 60 };
  for (int l = 0; l < n; l++)
    for (int k = 0, m = n; k < STEPS && m > l; k++) {
      for (m = l; m + 1 < n; m++) {
        double size = fabs(A[m * (n + 1)]) + fabs(A[(m + 1) * (n + 1)]);
        if (fabs(A[m * (n + 1) + n]) <= DBL_EPSILON * size) break;
      }
      if (m > l) step(n, A, Q, l, m);
    }
}

void sup_dense_eigen(int n, double *A, double *Q) {
  if (n > SMALL) {
    reflect_all(n, A, Q);
    iterate(n, A, Q);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) {
        double q = Q[i * n + j];
        Q[i * n + j] = Q[j * n + i], Q[j * n + i] = q;
      }
    return;
  }
  for (int i = 0; i < n * n; i++) Q[i] = i % (n + 1) == 0;
  rotate_all(n, A, Q);
}
