#include <string.h>

#include "law/law.h"
#include "test.h"

/* Minimise 1/2 (v - v*)^T A (v - v*) + l(v) by damped Newton: an oracle for one contact, independent of solve/. */
static void minimise_2d(const double A[4], const double vstar[2], const sup_law *law, double v[2]) {
  v[0] = vstar[0], v[1] = vstar[1];
  for (int k = 0; k < 200; k++) {
    double        vc[3] = {v[0], 0, v[1]};
    sup_law_value value;
    sup_law_evaluate(law, vc, &value);
    double e0 = v[0] - vstar[0], e1 = v[1] - vstar[1];
    double g0 = A[0] * e0 + A[1] * e1 - value.gamma[0], g1 = A[2] * e0 + A[3] * e1 - value.gamma[2];
    double H0 = A[0] + value.G[0], H1 = A[1], H3 = A[3] + value.G[8], det = H0 * H3 - H1 * H1;
    double d0 = -(H3 * g0 - H1 * g1) / det, d1 = -(H0 * g1 - H1 * g0) / det, step = 1;
    double now = 0.5 * (e0 * (A[0] * e0 + A[1] * e1) + e1 * (A[2] * e0 + A[3] * e1)) + value.cost;
    for (int i = 0; i < 60; i++, step /= 2) {
      double t[3] = {v[0] + step * d0, 0, v[1] + step * d1}, f0 = t[0] - vstar[0], f1 = t[2] - vstar[1];
      sup_law_evaluate(law, t, &value);
      if (0.5 * (f0 * (A[0] * f0 + A[1] * f1) + f1 * (A[2] * f0 + A[3] * f1)) + value.cost <= now) break;
    }
    v[0] += step * d0, v[1] += step * d1;
  }
}

static sup_law lagged(double dt, double k, double d, double phi0, double vn0, double mu, double eps) {
  sup_law law = {.kind = SUP_LAW_LAGGED, .lagged = {{dt, k, -k * phi0, d}, mu, 0, eps}};
  law.lagged.gn0 = sup_hunt_crossley_lagged(&law.lagged.normal, vn0);
  return law;
}

/* cases.md S03 */
static void hunt_crossley_has_the_values_of_S03(void) {
  static const struct {
    double k, d, dt, phi0, v, n, slope, N;
  } rows[] = {{1e5, 10, .01, -1e-4, -.05, .9, -21, -2.291666666667e-2},
              {1e5, 10, .01, -1e-4, .005, 4.75e-2, -10, 3.666666666667e-4},
              {1e5, 10, .01, 1e-4, -.05, .6, -19, -1.041666666667e-2},
              {1e7, 500, 2e-3, -1e-6, -.2, 810.02, -8050, -54.33733333333},
              {1e5, 0, .01, -1e-4, .5, 0, 0, 5.0e-4}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sup_hunt_crossley law = {rows[i].dt, rows[i].k, -rows[i].k * rows[i].phi0, rows[i].d};
    double            cost, n, slope;
    sup_hunt_crossley_evaluate(&law, rows[i].v, &cost, &n, &slope);
    NEAR(n, rows[i].n, 1e-12, 1e-15);
    NEAR(slope, rows[i].slope, 1e-12, 0);
    /* N is the antiderivative with N(0) = 0, constant beyond vhat: cost(v) - cost(0) = -N(min(v, vhat)). */
    double cost0, unused;
    sup_hunt_crossley_evaluate(&law, 0, &cost0, &unused, &unused);
    double vhat = -rows[i].phi0 / rows[i].dt;
    if (vhat >= 0)
      NEAR(cost0 - cost, rows[i].N, 1e-11, 0);
    else { /* the zero velocity is beyond vhat: N(vhat) - N(v) */
      double N_vhat = rows[i].dt * rows[i].k *
                      (-vhat * (rows[i].phi0 + rows[i].dt * vhat / 2) +
                       rows[i].d * vhat * vhat / 2 * (rows[i].phi0 + 2 * rows[i].dt * vhat / 3));
      NEAR(cost, N_vhat - rows[i].N, 1e-11, 0);
    }
  }
}

static void product_of_two_negative_factors_gives_no_force(void) {
  sup_hunt_crossley law = {1e-2, 1e5, 10, 20};
  double            cost, n, slope;
  sup_hunt_crossley_evaluate(&law, 2, &cost, &n, &slope);
  CHECK(n == 0 && slope == 0 && cost == 0);
  law.f0 = -10;
  sup_hunt_crossley_evaluate(&law, 2, &cost, &n, &slope);
  CHECK(n == 0 && cost == 0);
}

