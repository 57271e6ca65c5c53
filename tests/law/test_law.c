#include <string.h>

#include "law_case.h"

static double between(test_random *random, double a, double b) {
  return a + (b - a) * 0.5 * (1 + test_uniform(random));
}

static int is_barrier(int kind) { return sup_normal_table((sup_normal_law)kind)->is_barrier; }

/* ---- normal laws ----------------------------------------------------------------------------- */

/* CASES.md S03 */
static void hunt_crossley_has_the_values_of_S03(void) {
  static const struct {
    double k, d, dt, phi0, v, n, slope, N;
  } rows[] = {{1e5, 10, .01, -1e-4, -.05, .9, -21, -2.291666666667e-2},
              {1e5, 10, .01, -1e-4, .005, 4.75e-2, -10, 3.666666666667e-4},
              {1e5, 10, .01, 1e-4, -.05, .6, -19, -1.041666666667e-2},
              {1e7, 500, 2e-3, -1e-6, -.2, 810.02, -8050, -54.33733333333},
              {1e5, 0, .01, -1e-4, .5, 0, 0, 5.0e-4}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sup_normal law =
        normal_law(SUP_NORMAL_HUNT_CROSSLEY, rows[i].dt, rows[i].k, rows[i].d, rows[i].phi0);
    double cost, n, slope;
    sup_normal_evaluate(&law, rows[i].v, &cost, &n, &slope);
    NEAR(n, rows[i].n, 1e-12, 1e-15);
    NEAR(slope, rows[i].slope, 1e-12, 0);
    /* N is the antiderivative with N(0) = 0, constant beyond vhat: cost(v) - cost(0) = -N(min(v,
     * vhat)). */
    double cost0, unused;
    sup_normal_evaluate(&law, 0, &cost0, &unused, &unused);
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
  for (int kind = 0; kind < SUP_NUM_NORMAL_LAWS; kind++) {
    if (is_barrier(kind)) continue;
    sup_normal law = normal_law((sup_normal_law)kind, 1e-2, 1e5, 10, -2e-4);
    double     cost, n, slope;
    sup_normal_evaluate(&law, 2, &cost, &n, &slope);
    CHECK(n == 0 && slope == 0 && cost == 0);
    law = normal_law((sup_normal_law)kind, 1e-2, 1e5, 10, 1e-4);
    sup_normal_evaluate(&law, 2, &cost, &n, &slope);
    CHECK(n == 0 && cost == 0);
    CHECK(sup_normal_lagged(&law, -1) >= 0 && sup_normal_lagged(&law, 1) == 0);
  }
}

/* Parameters that a law's row lists change its impulse; no other parameter does. */
static void laws_use_what_their_rows_say(void) {
  for (int kind = 0; kind < SUP_NUM_NORMAL_LAWS; kind++) {
    const sup_normal law =
        normal_law((sup_normal_law)kind, .01, 1e5, 2, is_barrier(kind) ? 5e-4 : -1e-3);
    double cost, slope, before, after;
    int    uses = 0, bit = 0;
    sup_normal_evaluate(&law, -.01, &cost, &before, &slope);
    CHECK(before > 0); /* else law_case.h gives the law nothing to work with */
    for (sup_normal other = law; normal_parameter(&other, bit); other = law, bit++) {
      *normal_parameter(&other, bit) *= 1.5;
      sup_normal_evaluate(&other, -.01, &cost, &after, &slope);
      uses |= (after != before) << bit;
    }
    if (uses != sup_normal_table(law.kind)->uses)
      printf("\n    %s uses %#x", sup_normal_name(law.kind), (unsigned)uses);
    CHECK(uses == sup_normal_table(law.kind)->uses);
  }
}

/* A force without stiffness (pressure fields: k -> 0 with f0 kept) acts for ever. */
static void linear_laws_keep_their_force_without_stiffness(void) {
  for (int kind = 0; kind <= SUP_NORMAL_KELVIN_VOIGT; kind++) {
    sup_normal law = {.kind = (sup_normal_law)kind, .dt = .01, .f0 = 3};
    double     cost, n, slope;
    sup_normal_evaluate(&law, -.2, &cost, &n, &slope);
    CHECK(n == .03 && slope == 0);
    NEAR(cost, .006, 1e-15, 0);
  }
}

/** int_v^end n by Simpson's rule in t with v' = end - (end - v) t^2, which smooths powers at the
 * end. */
static double integral(const sup_normal *law, double v, double end) {
  enum { NUM = 4000 };
  double sum = 0, cost, n, slope;
  for (int i = 0; i <= NUM; i++) {
    double t = (double)i / NUM, weight = i == 0 || i == NUM ? 1 : i % 2 ? 4 : 2;
    sup_normal_evaluate(law, end - (end - v) * t * t, &cost, &n, &slope);
    sum += weight * n * 2 * t * (end - v);
  }
  return sum / (3 * NUM);
}

/* At and near both branch points, and far from them, to a relative accuracy. */
static void normal_costs_are_the_integrals_of_their_impulses(void) {
  for (int kind = 0; kind < SUP_NUM_NORMAL_LAWS; kind++)
    for (int deep = 0; deep < 2; deep++)
      for (int damped = 0; damped < 2; damped++) {
        double dt = .01, d = damped ? 20 : 0,
               phi0 = is_barrier(kind) ? (deep ? 1e-4 : 2e-3)
                      : deep           ? -2e-3
                                       : 1e-5;
        int        uses = sup_normal_table((sup_normal_law)kind)->uses;
        sup_normal law = normal_law((sup_normal_law)kind, dt, 1e5, d, phi0);
        double     end =
            kind == SUP_NORMAL_LOG_BARRIER   ? 0
                : kind == SUP_NORMAL_IPC_BARRIER ? (law.barrier_range - phi0) / dt
                : uses & SUP_USES_RELAXATION
                    ? -phi0 / (dt + law.tau)
                    : fmin(-phi0 / dt, damped && uses & SUP_USES_DISSIPATION ? 1 / d : HUGE_VAL);
        double distance = is_barrier(kind) ? end + phi0 / dt : .2;
        double cost, n, slope, share[] = {1e-7, 1e-4, 1e-2, .0101, .3, .9};
        sup_normal_evaluate(&law, end, &cost, &n, &slope);
        if (kind != SUP_NORMAL_LOG_BARRIER) {
          NEAR(cost, 0, 0, 1e-20);
          NEAR(n, 0, 0, 1e-14);
        }
        for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
          double v = end - share[i] * distance;
          sup_normal_evaluate(&law, v, &cost, &n, &slope);
          NEAR(cost, integral(&law, v, end), 2e-7, 1e-25);
          double up, down, unused, h = 1e-4 * share[i] * distance;
          sup_normal_evaluate(&law, v + h, &unused, &up, &unused);
          sup_normal_evaluate(&law, v - h, &unused, &down, &unused);
          NEAR((up - down) / (2 * h), slope, 1e-5, 1e-10);
          CHECK(n >= 0 && slope <= 0);
        }
      }
}

