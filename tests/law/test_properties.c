/* Properties of contact laws against the closed forms of THEORY 6.7, and against the laws
 * themselves. */
#include "law/properties.h"
#include "test.h"

static const double dt = 2e-3, k = 1e4, tau = .01, d = 3, mu = .6, eps = 1e-4;

static sup_law law_at(sup_law_kind kind, double phi0) {
  sup_law law = {.kind = kind};
  if (kind == SUP_LAW_SAP) {
    double Rn = 1 / (dt * k * (dt + tau));
    law.sap = (sup_sap){
        .mu = mu, .Rt = 1e-3 * Rn, .Rn = Rn, .vhat = -phi0 / (dt + tau), .delay = dt + tau};
    return law;
  }
  law.coulomb = (sup_coulomb){.normal = {.kind = SUP_NORMAL_HUNT_CROSSLEY,
                                         .dt = dt,
                                         .phi0 = phi0,
                                         .f0 = -k * phi0,
                                         .k = k,
                                         .d = d},
                              .mu = mu,
                              .slip = eps};
  sup_law_set_lagged_impulse(&law, sup_normal_lagged(&law.coulomb.normal, 0));
  return law;
}

static double gamma_n(sup_law_kind kind, double phi0, const double *vc) {
  sup_law       law = law_at(kind, phi0);
  sup_law_value value;
  sup_law_evaluate(&law, vc, &value);
  return value.gamma[2];
}

static const sup_law_kind kinds[] = {SUP_LAW_SAP, SUP_LAW_LAGGED, SUP_LAW_SIMILAR};
enum { NUM_KINDS = 3 };

/* Sliding at U with v_n = 0: the offset is the change of phi0 that gives the force back that v_t =
 * 0 has. */
static void the_gliding_offset_and_stiffness_are_what_the_law_does(void) {
  const double U = .5, phi0 = -1e-3,
               expected[NUM_KINDS] = {mu * (dt + tau) * U, 0, mu * dt * (U - eps)};
  for (int i = 0; i < NUM_KINDS; i++) {
    sup_law            law = law_at(kinds[i], phi0);
    sup_law_value      value;
    sup_law_properties p;
    double             vc[3] = {.3 * U / .5, .4 * U / .5, 0}, h = 1e-7;
    sup_law_evaluate(&law, vc, &value);
    sup_law_properties_at(&law, vc, value.gamma, &p);
    NEAR(p.gliding_offset, expected[i], 2e-3, 1e-15);
    double slope =
        -(gamma_n(kinds[i], phi0 + h, vc) - gamma_n(kinds[i], phi0 - h, vc)) / (2 * h * dt);
    /* the law's own stiffness at v_n = 0; SAP's is k, too */
    NEAR(p.stiffness_factor * k, slope, 2e-2, 0);
    NEAR(p.mu, mu, 0, 0);
    NEAR(hypot(p.traction[0], p.traction[1]), p.friction_bound, 1e-6, 0);
  }
}

/* In stiction the creep is the slip itself; at the slip tolerance friction is at its bound, or
 * 1/sqrt(2) of it. */
static void the_creep_of_stiction_is_the_slip(void) {
  for (int i = 0; i < NUM_KINDS; i++) {
    sup_law            law = law_at(kinds[i], -1e-3);
    sup_law_value      value;
    sup_law_properties p;
    double             vc[3] = {1e-7, 0, 0};
    sup_law_evaluate(&law, vc, &value);
    sup_law_properties_at(&law, vc, value.gamma, &p);
    NEAR(p.stick_creep, 1e-7, 1e-5, 0);
    vc[0] = p.slip_tolerance;
    sup_law_evaluate(&law, vc, &value);
    NEAR(-value.gamma[0], p.friction_bound * (kinds[i] == SUP_LAW_SAP ? 1 : sqrt(.5)), 1e-3, 0);
  }
}

static void lag_and_slack_are_those_of_the_laws(void) {
  sup_law            law = law_at(SUP_LAW_LAGGED, -1e-3);
  sup_law_value      value;
  sup_law_properties p;
  double             vc[3] = {.1, 0, -.2};
  sup_law_evaluate(&law, vc, &value);
  sup_law_properties_at(&law, vc, value.gamma, &p);
  NEAR(p.lag, value.gamma[2] - law.coulomb.gn0, 0, 0);
  CHECK(p.lag > 0 && p.normal_slack == 0);
  law = (sup_law){.kind = SUP_LAW_LIMIT};
  sup_law_properties_at(&law, vc, value.gamma, &p);
  CHECK(p.friction_bound == 0 && p.lag == 0);
}

/* A friction tensor: tractions and slips of the isotropic law, with the same power. */
static void a_friction_tensor_keeps_the_power(void) {
  for (int i = 0; i < NUM_KINDS; i++) {
    sup_law            law = law_at(kinds[i], -1e-3);
    sup_law_value      value;
    sup_law_properties p;
    double             vc[3] = {.3, -.1, -.01};
    law.anisotropy = (sup_anisotropy){1, 1.5, .3, .8};
    sup_law_evaluate(&law, vc, &value);
    sup_law_properties_at(&law, vc, value.gamma, &p);
    NEAR(p.traction[0] * p.slip[0] + p.traction[1] * p.slip[1],
         value.gamma[0] * vc[0] + value.gamma[1] * vc[1], 1e-12, 0);
    NEAR(hypot(p.traction[0], p.traction[1]), p.friction_bound, 1e-5, 0);
  }
}

SUITE_TESTS(properties, TEST(the_gliding_offset_and_stiffness_are_what_the_law_does),
            TEST(the_creep_of_stiction_is_the_slip), TEST(lag_and_slack_are_those_of_the_laws),
            TEST(a_friction_tensor_keeps_the_power));
