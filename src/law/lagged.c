#include "law/properties.h"

void sup_lagged_add_friction(const sup_coulomb *c, const double *vc, double normal_cost, double n,
                             double slope, sup_law_value *out) {
  double        f = c->mu * c->gn0; /* the friction bound */
  sup_soft_norm s = sup_soft_norm_of(c->softening, vc[0], vc[1], c->eps);
  double        g = f / s.w;
  out->cost = f * s.value + normal_cost;
  out->gamma[0] = -f * s.tx;
  out->gamma[1] = -f * s.ty;
  out->gamma[2] = n;
  out->G[0] = g * (1 - s.ex * s.ex);
  out->G[1] = out->G[3] = -g * s.ex * s.ey;
  out->G[4] = g * (1 - s.ey * s.ey);
  out->G[2] = out->G[5] = out->G[6] = out->G[7] = 0;
  out->G[8] = -slope;
}

/** l = mu gn0 |v_t|_s + l_n(v_n); THEORY 6.4. */
static void evaluate(const sup_law *law, const double *vc, sup_law_value *out) {
  double normal_cost, n, slope;
  sup_normal_evaluate(&law->coulomb.normal, vc[2], &normal_cost, &n, &slope);
  sup_lagged_add_friction(&law->coulomb, vc, normal_cost, n, slope, out);
}

static void properties(const sup_law *law, const double *vc, double gn, sup_law_properties *out) {
  const sup_coulomb *c = &law->coulomb;
  (void)vc;
  out->stiffness_factor = 1;
  out->lag = gn - c->gn0;
  sup_law_soft_properties(c, c->mu * c->gn0, out);
}

const sup_law_row sup_law_lagged = {SUP_FORM_COULOMB,     .dimension = 3,
                                    .has_bound = 1,       .is_soft = 1,
                                    .evaluate = evaluate, .properties = properties};
