#include "solve/block_inverse.h"

#include <string.h>

#include "la/dense_cholesky.h"

sup_status sup_block_inverse_create(sup_block_inverse *q, const sup_block_pattern *pattern,
                                    const double *A, sup_arena *arena) {
  *q = (sup_block_inverse){.pattern = pattern, .A = A, .arena = arena};
  SUP_TRY(SUP_ARENA(arena, q->factor, pattern->num_blocks));
  for (int b = 0; b < pattern->num_blocks; b++) q->factor[b] = NULL;
  return SUP_OK;
}

static sup_status factor_block(sup_block_inverse *q, int block, int n) {
  double *L;
  if (q->factor[block]) return SUP_OK;
  SUP_TRY(SUP_ARENA(q->arena, L, n * n));
  memcpy(L, q->A + sup_block_diagonal(q->pattern, block), (size_t)(n * n) * sizeof *L);
  if (sup_dense_cholesky(n, L) < n)
    return SUP_FAIL(SUP_E_NOT_SPD, "block %d of the dynamics is not positive definite", block);
  q->factor[block] = L;
  return SUP_OK;
}

sup_status sup_block_inverse_add(sup_block_inverse *q, int block, int dim, const double *J,
                                 double *W) {
  int     n = sup_block_size(q->pattern, block);
  double *Y;
  SUP_TRY(SUP_ARENA(q->arena, Y, dim * n));
  SUP_TRY(factor_block(q, block, n));
  memcpy(Y, J, (size_t)(dim * n) * sizeof *Y);
  for (int r = 0; r < dim; r++) sup_dense_cholesky_forward(n, q->factor[block], Y + r * n);
  for (int r = 0; r < dim; r++)
    for (int s = 0; s < dim; s++)
      for (int j = 0; j < n; j++) W[dim * r + s] += Y[r * n + j] * Y[s * n + j];
  return SUP_OK;
}
