/* The domain of contact laws with a barrier: z > -phi0/dt, with z = v_n for Lagged and z = v_n - mu
 * |S v_t|_s, a concave function of v_c, for Similar. */
#include <math.h>

#include "law/law.h"

bool sup_law_is_barrier(const sup_law *law) {
  return sup_law_table(law->kind)->form == SUP_FORM_COULOMB &&
         sup_normal_table(law->coulomb.normal.kind)->is_barrier;
}

/** v_c in the axes of the isotropic law. */
static void isotropic(const sup_law *law, const double *vc, double u[3]) {
  const sup_anisotropy *S = &law->anisotropy;
  u[0] = S->on ? S->xx * vc[0] + S->xy * vc[1] : vc[0];
  u[1] = S->on ? S->xy * vc[0] + S->yy * vc[1] : vc[1];
  u[2] = vc[2];
}

/** Coefficient of slip in the gap of a barrier: mu where sliding opens, or 0. */
static double coupling(const sup_law *law) {
  return sup_law_table(law->kind)->opens ? law->coulomb.mu : 0;
}

static double distance_at(const sup_law *law, const double u[3]) {
  const sup_coulomb *c = &law->coulomb;
  return u[2] - coupling(law) * sup_soft_norm_of(c->softening, u[0], u[1], c->eps).value +
         c->normal.phi0 / c->normal.dt;
}

/** Step length from u along du at which the distance to the domain's end, concave, vanishes. */
static double find_end(const sup_law *law, const double u[3], const double du[3]) {
  enum { ROUNDS = 60 };
  double low = 0, high = 1, x[3];
  bool   is_bracketed = 0;
  for (int k = 0; k < 2 * ROUNDS; k++) {
    double alpha = is_bracketed ? 0.5 * (low + high) : high;
    for (int r = 0; r < 3; r++) x[r] = u[r] + alpha * du[r];
    if (distance_at(law, x) > 0) {
      low = alpha;
      if (!is_bracketed) high *= 2;
    } else {
      high = alpha, is_bracketed = 1;
    }
  }
  return is_bracketed ? low : HUGE_VAL;
}

double sup_law_domain_distance(const sup_law *law, const double *vc) {
  if (!sup_law_is_barrier(law)) return HUGE_VAL;
  double u[3];
  isotropic(law, vc, u);
  return distance_at(law, u);
}

double sup_law_max_step(const sup_law *law, const double *vc, const double *dvc) {
  if (!sup_law_is_barrier(law)) return HUGE_VAL;
  const sup_coulomb *c = &law->coulomb;
  double             u[3], du[3], mu = coupling(law);
  isotropic(law, vc, u);
  isotropic(law, dvc, du);
  /* The end is where mu sqrt(|u_t + alpha du_t|^2 + eps^2) = e + alpha du_n: q2 alpha^2 + 2 q1
   * alpha + q0 = 0, q0 < 0
   */
  double e = u[2] + c->normal.phi0 / c->normal.dt + mu * c->eps;
  double q2 = mu * mu * (du[0] * du[0] + du[1] * du[1]) - du[2] * du[2];
  double q1 = mu * mu * (u[0] * du[0] + u[1] * du[1]) - e * du[2];
  double q0 = mu * mu * (u[0] * u[0] + u[1] * u[1] + c->eps * c->eps) - e * e;
  double discriminant = q1 * q1 - q2 * q0;
  if (mu == 0) return du[2] < 0 ? -e / du[2] : HUGE_VAL;
  if (c->softening != SUP_FRICTION_SOFTENING_SOFT_NORM) return find_end(law, u, du);
  if (discriminant < 0) return HUGE_VAL;
  double denominator = q1 + sqrt(discriminant);
  return denominator > 0 ? -q0 / denominator : HUGE_VAL;
}

sup_law sup_law_relaxed_barrier(const sup_law *law, double G) {
  sup_law     out = *law;
  sup_normal *normal = &out.coulomb.normal;
  double      dt = normal->dt;
  normal->kind = SUP_NORMAL_KELVIN_VOIGT;
  normal->tau = 0;
  normal->k = G / (dt * dt);
  normal->f0 = -0.5 * normal->k * normal->phi0;
  return out;
}
