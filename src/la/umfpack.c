#include "la/lu.h"

#ifdef SUP_WITH_UMFPACK

#include <limits.h>
#include <math.h>
#include <string.h>
#include <umfpack.h>

#include "base/memory.h"

/* Columns by scalars with both triangles; a factorisation moves the values alone. */
struct sup_lu {
  const sup_block_pattern *pattern;
  double                   control[UMFPACK_CONTROL], info[UMFPACK_INFO];
  void                    *symbolic, *numeric;
  int                     *start, *row;   /* [n + 1], [entries] */
  int                     *below, *above; /* places in `value` of the scalars of the pattern's
                                             array, of their transposes; -1: not read */
  double *value;                          /* [entries], of E A E */
  double *scale;                          /* [n] E */
  int    *work_i;                         /* [n] of the solution */
  double *work, *solution;                /* [5 n], [n] */
  size_t  capacity[9];
};

bool sup_lu_is_built_in(void) { return 1; }

static sup_status from_umfpack(int status, const char *what) {
  switch (status) {
    case UMFPACK_OK:
    case UMFPACK_WARNING_singular_matrix: /* distinguished by the caller */
      return SUP_OK;
    case UMFPACK_ERROR_out_of_memory:
      return SUP_FAIL(SUP_E_MEMORY, "UMFPACK %s: out of memory", what);
    default:
      return SUP_FAIL(SUP_E_EXTERNAL, "UMFPACK %s failed with status %d", what, status);
  }
}

sup_status sup_lu_create(sup_lu **out) {
  sup_lu *lu = NULL;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(lu, 1));
  umfpack_di_defaults(lu->control);
  lu->control[UMFPACK_PRL] = 0;
  lu->control[UMFPACK_STRATEGY] =
      UMFPACK_STRATEGY_SYMMETRIC; /* symmetric pattern with a large diagonal: prefer pivots on the
                                     diagonal */
  lu->control[UMFPACK_SCALE] = UMFPACK_SCALE_NONE; /* scaled before */
  *out = lu;
  return SUP_OK;
}

static void free_factors(sup_lu *lu) {
  if (lu->symbolic) umfpack_di_free_symbolic(&lu->symbolic);
  if (lu->numeric) umfpack_di_free_numeric(&lu->numeric);
}

void sup_lu_destroy(sup_lu **handle) {
  sup_lu *lu = *handle;
  if (!lu) return;
  free_factors(lu);
  SUP_FREE_ALL(&lu->start, &lu->row, &lu->below, &lu->above, &lu->value, &lu->scale, &lu->work_i,
               &lu->work, &lu->solution, handle);
}

/** Visitor of the scalars of the pattern's array that are read, in the order of the array. */
typedef void visit(sup_lu *lu, size_t place, int row, int col);

static void for_scalars(sup_lu *lu, visit *each) {
  const sup_block_pattern *P = lu->pattern;
  for (int b = 0; b < P->num_blocks; b++)
    for (int e = P->col_start[b]; e < P->col_start[b + 1]; e++) {
      int first = P->offset[P->row[e]], rows = P->offset[P->row[e] + 1] - first;
      for (int c = 0; c < P->offset[b + 1] - P->offset[b]; c++)
        for (int r = P->row[e] == b ? c : 0; r < rows; r++)
          each(lu, P->value_start[e] + (size_t)(c * rows + r), first + r, P->offset[b] + c);
    }
}

static void count(sup_lu *lu, size_t place, int row, int col) {
  (void)place;
  lu->start[col + 1]++;
  if (row != col) lu->start[row + 1]++;
}

/** Upper parts of the columns first: rows ascend when the pattern is gone through by columns. */
static void place_above(sup_lu *lu, size_t place, int row, int col) {
  if (row == col) return;
  lu->row[lu->start[row]] = col;
  lu->above[place] = lu->start[row]++;
}

static void place_below(sup_lu *lu, size_t place, int row, int col) {
  lu->row[lu->start[col]] = row;
  lu->below[place] = lu->start[col]++;
}

static sup_status allocate(sup_lu *lu, size_t num_values, size_t num_entries) {
  size_t n = (size_t)lu->pattern->num_scalars;
  SUP_TRY(SUP_GROW(lu->row, lu->capacity[1], num_entries));
  SUP_TRY(SUP_GROW(lu->below, lu->capacity[2], num_values));
  SUP_TRY(SUP_GROW(lu->above, lu->capacity[3], num_values));
  SUP_TRY(SUP_GROW(lu->value, lu->capacity[4], num_entries));
  SUP_TRY(SUP_GROW(lu->work_i, lu->capacity[5], n));
  SUP_TRY(SUP_GROW(lu->work, lu->capacity[6], 5 * n));
  SUP_TRY(SUP_GROW(lu->solution, lu->capacity[7], n));
  SUP_TRY(SUP_GROW(lu->scale, lu->capacity[8], n));
  for (size_t k = 0; k < num_values; k++) lu->below[k] = lu->above[k] = -1;
  return SUP_OK;
}

