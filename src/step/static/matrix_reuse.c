/* Reuse of A near a balance (THEORY 18.5). */
#include "step/static/matrix_reuse.h"

int sup_matrix_reuse_is_near(sup_matrix_reuse reuse) {
  static const double near = 1e-3;
  return reuse.error < near;
}

int sup_matrix_reuse_is_fast(double error, double before) {
  static const double fast = 0.3;
  return error < fast * before;
}

int sup_matrix_reuse_is_step(double error, double before) {
  static const double less = 0.5;
  return error < less * before;
}
