/* Coulomb's law by Gauss-Seidel, contact by contact (P4; THEORY 8).
 *
 *  The published sweep projects the normal impulse, then friction on the disc of this impulse. Both
 * are coupled by G_NT: beyond Painleve's point mu |G_NT| = G_NN the published sweep alternates
 * between two impulses at a single contact.  Here each contact is solved exactly with fixed
 * impulses of the others (one_contact.h): sliding and sticking do not depend on step lengths. */
#include "solve/dual/pgs.h"

static void relax(const sup_dual_row *row, double omega, const double u[3], double lambda[3]) {
  sup_one_contact alone = sup_pgs_alone(row, u, lambda);
  double          x[3] = {lambda[0], lambda[1], lambda[2]};
  sup_one_contact_coulomb(&alone, x);
  sup_pgs_approach(omega, x, lambda);
  sup_disc_project(row->mu * lambda[2], lambda);
}

static const sup_pgs ncp_pgs = {.law = SUP_CONE_LAW_NCP, .relax = relax, .cap = 2000};

SUP_PGS_ROW(ncp_pgs);
