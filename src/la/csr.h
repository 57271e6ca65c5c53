/** Sparse matrices by scalar rows (CSR), as files of other programs have them.  Layer la. */
#pragma once

#include "la/block_matrix.h"

typedef struct sup_csr {
  int     num_rows, num_columns;
  int    *start;  /* [num_rows + 1] into column and value, from 0 */
  int    *column; /* of each entry, from 0 */
  double *value;
} sup_csr;

/** Convert both triangles of a symmetric block matrix, columns ascending; freed by sup_csr_free,
 * also after a failure.  E_ARG: more entries than an int counts. */
SUP_NODISCARD sup_status sup_csr_of_blocks(sup_csr *out, const sup_block_pattern *pattern,
                                           const double *values);
/** Convert the lower triangle to blocks.
 *  @param[in]  offset   [num_blocks + 1] first scalar of each block column
 *  @param[out] pattern  zero, or built before; the caller's to free, also after a failure
 *  @param[out] values   freed with SUP_FREE, also after a failure */
SUP_NODISCARD sup_status sup_csr_to_blocks(const sup_csr *from, int num_blocks, const int *offset,
                                           sup_block_pattern *pattern, double **values);
void                     sup_csr_free(sup_csr *csr);
