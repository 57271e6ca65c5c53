/** 3-vectors, 3x3 matrices (row-major) and unit quaternions (w, x, y, z) by value.  Layer base.
 * Pure functions. */
#pragma once

#include <math.h>

#include "supple/shape.h"

typedef struct sup_v3 {
  double x, y, z;
} sup_v3;
typedef struct sup_m3 {
  double m[3][3];
} sup_m3;
typedef struct sup_quat {
  double w, x, y, z;
} sup_quat;

/** Smaller and larger of two numbers: one instruction, no care for NaN or signed zeros. */
static inline double sup_min(double a, double b) { return a < b ? a : b; }
static inline double sup_max(double a, double b) { return a > b ? a : b; }

static inline sup_v3 sup_v3_make(double x, double y, double z) { return (sup_v3){x, y, z}; }
static inline sup_v3 sup_v3_load(const double *a) { return (sup_v3){a[0], a[1], a[2]}; }
static inline void   sup_v3_store(double *to, sup_v3 a) { to[0] = a.x, to[1] = a.y, to[2] = a.z; }
static inline sup_v3 sup_v3_add(sup_v3 a, sup_v3 b) {
  return (sup_v3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline sup_v3 sup_v3_sub(sup_v3 a, sup_v3 b) {
  return (sup_v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline sup_v3 sup_v3_scale(double s, sup_v3 a) {
  return (sup_v3){s * a.x, s * a.y, s * a.z};
}
/** a + s b */
static inline sup_v3 sup_v3_madd(sup_v3 a, double s, sup_v3 b) {
  return (sup_v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double sup_v3_dot(sup_v3 a, sup_v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline sup_v3 sup_v3_cross(sup_v3 a, sup_v3 b) {
  return (sup_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double sup_v3_norm(sup_v3 a) { return sqrt(sup_v3_dot(a, a)); }
/** a / |a|; the zero vector stays zero. */
static inline sup_v3 sup_v3_unit(sup_v3 a) {
  double n = sup_v3_norm(a);
  return n > 0 ? sup_v3_scale(1 / n, a) : a;
}
static inline void sup_v3_accumulate(double *to, double s, sup_v3 a) {
  to[0] += s * a.x, to[1] += s * a.y, to[2] += s * a.z;
}

static inline sup_m3 sup_m3_identity(void) { return (sup_m3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
static inline sup_m3 sup_m3_zero(void) { return (sup_m3){{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}}; }
static inline sup_m3 sup_m3_columns(sup_v3 a, sup_v3 b, sup_v3 c) {
  return (sup_m3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}
static inline sup_v3 sup_m3_column(const sup_m3 *a, int j) {
  return (sup_v3){a->m[0][j], a->m[1][j], a->m[2][j]};
}
static inline sup_v3 sup_m3_row(const sup_m3 *a, int i) {
  return (sup_v3){a->m[i][0], a->m[i][1], a->m[i][2]};
}
static inline sup_m3 sup_m3_transpose(sup_m3 a) {
  return (sup_m3){{{a.m[0][0], a.m[1][0], a.m[2][0]},
                   {a.m[0][1], a.m[1][1], a.m[2][1]},
                   {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}
static inline sup_m3 sup_m3_add(sup_m3 a, sup_m3 b) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a.m[i][j] += b.m[i][j];
  return a;
}
static inline sup_m3 sup_m3_scale(double s, sup_m3 a) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a.m[i][j] *= s;
  return a;
}
static inline sup_m3 sup_m3_mul(sup_m3 a, sup_m3 b) {
  sup_m3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
  return c;
}
static inline sup_v3 sup_m3_apply(sup_m3 a, sup_v3 b) {
  return (sup_v3){a.m[0][0] * b.x + a.m[0][1] * b.y + a.m[0][2] * b.z,
                  a.m[1][0] * b.x + a.m[1][1] * b.y + a.m[1][2] * b.z,
                  a.m[2][0] * b.x + a.m[2][1] * b.y + a.m[2][2] * b.z};
}
/** a^T b */
static inline sup_v3 sup_m3_apply_t(sup_m3 a, sup_v3 b) {
  return (sup_v3){a.m[0][0] * b.x + a.m[1][0] * b.y + a.m[2][0] * b.z,
                  a.m[0][1] * b.x + a.m[1][1] * b.y + a.m[2][1] * b.z,
                  a.m[0][2] * b.x + a.m[1][2] * b.y + a.m[2][2] * b.z};
}
static inline sup_m3 sup_m3_outer(sup_v3 a, sup_v3 b) {
  return (sup_m3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                   {a.y * b.x, a.y * b.y, a.y * b.z},
                   {a.z * b.x, a.z * b.y, a.z * b.z}}};
}
/** [a]x with [a]x b = a x b */
static inline sup_m3 sup_m3_skew(sup_v3 a) {
  return (sup_m3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}
static inline double sup_m3_det(const sup_m3 *a) {
  return sup_v3_dot(sup_m3_row(a, 0), sup_v3_cross(sup_m3_row(a, 1), sup_m3_row(a, 2)));
}
/** Inverse by cofactors; det must not be 0. */
static inline sup_m3 sup_m3_inverse(sup_m3 a) {
  sup_v3 r0 = sup_m3_row(&a, 0), r1 = sup_m3_row(&a, 1), r2 = sup_m3_row(&a, 2);
  sup_v3 c0 = sup_v3_cross(r1, r2), c1 = sup_v3_cross(r2, r0), c2 = sup_v3_cross(r0, r1);
  return sup_m3_scale(1 / sup_v3_dot(r0, c0), sup_m3_columns(c0, c1, c2));
}

static inline sup_quat sup_quat_mul(sup_quat a, sup_quat b) {
  return (sup_quat){
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline sup_quat sup_quat_unit(sup_quat a) {
  double n = sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
  return n > 0 ? (sup_quat){a.w / n, a.x / n, a.y / n, a.z / n} : (sup_quat){1, 0, 0, 0};
}
/** Rotation by the vector r [rad]: exp(r/2). */
static inline sup_quat sup_quat_exp(sup_v3 r) {
  double half = 0.5 * sup_v3_norm(r);
  double s = half > 1e-6 ? 0.5 * sin(half) / half : 0.5 * (1 - half * half / 6);
  return (sup_quat){cos(half), s * r.x, s * r.y, s * r.z};
}
/** Rotation vector [rad], |r| <= pi. */
static inline sup_v3 sup_quat_log(sup_quat q) {
  if (q.w < 0) q = (sup_quat){-q.w, -q.x, -q.y, -q.z};
  double s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
  double f = s > 1e-12 ? 2 * atan2(s, q.w) / s : 2;
  return (sup_v3){f * q.x, f * q.y, f * q.z};
}
static inline sup_m3 sup_quat_matrix(sup_quat q) {
  double w = q.w, x = q.x, y = q.y, z = q.z;
  return (sup_m3){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                   {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                   {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}
static inline sup_quat sup_quat_from_matrix(sup_m3 a) {
  double   t = a.m[0][0] + a.m[1][1] + a.m[2][2];
  sup_quat q;
  if (t > 0) {
    double s = 2 * sqrt(1 + t);
    q = (sup_quat){s / 4, (a.m[2][1] - a.m[1][2]) / s, (a.m[0][2] - a.m[2][0]) / s,
                   (a.m[1][0] - a.m[0][1]) / s};
  } else if (a.m[0][0] >= a.m[1][1] && a.m[0][0] >= a.m[2][2]) {
    double s = 2 * sqrt(1 + a.m[0][0] - a.m[1][1] - a.m[2][2]);
    q = (sup_quat){(a.m[2][1] - a.m[1][2]) / s, s / 4, (a.m[0][1] + a.m[1][0]) / s,
                   (a.m[0][2] + a.m[2][0]) / s};
  } else if (a.m[1][1] >= a.m[2][2]) {
    double s = 2 * sqrt(1 + a.m[1][1] - a.m[0][0] - a.m[2][2]);
    q = (sup_quat){(a.m[0][2] - a.m[2][0]) / s, (a.m[0][1] + a.m[1][0]) / s, s / 4,
                   (a.m[1][2] + a.m[2][1]) / s};
  } else {
    double s = 2 * sqrt(1 + a.m[2][2] - a.m[0][0] - a.m[1][1]);
    q = (sup_quat){(a.m[1][0] - a.m[0][1]) / s, (a.m[0][2] + a.m[2][0]) / s,
                   (a.m[1][2] + a.m[2][1]) / s, s / 4};
  }
  return sup_quat_unit(q);
}

/** A rigid transform: x_parent = R x_child + p. */
typedef struct sup_frame {
  sup_m3 R;
  sup_v3 p;
} sup_frame;

static inline sup_frame sup_frame_identity(void) {
  return (sup_frame){sup_m3_identity(), {0, 0, 0}};
}
static inline sup_frame sup_frame_from_pose(const sup_pose *pose) {
  sup_quat q = {pose->q[0], pose->q[1], pose->q[2], pose->q[3]};
  return (sup_frame){sup_quat_matrix(sup_quat_unit(q)), sup_v3_load(pose->p)};
}
static inline sup_v3 sup_frame_apply(const sup_frame *X, sup_v3 a) {
  return sup_v3_add(X->p, sup_m3_apply(X->R, a));
}
/** The point a of the parent in the child's axes. */
static inline sup_v3 sup_frame_apply_inverse(const sup_frame *X, sup_v3 a) {
  return sup_m3_apply_t(X->R, sup_v3_sub(a, X->p));
}
static inline sup_frame sup_frame_mul(const sup_frame *a, const sup_frame *b) {
  return (sup_frame){sup_m3_mul(a->R, b->R), sup_frame_apply(a, b->p)};
}
static inline sup_pose sup_pose_from_frame(const sup_frame *X) {
  sup_quat q = sup_quat_from_matrix(X->R);
  return (sup_pose){{X->p.x, X->p.y, X->p.z}, {q.w, q.x, q.y, q.z}};
}
/** Two unit vectors that complete the unit vector n to a right-handed frame (x, y, n); THEORY 1
 * "frame completion". */
static inline sup_m3 sup_m3_frame_of_normal(sup_v3 n) {
  double ax = fabs(n.x), ay = fabs(n.y), az = fabs(n.z);
  sup_v3 e = ax <= ay && ax <= az ? sup_v3_make(1, 0, 0)
             : ay <= az           ? sup_v3_make(0, 1, 0)
                                  : sup_v3_make(0, 0, 1);
  sup_v3 x = sup_v3_unit(sup_v3_madd(e, -sup_v3_dot(e, n), n));
  return sup_m3_columns(x, sup_v3_cross(n, x), n);
}
