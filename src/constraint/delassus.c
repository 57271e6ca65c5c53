#include "constraint/delassus.h"

#include <math.h>
#include <string.h>

enum { MAX_COLUMNS = 256 };

sup_status sup_delassus_create(sup_delassus_work *work, sup_delassus kind, const sup_model *model,
                               const sup_block_pattern *A_pattern, const double *A,
                               sup_arena *arena) {
  *work = (sup_delassus_work){
      .kind = kind, .model = model, .A_pattern = A_pattern, .A = A, .arena = arena};
  if (kind != SUP_DELASSUS_FULL) return SUP_OK;
  SUP_TRY(SUP_ARENA(arena, work->factor, A_pattern->num_blocks));
  for (int b = 0; b < A_pattern->num_blocks; b++) work->factor[b] = NULL;
  return SUP_OK;
}

static const double *diagonal_block(const sup_delassus_work *work, int block) {
  return work->A + sup_block_diagonal(work->A_pattern, block);
}

/** Lower Cholesky factor of the diagonal block, column-major. */
static sup_status factor_block(sup_delassus_work *work, int block, int n, const double **factor) {
  double *L = work->factor[block];
  *factor = L;
  if (L) return SUP_OK;
  SUP_TRY(SUP_ARENA(work->arena, L, n * n));
  memcpy(L, diagonal_block(work, block), (size_t)(n * n) * sizeof *L);
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < n; i++) L[j * n + i] -= L[k * n + i] * L[k * n + j];
    if (!(L[j * n + j] > 0))
      return SUP_FAIL(SUP_E_NOT_SPD, "block %d of the dynamics is not positive definite", block);
    double root = sqrt(L[j * n + j]);
    for (int i = j; i < n; i++) L[j * n + i] /= root;
  }
  *factor = work->factor[block] = L;
  return SUP_OK;
}

/** Y (3 x n) with Y Y^T = J A_block^-1 J^T. */
static sup_status half_product(sup_delassus_work *work, int block, int n, const double *J,
                               double *Y) {
  if (work->kind == SUP_DELASSUS_DIAGONAL) {
    const double *D = diagonal_block(work, block);
    int           is_vertex = work->model->body[work->model->block_body[block]].soft != SUP_NONE;
    double        mean = is_vertex ? (D[0] + D[4] + D[8]) / 3 : 0;
    for (int j = 0; j < n; j++) {
      double inverse = 1 / sqrt(is_vertex ? mean : D[j * n + j]);
      for (int r = 0; r < 3; r++) Y[r * n + j] = J[r * n + j] * inverse;
    }
    return SUP_OK;
  }
  const double *L;
  SUP_TRY(factor_block(work, block, n, &L));
  for (int r = 0; r < 3; r++)
    for (int j = 0; j < n; j++) {
      double sum = J[r * n + j];
      for (int k = 0; k < j; k++) sum -= L[k * n + j] * Y[r * n + k];
      Y[r * n + j] = sum / L[j * n + j];
    }
  return SUP_OK;
}

sup_status sup_delassus_estimate(sup_delassus_work *work, const sup_rows *rows,
                                 sup_inverse_mass *out) {
  const sup_constraint *row = &rows->constraint[rows->num_constraints - 1];
  double                W[9] = {0}, Y[3 * MAX_COLUMNS], square = 0;
  for (int k = 0; k < row->num_blocks; k++) {
    const sup_jacobian_block *b = &rows->jacobian[row->first_block + k];
    int                       n = sup_block_size(work->A_pattern, b->block);
    SUP_ASSERT(n <= MAX_COLUMNS);
    SUP_TRY(half_product(work, b->block, n, rows->jacobian_value + b->value, Y));
    for (int r = 0; r < 3; r++)
      for (int s = 0; s < 3; s++)
        for (int j = 0; j < n; j++) W[3 * r + s] += Y[r * n + j] * Y[s * n + j];
  }
  for (int i = 0; i < 9; i++) square += W[i] * W[i];
  double rms = square > 0 ? sqrt(square) / 3 : 1; /* nothing moves: any positive number will do */
  double t = sqrt((W[0] * W[0] + W[1] * W[1] + W[3] * W[3] + W[4] * W[4]) / 2);
  out->n = W[8] > 0 ? W[8] : rms;
  out->t = t > 0 ? t : rms;
  return SUP_OK;
}
