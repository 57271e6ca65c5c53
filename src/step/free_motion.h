/** Free motion of one tree: the momentum balance of a time scheme without constraints, and its
 * linearisation.  Layer step.
 *
 *  THEORY 2.2:  m(v) = M(q_th)(v - v0) + dt bias(q_th, v_th) + dt (c v_ths + k q_ths) - dt
 * J(q_th)^T F = 0 has the solution v*; with its SPD part A = M(q_th*) + dt theta_stiff c + dt^2
 * theta_stiff theta_vq k (2.3) the constraints see A v - p, p = A v*; about another velocity w,
 * with A of q_th(w), p = A w - m(w).
 */
#pragma once

#include "base/memory.h"
#include "supple/options.h"
#include "tree/tree.h"

/** A load's means over the step, world axes, at a point of its link. */
typedef struct sup_tree_load {
  int    link;
  sup_v3 point; /* in the link's frame [m] */
  sup_v3 force, torque;
} sup_tree_load;

typedef struct sup_tree_step {
  const sup_tree *tree;
  sup_scheme      scheme;
  double          dt;
  sup_v3          gravity;
  sup_base_motion base; /* base's motion within the step, by sup_kinematics_base_within */
  const double   *q0, *v0;
  int             num_loads; /* loads with theta > 0; other loads are no part of the free motion */
  const sup_tree_load *loads;
} sup_tree_step;

/** v := A^-1 p for a symmetric positive definite A [n x n], by the kernels of the factor.
 *  @param[out] ok  false when A is not positive definite */
SUP_NODISCARD sup_status sup_free_velocity(sup_arena *arena, int n, const double *A,
                                           const double *p, double *v, bool *ok);
/** q_th(v) [nq] */
void sup_tree_step_positions(const sup_tree_step *step, const double *v, double *q);
/** A [nv x nv] and p = A v* [nv]; v* [nv] where theta > 0, else untouched.  E_NOT_CONVERGED names
 * the tree. */
SUP_NODISCARD sup_status sup_tree_step_free_motion(const sup_tree_step *step, sup_arena *arena,
                                                   double *A, double *p, double *v);
/** A and p about v, for theta > 0: A v - p = m(v) at v. */
void sup_tree_step_linearise(const sup_tree_step *step, const double *v, double *A, double *p);
