/* n = dt (f0 - dt k v)+ (1 - d v)+, both factors clipped separately; THEORY 6.3, P0 VI. */
#include <math.h>

#include "law/normal.h"

static void evaluate(const sup_normal *law, double v, double *cost, double *n, double *slope) {
  double dt = law->dt, k = law->k, d = law->d;
  double v_elastic = k > 0 ? law->f0 / (dt * k) : law->f0 > 0 ? HUGE_VAL : -HUGE_VAL;
  double v_damping = d > 0 ? 1 / d : HUGE_VAL;
  bool   is_elastic = v_elastic <= v_damping; /* which factor vanishes first */
  double vhat = is_elastic ? v_elastic : v_damping;
  *cost = *n = *slope = 0;
  if (v >= vhat) return;
  double u = vhat - v;
  if (u == HUGE_VAL) { /* k = d = 0: a constant force */
    *n = dt * law->f0, *cost = -*n * v;
    return;
  }
  /* Each factor grows linearly from its value at vhat, where one of the two is zero: no
   * cancellation. */
  double elastic = is_elastic ? dt * k * u : law->f0 - dt * k * v;
  double damping = is_elastic ? 1 - d * v : d * u;
  *n = dt * elastic * damping;
  *slope = -dt * (dt * k * damping + d * elastic);
  if (is_elastic)
    *cost = dt * dt * k * u * u * ((1 - d * vhat) / 2 + d * u / 3);
  else
    *cost = dt * d * u * u * ((law->f0 - dt * k * vhat) / 2 + dt * k * u / 3);
}

static double lagged(const sup_normal *law, double v) {
  return law->dt * fmax(law->f0, 0) * fmax(1 - law->d * v, 0);
}

static double energy(const sup_normal *law, double phi) {
  return phi < 0 ? 0.5 * law->k * phi * phi : 0;
}

const sup_normal_row sup_normal_hunt_crossley = {
    0, 0, SUP_USES_STIFFNESS | SUP_USES_DISSIPATION, evaluate, lagged, energy};
