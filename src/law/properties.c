#include "law/properties.h"

#include <math.h>

#include "law/cone.h"

static double norm2(const double *a) { return sqrt(a[0] * a[0] + a[1] * a[1]); }

/** Rows of THEORY 6.7; mu, slip and traction are set, gn > 0. */
static void sap(const sup_law *law, const double *vc, double gn, sup_law_properties *out) {
  const sup_sap *c = &law->sap;
  out->normal_slack = fmax(0, vc[2] - c->vhat + c->Rn * gn);
  out->gliding_offset = c->delay * out->normal_slack;
  out->stiffness_factor = 1 / (1 + c->mu * c->mu * c->Rt / c->Rn);
  out->friction_bound = c->mu * gn;
  out->slip_tolerance = c->Rt * out->friction_bound;
  out->stick_creep = c->Rt * norm2(out->traction);
}

static void regularised(const sup_coulomb *c, double bound, sup_law_properties *out) {
  out->friction_bound = bound;
  out->slip_tolerance = c->eps;
  out->stick_creep = bound > 0 ? c->eps * norm2(out->traction) /
                                     (sup_friction_softening_slope(c->softening) * bound)
                               : 0;
}

static void lagged(const sup_law *law, const double *vc, double gn, sup_law_properties *out) {
  const sup_coulomb *c = &law->coulomb;
  (void)vc;
  out->stiffness_factor = 1;
  out->lag = gn - c->gn0;
  regularised(c, c->mu * c->gn0, out);
}

/** Creep in stiction: motion of the spring while its load changes; none at rest. */
static void elastic_stick(const sup_law *law, const double *vc, double gn,
                          sup_law_properties *out) {
  const sup_coulomb *c = &law->coulomb;
  (void)vc;
  out->stiffness_factor = 1;
  out->lag = gn - c->gn0;
  out->friction_bound = c->mu * c->gn0;
  out->slip_tolerance = c->Rt * out->friction_bound;
}

static void similar(const sup_law *law, const double *vc, double gn, sup_law_properties *out) {
  const sup_coulomb *c = &law->coulomb;
  (void)vc;
  out->normal_slack =
      c->mu * sup_soft_norm_of(c->softening, out->slip[0], out->slip[1], c->eps).value;
  out->gliding_offset = c->normal.dt * out->normal_slack;
  out->stiffness_factor = 1 + out->normal_slack * c->normal.d;
  regularised(c, c->mu * gn, out);
}

/** Exact Coulomb friction but for the compliance of SAP: the slack is that of the solver's cone. */
static void impulse(const sup_law *law, const double *vc, double gn, sup_law_properties *out) {
  const sup_impulse *c = &law->impulse;
  out->normal_slack = fmax(0, vc[2] - c->vhat + c->Rn * gn);
  out->gliding_offset = c->delay * out->normal_slack;
  out->stiffness_factor = 1;
  out->friction_bound = c->mu * gn;
  out->slip_tolerance = c->Rt * out->friction_bound;
  out->stick_creep = c->Rt * norm2(out->traction);
}

static const struct {
  void (*at)(const sup_law *law, const double *vc, double gn, sup_law_properties *out);
} table[SUP_NUM_LAWS] = {[SUP_LAW_SAP] = {sap},
                         [SUP_LAW_LAGGED] = {lagged},
                         [SUP_LAW_SIMILAR] = {similar},
                         [SUP_LAW_ELASTIC_STICK] = {elastic_stick},
                         [SUP_LAW_IMPULSE] = {impulse}};

void sup_law_properties_at(const sup_law *law, const double *vc, const double *gamma,
                           sup_law_properties *out) {
  *out = (sup_law_properties){0};
  if (!table[law->kind].at) return;
  sup_anisotropy S = law->anisotropy.on ? law->anisotropy : (sup_anisotropy){0, 1, 0, 1};
  double         det = S.xx * S.yy - S.xy * S.xy;
  out->mu = law->kind == SUP_LAW_SAP       ? law->sap.mu
            : law->kind == SUP_LAW_IMPULSE ? law->impulse.mu
                                           : law->coulomb.mu;
  out->slip[0] = S.xx * vc[0] + S.xy * vc[1];
  out->slip[1] = S.xy * vc[0] + S.yy * vc[1];
  out->traction[0] = (S.yy * gamma[0] - S.xy * gamma[1]) / det;
  out->traction[1] = (S.xx * gamma[1] - S.xy * gamma[0]) / det;
  if (gamma[2] > 0 || out->traction[0] != 0 || out->traction[1] != 0)
    table[law->kind].at(law, vc, gamma[2], out);
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
  int    is_convex = law->kind == SUP_LAW_SAP || law->kind == SUP_LAW_SIMILAR;
  slack_of_friction(law, &p, u);
  u[2] = p.normal_slack + (is_convex ? 0 : p.mu * norm2(u)); /* de Saxce */
  out->primal = sup_cone_distance(p.mu, lambda);
  out->dual = sup_dual_cone_distance(p.mu, u);
  out->complementarity = fabs(lambda[0] * u[0] + lambda[1] * u[1] + lambda[2] * u[2]);
  out->slip = norm2(p.slip);
  out->slip_tolerance = p.slip_tolerance;
}
