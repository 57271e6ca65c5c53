#include "la/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "la/dense_lu.h"
#include "la/inertia.h"
#include "la/numerics.h"
#include "la/supernodal/elimination.h"
#include "la/vector.h"

/** Pattern of K with a last block column for each row. */
static sup_status border(const sup_eigen_problem *q, sup_block_pattern *out) {
  const sup_block_pattern *P = q->pattern;
  int                      n = P->num_blocks, num = sup_block_column(P, n) + n * q->rows.num, k = 0;
  SUP_FREED int           *pair = NULL, *size = NULL;
  SUP_TRY(SUP_CALLOC(pair, 2 * num));
  SUP_TRY(SUP_CALLOC(size, n + q->rows.num));
  for (int j = 0; j < n; j++) {
    size[j] = sup_block_size(P, j);
    for (int e = sup_block_column(P, j); e < sup_block_column(P, j + 1); e++)
      pair[2 * k] = sup_block_row(P, e), pair[2 * k++ + 1] = j;
  }
  for (int r = 0; r < q->rows.num; r++) {
    size[n + r] = 1;
    for (int j = 0; j < n; j++)
      if (sup_dot(q->rows.u[r] + sup_block_first(P, j), q->rows.u[r] + sup_block_first(P, j),
                  size[j]) > 0)
        pair[2 * k] = n + r, pair[2 * k++ + 1] = j;
  }
  return sup_block_pattern_build(out, n + q->rows.num, size, (size_t)k, pair);
}

