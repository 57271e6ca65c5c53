/* Friction on a square, |lambda_x|, |lambda_y| <= mu lambda_N, by projected Gauss-Seidel (P4;
 * THEORY 8).  Its directions are the contact frame's: friction is drawn to the corners and is up to
 * sqrt(2) times Coulomb's there. */
#include "solve/pgs.h"

static void relax(const sup_dual_row *row, double omega, const double u[3], double lambda[3]) {
  double normal = lambda[2];
  sup_pgs_relax_normal(row, omega, u, lambda);
  double change = lambda[2] - normal;
  double now[3] = {u[0] + row->G[2] * change, u[1] + row->G[5] * change, u[2]};
  sup_pgs_relax_box(row, omega, now, row->mu * lambda[2], lambda);
}

static const sup_pgs lcp_pgs = {.law = SUP_CONE_LAW_LCP, .relax = relax, .cap = 2000};

SUP_PGS_ROW(lcp_pgs);