/* cases.md S05, Lagged rows */
static void lagged_reproduces_the_one_step_oracle_S05(void) {
  double  v[2], A[4] = {1, 0, 0, 1}, vstar[2] = {.2, -.01 - .01 * 9.81};
  sup_law law = lagged(.01, 1e5, 20, -1e-5, -.01, .5, 1e-4);
  minimise_2d(A, vstar, &law, v);
  NEAR(v[0], .1940000007971, 1e-9, 0);
  NEAR(v[1], -7.700140055748e-3, 1e-9, 0);
  double cost, n, slope;
  sup_hunt_crossley_evaluate(&law.lagged.normal, v[1], &cost, &n, &slope);
  NEAR(n, .1003998599443, 1e-9, 0);
  law = lagged(.01, 1e5, 20, -9.81e-5, 0, .5, 1e-4);
  double rest[2] = {2e-3, -.0981};
  minimise_2d(A, rest, &law, v);
  NEAR(v[0], 4.072542211581e-6, 1e-9, 0);
  /* W_tt = 3, W_tn = -1, W_nn = 2: A = W^-1 */
  double W[4] = {2. / 5, 1. / 5, 1. / 5, 3. / 5}, coupled[2] = {.2, -.1081};
  law = lagged(.01, 1e5, 20, -1e-5, -.01, .5, 1e-4);
  minimise_2d(W, coupled, &law, v);
  NEAR(v[0], .1327474505342, 1e-9, 0);
  NEAR(v[1], -3.594892556344e-3, 1e-9, 0);
}

static sup_law random_law(test_random *random, int kind) {
  sup_law law = {.kind = (sup_law_kind)kind};
  double  phi = 1e-4 * test_uniform(random), d = 15 * (1 + test_uniform(random));
  if (kind == SUP_LAW_LAGGED) law = lagged(.01, 1e5, d, phi, -.02, .5 + .4 * test_uniform(random), 1e-3);
  if (kind == SUP_LAW_LIMIT) law.limit = (sup_limit){.05 * test_uniform(random), 30};
  if (kind == SUP_LAW_PD) law.pd = (sup_pd){.01, 20 * test_uniform(random), 300, 12};
  return law;
}

/* gamma = -dl/dv and G = -dgamma/dv: central differences fall with h^2 away from the (C1) borders. */
static void gradient_and_hessian_match_finite_differences(void) {
  test_random random = {11};
  for (int kind = 0; kind < SUP_NUM_LAWS; kind++)
    for (int trial = 0; trial < 300; trial++) {
      sup_law law = random_law(&random, kind);
      int     n = sup_law_dimension(law.kind);
      double  vc[3], h = 1e-7;
      for (int i = 0; i < n; i++) vc[i] = .03 * test_uniform(&random);
      sup_law_value at, up, down;
      sup_law_evaluate(&law, vc, &at);
      double scale = fabs(at.cost) + 1e-6;
      for (int i = 0; i < n; i++) {
        double keep = vc[i];
        vc[i] = keep + h;
        sup_law_evaluate(&law, vc, &up);
        vc[i] = keep - h;
        sup_law_evaluate(&law, vc, &down);
        vc[i] = keep;
        NEAR((up.cost - down.cost) / (2 * h), -at.gamma[i], 1e-5, 1e-6 + 1e-9 * scale / h);
        for (int j = 0; j < n; j++) {
          double slope = -(up.gamma[j] - down.gamma[j]) / (2 * h), tolerance = 1e-4;
          /* on a border the two one-sided slopes differ; the tangent is one of them */
          if (fabs((up.gamma[j] - at.gamma[j]) - (at.gamma[j] - down.gamma[j])) >
              1e-3 * fabs(up.gamma[j] - down.gamma[j]))
            continue;
          NEAR(slope, at.G[j * n + i], tolerance, 1e-4);
        }
      }
    }
}

static void laws_are_convex_and_friction_dissipates(void) {
  test_random random = {23};
  for (int kind = 0; kind < SUP_NUM_LAWS; kind++)
    for (int trial = 0; trial < 1000; trial++) {
      sup_law       law = random_law(&random, kind);
      sup_law_value x, y;
      double        a[3], b[3], monotone = 0, size = 0;
      for (int i = 0; i < 3; i++) a[i] = .05 * test_uniform(&random), b[i] = .05 * test_uniform(&random);
      sup_law_evaluate(&law, a, &x);
      sup_law_evaluate(&law, b, &y);
      for (int i = 0; i < sup_law_dimension(law.kind); i++) {
        monotone += (a[i] - b[i]) * (y.gamma[i] - x.gamma[i]);
        size += fabs(x.gamma[i]) + fabs(y.gamma[i]);
      }
      CHECK(monotone >= -1e-14 * (size + 1e-9));
      CHECK(x.cost >= 0);
      if (kind == SUP_LAW_LAGGED) CHECK(x.gamma[0] * a[0] + x.gamma[1] * a[1] <= 0 && x.gamma[2] >= 0);
    }
}

static void pd_saturates_at_its_effort_limit(void) {
  sup_law       law = {.kind = SUP_LAW_PD, .pd = {.01, 100, 50, 12}};
  sup_law_value value;
  double        v = 0;
  sup_law_evaluate(&law, &v, &value);
  NEAR(value.gamma[0], .12, 1e-15, 0);
  CHECK(value.G[0] == 0);
  v = 2; /* u~ = 0 */
  sup_law_evaluate(&law, &v, &value);
  NEAR(value.gamma[0], 0, 0, 1e-15);
  NEAR(value.G[0], .5, 1e-15, 0);
}

SUITE_TESTS(law, TEST(hunt_crossley_has_the_values_of_S03), TEST(product_of_two_negative_factors_gives_no_force),
            TEST(lagged_reproduces_the_one_step_oracle_S05), TEST(gradient_and_hessian_match_finite_differences),
            TEST(laws_are_convex_and_friction_dissipates), TEST(pd_saturates_at_its_effort_limit));