/* Stored energy of undamped laws: its slope is the force of a step that ends there. */
static void energies_are_the_potentials_of_elastic_forces(void) {
  for (int kind = 0; kind < SUP_NUM_NORMAL_LAWS; kind++) {
    sup_normal law = normal_law((sup_normal_law)kind, .01, 1e5, 0, is_barrier(kind) ? 2e-3 : 1e-3);
    double     cost, n, slope;
    law.tau = 0;
    for (int i = 1; i < 30; i++) {
      double phi = is_barrier(kind) ? 5e-5 * (i + .5) : 1e-3 - 1e-4 * (i + .5),
             h = 1e-4 * fabs(phi);
      sup_normal_evaluate(&law, (phi - law.phi0) / law.dt, &cost, &n, &slope);
      double up = sup_normal_energy(&law, phi + h), down = sup_normal_energy(&law, phi - h);
      NEAR((down - up) / (2 * h), n / law.dt, 1e-5, 1e-9);
    }
    if (kind != SUP_NORMAL_LOG_BARRIER) NEAR(sup_normal_energy(&law, 1e-3), 0, 0, 1e-20);
  }
}

/* CASES.md R14: forces of a sphere, and the depth at which it rests. */
static void hertz_has_the_values_of_R14(void) {
  static const double depth[] = {.5e-3, 1e-3, 2e-3}, force[] = {3.663004, 10.360539, 29.304029};
  double              E = 1e6 / .91;
  for (int i = 0; i < 3; i++) {
    sup_normal law = {
        .kind = SUP_NORMAL_HERTZ, .dt = 1e-3, .phi0 = -depth[i], .hertz = 4. / 3 * E * sqrt(.05)};
    NEAR(sup_normal_lagged(&law, 0) / law.dt, force[i], 2e-7,
         0); /* as many digits as the catalogue gives */
    NEAR(sup_normal_lagged(&law, 0) / law.dt, 4. / 3 * E * sqrt(.05) * pow(depth[i], 1.5), 1e-12,
         0);
  }
  static const double rest[2][4] = {{.5, .025, 2.383e-7, 2.058e7}, {.3, .005, 2.899e-7, 1.015e7}};
  for (int i = 0; i < 2; i++) { /* the estimate of P0 XI: E* = E */
    double m = rest[i][0], kH = 4. / 3 * 200e9 * sqrt(rest[i][1]),
           delta = pow(m * 9.81 / kH, 2. / 3);
    sup_normal law = {.kind = SUP_NORMAL_HERTZ, .dt = 1e-3, .phi0 = -delta, .hertz = kH};
    NEAR(delta, rest[i][2], 2e-3, 0);
    NEAR(m * 9.81 / delta, rest[i][3], 2e-3, 0);
    NEAR(sup_normal_lagged(&law, 0), 1e-3 * m * 9.81, 1e-12, 0);
  }
}

