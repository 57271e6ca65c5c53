/* Reuse of A near a balance (THEORY 18.5). */
#include "step/static/matrix_reuse.h"
#include "step/static/numerics.h"

int sup_matrix_reuse_is_near(sup_matrix_reuse reuse) {
  return reuse.error < sup_static_numerics.near;
}

int sup_matrix_reuse_is_fast(double error, double before) {
  return error < sup_static_numerics.fast * before;
}

int sup_matrix_reuse_is_step(double error, double before) {
  return error < sup_static_numerics.step * before;
}
