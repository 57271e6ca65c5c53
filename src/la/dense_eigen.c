#include "la/dense_eigen.h"

void sup_dense_eigen(int n, double *A, double *Q) {
  enum { SWEEPS = 30 };
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) Q[i * n + j] = i == j;
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++)
        if (!(fabs(A[p * n + q]) < 1e-300)) sup_jacobi_rotate(n, A, Q, p, q);
}
