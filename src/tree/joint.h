/** What a joint contributes: its transform, the columns of its motion subspace S and their rate.  Layer tree. */
#pragma once

#include "tree/spatial.h"
#include "tree/tree.h"

/** Rotation of a floating joint's link in its joint frame. */
static inline sup_m3 sup_joint_floating_rotation(const double *q) {
  return sup_quat_matrix(sup_quat_unit((sup_quat){q[3], q[4], q[5], q[6]}));
}

/** Pose of the link in its parent; q is the tree's. */
static inline sup_frame sup_joint_frame(const sup_tree_link *link, const double *q) {
  sup_frame X = sup_frame_identity();
  q += link->q_start;
  switch (link->joint) {
    case SUP_JOINT_FIXED:
      return link->X_PJ;
    case SUP_JOINT_REVOLUTE:
      X.R = sup_quat_matrix(sup_quat_exp(sup_v3_scale(q[0], link->axis)));
      break;
    case SUP_JOINT_PRISMATIC:
      X.p = sup_v3_scale(q[0], link->axis);
      break;
    case SUP_JOINT_FLOATING:
      X = (sup_frame){sup_joint_floating_rotation(q), sup_v3_load(q)};
      break;
  }
  return sup_frame_mul(&link->X_PJ, &X);
}

/** Column k of S in the link's frame; X_PL from sup_joint_frame.  Columns 3 to 5 of a floating joint are the world's
 *  axes: R_WL = R_WJ R_JL and R_JL = R_PJ^T R_PL. */
static inline sup_motion sup_joint_column(const sup_tree_link *link, const sup_frame *X_PL, int k) {
  sup_motion s = sup_motion_zero();
  switch (link->joint) {
    case SUP_JOINT_FIXED:
      break;
    case SUP_JOINT_REVOLUTE:
      s.w = link->axis;
      break;
    case SUP_JOINT_PRISMATIC:
      s.v = link->axis;
      break;
    case SUP_JOINT_FLOATING: {
      sup_v3 e = sup_v3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
      if (k < 3)
        s.w = e;
      else
        s.v = sup_m3_apply_t(X_PL->R, sup_m3_apply(link->X_PJ.R, sup_m3_apply_t(link->R_WJ, e)));
      break;
    }
  }
  return s;
}

/** S a for the joint's part of a joint-space vector of the tree; NULL: zero. */
static inline sup_motion sup_joint_motion(const sup_tree_link *link, const sup_frame *X_PL, const double *a) {
  sup_motion sum = sup_motion_zero();
  for (int k = 0; k < link->nv && a; k++)
    sum = sup_motion_madd(sum, a[link->v_start + k], sup_joint_column(link, X_PL, k));
  return sum;
}

/** Velocity-product acceleration crm(V) S v + Sdot v.  S is constant in the link except for the world axes of a
 * floating joint, where Sdot v = [0; -w x R^T v_o]. */
static inline sup_motion sup_joint_bias(const sup_tree_link *link, sup_motion V, sup_motion own) {
  sup_motion c = sup_motion_cross(V, own);
  if (link->joint == SUP_JOINT_FLOATING) c.v = sup_v3_sub(c.v, sup_v3_cross(own.w, own.v));
  return c;
}
