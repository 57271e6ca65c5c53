/* Negative eigenvalues (THEORY 18.6): subspace iteration with the inverse of H, shifted until it is
 * positive definite; Rayleigh and Ritz. */
#include "step/static/subspace.h"

#include <math.h>
#include <string.h>

#include "la/dense_eigen.h"
#include "la/vector.h"
#include "step/static/numerics.h"

typedef struct search {
  const sup_pencil *H;
  int               n, m;
  const double     *D;
  double           *X, *HX; /* [m x n] each, row by row */
} search;

void sup_subspace_limit_size(int n, const double *least, double *D) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(D[i]));
  for (int i = 0; i < n; i++)
    D[i] = fmax(fabs(D[i]), fmax(least[i], sup_static_numerics.stiffness * largest));
}

/** Rows of X become orthonormal in D, each against those before: modified Gram-Schmidt, twice. */
static void orthonormalise(search *q) {
  for (int k = 0; k < q->m; k++) {
    double *x = q->X + (ptrdiff_t)k * q->n;
    for (int round = 0; round < 2; round++) {
      for (int j = 0; j < k; j++) {
        const double *e = q->X + (ptrdiff_t)j * q->n;
        double        part = 0;
        for (int i = 0; i < q->n; i++) part += e[i] * q->D[i] * x[i];
        for (int i = 0; i < q->n; i++) x[i] -= part * e[i];
      }
      double size = 0;
      for (int i = 0; i < q->n; i++) size += x[i] * q->D[i] * x[i];
      size = size > 0 ? 1 / sqrt(size) : 0;
      for (int i = 0; i < q->n; i++) x[i] *= size;
    }
  }
}

/** Rows of X become the Ritz vectors, lambda [m] their values, ascending: Rayleigh, Ritz. */
static void rotate(search *q, double *lambda) {
  double T[SUP_SUBSPACE_MAX * SUP_SUBSPACE_MAX], Q[SUP_SUBSPACE_MAX * SUP_SUBSPACE_MAX];
  int    order[SUP_SUBSPACE_MAX], m = q->m, n = q->n;
  for (int k = 0; k < m; k++)
    q->H->multiply(q->H->user, q->X + (ptrdiff_t)k * n, q->HX + (ptrdiff_t)k * n);
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++)
      T[i * m + j] = T[j * m + i] = sup_dot(q->X + (ptrdiff_t)i * n, q->HX + (ptrdiff_t)j * n, n);
  sup_dense_eigen(m, T, Q);
  for (int i = 0; i < m; i++) {
    int at = i;
    for (; at > 0 && T[order[at - 1] * (m + 1)] > T[i * (m + 1)]; at--) order[at] = order[at - 1];
    order[at] = i;
  }
  for (int k = 0; k < m; k++) {
    double *x = q->HX + (ptrdiff_t)k * n;
    lambda[k] = T[order[k] * (m + 1)];
    memset(x, 0, (size_t)n * sizeof *x);
    for (int j = 0; j < m; j++)
      for (int i = 0; i < n; i++) x[i] += Q[j * m + order[k]] * q->X[(ptrdiff_t)j * n + i];
  }
  double *swap = q->X;
  q->X = q->HX, q->HX = swap;
}

static int count_negative(const double *lambda, int m) {
  int count = 0;
  for (int k = 0; k < m; k++) count += lambda[k] < -sup_static_numerics.curvature;
  return count;
}

/** The lowest eigenvectors: X := (H + shift D)^-1 D X until the lowest value and their number have
 * stood for some iterations. */
static sup_status iterate(search *q, double *lambda, int *num) {
  double before = HUGE_VAL;
  int    steady = 0;
  *num = 0;
  for (int k = 0; k < q->m; k++) /* neither symmetric nor sup_static_numerics.equal_ways */
    for (int i = 0; i < q->n; i++)
      q->X[(ptrdiff_t)k * q->n + i] = sin(1 + 3. * i + (k + 1) * (.7 + 1.3 * i)) / sqrt(q->D[i]);
  for (int round = 0; round < sup_static_numerics.subspace_iterations &&
                      steady < sup_static_numerics.subspace_steady;
       round++) {
    for (int k = 0; k < q->m; k++) {
      double *x = q->X + (ptrdiff_t)k * q->n;
      for (int i = 0; i < q->n; i++) x[i] *= q->D[i];
      SUP_TRY(q->H->solve(q->H->user, x));
    }
    orthonormalise(q);
    rotate(q, lambda);
    int count = count_negative(lambda, q->m);
    steady = count == *num && fabs(lambda[0] - before) <=
                                  sup_static_numerics.subspace_change * fabs(lambda[0])
                 ? steady + 1
                 : 0;
    *num = count, before = lambda[0];
  }
  return SUP_OK;
}

/** Shift that makes H positive definite; HUGE_VAL: H is not finite.  A shift of a few times the
 * lowest eigenvalue separates this eigenvalue from the next. */
static sup_status find_shift(const sup_pencil *H, double *shift) {
  int is_definite;
  *shift = sup_static_numerics.curvature;
  SUP_TRY(H->factor(H->user, *shift, &is_definite));
  while (!is_definite && *shift < sup_static_numerics.subspace_shift_most) {
    *shift *= sup_static_numerics.subspace_shift;
    SUP_TRY(H->factor(H->user, *shift, &is_definite));
  }
  if (!is_definite) *shift = HUGE_VAL;
  return SUP_OK;
}

sup_status sup_subspace_find(const sup_pencil *H, sup_arena *arena, sup_subspace *out) {
  search q = {.H = H, .n = H->n, .m = H->n < SUP_SUBSPACE_MAX ? H->n : SUP_SUBSPACE_MAX, .D = H->D};
  double shift;
  *out = (sup_subspace){.m = q.m};
  SUP_TRY(find_shift(H, &shift));
  if (shift == sup_static_numerics.curvature || isinf(shift)) return SUP_OK;
  SUP_TRY(SUP_ARENA_VECTORS(arena, q.m * q.n, &q.X, &q.HX));
  SUP_TRY(iterate(&q, out->lambda, &out->num));
  out->X = q.X;
  return SUP_OK;
}

/* ---- direction ------------------------------------------------------------------------------- */

/** Squared displacement of block b in the first `count` rows of X, in the metric D: that of its
 * largest scalar `axis`; of nearly equal scalars the first counts. */
static double way_in(const sup_subspace *space, const double *D, const sup_block_pattern *P,
                     int count, int b, int *axis) {
  int    first = sup_block_first(P, b), n = sup_block_size(P, b);
  double most = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < count; k++) {
      double x = space->X[(ptrdiff_t)k * P->num_scalars + first + i];
      sum += x * D[first + i] * x;
    }
    if (sum > sup_static_numerics.equal_ways * most) most = sum, *axis = first + i;
  }
  return most;
}

int sup_subspace_choose(const sup_subspace *space, const double *D, const sup_block_pattern *P,
                        double *x) {
  int    n = P->num_scalars, count = 1, at = 0, axis = 0, block = SUP_NONE;
  double most = 0;
  while (count < space->num &&
         space->lambda[count] < sup_static_numerics.equal_curvatures * space->lambda[0])
    count++;
  for (int b = 0; b < P->num_blocks; b++) {
    double way = way_in(space, D, P, count, b, &axis);
    if (way > sup_static_numerics.equal_ways * most) most = way, block = b, at = axis;
  }
  memset(x, 0, (size_t)n * sizeof *x);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < n; i++)
      x[i] += space->X[(ptrdiff_t)k * n + at] * space->X[(ptrdiff_t)k * n + i];
  return block;
}
