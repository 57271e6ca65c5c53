/* Numbers that decide in derivatives of runs. */
#pragma once

#include "base/numerics.h"

#define SUP_ADJOINT_NUMERICS(X)                                                             \
  X(residual, 1e-10, "-",                                                                   \
    "residual of a linear system over its right side that ends its solution",               \
    "products are differences with 1e-11 to 1e-9", "")                                      \
  X(refused, 1e-5, "-",                                                                     \
    "residual of a linear system, or change of a tangent, of which there is no derivative", \
    "the tolerance of gradients against differences", "")                                   \
  X(corrected, 1e-7, "-", "change of a tangent over it that ends its corrections",          \
    "a tenth of the tolerance of gradients", "")                                            \
  X(slides, 1e-10, "-",                                                                     \
    "change of forces by the start over the forces that is friction or a drive",            \
    "round-off is 1e-15, friction of any size .02: a share of the slip that mobilises it", "")

SUP_NUMERICS(sup_adjoint_numerics, SUP_ADJOINT_NUMERICS);
