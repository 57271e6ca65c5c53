/* Numbers that decide in the plug-in of PETSc, which the program lists without it. */
#pragma once

#include "base/numerics.h"

#define SUP_PETSC_NUMERICS(X)                                                                    \
  X(chebyshev, .12, "-", "lower end of Chebyshev's interval over the largest eigenvalue",        \
    "unmeasured", "")                                                                            \
  X(eigenvalue, 1.1, "-", "largest eigenvalue over its estimate",                                \
    "an estimate by conjugate gradients is low", "")                                             \
  X(calmer, 1.5, "-", "factor on the largest eigenvalue after a failure", "unmeasured", "")      \
  X(wider, 1.25, "-", "factor on the width of a lattice with too many places",                   \
    "unmeasured: half the places", "")                                                           \
  X(lattice, 2, "-", "width of a lattice over the distance of points",                           \
    "an eighth of the unknowns", "")                                                             \
  X(no_share, 1e-4, "-", "share of a node in a point that counts as zero",                       \
    "the diagonal of a node is the square of its shares", "")                                    \
  X(steady, 1e-6, "-", "weight on the diagonal of a coarse matrix",                              \
    "functions are dependent where a lattice has more nodes than points", "")                    \
  X(nothing, 1e-20, "-", "zero diagonal of a coarse matrix over its largest",                    \
    "rounding leaves 1e-32, a bending of the thinnest wall has more than 1e-12", "")             \
  X(few_flops, 8.5e5, "-", "flops of a factor for an unknown up to which it beats multigrid",    \
    "bar of 55,488 unknowns, 1.2e6: 2.2 s for 1.3; finger of 682,950, 8.0e5: 27.9 for 59.5", "") \
  X(few_bytes, 7.5e3, "-", "bytes of a factor for an unknown up to which it is taken",           \
    "the same finger has 4,500, multigrid needs about 3,000", "")

SUP_NUMERICS(sup_petsc_numerics, SUP_PETSC_NUMERICS);
