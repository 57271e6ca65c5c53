/** Matrices of the linear algebra tests: a pattern with values that make it positive definite. */
#pragma once

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "la/block_matrix.h"
#include "test.h"

typedef struct la_case {
  sup_block_pattern pattern;
  double           *values;
} la_case;

static inline int la_case_pick(test_random *random, int count) {
  int k = (int)((test_uniform(random) + 1) / 2 * count);
  return k < count ? k : count - 1;
}

/** Add `shift` to the diagonal of one block. */
static inline void la_case_shift(la_case *c, int block, double shift) {
  const sup_block_pattern *p = &c->pattern;
  int                      size = p->offset[block + 1] - p->offset[block];
  double                  *value = c->values + p->value_start[p->col_start[block]];
  for (int i = 0; i < size; i++) value[i * size + i] += shift;
}

/** Random values with a diagonal that just dominates, so that the matrix is positive definite.  The
 * upper triangles of the diagonal blocks hold NaN: nothing may read them. */
static inline void la_case_fill(la_case *c, uint64_t seed) {
  const sup_block_pattern *p = &c->pattern;
  test_random              random = {seed};
  double                  *sum = calloc((size_t)p->num_scalars + 1, sizeof *sum);
  c->values = realloc(c->values, (sup_block_pattern_num_values(p) + 1) * sizeof(double));
  for (int j = 0; j < p->num_blocks; j++) {
    for (int e = p->col_start[j]; e < p->col_start[j + 1]; e++) {
      int i = p->row[e], rows = p->offset[i + 1] - p->offset[i],
          cols = p->offset[j + 1] - p->offset[j];
      for (int k = 0; k < rows * cols; k++) {
        int     row = k % rows, col = k / rows;
        double *value = &c->values[p->value_start[e] + (size_t)k];
        *value = i == j && row < col ? (double)NAN : test_uniform(&random);
        if (i == j && row <= col) continue;
        sum[p->offset[i] + row] += fabs(*value);
        sum[p->offset[j] + col] += fabs(*value);
      }
    }
  }
  for (int j = 0; j < p->num_blocks; j++) {
    int size = p->offset[j + 1] - p->offset[j];
    for (int k = 0; k < size; k++)
      c->values[p->value_start[p->col_start[j]] + (size_t)(k * size + k)] =
          sum[p->offset[j] + k] + 0.1;
  }
  free(sum);
}

/** Random graph with about `degree` couplings a block, block sizes 1 .. max_size. */
static inline void la_case_random(la_case *c, int num_blocks, int max_size, double degree,
                                  uint64_t seed) {
  test_random random = {seed};
  size_t      num_pairs = (size_t)(degree * num_blocks / 2);
  int        *pair = calloc(2 * num_pairs + 1, sizeof *pair),
      *size = calloc((size_t)num_blocks + 1, sizeof *size);
  for (int b = 0; b < num_blocks; b++) size[b] = 1 + la_case_pick(&random, max_size);
  for (size_t k = 0; k < 2 * num_pairs; k++) pair[k] = la_case_pick(&random, num_blocks);
  OK(sup_block_pattern_build(&c->pattern, num_blocks, size, num_pairs, pair));
  la_case_fill(c, seed + 1);
  free(pair);
  free(size);
}

/** Grid of nx x ny x nz vertices with 3x3 blocks coupled over the 27-point stencil, as of
 * hexahedra. */
static inline void la_case_grid(la_case *c, int nx, int ny, int nz, uint64_t seed) {
  int n = nx * ny * nz, *size = calloc((size_t)n, sizeof *size),
      *pair = calloc((size_t)n * 28, 2 * sizeof *pair);
  size_t num_pairs = 0;
  for (int v = 0; v < n; v++) size[v] = 3;
  for (int z = 0; z < nz; z++)
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < nx; x++)
        for (int k = 0; k < 27; k++) {
          int a = x + k % 3 - 1, b = y + k / 3 % 3 - 1, d = z + k / 9 - 1;
          if (a < 0 || a >= nx || b < 0 || b >= ny || d < 0 || d >= nz) continue;
          pair[2 * num_pairs] = (z * ny + y) * nx + x;
          pair[2 * num_pairs++ + 1] = (d * ny + b) * nx + a;
        }
  OK(sup_block_pattern_build(&c->pattern, n, size, num_pairs, pair));
  la_case_fill(c, seed);
  free(pair);
  free(size);
}

static inline void la_case_free(la_case *c) {
  sup_block_pattern_free(&c->pattern);
  free(c->values);
  c->values = NULL;
}

/** The matrix as a full dense one, column-major; the caller frees it. */
static inline double *la_case_dense(const la_case *c) {
  const sup_block_pattern *p = &c->pattern;
  size_t                   n = (size_t)p->num_scalars;
  double                  *a = calloc(n * n + 1, sizeof *a);
  for (int j = 0; j < p->num_blocks; j++)
    for (int e = p->col_start[j]; e < p->col_start[j + 1]; e++) {
      int i = p->row[e], rows = p->offset[i + 1] - p->offset[i],
          cols = p->offset[j + 1] - p->offset[j];
      for (int k = 0; k < rows * cols; k++) {
        size_t row = (size_t)(p->offset[i] + k % rows), col = (size_t)(p->offset[j] + k / rows);
        if (row < col) continue;
        a[col * n + row] = a[row * n + col] = c->values[p->value_start[e] + (size_t)k];
      }
    }
  return a;
}

/** max |A x - b| / (|A| |x| + |b|) in maximum norms, with the layer's own product. */
static inline double la_case_residual(const la_case *c, const double *x, const double *b) {
  const sup_block_pattern *p = &c->pattern;
  double *y = calloc((size_t)p->num_scalars + 1, sizeof *y), r = 0, scale_b = 0, scale_x = 0,
         scale_a = 0;
  sup_block_multiply(p, c->values, x, y);
  for (int j = 0; j < p->num_blocks; j++) {
    int size = p->offset[j + 1] - p->offset[j];
    for (int k = 0; k < size; k++)
      scale_a = fmax(scale_a,
                     2 * fabs(c->values[p->value_start[p->col_start[j]] + (size_t)(k * size + k)]));
  }
  for (int i = 0; i < p->num_scalars; i++) {
    if (!isfinite(x[i])) r = (double)INFINITY;
    r = fmax(r, fabs(y[i] - b[i]));
    scale_b = fmax(scale_b, fabs(b[i]));
    scale_x = fmax(scale_x, fabs(x[i]));
  }
  free(y);
  return r / (scale_a * scale_x + scale_b + DBL_MIN);
}
