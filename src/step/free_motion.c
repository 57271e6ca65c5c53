#include "step/free_motion.h"

#include <math.h>
#include <string.h>

#include "la/supernodal/kernel.h"
#include "step/numerics.h"

enum { MAX_ITERATIONS = 30, MAX_NQ = 7 * SUP_TREE_MAX_LINKS, MAX_NV = SUP_TREE_MAX_NV };

/** q_th = q0 (+) theta dt (theta_vq v + (1 - theta_vq) v0) */
void sup_tree_step_positions(const sup_tree_step *s, const double *v, double *q) {
  double mean[MAX_NV], weight = s->scheme.theta_vq;
  memcpy(q, s->q0, (size_t)s->tree->nq * sizeof *q);
  for (int i = 0; i < s->tree->nv; i++) mean[i] = weight * v[i] + (1 - weight) * s->v0[i];
  sup_tree_integrate(s->tree, q, mean, s->scheme.theta * s->dt);
}

/** r += dt (c v_ths + k q_ths), springs of joints of one coordinate. */
static void add_joint_forces(const sup_tree_step *s, const double *v, double *r) {
  double dt = s->dt, stiff = s->scheme.theta_stiff, weight = s->scheme.theta_vq;
  for (int l = 0; l < s->tree->num_links; l++) {
    const sup_tree_link *link = &s->tree->links[l];
    for (int i = link->v_start; i < link->v_start + link->nv; i++) {
      double v_th = stiff * v[i] + (1 - stiff) * s->v0[i],
             mean = weight * v[i] + (1 - weight) * s->v0[i],
             q = link->nv == 1 ? sup_joint_stretch(link, s->q0) + stiff * dt * mean : 0;
      r[i] += dt * (link->damping * v_th + link->spring * q);
    }
  }
}

/** Wrenches of the loads on the links at q, in world axes about the links' origins. */
static void wrenches_of_loads(const sup_tree_step *s, const double *q, sup_wrench *out) {
  sup_frame                X[SUP_TREE_MAX_LINKS];
  sup_v3                   w[SUP_TREE_MAX_LINKS], v[SUP_TREE_MAX_LINKS];
  sup_tree_kinematics_data kin = {X, w, v};
  sup_tree_kinematics(s->tree, &s->base, q, s->v0, &kin);
  memset(out, 0, (size_t)s->tree->num_links * sizeof *out);
  for (int i = 0; i < s->num_loads; i++) {
    const sup_tree_load *load = &s->loads[i];
    sup_wrench          *to = &out[load->link];
    sup_v3               arm = sup_m3_apply(X[load->link].R, load->point);
    to->force = sup_v3_add(to->force, load->force);
    to->moment = sup_v3_add(to->moment, sup_v3_add(load->torque, sup_v3_cross(arm, load->force)));
  }
}

/** m(v) */
static void residual(const sup_tree_step *s, const double *v, double *r) {
  double     q[MAX_NQ], v_th[MAX_NV], acceleration[MAX_NV], theta = s->scheme.theta;
  sup_wrench load[SUP_TREE_MAX_LINKS];
  int        n = s->tree->nv;
  sup_tree_step_positions(s, v, q);
  for (int i = 0; i < n; i++) {
    v_th[i] = theta * v[i] + (1 - theta) * s->v0[i];
    acceleration[i] = (v[i] - s->v0[i]) / s->dt;
  }
  if (s->num_loads > 0) wrenches_of_loads(s, q, load);
  sup_tree_inverse_dynamics(s->tree, &s->base, q, v_th, acceleration, s->gravity,
                            s->num_loads > 0 ? load : NULL, r);
  for (int i = 0; i < n; i++) r[i] *= s->dt;
  add_joint_forces(s, v, r);
}

/** A += dt theta_stiff c + dt^2 theta_stiff theta_vq k */
static void add_joint_diagonal(const sup_tree_step *s, double *A) {
  double dt = s->dt, stiff = s->scheme.theta_stiff;
  for (int l = 0; l < s->tree->num_links; l++) {
    const sup_tree_link *link = &s->tree->links[l];
    double               spring = link->nv == 1 ? link->spring : 0;
    for (int i = link->v_start; i < link->v_start + link->nv; i++)
      A[i * (s->tree->nv + 1)] +=
          dt * stiff * link->damping + dt * dt * stiff * s->scheme.theta_vq * spring;
  }
}

