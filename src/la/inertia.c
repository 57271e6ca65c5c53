/* Negative eigenvalues of A: those of a part that is eliminated by Cholesky's method, none, and of
 * its Schur complement S (Haynsworth 1968).  S has the columns of the factor's tree from the root
 * down to subtrees that are positive definite, small bodies between separators; it is factored as
 * L D L^T with blocks D of some columns of a supernode. */
#include "la/inertia.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "la/dense_eigen.h"
#include "la/supernodal/elimination.h"
#include "la/supernodal/retained.h"

enum { WIDE = 24 }; /* fills a cache with three blocks, vectors without a rest */

typedef struct inertia {
  const sup_block_pattern *A;
  const sup_symbolic      *base;       /* of the factor */
  int                     *below;      /* [num_supernodes] scalars of its subtree */
  unsigned char           *last;       /* [num_blocks] 1: in S */
  int                     *place, *at; /* [num_blocks] by the order of elimination: block column of
                                          `top`, SUP_NONE: not in S; first scalar there */
  sup_block_pattern S, top; /* in the order of A; in that of elimination, with its fill */
  double           *S_value, *value;
} inertia;

/** S of the subtrees with more than `most` scalars; E_NOT_SPD: some of the others is indefinite. */
static sup_status eliminate(inertia *q, sup_linear_solver *solver, const double *values, int most) {
  for (int k = 0; k < q->A->num_blocks; k++)
    q->last[q->base->order[k]] = q->below[q->base->super_of[k]] > most;
  SUP_TRY(sup_linear_solver_analyse_from(solver, q->A, q->base, q->last));
  SUP_TRY(sup_linear_solver_schur_pattern(solver, &q->S));
  SUP_FREE(q->S_value);
  SUP_TRY(SUP_CALLOC(q->S_value, sup_block_pattern_num_values(&q->S)));
  return sup_linear_solver_eliminate(solver, values, &q->S, q->S_value, NULL);
}

/** Block columns of `top`: at most WIDE scalars of a supernode each, or one block column. */
static int number_top(inertia *q, int *size) {
  const sup_symbolic *base = q->base;
  int                 count = 0;
  for (int k = 0; k < q->A->num_blocks; k++) {
    int w = sup_symbolic_size(base, k), before = k > 0 ? q->place[k - 1] : SUP_NONE;
    q->place[k] = SUP_NONE;
    if (!q->last[base->order[k]]) continue;
    if (before == SUP_NONE || base->super_of[k - 1] != base->super_of[k] || size[before] + w > WIDE)
      size[before = count++] = 0;
    q->place[k] = before, q->at[k] = size[before], size[before] += w;
  }
  return count;
}

/** top := all entries of the factor in the columns of S. */
static sup_status build_top(inertia *q) {
  const sup_symbolic *base = q->base;
  SUP_FREED int      *size = NULL, *pair = NULL;
  size_t              num = 0, capacity = 0;
  SUP_TRY(SUP_CALLOC(size, q->A->num_blocks));
  int count = number_top(q, size);
  for (int s = 0; s < base->num_supernodes; s++) {
    int first = base->super_start[s], end = base->super_start[s + 1];
    if (q->place[first] == SUP_NONE) continue;
    int low = q->place[first], columns = q->place[end - 1] + 1 - low, last = SUP_NONE;
    int rows = base->row_start[s + 1] - base->row_start[s] + columns;
    SUP_TRY(SUP_GROW(pair, capacity, 2 * (num + (size_t)rows * (size_t)columns)));
    for (int j = low; j < low + columns; j++, last = SUP_NONE) {
      for (int i = j; i < low + columns; i++) pair[2 * num] = i, pair[2 * num++ + 1] = j;
      for (int r = base->row_start[s]; r < base->row_start[s + 1]; r++) {
        if (q->place[base->row[r]] == last) continue;
        pair[2 * num] = last = q->place[base->row[r]], pair[2 * num++ + 1] = j;
      }
    }
  }
  SUP_TRY(sup_block_pattern_build(&q->top, count, size, num, pair));
  return SUP_OK;
}

/** Values of S in `top`. */
static sup_status permute(inertia *q) {
  SUP_FREED int *of = NULL; /* place in the order of elimination */
  int            count = 0;
  SUP_TRY(SUP_CALLOC(of, q->S.num_blocks));
  for (int b = 0; b < q->A->num_blocks; b++)
    if (q->last[b]) of[count++] = q->base->position[b];
  SUP_TRY(SUP_CALLOC(q->value, sup_block_pattern_num_values(&q->top)));
  for (int j = 0; j < q->S.num_blocks; j++)
    for (int e = sup_block_column(&q->S, j); e < sup_block_column(&q->S, j + 1); e++) {
      int           i = sup_block_row(&q->S, e), is_turned = of[i] < of[j];
      int           rows = sup_block_size(&q->S, i), size = rows * sup_block_size(&q->S, j);
      int           high = is_turned ? of[j] : of[i], low = is_turned ? of[i] : of[j];
      int           to = sup_block_pattern_find(&q->top, q->place[high], q->place[low]);
      int           m = sup_block_size(&q->top, q->place[high]);
      const double *from = q->S_value + sup_block_value(&q->S, e);
      double       *block = q->value + sup_block_value(&q->top, to);
      for (int k = 0; k < size; k++) {
        int r = q->at[high] + (is_turned ? k / rows : k % rows),
            c = q->at[low] + (is_turned ? k % rows : k / rows);
        block[c * m + r] = from[k];
      }
    }
  return SUP_OK;
}

