#include "law/properties.h"

/** l = l_n(z), z = v_n - mu |v_t|_s, with the Hessian as corrected by THEORY 6.5. */
static void evaluate(const sup_law *law, const double *vc, sup_law_value *out) {
  const sup_coulomb *c = &law->coulomb;
  sup_soft_norm      s = sup_soft_norm_of(c->softening, vc[0], vc[1], c->eps);
  double             n, slope;
  sup_normal_evaluate(&c->normal, vc[2] - c->mu * s.value, &out->cost, &n, &slope);
  double ax = -c->mu * s.tx, ay = -c->mu * s.ty,
         g = c->mu * n / s.w; /* a = dz/dv_c = [ax, ay, 1] */
  out->gamma[0] = n * ax;
  out->gamma[1] = n * ay;
  out->gamma[2] = n;
  out->G[0] = -slope * ax * ax + g * (1 - s.ex * s.ex);
  out->G[1] = out->G[3] = -slope * ax * ay - g * s.ex * s.ey;
  out->G[4] = -slope * ay * ay + g * (1 - s.ey * s.ey);
  out->G[2] = out->G[6] = -slope * ax;
  out->G[5] = out->G[7] = -slope * ay;
  out->G[8] = -slope;
}

static void properties(const sup_law *law, const double *vc, double gn, sup_law_properties *out) {
  const sup_coulomb *c = &law->coulomb;
  (void)vc;
  out->normal_slack =
      c->mu * sup_soft_norm_of(c->softening, out->slip[0], out->slip[1], c->eps).value;
  out->gliding_offset = c->normal.dt * out->normal_slack;
  out->stiffness_factor = 1 + out->normal_slack * c->normal.d;
  sup_law_soft_properties(c, c->mu * gn, out);
}

const sup_law_row sup_law_similar = {SUP_FORM_COULOMB,     .dimension = 3,
                                     .opens = 1,           .is_soft = 1,
                                     .evaluate = evaluate, .properties = properties};