/** y := A x; joints of different branches do not couple. */
static void multiply(const sup_tree *tree, const double *A, const double *x, double *y) {
  int n = tree->nv;
  memset(y, 0, (size_t)n * sizeof *y);
  for (int l = 0; l < tree->num_links; l++)
    for (int j = tree->links[l].v_start; j < tree->links[l].v_start + tree->links[l].nv; j++) {
      const double *row = A + (ptrdiff_t)j * n;
      y[j] += row[j] * x[j];
      for (int i = j + 1; i < tree->links[l].v_end; i++)
        y[i] += row[i] * x[j], y[j] += row[i] * x[i];
    }
}

/** theta = 0: forces of the step's start, m(v) = A v - p without iteration. */
static void explicit_motion(const sup_tree_step *s, double *A, double *p) {
  double bias[MAX_NV], joint[MAX_NV], zero[MAX_NV]; /* large: cleared as far as they are used */
  size_t size = (size_t)s->tree->nv * sizeof *zero;
  memset(joint, 0, size), memset(zero, 0, size);
  sup_tree_mass_matrix(s->tree, s->q0, A);
  multiply(s->tree, A, s->v0, p);
  sup_tree_inverse_dynamics(s->tree, &s->base, s->q0, s->v0, NULL, s->gravity, NULL, bias);
  sup_tree_implicit_gyroscopic(s->tree, s->v0, s->dt, bias);
  add_joint_forces(s, zero, joint);
  for (int i = 0; i < s->tree->nv; i++) p[i] -= s->dt * bias[i] + joint[i];
  add_joint_diagonal(s, A);
}

/** Pivot row from k on: the row whose entry in column k is largest relative to the root of the
 * row's inertia; row k for symmetric positive definite K. Without this scaling the choice would
 * depend on the unit of length. */
static int pivot_row(int n, const double *K, const double *inertia, int k) {
  int    pivot = k;
  double most = 0;
  for (int i = k; i < n; i++) {
    double entry = K[i * n + k], size = entry * entry / inertia[i];
    if (size > most) most = size, pivot = i;
  }
  return pivot;
}

/** K := its factors by elimination with row pivoting; 0 when it is singular.
 *  @param[out] pivot  [n] rows exchanged */
static int factor(int n, double *K, int *pivot) {
  double inertia[MAX_NV];
  for (int i = 0; i < n; i++) inertia[i] = fabs(K[i * (n + 1)]);
  for (int k = 0; k < n; k++) {
    int p = pivot[k] = pivot_row(n, K, inertia, k);
    if (!(fabs(K[p * n + k]) > 0)) return 0;
    inertia[p] = inertia[k];
    for (int j = 0; j < n && p != k; j++) {
      double t = K[k * n + j];
      K[k * n + j] = K[p * n + j], K[p * n + j] = t;
    }
    for (int i = k + 1; i < n; i++) {
      double share = K[i * n + k] /= K[k * n + k];
      for (int j = k + 1; j < n; j++) K[i * n + j] -= share * K[k * n + j];
    }
  }
  return 1;
}

/** x := K^-1 x with its factors. */
static void solve(int n, const double *K, const int *pivot, double *x) {
  for (int k = 0; k < n; k++) {
    double t = x[k];
    x[k] = x[pivot[k]], x[pivot[k]] = t;
  }
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) x[i] -= K[i * n + k] * x[k];
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) x[k] -= K[k * n + j] * x[j];
    x[k] /= K[k * n + k];
  }
}

sup_status sup_free_velocity(sup_arena *arena, int n, const double *A, const double *p, double *v,
                             bool *ok) {
  const sup_kernels *kernels = sup_kernel_select();
  int                ld = (int)sup_panel_align((size_t)n);
  double            *L, *x, pivot;
  SUP_TRY(SUP_ARENA(arena, L, ld * n));
  SUP_TRY(SUP_ARENA(arena, x, ld));
  memset(L, 0, (size_t)(ld * n) * sizeof *L);
  memset(x, 0, (size_t)ld * sizeof *x);
  for (int j = 0; j < n; j++) {
    const double *column = A + (ptrdiff_t)sup_plan_scalar(n, j) * n; /* symmetric */
    for (int i = j; i < n; i++) L[(ptrdiff_t)j * ld + i] = column[sup_plan_scalar(n, i)];
    x[j] = p[sup_plan_scalar(n, j)];
  }
  *ok = kernels->factor(ld, n, L, ld, &pivot) == SUP_NONE;
  if (!*ok) return SUP_OK;
  kernels->forward(ld, n, ld, L, ld, x, NULL);
  kernels->backward(ld, n, ld, L, ld, x, NULL);
  for (int j = 0; j < n; j++) v[sup_plan_scalar(n, j)] = x[j];
  return SUP_OK;
}

