#include "la/ranks.h"

void sup_block_multiply_all(const sup_block_ranks *ranks, const sup_block_pattern *pattern,
                            const double *values, const double *x, double *y) {
  sup_block_multiply(pattern, values, x, y);
  if (ranks) ranks->collective->sum(ranks->collective, (size_t)pattern->num_scalars, y);
}
