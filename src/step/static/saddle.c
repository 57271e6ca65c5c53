/* Negative curvature (THEORY 18.6): subspace iteration with the inverse of H, shifted until it is
 * positive definite. */
#include "step/static/saddle.h"

#include <math.h>
#include <string.h>

#include "la/dense_eigen.h"
#include "la/vector.h"
#include "step/static/numerics.h"
#include "step/static/statics.h"

enum { MOST = 6 }; /* vectors of the subspace */

typedef struct search {
  sup_stepper       *s;
  const sup_problem *problem;
  int                n, m;
  double            *G, *vc, *gamma;
  double            *D;          /* [n] */
  double            *own;        /* [n] A's diagonal without the proximal weights */
  double            *shifted;    /* [n] and with the shift */
  double            *whole;      /* [n] and as it was */
  double            *X, *HX, *y; /* [m x n] each, row by row; [2 n] */
} search;

/** D: the size of H's diagonal; that of A is q->own. */
static void set_size(search *q, const double *least) {
  const sup_problem *p = q->problem;
  memcpy(q->D, q->own, (size_t)q->n * sizeof *q->D);
  for (int i = 0; i < p->num_constraints; i++) {
    const sup_constraint *c = &p->constraint[i];
    int                   dim = sup_law_dimension(c->law.kind);
    for (int k = 0; k < c->num_blocks; k++) {
      const sup_jacobian_block *block = &p->jacobian[c->first_block + k];
      int                       first = sup_block_first(&q->s->layout->A_pattern, block->block);
      int                       size = sup_block_size(&q->s->layout->A_pattern, block->block);
      const double             *J = p->jacobian_value + block->value, *G = q->G + 9 * i;
      for (int j = 0; j < size; j++)
        for (int a = 0; a < dim; a++)
          for (int e = 0; e < dim; e++)
            q->D[first + j] += J[a * size + j] * G[a * dim + e] * J[e * size + j];
    }
  }
  double largest = 0;
  for (int i = 0; i < q->n; i++) largest = fmax(largest, fabs(q->D[i]));
  for (int i = 0; i < q->n; i++)
    q->D[i] = fmax(fabs(q->D[i]), fmax(least[i], sup_static_numerics.stiffness * largest));
}

/** *is_definite := H + shift D is positive definite; the reduction then has its factor. */
static sup_status try_shift(search *q, double shift, int *is_definite) {
  for (int i = 0; i < q->n; i++) q->shifted[i] = q->own[i] + shift * q->D[i];
  sup_assembly_set_diagonal(&q->s->assembly, q->shifted);
  SUP_TRY(sup_arena_reset(q->s->statics->inner));
  sup_status status = sup_reduction_factor(q->s->reduction, q->problem, q->G, q->s->statics->inner);
  sup_assembly_set_diagonal(&q->s->assembly, q->own);
  for (int i = 0; i < q->n; i++) q->y[i] = q->D[i] * sin(1 + 3. * i);
  if (status == SUP_OK) /* a backend that iterates finds out now */
    status = sup_reduction_apply_inverse(q->s->reduction, q->y, q->y + q->n);
  *is_definite = status == SUP_OK;
  return status == SUP_E_NOT_SPD ? SUP_OK : status;
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
  double T[MOST * MOST], Q[MOST * MOST];
  int    order[MOST], m = q->m, n = q->n;
  for (int k = 0; k < m; k++) {
    sup_step_hessian_multiply(&q->s->assembly, q->problem, q->G, q->X + (ptrdiff_t)k * n, q->vc,
                              q->gamma, q->y);
    memcpy(q->HX + (ptrdiff_t)k * n, q->y, (size_t)n * sizeof *q->y);
  }
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
      SUP_TRY(sup_reduction_apply_inverse(q->s->reduction, x, q->y));
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

/** Displacement of block b in the first `count` rows of X, squared and in D: the largest of its
 * scalars, which is `axis`, the first of nearly equal ones. */
static double way_in(const search *q, int count, int b, int *axis) {
  int first = sup_block_first(&q->s->layout->A_pattern, b),
      n = sup_block_size(&q->s->layout->A_pattern, b);
  double most = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = 0; k < count; k++) {
      double x = q->X[(ptrdiff_t)k * q->n + first + i];
      sum += x * q->D[first + i] * x;
    }
    if (sum > sup_static_numerics.equal_ways * most) most = sum, *axis = first + i;
  }
  return most;
}

