/** Hessian A + J^T D J of the dual form, D a symmetric matrix a row: impulses with the compliance
 * D^-1 added to A.  It replaces A in the dual's linear solver.  Layer solve. */
#pragma once

#include "solve/dual/dual.h"

typedef struct sup_dual_hessian {
  double *D;       /* [num_constraints x 9] symmetric, on round cones, row-major [kg] */
  double *problem; /* [num_constraints x 9] for the Jacobians of the problem, without stretching */
  double *H;       /* values */
  sup_hessian_map map;
} sup_dual_hessian;

SUP_NODISCARD sup_status sup_dual_hessian_create(sup_dual_hessian *q, const sup_dual *dual);
/** Factor A + J^T D J; is_spd 0: it is not positive definite. */
SUP_NODISCARD sup_status sup_dual_hessian_factor(sup_dual_hessian *q, sup_dual *dual, bool *is_spd);
/** x [n] := (A + J^T D J)^-1 (x + J^T z), x in the problem's order, z [num_vc] on round cones. */
SUP_NODISCARD sup_status sup_dual_hessian_solve(sup_dual *dual, const double *z, double *x);
