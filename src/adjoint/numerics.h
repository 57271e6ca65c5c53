/* Numbers that decide in derivatives of runs. */
#pragma once

#include "base/numerics.h"

#define SUP_ADJOINT_NUMERICS(X)                                                                    \
  X(residual, 1e-10, "-",                                                                          \
    "residual of a linear system over its right side that ends its solution",                      \
    "products are differences with 1e-11 to 1e-9", "adjoint.gradients_are_those_of_closed_forms")  \
  X(changes, 1e-5, "-", "residual of a linear system, or change of a tangent, that is too large",  \
    "corrections take 1e-5 to 1e-9 at once", "adjoint.friction_remembers_its_load_steps")          \
  X(repeat, 1e-3, "-", "last correction of a step beside a run over the first",                    \
    "the next one is a thousandth of it: 1e-6 of the derivative",                                  \
    "adjoint.tangents_of_runs_are_those_of_closed_forms")                                          \
  X(turn, 0x1p-23, "rad or m", "difference of positions of trees in the adjoint of a step",        \
    "a thousandth of a step's way in an impact, where forces begin; powers of two are added "      \
    "without round-off",                                                                           \
    "adjoint.adjoints_of_runs_are_those_of_closed_forms")                                          \
  X(turn_of_gap, .1, "-", "most of it over the least gap or overlap of contacts in a step",        \
    "differences reach twice as far and must not open a contact",                                  \
    "adjoint.adjoints_of_runs_are_tangents")                                                       \
  X(turn_of_slip, .01, "-", "slip by it over the slip at which friction sticks",                   \
    "friction is linear there; less loses digits",                                                 \
    "adjoint.adjoints_of_runs_are_those_of_closed_forms")                                          \
  X(products, 1e-8, "-", "error of an adjoint over its size",                                      \
    "derivatives that are 0 have 1.3e-8 of the products, most of them 1e-9",                       \
    "adjoint.what_is_zero_is_not_above_its_error")                                                 \
  X(speed, 0x1p-20, "rad/s or m/s", "difference of velocities of trees there",                     \
    "momenta lose 1e-10 of it by round-off", "adjoint.adjoints_of_runs_are_those_of_closed_forms") \
  X(depth, 1e-4, "-", "way of a contact over its depth, in differences by a parameter of motion",  \
    "corners of patches then move as little", "adjoint.adjoints_of_runs_are_tangents")             \
  X(shallow, .1, "-", "least depth over the deepest against which that is measured",               \
    "shallow contacts have as little force", "adjoint.adjoints_of_runs_are_tangents")              \
  X(shift, 1e-6, "-", "shift of a vertex over the mean cell there, of nonlinear bodies",           \
    "forces at equal positions are curved: slopes on both sides differ by 1e-3",                   \
    "adjoint.adjoints_of_runs_are_tangents")                                                       \
  X(back, 2, "-", "memory that the way back is given over that of the run after its first step",   \
    "a press takes 1.4, a beam .5 times as much", "adjoint.records_keep_to_a_memory")              \
  X(records, .5, "-", "share of the memory left after a run's first step that its records take",   \
    "scenes beside the run take the rest", "adjoint.records_keep_to_a_memory")                     \
  X(kink, 1e-3, "-", "jump of a derivative at a contact over the largest in the run, refused",     \
    "derivatives elsewhere jump by 3e-6", "adjoint.kinks_are_refused")

SUP_NUMERICS(sup_adjoint_numerics, SUP_ADJOINT_NUMERICS);
