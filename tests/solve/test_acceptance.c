/* Limits by which solvers accept, and the accuracy that they ask of linear solutions. */
#include "solve/accept.h"
#include "solve/newton/newton.h"
#include "test.h"

static void solutions_are_accepted_by_their_tolerance_or_as_nothing(void) {
  CHECK(sup_accept(.9e-5, 1, 1e-5) == SUP_REASON_TOLERANCE);
  CHECK(sup_accept(1.1e-5, 1, 1e-5) == 0);
  CHECK(sup_accept(1, .9e-150, 1e-5) == SUP_REASON_ABSOLUTE);
  CHECK(sup_accept(1, 1.1e-150, 1e-5) == 0);
  CHECK(sup_accept_start(.9e-150, 0, 1e-5) == SUP_REASON_ABSOLUTE);
}

static void round_off_is_small_beside_the_momenta(void) {
  sup_round_off_estimate lost = {.in_sums = 1e-3, .in_all = 1e3};
  CHECK(sup_is_round_off(.9e-3, 1, lost) && !sup_is_round_off(1.1e-3, 1, lost));
  CHECK(sup_is_round_off(1.1e-3, .9e-5, lost) && !sup_is_round_off(1.1e-3, 1.1e-5, lost));
}

static void an_island_may_have_a_hundred_times_the_tolerance(void) {
  NEAR(sup_island_limit(1e-5), 1e-3, 1e-12, 0);
  NEAR(sup_island_limit(1e-9), 1e-6, 1e-12, 0);
}

/* Choice 2 of Eisenstat and Walker, .9 (|r| / |r of the iterate before|)^2, between bounds. */
static void linear_solutions_are_as_accurate_as_the_residual_falls(void) {
  sup_problem      contact = {.num_constraints = 1}, linear = {0};
  sup_newton       s = {.problem = &contact, .tolerance = 1e-6};
  sup_solve_report report = {.momentum_error = 1};
  NEAR(sup_newton_forcing(&s, &report), 1e-2, 1e-12, 0); /* no iterate before */
  s.x.norm_before = 1, s.x.norm = .1;
  NEAR(sup_newton_forcing(&s, &report), 9e-3, 1e-12, 0);
  NEAR(sup_newton_coupling_forcing(&s), 9e-3, 1e-12, 0);
  s.x.norm = .5;
  NEAR(sup_newton_forcing(&s, &report), 1e-2, 1e-12, 0);
  NEAR(sup_newton_coupling_forcing(&s), 5e-2, 1e-12, 0);
  s.x.norm = 1e-3, report.momentum_error = 1e-3;
  NEAR(sup_newton_forcing(&s, &report), 3e-4, 1e-12, 0); /* to the tolerance at once */
  NEAR(sup_newton_coupling_forcing(&s), 1e-3, 1e-12, 0);
  s.problem = &linear, s.tolerance = 1e-30;
  NEAR(sup_newton_forcing(&s, &report), 1e-12, 1e-12, 0);
}

SUITE_TESTS(acceptance, TEST(solutions_are_accepted_by_their_tolerance_or_as_nothing),
            TEST(round_off_is_small_beside_the_momenta),
            TEST(an_island_may_have_a_hundred_times_the_tolerance),
            TEST(linear_solutions_are_as_accurate_as_the_residual_falls));
