#include "la/backend.h"

#ifdef SUP_WITH_CHOLMOD

#include <cholmod.h>
#include <limits.h>

#include "base/memory.h"

/* The lower triangle by scalars; the pattern is expanded at analysis, a factorisation moves the
 * values alone. */
typedef struct cholmod {
  const sup_block_pattern *pattern;
  cholmod_common           common;
  int                      started;
  cholmod_sparse          *matrix;
  cholmod_factor          *factor;
  cholmod_dense           *right, *solution, *work[2];
} cholmod;

/** Status of CHOLMOD's last call as sup_status; `what` names the call. */
static sup_status from_cholmod(const cholmod *self, const char *what) {
  switch (self->common.status) {
    case CHOLMOD_OK:
    case CHOLMOD_DSMALL:
      return SUP_OK;
    case CHOLMOD_NOT_POSDEF:
      return SUP_FAIL(SUP_E_NOT_SPD, "CHOLMOD %s: the matrix is not positive definite", what);
    case CHOLMOD_OUT_OF_MEMORY:
      return SUP_FAIL(SUP_E_MEMORY, "CHOLMOD %s: out of memory", what);
    case CHOLMOD_TOO_LARGE:
      return SUP_FAIL(SUP_E_MEMORY, "CHOLMOD %s: the problem is too large for int", what);
    default:
      return SUP_FAIL(SUP_E_EXTERNAL, "CHOLMOD %s failed with status %d", what,
                      self->common.status);
  }
}

static sup_status backend_create(void **out, const char *options) {
  cholmod *self = NULL;
  (void)options; /* it has none */
  SUP_TRY(SUP_CALLOC(self, 1));
  *out = self;
  cholmod_start(&self->common);
  self->started = 1;
  self->common.print = 0;
  self->common.supernodal = CHOLMOD_SUPERNODAL;
  self->common.itype = CHOLMOD_INT;
  return SUP_OK;
}

static void free_analysis(cholmod *self) {
  cholmod_free_sparse(&self->matrix, &self->common);
  cholmod_free_factor(&self->factor, &self->common);
  cholmod_free_dense(&self->right, &self->common);
}

static void backend_destroy(void *object) {
  cholmod *self = object;
  if (self->started) {
    free_analysis(self);
    cholmod_free_dense(&self->solution, &self->common);
    for (int k = 0; k < 2; k++) cholmod_free_dense(&self->work[k], &self->common);
    cholmod_finish(&self->common);
  }
  SUP_FREE(self);
}

/** Visit columns of the scalar lower triangle in order, rows ascending; values NULL: write the
 * structure, else the values.
 */
static void expand(cholmod *self, const double *values) {
  const sup_block_pattern *pattern = self->pattern;
  const int               *offset = pattern->offset;
  int                     *start = self->matrix->p, *row = self->matrix->i, fill = 0;
  double                  *x = self->matrix->x;
  for (int b = 0; b < pattern->num_blocks; b++) {
    for (int c = 0; c < offset[b + 1] - offset[b]; c++) {
      if (!values) start[offset[b] + c] = fill;
      for (int e = pattern->col_start[b]; e < pattern->col_start[b + 1]; e++) {
        int block = pattern->row[e], size = offset[block + 1] - offset[block];
        for (int r = block == b ? c : 0; r < size; r++, fill++) {
          if (values)
            x[fill] = values[pattern->value_start[e] + (size_t)(c * size + r)];
          else
            row[fill] = offset[block] + r;
        }
      }
    }
  }
  if (!values) start[pattern->num_scalars] = fill;
}

static size_t count_scalars(const sup_block_pattern *pattern) {
  size_t num_values = sup_block_pattern_num_values(pattern);
  for (int b = 0; b < pattern->num_blocks; b++) {
    size_t size = (size_t)(pattern->offset[b + 1] - pattern->offset[b]);
    num_values -= size * (size - 1) / 2;
  }
  return num_values;
}

static sup_status backend_analyse(void *object, const sup_block_pattern *pattern,
                                  const unsigned char *last) {
  cholmod *self = object;
  size_t   count = count_scalars(pattern), n = (size_t)pattern->num_scalars;
  (void)last; /* each factorisation is complete */
  free_analysis(self);
  self->pattern = pattern;
  if (count > INT_MAX)
    return SUP_FAIL(SUP_E_ARG, "CHOLMOD: %zu entries; at most %d fit", count, INT_MAX);
  self->matrix = cholmod_allocate_sparse(n, n, count, 1, 1, -1, CHOLMOD_REAL, &self->common);
  SUP_TRY(from_cholmod(self, "allocate"));
  self->right = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, &self->common);
  SUP_TRY(from_cholmod(self, "allocate"));
  expand(self, NULL);
  self->factor = cholmod_analyze(self->matrix, &self->common);
  SUP_TRY(from_cholmod(self, "analyze"));
  return SUP_OK;
}

static int block_of_scalar(const sup_block_pattern *pattern, int scalar) {
  int block = 0;
  while (pattern->offset[block + 1] <= scalar) block++;
  return block;
}

static sup_status backend_setup(void *object, const sup_linear_operator *A, int trailing,
                                int *failed_block) {
  cholmod *self = object;
  (void)trailing;
  if (!A->values) return SUP_FAIL(SUP_E_ARG, "CHOLMOD backend: the matrix is not stored");
  expand(self, A->values);
  cholmod_factorize(self->matrix, self->factor, &self->common);
  if (self->common.status == CHOLMOD_NOT_POSDEF) {
    int scalar = ((const int *)self->factor->Perm)[self->factor->minor];
    *failed_block = block_of_scalar(self->pattern, scalar);
    return SUP_FAIL(
        SUP_E_NOT_SPD,
        "the matrix is not positive definite: CHOLMOD stopped at scalar %d of block column %d",
        scalar - self->pattern->offset[*failed_block], *failed_block);
  }
  SUP_TRY(from_cholmod(self, "factorize"));
  return SUP_OK;
}

static sup_status backend_solve(void *object, double tolerance, double *b,
                                sup_linear_report *report) {
  cholmod *self = object;
  (void)tolerance, (void)report; /* to round-off */
  size_t  n = (size_t)self->pattern->num_scalars;
  double *x = self->right->x;
  for (size_t i = 0; i < n; i++) x[i] = b[i];
  cholmod_solve2(CHOLMOD_A, self->factor, self->right, NULL, &self->solution, NULL, &self->work[0],
                 &self->work[1], &self->common);
  SUP_TRY(from_cholmod(self, "solve"));
  x = self->solution->x;
  for (size_t i = 0; i < n; i++) b[i] = x[i];
  return SUP_OK;
}

static sup_linear_info backend_info(const void *object) {
  const cholmod *self = object;
  return (sup_linear_info){self->common.lnz, self->common.fl, self->common.fl,
                           (int)self->factor->nsuper};
}

static const sup_linear_backend backend = {.create = backend_create,
                                           .destroy = backend_destroy,
                                           .analyse = backend_analyse,
                                           .setup = backend_setup,
                                           .solve = backend_solve,
                                           .info = backend_info};

const sup_linear_backend *sup_cholmod_backend(void) { return &backend; }

#else

const sup_linear_backend *sup_cholmod_backend(void) { return NULL; }

#endif
