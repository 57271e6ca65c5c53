/** Joint kinematics: transform, columns of the motion subspace S and their rate.
 * Layer tree. */
#pragma once

#include "supple/robot.h"
#include "tree/spatial.h"
#include "tree/tree.h"

/** Unit vectors e (k = 0) and f (k = 1) of a planar joint with e x f = axis; joint frame.  For the
 * axes x, y, z these are (y, z), (z, x), (x, y). */
static inline sup_v3 sup_joint_plane(sup_v3 axis, int k) {
  double x = fabs(axis.x), y = fabs(axis.y), z = fabs(axis.z);
  sup_v3 other = z >= x && z >= y ? sup_v3_make(0, 1, 0)
                 : x >= y         ? sup_v3_make(0, 0, 1)
                                  : sup_v3_make(1, 0, 0);
  sup_v3 e = sup_v3_unit(sup_v3_cross(other, axis));
  return k == 0 ? e : sup_v3_cross(axis, e);
}

/** Rotation with the quaternion q [4], of any length. */
static inline sup_m3 sup_joint_rotation(const double *q) {
  return sup_quat_matrix(sup_quat_unit((sup_quat){q[0], q[1], q[2], q[3]}));
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
      X = (sup_frame){sup_joint_rotation(q + 3), sup_v3_load(q)};
      break;
    case SUP_JOINT_TRANSLATION:
      X.p = sup_v3_load(q);
      break;
    case SUP_JOINT_PLANAR:
      X.R = sup_quat_matrix(sup_quat_exp(sup_v3_scale(q[2], link->axis)));
      for (int k = 0; k < 2; k++) X.p = sup_v3_madd(X.p, q[k], sup_joint_plane(link->axis, k));
      break;
    case SUP_JOINT_BALL:
      X.R = sup_joint_rotation(q);
      break;
    case SUP_JOINT_SCREW:
      X.R = sup_quat_matrix(sup_quat_exp(sup_v3_scale(q[0], link->axis)));
      X.p = sup_v3_scale(link->pitch * q[0], link->axis);
      break;
  }
  return sup_frame_mul(&link->X_PJ, &X);
}

/** A vector of the joint frame in the link's: R_JL^T a with R_JL = R_PJ^T R_PL. */
static inline sup_v3 sup_joint_to_link(const sup_tree_link *link, const sup_frame *X_PL, sup_v3 a) {
  return sup_m3_apply_t(X_PL->R, sup_m3_apply(link->X_PJ.R, a));
}

/** Column k of S in the link's frame; X_PL from sup_joint_frame.  Columns 3 to 5 of a floating
 * joint are the axes of R_WJ^T in the joint frame, the world's where that rests; columns 0 and 1 of
 * a planar joint stay in the joint frame. */
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
        s.v = sup_joint_to_link(link, X_PL, sup_m3_apply_t(link->R_WJ, e));
      break;
    }
    case SUP_JOINT_TRANSLATION:
      s.v = sup_v3_make(k == 0, k == 1, k == 2);
      break;
    case SUP_JOINT_PLANAR:
      if (k == 2)
        s.w = link->axis;
      else
        s.v = sup_joint_to_link(link, X_PL, sup_joint_plane(link->axis, k));
      break;
    case SUP_JOINT_BALL:
      s.w = sup_v3_make(k == 0, k == 1, k == 2);
      break;
    case SUP_JOINT_SCREW:
      s = (sup_motion){link->axis, sup_v3_scale(link->pitch, link->axis)};
      break;
  }
  return s;
}

/** S a for the joint's part of a joint-space vector of the tree; NULL: zero. */
static inline sup_motion sup_joint_motion(const sup_tree_link *link, const sup_frame *X_PL,
                                          const double *a) {
  sup_motion sum = sup_motion_zero();
  for (int k = 0; k < link->nv && a; k++)
    sum = sup_motion_madd(sum, a[link->v_start + k], sup_joint_column(link, X_PL, k));
  return sum;
}

/** Velocity-product acceleration crm(V) S v + Sdot v.  S is constant in the link except for the
 * directions that floating and planar joints keep outside of it, where Sdot v = [0; -w x R^T v_o].
 */
static inline sup_motion sup_joint_bias(const sup_tree_link *link, sup_motion V, sup_motion own) {
  sup_motion c = sup_motion_cross(V, own);
  if (link->joint == SUP_JOINT_FLOATING || link->joint == SUP_JOINT_PLANAR)
    c.v = sup_v3_sub(c.v, sup_v3_cross(own.w, own.v));
  return c;
}