sup_status sup_lu_analyse(sup_lu *lu, const sup_block_pattern *P) {
  size_t num_values = sup_block_pattern_num_values(P);
  int    n = P->num_scalars;
  free_factors(lu);
  lu->pattern = P;
  if (num_values > INT_MAX / 2)
    return SUP_FAIL(SUP_E_ARG, "UMFPACK: %zu entries; at most %d fit", num_values, INT_MAX / 2);
  SUP_TRY(SUP_GROW(lu->start, lu->capacity[0], (size_t)n + 1));
  memset(lu->start, 0, ((size_t)n + 1) * sizeof *lu->start);
  for_scalars(lu, count);
  for (int j = 0; j < n; j++) lu->start[j + 1] += lu->start[j];
  SUP_TRY(allocate(lu, num_values, (size_t)lu->start[n]));
  for_scalars(lu, place_above);
  for_scalars(lu, place_below);
  for (int j = n; j > 0; j--)
    lu->start[j] = lu->start[j - 1]; /* after filling, each entry is the end of its column */
  lu->start[0] = 0;
  SUP_TRY(from_umfpack(
      umfpack_di_symbolic(n, n, lu->start, lu->row, NULL, &lu->symbolic, lu->control, lu->info),
      "symbolic"));
  return SUP_OK;
}

/** A := E A E with powers of two that make the diagonal about 1: pivots are chosen among pure
 * numbers, the same in all units, and no digit changes. */
static void equilibrate(sup_lu *lu) {
  int n = lu->pattern->num_scalars;
  for (int j = 0; j < n; j++)
    for (int e = lu->start[j]; e < lu->start[j + 1]; e++)
      if (lu->row[e] == j)
        lu->scale[j] = lu->value[e] > 0 && isfinite(lu->value[e])
                           ? ldexp(1, -(int)floor(.5 * ilogb(lu->value[e])))
                           : 1;
  for (int j = 0; j < n; j++)
    for (int e = lu->start[j]; e < lu->start[j + 1]; e++)
      lu->value[e] *= lu->scale[j] * lu->scale[lu->row[e]];
}

sup_status sup_lu_factor(sup_lu *lu, const double *lower, const double *upper, bool *is_singular) {
  size_t num = sup_block_pattern_num_values(lu->pattern);
  for (size_t k = 0; k < num; k++) {
    if (lu->below[k] >= 0) lu->value[lu->below[k]] = lower[k];
    if (lu->above[k] >= 0) lu->value[lu->above[k]] = upper[k];
  }
  equilibrate(lu);
  if (lu->numeric) umfpack_di_free_numeric(&lu->numeric);
  int status = umfpack_di_numeric(lu->start, lu->row, lu->value, lu->symbolic, &lu->numeric,
                                  lu->control, lu->info);
  *is_singular = status == UMFPACK_WARNING_singular_matrix;
  SUP_TRY(from_umfpack(status, "numeric"));
  return SUP_OK;
}

sup_status sup_lu_solve(sup_lu *lu, double *b) {
  int n = lu->pattern->num_scalars;
  for (int i = 0; i < n; i++) b[i] *= lu->scale[i];
  SUP_TRY(from_umfpack(umfpack_di_wsolve(UMFPACK_A, lu->start, lu->row, lu->value, lu->solution, b,
                                         lu->numeric, lu->control, lu->info, lu->work_i, lu->work),
                       "solve"));
  for (int i = 0; i < n; i++) b[i] = lu->scale[i] * lu->solution[i];
  return SUP_OK;
}

#else

bool sup_lu_is_built_in(void) { return 0; }

sup_status sup_lu_create(sup_lu **lu) {
  *lu = NULL;
  return SUP_FAIL(SUP_E_ARG,
                  "LU: this program was built without UMFPACK; build it with UMFPACK=1 "
                  "(libsuitesparse-dev)");
}

void sup_lu_destroy(sup_lu **lu) { *lu = NULL; }

sup_status sup_lu_analyse(sup_lu *lu, const sup_block_pattern *pattern) {
  (void)lu, (void)pattern;
  return SUP_E_ARG;
}

sup_status sup_lu_factor(sup_lu *lu, const double *lower, const double *upper, bool *is_singular) {
  (void)lu, (void)lower, (void)upper, (void)is_singular;
  return SUP_E_ARG;
}

sup_status sup_lu_solve(sup_lu *lu, double *b) {
  (void)lu, (void)b;
  return SUP_E_ARG;
}

#endif
