/** Contact laws for tests: every friction model with every normal law, isotropic and not. */
#pragma once

#include "law/law.h"
#include "test.h"

static inline sup_normal normal_law(sup_normal_law kind, double dt, double k, double d,
                                    double phi0) {
  return (sup_normal){.kind = kind,
                      .dt = dt,
                      .phi0 = phi0,
                      .f0 = -k * phi0,
                      .k = k,
                      .d = d,
                      .tau = 1e-3,
                      .hertz = 30 * k,
                      .barrier_energy = 1e-4,
                      .barrier_range = 1e-3};
}

/** The number of a law behind a bit of sup_normal_uses; NULL behind the last bit. */
static inline double *normal_parameter(sup_normal *law, int bit) {
  double *const list[] = {
      &law->k, &law->d, &law->tau, &law->hertz, &law->barrier_energy, &law->barrier_range};
  return bit < (int)(sizeof list / sizeof *list) ? list[bit] : NULL;
}

/** Lagged or Similar; gn0 from the normal velocity vn0 at the step's start. */
static inline sup_law coulomb_law(sup_law_kind kind, sup_normal normal, double mu, double eps,
                                  double vn0) {
  sup_law law = {.kind = kind, .coulomb = {.normal = normal, .mu = mu, .slip = eps}};
  sup_law_set_lagged_impulse(&law, sup_normal_lagged(&normal, vn0));
  return law;
}

/** w_n, w_t: inverse masses. */
static inline sup_law sap_law(double dt, double k, double tau, double phi0, double mu, double sigma,
                              double beta, double wn, double wt) {
  double period = beta / (2 * 3.14159265358979323846);
  return (sup_law){.kind = SUP_LAW_SAP,
                   .sap = {.mu = mu,
                           .Rt = sigma * wt,
                           .Rn = fmax(period * period * wn, 1 / (dt * k * (dt + tau))),
                           .vhat = -phi0 / (dt + tau)}};
}
