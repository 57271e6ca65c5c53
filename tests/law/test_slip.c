#include "law_case.h"

static sup_law random_law(test_random *r, int kind) {
  sup_normal normal = normal_law(SUP_NORMAL_HUNT_CROSSLEY, .01, 1e5, 10, -1e-4);
  sup_law    law = coulomb_law(kind % 2 ? SUP_LAW_SIMILAR : SUP_LAW_LAGGED, normal, .7, 1e-3, -.01);
  if (kind / 2 % 2)
    law.anisotropy = (sup_anisotropy){1, 1 + .4 * test_uniform(r), .2, 1 + .4 * test_uniform(r)};
  return law;
}

static void random_velocity(test_random *r, double vc[3]) {
  for (int k = 0; k < 2; k++) vc[k] = 3e-3 * test_uniform(r);
  vc[2] = .02 * test_uniform(r) - .03;
}

static void hessian_is_that_of_the_law_when_the_direction_is_the_slip(void) {
  test_random r = {3};
  for (int i = 0; i < 200; i++) {
    sup_law       law = random_law(&r, i);
    double        vc[3], direction[2];
    sup_law_value value;
    random_velocity(&r, vc);
    sup_law_evaluate(&law, vc, &value);
    sup_slip_start(&law, vc, direction);
    double G[9], scale = fabs(value.G[0]) + fabs(value.G[4]);
    for (int k = 0; k < 9; k++) G[k] = value.G[k];
    sup_slip_hessian(&law, vc, value.gamma[2], direction, G);
    for (int k = 0; k < 9; k++) NEAR(G[k], value.G[k], 0, 1e-12 * scale);
  }
}

/* The tangential part of what is added may have any sign; the sum may not. */
static void hessian_is_positive_semidefinite_for_every_direction_within_one(void) {
  test_random r = {5};
  for (int i = 0; i < 400; i++) {
    sup_law       law = random_law(&r, i);
    double        vc[3], angle = 3.2 * test_uniform(&r), direction[2] = {cos(angle), sin(angle)};
    sup_law_value value;
    random_velocity(&r, vc);
    if (i % 8 < 4) direction[0] *= .5, direction[1] *= .5;
    sup_law_evaluate(&law, vc, &value);
    double *G = value.G;
    sup_slip_hessian(&law, vc, value.gamma[2], direction, G);
    for (int k = 0; k < 20; k++) {
      double x[3] = {test_uniform(&r), test_uniform(&r), test_uniform(&r)}, sum = 0, size = 0;
      for (int a = 0; a < 9; a++) sum += x[a / 3] * G[a] * x[a % 3], size += fabs(G[a]);
      CHECK(sum >= -1e-13 * size);
    }
    NEAR(G[1], G[3], 1e-14, 0);
  }
}

/* The pair (v_t, s) solves w s = v_t: Newton's step for it from a start with s != t, then nothing
 * is left to first order. */
static void advanced_direction_solves_its_equation_to_second_order(void) {
  test_random r = {7};
  for (int i = 0; i < 100; i++) {
    sup_law law = random_law(&r, i);
    double  vc[3], error[2];
    random_velocity(&r, vc);
    for (int half = 0; half < 2; half++) {
      double h = half ? .5e-2 : 1e-2, s[2], t[2], dvc[3] = {1e-3 * h, -2e-3 * h, 0}, next[3];
      sup_slip_start(&law, vc, s);
      sup_slip_advance(&law, vc, dvc, s);
      for (int k = 0; k < 3; k++) next[k] = vc[k] + dvc[k];
      sup_slip_start(&law, next, t);
      error[half] = hypot(s[0] - t[0], s[1] - t[1]);
    }
    CHECK(error[1] < .27 * error[0]);
    CHECK(error[0] < 1e-3);
  }
}

static void direction_stays_within_one_and_other_laws_have_none(void) {
  test_random r = {9};
  for (int i = 0; i < 100; i++) {
    sup_law law = random_law(&r, i);
    double  vc[3], s[2], dvc[3] = {10 * test_uniform(&r), 10 * test_uniform(&r), 0};
    random_velocity(&r, vc);
    sup_slip_start(&law, vc, s);
    sup_slip_advance(&law, vc, dvc, s);
    CHECK(hypot(s[0], s[1]) <= 1 + 1e-15);
  }
  sup_law sap = sap_law(.01, 1e5, .01, -1e-4, .5, 1e-3, 1, 1, 1);
  double  vc[3] = {1, 2, -3}, s[2] = {4, 4}, G[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  sup_slip_start(&sap, vc, s);
  sup_slip_advance(&sap, vc, vc, s);
  sup_slip_hessian(&sap, vc, 1, s, G);
  CHECK(s[0] == 0 && s[1] == 0);
  for (int k = 0; k < 9; k++) CHECK(G[k] == k + 1);
}

SUITE_TESTS(slip, TEST(hessian_is_that_of_the_law_when_the_direction_is_the_slip),
            TEST(hessian_is_positive_semidefinite_for_every_direction_within_one),
            TEST(advanced_direction_solves_its_equation_to_second_order),
            TEST(direction_stays_within_one_and_other_laws_have_none));
