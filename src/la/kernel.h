/** Dense kernels of the supernodal factor, one set per instruction set.  Layer la.
 *
 *  Every output element is accumulated in one fixed order by fused multiply-adds c -= a b, so that all sets with FMA
 *  give the same bits.  Leading dimensions and row counts are multiples of 8, arrays are aligned to 64 bytes. */
#pragma once

#include "la/plan.h"

enum {
  SUP_KERNEL_STRIP = 6,    /* columns of a strip: two 3x3 blocks */
  SUP_KERNEL_LARGE = 24576 /* doubles of a panel that is factored first at the top, then below, tile by tile */
};

typedef struct sup_kernels {
  const char *name;
  /** C := -A B^T; A is rows x inner, B is cols x inner, cols <= SUP_KERNEL_STRIP; C has leading dimension rows. */
  void (*update)(int rows, int cols, int inner, const double *a, int lda, const double *b, int ldb, double *c);
  /** Add a strip to a panel by runs: element i of strip column j goes to row i of panel column column[j]; the strip's
   * rows are the source's base .. base + rows; rows before `first` are left out. */
  void (*scatter)(const sup_run *run, const sup_run *end, int base, int first, int rows, int cols, const double *strip,
                  double *const *column);
  /** Cholesky of the diagonal block and triangular solve of the rows below, in place; the diagonal of L is replaced by
   * its reciprocal.  Returns the failed column, SUP_NONE when all pivots were positive; *pivot is the last one seen. */
  int (*factor)(int height, int width, double *panel, int ld, double *pivot);
  /** x := L11^-1 x of `width` scalars (with room for `top`), y := -L21 x of height - top scalars. */
  void (*forward)(int height, int width, int top, const double *panel, int ld, double *x, double *y);
  /** x := L11^-T (x - L21^T y). */
  void (*backward)(int height, int width, int top, const double *panel, int ld, double *x, const double *y);
} sup_kernels;

/** The best set that this processor runs. */
const sup_kernels *sup_kernel_select(void);
/** Set number k, best first, NULL when this processor or compiler has no such set; *end when k is past the last. */
const sup_kernels *sup_kernel_set(int k, int *end);
