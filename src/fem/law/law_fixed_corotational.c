/* psi = mu |F - R|^2 + lambda/2 (J - 1)^2 (THEORY 4.2; Stomakhin et al. 2012). */
#include "fem/law/stretch_law.h"

static double evaluate(const sup_lame *lame, const double s[3], double p[3], double A[3][3]) {
  double e[3] = {s[0] - 1, s[1] - 1, s[2] - 1}, dilatation = sup_fem_volume_strain(e);
  double mu = lame->mu, lambda = lame->lambda, psi = 0.5 * lambda * dilatation * dilatation;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    psi += mu * e[i] * e[i];
    if (!p) continue;
    p[i] = 2 * mu * e[i] + lambda * dilatation * s[j] * s[k];
    A[i][i] = 2 * mu + lambda * s[j] * s[k] * s[j] * s[k];
    A[i][j] = A[j][i] = lambda * (2 * dilatation + 1) * s[k];
  }
  return psi;
}

const sup_stretch_law sup_stretch_law_fixed_corotational = {.evaluate = evaluate,
                                                            .dilatation = sup_stretch_volume,
                                                            .volumetric = sup_stretch_square,
                                                            .least = 0.5,
                                                            .most = 2};
