/* iLQR on problems whose solutions are known. */
#include <string.h>

#include "control/ilqr.h"
#include "control/numerics.h"
#include "test.h"

enum { N = 30, n = 3, m = 2 };

/** x+ = A x + B u + bend x^2, cost sum of dt-less quadratic forms. */
typedef struct plant {
  double A[n * n], B[n * m], Q[n * n], Qf[n * n], R[m * m], bend;
  double x[N + 1][n], u[N][m], trial_x[N + 1][n], trial_u[N][m], low[m], high[m];
  int    rolls;
} plant;

static double form(const double *Q, const double *x, int size) {
  double sum = 0;
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) sum += x[i] * Q[i * size + j] * x[j];
  return sum;
}

static sup_status roll(void *user, const sup_ilqr_policy *policy, double alpha, double *cost) {
  plant *p = user;
  *cost = 0;
  p->rolls++;
  memcpy(p->trial_x[0], p->x[0], sizeof p->x[0]);
  for (int k = 0; k < N; k++) {
    double *u = p->trial_u[k], *x = p->trial_x[k];
    for (int i = 0; i < m; i++) {
      u[i] = p->u[k][i] + alpha * policy->k[k * m + i];
      for (int j = 0; j < n; j++) u[i] += policy->K[(k * m + i) * n + j] * (x[j] - p->x[k][j]);
      u[i] = fmin(fmax(u[i], p->low[i]), p->high[i]);
    }
    *cost += form(p->Q, x, n) + form(p->R, u, m);
    for (int i = 0; i < n; i++) {
      p->trial_x[k + 1][i] = p->bend * x[i] * x[i];
      for (int j = 0; j < n; j++) p->trial_x[k + 1][i] += p->A[i * n + j] * x[j];
      for (int j = 0; j < m; j++) p->trial_x[k + 1][i] += p->B[i * m + j] * u[j];
    }
  }
  *cost += form(p->Qf, p->trial_x[N], n);
  return SUP_OK;
}

static void accept(void *user) {
  plant *p = user;
  memcpy(p->x, p->trial_x, sizeof p->x);
  memcpy(p->u, p->trial_u, sizeof p->u);
}

static void differentiate(const double *Q, const double *x, int size, double *l, double *ll) {
  for (int i = 0; i < size; i++) {
    l[i] = 0;
    for (int j = 0; j < size; j++)
      l[i] += 2 * Q[i * size + j] * x[j], ll[i * size + j] = 2 * Q[i * size + j];
  }
}

static sup_status expand(void *user, sup_ilqr_model *model) {
  plant *p = user;
  for (int k = 0; k <= N; k++)
    differentiate(k < N ? p->Q : p->Qf, p->x[k], n, model->lx + k * n, model->lxx + k * n * n);
  for (int k = 0; k < N; k++) {
    memcpy(model->A + k * n * n, p->A, sizeof p->A);
    memcpy(model->B + k * n * m, p->B, sizeof p->B);
    for (int i = 0; i < n; i++) model->A[k * n * n + i * (n + 1)] += 2 * p->bend * p->x[k][i];
    differentiate(p->R, p->u[k], m, model->lu + k * m, model->luu + k * m * m);
  }
  return SUP_OK;
}

static plant example(void) {
  plant p = {.A = {1, .1, 0, 0, 1, .1, -.05, .02, .95},
             .B = {0, .01, .1, 0, .02, .1},
             .Q = {1, .1, 0, .1, 2, 0, 0, 0, .5},
             .Qf = {20, 0, 0, 0, 10, 0, 0, 0, 5},
             .R = {.3, .05, .05, .2}};
  for (int i = 0; i < m; i++) p.low[i] = -INFINITY, p.high[i] = INFINITY;
  p.x[0][0] = 1, p.x[0][1] = -.5, p.x[0][2] = .8;
  return p;
}

static void solve(plant *p, double *k, double *K, sup_ilqr_report *report) {
  const sup_ilqr_problem problem = {.N = N,
                                    .n = n,
                                    .m = m,
                                    .low = p->low,
                                    .high = p->high,
                                    .u = p->u[0],
                                    .user = p,
                                    .roll = roll,
                                    .accept = accept,
                                    .expand = expand};
  const sup_ilqr_options options = {.max_iterations = 100, .tolerance = 1e-12};
  sup_ilqr_policy        policy = {k, K};
  OK(sup_ilqr(&problem, &options, &policy, report));
}

