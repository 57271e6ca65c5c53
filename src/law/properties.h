/** Deviations of a contact law from Coulomb's law and stiffness at one solution (THEORY 6.7).
 * Layer law.
 *
 *  With a friction tensor M = mu S all values refer to the coordinates of the isotropic law: u_t =
 * S v_t and lambda_t = S^-1 gamma_t, whose product is the same. */
#pragma once

#include "law/law.h"

typedef struct sup_law_properties {
  double mu;           /* friction coefficient */
  double slip[2];      /* u_t [m/s] */
  double traction[2];  /* lambda_t [N s] */
  double normal_slack; /* of v_n above the velocity at which the law without friction gives gamma_n
                          [m/s] */
  double gliding_offset;   /* gap that sliding adds to phi [m] */
  double stiffness_factor; /* effective stiffness while sliding over that at rest */
  double friction_bound;   /* of |lambda_t| [N s] */
  double slip_tolerance;   /* scale of |u_t| at which friction reaches its bound [m/s] */
  double stick_creep;      /* |u_t| that the present traction costs in stiction [m/s] */
  double lag;              /* gamma_n less the normal impulse that friction uses [N s] */
} sup_law_properties;

/** Bound, tolerance and creep of friction with the soft norm. */
void sup_law_soft_properties(const sup_coulomb *law, double bound, sup_law_properties *out);

/** At v_c and gamma = gamma(v_c); all zero for laws that are no contact. */
void sup_law_properties_at(const sup_law *law, const double *vc, const double *gamma,
                           sup_law_properties *out);

/** Raw residuals of P4 of a pushing contact (THEORY 8), in the law that its model approximates,
 * with the model's compliance: Coulomb's convex relaxation for SAP and Similar, Coulomb's law for
 * others.  SAP has zero residuals; for others the residuals are the errors of softened and lagged
 * friction.
 */
typedef struct sup_contact_residual {
  double primal;               /* distance of the impulse from the friction cone [N s] */
  double dual;                 /* of the velocity from the dual cone [m/s] */
  double complementarity;      /* |impulse . velocity| [J] */
  double slip, slip_tolerance; /* sup_law_properties [m/s] */
} sup_contact_residual;

/** All zero for laws that are no contact and for contacts that do not push. */
void sup_contact_residual_at(const sup_law *law, const double *vc, const double *gamma,
                             sup_contact_residual *out);