/** sqrt(sum A_ii x_i^2): square root of an energy, in any coordinates. */
static double energy_norm(int n, const double *A, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += A[i * (n + 1)] * x[i] * x[i];
  return sqrt(sum);
}

static void matrix_about(const sup_tree_step *s, const double *v, double *A) {
  double q[MAX_NQ];
  sup_tree_step_positions(s, v, q);
  sup_tree_mass_matrix(s->tree, q, A);
  add_joint_diagonal(s, A);
}

/** Twice the kinetic energy of the rotational joint with the largest inertia at one radian a step;
 * 0: no joint rotates. */
static double energy_of_turn(const sup_tree_step *s, const double *A) {
  double most = 0;
  for (int l = 0; l < s->tree->num_links; l++)
    for (int k = 0; k < s->tree->links[l].nv; k++) {
      int i = s->tree->links[l].v_start + k;
      if (sup_joint_turns(&s->tree->links[l], k)) most = fmax(most, A[i * (s->tree->nv + 1)]);
    }
  return most / (s->dt * s->dt);
}

/** K [n x n] = dm/dv by finite differences about r = m(v), all steps of equal energy: m is
 * nonlinear on the scale of a radian a step.  Without rotations m is linear.  Overwrites `other`.
 */
static void jacobian(const sup_tree_step *s, const double *A, double *v, const double *r,
                     double *other, double *K) {
  int    n = s->tree->nv;
  double energy = energy_of_turn(s, A);
  if (!(energy > 0)) {
    matrix_about(s, v, K);
    return;
  }
  for (int j = 0; j < n; j++) {
    double kept = v[j];
    v[j] = kept + sup_step_numerics.difference * sqrt(energy / A[j * (n + 1)]);
    double step = v[j] - kept; /* exact in floating point */
    residual(s, v, other);
    for (int i = 0; i < n; i++) K[i * n + j] = (other[i] - r[i]) / step;
    v[j] = kept;
  }
}

/** Newton on m(v) = 0 from v0; `A` scales the norms.  A Jacobian, which costs n residuals, serves
 * as long as corrections fall fast.  Returns 0 when it does not converge. */
static int newton(const sup_tree_step *s, const double *A, double *K, double *v) {
  double r[MAX_NV], other[MAX_NV], change = HUGE_VAL, before = 0;
  int    pivot[MAX_NV], n = s->tree->nv;
  memcpy(v, s->v0, (size_t)n * sizeof *v);
  for (int k = 0; k < MAX_ITERATIONS; k++) {
    bool renews = !(change < sup_step_numerics.chord * before);
    residual(s, v, r);
    if (renews) jacobian(s, A, v, r, other, K);
    if (renews && !factor(n, K, pivot)) return 0;
    solve(n, K, pivot, r);
    for (int i = 0; i < n; i++) v[i] -= r[i];
    before = change, change = energy_norm(n, A, r);
    double size = energy_norm(n, A, v) + energy_norm(n, A, s->v0);
    if (!isfinite(change)) return 0;
    if (change <= (renews ? 1 : sup_step_numerics.chord_end) * sup_step_numerics.passes * size)
      return 1;
  }
  return 0;
}

sup_status sup_tree_step_free_motion(const sup_tree_step *s, sup_arena *arena, double *A, double *p,
                                     double *v) {
  double *K;
  int     n = s->tree->nv;
  if (s->scheme.theta <= 0) {
    explicit_motion(s, A, p);
    return SUP_OK;
  }
  SUP_TRY(SUP_ARENA(arena, K, n * n));
  sup_tree_mass_matrix(s->tree, s->q0, A);
  if (!newton(s, A, K, v))
    return SUP_FAIL(SUP_E_NOT_CONVERGED,
                    "'%s': the free motion of the time scheme (theta %g) has no solution near the "
                    "present velocity; a smaller time step may help",
                    s->tree->name, s->scheme.theta);
  matrix_about(s, v, A);
  multiply(s->tree, A, v, p);
  return SUP_OK;
}

void sup_tree_step_linearise(const sup_tree_step *s, const double *v, double *A, double *p) {
  double r[MAX_NV];
  matrix_about(s, v, A);
  multiply(s->tree, A, v, p);
  residual(s, v, r);
  for (int i = 0; i < s->tree->nv; i++) p[i] -= r[i];
}
