/* Coulomb's law by projected Gauss-Seidel, contact by contact (P4; THEORY 8): the normal impulse
 * first, then friction on the disc that it bounds.  Step lengths are 1/(G + R)_NN and one over the
 * largest eigenvalue of G_TT + R_TT; the printed one, over its least diagonal, diverges for
 * anisotropic G_TT. */
#include "solve/pgs.h"

static void relax(const sup_dual_row *row, double omega, const double u[3], double lambda[3]) {
  double normal = lambda[2];
  sup_pgs_relax_normal(row, omega, u, lambda);
  double change = lambda[2] - normal;
  double now[3] = {u[0] + row->G[2] * change, u[1] + row->G[5] * change, u[2]};
  sup_pgs_relax_disc(row, omega, now, row->mu * lambda[2], lambda);
}

static const sup_pgs ncp_pgs = {.law = SUP_CONE_LAW_NCP, .relax = relax, .cap = 2000};

SUP_PGS_ROW(ncp_pgs);