/** Gain K = -(R + B^T P B)^-1 B^T P A of a step, and P of the step before; m = 2. */
static void riccati(const plant *p, double *P, double *K) {
  double PA[n * n] = {0}, PB[n * m] = {0}, S[m * m], BPA[m * n] = {0}, next[n * n];
  for (int i = 0; i < n; i++)
    for (int l = 0; l < n; l++) {
      for (int j = 0; j < n; j++) PA[i * n + j] += P[i * n + l] * p->A[l * n + j];
      for (int j = 0; j < m; j++) PB[i * m + j] += P[i * n + l] * p->B[l * m + j];
    }
  memcpy(S, p->R, sizeof S);
  for (int l = 0; l < n; l++)
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < m; j++) S[i * m + j] += p->B[l * m + i] * PB[l * m + j];
      for (int j = 0; j < n; j++) BPA[i * n + j] += p->B[l * m + i] * PA[l * n + j];
    }
  double det = S[0] * S[3] - S[1] * S[2];
  for (int j = 0; j < n; j++) {
    K[j] = -(S[3] * BPA[j] - S[1] * BPA[n + j]) / det;
    K[n + j] = -(S[0] * BPA[n + j] - S[2] * BPA[j]) / det;
  }
  memcpy(next, p->Q, sizeof next);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int l = 0; l < n; l++) next[i * n + j] += p->A[l * n + i] * PA[l * n + j];
      for (int l = 0; l < m; l++) next[i * n + j] += BPA[l * n + i] * K[l * n + j];
    }
  memcpy(P, next, sizeof next);
}

static void a_linear_plant_has_the_gains_of_riccati(void) {
  plant           p = example();
  double          k[N * m], K[N * m * n], P[n * n], of_step[m * n];
  sup_ilqr_report report;
  solve(&p, k, K, &report);
  CHECK(report.reason == SUP_ILQR_CONVERGED && report.iterations <= 2);
  memcpy(P, p.Qf, sizeof P);
  for (int step = N - 1; step >= 0; step--) {
    riccati(&p, P, of_step);
    for (int i = 0; i < m * n; i++) NEAR(K[step * m * n + i], of_step[i], 1e-8, 1e-10);
  }
  NEAR(report.cost, form(P, p.x[0], n), 1e-10, 0); /* x^T P x */
}

/* The cost of a bent plant at the solution has no slope in any control. */
static void a_bent_plant_ends_where_the_cost_is_flat(void) {
  plant           p = example();
  double          k[N * m] = {0}, K[N * m * n] = {0}, cost[2];
  sup_ilqr_report report;
  p.bend = .05;
  solve(&p, k, K, &report);
  memset(k, 0, sizeof k), memset(K, 0, sizeof K);
  sup_ilqr_policy policy = {k, K};
  for (int i = 0; i < N * m; i += 7) {
    for (int side = 0; side < 2; side++) {
      k[i] = side ? 1e-4 : -1e-4;
      OK(roll(&p, &policy, 1, &cost[side]));
    }
    k[i] = 0;
    NEAR((cost[1] - cost[0]) / 2e-4, 0, 0, 1e-5 * report.cost);
  }
  CHECK(report.cost < report.first);
}

static void controls_stay_within_their_bounds(void) {
  plant           p = example(), free = p;
  double          k[N * m], K[N * m * n];
  sup_ilqr_report report, of_free;
  for (int i = 0; i < m; i++) p.low[i] = -.4, p.high[i] = .25;
  solve(&free, k, K, &of_free);
  solve(&p, k, K, &report);
  int at_bound = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < m; j++) {
      CHECK(p.u[i][j] >= -.4 && p.u[i][j] <= .25);
      if (p.u[i][j] == -.4 || p.u[i][j] == .25) {
        at_bound++;
        for (int l = 0; l < n; l++) CHECK(K[(i * m + j) * n + l] == 0);
      }
    }
  printf("%d of %d at a bound, cost %.6g beside %.6g ", at_bound, N * m, report.cost, of_free.cost);
  CHECK(at_bound > 3 && report.cost > of_free.cost);
}

/** Random programmes: the gradient at the solution points out of the bounds it is at. */
static void a_bounded_step_is_the_minimum_within_the_bounds(void) {
  enum { SIZE = 5 };
  test_random random = {11};
  for (int trial = 0; trial < 200; trial++) {
    double H[SIZE * SIZE] = {0}, g[SIZE], low[SIZE], high[SIZE], x[SIZE] = {0},
                    L[SIZE * SIZE + 3 * SIZE], X[SIZE * SIZE];
    int free[SIZE], num_free;
    for (int i = 0; i < SIZE * SIZE; i++) X[i] = test_uniform(&random);
    for (int i = 0; i < SIZE; i++)
      for (int j = 0; j < SIZE; j++)
        for (int l = 0; l < SIZE; l++)
          H[i * SIZE + j] += X[l * SIZE + i] * X[l * SIZE + j] + (i == j) * .02;
    for (int i = 0; i < SIZE; i++) {
      g[i] = test_uniform(&random);
      low[i] = -.5 + .5 * test_uniform(&random), high[i] = low[i] + .2 + fabs(g[i]);
    }
    CHECK(sup_bounded_step(SIZE, H, g, low, high, x, L, free, &num_free));
    for (int i = 0; i < SIZE; i++) {
      double slope = g[i];
      for (int j = 0; j < SIZE; j++) slope += H[i * SIZE + j] * x[j];
      CHECK(x[i] >= low[i] && x[i] <= high[i]);
      if (x[i] > low[i]) CHECK(slope < 1e-8);
      if (x[i] < high[i]) CHECK(slope > -1e-8);
    }
  }
}

SUITE_TESTS(ilqr, TEST(a_linear_plant_has_the_gains_of_riccati),
            TEST(a_bent_plant_ends_where_the_cost_is_flat), TEST(controls_stay_within_their_bounds),
            TEST(a_bounded_step_is_the_minimum_within_the_bounds));
