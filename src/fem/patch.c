#include "fem/patch.h"

#include <math.h>
#include <stddef.h>

#include "fem/numerics.h"
#include "la/vector.h"

void sup_patch_monomials(const double x[3], int num_terms, double *value) {
  value[0] = 1;
  for (int k = 0; k < 3 && num_terms > 1; k++) value[1 + k] = x[k];
  for (int k = 0; k < 3 && num_terms > 4; k++) value[4 + k] = x[k] * x[(k + 1) % 3];
  for (int k = 0; k < 3 && num_terms > 7; k++) value[7 + k] = x[k] * x[k];
}

static void take_out(double *a, double factor, const double *b, int num) {
  for (int k = 0; k < num; k++) a[k] -= factor * b[k];
}

/* Q R = the monomials at the samples, by Gram and Schmidt's method, twice: orthogonal to round-off.
 */
static int orthogonalise(int num, int num_terms, double *Q,
                         double R[SUP_PATCH_MAX_TERMS][SUP_PATCH_MAX_TERMS]) {
  for (int j = 0; j < num_terms; j++) {
    double *q = Q + (size_t)j * (size_t)num, before = sup_norm(q, num);
    for (int i = 0; i < j; i++) R[i][j] = 0;
    for (int i = 0; i < 2 * j; i++) {
      const double *done = Q + (size_t)(i % j) * (size_t)num;
      double        r = sup_dot(done, q, num);
      take_out(q, r, done, num);
      R[i % j][j] += r;
    }
    R[j][j] = sup_norm(q, num);
    if (!(R[j][j] > sup_fem_numerics.pivot * before)) return 0;
    for (int k = 0; k < num; k++) q[k] /= R[j][j];
  }
  return 1;
}

int sup_patch_fit(const double *x, int num, int num_terms, double *Q, double *W) {
  double R[SUP_PATCH_MAX_TERMS][SUP_PATCH_MAX_TERMS], value[SUP_PATCH_MAX_TERMS];
  size_t row = (size_t)num;
  if (num < num_terms) return 0;
  for (int k = 0; k < num; k++) {
    sup_patch_monomials(x + 3 * k, num_terms, value);
    for (int j = 0; j < num_terms; j++) Q[(size_t)j * row + (size_t)k] = value[j];
  }
  if (!orthogonalise(num, num_terms, Q, R)) return 0;
  for (int j = num_terms - 1; j >= 0; j--) { /* W = R^-1 Q^T */
    double *w = W + (size_t)j * row;
    for (size_t k = 0; k < row; k++) w[k] = Q[(size_t)j * row + k];
    for (int l = j + 1; l < num_terms; l++) take_out(w, R[j][l], W + (size_t)l * row, num);
    for (size_t k = 0; k < row; k++) w[k] /= R[j][j];
  }
  return 1;
}

double sup_patch_amplification(const double *W, int num, int num_terms, const double x[3]) {
  double value[SUP_PATCH_MAX_TERMS], sum = 0;
  sup_patch_monomials(x, num_terms, value);
  for (int k = 0; k < num; k++) {
    double weight = 0;
    for (int t = 0; t < num_terms; t++) weight += value[t] * W[(size_t)t * (size_t)num + (size_t)k];
    sum += fabs(weight);
  }
  return sum;
}
