/** Newton's direction where friction's bound is mu times the normal impulse of the same velocities
 * (THEORY 16.1). Layer solve.
 *
 *  The symmetric H = A + J^T G J has friction with fixed normal impulses g = n(v_n).  Their growth
 * with v_n adds B C^T, with B = J_t^T (gamma_t / g) and C^T = G_nn J_n.  The direction dv solves
 *
 *      H dv + B u = -r,    u = C^T dv
 *
 *  and follows from the direction y = -H^-1 r without the coupling:
 *
 *      (I + C^T H^-1 B) u = C^T y,    dv = y - H^-1 B u
 *
 *  The matrix of u is I - dT/dg of the fixed point g -> T(g) = n(v_n(g)) (THEORY 16.2).  The matrix
 * differs from 1 only at contacts whose friction pulls bodies onto each other or apart; GMRES needs
 * about as many products as such contacts exist. */
#pragma once

#include "la/linear_solver.h"
#include "solve/problem.h"

/** A contact whose friction changes with its normal impulse, or a cluster of such contacts, whose
 * u is the change of their wrench: six of them in the place of one for each contact. */
typedef struct sup_coupling_row {
  int                constraint; /* of a cluster the first */
  const sup_cluster *cluster;    /* NULL: a contact */
  double            *value; /* contact, for each block column: part of the row of C^T, then part of
                               the column of B; cluster: wrench by twist [6 x 6] */
} sup_coupling_row;

typedef struct sup_coupling {
  const sup_problem *problem;
  sup_linear_solver *factor;    /* of H */
  double            *basis;     /* [(SUP_COUPLING_MOST + 1) x num_u] of GMRES, orthonormal */
  double            *change;    /* [num_change x num_scalars] workspace */
  double            *uncoupled; /* [num_scalars] the last direction without the coupling */
  double            *saved;     /* [2 num_scalars] velocities and momenta before a trial step */
  sup_coupling_row  *row;       /* [num_rows] */
  double            *value;     /* of the rows */
  int                num_rows, num_u;
  int                has_uncoupled; /* 1: `uncoupled` belongs to the present iterate */
  int is_negative; /* 1: det(I - dT/dg) < 0 on the Krylov space of the last direction */
} sup_coupling;

/** Products of GMRES in one direction, each a substitution with H's factor. */
enum { SUP_COUPLING_MOST = 30 };
/** Largest number of u for which the determinant is computed. */
enum { SUP_COUPLING_DENSE = 400 };

/** @param[in] num_change  SUP_COUPLING_MOST for sup_coupling_correct, 1 without it */
SUP_NODISCARD sup_status sup_coupling_create(sup_coupling *coupling, const sup_problem *problem,
                                             sup_linear_solver *factor, int num_change,
                                             sup_arena *arena);
/** 1: at least one of the laws [num_constraints] is coupled. */
bool sup_coupling_is_needed(const sup_problem *problem, const sup_law *law);
/** Normal impulses that friction uses, of coupled laws in law [num_constraints] := those of gamma
 * [num_vc]. */
void sup_coupling_set_bounds(const sup_problem *problem, sup_law *law, const double *gamma);
/** G [num_constraints x 9] += derivatives of coupled friction by normal velocities: B C^T. */
void sup_coupling_add_slopes(const sup_problem *problem, const sup_law *law, const double *vc,
                             const double *gamma, double *G);
/** Rows of C^T and columns of B at the velocities vc [num_vc], whose impulses are gamma [num_vc]
 * and their derivatives G [num_constraints x 9]; law has the bounds of gamma, `factor` H there. */
void sup_coupling_linearise(sup_coupling *coupling, const sup_law *law, const double *vc,
                            const double *gamma, const double *G);
/** Sign of det(I - dT/dg), which is that of det H with the coupling (THEORY 16.2), by as many
 * substitutions as there are u: -1 at a solution that is not unique; 0: not computed, since they
 * are more than SUP_COUPLING_DENSE.  After sup_coupling_linearise.
 *  @param[out] worst constraint with the least diagonal entry: the one that jams or lets go */
SUP_NODISCARD sup_status sup_coupling_sign(sup_coupling *coupling, sup_arena *arena, int *sign,
                                           int *worst);
/** dv [num_scalars]: y on entry, direction with the coupling on return.  After
 * sup_coupling_linearise.
 *  @param[in] forcing  residual of the equations of u, relative to C^T y */
SUP_NODISCARD sup_status sup_coupling_correct(sup_coupling *coupling, double forcing, double *dv);
/** dv = -(H + B C^T)^-1 r [num_scalars], the same direction by one iterative solve of a backend
 * with sup_linear_solver_can_add, preconditioned for H. If each product with H^-1 is an iterative
 * solve, this costs little more than one product.  After sup_coupling_linearise.
 *  @param[in,out] dv  in: -r
 *  @param[in] forcing residual to reach, relative to r */
SUP_NODISCARD sup_status sup_coupling_solve(sup_coupling *coupling, double forcing, double *dv,
                                            sup_linear_report *report);
