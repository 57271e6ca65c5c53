/** The contact problem in impulses with its matrix (P4; THEORY 8), as in files of contactbench and
 * others.  Layer solve.
 *
 *      u = (G + diag(R)) lambda + g - c*,      G = J A^-1 J^T,  g = J A^-1 p + b
 *
 *  is complementary to lambda on the cone |lambda_T| <= mu lambda_N of each contact (NCP: after de
 * Saxce's correction) and on an interval of each joint row.  Contacts come first, three components
 * each, [x, y, n]; joint rows (limits, couplers, drives) follow with one each. */
#pragma once

#include "solve/problem.h"
#include "supple/options.h"

/** Rows up to which the matrix is formed: 288 MB.  Larger problems have only operators, A and J. */
enum { SUP_DELASSUS_MAX_ROWS = 6000 };

typedef struct sup_delassus_problem {
  int     num_contacts, num_joints, size; /* size = 3 num_contacts + num_joints */
  double *G;                              /* [size x size] row-major, symmetric; NULL: not formed */
  double *g;                              /* [size] velocity without any impulse [m/s, rad/s] */
  double *R, *target;                     /* [size] diagonal compliance, c* */
  double *mu;                             /* [num_contacts] */
  double *lower, *upper;                  /* [num_joints] may be infinite [N s, N m s] */
} sup_delassus_problem;

/** Dual form of a problem; arrays from the arena.  R and c* are exact for linear laws, else those
 * of the tangent at the normal velocities vc.  Contacts of anisotropic friction refer to S v_t, so
 * that their cones are round.  E_ARG: more rows than SUP_DELASSUS_MAX_ROWS where G is wanted, a law
 * without a dual form, or a joint before a contact; E_NOT_SPD: A is not positive definite.
 *  @param[in] options  of rigid contact, which has no R, and of restitution
 *  @param[in] problem  its H_pattern is not read
 *  @param[in] vc       [num_vc] J v + b of the solution */
SUP_NODISCARD sup_status sup_delassus_of_problem(sup_delassus_problem   *out,
                                                 const sup_problem      *problem,
                                                 const sup_dual_options *options, const double *vc,
                                                 int with_matrix, sup_arena *arena);

/** A velocity form with the same G: J is the pivoted Cholesky factor of G, A the identity of its
 * rank, p = 0 and b = g - c*.  Rows of G that depend on others up to double precision (single
 * precision if G is semidefinite only to that accuracy) add nothing to the rank.  Contacts get the
 * law SAP with their compliance, joint rows become limits, couplers or drives.  The caller frees
 * the pattern (zero before the call), also after a failure; other arrays are from the arena. E_ARG:
 * G is not positive semidefinite, tangential compliances differ, or an interval is none of [0,
 * inf), (-inf, inf), [-e, e]. */
SUP_NODISCARD sup_status sup_delassus_to_problem(const sup_delassus_problem *from,
                                                 sup_block_pattern *pattern, sup_arena *arena,
                                                 sup_problem *out);
