/** Curvature of surfaces at rest.  Layer mesh. */
#pragma once

#include "mesh/surface.h"

/** Sum of both principal curvatures at each point [1/m]: the turn of normals over the edges at it.
 * Edges that turn by more than a right angle's half are corners and count as flat, as do surfaces
 * that are hollow.
 *  @param[in]  x          [num_points x 3]
 *  @param[out] curvature  [num_points] */
SUP_NODISCARD sup_status sup_surface_curvature(const sup_surface *surface, const double *x,
                                               double *curvature);
/** Mean over the surface, weighted by curvature: of a cylinder that of its side. */
SUP_NODISCARD sup_status sup_surface_mean_curvature(const sup_surface *surface, const double *x,
                                                    double *mean);
