/* The limiter of P2 III-A, with the properties that THEORY 7 states. */
#include "solve/newton/tals.h"

#include "test.h"

static const double stiction = 1e-4, turn = 3.14159265358979323846 / 3;

static double size_of(const double *a) { return hypot(a[0], a[1]); }

static double angle_between(const double *a, const double *b) {
  return acos((a[0] * b[0] + a[1] * b[1]) / (size_of(a) * size_of(b)));
}

static void random_vector(test_random *random, double out[2]) {
  double size = stiction * pow(10, 3 * test_uniform(random)), angle = 3.1416 * test_uniform(random);
  out[0] = size * cos(angle), out[1] = size * sin(angle);
}

static void steps_end_where_they_should(void) {
  test_random random = {8};
  int         crossings = 0, turns = 0, whole = 0;
  for (int trial = 0; trial < 5000; trial++) {
    double v[2], dv[2], next[2], at[2];
    random_vector(&random, v), random_vector(&random, dv);
    double alpha = sup_tals_limit(v, dv, stiction);
    for (int k = 0; k < 2; k++) next[k] = v[k] + dv[k], at[k] = v[k] + alpha * dv[k];
    CHECK(alpha > 0 && alpha <= 1);
    if (alpha == 1) {
      whole++;
      if (size_of(v) > stiction && size_of(next) > stiction && size_of(dv) > 1e-2 * stiction)
        CHECK(angle_between(v, next) <= turn * (1 + 1e-12));
    } else if (size_of(v) > stiction && size_of(next) > stiction && size_of(at) < stiction) {
      double across = fabs(at[0] * dv[0] + at[1] * dv[1]) / size_of(dv);
      crossings++; /* at the place nearest to rest, or on a line through it half of v_s before */
      CHECK(across < 1e-9 * size_of(v) + 1e-9 * stiction ||
            fabs(size_of(at) - stiction / 2) < 1e-4 * stiction);
    } else if (size_of(v) > stiction && size_of(next) > stiction) {
      turns++;
      NEAR(angle_between(v, at), turn, 1e-6, 0);
    } else { /* out of rest, or into it */
      double rest = size_of(v) < stiction ? size_of(at) : size_of(next);
      CHECK(size_of(v) < 1e-2 * stiction || rest < 1e-2 * stiction);
      NEAR(size_of(at), stiction / 2, .03, 0);
    }
  }
  printf("%d whole, %d into the disc, %d turned by pi/3 ", whole, crossings, turns);
  CHECK(crossings > 50 && turns > 100 && whole > 100);
}

/* In one dimension: a step that jumps over rest ends at rest, half of v_s before. */
static void a_step_over_rest_on_a_line_ends_in_the_disc(void) {
  for (double v = 2; v < 1e4; v *= 3)
    for (double over = 2; over < 1e4; over *= 3) {
      double at[2] = {v * stiction, 0}, by[2] = {-(v + over) * stiction, 0};
      NEAR(at[0] + sup_tals_limit(at, by, stiction) * by[0], stiction / 2, 1e-9, 0);
    }
}

static void exact_angles_of_a_turn_are_no_trouble(void) {
  for (int k = 1; k < 6; k++) {
    double v[2] = {2 * stiction, 0},
           dv[2] = {10 * stiction * cos(k * turn / 2), 10 * stiction * sin(k * turn / 2)};
    double alpha = sup_tals_limit(v, dv, stiction), at[2] = {v[0] + alpha * dv[0], alpha * dv[1]};
    CHECK(alpha > 0 && alpha <= 1);
    CHECK(angle_between(v, at) <= turn * (1 + 1e-9) || size_of(at) < stiction);
  }
}

SUITE_TESTS(tals, TEST(steps_end_where_they_should),
            TEST(a_step_over_rest_on_a_line_ends_in_the_disc),
            TEST(exact_angles_of_a_turn_are_no_trouble));
