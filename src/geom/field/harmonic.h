/** Harmonic functions on tetrahedra.  Layer geom. */
#pragma once

#include "mesh/mesh.h"

/** Solve div grad u = 0 with linear elements, u given at some vertices.
 *  @param[in] is_fixed  [num_vertices] 1: u is given; at least one vertex
 *  @param u             [num_vertices] given values; the others' start in, the solution out
 *  E_NOT_CONVERGED: conjugate gradients did not reach 1e-10 of the first residual. */
SUP_NODISCARD sup_status sup_harmonic_solve(const sup_mesh *t4, const unsigned char *is_fixed,
                                            double *u);
