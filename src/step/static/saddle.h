/** Stability of a balance: minimum of the energy or saddle, with the direction of descent from a
 * saddle.  Private to layer step.
 *
 *  At a balance H = A + J^T G J is the second derivative of the energy.  A direction x with x^T H x
 * < 0 lowers the energy both ways.  The number of independent directions equals the number of
 * negative eigenvalues of H, in any metric (Sylvester's law): here H x = lambda D x with D the size
 * of H's diagonal. */
#pragma once

#include "step/solution.h"

typedef struct sup_saddle {
  int     num;       /* negative eigenvalues; 0: a minimum, as far as 12 digits tell */
  int     is_more;   /* 1: more negative eigenvalues may exist than were searched for */
  double  curvature; /* the lowest, x^T H x / x^T D x [-] */
  double  bend;      /* x^T H x of `direction` [J s^2/m^2 ..] */
  double *direction; /* [num_scalars] eigenvector x of the lowest eigenvalue, from the arena; held
                        components are 0 */
  int block; /* block column of the largest component of x, relative to others of its kind */
} sup_saddle;

/** True if an indefinite A may indicate a saddle: near an equilibrium, without proximal weight. */
int sup_saddle_is_suspected(double error, double weight);
/** True if the residual shows that the saddle lies ahead along `direction`, so that the opposite
 * direction leads down.  Very near to the saddle the residual shows nothing.
 *  @param[in] slope    of the energy along `direction` [J s/m ..]
 *  @param[in] longest  displacement in `direction` over the size of the bodies */
int sup_saddle_is_before(const sup_saddle *saddle, double slope, double longest);
/** Negative curvature of A less the proximal weights `held` of its diagonal, with the constraints
 * of the problem at the solution's vc.  The reduction then has another factor; A is unchanged.
 *  @param[in] held   [num_scalars]
 *  @param[in] least  [num_scalars] the least of D
 *  @param[in] inner  arena of the factors, is reset */
SUP_NODISCARD sup_status sup_saddle_find(const sup_step_convex *convex, sup_assembly *assembly,
                                         const sup_step_solution *x, const double *held,
                                         const double *least, sup_arena *inner, sup_saddle *out);
