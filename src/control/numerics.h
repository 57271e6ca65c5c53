/* Numbers that decide in the linearisation of steps and in iLQR. */
#pragma once

#include "base/numerics.h"

#define SUP_ILQR_NUMERICS(X)                                                                      \
  X(variation, 1e-8, "m or rad", "differences of a step's residual in x",                         \
    "contacts of 0.1 mm change by 1e-8 of themselves, above the noise of coordinates of a metre", \
    "linearise.an_arm_that_touches_a_ball")                                                       \
  X(apart, 1e-5, "m or rad", "the same of joints that move no contact",                           \
    "errors of 1e-10; the noise of a chain of 130 joints, 6e-10, over it",                        \
    "linearise.a_chain_of_130_joints")                                                            \
  X(of_gap, .25, "-", "most of both over the way of a joint to its limit or past it",             \
    "rows of limits have a corner there", "linearise.joints_rest_on_their_limits")                \
  X(least, 1e-10, "m or rad", "least of them beside a limit", "the noise is 1e-6 of it",          \
    "linearise.joints_rest_on_their_limits")                                                      \
  X(one_sided, 1e-9, "m or rad", "one-sided differences of a step's residual in x",               \
    "errors of 1e-5 in contacts of 0.1 mm, above the noise",                                      \
    "linearise.one_sided_differences_are_near_central_ones")                                      \
  X(step_variation, 1e-6, "m or rad", "differences of whole steps, unless the caller says more",  \
    "noise of a solution at 1e-12 below 1e-6 of the change", "linearise.a_cart_and_its_pole")     \
  X(bound, 1e-10, "-", "projected gradient over the gradient that ends a bounded step",           \
    "round-off of a small quadratic programme",                                                   \
    "ilqr.a_bounded_step_is_the_minimum_within_the_bounds")

SUP_NUMERICS(sup_ilqr_numerics, SUP_ILQR_NUMERICS);
