/* Numbers that decide in linear algebra. */
#pragma once

#include "base/numerics.h"

#define SUP_LA_NUMERICS(X)                                                                        \
  X(reroot, 1.1, "-",                                                                             \
    "flops of a grafted order over those of the base above which a new one is sought",            \
    "unmeasured", "")                                                                             \
  X(retained_iterations, 3, "-", "factorisations of the retained matrix after one elimination",   \
    "iterations of Newton in a step", "")                                                         \
  X(vector_time, 1, "ns", "time of solutions and products for a nonzero of its factor",           \
    "one core", "")                                                                               \
  X(analysis_time, 5, "ns", "time of its analysis for a nonzero",                                 \
    "one core; in steps in which touched columns change", "")                                     \
  X(dense, .25, "-", "share of all couplings from which a matrix is not dissected", "unmeasured", \
    "")

SUP_NUMERICS(sup_la_numerics, SUP_LA_NUMERICS);