/** out [num_scalars] := the diagonal. */
static void take_diagonal(const sup_eigen_problem *q, const double *values, double *out) {
  const sup_block_pattern *P = q->pattern;
  for (int b = 0, at = 0; b < P->num_blocks; b++)
    for (int i = 0; i < sup_block_size(P, b); i++)
      out[at++] = values[sup_block_diagonal(P, b) + (size_t)(i * (sup_block_size(P, b) + 1))];
  if (q->ranks) q->ranks->collective->sum(q->ranks->collective, (size_t)P->num_scalars, out);
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/** Values in P of K - lambda M bordered by u and -softness, which has one more negative eigenvalue
 * a row than K + sum u u^T / softness - lambda M (Haynsworth 1968).  Rows have the size of K. */
static void set_bordered(const sup_eigen_problem *q, const sup_block_pattern *P,
                         const double *inner, double most, double *values) {
  int n = q->pattern->num_blocks;
  for (int j = 0; j < n; j++) {
    size_t from = sup_block_diagonal(q->pattern, j),
           num = sup_block_diagonal(q->pattern, j + 1) - from;
    memcpy(values + sup_block_diagonal(P, j), inner + from, num * sizeof *values);
  }
  for (int r = 0; r < q->rows.num; r++) {
    const double *u = q->rows.u[r];
    double        scale = sqrt(most / sup_dot(u, u, q->pattern->num_scalars));
    for (int j = 0; j < n; j++) {
      int e = sup_block_pattern_find(P, n + r, j), first = sup_block_first(P, j);
      for (int i = 0; i < sup_block_size(P, j) && e != SUP_NONE; i++)
        values[sup_block_value(P, e) + (size_t)i] = scale * u[first + i];
    }
    values[sup_block_diagonal(P, n + r)] = -scale * q->rows.softness[r] * scale;
  }
}

static sup_status create_solver(const sup_eigen_problem *q, sup_linear_solver **out) {
  static const char factor[] =
      "-ksp_type preonly -pc_type cholesky -pc_factor_mat_solver_type mumps";
  SUP_TRY(
      sup_linear_solver_create(out, q->ranks ? SUP_BACKEND_PETSC : SUP_BACKEND_SUPERNODAL, factor));
  if (q->ranks) SUP_TRY(sup_linear_solver_spread(*out, q->ranks));
  return sup_linear_solver_analyse(*out, q->pattern, NULL);
}

static sup_status count(const sup_eigen_problem *q, const double *values, int *out) {
  SUP_OWN(sup_linear_solver) *solver = NULL;
  if (!q->ranks) return sup_inertia(q->pattern, values, out);
  SUP_TRY(create_solver(q, &solver));
  return sup_linear_solver_count_negative(solver, SUP_MATRIX(q->pattern, values), out);
}

sup_status sup_eigen_count(const sup_eigen_problem *q, double lambda, int *num) {
  size_t            size = sup_block_pattern_num_values(q->pattern);
  SUP_FREED double *values = NULL, *whole = NULL, *diagonal = NULL;
  sup_block_pattern P = {0};
  SUP_TRY(SUP_CALLOC(values, size));
  for (size_t i = 0; i < size; i++) values[i] = q->K[i] - lambda * q->M[i];
  if (q->rows.num == 0) return count(q, values, num);
  sup_status status = border(q, &P);
  if (status == SUP_OK) status = SUP_CALLOC(whole, sup_block_pattern_num_values(&P));
  if (status == SUP_OK) status = SUP_CALLOC(diagonal, q->pattern->num_scalars);
  if (status == SUP_OK) {
    take_diagonal(q, q->K, diagonal);
    set_bordered(q, &P, values, largest(q->pattern->num_scalars, diagonal), whole);
    status = sup_inertia(&P, whole, num);
    *num -= q->rows.num;
  }
  sup_block_pattern_free(&P);
  return status;
}

/* ---- iteration ------------------------------------------------------------------------------- */

typedef struct search {
  const sup_eigen_problem *q;
  sup_linear_solver       *solver; /* of K + shift M */
  double                  *values, *work;
  double                  *K, *M;    /* [n] diagonals */
  double *yields, *mobility, *force; /* of rows: [num x n] (K + shift M)^-1 u; LU [num^2]; [num] */
  int    *pivot;                     /* [num] */
  sup_lanczos     *own;              /* NULL: SLEPc's on ranks */
  int              num, used;        /* eigenvalues that have converged, that are there .. */
  const double    *theta;            /* .. [used] 1 / (lambda + shift), descending */
  sup_eigen_pairs *out;
} search;

/** y := A x of K or M. */
static void multiply(const search *s, const double *values, const double *x, double *y) {
  sup_block_multiply_all(s->q->ranks, s->q->pattern, values, x, y);
}

/** x := (K + shift M + rows)^-1 M x; force := those of the rows (Woodbury 1950). */
static sup_status apply(void *user, double *x) {
  search *s = user;
  int     n = s->q->pattern->num_scalars, num = s->q->rows.num;
  multiply(s, s->q->M, x, s->work);
  memcpy(x, s->work, (size_t)n * sizeof *x);
  s->out->solves++;
  SUP_TRY(sup_linear_solver_solve(s->solver, 0, x, NULL));
  for (int r = 0; r < num; r++) s->force[r] = sup_dot(s->q->rows.u[r], x, n);
  if (num > 0) sup_dense_lu_solve(num, s->mobility, s->pivot, s->force);
  for (int r = 0; r < num; r++)
    for (int i = 0; i < n; i++) x[i] -= s->force[r] * s->yields[(ptrdiff_t)r * n + i];
  return SUP_OK;
}

/** Mobilities of the rows by the factor of K + shift M. */
static sup_status factor_rows(search *s) {
  const sup_eigen_rows *rows = &s->q->rows;
  int                   n = s->q->pattern->num_scalars, num = rows->num;
  SUP_TRY(SUP_CALLOC(s->yields, (size_t)num * (size_t)n));
  SUP_TRY(SUP_CALLOC(s->mobility, num * num));
  SUP_TRY(SUP_CALLOC(s->force, num));
  SUP_TRY(SUP_CALLOC(s->pivot, num));
  for (int r = 0; r < num; r++) {
    double *y = s->yields + (ptrdiff_t)r * n;
    memcpy(y, rows->u[r], (size_t)n * sizeof *y);
    SUP_TRY(sup_linear_solver_solve(s->solver, 0, y, NULL));
    for (int i = 0; i < num; i++) s->mobility[i * num + r] = sup_dot(rows->u[i], y, n);
    s->mobility[r * num + r] += rows->softness[r];
  }
  if (sup_dense_lu(num, s->mobility, s->pivot) == num) return SUP_OK;
  return SUP_FAIL(SUP_E_NOT_SPD, "rows that hold volumes or lengths depend on each other");
}

static void metric(void *user, const double *x, double *y) {
  const search *s = user;
  multiply(s, s->q->kind == SUP_EIGEN_MASS ? s->q->M : s->q->K, x, y);
}

/** Largest K_ii/M_ii. */
static double largest_ratio(const search *s) {
  double most = 0;
  for (int i = 0; i < s->q->pattern->num_scalars; i++)
    if (s->M[i] > 0) most = fmax(most, fabs(s->K[i]) / s->M[i]);
  return most;
}

/** Find `more` pairs on ranks; that of the least value is taken for one that has not converged. */
static sup_status find_on_ranks(search *s, int more) {
  SUP_TRY(sup_linear_solver_find_eigen(s->solver, s->q->M, s->q->kind == SUP_EIGEN_MASS, more,
                                       sup_la_numerics.eigen_tolerance, &s->used, &s->theta));
  while (s->used > 0 && s->theta[s->used - 1] <= 64 * DBL_EPSILON * s->theta[0]) s->used--;
  s->num = s->used - 1;
  return SUP_OK;
}

/** Factor K + shift M; *is_singular: it is not positive definite, or no more than round-off is. */
static sup_status factor(search *s, double shift, bool *is_singular) {
  const sup_block_pattern *P = s->q->pattern;
  for (size_t i = 0; i < sup_block_pattern_num_values(P); i++)
    s->values[i] = s->q->K[i] + shift * s->q->M[i];
  sup_linear_operator A = {.pattern = P, .values = s->values, .ranks = s->q->ranks};
  sup_status          status = sup_linear_solver_setup(s->solver, &A);
  *is_singular = status == SUP_E_NOT_SPD;
  if (status == SUP_E_NOT_SPD) return SUP_OK;
  SUP_TRY(status);
  if (shift == 0 && s->q->ranks && s->q->kind == SUP_EIGEN_MASS) {
    SUP_TRY(find_on_ranks(s, 1));
    *is_singular =
        s->used > 0 && sup_la_numerics.eigen_singular * largest_ratio(s) * s->theta[0] > 1;
    return SUP_OK;
  }
  if (shift != 0 || !sup_linear_solver_pivots(s->solver, s->work)) return SUP_OK;
  for (int i = 0; i < P->num_scalars; i++)
    *is_singular |= s->work[i] < sup_la_numerics.eigen_singular * s->K[i];
  return SUP_OK;
}

/** Largest eigenvalue that a row gives alone, of which the shift has a share: a row on what nothing
 * else holds yields by 1/shift, and digits cancel. */
static double largest_of_rows(const search *s) {
  double most = 0;
  for (int r = 0; r < s->q->rows.num; r++) {
    const double *u = s->q->rows.u[r];
    double        sum = 0;
    for (int i = 0; i < s->q->pattern->num_scalars; i++)
      if (s->M[i] > 0) sum += u[i] * u[i] / s->M[i];
    if (s->q->rows.softness[r] > 0) most = fmax(most, sum / s->q->rows.softness[r]);
  }
  return most;
}

/** The least shift that makes K + shift M positive definite: 0, or that of round-off, times 8. */
static sup_status find_shift(search *s) {
  bool   is_singular;
  double ratio = largest_ratio(s), shift = 0;
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
  double least = sup_la_numerics.eigen_row * largest_of_rows(s);
  if (shift < least) SUP_TRY(factor(s, shift = least, &is_singular));
  s->out->shift = shift;
  return SUP_OK;
}

static double lambda_of(const search *s, double theta) { return 1 / theta - s->out->shift; }

/** Iterate until `num` eigenvalues have converged, or all. */
static sup_status find_pairs(search *s, int num) {
  if (s->own) {
    SUP_TRY(sup_lanczos_find(s->own, num, sup_la_numerics.eigen_tolerance));
    s->num = s->own->num, s->used = s->own->used, s->theta = s->own->theta;
    return SUP_OK;
  }
  int due = num + 1;
  if (s->used < due) SUP_TRY(find_on_ranks(s, due - s->used));
  if (s->used < due) s->num = s->used;
  return SUP_OK;
}

/** Bound above the first `num` values, in the gap behind the cluster of the last one; its number.
 */
static int choose_bound(const search *s, int num, double *bound) {
  for (int i = num; i < s->used && s->theta[i] > 0; i++)
    if (s->theta[i] < (1 - sup_la_numerics.eigen_gap) * s->theta[i - 1]) {
      /* the next one may be lower than it seems yet */
      *bound = lambda_of(s, .9 * s->theta[i - 1] + .1 * s->theta[i]);
      return i;
    }
  *bound = HUGE_VAL;
  return s->used;
}

/** Iterate until so many eigenvalues as inertia counts below a bound are found. */
static sup_status iterate(search *s, int num) {
  enum { ROUNDS = 30 };
  int wanted = num;
  for (int round = 0; round < ROUNDS; round++) {
    SUP_TRY(find_pairs(s, wanted));
    if (s->num < wanted || s->num == s->used) { /* the basis is complete */
      s->out->bound = HUGE_VAL, s->out->is_whole = 1, s->out->below = s->num;
      return SUP_OK;
    }
    int found = choose_bound(s, wanted, &s->out->bound);
    if (found > s->num) {
      wanted = found;
      continue;
    }
    SUP_TRY(sup_eigen_count(s->q, s->out->bound, &s->out->below));
    if (s->out->below == found) return SUP_OK;
    if (s->out->below < found) break;
    wanted = s->out->below;
    SUP_TRY(s->own ? sup_lanczos_restart(s->own) : find_on_ranks(s, wanted - found));
  }
  return SUP_FAIL(SUP_E_NOT_CONVERGED,
                  "%d eigenvalues are below %.6g by inertia, but %d were found", s->out->below,
                  s->out->bound, s->num);
}

/** x := vector i, of norm 1 in the metric. */
static sup_status get(const search *s, int i, double *x) {
  if (!s->own) return sup_linear_solver_get_eigen(s->solver, i, x);
  sup_lanczos_get(s->own, i, x);
  return SUP_OK;
}

/** Diagonal part of x^T K x, which is large where the mode moves stiff cells alone: a measure of
 * the round-off. */
static double diagonal_part(const search *s, const double *x) {
  double sum = 0;
  for (int i = 0; i < s->q->pattern->num_scalars; i++) sum += fabs(s->K[i]) * x[i] * x[i];
  return sum;
}

/** Kx += forces of the rows on the vector x of the value theta. */
static sup_status add_rows(search *s, double theta, const double *x, double *work, double *Kx) {
  int n = s->q->pattern->num_scalars;
  if (s->q->rows.num == 0) return SUP_OK;
  memcpy(work, x, (size_t)n * sizeof *work);
  SUP_TRY(apply(s, work));
  for (int r = 0; r < s->q->rows.num; r++)
    for (int i = 0; i < n; i++) Kx[i] += s->force[r] / theta * s->q->rows.u[r][i];
  return SUP_OK;
}

/** Vectors, Rayleigh quotients and residuals of the first `num` values. */
static sup_status collect(search *s, int num) {
  int               n = s->q->pattern->num_scalars;
  sup_eigen_pairs  *out = s->out;
  SUP_FREED double *Kx = NULL, *Mx = NULL;
  out->num = num < s->num ? num : s->num;
  SUP_TRY(SUP_CALLOC(out->lambda, out->num));
  SUP_TRY(SUP_CALLOC(out->residual, out->num));
  SUP_TRY(SUP_CALLOC(out->X, out->num * n));
  SUP_TRY(SUP_CALLOC(Kx, n));
  SUP_TRY(SUP_CALLOC(Mx, n));
  for (int i = 0; i < out->num; i++) {
    double *x = out->X + (ptrdiff_t)i * n, sum = 0, size = 0;
    SUP_TRY(get(s, i, x));
    multiply(s, s->q->K, x, Kx);
    SUP_TRY(add_rows(s, s->theta[i], x, Mx, Kx));
    multiply(s, s->q->M, x, Mx);
    /* values are found beyond the shift, of which they have no more than its digits */
    double stiffness = sup_dot(x, Kx, n), mass = sup_dot(x, Mx, n);
    if (fabs(mass) < s->q->noise * diagonal_part(s, x)) { /* and those behind it */
      out->num = i;
      break;
    }
    double digits = out->shift > 0 ? sup_la_numerics.eigen_zero * sup_la_numerics.eigen_shift
                                   : DBL_EPSILON; /* a slender body that is held has slow modes */
    double negative = stiffness < 0 ? sup_la_numerics.eigen_singular * largest_ratio(s) : 0;
    if (fabs(stiffness) <=
        digits * diagonal_part(s, x) + fmax(DBL_EPSILON * out->shift, negative) * mass)
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
  int n = s->q->pattern->num_scalars;
  SUP_TRY(SUP_CALLOC(s->values, sup_block_pattern_num_values(s->q->pattern)));
  SUP_TRY(SUP_CALLOC(s->work, n));
  SUP_TRY(SUP_CALLOC(s->K, n));
  SUP_TRY(SUP_CALLOC(s->M, n));
  take_diagonal(s->q, s->q->K, s->K);
  take_diagonal(s->q, s->q->M, s->M);
  SUP_TRY(create_solver(s->q, &s->solver));
  SUP_TRY(find_shift(s));
  SUP_TRY(factor_rows(s));
  if (!s->q->ranks)
    SUP_TRY(sup_lanczos_create(&s->own, &(sup_lanczos_operator){n, apply, metric, s}));
  SUP_TRY(iterate(s, num));
  return collect(s, num);
}

sup_status sup_eigen_find(const sup_eigen_problem *problem, int num, sup_eigen_pairs *out) {
  search s = {.q = problem, .out = out};
  *out = (sup_eigen_pairs){0};
  sup_status status = num > 0 && problem->pattern->num_scalars > 0 ? run(&s, num) : SUP_OK;
  sup_lanczos_destroy(&s.own);
  sup_linear_solver_destroy(&s.solver);
  SUP_FREE_ALL(&s.values, &s.work, &s.K, &s.M, &s.yields, &s.mobility, &s.force, &s.pivot);
  if (status != SUP_OK) sup_eigen_pairs_free(out);
  return status;
}

void sup_eigen_pairs_free(sup_eigen_pairs *pairs) {
  SUP_FREE_ALL(&pairs->lambda, &pairs->X, &pairs->residual);
  *pairs = (sup_eigen_pairs){0};
}
