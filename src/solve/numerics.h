/* Numbers that decide in the contact problem, its reduction and its acceptance. */
#pragma once

#include "base/numerics.h"

#define SUP_SOLVE_NUMERICS(X)                                                                    \
  X(absolute, 1e-150, "sqrt(J)", "residual that is accepted with any momenta",                   \
    "a square loses digits below; 1e-14 of P0 is 1e-3 of an impulse on a body of micrometres",   \
    "acceptance.solutions_are_accepted_by_their_tolerance_or_as_nothing")                        \
  X(round_off, 1e-5, "-", "largest residual over the momenta that is accepted as round-off",     \
    "a larger one is an error of any cause", "acceptance.round_off_is_small_beside_the_momenta") \
  X(round_off_share, 4, "-", "estimates of round-off up to which a residual is round-off",       \
    "sums of many terms and of many iterations",                                                 \
    "round_off.what_rounding_leaves_is_accepted_as_that")                                        \
  X(still, 1e-9, "-", "constraint velocity over its bias that counts as zero",                   \
    "a gap of 0 to round-off gives impulses of round-off size, for which momenta give no scale", \
    "")                                                                                          \
  X(island, 100, "-", "residual of an island over the tolerance, above which it is re-solved",   \
    "the residual of the whole hides light bodies beside heavy ones",                            \
    "acceptance.an_island_may_have_a_hundred_times_the_tolerance")                               \
  X(island_least, 1e-6, "-", "least residual of an island over its momenta for a re-solve",      \
    "below it is round-off of light bodies",                                                     \
    "acceptance.an_island_may_have_a_hundred_times_the_tolerance")                               \
  X(exact, 1e-12, "-",                                                                           \
    "accuracy of solutions by the factor of a reduction, where the backend iterates",            \
    "unmeasured", "")                                                                            \
  X(noise, 1e-12, "-", "cancellation error of A v over the momenta",                             \
    "unmeasured: a thousand units of round-off", "")                                             \
  X(clean, .01, "-", "negligible error of an elimination over the tolerance",                    \
    "the tolerance is for the residual of Newton's method", "")                                  \
  X(kept_refinements, 2, "-",                                                                    \
    "refinements after which a kept factor is renewed; it fails after twice as many",            \
    "fails after as many: 156 for 96 factors in 500 steps of the grasp, 51 for 21 in 100 of a "  \
    "block",                                                                                     \
    "reduction.a_kept_factor_is_renewed_where_it_refines_slowly")                                \
  X(kept_flops, 16, "-",                                                                         \
    "operations of a factor over those of its trailing part for which it is kept",               \
    "a refinement costs an iteration there: at 1 to 8 the torus takes 1.09 times as long",       \
    "reduction.a_factor_is_kept_where_most_is_eliminated")                                       \
  X(kept_pause, 8, "steps",                                                                      \
    "least wait after a step that a kept factor did not solve, and after slow steps",            \
    "each failure costs a solution, two refinements a factor: without waits 1.14 of the press",  \
    "reduction.a_kept_factor_that_fails_waits_ever_longer")

SUP_NUMERICS(sup_solve_numerics, SUP_SOLVE_NUMERICS);
