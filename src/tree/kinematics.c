/* Poses, velocities, Jacobians, the update of q, energies, and the motion of the base. */
#include "base/table.h"
#include "tree/joint.h"

/** Pose of the base at time t. */
static sup_frame base_pose(const sup_tree *tree, const sup_table *motion, double t) {
  double row[6] = {0};
  sup_table_at(motion, t, row);
  sup_m3 turn = sup_quat_matrix(sup_quat_exp(sup_v3_load(row + 3)));
  return (sup_frame){sup_m3_mul(turn, tree->X_WB0.R), sup_v3_add(tree->X_WB0.p, sup_v3_load(row))};
}

sup_base_motion sup_tree_base_motion(const sup_tree *tree, double t, double dt) {
  return sup_tree_base_motion_along(tree, &tree->motion, t, dt);
}

sup_base_motion sup_tree_base_motion_along(const sup_tree *tree, const sup_table *motion, double t,
                                           double dt) {
  sup_base_motion base = {.X_WB = tree->X_WB0};
  if (motion->num_rows == 0) return base;
  base.X_WB = base_pose(tree, motion, t);
  if (dt <= 0) return base;
  sup_frame next = base_pose(tree, motion, t + dt);
  sup_m3    turn = sup_m3_mul(next.R, sup_m3_transpose(base.X_WB.R));
  base.v = sup_v3_scale(1 / dt, sup_v3_sub(next.p, base.X_WB.p));
  base.w = sup_v3_scale(1 / dt, sup_quat_log(sup_quat_from_matrix(turn)));
  return base;
}

void sup_tree_kinematics(const sup_tree *tree, const sup_base_motion *base, const double *q,
                         const double *v, sup_tree_kinematics_data *out) {
  for (int i = 0; i < tree->num_links; i++) {
    const sup_tree_link *link = &tree->links[i];
    int                  p = link->parent;
    sup_frame  X_WP = p == SUP_NONE ? base->X_WB : out->X_WL[p], X_PL = sup_joint_frame(link, q);
    sup_v3     w = p == SUP_NONE ? base->w : out->w[p], v_p = p == SUP_NONE ? base->v : out->v[p];
    sup_motion own = sup_joint_motion(link, &X_PL, v);
    sup_v3     arm = sup_m3_apply(X_WP.R, X_PL.p);
    out->X_WL[i] = sup_frame_mul(&X_WP, &X_PL);
    out->w[i] = sup_v3_add(w, sup_m3_apply(out->X_WL[i].R, own.w));
    out->v[i] =
        sup_v3_add(sup_v3_add(v_p, sup_v3_cross(w, arm)), sup_m3_apply(out->X_WL[i].R, own.v));
  }
}

int sup_joint_turns(const sup_tree_link *link, int k) {
  return link->joint == SUP_JOINT_REVOLUTE || link->joint == SUP_JOINT_BALL ||
         link->joint == SUP_JOINT_SCREW || (link->joint == SUP_JOINT_FLOATING && k < 3) ||
         (link->joint == SUP_JOINT_PLANAR && k == 2);
}

static void set_column(double *J, int nv, int column, sup_v3 a) {
  J[column] = a.x, J[nv + column] = a.y, J[2 * nv + column] = a.z;
}

/** A vector of the joint frame in the world, where the frame rests by R_WJ. */
static sup_v3 from_joint(const sup_tree_link *link, const sup_frame *X_WL, sup_v3 a) {
  return link->rests ? sup_m3_apply(link->R_WJ, a)
                     : sup_m3_apply(X_WL[link->parent].R, sup_m3_apply(link->X_PJ.R, a));
}

