/* Inverse dynamics (RNEA) and mass matrix (CRBA): THEORY 3.2, all in link frames. */
#include "tree/joint.h"

enum { MAX_LINKS = SUP_TREE_MAX_LINKS };

static sup_rigid_inertia link_inertia(const sup_tree_link *link) {
  return sup_rigid_inertia_make(link->mass, link->com, link->inertia);
}

/** Velocity of the base and its acceleration against free fall, at the base's origin in base axes.
 * The spatial acceleration is the rate of the components in moving axes: d/dt (R^T v) = R^T vdot -
 * w x R^T v. */
static void base_motion(const sup_base_motion *base, sup_v3 gravity, sup_motion *V, sup_motion *a) {
  const sup_m3 R = base->X_WB.R;
  V->w = sup_m3_apply_t(R, base->w);
  V->v = sup_m3_apply_t(R, base->v);
  a->w = sup_m3_apply_t(R, base->wdot);
  a->v = sup_v3_sub(sup_m3_apply_t(R, sup_v3_sub(base->vdot, gravity)), sup_v3_cross(V->w, V->v));
}

void sup_tree_inverse_dynamics(const sup_tree *tree, const sup_base_motion *base, const double *q,
                               const double *v, const double *vdot, sup_v3 gravity,
                               const sup_wrench *external, double *tau) {
  sup_frame  X[MAX_LINKS];
  sup_motion V[MAX_LINKS], a[MAX_LINKS], V0, a0;
  sup_force  F[MAX_LINKS];
  sup_m3     R_WL[MAX_LINKS];
  base_motion(base, gravity, &V0, &a0);
  for (int i = 0; i < tree->num_links; i++) {
    const sup_tree_link *link = &tree->links[i];
    int                  p = link->parent;
    X[i] = sup_joint_frame(link, q);
    sup_motion        own = sup_joint_motion(link, &X[i], v);
    sup_rigid_inertia I = link_inertia(link);
    V[i] = sup_motion_add(sup_motion_to_child(&X[i], p == SUP_NONE ? V0 : V[p]), own);
    a[i] = sup_motion_add(
        sup_motion_to_child(&X[i], p == SUP_NONE ? a0 : a[p]),
        sup_motion_add(sup_joint_motion(link, &X[i], vdot), sup_joint_bias(link, V[i], own)));
    F[i] = sup_force_add(sup_rigid_inertia_apply(&I, a[i]),
                         sup_force_cross(V[i], sup_rigid_inertia_apply(&I, V[i])));
    R_WL[i] = sup_m3_mul(p == SUP_NONE ? base->X_WB.R : R_WL[p], X[i].R);
    if (external) {
      F[i].n = sup_v3_sub(F[i].n, sup_m3_apply_t(R_WL[i], external[i].moment));
      F[i].f = sup_v3_sub(F[i].f, sup_m3_apply_t(R_WL[i], external[i].force));
    }
  }
  for (int i = tree->num_links - 1; i >= 0; i--) {
    const sup_tree_link *link = &tree->links[i];
    for (int k = 0; k < link->nv; k++) {
      int row = link->v_start + k;
      tau[row] = sup_spatial_dot(sup_joint_column(link, &X[i], k), F[i]) +
                 (vdot ? link->armature * vdot[row] : 0);
    }
    if (link->parent != SUP_NONE)
      F[link->parent] = sup_force_add(F[link->parent], sup_force_to_parent(&X[i], F[i]));
  }
}

void sup_tree_mass_matrix(const sup_tree *tree, const double *q, double *M) {
  sup_frame         X[MAX_LINKS];
  sup_rigid_inertia composite[MAX_LINKS];
  int               nv = tree->nv;
  for (int k = 0; k < nv * nv; k++) M[k] = 0;
  for (int i = 0; i < tree->num_links; i++) {
    X[i] = sup_joint_frame(&tree->links[i], q);
    composite[i] = link_inertia(&tree->links[i]);
  }
  for (int i = tree->num_links - 1; i >= 0; i--) {
    const sup_tree_link *link = &tree->links[i];
    for (int k = 0; k < link->nv; k++) {
      int       column = link->v_start + k;
      sup_force F = sup_rigid_inertia_apply(&composite[i], sup_joint_column(link, &X[i], k));
      for (int j = i; j != SUP_NONE; j = tree->links[j].parent) {
        for (int m = 0; m < (j == i ? k + 1 : tree->links[j].nv); m++) {
          int row = tree->links[j].v_start + m;
          M[row * nv + column] = sup_spatial_dot(sup_joint_column(&tree->links[j], &X[j], m), F);
          M[column * nv + row] = M[row * nv + column];
        }
        F = sup_force_to_parent(&X[j], F);
      }
      M[column * nv + column] += link->armature;
    }
    if (link->parent != SUP_NONE) {
      sup_rigid_inertia moved = sup_rigid_inertia_to_parent(&X[i], &composite[i]);
      sup_rigid_inertia_accumulate(&composite[link->parent], &moved);
    }
  }
}