/** inverse [n x n] := minus that of the lower triangle in D, by its eigenvalues; number of negative
 * ones. */
static int invert(int n, const double *D, double *inverse, double *work) {
  double *A = work, *Q = work + n * n;
  int     count = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) A[i * n + j] = A[j * n + i] = D[j * n + i];
  sup_dense_eigen(n, A, Q);
  memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
  for (int k = 0; k < n; k++) {
    count += A[k * (n + 1)] < 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        inverse[i * n + j] -= Q[i * n + k] * Q[j * n + k] / A[k * (n + 1)];
  }
  return count;
}

/** C += A B^T, blocks [m x w], [n x w] by columns. */
static void add_product(int m, int n, int w, const double *restrict A, const double *restrict B,
                        double *restrict C) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k < w; k++) {
      const double *a = A + k * m, b = B[k * n + j];
      double       *c = C + j * m;
#pragma omp simd
      for (int i = 0; i < m; i++) c[i] += a[i] * b;
    }
}

/** Eliminate block column j of `top`; column: its blocks times -D^-1. */
static void eliminate_column(const inertia *q, int j, const double *inverse, double *column) {
  const sup_block_pattern *P = &q->top;
  int                      w = sup_block_size(P, j), first = sup_block_column(P, j) + 1;
  int                      end = sup_block_column(P, j + 1);
  double                  *value = q->value;
  size_t                   start = sup_block_diagonal(P, j) + (size_t)(w * w);
  memset(column, 0, (sup_block_diagonal(P, j + 1) - start) * sizeof *column);
  for (int e = first; e < end; e++)
    add_product(sup_block_size(P, sup_block_row(P, e)), w, w, value + sup_block_value(P, e),
                inverse, column + (sup_block_value(P, e) - start));
  for (int b = first; b < end; b++) {
    int to = sup_block_column(P, sup_block_row(P, b)), n = sup_block_size(P, sup_block_row(P, b));
    for (int a = b; a < end; a++, to++) {
      int row = sup_block_row(P, a);
      while (sup_block_row(P, to) != row) to++;
      add_product(sup_block_size(P, row), n, w, column + (sup_block_value(P, a) - start),
                  value + sup_block_value(P, b), value + sup_block_value(P, to));
    }
  }
}

static sup_status count_top(inertia *q, int *count) {
  const sup_block_pattern *P = &q->top;
  size_t                   largest = 0, longest = 0;
  SUP_FREED double        *work = NULL, *column = NULL;
  for (int j = 0; j < P->num_blocks; j++) {
    size_t values = sup_block_diagonal(P, j + 1) - sup_block_diagonal(P, j),
           w = (size_t)sup_block_size(P, j);
    largest = w > largest ? w : largest, longest = values > longest ? values : longest;
  }
  SUP_TRY(SUP_CALLOC(work, 3 * largest * largest));
  SUP_TRY(SUP_CALLOC(column, longest));
  *count = 0;
  for (int j = 0; j < P->num_blocks; j++) {
    *count += invert(sup_block_size(P, j), q->value + sup_block_diagonal(P, j), work,
                     work + largest * largest);
    eliminate_column(q, j, work, column);
  }
  return SUP_OK;
}

static sup_status count(inertia *q, const double *values, int *out) {
  SUP_OWN(sup_linear_solver) *solver = NULL;
  int                         n = q->A->num_scalars;
  SUP_TRY(SUP_CALLOC(q->below, q->base->num_supernodes));
  SUP_TRY(SUP_CALLOC(q->last, q->A->num_blocks));
  SUP_TRY(SUP_CALLOC(q->place, q->A->num_blocks));
  SUP_TRY(SUP_CALLOC(q->at, q->A->num_blocks));
  SUP_TRY(sup_linear_solver_create(&solver, SUP_BACKEND_SUPERNODAL, NULL));
  for (int s = 0; s < q->base->num_supernodes; s++) {
    int parent = sup_symbolic_parent(q->base, s);
    q->below[s] +=
        q->base->offset[q->base->super_start[s + 1]] - q->base->offset[q->base->super_start[s]];
    if (parent != SUP_NONE) q->below[parent] += q->below[s];
  }
  int        most = n / 2;
  sup_status status = eliminate(q, solver, values, most);
  for (; status == SUP_E_NOT_SPD && most > 0; most /= 2)
    status = eliminate(q, solver, values, most / 2);
  SUP_TRY(status);
  SUP_TRY(build_top(q));
  SUP_TRY(permute(q));
  SUP_TRY(count_top(q, out));
  return SUP_OK;
}

sup_status sup_inertia(const sup_block_pattern *pattern, const double *values, int *out) {
  SUP_OWN_VALUE(sup_retained) retained = {0};
  inertia                     q = {.A = pattern, .base = &retained.symbolic};
  SUP_TRY(sup_retained_build(&retained, pattern));
  sup_status status = count(&q, values, out);
  sup_block_pattern_free(&q.S);
  sup_block_pattern_free(&q.top);
  SUP_FREE_ALL(&q.below, &q.last, &q.place, &q.at, &q.S_value, &q.value);
  return status;
}