/* THEORY 6.3: 3 kappa e^2/r at the edge, energy/phi at the wall. */
static void barriers_have_their_limits(void) {
  sup_normal ipc = normal_law(SUP_NORMAL_IPC_BARRIER, .01, 1e5, 0, 1e-3 - 1e-7), log = ipc;
  double     kappa = ipc.barrier_energy / (ipc.barrier_range * ipc.barrier_range);
  NEAR(sup_normal_lagged(&ipc, 0), .01 * 3 * kappa * 1e-14 / 1e-3, 1e-3, 0);
  log.kind = SUP_NORMAL_LOG_BARRIER;
  ipc.phi0 = log.phi0 = 1e-12;
  NEAR(sup_normal_lagged(&log, 0), .01 * 1e-4 / 1e-12, 1e-12, 0);
  NEAR(sup_normal_lagged(&ipc, 0), .01 * 1e-4 / 1e-12, 1e-6, 0);
}

/* ---- contact laws ---------------------------------------------------------------------------- */

/* CASES.md S04 */
static void sap_has_the_values_of_S04(void) {
  static const double rows[][4] = {{1e-5, -.01, -1e-2, 3},
                                   {.3, -.01, -5.185185185185, 10.37037037037},
                                   {.3, .19, -.2469135802469, .4938271604938},
                                   {.3, .2, 0, 0},
                                   {.3, .5, 0, 0}};
  sup_law law = {.kind = SUP_LAW_SAP, .sap = {.mu = .5, .Rt = 1e-3, .Rn = .02, .vhat = .05}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sup_law_value value;
    double        vc[3] = {rows[i][0] * .6, rows[i][0] * .8, rows[i][1]};
    sup_law_evaluate(&law, vc, &value);
    NEAR(value.gamma[0], .6 * rows[i][2], 1e-12, 1e-14);
    NEAR(value.gamma[1], .8 * rows[i][2], 1e-12, 1e-14);
    NEAR(value.gamma[2], rows[i][3], 1e-12, 1e-14);
  }
}

