/* Numbers that decide in commands. */
#pragma once

#include "base/numerics.h"

#define SUP_APP_NUMERICS(X)                                                                        \
  X(locks, 5, "-", "aspect of bricks in a layer of one from which locking is told", "unmeasured",  \
    "")                                                                                            \
  X(quality, .1, "-", "quality of cells below which they are reported",                            \
    "slivers reduce accuracy and the condition of the matrix", "")                                 \
  X(overlap, 1e-6, "m", "overlap of shapes that merely touch",                                     \
    "unmeasured: a gap between faces that people draw as one", "")                                 \
  X(nonzeros, 3e7, "-", "nonzeros of a factor from which no step is tried",                        \
    "a factorisation of these takes a few seconds", "")                                            \
  X(unknowns, 1e5, "-", "unknowns from which no step is tried, where no factor is known",          \
    "some seconds", "")                                                                            \
  X(static_unknowns, 1e4, "-", "the same of conjugate gradients without inertia",                  \
    "iterations grow with the size of the body", "")                                               \
  X(seconds, 30, "s", "time after which a trial of statics ends", "people wait for it", "")        \
  X(planned, 1e5, "-", "cells above which meshes are estimated by coarser ones",                   \
    "unmeasured: larger meshes take seconds", "")                                                  \
  X(residual, .1, "-", "residual of a solver's law above which a solution is void",                \
    "as the verdict law_residual of runs has it", "")                                              \
  X(patience, 10, "s", "time that processes wait for one that failed", "unmeasured", "")           \
  X(terminal, .1, "s", "time between lines of progress in a terminal", "ten a second look steady", \
    "")                                                                                            \
  X(plain, 5, "s", "time between lines of progress in a file", "unmeasured", "")                   \
  X(memory, .8, "-", "share of the available memory that levels may take",                         \
    "the rest is for the system", "")

SUP_NUMERICS(sup_app_numerics, SUP_APP_NUMERICS);
