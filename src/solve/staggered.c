/* Staggered projections (P4; THEORY 8): normal impulses with friction as it is, then friction with
 * the bounds of these normal impulses, in turns; each problem is convex, and some sweeps of
 * projected Gauss-Seidel bring it forward.  No proof says that the turns converge.  ncp_staggered
 * has the disc, lcp_staggered the square. */
#include "solve/pgs.h"

static void relax_disc(const sup_dual_row *row, double omega, const double u[3], double lambda[3]) {
  sup_pgs_relax_disc(row, omega, u, row->mu * lambda[2], lambda);
}

static void relax_box(const sup_dual_row *row, double omega, const double u[3], double lambda[3]) {
  sup_pgs_relax_box(row, omega, u, row->mu * lambda[2], lambda);
}

enum { TURN = 10 };

static const sup_pgs ncp_staggered = {.law = SUP_CONE_LAW_NCP,
                                      .relax = sup_pgs_relax_normal,
                                      .second = relax_disc,
                                      .turn = TURN,
                                      .cap = 4000},
                     lcp_staggered = {.law = SUP_CONE_LAW_LCP,
                                      .relax = sup_pgs_relax_normal,
                                      .second = relax_box,
                                      .turn = TURN,
                                      .cap = 4000};

SUP_PGS_ROW(ncp_staggered);
SUP_PGS_ROW(lcp_staggered);