/* THEORY 6.2: gamma minimises 1/2 (g - y)^T R (g - y) over the cone: no point of the cone is closer
 * to y. */
static void sap_projects_onto_the_cone(void) {
  test_random random = {5};
  for (int trial = 0; trial < 300; trial++) {
    sup_sap s = {between(&random, 0, 1), between(&random, 1e-4, 1e-2), between(&random, 1e-3, 1e-1),
                 .01};
    sup_law law = {.kind = SUP_LAW_SAP, .sap = s};
    double  vc[3] = {.1 * test_uniform(&random), .1 * test_uniform(&random),
                     .05 * test_uniform(&random)};
    double  y[3] = {-vc[0] / s.Rt, -vc[1] / s.Rt, (s.vhat - vc[2]) / s.Rn};
    sup_law_value value;
    sup_law_evaluate(&law, vc, &value);
    const double *g = value.gamma;
    CHECK(sqrt(g[0] * g[0] + g[1] * g[1]) <= s.mu * g[2] * (1 + 1e-14) + 1e-300);
    for (int k = 0; k < 20; k++) { /* variational inequality (x - g)^T R (g - y) >= 0 */
      double n = between(&random, 0, 20), angle = between(&random, 0, 6.3), r = s.mu * n;
      double x[3] = {r * cos(angle), r * sin(angle), n};
      double at = s.Rt * ((x[0] - g[0]) * (g[0] - y[0]) + (x[1] - g[1]) * (g[1] - y[1])) +
                  s.Rn * (x[2] - g[2]) * (g[2] - y[2]);
      CHECK(at >= -1e-11);
    }
  }
}

enum { NUM_COMBINATIONS = 2 * (1 + 2 * SUP_NUM_NORMAL_LAWS * SUP_NUM_FRICTION_SOFTENINGS) };

/** Every friction model with every normal law and softening function, isotropic and not; *vc inside
 * of its domain. */
static sup_law random_contact(test_random *random, int combination, double vc[3]) {
  int    kind = combination / 2, normal_kind = (kind - 1) / 2 % SUP_NUM_NORMAL_LAWS;
  double dt = .01, mu = between(random, .1, .9), d = between(random, 0, 30),
         phi0 = 2e-4 * test_uniform(random);
  sup_law law;
  if (kind == 0) {
    law = sap_law(dt, 1e5, between(random, 0, .01), phi0, mu, .1, 1, 1, 1);
  } else {
    sup_normal_law normal = (sup_normal_law)normal_kind;
    if (is_barrier(normal_kind)) phi0 = between(random, 1e-4, 1e-3);
    law = coulomb_law(kind % 2 ? SUP_LAW_LAGGED : SUP_LAW_SIMILAR,
                      normal_law(normal, dt, 1e5, d, phi0), mu, .02, -.03);
    law.coulomb.softening = (sup_friction_softening)((kind - 1) / 2 / SUP_NUM_NORMAL_LAWS);
    if (test_uniform(random) > 0) { /* eps by the impulse of the step's start, P0 eq. 26 */
      law.coulomb.regularise = between(random, .1, .5);
      sup_law_set_lagged_impulse(&law, law.coulomb.gn0);
    }
  }
  if (combination % 2)
    law.anisotropy = (sup_anisotropy){1, between(random, .3, 1.2), .2 * test_uniform(random), .7};
  do
    for (int i = 0; i < 3; i++) vc[i] = .06 * test_uniform(random);
  while (!(sup_law_domain_distance(&law, vc) > 1e-3));
  return law;
}

/* f of P0 eq. 9, of P2 eq. 7 and of P2's code at s = 1/2, 1 and 3; F is its integral, the Hessian
 * f' along slip and f/s across it (THEORY 6.1). */
