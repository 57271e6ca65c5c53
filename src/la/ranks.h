/** A symmetric block matrix as a sum over ranks.  Layer la.
 *
 *  Each rank stores the entries to which it contributes, in a pattern of all block columns; vectors
 * are whole and equal on all ranks.  A product is computed with the own entries and summed over
 * ranks. */
#pragma once

#include "base/collective.h"
#include "la/block_matrix.h"

typedef struct sup_block_ranks {
  const sup_collective    *collective;
  const int               *owner;    /* [num_blocks] rank that has the row of a block column */
  const unsigned char     *touched;  /* [num_blocks] 1: this rank adds to the diagonal block, too */
  const sup_block_pattern *pattern;  /* of diagonal blocks alone .. */
  const double            *diagonal; /* .. and those of the sum */
} sup_block_ranks;

/** 1: this rank adds the terms of block column b's rows that belong to no cell and are added once.
 */
static inline bool sup_block_is_owned(const sup_block_ranks *ranks, int b) {
  return !ranks || ranks->owner[b] == ranks->collective->rank;
}

/** y := A x for the sum over ranks; ranks NULL: for A itself. */
void sup_block_multiply_all(const sup_block_ranks *ranks, const sup_block_pattern *pattern,
                            const double *values, const double *x, double *y);
/** Diagonal block of block column b in the sum over ranks, column-major; ranks NULL: of A itself.
 */
static inline const double *sup_block_diagonal_all(const sup_block_ranks   *ranks,
                                                   const sup_block_pattern *pattern,
                                                   const double *values, int b) {
  return ranks ? ranks->diagonal + sup_block_diagonal(ranks->pattern, b)
               : values + sup_block_diagonal(pattern, b);
}
