#include "la/block_matrix.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "base/team.h"
#include "la/supernodal/kernel.h"
#include "la/vector.h"

enum { THREAD_VALUES = 30000 /* least work of a thread: some 0.02 ms */ };

static sup_status check_arguments(int num_blocks, const int *size, size_t num_pairs,
                                  const int *pair) {
  long long num_scalars = 0;
  if (num_blocks < 0)
    return SUP_FAIL(SUP_E_ARG, "block matrix: %d block columns; 0 or more are allowed", num_blocks);
  for (int b = 0; b < num_blocks; b++) {
    if (size[b] < 1)
      return SUP_FAIL(SUP_E_ARG, "block matrix: block column %d has %d scalars; 1 at least", b,
                      size[b]);
    num_scalars += size[b];
  }
  if (num_scalars > INT_MAX)
    return SUP_FAIL(SUP_E_ARG, "block matrix: %lld scalars; at most %d fit", num_scalars, INT_MAX);
  if (num_pairs > (size_t)INT_MAX / 2 - (size_t)num_blocks)
    return SUP_FAIL(SUP_E_ARG, "block matrix: %zu pairs; at most %d fit", num_pairs,
                    INT_MAX / 2 - num_blocks);
  for (size_t k = 0; k < 2 * num_pairs; k++)
    if (pair[k] < 0 || pair[k] >= num_blocks)
      return SUP_FAIL(SUP_E_ARG, "block matrix: pair %zu names block column %d; there are %d",
                      k / 2, pair[k], num_blocks);
  return SUP_OK;
}

/** Bucket the pairs by their larger index: column indices of row i in bucket[row_start[i] ..
 * row_start[i + 1]). */
static void bucket_by_row(int num_blocks, size_t num_pairs, const int *pair, int *row_start,
                          int *bucket) {
  memset(row_start, 0, ((size_t)num_blocks + 1) * sizeof *row_start);
  for (size_t k = 0; k < num_pairs; k++) {
    int i = pair[2 * k], j = pair[2 * k + 1];
    row_start[(i > j ? i : j) + 1]++;
  }
  for (int b = 0; b < num_blocks; b++) row_start[b + 1] += row_start[b];
  for (size_t k = 0; k < num_pairs; k++) {
    int i = pair[2 * k], j = pair[2 * k + 1];
    bucket[row_start[i > j ? i : j]++] = i > j ? j : i;
  }
  memmove(row_start + 1, row_start, (size_t)num_blocks * sizeof *row_start);
  row_start[0] = 0;
}

/** Rows in ascending order reach each column in ascending order, so a repeat is seen by the
 * column's last row. With row == NULL only count into next[col + 1]; otherwise append row numbers
 * at next[col]. */
static void visit_rows(int num_blocks, const int *row_start, const int *bucket, int *last_row,
                       int *next, int *row) {
  for (int b = 0; b < num_blocks; b++) last_row[b] = SUP_NONE;
  for (int i = 0; i < num_blocks; i++) {
    for (int k = row_start[i] - 1; k < row_start[i + 1]; k++) {
      int j = k < row_start[i] ? i : bucket[k]; /* the diagonal first */
      if (last_row[j] == i) continue;
      last_row[j] = i;
      if (row)
        row[next[j]++] = i;
      else
        next[j + 1]++;
    }
  }
}

static void set_value_starts(sup_block_pattern *pattern) {
  const int *offset = pattern->offset;
  size_t     value = 0;
  for (int j = 0; j < pattern->num_blocks; j++) {
    size_t width = (size_t)(offset[j + 1] - offset[j]);
    for (int e = pattern->col_start[j]; e < pattern->col_start[j + 1]; e++) {
      int i = pattern->row[e];
      pattern->value_start[e] = value;
      value += width * (size_t)(offset[i + 1] - offset[i]);
    }
  }
  pattern->value_start[pattern->col_start[pattern->num_blocks]] = value;
}

