#include <math.h>
#include <string.h>

#include "law/properties.h"

/** Projection of y = R^-1 (vhat - v_c) on the cone |gamma_t| <= mu gamma_n in the metric R =
 * diag(Rt, Rt, Rn), l = 1/2 gamma^T R gamma; THEORY 6.2.  On the borders the Hessian of stiction,
 * or of no contact, is used. */
static void evaluate(const sup_law *law, const double *vc, sup_law_value *out) {
  const sup_sap *c = &law->sap;
  double mu = c->mu, yx = -vc[0] / c->Rt, yy = -vc[1] / c->Rt, yn = (c->vhat - vc[2]) / c->Rn;
  double yr = sqrt(yx * yx + yy * yy), mu_hat = mu * c->Rt / c->Rn;
  memset(out, 0, sizeof *out);
  if (mu > 0 && yr <= mu * yn) { /* stiction */
    out->gamma[0] = yx, out->gamma[1] = yy, out->gamma[2] = yn;
    out->G[0] = out->G[4] = 1 / c->Rt;
    out->G[8] = 1 / c->Rn;
  } else if (yn > -mu_hat * yr) { /* sliding */
    double share = 1 + mu * mu_hat, gn = (yn + mu_hat * yr) / share;
    double tx = yr > 0 ? yx / yr : 0, ty = yr > 0 ? yy / yr : 0, ax = mu * tx, ay = mu * ty;
    double b = 1 / (c->Rn * share), g = mu > 0 ? mu * gn / (c->Rt * yr) : 0;
    out->gamma[0] = gn * ax, out->gamma[1] = gn * ay, out->gamma[2] = gn;
    out->G[0] = b * ax * ax + g * ty * ty;
    out->G[1] = out->G[3] = b * ax * ay - g * tx * ty;
    out->G[4] = b * ay * ay + g * tx * tx;
    out->G[2] = out->G[6] = b * ax;
    out->G[5] = out->G[7] = b * ay;
    out->G[8] = b;
  }
  out->cost = 0.5 * (c->Rt * (out->gamma[0] * out->gamma[0] + out->gamma[1] * out->gamma[1]) +
                     c->Rn * out->gamma[2] * out->gamma[2]);
}

/** THEORY 6.7. */
static void properties(const sup_law *law, const double *vc, double gn, sup_law_properties *out) {
  const sup_sap *c = &law->sap;
  out->normal_slack = fmax(0, vc[2] - c->vhat + c->Rn * gn);
  out->gliding_offset = c->delay * out->normal_slack;
  out->stiffness_factor = 1 / (1 + c->mu * c->mu * c->Rt / c->Rn);
  out->friction_bound = c->mu * gn;
  out->slip_tolerance = c->Rt * out->friction_bound;
  out->stick_creep =
      c->Rt * sqrt(out->traction[0] * out->traction[0] + out->traction[1] * out->traction[1]);
}

const sup_law_row sup_law_sap = {SUP_FORM_SAP, .dimension = 3, .opens = 1, .evaluate = evaluate,
                                 .properties = properties};
