/* The convex relaxation of Coulomb's law by Gauss-Seidel (P4; THEORY 8), each contact solved
 * exactly with fixed impulses of the others (one_contact.h), so that the energy never grows.
 *
 *  The published sweep takes a gradient step and projects it on the cone: with one step length for
 * normals and friction, a single contact takes hundreds of sweeps if its eigenvalues differ much.
 */
#include "solve/dual/pgs.h"

static void relax(const sup_dual_row *row, double omega, const double u[3], double lambda[3]) {
  sup_one_contact alone = sup_pgs_alone(row, u, lambda);
  double          x[3] = {lambda[0], lambda[1], lambda[2]};
  sup_one_contact_relaxed(&alone, x);
  sup_pgs_approach(omega, x, lambda);
  sup_disc_project(row->mu * lambda[2], lambda);
}

static const sup_pgs ccp_pgs = {.law = SUP_CONE_LAW_CCP, .relax = relax, .cap = 2000};

SUP_PGS_ROW(ccp_pgs);
