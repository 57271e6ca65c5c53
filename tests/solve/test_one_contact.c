/* One contact alone against its laws (THEORY 8), whatever the friction coefficient. */
#include "solve/dual/one_contact.h"

#include <math.h>
#include <string.h>

#include "law/cone.h"
#include "law_case.h"

/** A = B B^T with B `rank` columns of random numbers, rows scaled. */
static void random_contact(test_random *random, int rank, sup_one_contact *q) {
  double B[9], scale = pow(10, 2 * test_uniform(random));
  for (int i = 0; i < 9; i++) B[i] = test_uniform(random) * (i % 3 < rank) * (i < 6 ? scale : 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      q->A[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) q->A[3 * i + j] += B[3 * i + k] * B[3 * j + k];
    }
  for (int i = 0; i < 3; i++) q->c[i] = test_uniform(random);
  q->c[2] -= .5;
}

static void slack(const sup_one_contact *q, const double *x, double u[3]) {
  for (int r = 0; r < 3; r++)
    u[r] = q->c[r] + q->A[3 * r] * x[0] + q->A[3 * r + 1] * x[1] + q->A[3 * r + 2] * x[2];
}

/** Scale of velocities: largest sum of magnitudes, relative to which sums lose digits. */
static double scale_of(const sup_one_contact *q, const double *x) {
  double most = 0;
  for (int r = 0; r < 3; r++) {
    double sum = fabs(q->c[r]);
    for (int k = 0; k < 3; k++) sum += fabs(q->A[3 * r + k] * x[k]);
    most = fmax(most, sum);
  }
  return most;
}

static int is_painleve(const sup_one_contact *q) {
  return q->mu * hypot(q->A[6], q->A[7]) > q->A[8];
}

static void coulombs_law_holds_for_every_friction_coefficient(void) {
  test_random random = {31};
  int         count[4] = {0, 0, 0, 0};
  for (int trial = 0; trial < 4000; trial++) {
    sup_one_contact q = {.mu = trial % 20 == 0 ? 0 : 4 * fabs(test_uniform(&random))};
    double          x[3] = {7, 7, 7}, u[3];
    random_contact(&random, 3, &q);
    sup_one_contact_coulomb(&q, x);
    slack(&q, x, u);
    double size = scale_of(&q, x), t = hypot(x[0], x[1]), slip = hypot(u[0], u[1]);
    CHECK(x[2] >= 0 && t <= q.mu * x[2] * (1 + 1e-14));
    if (x[2] == 0) {
      CHECK(u[2] >= 0 && t == 0);
      count[0]++;
      continue;
    }
    NEAR(u[2] / size, 0, 0, 1e-13);
    if (t < q.mu * x[2] * (1 - 1e-12)) {
      NEAR(slip / size, 0, 0, 1e-9); /* condition 1e4 and more */
      count[1]++;
    } else if (q.mu > 0) {
      for (int k = 0; k < 2; k++) NEAR((u[k] * t + slip * x[k]) / (size * t), 0, 0, 1e-10);
      count[2 + is_painleve(&q)]++;
    }
  }
  for (int k = 0; k < 4; k++) CHECK(count[k] > 100);
}

static void friction_on_the_square_holds_for_every_friction_coefficient(void) {
  test_random random = {37};
  int         count[3] = {0, 0, 0};
  for (int trial = 0; trial < 4000; trial++) {
    sup_one_contact q = {.mu = 4 * fabs(test_uniform(&random))};
    double          x[3] = {7, 7, 7}, u[3];
    random_contact(&random, 3, &q);
    sup_one_contact_square(&q, x);
    slack(&q, x, u);
    double size = scale_of(&q, x), bound = q.mu * x[2];
    CHECK(x[2] >= 0 && fabs(x[0]) <= bound && fabs(x[1]) <= bound);
    if (x[2] == 0) {
      CHECK(u[2] >= 0);
      continue;
    }
    int slides = 0;
    NEAR(u[2] / size, 0, 0, 1e-9);
    for (int k = 0; k < 2; k++) {
      int is_below = fabs(x[k]) < bound * (1 - 1e-12);
      NEAR(is_below ? u[k] / size : fmax(u[k] * copysign(1, x[k]), 0) / size, 0, 0, 1e-9);
      slides += !is_below;
    }
    count[slides]++;
  }
  for (int k = 0; k < 3; k++) CHECK(count[k] > 100);
}

/* A link that can only turn about an axis moves along one direction: A has rank 1, and what sticks
 * is not one impulse.  One of them is found all the same, and it is finite. */
