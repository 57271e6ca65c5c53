/* Links that move freely or turn about a point at rest: their gyroscopic moment, and steps that
 * keep their momentum. */
#include <string.h>

#include "tree/joint.h"

static bool has_children(const sup_tree *tree, int link) {
  for (int i = link + 1; i < tree->num_links; i++)
    if (tree->links[i].parent == link) return 1;
  return 0;
}

static int turns_freely(const sup_tree *tree, int link) {
  const sup_tree_link *l = &tree->links[link];
  return sup_joint_quaternion(l) != SUP_NONE && l->rests && !has_children(tree, link);
}

/** About the centre of mass, of a ball about the joint. */
static sup_m3 turning_inertia(const sup_tree_link *link) {
  if (link->joint == SUP_JOINT_FLOATING) return link->inertia;
  return sup_rigid_inertia_make(link->mass, link->com, link->inertia).I;
}

static sup_m3 rotor_and_link(const sup_tree_link *link) {
  sup_m3 I = turning_inertia(link);
  for (int k = 0; k < 3; k++) I.m[k][k] += link->armature;
  return I;
}

/** w x I w, or its value by the linearly implicit midpoint rule; link axes. */
static sup_v3 gyroscopic_moment(const sup_tree_link *link, sup_v3 w, double dt) {
  sup_m3 I = rotor_and_link(link), own = turning_inertia(link);
  sup_v3 momentum = sup_m3_apply(own, w), moment = sup_v3_cross(w, momentum);
  sup_m3 B = sup_m3_add(sup_m3_mul(sup_m3_skew(w), own), sup_m3_scale(-1, sup_m3_skew(momentum)));
  sup_m3 J = sup_m3_add(I, sup_m3_scale(0.5 * dt, B));
  if (!(sup_m3_det(&J) > 0.1 * sup_m3_det(&I)))
    return moment; /* more than a radian a step: the linearisation is invalid */
  return sup_m3_apply(I, sup_m3_apply(sup_m3_inverse(J), moment));
}

/* About the centre of mass the rotation stands alone, and a moment there is a moment at the link's
 * origin. */
void sup_tree_implicit_gyroscopic(const sup_tree *tree, const double *v, double dt, double *bias) {
  for (int i = 0; i < tree->num_links; i++) {
    const sup_tree_link *link = &tree->links[i];
    if (!turns_freely(tree, i)) continue;
    sup_v3 w = sup_v3_load(v + link->v_start);
    sup_v3 moment = sup_v3_cross(w, sup_m3_apply(turning_inertia(link), w));
    sup_v3_accumulate(bias + link->v_start, 1, sup_v3_sub(gyroscopic_moment(link, w, dt), moment));
  }
}

/** Step of a link on a ball joint: w is the solution at q, w0 the velocity before. */
static void step_ball(const sup_tree_link *link, const double *w0, double dt, double *q,
                      double *w) {
  sup_m3 I = turning_inertia(link), R = sup_joint_rotation(q), inverse = sup_m3_inverse(I);
  sup_v3 moment = gyroscopic_moment(link, sup_v3_load(w0), dt), now = sup_v3_load(w);
  sup_v3 momentum = sup_m3_apply(R, sup_v3_madd(sup_m3_apply(I, now), dt, moment));
  sup_joint_turn(q, sup_v3_scale(dt, sup_v3_madd(now, 0.5 * dt, sup_m3_apply(inverse, moment))));
  sup_v3_store(w, sup_m3_apply(inverse, sup_m3_apply_t(sup_joint_rotation(q), momentum)));
}

/** The step of one link: v = (w, v_o) is the solution at q, v0 the velocity before. */
static void step_link(const sup_tree_link *link, const double *v0, double dt, double *q,
                      double *v) {
  sup_v3 w0 = sup_v3_load(v0), w = sup_v3_load(v), c = link->com;
  sup_m3 R = sup_m3_mul(link->R_WJ, sup_joint_rotation(q + 3)),
         inverse = sup_m3_inverse(link->inertia);
  /* the impulses on the link changed I w + dt moment, in the axes of the step's start; half of the
     moment's effect is past when the link has turned by half */
  sup_v3 moment = gyroscopic_moment(link, w0, dt);
  sup_v3 momentum = sup_m3_apply(R, sup_v3_madd(sup_m3_apply(link->inertia, w), dt, moment));
  sup_v3 turn = sup_v3_scale(dt, sup_v3_madd(w, 0.5 * dt, sup_m3_apply(inverse, moment)));
  sup_v3 v_com = sup_v3_madd(sup_v3_cross(w, c), dt, sup_v3_cross(w0, sup_v3_cross(w0, c)));
  v_com = sup_v3_add(sup_v3_load(v + 3), sup_m3_apply(R, v_com));
  sup_quat orientation = sup_quat_unit((sup_quat){q[3], q[4], q[5], q[6]});
  orientation = sup_quat_unit(sup_quat_mul(orientation, sup_quat_exp(turn)));
  sup_m3 next = sup_m3_mul(link->R_WJ, sup_quat_matrix(orientation));
  sup_v3 w1 = sup_m3_apply(inverse, sup_m3_apply_t(next, momentum));
  sup_v3 go = sup_v3_madd(sup_v3_sub(sup_m3_apply(R, c), sup_m3_apply(next, c)), dt, v_com);
  sup_v3_store(q, sup_v3_add(sup_v3_load(q), sup_m3_apply_t(link->R_WJ, go)));
  q[3] = orientation.w, q[4] = orientation.x, q[5] = orientation.y, q[6] = orientation.z;
  sup_v3_store(v, w1);
  sup_v3_store(v + 3, sup_v3_sub(v_com, sup_m3_apply(next, sup_v3_cross(w1, c))));
}

void sup_tree_restore_momentum(const sup_tree *tree, const double *q0, const double *v0, double dt,
                               double *q, double *v) {
  for (int i = 0; i < tree->num_links; i++) {
    const sup_tree_link *link = &tree->links[i];
    if (!turns_freely(tree, i) || link->armature > 0) continue;
    if (!(sup_v3_norm(sup_v3_load(v0 + link->v_start)) > 0) &&
        !(sup_v3_norm(sup_v3_load(v + link->v_start)) > 0))
      continue;
    memcpy(q + link->q_start, q0 + link->q_start, (size_t)link->nq * sizeof *q);
    (link->joint == SUP_JOINT_BALL ? step_ball : step_link)(link, v0 + link->v_start, dt,
                                                            q + link->q_start, v + link->v_start);
  }
}
