/* psi = mu/2 (tr F^T F - 3) - mu (J - 1) + L/2 (J - 1)^2 with L = lambda + mu, which gives the
 * small strains of E and nu (THEORY 4.2 (!); Smith, de Goes, Kim 2018 without their logarithm).
 * Finite for inverted cells. */
#include "fem/law/stretch_law.h"

static double evaluate(const sup_lame *lame, const double s[3], double p[3], double A[3][3]) {
  double e[3] = {s[0] - 1, s[1] - 1, s[2] - 1}, dilatation = sup_fem_volume_strain(e);
  double mu = lame->mu, L = lame->lambda + mu, J = s[0] * s[1] * s[2], q = L * dilatation - mu;
  double psi = 0.5 * L * dilatation * dilatation - mu * (dilatation - e[0] - e[1] - e[2]);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    psi += 0.5 * mu * e[i] * e[i]; /* (s^2 - 1)/2 = e + e^2/2 */
    if (!p) continue;
    p[i] = mu * (e[i] - e[j] - e[k] - e[j] * e[k]) + L * dilatation * s[j] * s[k];
    A[i][i] = mu + L * s[j] * s[k] * s[j] * s[k];
    A[i][j] = A[j][i] = L * J * s[k] + q * s[k];
  }
  return psi;
}

const sup_stretch_law sup_stretch_law_stable_neo_hookean = {.evaluate = evaluate,
                                                            .dilatation = sup_stretch_volume,
                                                            .volumetric = sup_stretch_square,
                                                            .least = 0.3,
                                                            .most = 3};
