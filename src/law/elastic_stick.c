#include <math.h>

#include "law/properties.h"

/** y = (vhat_t - v_t)/R_t, the impulse of the tangential spring. */
static double spring(const sup_coulomb *c, const double *vt, double y[2]) {
  for (int k = 0; k < 2; k++) y[k] = (c->vhat[k] - vt[k]) / c->Rt;
  return hypot(y[0], y[1]);
}

int sup_elastic_stick_slides(const sup_coulomb *c, const double *vt) {
  double y[2];
  return spring(c, vt, y) > c->mu * c->gn0;
}

/** gamma_t = y while |y| <= f = mu gn0, then f y/|y|; l = l_n(v_n) + R_t/2 |y|^2, then R_t (f |y| -
 * f^2/2); THEORY 16.6.  On the border the Hessian of stiction is used. */
static void evaluate(const sup_law *law, const double *vc, sup_law_value *out) {
  const sup_coulomb *c = &law->coulomb;
  double             normal_cost, n, slope, y[2], f = c->mu * c->gn0, a = spring(c, vc, y);
  sup_normal_evaluate(&c->normal, vc[2], &normal_cost, &n, &slope);
  int    sticks = f > 0 && a <= f;
  double share = sticks ? 1 : a > 0 ? f / a : 0, g = share / c->Rt;
  double tx = sticks || !(a > 0) ? 0 : y[0] / a, ty = sticks || !(a > 0) ? 0 : y[1] / a;
  out->cost = normal_cost + c->Rt * (sticks ? 0.5 * a * a : f * (a - 0.5 * f));
  out->gamma[0] = share * y[0], out->gamma[1] = share * y[1], out->gamma[2] = n;
  out->G[0] = g * (1 - tx * tx);
  out->G[1] = out->G[3] = -g * tx * ty;
  out->G[4] = g * (1 - ty * ty);
  out->G[2] = out->G[5] = out->G[6] = out->G[7] = 0;
  out->G[8] = -slope;
}

void sup_law_set_spring(sup_law *law, double kt, double tau, const double stretch[2]) {
  sup_coulomb *c = &law->coulomb;
  double       dt = c->normal.dt;
  law->kind = SUP_LAW_ELASTIC_STICK;
  c->tau_t = tau;
  c->Rt = 1 / (dt * kt * (dt + tau));
  for (int k = 0; k < 2; k++) c->vhat[k] = -stretch[k] / (dt + tau);
}

double sup_law_spring_stiffness(const sup_law *law) {
  const sup_coulomb *c = &law->coulomb;
  return 1 / (c->Rt * c->normal.dt * (c->normal.dt + c->tau_t));
}

void sup_law_spring_stretch(const sup_law *law, const double *gamma, double stretch[2]) {
  const sup_coulomb    *c = &law->coulomb;
  const sup_anisotropy *S = &law->anisotropy;
  double dt = c->normal.dt, kt = sup_law_spring_stiffness(law), x = gamma[0], y = gamma[1];
  double det = S->on ? S->xx * S->yy - S->xy * S->xy : 1;
  double traction[2] = {S->on ? (S->yy * x - S->xy * y) / det : x,
                        S->on ? (S->xx * y - S->xy * x) / det : y};
  for (int k = 0; k < 2; k++)
    stretch[k] = -c->vhat[k] * c->tau_t - traction[k] / (kt * (dt + c->tau_t));
}

/** Creep in stiction: motion of the spring while its load changes; none at rest. */
static void properties(const sup_law *law, const double *vc, double gn, sup_law_properties *out) {
  const sup_coulomb *c = &law->coulomb;
  (void)vc;
  out->stiffness_factor = 1;
  out->lag = gn - c->gn0;
  out->friction_bound = c->mu * c->gn0;
  out->slip_tolerance = c->Rt * out->friction_bound;
}

const sup_law_row sup_law_elastic_stick = {SUP_FORM_COULOMB, .dimension = 3, .has_bound = 1,
                                           .evaluate = evaluate, .properties = properties};
