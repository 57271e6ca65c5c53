/** Eigenvalues of small dense symmetric matrices.  Layer la. */
#pragma once

#include <math.h>

/** Annihilate entry (p, q) of the symmetric A [n x n] by a plane rotation, accumulated in the
 * columns of Q [n x n]; both row-major. */
static inline void sup_jacobi_rotate(int n, double *A, double *Q, int p, int q) {
  double theta = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
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

/** Eigenvalues on the diagonal of the symmetric A [n x n], eigenvectors in the columns of Q [n x
 * n], both row-major, to round-off: by rotations (Jacobi 1846), of more than eight rows by the
 * tridiagonal form (implicit QL; Martin, Wilkinson 1968). */
void sup_dense_eigen(int n, double *A, double *Q);
