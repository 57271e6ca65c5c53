/* n = dt (f0 - (dt k + c) v)+ with the damper c = k tau; THEORY 6.3. */
#include <math.h>

#include "law/normal.h"

static void evaluate(const sup_normal *law, double v, double *cost, double *n, double *slope) {
  double rate = law->k * (law->dt + law->tau); /* k dt + c */
  *cost = *n = *slope = 0;
  if (!(rate > 0)) { /* a constant force */
    if (law->f0 > 0) *n = law->dt * law->f0, *cost = -*n * v;
    return;
  }
  double a = law->dt * rate, u = law->f0 / rate - v;
  if (u <= 0) return;
  *n = a * u;
  *slope = -a;
  *cost = a / 2 * u * u;
}

static double lagged(const sup_normal *law, double v) {
  return law->dt * fmax(law->f0 - law->k * law->tau * v, 0);
}

static double energy(const sup_normal *law, double phi) {
  return phi < 0 ? 0.5 * law->k * phi * phi : 0;
}

const sup_normal_row sup_normal_kelvin_voigt = {
    0, 0, SUP_USES_STIFFNESS | SUP_USES_RELAXATION, evaluate, lagged, energy};
