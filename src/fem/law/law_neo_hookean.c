/* psi = mu/2 (tr F^T F - 3) - mu ln J + lambda/2 (ln J)^2, J > 0 (THEORY 4.2). */
#include <string.h>

#include "fem/law/stretch_law.h"

static double evaluate(const sup_lame *lame, const double s[3], double p[3], double A[3][3]) {
  double mu = lame->mu, lambda = lame->lambda, J = s[0] * s[1] * s[2];
  if (!(J > 0 &&
        s[2] - 1 > -1)) { /* flat to round-off, too: the logarithm below would be infinite */
    if (p) memset(p, 0, 3 * sizeof *p), memset(A, 0, 9 * sizeof **A);
    return HUGE_VAL;
  }
  double log_J = log1p(s[0] - 1) + log1p(s[1] - 1) + log1p(s[2] - 1),
         psi = 0.5 * lambda * log_J * log_J;
  for (int i = 0; i < 3; i++) {
    double e = s[i] - 1;
    psi += mu * (0.5 * e * (s[i] + 1) - log1p(e));
    if (!p) continue;
    p[i] = (mu * e * (s[i] + 1) + lambda * log_J) / s[i];
    for (int j = 0; j < 3; j++) A[i][j] = lambda / (s[i] * s[j]);
    A[i][i] += mu + (mu - lambda * log_J) / (s[i] * s[i]);
  }
  return psi;
}

static double volumetric(double d, double slope[2]) {
  if (!(d > -1)) {
    slope[0] = slope[1] = 0;
    return HUGE_VAL;
  }
  double J = 1 + d, log_J = log1p(d);
  slope[0] = log_J / J, slope[1] = (1 - log_J) / (J * J);
  return 0.5 * log_J * log_J;
}

const sup_stretch_law sup_stretch_law_neo_hookean = {.evaluate = evaluate,
                                                     .dilatation = sup_stretch_volume,
                                                     .volumetric = volumetric,
                                                     .least = 0.3,
                                                     .most = 3};
