/* Anderson's acceleration: on linear maps it is a Krylov method, and fixed points stay. */
#include "solve/newton/anderson.h"
#include "test.h"

enum { N = 8 };

/** out := x + T (b - A x), a contraction whose slowest factor is .999. */
static void map(const double *b, const double *x, double *out) {
  for (int k = 0; k < N; k++) {
    double pull = 1e-3 + k * 0.1;
    out[k] = x[k] + pull * (b[k] - x[k]) + (k > 0 ? 0.02 * (x[k - 1] - b[k - 1]) : 0);
  }
}

static double error(const double *x, const double *b) {
  double most = 0;
  for (int k = 0; k < N; k++) most = fmax(most, fabs(x[k] - b[k]));
  return most;
}

/** Largest error after some iterations of the map from 0, with a memory. */
static double run(int memory, int iterations, sup_arena *arena) {
  double       b[N], scale[N], x[N] = {0}, image[N];
  sup_anderson a;
  for (int k = 0; k < N; k++) b[k] = 1 + k, scale[k] = 1 + 0.1 * k;
  OK(sup_anderson_create(&a, N, memory, scale, arena));
  for (int n = 0; n < iterations; n++) {
    map(b, x, image);
    sup_anderson_next(&a, x, image, x);
  }
  return error(x, b);
}

static void as_many_columns_as_unknowns_solve_a_linear_map(void) {
  sup_arena *arena = NULL;
  OK(sup_arena_create(&arena, 1 << 16));
  CHECK(run(0, 2 * N, arena) > 0.9); /* the map alone */
  CHECK(run(N, 2 * N, arena) < 1e-5);
  /* of fewer columns the oldest give way: ten times less each twenty iterations, the map 2 % */
  CHECK(run(3, 140, arena) < 1e-2 * run(3, 100, arena));
  sup_arena_destroy(&arena);
}

static void a_fixed_point_stays_and_what_is_forgotten_is(void) {
  double       b[N], scale[N], x[N], image[N];
  sup_anderson a;
  sup_arena   *arena = NULL;
  OK(sup_arena_create(&arena, 1 << 16));
  for (int k = 0; k < N; k++) x[k] = b[k] = 1 + k, scale[k] = 1;
  OK(sup_anderson_create(&a, N, 4, scale, arena));
  for (int n = 0; n < 4; n++) {
    map(b, x, image);
    sup_anderson_next(&a, x, image, x);
    CHECK(error(x, b) == 0);
  }
  for (int k = 0; k < N; k++) x[k] = 0;
  sup_anderson_reset(&a);
  map(b, x, image);
  CHECK(sup_anderson_next(&a, x, image, x) == 0);
  CHECK(error(x, image) == 0);
  sup_arena_destroy(&arena);
}

SUITE_TESTS(anderson, TEST(as_many_columns_as_unknowns_solve_a_linear_map),
            TEST(a_fixed_point_stays_and_what_is_forgotten_is));
