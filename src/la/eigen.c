#include "la/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "la/inertia.h"
#include "la/numerics.h"
#include "la/supernodal/elimination.h"
#include "la/vector.h"

sup_status sup_eigen_count(const sup_eigen_problem *q, double lambda, int *count) {
  size_t            size = sup_block_pattern_num_values(q->pattern);
  SUP_FREED double *values = NULL;
  SUP_TRY(SUP_CALLOC(values, size));
  for (size_t i = 0; i < size; i++) values[i] = q->K[i] - lambda * q->M[i];
  return sup_inertia(q->pattern, values, count);
}

/* ---- iteration ------------------------------------------------------------------------------- */

typedef struct search {
  const sup_eigen_problem *q;
  sup_linear_solver       *solver; /* of K + shift M */
  double                  *values, *work;
  sup_eigen_pairs         *out;
} search;

static sup_status apply(void *user, double *x) {
  search *s = user;
  sup_block_multiply(s->q->pattern, s->q->M, x, s->work);
  memcpy(x, s->work, (size_t)s->q->pattern->num_scalars * sizeof *x);
  s->out->solves++;
  return sup_linear_solver_solve(s->solver, 0, x, NULL);
}

static void metric(void *user, const double *x, double *y) {
  const search *s = user;
  sup_block_multiply(s->q->pattern, s->q->kind == SUP_EIGEN_MASS ? s->q->M : s->q->K, x, y);
}

/** Factor K + shift M; *is_singular: it is not positive definite, or no more than round-off is. */
static sup_status factor(search *s, double shift, bool *is_singular) {
  const sup_block_pattern *P = s->q->pattern;
  for (size_t i = 0; i < sup_block_pattern_num_values(P); i++)
    s->values[i] = s->q->K[i] + shift * s->q->M[i];
  sup_linear_operator A = {.pattern = P, .values = s->values};
  sup_status          status = sup_linear_solver_setup(s->solver, &A);
  *is_singular = status == SUP_E_NOT_SPD;
  if (status == SUP_E_NOT_SPD) return SUP_OK;
  SUP_TRY(status);
  if (shift != 0 || !sup_linear_solver_pivots(s->solver, s->work)) return SUP_OK;
  for (int b = 0; b < P->num_blocks; b++)
    for (int i = 0; i < sup_block_size(P, b); i++)
      *is_singular |=
          s->work[sup_block_first(P, b) + i] <
          sup_la_numerics.eigen_singular *
              s->values[sup_block_diagonal(P, b) + (size_t)(i * (sup_block_size(P, b) + 1))];
  return SUP_OK;
}

/** Largest K_ii/M_ii. */
static double largest_ratio(const sup_eigen_problem *q) {
  const sup_block_pattern *P = q->pattern;
  double                   most = 0;
  for (int b = 0; b < P->num_blocks; b++)
    for (int i = 0; i < sup_block_size(P, b); i++) {
      size_t at = sup_block_diagonal(P, b) + (size_t)(i * (sup_block_size(P, b) + 1));
      if (q->M[at] > 0) most = fmax(most, fabs(q->K[at]) / q->M[at]);
    }
  return most;
}

/** The least shift that makes K + shift M positive definite: 0, or that of round-off, times 8. */
static sup_status find_shift(search *s) {
  bool   is_singular;
  double ratio = largest_ratio(s->q), shift = 0;
  SUP_TRY(factor(s, 0, &is_singular));
  if (ratio == 0) ratio = 1; /* nothing is stiff */
  for (; is_singular && s->q->kind == SUP_EIGEN_MASS &&
         sup_la_numerics.eigen_shift * shift < ratio;) {
    shift = shift > 0 ? 8 * shift : sup_la_numerics.eigen_shift * ratio;
    SUP_TRY(factor(s, shift, &is_singular));
  }
  if (is_singular)
    return SUP_FAIL(
        SUP_E_NOT_SPD,
        s->q->kind == SUP_EIGEN_MASS
            ? "the stiffness is not positive definite, at any shift"
            : "the stiffness is not positive definite: a body moves freely (hold it), or "
              "the balance is no minimum");
  s->out->shift = shift;
  return SUP_OK;
}

static double lambda_of(const search *s, double theta) { return 1 / theta - s->out->shift; }

/** Bound above the first `num` values, in the gap behind the cluster of the last one; its number.
 */
static int choose_bound(const search *s, const sup_lanczos *k, int num, double *bound) {
  for (int i = num; i < k->used && k->theta[i] > 0; i++)
    if (k->theta[i] < (1 - sup_la_numerics.eigen_gap) * k->theta[i - 1]) {
      /* the next one may be lower than it seems yet */
      *bound = lambda_of(s, .9 * k->theta[i - 1] + .1 * k->theta[i]);
      return i;
    }
  *bound = HUGE_VAL;
  return k->used;
}

