/* The barrier -kappa (r - phi)^2 ln(phi/r) for 0 < phi < r, 0 beyond; THEORY 6.3.  kappa =
 * barrier_energy/r^2 [N/m], so that f -> barrier_energy/phi near 0 as with the logarithmic barrier.
 */
#include <math.h>

#include "law/normal.h"

static double force(double kappa, double range, double phi, double *stiffness) {
  double e = range - phi, log_ratio = log1p(-e / range), ratio = e / phi;
  *stiffness = kappa * (-2 * log_ratio + 4 * ratio + ratio * ratio);
  return kappa * e * (ratio - 2 * log_ratio);
}

static void evaluate(const sup_normal *law, double v, double *cost, double *n, double *slope) {
  double range = law->barrier_range, kappa = law->barrier_energy / (range * range);
  double phi = law->phi0 + law->dt * v, e = range - phi, stiffness;
  *cost = *n = *slope = 0;
  if (!(phi > 0)) {
    *cost = *n = HUGE_VAL, *slope = -HUGE_VAL;
    return;
  }
  if (e <= 0) return;
  *n = law->dt * force(kappa, range, phi, &stiffness);
  *slope = -law->dt * law->dt * stiffness;
  *cost = -kappa * e * e * log1p(-e / range);
}

static double lagged(const sup_normal *law, double v) {
  double range = law->barrier_range, stiffness;
  (void)v;
  return law->phi0 < range
             ? law->dt * force(law->barrier_energy / (range * range), range, law->phi0, &stiffness)
             : 0;
}

static double energy(const sup_normal *law, double phi) {
  double e = law->barrier_range - phi,
         kappa = law->barrier_energy / (law->barrier_range * law->barrier_range);
  if (e <= 0) return 0;
  return phi > 0 ? -kappa * e * e * log(phi / law->barrier_range) : HUGE_VAL;
}

const sup_normal_row sup_normal_ipc_barrier = {
    0, 1, SUP_USES_BARRIER_ENERGY | SUP_USES_BARRIER_RANGE, evaluate, lagged, energy};
