/** Newton's direction where friction's bound is mu times the normal impulse of the same velocities
 * (THEORY_2 16.1). Layer solve.
 *
 *  The symmetric H = A + J^T G J has friction with fixed normal impulses g = n(v_n).  That they
 * grow with v_n adds B C^T with B = J_t^T (gamma_t / g), C^T = G_nn J_n:
 *
 *      H dv + B u = -r,    u = C^T dv,    so that    (I + C^T H^-1 B) u = C^T y,    dv = y - H^-1 B
 * u,    y = -H^-1 r.
 *
 *  The matrix of u is I - dT/dg of the fixed point g -> T(g) = n(v_n(g)) (THEORY_2 16.2), which
 * differs from 1 in as many places as friction pulls bodies onto each other or apart: a few.  GMRES
 * needs as many products. */
#pragma once

#include "la/linear_solver.h"
#include "solve/problem.h"

typedef struct sup_coupling {
  double *basis;  /* [(SUP_COUPLING_MOST + 1) x num_constraints] of GMRES, orthonormal [-] */
  double *vc;     /* [num_vc] workspace */
  double *change; /* [num_scalars] workspace */
} sup_coupling;

/** Products of GMRES in one direction, each a substitution with H's factor. */
enum { SUP_COUPLING_MOST = 30 };

SUP_NODISCARD sup_status sup_coupling_create(sup_coupling *coupling, const sup_problem *problem,
                                             sup_arena *arena);
/** Normal impulses that friction uses, of lagged laws in law [num_constraints] := those of gamma
 * [num_vc]. */
void sup_coupling_set_bounds(const sup_problem *problem, sup_law *law, const double *gamma);
/** dv [num_scalars]: in y, out the direction with the coupling.  `factor` is that of H.
 *  @param[in] gamma, G  [num_vc], [num_constraints x 9] with the bounds of gamma */
SUP_NODISCARD sup_status sup_coupling_correct(sup_coupling *coupling, const sup_problem *problem,
                                              const sup_law *law, sup_linear_solver *factor,
                                              const double *gamma, const double *G, double *dv);