/** Iterate until so many eigenvalues as inertia counts below a bound are found. */
static sup_status iterate(search *s, sup_lanczos *k, int num) {
  enum { ROUNDS = 30 };
  int    wanted = num;
  double tolerance = sup_la_numerics.eigen_tolerance;
  for (int round = 0; round < ROUNDS; round++) {
    SUP_TRY(sup_lanczos_find(k, wanted, tolerance));
    if (k->num < wanted || k->num == k->used) { /* the basis is complete */
      s->out->bound = HUGE_VAL, s->out->is_whole = 1, s->out->below = k->num;
      return SUP_OK;
    }
    int found = choose_bound(s, k, wanted, &s->out->bound);
    if (found > k->num) {
      wanted = found;
      continue;
    }
    SUP_TRY(sup_eigen_count(s->q, s->out->bound, &s->out->below));
    if (s->out->below == found) return SUP_OK;
    if (s->out->below < found) break;
    wanted = s->out->below;
    SUP_TRY(sup_lanczos_restart(k));
  }
  return SUP_FAIL(SUP_E_NOT_CONVERGED,
                  "%d eigenvalues are below %.6g by inertia, but %d were found", s->out->below,
                  s->out->bound, k->num);
}

/** Diagonal part of x^T K x, which is large where the mode moves stiff cells alone: a measure of
 * the round-off. */
static double diagonal_part(const search *s, const double *x) {
  const sup_block_pattern *P = s->q->pattern;
  double                   sum = 0;
  for (int b = 0; b < P->num_blocks; b++)
    for (int i = 0; i < sup_block_size(P, b); i++) {
      double a = x[sup_block_first(P, b) + i];
      sum += fabs(s->q->K[sup_block_diagonal(P, b) + (size_t)(i * (sup_block_size(P, b) + 1))]) *
             a * a;
    }
  return sum;
}

/** Vectors, Rayleigh quotients and residuals of the first `num` values. */
static sup_status collect(search *s, const sup_lanczos *k, int num) {
  int               n = s->q->pattern->num_scalars;
  sup_eigen_pairs  *out = s->out;
  SUP_FREED double *Kx = NULL, *Mx = NULL;
  out->num = num < k->num ? num : k->num;
  SUP_TRY(SUP_CALLOC(out->lambda, out->num));
  SUP_TRY(SUP_CALLOC(out->residual, out->num));
  SUP_TRY(SUP_CALLOC(out->X, out->num * n));
  SUP_TRY(SUP_CALLOC(Kx, n));
  SUP_TRY(SUP_CALLOC(Mx, n));
  for (int i = 0; i < out->num; i++) {
    double *x = out->X + (ptrdiff_t)i * n, sum = 0, size = 0;
    sup_lanczos_get(k, i, x);
    sup_block_multiply(s->q->pattern, s->q->K, x, Kx);
    sup_block_multiply(s->q->pattern, s->q->M, x, Mx);
    /* values are found beyond the shift, of which they have no more than its digits */
    double stiffness = sup_dot(x, Kx, n), mass = sup_dot(x, Mx, n);
    if (fabs(mass) < s->q->noise * diagonal_part(s, x)) { /* and those behind it */
      out->num = i;
      break;
    }
    double digits = out->shift > 0 ? sup_la_numerics.eigen_zero * sup_la_numerics.eigen_shift
                                   : DBL_EPSILON; /* a slender body that is held has slow modes */
    if (fabs(stiffness) <= digits * diagonal_part(s, x) + DBL_EPSILON * out->shift * mass)
      stiffness = 0;
    out->lambda[i] = stiffness / mass;
    for (int a = 0; a < n; a++) {
      double r = Kx[a] - out->lambda[i] * Mx[a];
      sum += r * r, size += Kx[a] * Kx[a] + out->lambda[i] * Mx[a] * (out->lambda[i] * Mx[a]);
    }
    out->residual[i] = size > 0 && out->lambda[i] != 0 ? sqrt(sum / size) : 0;
  }
  return SUP_OK;
}

static sup_status run(search *s, int num) {
  int                   n = s->q->pattern->num_scalars;
  SUP_OWN(sup_lanczos) *k = NULL;
  SUP_TRY(SUP_CALLOC(s->values, sup_block_pattern_num_values(s->q->pattern)));
  SUP_TRY(SUP_CALLOC(s->work, n));
  SUP_TRY(sup_linear_solver_create(&s->solver, SUP_BACKEND_SUPERNODAL, NULL));
  SUP_TRY(sup_linear_solver_analyse(s->solver, s->q->pattern, NULL));
  SUP_TRY(find_shift(s));
  SUP_TRY(sup_lanczos_create(&k, &(sup_lanczos_operator){n, apply, metric, s}));
  SUP_TRY(iterate(s, k, num));
  return collect(s, k, num);
}

sup_status sup_eigen_find(const sup_eigen_problem *problem, int num, sup_eigen_pairs *out) {
  search s = {.q = problem, .out = out};
  *out = (sup_eigen_pairs){0};
  sup_status status = num > 0 && problem->pattern->num_scalars > 0 ? run(&s, num) : SUP_OK;
  sup_linear_solver_destroy(&s.solver);
  SUP_FREE_ALL(&s.values, &s.work);
  if (status != SUP_OK) sup_eigen_pairs_free(out);
  return status;
}

void sup_eigen_pairs_free(sup_eigen_pairs *pairs) {
  SUP_FREE_ALL(&pairs->lambda, &pairs->X, &pairs->residual);
  *pairs = (sup_eigen_pairs){0};
}