static void contacts_that_move_along_one_direction_have_a_finite_impulse(void) {
  test_random random = {41};
  for (int trial = 0; trial < 500; trial++) {
    sup_one_contact q = {.mu = 2 * fabs(test_uniform(&random))};
    random_contact(&random, 1, &q);
    double x[3] = {0, 0, 0}, u[3], along = -fabs(test_uniform(&random));
    for (int k = 0; k < 3; k++) q.c[k] = along * q.A[6 + k]; /* an impulse of -along stops it */
    sup_one_contact_coulomb(&q, x);
    slack(&q, x, u);
    NEAR(x[2], -along, 0, 1e-3);
    for (int k = 0; k < 3; k++) NEAR(u[k] / scale_of(&q, x), 0, 0, 1e-11);
  }
}

/* ---- the convex relaxation ------------------------------------------------------------------- */

/** A = Q diag(e) Q^T with a random rotation Q; e spans `decades`, `zeros` of it are 0. */
static void random_spectrum(test_random *random, double decades, int zeros, sup_one_contact *q) {
  double Q[3][3];
  for (int i = 0; i < 3; i++) { /* Gram and Schmidt, twice against round-off */
    for (int k = 0; k < 3; k++) Q[i][k] = test_uniform(random);
    for (int j = 0; j < 2 * i; j++) {
      double dot = 0;
      for (int k = 0; k < 3; k++) dot += Q[i][k] * Q[j % i][k];
      for (int k = 0; k < 3; k++) Q[i][k] -= dot * Q[j % i][k];
    }
    double size = sqrt(Q[i][0] * Q[i][0] + Q[i][1] * Q[i][1] + Q[i][2] * Q[i][2]);
    for (int k = 0; k < 3; k++) Q[i][k] /= size;
  }
  memset(q->A, 0, sizeof q->A);
  for (int i = zeros; i < 3; i++) {
    double e = pow(10, -decades * fabs(test_uniform(random)));
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) q->A[3 * r + c] += e * Q[i][r] * Q[i][c];
  }
  for (int k = 0; k < 3; k++) q->c[k] = test_uniform(random);
}

static double energy_at(const sup_one_contact *q, const double *x) {
  double u[3], sum = 0;
  slack(q, x, u);
  for (int k = 0; k < 3; k++) sum += .5 * x[k] * (u[k] + q->c[k]);
  return sum;
}

/** Least energy along the ray of direction d. */
static double energy_along(const sup_one_contact *q, const double d[3]) {
  sup_one_contact still = *q;
  double          u[3], dd = 0, slope = 0;
  for (int k = 0; k < 3; k++) still.c[k] = 0, slope += q->c[k] * d[k];
  slack(&still, d, u);
  for (int k = 0; k < 3; k++) dd += d[k] * u[k];
  return slope < 0 ? -.5 * slope * slope / dd : 0;
}

/** Least energy of many directions of the cone, refined four times about the best one. */
static double brute_force(const sup_one_contact *q) {
  enum { ANGLES = 48, SHARES = 12, ROUNDS = 5 };
  double best = 0, angle = 0, share = .5, wide = 3.141592653589793, deep = .5;
  for (int round = 0; round < ROUNDS; round++) {
    double at[2] = {angle, share};
    for (int i = 0; i <= ANGLES; i++)
      for (int j = 0; j <= SHARES; j++) {
        double a = at[0] + wide * (2. * i / ANGLES - 1);
        double s = fmin(fmax(at[1] + deep * (2. * j / SHARES - 1), 0), 1);
        double d[3] = {q->mu * s * cos(a), q->mu * s * sin(a), 1}, energy = energy_along(q, d);
        if (energy < best) best = energy, angle = a, share = s;
      }
    wide *= .1, deep *= .2;
  }
  return best;
}

/* u in the dual cone bounds what the energy is above its least by lambda u, so that optimality
 * needs no other solver; one in eight blocks is compared with brute force all the same. */
