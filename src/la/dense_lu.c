#include "la/dense_lu.h"

#include <math.h>

static int largest_below(int n, const double *A, int k) {
  int row = k;
  for (int i = k + 1; i < n; i++)
    if (fabs(A[i * n + k]) > fabs(A[row * n + k])) row = i;
  return row;
}

static void exchange(int n, double *A, int i, int k) {
  for (int j = 0; j < n && i != k; j++) {
    double t = A[k * n + j];
    A[k * n + j] = A[i * n + j], A[i * n + j] = t;
  }
}

int sup_dense_lu(int n, double *A, int *pivot) {
  for (int k = 0; k < n; k++) {
    pivot[k] = largest_below(n, A, k);
    if (!(fabs(A[pivot[k] * n + k]) > 0)) return k;
    exchange(n, A, pivot[k], k);
    for (int i = k + 1; i < n; i++) {
      double factor = A[i * n + k] /= A[k * n + k];
      for (int j = k + 1; j < n && factor != 0; j++) A[i * n + j] -= factor * A[k * n + j];
    }
  }
  return n;
}

void sup_dense_lu_solve(int n, const double *LU, const int *pivot, double *x) {
  for (int k = 0; k < n; k++) {
    double t = x[pivot[k]];
    x[pivot[k]] = x[k], x[k] = t;
  }
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++) x[i] -= LU[i * n + j] * x[j];
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) x[i] -= LU[i * n + j] * x[j];
    x[i] /= LU[i * n + i];
  }
}
