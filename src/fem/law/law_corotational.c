/* psi = mu |S - I|^2 + lambda/2 tr(S - I)^2: linear in the stretches (THEORY 4.2). */
#include "fem/law/stretch_law.h"

static double evaluate(const sup_lame *lame, const double s[3], double p[3], double A[3][3]) {
  double mu = lame->mu, lambda = lame->lambda, trace = s[0] + s[1] + s[2] - 3,
         psi = 0.5 * lambda * trace * trace;
  for (int i = 0; i < 3; i++) {
    psi += mu * (s[i] - 1) * (s[i] - 1);
    if (!p) continue;
    p[i] = 2 * mu * (s[i] - 1) + lambda * trace;
    for (int j = 0; j < 3; j++) A[i][j] = lambda + (i == j ? 2 * mu : 0);
  }
  return psi;
}

/** tr(S - I) */
static double dilatation(const double s[3], double p[3], double A[3][3]) {
  for (int i = 0; i < 3 && p; i++) {
    p[i] = 1;
    for (int j = 0; j < 3; j++) A[i][j] = 0;
  }
  return s[0] + s[1] + s[2] - 3;
}

const sup_stretch_law sup_stretch_law_corotational = {.evaluate = evaluate,
                                                      .dilatation = dilatation,
                                                      .volumetric = sup_stretch_square,
                                                      .least = 0.7,
                                                      .most = 1.5};
