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
    "")                                                                                           \
  X(lanczos_zero, 1e-12, "-", "part of a vector outside of the basis that is round-off",          \
    "that of orthonormal vectors", "eigen.multiple_eigenvalues_have_all_their_vectors")           \
  X(eigen_tolerance, 1e-9, "-",                                                                   \
    "residual of an eigenvalue; its error is about the square, over the gap",                     \
    "frequencies to all digits", "eigen.pairs_are_those_of_the_dense_matrix")                     \
  X(eigen_gap, 1e-4, "-", "relative gap between clusters, in which eigenvalues are counted",      \
    "pivots are far from 0", "eigen.multiple_eigenvalues_have_all_their_vectors")                 \
  X(eigen_singular, 1e-12, "-", "least pivot over the diagonal below which K is singular",        \
    "round-off of slender bodies", "modes.a_free_body_has_six_zero_modes")                        \
  X(eigen_shift, 1e-10, "-", "first shift of a singular K over the largest K_ii/M_ii",            \
    "1e6 times round-off", "modes.a_free_body_has_six_zero_modes")                                \
  X(eigen_row, 1e-9, "-", "least shift over the eigenvalue that a row beside K gives alone",      \
    "digits of its yield cancel: 1e-7 are left", "cables.a_mass_on_a_cable_has_its_modes")        \
  X(eigen_zero, 1e-3, "-", "stiffness over this shift of its diagonal part that is zero",         \
    "round-off", "modes.a_free_body_has_six_zero_modes")

SUP_NUMERICS(sup_la_numerics, SUP_LA_NUMERICS);
