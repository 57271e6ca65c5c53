/* Negative eigenvalues (THEORY 18.6): Lanczos iteration with the inverse of H, shifted until it is
 * positive definite. */
#include "step/static/subspace.h"

#include <math.h>
#include <string.h>

#include "la/lanczos.h"
#include "step/static/numerics.h"

void sup_subspace_limit_size(int n, const double *least, double *D) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(D[i]));
  for (int i = 0; i < n; i++)
    D[i] = fmax(fabs(D[i]), fmax(least[i], sup_static_numerics.stiffness * largest));
}

/** x := (H + shift D)^-1 D x, self-adjoint in D. */
static sup_status apply(void *user, double *x) {
  const sup_pencil *H = user;
  for (int i = 0; i < H->n; i++) x[i] *= H->D[i];
  return H->solve(H->user, x);
}

static void metric(void *user, const double *x, double *y) {
  const sup_pencil *H = user;
  for (int i = 0; i < H->n; i++) y[i] = H->D[i] * x[i];
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
  SUP_OWN(sup_lanczos) *k = NULL;
  sup_pencil            shifted = *H;
  double                shift;
  *out = (sup_subspace){.m = H->n < SUP_SUBSPACE_MAX ? H->n : SUP_SUBSPACE_MAX};
  SUP_TRY(find_shift(H, &shift));
  if (shift == sup_static_numerics.curvature || isinf(shift)) return SUP_OK;
  SUP_TRY(sup_lanczos_create(&k, &(sup_lanczos_operator){H->n, apply, metric, &shifted}));
  SUP_TRY(sup_lanczos_find(k, out->m, sup_static_numerics.subspace_residual));
  SUP_TRY(SUP_ARENA(arena, out->X, out->m * H->n));
  for (int i = 0; i < out->m; i++) {
    out->lambda[i] = 1 / k->theta[i] - shift;
    out->num += out->lambda[i] < -sup_static_numerics.curvature;
    sup_lanczos_get(k, i, out->X + (ptrdiff_t)i * H->n);
  }
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
