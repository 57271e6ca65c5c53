#include "la/dense_eigen.h"

#include <math.h>

void sup_dense_eigen(int n, double *A, double *Q) {
  enum { SWEEPS = 30 };
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) Q[i * n + j] = i == j;
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        double apq = A[p * n + q];
        if (fabs(apq) < 1e-300) continue;
        double theta = (A[q * n + q] - A[p * n + p]) / (2 * apq);
        double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)),
               c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < n; k++) {
          double a = A[k * n + p], b = A[k * n + q];
          A[k * n + p] = c * a - s * b, A[k * n + q] = s * a + c * b;
        }
        for (int k = 0; k < n; k++) {
          double a = A[p * n + k], b = A[q * n + k];
          A[p * n + k] = c * a - s * b, A[q * n + k] = s * a + c * b;
          a = Q[k * n + p], b = Q[k * n + q];
          Q[k * n + p] = c * a - s * b, Q[k * n + q] = s * a + c * b;
        }
      }
}
