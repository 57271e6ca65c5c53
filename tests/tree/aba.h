/** Forward dynamics by articulated bodies (ABA, THEORY 3.2): an independent check of RNEA and CRBA.
 */
#pragma once

#include "tree/joint.h"

/** Symmetric 6x6 [ww wv; wv^T vv], the articulated inertia of ABA. */
typedef struct inertia6 {
  sup_m3 ww, wv, vv;
} inertia6;

/** a + s b */
static inline sup_force force_madd(sup_force a, double s, sup_force b) {
  return (sup_force){sup_v3_madd(a.n, s, b.n), sup_v3_madd(a.f, s, b.f)};
}
static inline inertia6 inertia6_from_rigid(const sup_rigid_inertia *a) {
  return (inertia6){a->I, sup_m3_skew(a->h), sup_m3_scale(a->m, sup_m3_identity())};
}
static inline sup_force inertia6_apply(const inertia6 *a, sup_motion b) {
  return (sup_force){sup_v3_add(sup_m3_apply(a->ww, b.w), sup_m3_apply(a->wv, b.v)),
                     sup_v3_add(sup_m3_apply_t(a->wv, b.w), sup_m3_apply(a->vv, b.v))};
}
/** a - b b^T */
static inline void inertia6_downdate(inertia6 *a, sup_force b) {
  a->ww = sup_m3_add(a->ww, sup_m3_scale(-1, sup_m3_outer(b.n, b.n)));
  a->wv = sup_m3_add(a->wv, sup_m3_scale(-1, sup_m3_outer(b.n, b.f)));
  a->vv = sup_m3_add(a->vv, sup_m3_scale(-1, sup_m3_outer(b.f, b.f)));
}
/** to += X^T a X */
static inline void inertia6_accumulate_to_parent(inertia6 *to, const sup_frame *X,
                                                 const inertia6 *a) {
  sup_m3 px = sup_m3_skew(X->p), vv = sup_m3_congruence(X->R, a->vv),
         turned = sup_m3_congruence(X->R, a->wv);
  sup_m3 wv = sup_m3_add(turned, sup_m3_mul(px, vv));
  sup_m3 ww = sup_m3_add(sup_m3_congruence(X->R, a->ww), sup_m3_mul(px, sup_m3_transpose(turned)));
  to->ww = sup_m3_add(to->ww, sup_m3_add(ww, sup_m3_scale(-1, sup_m3_mul(wv, px))));
  to->wv = sup_m3_add(to->wv, wv);
  to->vv = sup_m3_add(to->vv, vv);
}

/** Results of ABA's backward pass that the forward pass reads.  Per dof: W = U L^-T and y = L^-1 u
 * with D = L L^T. */
typedef struct aba_work {
  sup_frame  X[SUP_TREE_MAX_LINKS];
  sup_motion c[SUP_TREE_MAX_LINKS];
  inertia6   IA[SUP_TREE_MAX_LINKS];
  sup_force  pA[SUP_TREE_MAX_LINKS];
  sup_force  W[SUP_TREE_MAX_NV];
  double     L[SUP_TREE_MAX_NV][6], y[SUP_TREE_MAX_NV];
} aba_work;

/** Eliminate a joint: factor D = S^T IA S + E, then IA and pA become those seen by the parent
 * (still at the link). */
