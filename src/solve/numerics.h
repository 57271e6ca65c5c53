/* Numbers that decide in the contact problem, its reduction and its acceptance. */
#pragma once

#include "base/numerics.h"

#define SUP_SOLVE_NUMERICS(X)                                                                      \
  X(absolute, 1e-150, "sqrt(J)", "residual that is accepted of any momenta",                       \
    "a square loses digits below; 1e-14 of P0 is 1e-3 of an impulse on a body of micrometres", "") \
  X(round_off, 1e-5, "-", "largest residual over the momenta that is accepted as round-off",       \
    "a larger one is an error of any cause", "")                                                   \
  X(round_off_share, 4, "-", "estimates of round-off up to which a residual is round-off",         \
    "sums of many terms and of many iterations",                                                   \
    "round_off.what_rounding_leaves_is_accepted_as_that")                                          \
  X(still, 1e-9, "-", "constraint velocity over its bias that is none",                            \
    "a gap of 0 to round-off gives impulses of round-off size, for which momenta give no scale",   \
    "")                                                                                            \
  X(island, 100, "-", "residual of an island over the tolerance from which it is solved on",       \
    "light bodies beside heavy ones do not show in the residual of all", "")                       \
  X(island_least, 1e-6, "-", "the same over the momenta, at least",                                \
    "round-off on light things is above less", "")                                                 \
  X(exact, 1e-12, "-",                                                                             \
    "accuracy of solutions by the factor of a reduction, where the backend iterates",              \
    "unmeasured", "")                                                                              \
  X(noise, 1e-12, "-", "cancellation error of A v over the momenta",                               \
    "unmeasured: a thousand units of round-off", "")                                               \
  X(clean, .01, "-", "error of an elimination over the tolerance that is none",                    \
    "the tolerance is there for the residual of Newton's method", "")

SUP_NUMERICS(sup_solve_numerics, SUP_SOLVE_NUMERICS);
