#include <math.h>

#include "law/law.h"

/** l = mu gn0 |v_t|_s + l_n(v_n) with the soft norm |x|_s = sqrt(x^2 + eps^2) - eps; THEORY 6.4. */
void sup_lagged_evaluate(const sup_law *law, const double *vc, sup_law_value *out) {
  const sup_lagged *c = &law->lagged;
  double            normal_cost, n, slope;
  sup_hunt_crossley_evaluate(&c->normal, vc[2], &normal_cost, &n, &slope);
  double f = c->mu * c->gn0; /* the friction bound */
  double w = sqrt(vc[0] * vc[0] + vc[1] * vc[1] + c->eps * c->eps);
  double tx = vc[0] / w, ty = vc[1] / w;
  /* |v_t|_s without cancellation for |v_t| << eps */
  double soft_norm = (vc[0] * vc[0] + vc[1] * vc[1]) / (w + c->eps);
  out->cost = f * soft_norm + normal_cost;
  out->gamma[0] = -f * tx;
  out->gamma[1] = -f * ty;
  out->gamma[2] = n;
  double g = f / w;
  out->G[0] = g * (1 - tx * tx);
  out->G[1] = out->G[3] = -g * tx * ty;
  out->G[4] = g * (1 - ty * ty);
  out->G[2] = out->G[5] = out->G[6] = out->G[7] = 0;
  out->G[8] = -slope;
}
