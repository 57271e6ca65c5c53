/** Least squares of a polynomial over scattered samples.  Layer fem, used by
 * fem/recovery/recovery.c. */
#pragma once

/** Monomials of degree 0, 1 and 2: 1, x, y, z, xy, yz, xz, xx, yy, zz. */
enum { SUP_PATCH_MAX_TERMS = 10 };

void sup_patch_monomials(const double x[3], int num_terms, double *value);
/** Coefficients of the polynomial as weights of the samples.
 *  @param[in]  x     [num x 3] positions of the samples, over a length of the patch
 *  @param[out] Q, W  [num_terms x num] scratch; weights of the samples for each coefficient
 *  @return 0: the samples do not determine the coefficients */
int sup_patch_fit(const double *x, int num, int num_terms, double *Q, double *W);
/** Amplification of sample errors in the polynomial's value at x: sum of the samples' |weights|; 1
 * for a mean. */
double sup_patch_amplification(const double *W, int num, int num_terms, const double x[3]);
