/* The elastic stick of THEORY 16.6 at one contact. */
#include <math.h>

#include "law_case.h"

static double between(test_random *r, double low, double high) {
  return low + .5 * (high - low) * (test_uniform(r) + 1);
}

/** A law, the stretch of its start and a velocity away from the kink. */
static sup_law random_stick(test_random *r, double stretch[2], double vc[3]) {
  double     dt = pow(10, between(r, -4, -2)), kt = pow(10, between(r, 3, 6));
  double     tau = test_one_of(r, 2) ? 0 : pow(10, between(r, -3, -2));
  sup_normal normal = normal_law(SUP_NORMAL_HUNT_CROSSLEY, dt, 1e5, .3, -1e-4);
  sup_law    law = coulomb_law(SUP_LAW_LAGGED, normal, between(r, .1, 2), 1e-4, 0);
  if (test_one_of(r, 2)) law.anisotropy = (sup_anisotropy){1, 1.3, .2, .8};
  for (int k = 0; k < 2; k++) stretch[k] = 1e-4 * test_uniform(r);
  sup_law_set_spring(&law, kt, tau, stretch);
  sup_law_set_lagged_impulse(&law, pow(10, between(r, -3, 1)));
  double speed = pow(10, between(r, -4, 0));
  for (int k = 0; k < 3; k++) vc[k] = speed * test_uniform(r);
  return law;
}

static void seen(const sup_law *law, const double *vc, double u[2]) {
  const sup_anisotropy *S = &law->anisotropy;
  u[0] = S->on ? S->xx * vc[0] + S->xy * vc[1] : vc[0];
  u[1] = S->on ? S->xy * vc[0] + S->yy * vc[1] : vc[1];
}

/** Share of the bound that the spring asks for. */
static double load(const sup_law *law, const double *vc) {
  double u[2];
  seen(law, vc, u);
  const sup_coulomb *c = &law->coulomb;
  return hypot(c->vhat[0] - u[0], c->vhat[1] - u[1]) / c->Rt / (c->mu * c->gn0);
}

static void impulse_and_hessian_are_derivatives_of_the_cost(void) {
  test_random r = {1};
  int         sticking = 0, count = 0;
  for (int trial = 0; trial < 600; trial++) {
    double        stretch[2], vc[3];
    sup_law       law = random_stick(&r, stretch, vc);
    sup_law_value at, high, low;
    double        h = 1e-6 * (fabs(vc[0]) + fabs(vc[1]));
    if (fabs(load(&law, vc) - 1) < .05) continue; /* next to the kink */
    count++, sticking += load(&law, vc) < 1;
    sup_law_evaluate(&law, vc, &at);
    for (int j = 0; j < 2; j++) {
      double a[3] = {vc[0], vc[1], vc[2]}, b[3] = {vc[0], vc[1], vc[2]};
      a[j] += h, b[j] -= h;
      sup_law_evaluate(&law, a, &high), sup_law_evaluate(&law, b, &low);
      double size = fabs(at.gamma[0]) + fabs(at.gamma[1]);
      NEAR(-(high.cost - low.cost) / (2 * h), at.gamma[j], 0,
           1e-4 * size + 1e-9 * fabs(at.cost) / h);
      for (int i = 0; i < 3; i++)
        NEAR(-(high.gamma[i] - low.gamma[i]) / (2 * h), at.G[3 * i + j], 0,
             1e-4 * (at.G[0] + at.G[4]) + 1e-9 * size / h);
    }
  }
  CHECK(sticking > 50 && count - sticking > 50);
}