static void softening_functions_have_their_values(void) {
  static const double f[SUP_NUM_FRICTION_SOFTENINGS][3] = {
      {0.447213595499958, 0.707106781186547, 0.948683298050514}, {.5, 1, 1}, {.75, 1, 1}};
  const double eps = 1e-3, c = .6, d = .8;
  for (int kind = 0; kind < SUP_NUM_FRICTION_SOFTENINGS; kind++) {
    sup_friction_softening k = (sup_friction_softening)kind;
    for (int i = 0; i < 3; i++) {
      double        s = i == 0 ? .5 : i == 1 ? 1 : 3, u = s * eps;
      sup_soft_norm x = sup_soft_norm_of(k, c * u, d * u, eps);
      NEAR(x.tx, c * f[kind][i], 1e-14, 0);
      NEAR(x.ty, d * f[kind][i], 1e-14, 0);
    }
    for (int i = 0; i < 60; i++) {
      double        u = eps * .05 * (i + .5), h = 1e-5 * eps;
      sup_soft_norm x = sup_soft_norm_of(k, c * u, d * u, eps),
                    high = sup_soft_norm_of(k, c * (u + h), d * (u + h), eps),
                    low = sup_soft_norm_of(k, c * (u - h), d * (u - h), eps);
      double rate = hypot(x.tx, x.ty), e = c * x.ex + d * x.ey;
      NEAR((high.value - low.value) / (2 * h), rate, 1e-8, 0);
      NEAR((hypot(high.tx, high.ty) - hypot(low.tx, low.ty)) / (2 * h), (1 - e * e) / x.w, 0,
           1e-5 / eps);
      NEAR(1 / x.w, rate / u, 1e-14, 0);
      CHECK(rate <= 1 + 1e-15 && e <= 1 + 1e-15 && e >= 0);
      NEAR(d * x.ex, c * x.ey, 1e-14, 1e-16);
    }
    sup_soft_norm zero = sup_soft_norm_of(k, 0, 0, eps);
    CHECK(zero.value == 0 && zero.tx == 0 && zero.ty == 0 && zero.ex == 0 && zero.ey == 0);
    NEAR(eps / zero.w, sup_friction_softening_slope(k), 1e-14, 0);
  }
}

/* The way to the end of a barrier's domain ends there, for every model and softening. */
static void reach_ends_where_the_domain_does(void) {
  test_random random = {41};
  int         ended = 0;
  for (int combination = 0; combination < NUM_COMBINATIONS; combination++)
    for (int trial = 0; trial < 20; trial++) {
      double  vc[3], dvc[3], at[3];
      sup_law law = random_contact(&random, combination, vc);
      for (int i = 0; i < 3; i++) dvc[i] = .2 * test_uniform(&random);
      double alpha = sup_law_max_step(&law, vc, dvc);
      CHECK(alpha > 0);
      if (!sup_law_is_barrier(&law)) CHECK(alpha == HUGE_VAL);
      for (int far = 0; far < 2; far++) {
        double to = alpha == HUGE_VAL ? 1e3 : far ? alpha : .5 * alpha;
        for (int i = 0; i < 3; i++) at[i] = vc[i] + to * dvc[i];
        if (alpha < HUGE_VAL && far)
          NEAR(sup_law_domain_distance(&law, at), 0, 0, 1e-9 * (1 + alpha)), ended++;
        else
          CHECK(sup_law_domain_distance(&law, at) > 0);
      }
    }
  CHECK(ended > 100);
}

static double size_of(const double *a, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * a[i];
  return sqrt(sum);
}

/** gamma = -dl/dv_c and G = -dgamma/dv_c by central differences; 0 when a border of the law is
 * crossed. */
