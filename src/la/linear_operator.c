#include "la/linear_operator.h"

void sup_linear_operator_apply(const sup_linear_operator *op, const double *x, double *y) {
  sup_block_multiply(op->pattern, op->values, x, y);
  if (op->rest) op->rest->add(op->rest, x, y);
}

void sup_linear_operator_diagonal(const sup_linear_operator *op, double *d) {
  const sup_block_pattern *P = op->pattern;
  for (int b = 0; b < P->num_blocks; b++) {
    int           size = sup_block_size(P, b);
    const double *D = op->values + sup_block_diagonal(P, b);
    for (int i = 0; i < size; i++) d[P->offset[b] + i] = D[i * size + i];
  }
}