static inline void eliminate_joint(aba_work *work, const sup_tree_link *link, int i,
                                   const double *tau, const double *E) {
  sup_force *W = work->W + link->v_start;
  double    *y = work->y + link->v_start, (*L)[6] = work->L + link->v_start;
  sup_force  pA = sup_force_add(work->pA[i], inertia6_apply(&work->IA[i], work->c[i]));
  for (int k = 0; k < link->nv; k++) {
    sup_motion s = sup_joint_column(link, &work->X[i], k);
    W[k] = inertia6_apply(&work->IA[i], s);
    for (int j = 0; j <= k; j++)
      L[k][j] = sup_spatial_dot(sup_joint_column(link, &work->X[i], j), W[k]);
    L[k][k] += link->armature + (E ? E[link->v_start + k] : 0);
    y[k] = (tau ? tau[link->v_start + k] : 0) - sup_spatial_dot(s, work->pA[i]);
  }
  for (int k = 0; k < link->nv; k++) {
    for (int j = 0; j <= k; j++) {
      for (int m = 0; m < j; m++) L[k][j] -= L[k][m] * L[j][m];
      L[k][j] = j < k ? L[k][j] / L[j][j] : sqrt(L[k][k]);
    }
    for (int m = 0; m < k; m++) {
      W[k] = force_madd(W[k], -L[k][m], W[m]);
      y[k] -= L[k][m] * y[m];
    }
    W[k] = (sup_force){sup_v3_scale(1 / L[k][k], W[k].n), sup_v3_scale(1 / L[k][k], W[k].f)};
    y[k] /= L[k][k];
  }
  for (int k = 0; k < link->nv; k++) {
    /* Ia c = IA c - W W^T c */
    pA = force_madd(pA, y[k] - sup_spatial_dot(work->c[i], W[k]), W[k]);
    inertia6_downdate(&work->IA[i], W[k]);
  }
  work->pA[i] = pA;
}

/** vdot = (M + diag E)^-1 (tau - bias) (ABA); E [nv] >= 0, NULL: zero.  armature included, no joint
 * damping or springs.
 */
static inline void test_forward_dynamics(const sup_tree *tree, const sup_base_motion *base,
                                         const double *q, const double *v, const double *tau,
                                         const double *E, sup_v3 gravity, double *vdot) {
  aba_work     work;
  sup_motion   V[SUP_TREE_MAX_LINKS], a[SUP_TREE_MAX_LINKS], V0, a0;
  const sup_m3 R = base->X_WB.R;
  V0 = (sup_motion){sup_m3_apply_t(R, base->w), sup_m3_apply_t(R, base->v)};
  a0.w = sup_m3_apply_t(R, base->wdot);
  a0.v = sup_v3_sub(sup_m3_apply_t(R, sup_v3_sub(base->vdot, gravity)), sup_v3_cross(V0.w, V0.v));
  for (int i = 0; i < tree->num_links; i++) {
    const sup_tree_link *link = &tree->links[i];
    sup_rigid_inertia    I = sup_rigid_inertia_make(link->mass, link->com, link->inertia);
    work.X[i] = sup_joint_frame(link, q);
    sup_motion own = sup_joint_motion(link, &work.X[i], v);
    V[i] = sup_motion_add(
        sup_motion_to_child(&work.X[i], link->parent == SUP_NONE ? V0 : V[link->parent]), own);
    work.c[i] = sup_joint_bias(link, V[i], own);
    work.IA[i] = inertia6_from_rigid(&I);
    work.pA[i] = sup_force_cross(V[i], sup_rigid_inertia_apply(&I, V[i]));
  }
  for (int i = tree->num_links - 1; i >= 0; i--) {
    int p = tree->links[i].parent;
    eliminate_joint(&work, &tree->links[i], i, tau, E);
    if (p == SUP_NONE) continue;
    inertia6_accumulate_to_parent(&work.IA[p], &work.X[i], &work.IA[i]);
    work.pA[p] = sup_force_add(work.pA[p], sup_force_to_parent(&work.X[i], work.pA[i]));
  }
  for (int i = 0; i < tree->num_links; i++) {
    const sup_tree_link *link = &tree->links[i];
    double              *x = vdot + link->v_start;
    a[i] = sup_motion_add(
        sup_motion_to_child(&work.X[i], link->parent == SUP_NONE ? a0 : a[link->parent]),
        work.c[i]);
    for (int k = link->nv - 1; k >= 0; k--) { /* L^T vdot = y - W^T a */
      x[k] = work.y[link->v_start + k] - sup_spatial_dot(a[i], work.W[link->v_start + k]);
      for (int m = k + 1; m < link->nv; m++) x[k] -= work.L[link->v_start + m][k] * x[m];
      x[k] /= work.L[link->v_start + k][k];
    }
    a[i] = sup_motion_add(a[i], sup_joint_motion(link, &work.X[i], vdot));
  }
}
