/** Dense kernels of the supernodal factor, one set per instruction set.  Layer la.
 *
 *  Every output element is accumulated in one fixed order by fused multiply-adds c -= a b, so that
 * all sets with FMA give the same bits.  Leading dimensions and row counts are multiples of 8,
 * arrays are aligned to 64 bytes. */
#pragma once

#include "la/supernodal/plan.h"

enum {
  SUP_KERNEL_STRIP = 6, /* columns of a strip: two 3x3 blocks */
  SUP_KERNEL_NEAR =
      2560, /* doubles of a source that the first-level cache keeps from strip to strip */
  SUP_KERNEL_LARGE = 24576 /* doubles of a panel above which factorisation does the diagonal block
                              first, then the rows below, tile by tile */
};

/** Product that updates a target panel: all rows below the source panel's diagonal block times the
 * subset of these rows that are columns of the target. */
typedef struct sup_product {
  const double    *below; /* [ld x inner] */
  int              ld, inner, rows;
  int              first, count; /* the rows that are columns of the target */
  const sup_piece *piece, *end;  /* places of rows `first` and below in the target */
  double         **column;       /* [count] columns of the target */
  double          *operand;      /* [count x inner] workspace */
} sup_product;

typedef struct sup_kernels {
  const char *name;
  /** Target -= A B^T, its lower triangle. */
  void (*update)(const sup_product *product);
  /** Cholesky of the diagonal block and triangular solve of the rows below, in place; the diagonal
   * of L is replaced by its reciprocal.  Returns the failed column, SUP_NONE when all pivots were
   * positive normal numbers; *pivot is the last one seen. */
  int (*factor)(int height, int width, double *panel, int ld, double *pivot);
  /** x := L11^-1 x of `width` scalars (with workspace for `top`), y := -L21 x of height - top
   * scalars.
   */
  void (*forward)(int height, int width, int top, const double *panel, int ld, double *x,
                  double *y);
  /** x := L11^-T (x - L21^T y). */
  void (*backward)(int height, int width, int top, const double *panel, int ld, double *x,
                   const double *y);
  /** A symmetric matrix times x, entries e .. stop of a vertex's block column, below the diagonal,
   * up to the first row that is no vertex: y_i += A_ij x_j for rows before `end`, sum += A_ij^T x_i
   * for all.  Returns the first entry whose row is no vertex, or stop. */
  int (*couple)(const sup_block_pattern *pattern, int e, int stop, int end, const double *values,
                const double *x, const double xj[3], double *y, double sum[3]);
} sup_kernels;

/** Best set of kernels that this processor supports. */
const sup_kernels *sup_kernel_select(void);
/** Set number k, best first; NULL: this processor or compiler lacks the set; *end := 1 if k is past
 * the last set. */
const sup_kernels *sup_kernel_set(int k, int *end);
/** 1: this processor and compiler have the instruction set number k, best first; *end := 1 if k is
 * past the last.  All kernels have the same sets (base/each_set.inc). */
int sup_kernel_runs(int k, int *end);
/** Number of the best set. */
int sup_kernel_best(void);
