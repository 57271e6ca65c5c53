/* f = kappa/phi for phi > 0: the cost -kappa ln(phi/phi0) of THEORY 6.3, 0 at v = 0. */
#include <math.h>

#include "law/normal.h"

static void evaluate(const sup_normal *law, double v, double *cost, double *n, double *slope) {
  double phi = law->phi0 + law->dt * v, step = law->dt / phi;
  if (!(phi > 0)) {
    *cost = *n = HUGE_VAL, *slope = -HUGE_VAL;
    return;
  }
  *cost = -law->barrier_energy * log1p(law->dt * v / law->phi0);
  *n = law->barrier_energy * step;
  *slope = -law->barrier_energy * step * step;
}

static double lagged(const sup_normal *law, double v) {
  (void)v;
  return law->dt * law->barrier_energy / law->phi0;
}

static double energy(const sup_normal *law, double phi) {
  return phi > 0 ? law->barrier_energy * log(law->barrier_range / phi) : HUGE_VAL;
}

const sup_normal_row sup_normal_log_barrier = {0,        1,      SUP_USES_BARRIER_ENERGY,
                                               evaluate, lagged, energy};
