/** A symmetric linear operator on vectors of block columns: the data of a matrix for solvers
 * by products.  Layer la.
 *
 *  An operator is a plain value: the owner of a matrix makes one with SUP_MATRIX and passes its
 * address.  Of a matrix too large to be stored, only the diagonal blocks and a few others are
 * stored; each product computes the rest. */
#pragma once

#include "la/block_matrix.h"
#include "la/ranks.h"

/** Points and bodies of the block columns, for preconditioners (smoothed aggregation, deflation).
 */
typedef struct sup_block_space {
  const double *coordinate; /* [num_blocks x 3] place of each block column that is a point [m] */
  const int    *body; /* [num_blocks] the elastic body that a point belongs to; SUP_NONE: another */
  int num_bodies; /* 1: a rigid motion of a body has little energy: near-null space of the matrix */
  const unsigned char
      *held; /* [num_blocks] bit k: component k of a point is uncoupled; NULL: all are coupled */
  /* needed with a rest */
  const double *reference; /* [num_blocks x 3] place of each point in the undeformed body [m] .. */
  const double *distance;  /* .. and distances of neighbours along each axis [num_bodies x 3] [m] */
} sup_block_space;

/** Visitor of the cells of a matrix that is a sum over cells, each on n block columns of three
 * scalars.
 *  @param[in] K  [3n x 3n] symmetric, n at most SUP_CLIQUE_MOST; NULL: not requested */
typedef void sup_clique_visitor(void *user, int n, const int *block, const double *K);
enum { SUP_CLIQUE_MOST = 10 };

/** Blocks off the diagonal, of points alone, that are not stored: those of a sum over cells. */
typedef struct sup_block_rest {
  void (*add)(const struct sup_block_rest *rest, const double *x,
              double *y); /* y += rest times x */
  /** Visit the cells, whose diagonal blocks are no part of the rest.
   *  @param[in] is_valued 0: K is not requested */
  void (*cliques)(const struct sup_block_rest *rest, bool is_valued, sup_clique_visitor *visit,
                  void *user);
  const void *self;
} sup_block_rest;

typedef struct sup_linear_operator {
  const sup_block_pattern
                        *pattern; /* block columns and their sizes; entries of the stored matrix */
  const double          *values;  /* in the pattern */
  const sup_block_rest  *rest;    /* part that is not stored; NULL: none */
  const sup_block_space *space;   /* NULL: not known */
  const sup_block_ranks
      *ranks; /* ranks over which values are summed; NULL: the values are the matrix */
} sup_linear_operator;

/** Operator of a stored block matrix, for the duration of a call. */
#define SUP_MATRIX(pattern_, values_) \
  (&(sup_linear_operator){.pattern = (pattern_), .values = (values_)})

/** y := A x; y must not overlap x. */
void sup_linear_operator_apply(const sup_linear_operator *op, const double *x, double *y);
/** d := diag(A). */
void sup_linear_operator_diagonal(const sup_linear_operator *op, double *d);
