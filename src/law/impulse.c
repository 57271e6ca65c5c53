/* Impulses that do not depend on the velocity: laws in force of solvers that iterate on impulses.
 */
#include <math.h>
#include <string.h>

#include "law/properties.h"

static void pull(const sup_law *law, int dimension, const double *vc, sup_law_value *out) {
  memset(out, 0, sizeof *out);
  for (int k = 0; k < dimension; k++) {
    out->gamma[k] = law->impulse.gamma[k];
    out->cost -= out->gamma[k] * vc[k];
  }
}

static void evaluate(const sup_law *law, const double *vc, sup_law_value *out) {
  pull(law, 3, vc, out);
}

static void evaluate_joint(const sup_law *law, const double *vc, sup_law_value *out) {
  pull(law, 1, vc, out);
}

/** Exact Coulomb friction, except for the compliance of SAP: the slack is that of the solver's
 * cone. */
static void properties(const sup_law *law, const double *vc, double gn, sup_law_properties *out) {
  const sup_impulse *c = &law->impulse;
  out->normal_slack = fmax(0, vc[2] - c->vhat + c->Rn * gn);
  out->gliding_offset = c->delay * out->normal_slack;
  out->stiffness_factor = 1;
  out->friction_bound = c->mu * gn;
  out->slip_tolerance = c->Rt * out->friction_bound;
  out->stick_creep =
      c->Rt * sqrt(out->traction[0] * out->traction[0] + out->traction[1] * out->traction[1]);
}

const sup_law_row sup_law_impulse = {SUP_FORM_IMPULSE, .dimension = 3, .evaluate = evaluate,
                                     .properties = properties};
const sup_law_row sup_law_joint_impulse = {SUP_FORM_IMPULSE, .dimension = 1,
                                           .evaluate = evaluate_joint};
