/* Laws of joints: limits, couplers and PD controllers. */
#include <math.h>

#include "law/law.h"

static void limit(const sup_law *law, const double *vc, sup_law_value *out) {
  const sup_limit *c = &law->limit;
  double           u = c->vhat - vc[0];
  int              on = u > 0;
  out->cost = on ? 0.5 * c->H * u * u : 0;
  out->gamma[0] = on ? c->H * u : 0;
  out->G[0] = on ? c->H : 0;
}

static void coupler(const sup_law *law, const double *vc, sup_law_value *out) {
  const sup_limit *c = &law->limit;
  double           u = c->vhat - vc[0];
  out->cost = 0.5 * c->H * u * u;
  out->gamma[0] = c->H * u;
  out->G[0] = c->H;
}

/** Potential A(u~)/slope of THEORY 11; continuous across saturation. */
static void pd(const sup_law *law, const double *vc, sup_law_value *out) {
  const sup_pd *c = &law->pd;
  double        u = c->u0 - c->slope * vc[0], e = c->effort, size = fabs(u);
  int           inside = size <= e;
  out->cost = c->dt / c->slope * (inside ? 0.5 * u * u : e * (size - 0.5 * e));
  out->gamma[0] = c->dt * (inside ? u : copysign(e, u));
  out->G[0] = inside ? c->dt * c->slope : 0;
}

const sup_law_row sup_law_limit = {SUP_FORM_LIMIT, .dimension = 1, .evaluate = limit};
const sup_law_row sup_law_coupler = {SUP_FORM_LIMIT, .dimension = 1, .evaluate = coupler};
const sup_law_row sup_law_pd = {SUP_FORM_PD, .dimension = 1, .evaluate = pd};
