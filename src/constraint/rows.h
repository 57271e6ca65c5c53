/** Rows of the step's problem under construction; memory is kept from step to step.  Layer
 * constraint. */
#pragma once

#include "constraint/attachment.h"
#include "solve/problem.h"

typedef struct sup_rows {
  sup_constraint     *constraint;
  sup_jacobian_block *jacobian;
  double             *jacobian_value;
  sup_cluster        *cluster;
  sup_span           *span;
  size_t              capacity[5];
  int                 num_constraints, num_vc, num_jacobian_blocks;
  int                 num_clusters;
  size_t              num_values;
} sup_rows;

void sup_rows_reset(sup_rows *rows);
void sup_rows_free(sup_rows *rows);
/** Begin a constraint with a law; its bias is zero. */
SUP_NODISCARD sup_status sup_rows_begin(sup_rows *rows, const sup_law *law);
/** The present constraint's Jacobian on a block column of `size` scalars: row-major, dimension x
 * size, zero when new; valid until the next call. */
SUP_NODISCARD sup_status sup_rows_block(sup_rows *rows, int block, int size, double **J);
/** The present constraint. */
static inline sup_constraint *sup_rows_last(sup_rows *rows) {
  return &rows->constraint[rows->num_constraints - 1];
}
/** Spans of the blocks of trees, whose joints beyond a link do not move it; of A's block columns.
 */
SUP_NODISCARD sup_status sup_rows_set_spans(sup_rows *rows, const sup_block_pattern *A_pattern);
/** The constraints from `first` on, of dimension 3 and on the same block columns, become a cluster.
 *  @param[out] S  [count x 18], T [2] each 6 x size of the first constraint's blocks, row-major, T
 * zero; valid until the next call */
SUP_NODISCARD sup_status sup_rows_cluster(sup_rows *rows, int first, const int *size, double **S,
                                          double *T[2]);