static int check_derivatives(const sup_law *law, const double *vc, int n) {
  double        h = 1e-6, at[3], G[9], slope[3];
  sup_law_value mid, up, down;
  sup_law_evaluate(law, vc, &mid);
  for (int i = 0; i < n; i++) {
    memcpy(at, vc, (size_t)n * sizeof *at);
    at[i] = vc[i] + h;
    sup_law_evaluate(law, at, &up);
    at[i] = vc[i] - h;
    sup_law_evaluate(law, at, &down);
    for (int j = 0; j < n * n; j++)
      if (fabs(up.G[j] - down.G[j]) > 2e-3 * size_of(mid.G, n * n)) return 0;
    slope[i] = -(up.cost - down.cost) / (2 * h);
    for (int j = 0; j < n; j++) G[j * n + i] = -(up.gamma[j] - down.gamma[j]) / (2 * h);
  }
  for (int i = 0; i < n; i++) NEAR(slope[i], mid.gamma[i], 0, 1e-6 * size_of(mid.gamma, n) + 1e-9);
  for (int i = 0; i < n * n; i++) NEAR(G[i], mid.G[i], 0, 1e-6 * size_of(mid.G, n * n) + 1e-7);
  return 1;
}

/* CASES.md S06 */
static void gradient_and_hessian_match_finite_differences(void) {
  test_random random = {11};
  for (int combination = 0; combination < NUM_COMBINATIONS; combination++) {
    int checked = 0;
    for (int trial = 0; trial < 100; trial++) {
      double  vc[3];
      sup_law law = random_contact(&random, combination, vc);
      checked += check_derivatives(&law, vc, 3);
    }
    CHECK(checked >= 90);
  }
  for (int trial = 0; trial < 100; trial++) {
    double  v = .03 * test_uniform(&random);
    sup_law limit = {.kind = SUP_LAW_LIMIT, .limit = {.05 * test_uniform(&random), 30}};
    sup_law pd = {.kind = SUP_LAW_PD, .pd = {.01, 20 * test_uniform(&random), 300, 12}};
    sup_law coupler = {.kind = SUP_LAW_COUPLER, .limit = limit.limit};
    check_derivatives(&limit, &v, 1);
    check_derivatives(&coupler, &v, 1);
    check_derivatives(&pd, &v, 1);
  }
}

static void hessians_are_symmetric_and_positive(void) {
  test_random random = {17};
  for (int combination = 0; combination < NUM_COMBINATIONS; combination++)
    for (int trial = 0; trial < 200; trial++) {
      double        vc[3];
      sup_law       law = random_contact(&random, combination, vc);
      sup_law_value value;
      sup_law_evaluate(&law, vc, &value);
      const double *G = value.G;
      double        size = size_of(G, 9);
      CHECK(G[1] == G[3]);
      NEAR(G[2], G[6], 1e-14, 1e-16 * size);
      NEAR(G[5], G[7], 1e-14, 1e-16 * size);
      /* principal minors of all orders */
      for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        CHECK(G[4 * i] >= -1e-15 * size);
        CHECK(G[4 * i] * G[4 * j] - G[3 * i + j] * G[3 * j + i] >= -1e-13 * size * size);
      }
      double det = G[0] * (G[4] * G[8] - G[5] * G[7]) - G[1] * (G[3] * G[8] - G[5] * G[6]) +
                   G[2] * (G[3] * G[7] - G[4] * G[6]);
      CHECK(det >= -1e-13 * size * size * size);
    }
}

static void laws_are_convex_and_friction_dissipates(void) {
  test_random random = {23};
  for (int combination = 0; combination < NUM_COMBINATIONS; combination++)
    for (int trial = 0; trial < 500; trial++) {
      double        a[3], b[3], monotone = 0, size = 0;
      sup_law       law = random_contact(&random, combination, a);
      sup_law_value x, y;
      do
        for (int i = 0; i < 3; i++) b[i] = .06 * test_uniform(&random);
      while (!(sup_law_domain_distance(&law, b) > 1e-3));
      sup_law_evaluate(&law, a, &x);
      sup_law_evaluate(&law, b, &y);
      for (int i = 0; i < 3; i++) {
        monotone += (a[i] - b[i]) * (y.gamma[i] - x.gamma[i]);
        size += fabs(x.gamma[i]) + fabs(y.gamma[i]);
      }
      CHECK(monotone >= -1e-14 * (size + 1e-9));
      CHECK(x.gamma[0] * a[0] + x.gamma[1] * a[1] <= 0 && x.gamma[2] >= 0);
    }
}

