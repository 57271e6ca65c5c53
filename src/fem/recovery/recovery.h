/** Stress at vertices from the stress at points of the cells, and the error estimate by their
 * difference.
 *
 *  Superconvergent patch recovery (Zienkiewicz, Zhu 1992, Int. J. Numer. Meth. Engng 33, 1331 and
 * 1365).  Around each corner of the mesh a polynomial, linear for T4 and H8, quadratic for T10, is
 * fitted to the stress at the sampling points of the cells there (T4: the centre, H8: the points of
 * integration, T10: those of the rule of degree 2), component by component.  An inner corner of
 * eight bricks has the bilinear polynomial of their means: along a bent brick stress is right at
 * its centre alone.  An inner corner takes
 * the value of its own polynomial.  A vertex on an edge takes the mean of the values of the corners
 * at its ends.  A vertex of the surface takes the mean of the polynomials of inner corners in
 * common cells, or its own polynomial if there are none, as in walls one cell thick.  Positions are
 * those of the reference state, tensors those of the current state (Cauchy, world axes): weights
 * are constant, rotation of the body rotates the tensors, and fits cannot become singular in a run.
 * Patches end at interfaces of materials, where stress may jump: a vertex there has one tensor for
 * each of its materials.  A site is a vertex with one of its materials; a body of one material has
 * its vertices as sites. Layer fem.  Constant after creation; tensors are 6 numbers xx yy zz xy yz
 * xz. */
#pragma once

#include "fem/body.h"

typedef struct sup_recovery sup_recovery;

typedef enum sup_recovery_method {
  SUP_RECOVERY_MEAN, /* mean at each vertex of the cells around, weighted by volume */
  SUP_RECOVERY_PATCH /* superconvergent patch recovery */
} sup_recovery_method;

/** The body must outlive it.  Collective with ranks: each rank handles the vertices of its own
 * cells, and also uses stresses of neighbouring cells on other ranks.  E_GEOMETRY: a mesh without a
 * proper surface.
 */
SUP_NODISCARD sup_status sup_recovery_create(sup_recovery **recovery, const sup_fem_body *body,
                                             sup_recovery_method method);
void                     sup_recovery_destroy(sup_recovery **recovery);
int                      sup_recovery_num_sites(const sup_recovery *recovery);
/** 1: sites are vertices with one of several materials; 0: the vertices. */
bool sup_recovery_has_sites(const sup_recovery *recovery);
/** Own cells and those of other ranks around them. */
int sup_recovery_num_cells(const sup_recovery *recovery);
/** Number of sites of all ranks whose value is a mean, since no fit near them is reliable: samples
 * do not determine the coefficients, or the value is far outside the samples' range. */
int sup_recovery_num_means(const sup_recovery *recovery);

/** Recover stress at sites.  Collective with ranks.
 *  @param[in,out] point  [sup_recovery_num_cells x sup_fem_num_points x 6] sup_fem_stress.point of
 * own cells [Pa]; those of others are filled in
 *  @param[out]    site   [num_sites x 6] [Pa]; 0 where this rank has no cells */
void sup_recovery_apply(const sup_recovery *recovery, double *point, double *site);
/** The mean over the materials at each vertex, weighted by the volume of their cells around it.
 *  @param[in]  site    of sup_recovery_apply; of a body of one material it may be `vertex`
 *  @param[out] vertex  [num_vertices x 6] [Pa] */
void sup_recovery_mean(const sup_recovery *recovery, const double *site, double *vertex);

typedef struct sup_stress_error {
  double energy;        /* energy of the difference between recovered and computed stress [J] */
  double stress_energy; /* energy of the computed stress [J] */
  double relative; /* eta = sqrt(energy / (stress_energy + energy)) [-]; 0 without stress: strains
                      below 1e-10 */
} sup_stress_error;
/** Zienkiewicz and Zhu's estimate of the error of the computed stress.  The energy of a stress s is
 * the integral of 1/2 s : C^-1 s over the reference volume, which is half of the square of the
 * energy norm; C is the small-strain stiffness for every law; at large strains it is a weight, not
 * the law's own energy.  Recovered stress is interpolated by the shape functions, with the tensors
 * of each cell's own material, so that a jump at an interface is no error.  Sums are those of all
 * ranks.
 *  @param[in]  point, site  of sup_recovery_apply
 *  @param[out] cell         [num_cells] their parts of `energy` [J] */
sup_stress_error sup_recovery_error(const sup_recovery *recovery, const double *point,
                                    const double *site, double *cell);

/** Stress and strain of each cell at its vertices, beyond the mean deformation by Hooke's law,
 * since walls of one cell bend.  One rank.
 *  @param[in] stress  cauchy and strain of sup_fem_stress_at at x
 *  @param[in] site    of sup_recovery_apply
 *  @param     scratch [num_sites x 2] */
sup_fem_strength sup_recovery_strength(const sup_recovery *recovery, const double *x,
                                       const sup_fem_stress *stress, const double *site,
                                       double *scratch);

/** The tensor with nine numbers. */
sup_m3 sup_fem_tensor(const double six[6]);
/** Principal values of tensors, the largest first.
 *  @param[in]  six    [count x 6]
 *  @param[out] value  [count x 3] */
void sup_fem_principal(int count, const double *six, double *value);
