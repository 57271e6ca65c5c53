#include "constraint/delassus.h"

#include <math.h>

sup_status sup_delassus_create(sup_delassus_work *work, sup_delassus kind, const sup_model *model,
                               const sup_block_pattern *A_pattern, const double *A,
                               sup_arena *arena) {
  *work = (sup_delassus_work){
      .kind = kind, .model = model, .inverse = {.pattern = A_pattern, .A = A, .arena = arena}};
  if (kind == SUP_DELASSUS_FULL)
    SUP_TRY(sup_block_inverse_create(&work->inverse, A_pattern, A, arena));
  return SUP_OK;
}

/** W += J D^-1 J^T with the diagonal D of a block, of a vertex its mean. */
static void add_diagonal(const sup_delassus_work *work, int block, int n, const double *J,
                         double W[9]) {
  const double *D = work->inverse.A + sup_block_diagonal(work->inverse.pattern, block);
  int           is_vertex = work->model->body[work->model->block_body[block]].soft != SUP_NONE;
  double        mean = is_vertex ? (D[0] + D[4] + D[8]) / 3 : 0, Y[3];
  for (int j = 0; j < n; j++) {
    double inverse = 1 / sqrt(is_vertex ? mean : D[j * n + j]);
    for (int r = 0; r < 3; r++) Y[r] = J[r * n + j] * inverse;
    for (int r = 0; r < 3; r++)
      for (int s = 0; s < 3; s++) W[3 * r + s] += Y[r] * Y[s];
  }
}

sup_status sup_delassus_estimate(sup_delassus_work *work, const sup_rows *rows,
                                 sup_inverse_mass *out) {
  const sup_constraint *row = &rows->constraint[rows->num_constraints - 1];
  double                W[9] = {0}, square = 0;
  for (int k = 0; k < row->num_blocks; k++) {
    const sup_jacobian_block *b = &rows->jacobian[row->first_block + k];
    const double             *J = rows->jacobian_value + b->value;
    if (work->kind == SUP_DELASSUS_FULL)
      SUP_TRY(sup_block_inverse_add(&work->inverse, b->block, 3, J, W));
    else
      add_diagonal(work, b->block, sup_block_size(work->inverse.pattern, b->block), J, W);
  }
  for (int i = 0; i < 9; i++) square += W[i] * W[i];
  double rms = square > 0 ? sqrt(square) / 3 : 1; /* nothing moves: any positive number will do */
  double t = sqrt((W[0] * W[0] + W[1] * W[1] + W[3] * W[3] + W[4] * W[4]) / 2);
  out->n = W[8] > 0 ? W[8] : rms;
  out->t = t > 0 ? t : rms;
  return SUP_OK;
}