/* THEORY 6.6 with M = mu S: gamma_t = -gn M t(M v_t) is the force of the cone |M^-1 gamma_t| <= gn
 * that takes most power out of the slip, and the closed forms of Lagged. */
static void anisotropic_friction_takes_out_the_most_power(void) {
  test_random random = {31};
  for (int kind = SUP_LAW_SAP; kind <= SUP_LAW_SIMILAR; kind++)
    for (int trial = 0; trial < 100; trial++) {
      double  mu = .5, xx = .9, xy = .2 * test_uniform(&random), yy = .5;
      sup_law law =
          kind == SUP_LAW_SAP
              ? sap_law(.01, 1e5, 0, -1e-4, mu, 1e-5, 0, 1, 1)
              : coulomb_law((sup_law_kind)kind,
                            normal_law(SUP_NORMAL_HUNT_CROSSLEY, .01, 1e5, 10, -1e-4), mu, 1e-9, 0);
      law.anisotropy = (sup_anisotropy){1, xx, xy, yy};
      double angle = between(&random, 0, 6.3), vc[3] = {.1 * cos(angle), .1 * sin(angle), -1e-3};
      sup_law_value value;
      sup_law_evaluate(&law, vc, &value);
      double gn = kind == SUP_LAW_LAGGED ? law.coulomb.gn0 : value.gamma[2];
      double power = value.gamma[0] * vc[0] + value.gamma[1] * vc[1], least = 0;
      for (int i = 0; i < 20000; i++) { /* the rim of the cone */
        double c = cos(i * 3.14159265358979e-4), s = sin(i * 3.14159265358979e-4);
        least = fmin(least, mu * gn * ((xx * c + xy * s) * vc[0] + (xy * c + yy * s) * vc[1]));
      }
      NEAR(power, least, 1e-7, 0);
    }
}

static void anisotropy_of_one_is_isotropy(void) {
  test_random random = {37};
  for (int combination = 0; combination < NUM_COMBINATIONS; combination += 2) {
    double        vc[3];
    sup_law       law = random_contact(&random, combination, vc);
    sup_law_value x, y;
    sup_law_evaluate(&law, vc, &x);
    law.anisotropy = (sup_anisotropy){1, 1, 0, 1};
    sup_law_evaluate(&law, vc, &y);
    CHECK(x.cost == y.cost);
    for (int i = 0; i < 3; i++) CHECK(x.gamma[i] == y.gamma[i]);
    for (int i = 0; i < 9; i++) CHECK(x.G[i] == y.G[i]);
  }
}

/* THEORY 6.7: slope of friction at rest is 1/Rt for SAP, mu gn/eps for the others; SAP slips at Rt
 * mu gn. */
static void friction_begins_with_the_slopes_of_the_table(void) {
  double        rest[3] = {0, 0, 0}, slip[3] = {0, 0, 0};
  sup_law_value value;
  sup_law       sap = sap_law(.01, 1e5, 0, -1e-4, .5, 1e-3, 0, 1, 1);
  sup_law_evaluate(&sap, rest, &value);
  NEAR(value.G[0], 1 / sap.sap.Rt, 1e-14, 0);
  double limit = sap.sap.Rt * .5 * value.gamma[2];
  for (int side = -1; side <= 1; side += 2) {
    slip[0] = limit * (1 + 1e-9 * side);
    sup_law_evaluate(&sap, slip, &value);
    CHECK((value.gamma[0] > -.5 * value.gamma[2] * (1 - 1e-12)) == (side < 0));
  }
  for (int kind = SUP_LAW_LAGGED; kind <= SUP_LAW_SIMILAR; kind++) {
    sup_law law = coulomb_law(
        (sup_law_kind)kind, normal_law(SUP_NORMAL_HUNT_CROSSLEY, .01, 1e5, 10, -1e-4), .5, 1e-3, 0);
    sup_law_evaluate(&law, rest, &value);
    NEAR(value.G[0], .5 * value.gamma[2] / 1e-3, 1e-14, 0);
    slip[0] = 1e-3;
    sup_law_evaluate(&law, slip, &value);
    NEAR(value.gamma[0], -.5 / sqrt(2) * value.gamma[2], 1e-14, 0);
  }
}