sup_status sup_block_pattern_build(sup_block_pattern *pattern, int num_blocks, const int *size,
                                   size_t num_pairs, const int *pair) {
  pattern->num_blocks = pattern->num_scalars = 0;
  SUP_TRY(check_arguments(num_blocks, size, num_pairs, pair));
  size_t n = (size_t)num_blocks;
  SUP_TRY(SUP_GROW(pattern->offset, pattern->capacity[0], n + 1));
  SUP_TRY(SUP_GROW(pattern->col_start, pattern->capacity[1], n + 1));
  SUP_TRY(SUP_GROW(pattern->scratch, pattern->capacity[4], 2 * n + 1 + num_pairs));
  int *offset = pattern->offset, *col_start = pattern->col_start;
  int *row_start = pattern->scratch, *last_row = row_start + n + 1, *bucket = last_row + n;

  offset[0] = 0;
  for (int b = 0; b < num_blocks; b++) offset[b + 1] = offset[b] + size[b];
  bucket_by_row(num_blocks, num_pairs, pair, row_start, bucket);
  memset(col_start, 0, (n + 1) * sizeof *col_start);
  visit_rows(num_blocks, row_start, bucket, last_row, col_start, NULL);
  for (int b = 0; b < num_blocks; b++) col_start[b + 1] += col_start[b];
  size_t num_entries = (size_t)col_start[num_blocks];
  SUP_TRY(SUP_GROW(pattern->row, pattern->capacity[2], num_entries + 1));
  SUP_TRY(SUP_GROW(pattern->value_start, pattern->capacity[3], num_entries + 1));
  visit_rows(num_blocks, row_start, bucket, last_row, col_start, pattern->row);
  memmove(col_start + 1, col_start, n * sizeof *col_start);
  col_start[0] = 0;

  pattern->num_blocks = num_blocks;
  pattern->num_scalars = offset[num_blocks];
  set_value_starts(pattern);
  return SUP_OK;
}

void sup_block_pattern_finish(sup_block_pattern *pattern) {
  SUP_FREE(pattern->scratch);
  pattern->capacity[4] = 0;
}

void sup_block_pattern_free(sup_block_pattern *pattern) {
  SUP_FREE_ALL(&pattern->offset, &pattern->col_start, &pattern->row, &pattern->value_start,
               &pattern->scratch);
  memset(pattern, 0, sizeof *pattern);
}

