/* Friction on a square, |lambda_x|, |lambda_y| <= mu lambda_N, by Gauss-Seidel (P4; THEORY 8), each
 * contact exactly as it is with the others at rest (one_contact.h).  Its directions are the contact
 * frame's: friction is drawn to the corners and is up to sqrt(2) times Coulomb's there. */
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
