/** Spatial algebra: motions [w; v], forces [n; f], inertias, all at the origin and in the axes of
 * one frame (THEORY 3.1). Layer tree.  Pure functions.  X is the pose of the child in the parent.
 */
#pragma once

#include "base/vec.h"

typedef struct sup_motion {
  sup_v3 w, v; /* angular; linear of the point at the origin */
} sup_motion;
typedef struct sup_force {
  sup_v3 n, f; /* moment about the origin; force */
} sup_force;

/** Inertia of a rigid body: mass, first moment m c, second moment about the origin. */
typedef struct sup_rigid_inertia {
  double m;
  sup_v3 h;
  sup_m3 I;
} sup_rigid_inertia;

static inline sup_motion sup_motion_zero(void) { return (sup_motion){{0, 0, 0}, {0, 0, 0}}; }
static inline sup_motion sup_motion_add(sup_motion a, sup_motion b) {
  return (sup_motion){sup_v3_add(a.w, b.w), sup_v3_add(a.v, b.v)};
}
/** a + s b */
static inline sup_motion sup_motion_madd(sup_motion a, double s, sup_motion b) {
  return (sup_motion){sup_v3_madd(a.w, s, b.w), sup_v3_madd(a.v, s, b.v)};
}
static inline sup_force sup_force_add(sup_force a, sup_force b) {
  return (sup_force){sup_v3_add(a.n, b.n), sup_v3_add(a.f, b.f)};
}
/** Power of a force on a motion. */
static inline double sup_spatial_dot(sup_motion a, sup_force b) {
  return sup_v3_dot(a.w, b.n) + sup_v3_dot(a.v, b.f);
}

/** Motion of the parent in the frame of the child. */
static inline sup_motion sup_motion_to_child(const sup_frame *X, sup_motion a) {
  sup_v3 at_p = sup_v3_add(a.v, sup_v3_cross(a.w, X->p));
  return (sup_motion){sup_m3_apply_t(X->R, a.w), sup_m3_apply_t(X->R, at_p)};
}
/** Force on the child in the frame of the parent. */
static inline sup_force sup_force_to_parent(const sup_frame *X, sup_force a) {
  sup_v3 f = sup_m3_apply(X->R, a.f);
  return (sup_force){sup_v3_add(sup_m3_apply(X->R, a.n), sup_v3_cross(X->p, f)), f};
}
/** crm(a) b */
static inline sup_motion sup_motion_cross(sup_motion a, sup_motion b) {
  return (sup_motion){sup_v3_cross(a.w, b.w),
                      sup_v3_add(sup_v3_cross(a.w, b.v), sup_v3_cross(a.v, b.w))};
}
/** crf(a) b */
static inline sup_force sup_force_cross(sup_motion a, sup_force b) {
  return (sup_force){sup_v3_add(sup_v3_cross(a.w, b.n), sup_v3_cross(a.v, b.f)),
                     sup_v3_cross(a.w, b.f)};
}

/** Rigid inertia from the mass, the centre c and the inertia about c. */
static inline sup_rigid_inertia sup_rigid_inertia_make(double m, sup_v3 c, sup_m3 about_c) {
  sup_m3 cx = sup_m3_skew(c);
  return (sup_rigid_inertia){m, sup_v3_scale(m, c),
                             sup_m3_add(about_c, sup_m3_scale(-m, sup_m3_mul(cx, cx)))};
}
static inline sup_force sup_rigid_inertia_apply(const sup_rigid_inertia *a, sup_motion b) {
  return (sup_force){sup_v3_add(sup_m3_apply(a->I, b.w), sup_v3_cross(a->h, b.v)),
                     sup_v3_sub(sup_v3_scale(a->m, b.v), sup_v3_cross(a->h, b.w))};
}
static inline void sup_rigid_inertia_accumulate(sup_rigid_inertia *to, const sup_rigid_inertia *a) {
  to->m += a->m;
  to->h = sup_v3_add(to->h, a->h);
  to->I = sup_m3_add(to->I, a->I);
}
/** R A R^T */
static inline sup_m3 sup_m3_congruence(sup_m3 R, sup_m3 A) {
  return sup_m3_mul(sup_m3_mul(R, A), sup_m3_transpose(R));
}

/** X^T I X: inertia of the child in the frame of the parent. */
static inline sup_rigid_inertia sup_rigid_inertia_to_parent(const sup_frame         *X,
                                                            const sup_rigid_inertia *a) {
  sup_v3 h = sup_m3_apply(X->R, a->h);
  sup_m3 px = sup_m3_skew(X->p), hx = sup_m3_skew(h);
  sup_m3 shift =
      sup_m3_add(sup_m3_mul(hx, px), sup_m3_mul(px, sup_m3_add(hx, sup_m3_scale(a->m, px))));
  return (sup_rigid_inertia){a->m, sup_v3_madd(h, a->m, X->p),
                             sup_m3_add(sup_m3_congruence(X->R, a->I), sup_m3_scale(-1, shift))};
}