/* P0 eq. 26 */
static void regularised_slip_grows_with_the_impulse(void) {
  sup_law law = {.kind = SUP_LAW_LAGGED,
                 .coulomb = {.mu = .5, .slip = 1e-4, .regularise = 1e-3 * 2}};
  sup_law_set_lagged_impulse(&law, .05);
  NEAR(law.coulomb.eps, 1e-4, 1e-15, 0);
  sup_law_set_lagged_impulse(&law, 3);
  NEAR(law.coulomb.eps, 3e-3, 1e-15, 0);
}

/* ---- barriers -------------------------------------------------------------------------------- */

static void reach_ends_where_the_gap_does(void) {
  test_random random = {41};
  int         finite = 0;
  for (int trial = 0; trial < 2000; trial++) {
    int     combination = 2 * (1 + 2 * SUP_NORMAL_LOG_BARRIER) + trial % 8;
    double  vc[3], dvc[3], at[3];
    sup_law law = random_contact(&random, combination, vc);
    CHECK(sup_law_is_barrier(&law));
    for (int i = 0; i < 3; i++) dvc[i] = test_uniform(&random);
    if (trial % 50 == 0) dvc[0] = dvc[1] = 0;
    double reach = sup_law_max_step(&law, vc, dvc);
    CHECK(reach > 0);
    double far = reach == HUGE_VAL ? 1e6 : reach;
    finite += reach < HUGE_VAL;
    for (int i = 0; i < 3; i++) at[i] = vc[i] + .999 * far * dvc[i];
    CHECK(sup_law_domain_distance(&law, at) > 0);
    for (int i = 0; i < 3; i++) at[i] = vc[i] + 1.001 * far * dvc[i];
    if (reach < HUGE_VAL) CHECK(sup_law_domain_distance(&law, at) < 0);
  }
  CHECK(finite > 500);
  sup_law open =
      coulomb_law(SUP_LAW_LAGGED, normal_law(SUP_NORMAL_HERTZ, .01, 1e5, 0, 1e-3), .5, 1e-3, 0);
  double rest[3] = {0, 0, 0}, down[3] = {0, 0, -1e9};
  CHECK(sup_law_domain_distance(&open, rest) == HUGE_VAL &&
        sup_law_max_step(&open, rest, down) == HUGE_VAL);
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

SUITE_TESTS(law, TEST(hunt_crossley_has_the_values_of_S03), TEST(laws_use_what_their_rows_say),
            TEST(product_of_two_negative_factors_gives_no_force),
            TEST(linear_laws_keep_their_force_without_stiffness),
            TEST(normal_costs_are_the_integrals_of_their_impulses),
            TEST(energies_are_the_potentials_of_elastic_forces), TEST(hertz_has_the_values_of_R14),
            TEST(barriers_have_their_limits), TEST(sap_has_the_values_of_S04),
            TEST(softening_functions_have_their_values), TEST(reach_ends_where_the_domain_does),
            TEST(sap_projects_onto_the_cone), TEST(gradient_and_hessian_match_finite_differences),
            TEST(hessians_are_symmetric_and_positive),
            TEST(laws_are_convex_and_friction_dissipates),
            TEST(anisotropic_friction_takes_out_the_most_power),
            TEST(anisotropy_of_one_is_isotropy), TEST(friction_begins_with_the_slopes_of_the_table),
            TEST(regularised_slip_grows_with_the_impulse), TEST(reach_ends_where_the_gap_does),
            TEST(pd_saturates_at_its_effort_limit));
