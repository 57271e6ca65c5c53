/** A symmetric linear operator on vectors of block columns: what a solver that only multiplies
 * needs to know of a matrix.  Layer la.
 *
 *  Values like any other: whoever has a matrix makes one with SUP_MATRIX and passes its address. An
 *  operator that is stored otherwise (distributed, or never assembled) gives `apply` and
 * `diagonal`. */
#pragma once

#include "la/block_matrix.h"
#include "la/ranks.h"

/** What the block columns stand for.  Preconditioners use it (smoothed aggregation, deflation). */
typedef struct sup_block_space {
  const double *coordinate; /* [num_blocks x 3] place of each block column that is a point [m] */
  const int    *body; /* [num_blocks] the elastic body that a point belongs to; SUP_NONE: another */
  int           num_bodies; /* a rigid motion of a body costs little: its near-null space */
  double        distance;   /* of neighbouring points [m]; of operators that are not stored */
} sup_block_space;

/** What a cell adds to a matrix that is a sum over cells, on n block columns of three scalars.
 *  @param[in] K  [3n x 3n] symmetric, n at most SUP_CLIQUE_MOST */
typedef void sup_clique_visitor(void *user, int n, const int *block, const double *K);
enum { SUP_CLIQUE_MOST = 10 };

typedef struct sup_linear_operator {
  const sup_block_pattern
                        *pattern; /* block columns and their sizes; entries of the stored matrix */
  const double          *values;  /* in the pattern; NULL: the matrix is not stored */
  int                    first_owned; /* block rows that this process computes: first_owned .. */
  int                    num_owned;   /* .. and so many of them; 0: all */
  const sup_block_space *space;       /* NULL: not known */
  const sup_block_ranks *ranks; /* NULL: the values are the matrix; else its sum over these is */
  /* NULL: those of `values`.  y and d are [num_scalars], of which owned rows are set. */
  void (*apply)(const struct sup_linear_operator *op, const double *x, double *y);
  void (*diagonal)(const struct sup_linear_operator *op, double *d);
  /* Of an operator without values: visits what it is the sum of, so that a coarse level can be
   * made; NULL: it is not known. */
  void (*cliques)(const struct sup_linear_operator *op, sup_clique_visitor *visit, void *user);
  const void *self; /* theirs */
} sup_linear_operator;

/** The operator of a block matrix that is stored, for the duration of a call. */
#define SUP_MATRIX(pattern_, values_) \
  (&(sup_linear_operator){.pattern = (pattern_), .values = (values_)})

/** y := A x; y must not overlap x. */
void sup_linear_operator_apply(const sup_linear_operator *op, const double *x, double *y);
/** d := diag(A). */
void sup_linear_operator_diagonal(const sup_linear_operator *op, double *d);
/** The six rigid motions of a body about the mean of its points: translations, then rotations, made
 *  orthonormal; what depends on the others (points on a line) is left out.
 *  @param[out] mode  [6 x num_scalars]
 *  @return their number, 0 for a body without points */
int sup_block_space_rigid_modes(const sup_block_space *space, const sup_block_pattern *pattern,
                                int body, double *mode);
