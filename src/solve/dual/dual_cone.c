/* One row of the dual form: cone, compliance and target by its law; operations on the cone. */
#include <math.h>
#include <string.h>

#include "solve/dual/dual.h"
#include "solve/dual/numerics.h"

/* ---- laws ------------------------------------------------------------------------------------ */

/** 1: the law is n = a (vhat - v)+ exactly. */
static bool is_linear(const sup_normal *normal, double *a, double *vhat) {
  double rate = normal->kind == SUP_NORMAL_KELVIN_VOIGT ? normal->k * (normal->dt + normal->tau)
                                                        : normal->k * normal->dt;
  int    kind = normal->kind == SUP_NORMAL_KELVIN_VOIGT ||
             (normal->kind == SUP_NORMAL_HUNT_CROSSLEY && normal->d == 0);
  if (!kind || !(rate > 0)) return 0;
  *a = normal->dt * rate, *vhat = normal->f0 / rate;
  return 1;
}

/** Velocity from which a nonlinear law gives no impulse. */
static double opening(const sup_normal *normal) {
  int    uses = sup_normal_table(normal->kind)->uses;
  double elastic = !(uses & SUP_USES_STIFFNESS) ? -normal->phi0 / normal->dt
                   : normal->k > 0              ? normal->f0 / (normal->dt * normal->k)
                   : normal->f0 > 0             ? HUGE_VAL
                                                : -HUGE_VAL;
  return uses & SUP_USES_DISSIPATION && normal->d > 0 ? fmin(elastic, 1 / normal->d) : elastic;
}

/** Normal velocity after an impact with restitution if the gap closes within the step [m/s]; else
 * -HUGE_VAL. */
static double rebound(const sup_coulomb *c, const sup_dual_options *options) {
  const sup_normal *n = &c->normal;
  int               meet = c->vn0 < 0 && n->phi0 + n->dt * c->vn0 < 0;
  return meet && options->restitution > 0 ? -options->restitution * c->vn0 : -HUGE_VAL;
}

static int of_coulomb(const sup_coulomb *c, const sup_dual_options *options, sup_dual_row *row) {
  double a, vhat, least = rebound(c, options);
  row->mu = c->mu;
  if (sup_normal_table(c->normal.kind)->is_barrier) return 0;
  if (options->rigid) {
    double share = c->normal.phi0 > 0 ? 1 : options->baumgarte;
    row->target[2] = fmax(least, -share * c->normal.phi0 / c->normal.dt);
    return 1;
  }
  row->rebound = least;
  if (is_linear(&c->normal, &a, &vhat)) {
    row->R[2] = 1 / a, row->target[2] = fmax(vhat, least);
    return 1;
  }
  row->is_nonlinear = 1;
  row->open = opening(&c->normal);
  row->target[2] = fmax(row->open, least);
  return 1;
}

int sup_dual_row_of_law(const sup_law *law, const sup_dual_options *options, sup_dual_row *row) {
  *row = (sup_dual_row){.cone = SUP_CONE_INTERVAL,
                        .rebound = -HUGE_VAL,
                        .dimension = sup_law_dimension(law->kind),
                        .lower = -HUGE_VAL,
                        .upper = HUGE_VAL};
  switch (sup_law_table(law->kind)->form) {
    case SUP_FORM_COULOMB:
      row->cone = SUP_CONE_FRICTION;
      for (int k = 0; k < 2 && law->kind == SUP_LAW_ELASTIC_STICK; k++)
        row->R[k] = law->coulomb.Rt, row->target[k] = law->coulomb.vhat[k];
      return of_coulomb(&law->coulomb, options, row);
    case SUP_FORM_SAP:
      row->cone = SUP_CONE_FRICTION;
      row->mu = law->sap.mu;
      row->R[0] = row->R[1] = law->sap.Rt, row->R[2] = law->sap.Rn;
      row->target[2] = law->sap.vhat;
      return 1;
    case SUP_FORM_LIMIT:
      if (law->kind == SUP_LAW_LIMIT) row->lower = 0; /* otherwise a coupler */
      row->R[0] = 1 / law->limit.H, row->target[0] = law->limit.vhat;
      return 1;
    case SUP_FORM_PD:
      row->lower = -law->pd.dt * law->pd.effort, row->upper = -row->lower;
      row->R[0] = 1 / (law->pd.dt * law->pd.slope), row->target[0] = law->pd.u0 / law->pd.slope;
      return 1;
    default:
      return 0;
  }
}

int sup_dual_accepts(sup_law_kind law) { return law <= SUP_LAW_PD; /* all kinds of constraints */ }

void sup_dual_row_linearise(sup_dual_row *row, const sup_law *law, double vn) {
  double cost, n, slope, most = sup_dual_numerics.softest * row->normal;
  if (vn >= row->open)
    vn = row->open -
         fmax(sup_dual_numerics.inside_share * fabs(row->open), sup_dual_numerics.inside);
  sup_normal_evaluate(&law->coulomb.normal, vn, &cost, &n, &slope);
  row->R[2] = -slope * most > 1 ? -1 / slope : most;
  row->target[2] = fmax(vn + row->R[2] * n, row->rebound);
}

sup_law sup_dual_row_impulse(const sup_dual_row *row, const sup_law *law, const double *lambda) {
  sup_law out = {.kind = row->dimension == 3 ? SUP_LAW_IMPULSE : SUP_LAW_JOINT_IMPULSE,
                 .anisotropy = law->anisotropy};
  out.impulse =
      (sup_impulse){.mu = row->mu, .Rt = row->R[0], .Rn = row->R[2], .vhat = row->target[2]};
  for (int k = 0; k < row->dimension; k++) out.impulse.gamma[k] = lambda[k];
  if (law->kind == SUP_LAW_SAP)
    out.impulse.delay = law->sap.delay;
  else if (row->dimension == 3)
    out.impulse.delay = law->coulomb.normal.dt;
  return out;
}

void sup_dual_row_axis(const sup_dual_row *row, sup_cone_law law, const double *lambda,
                       double e[2]) {
  double share = 0;
  if (law == SUP_CONE_LAW_RAISIM && lambda[2] > 0 && row->is_active)
    share = row->mu * row->mu * lambda[2] / (row->G[8] + row->R[2]);
  for (int k = 0; k < 2; k++) e[k] = lambda[k] + share * row->G[6 + k];
  double size = hypot(e[0], e[1]);
  for (int k = 0; k < 2 && size > 0; k++) e[k] /= size;
}

/* ---- cones ----------------------------------------------------------------------------------- */

void sup_disc_project(double radius, double x[2]) {
  double size = sqrt(x[0] * x[0] + x[1] * x[1]);
  if (size <= radius) return;
  x[0] *= radius / size, x[1] *= radius / size;
}

void sup_cone_project(double mu, double x[3]) { sup_cone_project_metric(mu, 1, 1, x); }

void sup_cone_project_metric(double mu, double rt, double rn, double y[3]) {
  double t = sqrt(y[0] * y[0] + y[1] * y[1]), slope = mu * rt / rn;
  if (t <= mu * y[2]) return;
  if (y[2] <= -slope * t) {
    y[0] = y[1] = y[2] = 0;
    return;
  }
  y[2] = (y[2] + slope * t) / (1 + mu * slope);
  double scale = t > 0 ? mu * y[2] / t : 0;
  y[0] *= scale, y[1] *= scale;
}
