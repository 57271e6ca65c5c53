/* Numbers that decide in derivatives of runs. */
#pragma once

#include "base/numerics.h"

#define SUP_ADJOINT_NUMERICS(X)                                                                   \
  X(residual, 1e-10, "-",                                                                         \
    "residual of a linear system over its right side that ends its solution",                     \
    "products are differences with 1e-11 to 1e-9", "adjoint.gradients_are_those_of_closed_forms") \
  X(changes, 1e-5, "-", "residual of a linear system, or change of a tangent, that is too large", \
    "corrections take 1e-5 to 1e-9 at once", "adjoint.friction_remembers_its_load_steps")         \
  X(repeat, 1e-3, "-", "last correction of a step beside a run over the first",                   \
    "the next one is a thousandth of it: 1e-6 of the derivative",                                 \
    "adjoint.tangents_of_runs_are_those_of_closed_forms")

SUP_NUMERICS(sup_adjoint_numerics, SUP_ADJOINT_NUMERICS);
