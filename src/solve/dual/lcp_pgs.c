/* Friction on a square, |lambda_x|, |lambda_y| <= mu lambda_N, by Gauss-Seidel (P4; THEORY 8), each
 * contact solved exactly with fixed impulses of the others (one_contact.h).  The square has the
 * directions of the contact frame: friction tends to the corners and is there up to sqrt(2) times
 * Coulomb's. */
#include <math.h>

#include "solve/dual/pgs.h"

static void relax(const sup_dual_row *row, double omega, const double u[3], double lambda[3]) {
  sup_one_contact alone = sup_pgs_alone(row, u, lambda);
  double          x[3] = {lambda[0], lambda[1], lambda[2]};
  sup_one_contact_square(&alone, x);
  sup_pgs_approach(omega, x, lambda);
  double bound = row->mu * lambda[2];
  for (int k = 0; k < 2; k++) lambda[k] = fmin(fmax(lambda[k], -bound), bound);
}

static const sup_pgs lcp_pgs = {.law = SUP_CONE_LAW_LCP, .relax = relax, .cap = 2000};

SUP_PGS_ROW(lcp_pgs);
