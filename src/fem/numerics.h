/* Numbers that decide in finite elements. */
#pragma once

#include "base/numerics.h"

#define SUP_FEM_NUMERICS(X)                                                                     \
  X(spin, 1e-9, "-",                                                                            \
    "determinant of the inertia over that of a ball below which a body does not spin",          \
    "vertices on a line have no inertia about it", "tension.a_line_does_not_spin_about_itself") \
  X(grid, 1.2345678e-6, "-", "grid of shapes that are one over the size of a cell",             \
    "no size is a multiple of it: round-off of coordinates seldom chooses", "")                 \
  X(scattered, .6, "-",                                                                         \
    "share of the batches that one of two threads needs above which cells are sorted",          \
    "with more two threads are no 1.7 times as fast",                                           \
    "congruent.quadratic_tetrahedra_share_by_batches")                                          \
  X(stretch, .1, "-", "least stretch that stresses are divided by",                             \
    "unmeasured: cells as flat are not resolved", "")                                           \
  X(equal_stretches, 1e-5, "-", "difference of stretches that are equal",                       \
    "the difference quotient would be round-off",                                               \
    "stretch_law.stretches_that_differ_have_their_quotient")                                    \
  X(pivot, 1e-4, "-", "length of a column after orthogonalisation over that before",            \
    "shorter ones are combinations of the others",                                              \
    "recovery.samples_nearly_in_a_plane_fit_no_line_across")                                    \
  X(strain, 1e-10, "-", "strain below which there is no error of stress",                       \
    "round-off of a body at rest or turned", "")                                                \
  X(throw, 5, "-", "largest sum of the sizes of weights of a recovered value",                  \
    "extrapolation to a corner of a brick from its own points has 2.6",                         \
    "recovery_parts.each_side_of_an_interface_has_its_own_stress")                              \
  X(stretch_sum, 1e-4, "-", "least sum of stretches that is divided by, over the largest",      \
    "unmeasured, THEORY 4.4: cells as flat have no rotation",                                   \
    "stretch_law.flat_cells_have_bounded_twists")

SUP_NUMERICS(sup_fem_numerics, SUP_FEM_NUMERICS);
