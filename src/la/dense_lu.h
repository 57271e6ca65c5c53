/** LU factors of small dense matrices that are not symmetric.  Layer la. */
#pragma once

/** P A = L U in place with row pivoting, A row-major n x n.
 *  @param[out] pivot  [n] rows exchanged
 *  @return the first column without a pivot; n if all columns have one */
int sup_dense_lu(int n, double *A, int *pivot);
/** x := A^-1 x with the factors. */
void sup_dense_lu_solve(int n, const double *LU, const int *pivot, double *x);
