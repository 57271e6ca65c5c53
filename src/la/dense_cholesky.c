#include "la/dense_cholesky.h"

#include <math.h>
#include <stddef.h>

int sup_dense_cholesky(int n, double *A) {
  for (int j = 0; j < n; j++) {
    double *column = A + (ptrdiff_t)j * n;
    for (int k = 0; k < j; k++) {
      const double *other = A + (ptrdiff_t)k * n;
      for (int i = j; i < n; i++) column[i] -= other[j] * other[i];
    }
    if (!(column[j] > 0) || !isfinite(column[j])) return j;
    double root = sqrt(column[j]);
    for (int i = j; i < n; i++) column[i] /= root;
  }
  return n;
}

void sup_dense_cholesky_forward(int n, const double *L, double *x) {
  for (int j = 0; j < n; j++) {
    const double *column = L + (ptrdiff_t)j * n;
    x[j] /= column[j];
    for (int i = j + 1; i < n; i++) x[i] -= column[i] * x[j];
  }
}

void sup_dense_cholesky_solve(int n, const double *L, double *x) {
  sup_dense_cholesky_forward(n, L, x);
  for (int j = n - 1; j >= 0; j--) {
    const double *column = L + (ptrdiff_t)j * n;
    for (int i = j + 1; i < n; i++) x[j] -= column[i] * x[i];
    x[j] /= column[j];
  }
}
