/** A dense stiffness K0 of a cell, kept for all pairs of slots and rotated as it is added.  Layer fem, private.
 *
 *  Component (i, j) of pair p is at (3 i + j) stride + p: the loops over pairs are the vector loops.  Every function is
 *  called with constants for the numbers of vertices and becomes code for one element. */
#pragma once

#include "fem/element.h"

/** Pairs with room at the end, so that vectors of four fit. */
#define SUP_DENSE_STRIDE(vertices) (((vertices) * ((vertices) + 1) / 2 + 3) / 4 * 4)
enum { SUP_DENSE_MAX_SIZE = 9 * SUP_DENSE_STRIDE(SUP_CELL_MAX_VERTICES) };

/** Keep the blocks of slots a >= b of a symmetric matrix in cell order.
 *  @param[in]  K   [3 n rows of row_size]
 *  @param[out] K0  [9 stride] */
static inline void sup_dense_store(int n, const double *K, int row_size, const int *slot, double *K0) {
  int stride = SUP_DENSE_STRIDE(n);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++) {
      if (slot[b] > slot[a]) continue;
      double *k0 = K0 + slot[a] * (slot[a] + 1) / 2 + slot[b];
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) k0[(3 * i + j) * stride] = K[(3 * a + i) * row_size + 3 * b + j];
    }
}

/** out := scale R K0_ab R^T, component 3 j + i: column-major blocks. */
static inline void sup_dense_rotate(int stride, const double *restrict K0, const sup_m3 *R, double scale,
                                    double *restrict out) {
  double T[SUP_DENSE_MAX_SIZE];
  for (int i = 0; i < 3; i++) {
    double r0 = scale * R->m[i][0], r1 = scale * R->m[i][1], r2 = scale * R->m[i][2];
    for (int j = 0; j < 3; j++) {
      const double *a = K0 + j * stride, *b = a + 3 * stride, *c = b + 3 * stride;
      double       *t = T + (3 * i + j) * stride;
      for (int p = 0; p < stride; p++) t[p] = r0 * a[p] + r1 * b[p] + r2 * c[p];
    }
  }
  for (int i = 0; i < 3; i++) {
    const double *a = T + 3 * i * stride, *b = a + stride, *c = b + stride;
    for (int j = 0; j < 3; j++) {
      double  r0 = R->m[j][0], r1 = R->m[j][1], r2 = R->m[j][2];
      double *k = out + (3 * j + i) * stride;
      for (int p = 0; p < stride; p++) k[p] = r0 * a[p] + r1 * b[p] + r2 * c[p];
    }
  }
}

/** sup_element.add_stiffness. */
static inline void sup_dense_add_stiffness(int n, const double *K0, const sup_m3 *R, double scale, const int *entry,
                                           double *values) {
  double rotated[SUP_DENSE_MAX_SIZE];
  int    stride = SUP_DENSE_STRIDE(n);
  sup_dense_rotate(stride, K0, R, scale, rotated);
  for (int p = 0; p < n * (n + 1) / 2; p++) {
    double *restrict k = values + 9 * (size_t)entry[p];
    for (int c = 0; c < 9; c++) k[c] += rotated[c * stride + p];
  }
}

/** Displacements relative to vertex 0 in the cell's frame: R^T (x_a - x_0) - (X_a - X_0). */
static inline void sup_dense_displacements(int n, const sup_m3 *R, const double *X, const double *x, double *u) {
  sup_v3 x0 = sup_v3_load(x), X0 = sup_v3_load(X);
  for (int a = 0; a < n; a++) {
    sup_v3 moved = sup_m3_apply_t(*R, sup_v3_sub(sup_v3_load(x + 3 * a), x0));
    sup_v3_store(u + 3 * a, sup_v3_sub(moved, sup_v3_sub(sup_v3_load(X + 3 * a), X0)));
  }
}

/** sup_element.force. */
static inline double sup_dense_force(int n, const double *K0, const sup_m3 *R, const double *X, const double *x,
                                     double *f) {
  double u[3 * SUP_CELL_MAX_VERTICES], y[3 * SUP_CELL_MAX_VERTICES] = {0}, twice_energy = 0;
  int    stride = SUP_DENSE_STRIDE(n);
  sup_dense_displacements(n, R, X, x, u);
  for (int a = 0, p = 0; a < n; a++) {
    double *ya = y + 3 * a, *ua = u + 3 * a;
    for (int b = 0; b <= a; b++, p++) {
      const double *k = K0 + p;
      double       *yb = y + 3 * b, *ub = u + 3 * b;
      for (int i = 0; i < 3; i++, k += 3 * stride) {
        double k0 = k[0], k1 = k[stride], k2 = k[2 * stride];
        ya[i] += k0 * ub[0] + k1 * ub[1] + k2 * ub[2];
        if (b < a) yb[0] += k0 * ua[i], yb[1] += k1 * ua[i], yb[2] += k2 * ua[i];
      }
    }
  }
  for (int a = 0; a < 3 * n; a++) twice_energy += u[a] * y[a];
  if (f)
    for (int a = 0; a < n; a++) sup_v3_store(f + 3 * a, sup_v3_scale(-1, sup_m3_apply(*R, sup_v3_load(y + 3 * a))));
  return 0.5 * twice_energy;
}
