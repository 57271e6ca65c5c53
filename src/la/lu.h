/** LU with pivoting of a matrix that is not symmetric.  Layer la.
 *
 *  The matrix has entries where a block pattern and its transpose have some.  Its numbers stand in
 * two arrays of the pattern's layout: `lower` holds A(r, c) at the place of the scalar entry (r, c)
 * of the pattern, `upper` A(c, r) at the same place; of diagonal blocks r >= c alone is read, and
 * of the diagonal `lower`. */
#pragma once

#include "la/block_matrix.h"

typedef struct sup_lu sup_lu;

/** 0 when built with UMFPACK=0: sup_lu_create fails. */
bool sup_lu_is_built_in(void);
/** E_ARG when it was not built in, and what to do. */
SUP_NODISCARD sup_status sup_lu_create(sup_lu **lu);
void                     sup_lu_destroy(sup_lu **lu);
/** Order and analyse; the pattern outlives the use. */
SUP_NODISCARD sup_status sup_lu_analyse(sup_lu *lu, const sup_block_pattern *pattern);
/** @param[out] is_singular  1: there is no factor to solve with */
SUP_NODISCARD sup_status sup_lu_factor(sup_lu *lu, const double *lower, const double *upper,
                                       bool *is_singular);
/** b := A^-1 b, [num_scalars]. */
SUP_NODISCARD sup_status sup_lu_solve(sup_lu *lu, double *b);
