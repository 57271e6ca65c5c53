/** Inverse masses of constraints, W = sum of J_c A_cc^-1 J_c^T over their block columns
 * (THEORY 5.4). Layer solve.
 *
 *  Whole blocks do not depend on the world's axes, single entries do. */
#pragma once

#include "base/memory.h"
#include "la/block_matrix.h"

typedef struct sup_block_inverse {
  const sup_block_pattern *pattern;
  const double            *A;
  double   **factor; /* [num_blocks] of a diagonal block, made when first needed; else NULL */
  sup_arena *arena;
} sup_block_inverse;

SUP_NODISCARD sup_status sup_block_inverse_create(sup_block_inverse       *q,
                                                  const sup_block_pattern *pattern, const double *A,
                                                  sup_arena *arena);
/** W [dim x dim] += J A_cc^-1 J^T.
 *  @param[in] J  [dim x n] row-major, dim at most 3
 *  E_NOT_SPD. */
SUP_NODISCARD sup_status sup_block_inverse_add(sup_block_inverse *q, int block, int dim,
                                               const double *J, double *W);
