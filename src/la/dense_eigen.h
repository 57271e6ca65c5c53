/** Eigenvalues of small dense symmetric matrices.  Layer la. */
#pragma once

/** Eigenvalues on the diagonal of the symmetric A [n x n], eigenvectors in the columns of Q [n x
 * n], both row-major: Jacobi's rotations, to round-off. */
void sup_dense_eigen(int n, double *A, double *Q);
