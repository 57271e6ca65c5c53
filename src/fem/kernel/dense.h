/** A dense stiffness K0 of a cell, kept for all pairs of slots: component 3 i + j of pair p is
 * number 9 p + 3 i + j. Layer fem, private. */
#pragma once

#include "fem/element/element.h"

/** Keep the blocks of slots a >= b of a symmetric matrix in cell order.
 *  @param[in]  K   [3 n rows of row_size]
 *  @param[out] K0  [9 n (n + 1) / 2] */
static inline void sup_dense_store(int n, const double *K, int row_size, const int *slot,
                                   double *K0) {
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      if (slot[b] > slot[a]) continue;
      double *k0 = K0 + 9 * (slot[a] * (slot[a] + 1) / 2 + slot[b]);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) k0[3 * i + j] = K[(3 * a + i) * row_size + 3 * b + j];
    }
}

/** Eliminate the first unknowns by a partial Cholesky factorisation of the lower triangle: the
 * trailing one becomes the condensed stiffness, the leading columns L.
 *  @param[in,out] K  [size x size]
 *  @return 0 when the eliminated block is not positive definite */
static inline int sup_dense_condense(int eliminated, int size, double *K) {
  for (int k = 0; k < eliminated; k++) {
    if (!(K[size * k + k] > 0)) return 0;
    double pivot = sqrt(K[size * k + k]);
    for (int i = k; i < size; i++) K[size * i + k] /= pivot;
    for (int j = k + 1; j < size; j++)
      for (int i = j; i < size; i++) K[size * i + j] -= K[size * i + k] * K[size * j + k];
  }
  return 1;
}

/** Displacements relative to vertex 0 in the cell's frame: R^T (x_a - x_0) - (X_a - X_0). */
static inline void sup_dense_displacements(int n, const sup_m3 *R, const double *X, const double *x,
                                           double *u) {
  sup_v3 x0 = sup_v3_load(x), X0 = sup_v3_load(X);
  for (int a = 0; a < n; a++) {
    sup_v3 moved = sup_m3_apply_t(*R, sup_v3_sub(sup_v3_load(x + 3 * a), x0));
    sup_v3_store(u + 3 * a, sup_v3_sub(moved, sup_v3_sub(sup_v3_load(X + 3 * a), X0)));
  }
}

/** sup_element.force. */
static inline double sup_dense_force(int n, const double *K0, const sup_m3 *R, const double *X,
                                     const double *x, double *f) {
  double u[3 * SUP_CELL_MAX_VERTICES], y[3 * SUP_CELL_MAX_VERTICES] = {0}, twice_energy = 0;
  sup_dense_displacements(n, R, X, x, u);
  for (int a = 0; a < n; a++) {
    double *ya = y + 3 * a, *ua = u + 3 * a;
    for (int b = 0; b <= a; b++) {
      double *yb = y + 3 * b, *ub = u + 3 * b;
      for (int i = 0; i < 3; i++, K0 += 3 * SUP_BATCH) {
        double k0 = K0[0], k1 = K0[SUP_BATCH], k2 = K0[2 * SUP_BATCH];
        ya[i] += k0 * ub[0] + k1 * ub[1] + k2 * ub[2];
        if (b < a) yb[0] += k0 * ua[i], yb[1] += k1 * ua[i], yb[2] += k2 * ua[i];
      }
    }
  }
  for (int a = 0; a < 3 * n; a++) twice_energy += u[a] * y[a];
  if (f)
    for (int a = 0; a < n; a++)
      sup_v3_store(f + 3 * a, sup_v3_scale(-1, sup_m3_apply(*R, sup_v3_load(y + 3 * a))));
  return 0.5 * twice_energy;
}
