/* Negative eigenvalues of load steps (THEORY 18.6), of matrices whose eigenvalues are known. */
#include <string.h>

#include "step/static/saddle.h"
#include "step/static/subspace.h"
#include "test.h"

enum { MOST = 40 };

/** H = diagonal lambda D. */
typedef struct known {
  int    n, factors, solves;
  double lambda[MOST], D[MOST], shift;
  int    is_finite;
} known;

static sup_status factor(void *user, double shift, int *is_definite) {
  known *k = user;
  k->factors++, k->shift = shift, *is_definite = k->is_finite;
  for (int i = 0; i < k->n; i++) *is_definite &= k->lambda[i] + shift > 0;
  return SUP_OK;
}

static sup_status solve(void *user, double *x) {
  known *k = user;
  k->solves++;
  for (int i = 0; i < k->n; i++) x[i] /= (k->lambda[i] + k->shift) * k->D[i];
  return SUP_OK;
}

/** n eigenvalues: first, first + step, .. */
static known row_of(int n, double first, double step) {
  known k = {.n = n, .is_finite = 1};
  for (int i = 0; i < n; i++) k.lambda[i] = first + step * i, k.D[i] = 1 + .5 * (i % 3);
  return k;
}

static sup_subspace find(known *k, sup_arena *arena) {
  sup_pencil   H = {k->n, k->D, factor, solve, k};
  sup_subspace out = {0};
  OK(sup_subspace_find(&H, arena, &out));
  return out;
}

static void the_lowest_eigenvalues_are_found(void) {
  sup_arena *arena;
  known      k = row_of(12, -3, 1);
  OK(sup_arena_create(&arena, 1 << 16));
  sup_subspace s = find(&k, arena);
  CHECK(s.num == 3 && s.m == 6);
  for (int i = 0; i < 3; i++) NEAR(s.lambda[i], i - 3, 1e-11, 0);
  for (int a = 0; a < s.m; a++)
    for (int b = 0; b <= a; b++) {
      double sum = 0;
      for (int i = 0; i < k.n; i++) sum += s.X[a * k.n + i] * k.D[i] * s.X[b * k.n + i];
      NEAR(sum, a == b, 0, 1e-12);
    }
  NEAR(k.shift, 1e-12 * pow(8, 14), 1e-12, 0); /* the first above 3 */
  sup_arena_destroy(&arena);
}

static void curvature_of_round_off_is_none(void) {
  sup_arena *arena;
  known      flat = row_of(3, -5e-13, 1), bent = row_of(3, -2e-12, 1), wild = row_of(3, 1, 1);
  OK(sup_arena_create(&arena, 1 << 16));
  CHECK(find(&flat, arena).num == 0 && flat.factors == 1);
  CHECK(find(&bent, arena).num == 1 && bent.factors == 2);
  wild.is_finite = 0;
  CHECK(find(&wild, arena).num == 0 && wild.factors == 18); /* up to 1e-12 8^17 > 1e3 */
  sup_arena_destroy(&arena);
}

static void iterations_end_at_a_residual(void) {
  sup_arena *arena;
  known      apart = row_of(8, 1.8, .1), close = row_of(40, -1, .005);
  apart.lambda[0] = -1;
  OK(sup_arena_create(&arena, 1 << 16));
  NEAR(find(&apart, arena).lambda[0], -1, 1e-11, 0);
  sup_subspace s = find(&close, arena);
  CHECK(s.num == 6 && apart.solves <= 20 && close.solves <= 60);
  for (int i = 0; i < s.m; i++) NEAR(s.lambda[i], -1 + .005 * i, 1e-11, 0);
  sup_arena_destroy(&arena);
}

static void sizes_are_not_round_off(void) {
  double D[4] = {2, -3, 1e-13, 1e-13}, least[4] = {0, 0, 0, 1};
  sup_subspace_limit_size(4, least, D);
  CHECK(D[0] == 2 && D[1] == 3 && D[3] == 1);
  NEAR(D[2], 3e-12, 1e-12, 0);
}

static void equal_directions_have_a_first_one(void) {
  int               offset[3] = {0, 2, 4};
  sup_block_pattern P = {.num_blocks = 2, .num_scalars = 4, .offset = offset};
  double            D[4] = {1, 1, 1, 1}, X[8], x[4];
  sup_subspace      s = {.num = 2, .m = 2, .X = X};
  for (int turn = 0; turn < 5; turn++) { /* of the basis of a plane in which way 1 is the longest */
    double c = cos(turn), d = sin(turn), a[2] = {.6, .8}, b[2] = {.8, -.6};
    for (int i = 0; i < 2; i++) {
      X[i] = c * a[i], X[4 + i] = -d * a[i];
      X[2 + i] = d * b[i], X[6 + i] = c * b[i];
    }
    s.lambda[0] = -1, s.lambda[1] = -.995;
    CHECK(sup_subspace_choose(&s, D, &P, x) == 0);
    NEAR(x[0], .48, 1e-12, 0); /* the projection of the longer scalar of two alike */
    NEAR(x[1], .64, 1e-12, 0);
    NEAR(x[2], 0, 0, 1e-12);
  }
  s.lambda[1] = -.98; /* the first direction alone, with either sign */
  memcpy(X, (double[8]){0, -.6, 0, .8, 1, 0, 0, 0}, sizeof X);
  CHECK(sup_subspace_choose(&s, D, &P, x) == 1 && x[0] == 0);
  NEAR(x[3], .64, 1e-12, 0);
  D[0] = 1, D[1] = 1.0005, D[2] = 1, D[3] = 1, s.num = 1;
  for (int i = 0; i < 4; i++) X[i] = 1;
  CHECK(sup_subspace_choose(&s, D, &P, x) == 0);
  D[2] = 1.0005;
  CHECK(sup_subspace_choose(&s, D, &P, x) == 0);
  D[2] = 1.002;
  CHECK(sup_subspace_choose(&s, D, &P, x) == 1);
}

static void the_residual_shows_the_side_of_a_saddle(void) {
  sup_saddle saddle = {.bend = -2};
  CHECK(sup_saddle_is_suspected(.9e-4, 0) && !sup_saddle_is_suspected(1.1e-4, 0));
  CHECK(!sup_saddle_is_suspected(.9e-4, 1e-8));
  CHECK(!sup_saddle_is_before(&saddle, -1, 1));
  CHECK(sup_saddle_is_before(&saddle, 2.1e-6, 1) && !sup_saddle_is_before(&saddle, 1.9e-6, 1));
}

SUITE_TESTS(static_saddles, TEST(the_lowest_eigenvalues_are_found),
            TEST(curvature_of_round_off_is_none), TEST(iterations_end_at_a_residual),
            TEST(sizes_are_not_round_off), TEST(equal_directions_have_a_first_one),
            TEST(the_residual_shows_the_side_of_a_saddle));
