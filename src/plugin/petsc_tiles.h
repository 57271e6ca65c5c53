/** Tiles of AIJ matrices and parts of their products: of petsc_galerkin.c and
 * petsc_galerkin_ranks.c.  Private to the plug-in. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "plugin/petsc_parts.h"

/** Rows of tiles of an AIJ matrix whose scalar rows of a tile have the same columns. */
typedef struct sup_tiles {
  PetscInt           num; /* rows of tiles */
  int                height, width;
  const PetscInt    *start, *col; /* of scalar rows */
  const PetscScalar *value;
} sup_tiles;

static inline PetscInt sup_tiles_in_row(const sup_tiles *M, PetscInt i, int height, int width) {
  return (M->start[height * i + 1] - M->start[height * i]) / width;
}
static inline PetscInt sup_tile_column(const sup_tiles *M, PetscInt i, PetscInt t, int height,
                                       int width) {
  return M->col[M->start[height * i] + width * t] / width;
}
/** Row k of tile t, `width` numbers. */
static inline const PetscScalar *sup_tile_row(const sup_tiles *M, PetscInt i, PetscInt t, int k,
                                              int height, int width) {
  return M->value + M->start[height * i + k] + width * t;
}

/** Tiles of a seqaij matrix with block sizes. */
PetscErrorCode sup_tiles_view(Mat A, sup_tiles *M);
/** 1: tiles have all their columns, in all their rows. */
int sup_tiles_are_whole(const sup_tiles *M);
/** 1: products are made for matrices and interpolations of these tiles. */
int sup_tiles_are_known(const sup_tiles *A, const sup_tiles *P);

/** Both parts of a matrix on ranks, own columns and others', and PETSc's numbers of the latter. */
PetscErrorCode sup_tiles_view_parts(Mat A, sup_tiles part[2], const PetscInt **far);
/** Tiles of one part, of known block sizes. */
PetscErrorCode sup_tiles_view_part(Mat of, int height, int width, PetscInt num, sup_tiles *M);
/** 1: on all ranks both parts of A and of P are of tiles that products are made for; collective. */
int sup_tiles_are_of_ranks(Mat A, Mat P);

/** A and P by local numbers: rows of tiles that this rank has, then those that its columns meet;
 * coarse columns that come up in these, in ascending order of PETSc's numbers. */
typedef struct sup_rank_view {
  int                 H, W;
  sup_tiles           A[2]; /* own columns, others' */
  PetscInt            num_own, num_rows, num_coarse;
  PetscInt            begin, end;      /* own coarse tiles, in PETSc's numbers */
  PetscInt           *p_start, *p_col; /* of P by rows of tiles, local coarse numbers */
  const PetscScalar **p_value;         /* [tiles] where the first row of each is .. */
  PetscInt           *p_stride;        /* .. and how far it is to the next */
  PetscInt           *number;          /* [num_coarse] PETSc's */
  PetscInt           *local, num_all;  /* [num_all] and back; -1: does not come up */
  Mat                *fetched;         /* rows of other ranks */
} sup_rank_view;
/** Collective.  To be freed also after a failure; A and P outlive it. */
PetscErrorCode sup_rank_view_create(Mat A, Mat P, sup_rank_view *v);
void           sup_rank_view_free(sup_rank_view *v);

/** Row of P that column j of part k of A meets. */
static inline PetscInt sup_rank_view_row(const sup_rank_view *v, int k, PetscInt j) {
  return k ? v->num_own + j : j;
}
/** 1: the coarse tile of that number is this rank's. */
static inline int sup_rank_view_owns(const sup_rank_view *v, PetscInt number) {
  return number >= v->begin && number < v->end;
}

/** A row of tiles of A P. */
typedef struct sup_product_row {
  PetscInt     num, room;
  PetscInt    *slot;   /* [columns of tiles] where it is in the row, or -1 */
  PetscInt    *column; /* [room] of the tiles, */
  PetscScalar *value;  /* [room x height x width] by rows, */
  PetscInt    *order;  /* [room] and their order */
} sup_product_row;

void sup_product_row_free(sup_product_row *R);
/** Room for more; 0: no memory. */
int sup_product_row_grow(sup_product_row *R, size_t tile);

#define SUP_INLINE static inline __attribute__((always_inline))

/** R += a p in column b, rows of a tile of A and of one of P; 0: no memory. */
SUP_INLINE int sup_product_row_add(sup_product_row *R, PetscInt b, const PetscScalar *const *a,
                                   const PetscScalar *const *p, const int H, const int W) {
  if (R->slot[b] < 0) {
    if (R->num == R->room && !sup_product_row_grow(R, (size_t)(H * W))) return 0;
    R->column[R->num] = b, R->slot[b] = R->num;
    memset(R->value + R->num++ * H * W, 0, (size_t)(H * W) * sizeof *R->value);
  }
  PetscScalar *restrict to = R->value + R->slot[b] * H * W;
  for (int m = 0; m < H; m++) {
    PetscScalar sum[6];
    for (int n = 0; n < W; n++) sum[n] = to[m * W + n];
    for (int k = 0; k < H; k++)
      for (int n = 0; n < W; n++) sum[n] += a[m][k] * p[k][n];
    for (int n = 0; n < W; n++) to[m * W + n] = sum[n];
  }
  return 1;
}

/** The row is whole: its order; slots are free for the next. */
SUP_INLINE void sup_product_row_sort(sup_product_row *R) {
  for (PetscInt s = 0; s < R->num; s++) { /* few */
    PetscInt at = s;
    for (; at > 0 && R->column[R->order[at - 1]] > R->column[s]; at--)
      R->order[at] = R->order[at - 1];
    R->order[at] = s;
  }
  for (PetscInt s = 0; s < R->num; s++) R->slot[R->column[s]] = -1;
}

/** Row i of A P, in order; 0: no memory. */
SUP_INLINE int sup_product_row_fill(sup_product_row *R, const sup_rank_view *v, PetscInt i,
                                    const int H, const int W) {
  const PetscScalar *a[6], *q[6];
  R->num = 0;
  for (int k = 0; k < 2; k++)
    for (PetscInt t = 0; t < sup_tiles_in_row(&v->A[k], i, H, H); t++) {
      PetscInt j = sup_rank_view_row(v, k, sup_tile_column(&v->A[k], i, t, H, H));
      for (int m = 0; m < H; m++) a[m] = sup_tile_row(&v->A[k], i, t, m, H, H);
      for (PetscInt u = v->p_start[j]; u < v->p_start[j + 1]; u++) {
        for (int m = 0; m < H; m++) q[m] = v->p_value[u] + m * v->p_stride[u];
        if (!sup_product_row_add(R, v->p_col[u], a, q, H, W)) return 0;
      }
    }
  sup_product_row_sort(R);
  return 1;
}

/** A tile of the result, whose rows are `stride` apart, += p^T from. */
SUP_INLINE void sup_tile_add(const PetscScalar *const *p, const PetscScalar *from, PetscScalar *to,
                             PetscInt stride, const int H, const int W) {
  for (int m = 0; m < W; m++) {
    PetscScalar *row = to + m * stride, sum[6];
    for (int c = 0; c < W; c++) sum[c] = row[c];
    for (int k = 0; k < H; k++)
      for (int c = 0; c < W; c++) sum[c] += p[k][m] * from[k * W + c];
    for (int c = 0; c < W; c++) row[c] = sum[c];
  }
}
