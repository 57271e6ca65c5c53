/* The convex relaxation of Coulomb's law by projected Gauss-Seidel (P4; THEORY 8): a gradient step
 * and the projection on the cone, contact by contact.
 *
 *  The sheet's step is 1/lambda_max(G_ii); the printed one, 3/trace, can fail.  Here friction and
 * the normal impulse have step lengths of their own, in whose metric the projection is: with D =
 * diag(t, t, n), t the largest eigenvalue of (G + R)_TT and n = (G + R)_NN, and s the largest
 * eigenvalue of D^-1/2 (G + R) D^-1/2, s D - (G + R) is positive semidefinite, so that the energy
 * never grows.  Where compliance makes n large friction is not held up by it. */
#include <math.h>

#include "solve/pgs.h"

/** s above: 1 <= s <= 2. */
static double stretch(const sup_dual_row *row, double t, double n) {
  double scale[3] = {1 / sqrt(t), 1 / sqrt(t), 1 / sqrt(n)}, A[9];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      A[3 * r + c] = scale[r] * scale[c] * (row->G[3 * r + c] + (r == c ? row->R[r] : 0));
  return sup_largest_eigenvalue(A);
}

static void relax(const sup_dual_row *row, double omega, const double u[3], double lambda[3]) {
  double t = row->tangential, n = row->G[8] + row->R[2];
  if (!(t > 0)) t = row->largest;
  if (!(n > 0)) n = row->largest;
  double s = stretch(row, t, n);
  for (int k = 0; k < 3; k++) lambda[k] -= omega * u[k] / (s * (k < 2 ? t : n));
  sup_cone_project_metric(row->mu, t, n, lambda);
}

static const sup_pgs ccp_pgs = {.law = SUP_CONE_LAW_CCP, .relax = relax, .cap = 2000};

SUP_PGS_ROW(ccp_pgs);