int sup_block_pattern_find(const sup_block_pattern *pattern, int row, int col) {
  int low = pattern->col_start[col], high = pattern->col_start[col + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (pattern->row[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low < pattern->col_start[col + 1] && pattern->row[low] == row ? low : SUP_NONE;
}

int sup_block_pattern_equal(const sup_block_pattern *a, const sup_block_pattern *b) {
  size_t n = (size_t)a->num_blocks;
  if (a->num_blocks != b->num_blocks) return 0;
  return n == 0 || (memcmp(a->offset, b->offset, (n + 1) * sizeof *a->offset) == 0 &&
                    memcmp(a->col_start, b->col_start, (n + 1) * sizeof *a->col_start) == 0 &&
                    memcmp(a->row, b->row, (size_t)a->col_start[n] * sizeof *a->row) == 0);
}

size_t sup_block_pattern_num_values(const sup_block_pattern *pattern) {
  return pattern->num_blocks ? pattern->value_start[pattern->col_start[pattern->num_blocks]] : 0;
}

/** y_i += A x_j and y_j += A^T x_i for an off-diagonal block. */
static void multiply_block(int m, int n, const double *a, const double *xi, const double *xj,
                           double *yi, double *yj) {
  for (int c = 0; c < n; c++, a += m) {
    double sum = 0;
    for (int r = 0; r < m; r++) {
      yi[r] += a[r] * xj[c];
      sum += a[r] * xi[r];
    }
    yj[c] += sum;
  }
}

/** y_i += A x_j. */
static void multiply_plain(int m, int n, const double *a, const double *xj, double *yi) {
  for (int c = 0; c < n; c++, a += m)
    for (int r = 0; r < m; r++) yi[r] += a[r] * xj[c];
}

/** y_j += A^T x_i. */
static void multiply_transposed(int m, int n, const double *a, const double *xi, double *yj) {
  for (int c = 0; c < n; c++, a += m) {
    double sum = 0;
    for (int r = 0; r < m; r++) sum += a[r] * xi[r];
    yj[c] += sum;
  }
}

/** y += A x with the lower triangle of a diagonal block; a column of a tree ends with its branch.
 */
static void multiply_diagonal(int n, const double *a, const double *x, double *y) {
  for (int c = 0; c < n; c++, a += n) {
    double sum = a[c] * x[c];
    int    end = sup_nonzero_end(a, c + 1, n);
    for (int r = c + 1; r < end; r++) {
      y[r] += a[r] * x[c];
      sum += a[r] * x[r];
    }
    y[c] += sum;
  }
}

/** y += block column j below its diagonal, times x; rows from `end` on add to y_j alone. */
static void multiply_column(const sup_block_pattern *P, int j, int end, const double *values,
                            const double *x, double *y) {
  const int *offset = P->offset;
  int        n = offset[j + 1] - offset[j];
  for (int e = P->col_start[j] + 1; e < P->col_start[j + 1]; e++) {
    int           i = P->row[e], m = offset[i + 1] - offset[i];
    const double *a = values + P->value_start[e];
    if (i < end)
      multiply_block(m, n, a, x + offset[i], x + offset[j], y + offset[i], y + offset[j]);
    else
      multiply_transposed(m, n, a, x + offset[i], y + offset[j]);
  }
}

/** A product and its parts: ranges of block rows, each a thread's. */
typedef struct product {
  const sup_block_pattern *pattern;
  const sup_kernels       *kernels;
  const double            *values, *x;
  double                  *y;
  int                      num_parts;
} product;

/** multiply_column for a vertex; most of its rows are vertices. */
static void multiply_vertex(const product *p, int j, int end) {
  const sup_block_pattern *P = p->pattern;
  const int               *offset = P->offset;
  const double            *own = p->x + offset[j], xj[3] = {own[0], own[1], own[2]};
  double                  *yj = p->y + offset[j], sum[3] = {yj[0], yj[1], yj[2]};
  for (int e = P->col_start[j] + 1, stop = P->col_start[j + 1];;) {
    e = p->kernels->couple(P, e, stop, end, p->values, p->x, xj, p->y, sum);
    if (e == stop) break;
    int           i = P->row[e], m = offset[i + 1] - offset[i];
    const double *a = p->values + P->value_start[e++];
    if (i < end)
      multiply_block(m, 3, a, p->x + offset[i], xj, p->y + offset[i], sum);
    else
      multiply_transposed(m, 3, a, p->x + offset[i], sum);
  }
  yj[0] = sum[0], yj[1] = sum[1], yj[2] = sum[2];
}

/** y += block column j times x_j, in the rows of entries e .. stop. */
static void multiply_down(const product *p, int j, int e, int stop) {
  const sup_block_pattern *P = p->pattern;
  int                      n = P->offset[j + 1] - P->offset[j];
  const double            *xj = p->x + P->offset[j];
  double                   sum[3] = {0}; /* of column j, which is another part's */
  for (; e < stop; e++) {
    if (n == 3) e = p->kernels->couple(P, e, stop, P->num_blocks, p->values, p->x, xj, p->y, sum);
    if (e == stop) break;
    int i = P->row[e];
    multiply_plain(P->offset[i + 1] - P->offset[i], n, p->values + P->value_start[e], xj,
                   p->y + P->offset[i]);
  }
}

/** y += block columns before `first` times x, in the rows first .. end, in the order of the
 * columns. */
static void multiply_left(const product *p, int first, int end) {
  const sup_block_pattern *P = p->pattern;
  for (int j = 0; j < first; j++) {
    int stop = P->col_start[j + 1], e;
    while (P->row[stop - 1] >= end) stop--; /* the diagonal ends the search at the latest */
    for (e = stop; P->row[e - 1] >= first;) e--;
    multiply_down(p, j, e, stop);
  }
}

/** First block column of a part; all parts have about equally many values. */
static int part_start(const product *p, int part) {
  const sup_block_pattern *P = p->pattern;
  size_t before = sup_block_pattern_num_values(P) / (size_t)p->num_parts * (size_t)part;
  int    low = 0, high = P->num_blocks;
  if (part == p->num_parts) return high;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (P->value_start[P->col_start[middle]] < before)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/** Rows of y are summed in the order of the columns, for any parts. */
static void multiply_part(void *user, int part, int thread) {
  const product           *p = user;
  const sup_block_pattern *P = p->pattern;
  const int               *offset = P->offset;
  int                      first = part_start(p, part), end = part_start(p, part + 1);
  (void)thread;
  if (first == end) return;
  memset(p->y + offset[first], 0, (size_t)(offset[end] - offset[first]) * sizeof *p->y);
  multiply_left(p, first, end);
  for (int j = first; j < end; j++) {
    int n = offset[j + 1] - offset[j];
    multiply_diagonal(n, p->values + P->value_start[P->col_start[j]], p->x + offset[j],
                      p->y + offset[j]);
    if (n == 3)
      multiply_vertex(p, j, end);
    else
      multiply_column(P, j, end, p->values, p->x, p->y);
  }
}

void sup_block_multiply(const sup_block_pattern *pattern, const double *values, const double *x,
                        double *y) {
  size_t enough = sup_block_pattern_num_values(pattern) / THREAD_VALUES;
  int most = enough < 2 ? 1 : sup_team_size(), parts = enough < (size_t)most ? (int)enough : most;
  product p = {pattern, sup_kernel_select(), values, x, y, parts > 1 ? parts : 1};
  sup_team_for(p.num_parts, p.num_parts, multiply_part, &p);
}
