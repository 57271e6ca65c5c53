/** LU with pivoting of a matrix that is not symmetric.  Layer la.
 *
 *  The matrix has the entries of a block pattern and of its transpose.  Two arrays in the pattern's
 * layout hold the values: at the scalar entry (r, c) of the pattern `lower` has A(r, c) and `upper`
 * has A(c, r).  In diagonal blocks only r >= c is read, and the diagonal is read from `lower`. */
#pragma once

#include "la/block_matrix.h"

typedef struct sup_lu sup_lu;

/** 0 when built with UMFPACK=0: sup_lu_create fails. */
bool sup_lu_is_built_in(void);
/** E_ARG without UMFPACK; the message gives the remedy. */
SUP_NODISCARD sup_status sup_lu_create(sup_lu **lu);
void                     sup_lu_destroy(sup_lu **lu);
/** Order and analyse; the pattern must outlive the solver's use. */
SUP_NODISCARD sup_status sup_lu_analyse(sup_lu *lu, const sup_block_pattern *pattern);
/** @param[out] is_singular  1: there is no factor to solve with */
SUP_NODISCARD sup_status sup_lu_factor(sup_lu *lu, const double *lower, const double *upper,
                                       bool *is_singular);
/** b := A^-1 b, [num_scalars]. */
SUP_NODISCARD sup_status sup_lu_solve(sup_lu *lu, double *b);
