/* Numbers that decide in the control of errors (THEORY 17). */
#pragma once

#include "base/numerics.h"

#define SUP_CONTROL_NUMERICS(X)                                                                   \
  X(safety, .9, "-", "length of a step over that of which the error would be the tolerance",      \
    "THEORY 17.3", "reversal.a_box_on_a_swinging_belt_ends_within_the_accuracy")                  \
  X(memory, 1e-4, "-", "least error that the next step remembers",                                \
    "unmeasured: growth after a step without an error is no trend",                               \
    "reversal.an_arm_on_a_swinging_belt_ends_within_some_accuracies")                             \
  X(shorter, .99, "-",                                                                            \
    "length over that of a step, below which the step ends at a reversal of slip",                \
    "a cut by less saves nothing", "")                                                            \
  X(creeping, 10, "-", "slip over the slip tolerance below which contacts stick",                 \
    "friction has no direction to lose there",                                                    \
    "reversal.a_box_on_a_swinging_belt_ends_within_the_accuracy")                                 \
  X(negligible, .12, "-", "negligible slip over the velocity of the accuracy", "unmeasured",      \
    "reversal.a_box_on_a_swinging_belt_ends_within_the_accuracy")                                 \
  X(body, .05, "-", "share of the tolerance for reversals of a whole body",                       \
    "its velocity displaces for longer than T_c, without extrapolation",                          \
    "reversal.a_box_on_a_swinging_belt_ends_within_the_accuracy")                                 \
  X(brief, .01, "-", "share of a step that shows friction at its start", "unmeasured",            \
    "reversal.a_box_that_rocks_before_it_slides_ends_within_the_accuracy")                        \
  X(holding, .99, "-", "friction over its bound below which a contact is held",                   \
    "regularised friction never is at its bound",                                                 \
    "reversal.a_box_that_rocks_before_it_slides_ends_within_the_accuracy")                        \
  X(breaking, .5, "-", "share of the tolerance for steps in which links break away from rest",    \
    "their velocity displaces for longer than T_c",                                               \
    "reversal.a_box_that_rocks_before_it_slides_ends_within_the_accuracy")                        \
  X(held, .1, "-", "normal push over all on a joint beyond which contact holds it", "unmeasured", \
    "reversal.an_arm_on_a_swinging_belt_ends_within_some_accuracies")

SUP_NUMERICS(sup_control_numerics, SUP_CONTROL_NUMERICS);
