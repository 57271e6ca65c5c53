/** Cholesky factors of small dense matrices: diagonal blocks, coarse spaces.  Layer la. */
#pragma once

/** A = L L^T in place, lower triangle, column-major n x n; the strict upper triangle is not read.
 * Returns the first column whose pivot is not positive; n if all pivots are positive. */
int sup_dense_cholesky(int n, double *A);
/** x := L^-1 x with the factor. */
void sup_dense_cholesky_forward(int n, const double *L, double *x);
/** x := A^-1 x with the factor. */
void sup_dense_cholesky_solve(int n, const double *L, double *x);
