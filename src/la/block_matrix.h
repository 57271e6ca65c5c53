/** Symmetric block-sparse matrices: one dense block a pair of block columns, lower triangle.  Layer
 * la.
 *
 *  A block column is a unit of unknowns: a FEM vertex (3 scalars) or a tree (its joint velocities).
 * The layer knows no physics.  Patterns are rebuilt in place and keep their memory, so that a step
 * allocates only when it grows. Products and factorisations read only the lower triangle of a
 * diagonal block. */
#pragma once

#include "base/status.h"

/** Pattern of the lower triangle by block columns.  Rows of a column ascend; the first is the
 * diagonal. */
typedef struct sup_block_pattern {
  int  num_blocks;
  int  num_scalars;
  int *offset; /* [num_blocks + 1] first scalar of each block column; block b has offset[b+1] -
                  offset[b] */
  int    *col_start;   /* [num_blocks + 1] into row */
  int    *row;         /* [col_start[num_blocks]] block rows */
  size_t *value_start; /* [col_start[num_blocks] + 1] first value of each block, size(row) x
                          size(col), column-major */
  int   *scratch;      /* of the build */
  size_t capacity[5];  /* of the five arrays */
} sup_block_pattern;

/** Build from the diagonal and num_pairs pairs (pair[2k], pair[2k+1]) in any order, repeats and i
 * == j allowed. Linear time; zero the struct before the first build.  E_ARG for a size or an index
 * out of range, E_MEMORY; after a failure the pattern is empty and may be built again.
 *  @param[in] size  scalars of each block column; size num_blocks, each >= 1 */
SUP_NODISCARD sup_status sup_block_pattern_build(sup_block_pattern *pattern, int num_blocks,
                                                 const int *size, size_t num_pairs,
                                                 const int *pair);
/** Free the working memory of builds, after the last build. */
void sup_block_pattern_finish(sup_block_pattern *pattern);
void sup_block_pattern_free(sup_block_pattern *pattern);
/** Entry (index into row and value_start) of the block (row, col), row >= col; SUP_NONE when it is
 * not stored. */
int sup_block_pattern_find(const sup_block_pattern *pattern, int row, int col);
/** 1: same block columns and same entries. */
int sup_block_pattern_equal(const sup_block_pattern *a, const sup_block_pattern *b);

/* Layout.  Other layers call these functions and read no array of a pattern. */

/** First scalar of block column b; b = num_blocks: num_scalars. */
static inline int sup_block_first(const sup_block_pattern *pattern, int b) {
  return pattern->offset[b];
}
/** Scalars of block column b. */
static inline int sup_block_size(const sup_block_pattern *pattern, int b) {
  return pattern->offset[b + 1] - pattern->offset[b];
}
/** First entry of block column b, its diagonal block; its entries end where those of b + 1 begin.
 * b = num_blocks: number of entries. */
static inline int sup_block_column(const sup_block_pattern *pattern, int b) {
  return pattern->col_start[b];
}
/** Block row of an entry. */
static inline int sup_block_row(const sup_block_pattern *pattern, int entry) {
  return pattern->row[entry];
}
/** First value of an entry's block, size(row) x size(col), column-major; of the number of entries:
 * number of values. */
static inline size_t sup_block_value(const sup_block_pattern *pattern, int entry) {
  return pattern->value_start[entry];
}
/** First values of all entries' blocks [number of entries + 1]. */
static inline const size_t *sup_block_values(const sup_block_pattern *pattern) {
  return pattern->value_start;
}
/** First value of the diagonal block of block column b, the first of the column's values; b =
 * num_blocks: number of values. */
static inline size_t sup_block_diagonal(const sup_block_pattern *pattern, int b) {
  return pattern->value_start[pattern->col_start[b]];
}
/** Number of values. */
size_t sup_block_pattern_num_values(const sup_block_pattern *pattern);
/** y = A x with the lower triangle in values; x and y of size num_scalars, y must not overlap x.
 * Large products use threads, with the same bits as one thread. */
void sup_block_multiply(const sup_block_pattern *pattern, const double *values, const double *x,
                        double *y);
