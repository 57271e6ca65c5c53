/* n = dt kH x^1.5 (1 - d v)+ with x = (-phi0 - dt v)+: Hertz's sphere with Hunt-Crossley
 * dissipation; THEORY 6.3. */
#include <math.h>

#include "law/normal.h"

/** int_0^e s (1 + s)^1.5 ds without the cancellation of its closed form for small e. */
static double scaled_integral(double e) {
  if (e < 1e-2)
    return e * e *
           (1. / 2 + e * (1. / 2 + e * (3. / 32 - e * (1. / 80 - e * (1. / 256 - e * 3. / 1792)))));
  return (pow(1 + e, 3.5) - 1) * 2 / 7 - (pow(1 + e, 2.5) - 1) * 2 / 5;
}

static void evaluate(const sup_normal *law, double v, double *cost, double *n, double *slope) {
  double dt = law->dt, kH = law->hertz, d = law->d;
  double v_elastic = -law->phi0 / dt, v_damping = d > 0 ? 1 / d : HUGE_VAL;
  double vhat = fmin(v_elastic, v_damping);
  *cost = *n = *slope = 0;
  if (v >= vhat) return;
  double u = vhat - v;
  if (v_elastic <= v_damping) {
    double x = dt * u, root = sqrt(x), damping = 1 - d * v;
    *n = dt * kH * x * root * damping;
    *slope = -dt * kH * root * (1.5 * dt * damping + d * x);
    *cost = kH * x * x * root * (0.4 * (1 - d * vhat) + 2. / 7 * d * u);
  } else {
    double xh = -law->phi0 - dt * vhat, x = xh + dt * u, root = sqrt(x);
    *n = dt * kH * x * root * d * u;
    *slope = -dt * kH * root * d * (1.5 * dt * u + x);
    *cost = kH * d / dt * xh * xh * xh * sqrt(xh) * scaled_integral(dt * u / xh);
  }
}

static double lagged(const sup_normal *law, double v) {
  double x = fmax(-law->phi0, 0);
  return law->dt * law->hertz * x * sqrt(x) * fmax(1 - law->d * v, 0);
}

static double energy(const sup_normal *law, double phi) {
  return phi < 0 ? 0.4 * law->hertz * phi * phi * sqrt(-phi) : 0;
}

const sup_normal_row sup_normal_hertz = {
    1, 0, SUP_USES_HERTZ_STIFFNESS | SUP_USES_DISSIPATION, evaluate, lagged, energy};
