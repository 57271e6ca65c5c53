#include "law/properties.h"

#include <math.h>

#include "law/cone.h"

static double norm2(const double *a) { return sqrt(a[0] * a[0] + a[1] * a[1]); }

void sup_law_soft_properties(const sup_coulomb *c, double bound, sup_law_properties *out) {
  out->friction_bound = bound;
  out->slip_tolerance = c->eps;
  out->stick_creep = bound > 0 ? c->eps * norm2(out->traction) /
                                     (sup_friction_softening_slope(c->softening) * bound)
                               : 0;
}

void sup_law_properties_at(const sup_law *law, const double *vc, const double *gamma,
                           sup_law_properties *out) {
  *out = (sup_law_properties){0};
  const sup_law_row *row = sup_law_table(law->kind);
  if (!row->properties) return;
  sup_anisotropy S = law->anisotropy.on ? law->anisotropy : (sup_anisotropy){0, 1, 0, 1};
  double         det = S.xx * S.yy - S.xy * S.xy;
  out->mu = row->form == SUP_FORM_SAP       ? law->sap.mu
            : row->form == SUP_FORM_IMPULSE ? law->impulse.mu
                                            : law->coulomb.mu;
  out->slip[0] = S.xx * vc[0] + S.xy * vc[1];
  out->slip[1] = S.xy * vc[0] + S.yy * vc[1];
  out->traction[0] = (S.yy * gamma[0] - S.xy * gamma[1]) / det;
  out->traction[1] = (S.xx * gamma[1] - S.xy * gamma[0]) / det;
  if (gamma[2] > 0 || out->traction[0] != 0 || out->traction[1] != 0)
    row->properties(law, vc, gamma[2], out);
}

/** Slip less the compliance that belongs to the law: of SAP and of an elastic stick. */
static void slack_of_friction(const sup_law *law, const sup_law_properties *p, double u[2]) {
  const sup_coulomb *c = &law->coulomb;
  for (int k = 0; k < 2; k++) {
    u[k] = p->slip[k];
    if (law->kind == SUP_LAW_SAP) u[k] += law->sap.Rt * p->traction[k];
    if (law->kind == SUP_LAW_IMPULSE) u[k] += law->impulse.Rt * p->traction[k];
    if (law->kind == SUP_LAW_ELASTIC_STICK) u[k] += c->Rt * p->traction[k] - c->vhat[k];
  }
}

void sup_contact_residual_at(const sup_law *law, const double *vc, const double *gamma,
                             sup_contact_residual *out) {
  sup_law_properties p;
  double             u[3];
  *out = (sup_contact_residual){0};
  sup_law_properties_at(law, vc, gamma, &p);
  if (!(p.mu > 0) || !(gamma[2] > 0)) return;
  double lambda[3] = {p.traction[0], p.traction[1], gamma[2]};
  bool   is_convex = sup_law_table(law->kind)->opens;
  slack_of_friction(law, &p, u);
  u[2] = p.normal_slack + (is_convex ? 0 : p.mu * norm2(u)); /* de Saxce */
  out->primal = sup_cone_distance(p.mu, lambda);
  out->dual = sup_dual_cone_distance(p.mu, u);
  out->complementarity = fabs(lambda[0] * u[0] + lambda[1] * u[1] + lambda[2] * u[2]);
  out->slip = norm2(p.slip);
  out->slip_tolerance = p.slip_tolerance;
}
