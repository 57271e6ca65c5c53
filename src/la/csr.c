#include "la/csr.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"

/** Visit every scalar entry of both triangles: column by column of the lower triangle, each
 * followed by its mirror image.
 */
static void count_or_fill(sup_csr *out, const sup_block_pattern *P, const double *values,
                          int *next) {
  for (int b = 0; b < P->num_blocks; b++)
    for (int e = sup_block_column(P, b); e < sup_block_column(P, b + 1); e++) {
      int a = sup_block_row(P, e), rows = sup_block_size(P, a);
      for (int j = 0; j < sup_block_size(P, b); j++)
        for (int i = 0; i < rows; i++) {
          int row = sup_block_first(P, a) + i, column = sup_block_first(P, b) + j;
          if (a == b && i < j) continue; /* of a diagonal block only the lower triangle is read */
          for (int side = 0; side < 1 + (row != column); side++) {
            int at = next[side ? column : row]++;
            if (!values) continue;
            out->column[at] = side ? row : column;
            out->value[at] = values[sup_block_value(P, e) + (size_t)(j * rows + i)];
          }
        }
    }
}

sup_status sup_csr_of_blocks(sup_csr *out, const sup_block_pattern *P, const double *values) {
  int            n = P->num_scalars;
  SUP_FREED int *next = NULL;
  *out = (sup_csr){.num_rows = n, .num_columns = n};
  if (2 * sup_block_pattern_num_values(P) > INT_MAX)
    return SUP_FAIL(SUP_E_ARG, "the matrix has %zu values, expected at most %d for a file",
                    2 * sup_block_pattern_num_values(P), INT_MAX);
  SUP_TRY(SUP_CALLOC(out->start, n + 1));
  SUP_TRY(SUP_CALLOC(next, n));
  count_or_fill(out, P, NULL, next);
  for (int i = 0; i < n; i++) out->start[i + 1] = out->start[i] + next[i], next[i] = out->start[i];
  SUP_TRY(SUP_CALLOC(out->column, out->start[n]));
  SUP_TRY(SUP_CALLOC(out->value, out->start[n]));
  count_or_fill(out, P, values, next);
  return SUP_OK;
}

static sup_status build(const sup_csr *from, int num_blocks, const int *offset, int *size, int *of,
                        int *pair, sup_block_pattern *pattern) {
  size_t num = 0;
  for (int b = 0; b < num_blocks; b++) {
    size[b] = offset[b + 1] - offset[b];
    for (int i = offset[b]; i < offset[b + 1]; i++) of[i] = b;
  }
  for (int i = 0; i < from->num_rows; i++)
    for (int k = from->start[i]; k < from->start[i + 1]; k++) {
      int a = of[i], b = of[from->column[k]];
      if (a < b || (num > 0 && pair[2 * num - 2] == a && pair[2 * num - 1] == b)) continue;
      pair[2 * num] = a, pair[2 * num++ + 1] = b;
    }
  SUP_TRY(sup_block_pattern_build(pattern, num_blocks, size, num, pair));
  return SUP_OK;
}

sup_status sup_csr_to_blocks(const sup_csr *from, int num_blocks, const int *offset,
                             sup_block_pattern *P, double **values) {
  SUP_FREED int *size = NULL, *of = NULL, *pair = NULL;
  *values = NULL;
  SUP_TRY(SUP_CALLOC(size, num_blocks));
  SUP_TRY(SUP_CALLOC(of, from->num_rows));
  SUP_TRY(SUP_CALLOC(pair, 2 * (size_t)from->start[from->num_rows]));
  SUP_TRY(build(from, num_blocks, offset, size, of, pair, P));
  SUP_TRY(SUP_CALLOC(*values, sup_block_pattern_num_values(P)));
  for (int i = 0; i < from->num_rows; i++)
    for (int k = from->start[i]; k < from->start[i + 1]; k++) {
      int a = of[i], j = from->column[k], b = of[j];
      if (a < b) continue;
      size_t at = sup_block_value(P, sup_block_pattern_find(P, a, b));
      (*values)[at + (size_t)((j - offset[b]) * size[a] + i - offset[a])] = from->value[k];
    }
  return SUP_OK;
}

void sup_csr_free(sup_csr *csr) { SUP_FREE_ALL(&csr->start, &csr->column, &csr->value); }