/* Coupled: friction at its bound follows the normal impulse, a stick does not. */
static void its_bound_has_the_slope_of_finite_differences(void) {
  test_random r = {2};
  int         slides = 0, sticks = 0;
  for (int trial = 0; trial < 300; trial++) {
    double        stretch[2], vc[3], slope[2];
    sup_law       law = random_stick(&r, stretch, vc), more = law, less = law;
    sup_law_value at, high, low;
    double        h = 1e-4 * law.coulomb.gn0;
    if (fabs(load(&law, vc) - 1) < .05) continue;
    sup_law_set_lagged_impulse(&more, law.coulomb.gn0 + h);
    sup_law_set_lagged_impulse(&less, law.coulomb.gn0 - h);
    sup_law_evaluate(&law, vc, &at);
    sup_law_evaluate(&more, vc, &high), sup_law_evaluate(&less, vc, &low);
    sup_law_bound_slope(&law, vc, at.gamma, slope);
    for (int k = 0; k < 2; k++)
      NEAR((high.gamma[k] - low.gamma[k]) / (2 * h), slope[k], 1e-6, 1e-9);
    *(load(&law, vc) > 1 ? &slides : &sticks) += 1;
  }
  CHECK(slides > 30 && sticks > 30);
}

static void the_anchor_gives_no_energy(void) {
  test_random r = {3};
  for (int trial = 0; trial < 1000; trial++) {
    double                s0[2], s[2], vc[3], u[2], traction[2];
    sup_law               law = random_stick(&r, s0, vc);
    sup_law_value         at;
    const sup_coulomb    *c = &law.coulomb;
    const sup_anisotropy *S = &law.anisotropy;
    double                dt = c->normal.dt, k = sup_law_spring_stiffness(&law);
    sup_law_evaluate(&law, vc, &at);
    sup_law_spring_stretch(&law, at.gamma, s);
    seen(&law, vc, u);
    double det = S->on ? S->xx * S->yy - S->xy * S->xy : 1;
    traction[0] = S->on ? (S->yy * at.gamma[0] - S->xy * at.gamma[1]) / det : at.gamma[0];
    traction[1] = S->on ? (S->xx * at.gamma[1] - S->xy * at.gamma[0]) / det : at.gamma[1];
    double size = hypot(traction[0], traction[1]), work = 0, before = 0, after = 0, slip[2];
    for (int i = 0; i < 2; i++) {
      slip[i] = u[i] - (s[i] - s0[i]) / dt;
      /* the spring and its damper carry the impulse, at the end of the step */
      NEAR(traction[i], -dt * k * (s[i] + c->tau_t * (s[i] - s0[i]) / dt), 0, 1e-9 * size);
      work += traction[i] * u[i], before += .5 * k * s0[i] * s0[i], after += .5 * k * s[i] * s[i];
    }
    CHECK(after - before <= -work + 1e-12 * (fabs(work) + before));
    if (load(&law, vc) > 1) { /* slip goes against friction, which is at its bound */
      NEAR(size, c->mu * c->gn0, 1e-12, 0);
      NEAR(traction[0] * slip[0] + traction[1] * slip[1], -size * hypot(slip[0], slip[1]), 0,
           1e-9 * fabs(work) + 1e-12 * size * hypot(u[0], u[1]));
    } else {
      for (int i = 0; i < 2; i++) NEAR(s[i], s0[i] + dt * u[i], 0, 1e-9 * (fabs(s0[i]) + dt));
    }
  }
}

static void without_normal_force_there_is_no_friction(void) {
  test_random   r = {4};
  double        s0[2], vc[3];
  sup_law       law = random_stick(&r, s0, vc);
  sup_law_value at;
  sup_law_set_lagged_impulse(&law, 0);
  sup_law_evaluate(&law, vc, &at);
  CHECK(at.gamma[0] == 0 && at.gamma[1] == 0 && at.G[0] == 0 && at.G[4] == 0);
}

SUITE_TESTS(elastic_stick, TEST(impulse_and_hessian_are_derivatives_of_the_cost),
            TEST(its_bound_has_the_slope_of_finite_differences), TEST(the_anchor_gives_no_energy),
            TEST(without_normal_force_there_is_no_friction));
