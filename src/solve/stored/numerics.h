/* Numbers that decide in stored contact problems. */
#pragma once

#include <float.h>

#include "base/numerics.h"

#define SUP_STORED_NUMERICS(X)                                                                    \
  X(pivot, 4 * DBL_EPSILON, "-", "pivot over the size of G and its diagonal that counts as zero", \
    "round-off of the sum of a row",                                                              \
    "stored_problem.solvers_of_all_contacts_carry_a_ton_that_is_pushed_on_a_gram")                \
  X(pivot_single, FLT_EPSILON, "-", "the same pivot of a matrix in single precision",             \
    "such a matrix has eigenvalues of -1.4e-7 beside 4.45",                                       \
    "stored_problem.matrices_in_single_precision_are_taken")                                      \
  X(missing, 1e-8, "-", "largest entry of G - L L^T over that of G",                              \
    "pivots alone accept the eigenvalue -2", "")                                                  \
  X(missing_single, FLT_EPSILON, "-", "the same of single precision, a row",                      \
    "1e-8 alone refuses matrices in single precision",                                            \
    "stored_problem.matrices_in_single_precision_are_taken")                                      \
  X(differs, 1e-2, "-",                                                                           \
    "change of a constraint velocity over the largest, above which solutions differ",             \
    "both are solutions to far more digits",                                                      \
    "stored_problem.a_jam_has_two_solutions_and_a_wall_one")                                      \
  X(law, 1e-3, "-", "residual of Coulomb's law up to which other solutions are sought",           \
    "forces are right to 1e-3 below", "")

SUP_NUMERICS(sup_stored_numerics, SUP_STORED_NUMERICS);
