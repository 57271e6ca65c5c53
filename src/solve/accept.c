#include "solve/accept.h"

#include <float.h>
#include <math.h>

#include "solve/numerics.h"

int sup_momentum_scaling(const sup_problem *problem, double *inv_sqrt_d) {
  const sup_block_pattern *P = problem->A_pattern;
  for (int b = 0; b < P->num_blocks; b++) {
    int           size = sup_block_size(P, b);
    const double *D = sup_block_diagonal_all(problem->ranks, P, problem->A, b);
    for (int i = 0; i < size; i++) {
      if (!(D[i * size + i] > 0)) return b;
      inv_sqrt_d[sup_block_first(P, b) + i] = 1 / sqrt(D[i * size + i]);
    }
  }
  return SUP_NONE;
}

static int block_of_scalar(const sup_block_pattern *P, int scalar) {
  int low = 0, high = P->num_blocks - 1;
  while (low < high) {
    int middle = (low + high + 1) / 2;
    if (sup_block_first(P, middle) <= scalar)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

int sup_worst_block(const sup_block_pattern *pattern, const double *inv_sqrt_d, const double *r) {
  double worst = -1;
  int    worst_index = 0;
  for (int i = 0; i < pattern->num_scalars; i++) {
    double size = fabs(r[i]) * inv_sqrt_d[i];
    if (!isfinite(size)) size = HUGE_VAL; /* the first block of this kind counts as the worst */
    if (size > worst) worst = size, worst_index = i;
  }
  return block_of_scalar(pattern, worst_index);
}

double sup_round_off(const sup_block_pattern *P, const int *rank, const double *diagonal,
                     const double *pivot, int *block) {
  double most = 0;
  *block = SUP_NONE;
  for (int b = 0; b < P->num_blocks; b++) {
    if (rank && rank[b] != SUP_NONE) continue;
    for (int i = sup_block_first(P, b); i < sup_block_first(P, b + 1); i++)
      if (DBL_EPSILON * diagonal[i] > most * pivot[i])
        most = DBL_EPSILON * diagonal[i] / pivot[i], *block = b;
  }
  return most;
}

double sup_momentum_error(double residual, double momentum, double impulse) {
  double scale = fmax(momentum, impulse);
  if (!(scale > 0)) scale = residual; /* nothing moves yet: the scale is the residual itself */
  return residual > 0 ? residual / scale : residual;
}

sup_reason sup_accept(double error, double residual, double tolerance) {
  return error <= tolerance                        ? SUP_REASON_TOLERANCE
         : residual <= sup_solve_numerics.absolute ? SUP_REASON_ABSOLUTE
                                                   : (sup_reason)0;
}

sup_reason sup_accept_start(double residual, double impulse, double tolerance) {
  return residual <= tolerance * impulse           ? SUP_REASON_TOLERANCE
         : residual <= sup_solve_numerics.absolute ? SUP_REASON_ABSOLUTE
                                                   : (sup_reason)0;
}

sup_reason sup_accept_law(sup_reason reason, double law, double tolerance) {
  return reason > 0 && law > tolerance ? SUP_REASON_RESIDUAL : reason;
}

int sup_is_round_off(double residual, double momentum_error, sup_round_off_estimate lost) {
  return residual <= lost.in_sums || (momentum_error <= sup_solve_numerics.round_off &&
                                      residual <= sup_solve_numerics.round_off_share * lost.in_all);
}

sup_reason sup_reason_combine(sup_reason a, sup_reason b) {
  if (a < 0 || b < 0) return a < 0 ? a : b;
  if (a == SUP_REASON_STALL || b == SUP_REASON_STALL) return SUP_REASON_STALL;
  if (a == SUP_REASON_ROUND_OFF || b == SUP_REASON_ROUND_OFF) return SUP_REASON_ROUND_OFF;
  return a == b ? a : SUP_REASON_TOLERANCE;
}

double sup_island_limit(double tolerance) {
  return fmax(sup_solve_numerics.island * tolerance, sup_solve_numerics.island_least);
}