/** Direction of lowest curvature in which the scalar that moves farthest moves most and forwards: a
 * projection, independent of the basis and signs that the iteration ended with. Of nearly equal
 * scalars the first counts. */
static void choose(const search *q, const double *lambda, double *x, sup_saddle *out) {
  int    count = 1, at = 0, axis = 0;
  double most = 0;
  while (count < out->num && lambda[count] < sup_static_numerics.equal_curvatures * lambda[0])
    count++;
  for (int b = 0; b < q->s->layout->A_pattern.num_blocks; b++) {
    double way = way_in(q, count, b, &axis);
    if (way > sup_static_numerics.equal_ways * most) most = way, out->block = b, at = axis;
  }
  memset(x, 0, (size_t)q->n * sizeof *x);
  for (int k = 0; k < count; k++)
    for (int i = 0; i < q->n; i++)
      x[i] += q->X[(ptrdiff_t)k * q->n + at] * q->X[(ptrdiff_t)k * q->n + i];
}

static void describe(search *q, const double *lambda, sup_saddle *out) {
  const sup_block_pattern *P = &q->s->layout->A_pattern;
  double                  *x = q->HX; /* not needed any more */
  choose(q, lambda, x, out);
  for (int b = 0; b < P->num_blocks; b++)
    for (int i = sup_block_first(P, b); i < sup_block_first(P, b + 1); i++)
      if (q->s->layout->held_axes[b] >> (i - sup_block_first(P, b)) & 1) x[i] = 0;
  sup_step_hessian_multiply(&q->s->assembly, q->problem, q->G, x, q->vc, q->gamma, q->y);
  out->bend = sup_dot(x, q->y, q->n), out->direction = x, out->curvature = lambda[0];
}

static sup_status allocate(search *q) {
  sup_arena *arena = q->s->start.arena;
  SUP_TRY(SUP_ARENA(arena, q->G, 9 * q->problem->num_constraints));
  SUP_TRY(SUP_ARENA(arena, q->vc, q->problem->num_vc));
  SUP_TRY(SUP_ARENA(arena, q->gamma, q->problem->num_vc));
  SUP_TRY(SUP_ARENA(arena, q->D, q->n));
  SUP_TRY(SUP_ARENA(arena, q->own, q->n));
  SUP_TRY(SUP_ARENA(arena, q->shifted, q->n));
  SUP_TRY(SUP_ARENA(arena, q->whole, q->n));
  SUP_TRY(SUP_ARENA(arena, q->X, q->m * q->n));
  SUP_TRY(SUP_ARENA(arena, q->HX, q->m * q->n));
  SUP_TRY(SUP_ARENA(arena, q->y, 2 * q->n));
  return SUP_OK;
}

/** Find eigenvectors of negative curvature, with the bare diagonal in A.  The shift grows from the
 * least one: at a few times the lowest eigenvalue it separates that from the next. */
static sup_status find(search *q, sup_saddle *out) {
  double lambda[MOST], shift = sup_static_numerics.curvature;
  int    is_definite;
  SUP_TRY(try_shift(q, shift, &is_definite));
  if (is_definite) return SUP_OK;
  while (!is_definite && shift < sup_static_numerics.subspace_shift_most) {
    shift *= sup_static_numerics.subspace_shift;
    SUP_TRY(try_shift(q, shift, &is_definite));
  }
  if (!is_definite) return SUP_OK; /* not finite */
  SUP_TRY(iterate(q, lambda, &out->num));
  out->is_more = out->num == q->m && q->m < q->n;
  if (out->num > 0) describe(q, lambda, out);
  return SUP_OK;
}

sup_status sup_saddle_find(sup_stepper *s, const sup_problem *problem, const double *held,
                           const double *least, sup_saddle *out) {
  search q = {.s = s, .problem = problem, .n = s->layout->A_pattern.num_scalars};
  *out = (sup_saddle){.block = SUP_NONE};
  q.m = q.n < MOST ? q.n : MOST;
  if (q.n == 0) return SUP_OK;
  SUP_TRY(allocate(&q));
  sup_problem_evaluate(problem, s->solution.law, s->solution.vc, q.gamma, q.G);
  sup_assembly_diagonal(&s->assembly, q.whole);
  for (int i = 0; i < q.n; i++) q.own[i] = q.whole[i] - held[i];
  set_size(&q, least);
  sup_assembly_set_diagonal(&s->assembly, q.own); /* A is bare */
  sup_status status = find(&q, out);
  sup_assembly_set_diagonal(&s->assembly, q.whole);
  return status;
}
