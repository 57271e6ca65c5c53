/* Preconditioned conjugate gradients (Hestenes, Stiefel 1952) with block Jacobi: only products with
 * A and its diagonal blocks are needed, no ordering and no fill-in.  This simplest iterative
 * backend also tests the interface for iterative backends.  Rigid motions of the bodies as a coarse
 * space were tried: iterations stay the same, since a step's A = M + dt^2 K has few of its small
 * eigenvalues there. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "la/backend.h"
#include "la/dense_cholesky.h"
#include "la/vector.h"

enum {
  ITERATIONS_PER_SCALAR = 4, /* largest number of iterations; later convergence is not expected */
  LEAST_ITERATIONS = 200,
  RENEWAL = 50 /* the residual is computed anew after so many iterations */
};

typedef struct cg {
  const sup_block_pattern *pattern;
  sup_linear_operator      A;
  double *block; /* Cholesky factors of the diagonal blocks, one behind the other */
  double *scale; /* [num_scalars] 1 / diag(A), of the norm */
  double *work;  /* x, r, z, d, A d */
  size_t  capacity[3];
} cg;

static sup_status cg_create(void **out, const char *options) {
  cg *self = NULL;
  (void)options; /* it has none */
  SUP_TRY(SUP_CALLOC(self, 1));
  *out = self;
  return SUP_OK;
}

static void cg_destroy(void *object) {
  cg *self = object;
  SUP_FREE_ALL(&self->block, &self->scale, &self->work, &self);
}

static sup_status cg_analyse(void *object, const sup_block_pattern *pattern,
                             const unsigned char *last) {
  cg    *self = object;
  size_t blocks = 0;
  (void)last; /* nothing is eliminated */
  for (int b = 0; b < pattern->num_blocks; b++) {
    size_t size = (size_t)sup_block_size(pattern, b);
    blocks += size * size;
  }
  self->pattern = pattern;
  SUP_TRY(SUP_GROW(self->block, self->capacity[0], blocks));
  SUP_TRY(SUP_GROW(self->scale, self->capacity[1], pattern->num_scalars));
  SUP_TRY(SUP_GROW(self->work, self->capacity[2], 5 * (size_t)pattern->num_scalars));
  return SUP_OK;
}

/* ---- preconditioner -------------------------------------------------------------------------- */

static sup_status factor_blocks(cg *self, int *failed_block) {
  const sup_block_pattern *P = self->pattern;
  double                  *to = self->block;
  for (int b = 0; b < P->num_blocks; b++) {
    int size = sup_block_size(P, b);
    memcpy(to, self->A.values + sup_block_diagonal(P, b), (size_t)(size * size) * sizeof *to);
    if (sup_dense_cholesky(size, to) < size) {
      *failed_block = b;
      return SUP_FAIL(
          SUP_E_NOT_SPD,
          "the matrix is not positive definite: the diagonal block of block column %d is not", b);
    }
    to += size * size;
  }
  sup_linear_operator_diagonal(&self->A, self->scale);
  for (int i = 0; i < P->num_scalars; i++) self->scale[i] = 1 / self->scale[i];
  return SUP_OK;
}

static sup_status cg_setup(void *object, const sup_linear_operator *A, int trailing,
                           int *failed_block) {
  cg *self = object;
  (void)trailing;
  self->A = *A;
  SUP_TRY(factor_blocks(self, failed_block));
  return SUP_OK;
}

/** z := M^-1 r. */
static void precondition(const cg *self, const double *r, double *z) {
  const sup_block_pattern *P = self->pattern;
  const double            *L = self->block;
  int                      n = P->num_scalars;
  memcpy(z, r, (size_t)n * sizeof *z);
  for (int b = 0; b < P->num_blocks; b++) {
    int size = sup_block_size(P, b);
    sup_dense_cholesky_solve(size, L, z + P->offset[b]);
    L += size * size;
  }
}

/* ---- iteration ------------------------------------------------------------------------------- */

static double scaled_norm(const cg *self, const double *r) {
  double sum = 0;
  for (int i = 0; i < self->pattern->num_scalars; i++) sum += self->scale[i] * r[i] * r[i];
  return sqrt(sum);
}

static sup_status cg_solve(void *object, double tolerance, double *b, sup_linear_report *report) {
  cg     *self = object;
  int     n = self->pattern->num_scalars, most = LEAST_ITERATIONS + ITERATIONS_PER_SCALAR * n;
  double *x = self->work, *r = x + n, *z = r + n, *d = z + n, *Ad = d + n;
  double  start = scaled_norm(self, b), rho = 1;
  memset(x, 0, (size_t)n * sizeof *x);
  memcpy(r, b, (size_t)n * sizeof *r);
  report->residual = start > 0 ? 1 : 0;
  for (int k = 0; k < most && report->residual > tolerance; k++) {
    double before = rho;
    precondition(self, r, z);
    rho = sup_dot(r, z, n);
    for (int i = 0; i < n; i++) d[i] = z[i] + (k ? rho / before * d[i] : 0);
    sup_linear_operator_apply(&self->A, d, Ad);
    double curvature = sup_dot(d, Ad, n);
    if (!(curvature > 0))
      return SUP_FAIL(SUP_E_NOT_SPD,
                      "the matrix is not positive definite: conjugate gradients met x^T A x = %g",
                      curvature);
    double alpha = rho / curvature;
    for (int i = 0; i < n; i++) x[i] += alpha * d[i], r[i] -= alpha * Ad[i];
    if (k % RENEWAL == RENEWAL - 1) { /* round-off of the recurrence */
      sup_linear_operator_apply(&self->A, x, r);
      for (int i = 0; i < n; i++) r[i] = b[i] - r[i];
    }
    report->iterations++;
    report->residual = scaled_norm(self, r) / start;
  }
  report->is_missed = report->residual > tolerance;
  memcpy(b, x, (size_t)n * sizeof *b);
  return SUP_OK;
}

static sup_linear_info cg_info(const void *object) {
  (void)object;
  return (sup_linear_info){0};
}

static const sup_linear_backend backend = {.create = cg_create,
                                           .destroy = cg_destroy,
                                           .analyse = cg_analyse,
                                           .setup = cg_setup,
                                           .solve = cg_solve,
                                           .info = cg_info};

const sup_linear_backend *sup_conjugate_gradient_backend(void) { return &backend; }