/** Angular part and linear part at the origin of link i of its joint's column k, world axes. */
static sup_motion world_column(const sup_tree *tree, const sup_frame *X_of, int i, int k) {
  const sup_tree_link *link = &tree->links[i];
  const sup_frame     *X_WL = &X_of[i];
  sup_motion           s = sup_motion_zero();
  sup_v3               e = sup_v3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2);
  switch (link->joint) {
    case SUP_JOINT_FIXED:
      break;
    case SUP_JOINT_REVOLUTE:
      s.w = sup_m3_apply(X_WL->R, link->axis);
      break;
    case SUP_JOINT_PRISMATIC:
      s.v = sup_m3_apply(X_WL->R, link->axis);
      break;
    case SUP_JOINT_FLOATING:
      if (k < 3)
        s.w = sup_m3_column(&X_WL->R, k);
      else
        s.v = link->rests ? e : from_joint(link, X_of, e);
      break;
    case SUP_JOINT_TRANSLATION:
      s.v = sup_m3_column(&X_WL->R, k);
      break;
    case SUP_JOINT_PLANAR:
      if (k == 2)
        s.w = sup_m3_apply(X_WL->R, link->axis);
      else
        s.v = from_joint(link, X_of, sup_joint_plane(link->axis, k));
      break;
    case SUP_JOINT_BALL:
      s.w = sup_m3_column(&X_WL->R, k);
      break;
    case SUP_JOINT_SCREW:
      s.w = sup_m3_apply(X_WL->R, link->axis);
      s.v = sup_v3_scale(link->pitch, s.w);
      break;
  }
  return s;
}

void sup_tree_point_jacobian(const sup_tree *tree, const sup_tree_kinematics_data *kin, int link,
                             sup_v3 p, double *J) {
  for (int k = 0; k < 3 * tree->nv; k++) J[k] = 0;
  for (int i = link; i != SUP_NONE; i = tree->links[i].parent) {
    const sup_tree_link *joint = &tree->links[i];
    sup_v3               arm = sup_v3_sub(p, kin->X_WL[i].p);
    for (int k = 0; k < joint->nv; k++) {
      sup_motion s = world_column(tree, kin->X_WL, i, k);
      set_column(J, tree->nv, joint->v_start + k, sup_v3_add(s.v, sup_v3_cross(s.w, arm)));
    }
  }
}

void sup_tree_angular_jacobian(const sup_tree *tree, const sup_tree_kinematics_data *kin, int link,
                               double *J) {
  for (int k = 0; k < 3 * tree->nv; k++) J[k] = 0;
  for (int i = link; i != SUP_NONE; i = tree->links[i].parent) {
    const sup_tree_link *joint = &tree->links[i];
    for (int k = 0; k < joint->nv; k++)
      set_column(J, tree->nv, joint->v_start + k, world_column(tree, kin->X_WL, i, k).w);
  }
}

sup_v3 sup_tree_point_velocity(const sup_tree_kinematics_data *kin, int link, sup_v3 p) {
  return sup_v3_add(kin->v[link], sup_v3_cross(kin->w[link], sup_v3_sub(p, kin->X_WL[link].p)));
}

void sup_tree_integrate(const sup_tree *tree, double *q, const double *v, double dt) {
  for (int i = 0; i < tree->num_links; i++) {
    const sup_tree_link *link = &tree->links[i];
    double              *qi = q + link->q_start;
    const double        *vi = v + link->v_start;
    int                  turn = sup_joint_quaternion(link);
    if (turn != SUP_NONE) {
      if (turn > 0) sup_v3_accumulate(qi, dt, sup_m3_apply_t(link->R_WJ, sup_v3_load(vi + 3)));
      sup_joint_turn(qi + turn, sup_v3_scale(dt, sup_v3_load(vi)));
    } else {
      for (int k = 0; k < link->nv; k++) qi[k] += dt * vi[k];
    }
  }
}

void sup_tree_energy(const sup_tree *tree, const sup_tree_kinematics_data *kin, const double *q,
                     const double *v, sup_v3 gravity, double *kinetic, double *potential) {
  *kinetic = *potential = 0;
  for (int i = 0; i < tree->num_links; i++) {
    const sup_tree_link *link = &tree->links[i];
    sup_v3               com = sup_frame_apply(&kin->X_WL[i], link->com);
    sup_v3               v_com = sup_tree_point_velocity(kin, i, com),
           w_L = sup_m3_apply_t(kin->X_WL[i].R, kin->w[i]);
    *kinetic += 0.5 * link->mass * sup_v3_dot(v_com, v_com) +
                0.5 * sup_v3_dot(w_L, sup_m3_apply(link->inertia, w_L));
    *potential -= link->mass * sup_v3_dot(gravity, com);
    for (int k = 0; k < link->nv; k++)
      *kinetic += 0.5 * link->armature * v[link->v_start + k] * v[link->v_start + k];
    *potential += sup_joint_spring_energy(link, q);
  }
}
