/** Time steps and eigenfrequencies for the tests of trees. */
#pragma once

#include "aba.h"
#include "random_tree.h"

/** Symplectic Euler: v += dt ABA(q, v), q := q (+) dt v.  Base at rest, no joint forces. */
static inline void test_symplectic_euler(const sup_tree *tree, double *q, double *v, sup_v3 gravity,
                                         double dt, int steps) {
  sup_base_motion base = sup_tree_base_motion(tree, 0, 0);
  double          vdot[TEST_MAX_NV], change[TEST_MAX_NV];
  for (int s = 0; s < steps; s++) {
    for (int k = 0; k < tree->nv; k++) change[k] = 0;
    sup_tree_implicit_gyroscopic(tree, v, dt, change);
    for (int k = 0; k < tree->nv; k++) change[k] = -change[k];
    test_forward_dynamics(tree, &base, q, v, change, NULL, gravity, vdot);
    for (int k = 0; k < tree->nv; k++) v[k] += dt * vdot[k];
    sup_tree_integrate(tree, q, v, dt);
  }
}

static inline int test_compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/** omega [n] ascending with K x = omega^2 M x: A = L^-1 K L^-T with M = L L^T, then Jacobi
 * rotations.  Spoils K and M.
 */
static inline void test_eigenfrequencies(int n, double *K, double *M, double *omega) {
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      for (int k = 0; k < j; k++) M[i * n + j] -= M[i * n + k] * M[j * n + k];
      M[i * n + j] = i == j ? sqrt(M[j * n + j]) : M[i * n + j] / M[j * n + j];
    }
  }
  for (int i = 0; i < n; i++) /* rows: L^-1 K */
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < i; k++) K[i * n + j] -= M[i * n + k] * K[k * n + j];
      K[i * n + j] /= M[i * n + i];
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < j; k++) K[i * n + j] -= M[j * n + k] * K[i * n + k];
      K[i * n + j] /= M[j * n + j];
    }
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < n; p++)
      for (int r = p + 1; r < n; r++) {
        double angle = 0.5 * atan2(2 * K[p * n + r], K[r * n + r] - K[p * n + p]), c = cos(angle),
               s = sin(angle);
        for (int k = 0; k < n; k++) {
          double a = K[p * n + k], b = K[r * n + k];
          K[p * n + k] = c * a - s * b, K[r * n + k] = s * a + c * b;
        }
        for (int k = 0; k < n; k++) {
          double a = K[k * n + p], b = K[k * n + r];
          K[k * n + p] = c * a - s * b, K[k * n + r] = s * a + c * b;
        }
      }
  for (int i = 0; i < n; i++) omega[i] = sqrt(K[i * n + i]);
  qsort(omega, (size_t)n, sizeof *omega, test_compare_numbers);
}