static void the_relaxation_is_the_minimum_on_the_cone(void) {
  static const double decades[] = {0, 2, 4, 8};
  test_random         random = {43};
  int                 count[3] = {0, 0, 0};
  for (int trial = 0; trial < 10000; trial++) {
    sup_one_contact q = {.mu = trial % 20 == 0   ? 0
                               : trial % 20 == 1 ? 100 * fabs(test_uniform(&random))
                                                 : 2 * fabs(test_uniform(&random))};
    random_spectrum(&random, decades[trial % 4], 0, &q);
    double x[3] = {0, 0, trial % 3}, u[3];
    sup_one_contact_relaxed(&q, x);
    slack(&q, x, u);
    double size = scale_of(&q, x), slip = hypot(u[0], u[1]), least = energy_at(&q, x);
    double t = hypot(x[0], x[1]), gap = x[0] * u[0] + x[1] * u[1] + x[2] * u[2];
    CHECK(x[2] >= 0 && t <= q.mu * x[2] * (1 + 1e-14));
    CHECK(u[2] - q.mu * slip >= -1e-12 * size * (1 + q.mu));
    CHECK(fabs(gap) <= 1e-12 * size * (t + x[2]));
    if (trial % 8 == 0) {
      double other = brute_force(&q);
      CHECK(least <= other * (1 - 1e-9) + 1e-15);
      CHECK(least >= other * (1 + 1e-2) - 1e-12);
    }
    count[x[2] == 0 ? 0 : t < q.mu * x[2] * (1 - 1e-9) || q.mu == 0 ? 1 : 2]++;
  }
  for (int k = 0; k < 3; k++) CHECK(count[k] > 500);
}

/* Along what nothing moves a velocity is left; it has a solution where no direction of the cone
 * that nothing resists has c d < 0. */
static void the_relaxation_of_blocks_without_full_rank_ends(void) {
  test_random random = {47};
  int         count[2] = {0, 0};
  for (int trial = 0; trial < 4000; trial++) {
    sup_one_contact q = {.mu = fabs(test_uniform(&random))};
    random_spectrum(&random, 2, 1 + trial % 3, &q);
    double along[3] = {test_uniform(&random), test_uniform(&random), test_uniform(&random)};
    sup_one_contact still = {.c = {0}};
    memcpy(still.A, q.A, sizeof q.A);
    if (trial % 2) slack(&still, along, q.c); /* within the range of A: a solution exists */
    double x[3] = {0, 0, 3}, u[3], from[3] = {0, 0, 3};
    sup_one_contact_relaxed(&q, x);
    slack(&q, x, u);
    CHECK(isfinite(x[0] + x[1] + x[2]));
    CHECK(hypot(x[0], x[1]) <= q.mu * x[2] * (1 + 1e-14));
    int stays = memcmp(x, from, sizeof x) == 0;
    if (trial % 2 == 0 && stays) continue;
    double size = scale_of(&q, x), gap = x[0] * u[0] + x[1] * u[1] + x[2] * u[2];
    count[trial % 2]++;
    CHECK(u[2] - q.mu * hypot(u[0], u[1]) >= -1e-9 * size);
    CHECK(fabs(gap) <= 1e-9 * size * (1 + x[2]));
  }
  CHECK(count[0] > 500 && count[1] > 1000);
}

/* A rod that slides on its tip, mu 2: mu G_NT = 2.4 beside G_NN = 1.6.  It slides on, lambda_N =
 * -g_N / (G_NN - mu G_NT d) with d = -1. */
static void a_rod_beyond_painleves_point_has_its_closed_form(void) {
  const sup_one_contact rod = {{3.4, 0, -1.2, 0, 4, 0, -1.2, 0, 1.6}, {1, 0, -.0981}, 2};
  double                x[3] = {0, 0, 0};
  sup_one_contact_coulomb(&rod, x);
  NEAR(x[2], .0981 / (1.6 + 2 * 1.2), 1e-14, 0);
  NEAR(x[0], -2 * .0981 / 4, 1e-14, 0);
  sup_one_contact_square(&rod, x);
  NEAR(x[2], .0981 / 4, 1e-14, 0);
}

static void what_nothing_moves_keeps_its_impulse(void) {
  const sup_one_contact fixed = {{0}, {1, 0, -1}, .5};
  double                x[3] = {1, 2, 3};
  sup_one_contact_coulomb(&fixed, x);
  CHECK(x[0] == 1 && x[1] == 2 && x[2] == 3);
  sup_one_contact_relaxed(&fixed, x);
  CHECK(x[0] == 1 && x[1] == 2 && x[2] == 3);
  sup_one_contact_square(&fixed, x);
  CHECK(x[2] == 3 && !sup_one_contact_stick(&fixed, x));
}

SUITE_TESTS(one_contact, TEST(coulombs_law_holds_for_every_friction_coefficient),
            TEST(friction_on_the_square_holds_for_every_friction_coefficient),
            TEST(contacts_that_move_along_one_direction_have_a_finite_impulse),
            TEST(the_relaxation_is_the_minimum_on_the_cone),
            TEST(the_relaxation_of_blocks_without_full_rank_ends),
            TEST(a_rod_beyond_painleves_point_has_its_closed_form),
            TEST(what_nothing_moves_keeps_its_impulse));
