#include "la/dense_eigen.h"

#include <string.h>

#include "test.h"

enum { MOST = 40 };

/* A Q = Q Lambda with an orthogonal Q; eigenvalues that are alike, too. */
static void eigenvectors_diagonalise(void) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    test_random random = {seed};
    int         n = seed < 8 ? (int)seed : 1 + (int)(seed * 7 % MOST);
    double      A[MOST * MOST], L[MOST * MOST], Q[MOST * MOST];
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++)
        A[i * n + j] = A[j * n + i] = seed % 3 ? test_uniform(&random) : 1 + 2. * (i == j);
    memcpy(L, A, sizeof L);
    sup_dense_eigen(n, L, Q);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double product = 0, unit = 0;
        for (int k = 0; k < n; k++)
          product += A[i * n + k] * Q[k * n + j], unit += Q[k * n + i] * Q[k * n + j];
        NEAR(product, Q[i * n + j] * L[j * n + j], 0, 1e-13);
        NEAR(unit, i == j, 0, 1e-13);
      }
  }
}

SUITE_TESTS(dense_eigen, TEST(eigenvectors_diagonalise));
