/* Laws of joints: limits, couplers and PD controllers. */
#include <math.h>

#include "law/law.h"

void sup_limit_evaluate(const sup_law *law, const double *vc, sup_law_value *out) {
  const sup_limit *c = &law->limit;
  double           u = c->vhat - vc[0];
  int              on = u > 0;
  out->cost = on ? 0.5 * c->H * u * u : 0;
  out->gamma[0] = on ? c->H * u : 0;
  out->G[0] = on ? c->H : 0;
}

void sup_coupler_evaluate(const sup_law *law, const double *vc, sup_law_value *out) {
  const sup_limit *c = &law->limit;
  double           u = c->vhat - vc[0];
  out->cost = 0.5 * c->H * u * u;
  out->gamma[0] = c->H * u;
  out->G[0] = c->H;
}

/** Potential A(u~)/slope of THEORY 11; continuous across saturation. */
void sup_pd_evaluate(const sup_law *law, const double *vc, sup_law_value *out) {
  const sup_pd *c = &law->pd;
  double        u = c->u0 - c->slope * vc[0], e = c->effort, size = fabs(u);
  int           inside = size <= e;
  out->cost = c->dt / c->slope * (inside ? 0.5 * u * u : e * (size - 0.5 * e));
  out->gamma[0] = c->dt * (inside ? u : copysign(e, u));
  out->G[0] = inside ? c->dt * c->slope : 0;
}
