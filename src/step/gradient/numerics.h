/* Numbers that decide in derivatives of a step's equations. */
#pragma once

#include "base/numerics.h"

#define SUP_STEP_GRADIENT_NUMERICS(X)                                                              \
  X(cell, 1e-4, "-", "displacement of differences of elastic forces over the size of a cell",      \
    "errors of fourth order are 1e-12, round-off is 1e-11",                                        \
    "adjoint.adjoints_of_runs_are_tangents")                                                       \
  X(gap, 1e-5, "-", "change of a gap over the gap in differences of a contact's impulse",          \
    "impulses are linear or quadratic in gaps", "adjoint.adjoints_of_runs_are_tangents")           \
  X(stiffness, 1e-4, "-", "change of a stiffness over the stiffness there",                        \
    "impulses are linear in stiffness", "adjoint.adjoints_of_runs_are_tangents")                   \
  X(place, 1e-6, "m, rad or -", "change of a place, a normal or a weight of a carrier there",      \
    "at slips of a hundred times the stiction tolerance errors of second order are 1e-8",          \
    "adjoint.adjoints_of_runs_are_tangents")                                                       \
  X(beside, 1e-3, "-", "displacement over the depth of contacts that are searched beside a start", \
    "derivatives at constant decisions are exact to 1e-6 there", "adjoint.kinks_are_refused")

SUP_NUMERICS(sup_step_gradient_numerics, SUP_STEP_GRADIENT_NUMERICS);
