/* psi = mu E:E + lambda/2 tr(E)^2 with E = (F^T F - I)/2 (THEORY 4.2).  Softens under compression:
 * below a stretch of 1/sqrt(3) it no longer resists. */
#include "fem/law/stretch_law.h"

static double evaluate(const sup_lame *lame, const double s[3], double p[3], double A[3][3]) {
  double mu = lame->mu, lambda = lame->lambda, e[3], trace = 0, psi = 0;
  for (int i = 0; i < 3; i++)
    e[i] = 0.5 * (s[i] - 1) * (s[i] + 1), trace += e[i], psi += mu * e[i] * e[i];
  for (int i = 0; i < 3 && p; i++) {
    double stress = 2 * mu * e[i] + lambda * trace;
    p[i] = s[i] * stress;
    for (int j = 0; j < 3; j++)
      A[i][j] = lambda * s[i] * s[j] + (i == j ? stress + 2 * mu * s[i] * s[i] : 0);
  }
  return psi + 0.5 * lambda * trace * trace;
}

/** tr E */
static double dilatation(const double s[3], double p[3], double A[3][3]) {
  double trace = 0;
  for (int i = 0; i < 3; i++) {
    trace += 0.5 * (s[i] - 1) * (s[i] + 1);
    if (!p) continue;
    p[i] = s[i];
    for (int j = 0; j < 3; j++) A[i][j] = i == j;
  }
  return trace;
}

const sup_stretch_law sup_stretch_law_saint_venant_kirchhoff = {.evaluate = evaluate,
                                                                .dilatation = dilatation,
                                                                .volumetric = sup_stretch_square,
                                                                .least = 0.8,
                                                                .most = 1.5};
