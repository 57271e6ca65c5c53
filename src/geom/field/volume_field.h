/** Pressure fields of bodies that are given by their cells.  Layer geom.
 *
 *  Both kinds are linear on the cells, finer where thin parts need it
 * (mesh/generate/field_cells.h), and go on outside in prisms on the surface (geom/shell.h), with
 * the slope they have there.
 *
 *  Distance: e = d/D, d the distance to the surface and D that of the deepest point (THEORY 9.1),
 * found by search, so that the field does not depend on where the vertices happen to lie.
 *
 *  Harmonic: div grad e = 0 with e = 0 on the surface and e = 1 in the core, all points x with d(x)
 * >= 1/2 t(x), where t(x) is the local thickness: the radius of the largest ball inside the body
 * that holds x (Hildebrand, Rueegsegger 1997).  The medial set itself will not do: it may be a
 * point or a curve, whose capacity is zero, and the field would vanish elsewhere as the cells get
 * finer; it reaches the sharp edges, too, where the core keeps away from edges of more than 60
 * degrees.  Between plates the slope is twice that of the distance, in a ball the same. */
#pragma once

#include "mesh/mesh.h"
#include "supple/contact.h"

/** The T4 mesh and e at its vertices: 0 on the surface, at most 1 inside, negative in the margin.
 *  @param[in] cells    T4, in any frame
 *  @param[in] margin   how far outside the surface the field goes on where there is space [m];
 * >= 0
 *  @param[out] extent  [mesh->num_vertices], freed by the caller with SUP_FREE
 *  @param[out] depth   D [m]
 *  E_GEOMETRY: a face that three cells share.  E_NOT_CONVERGED: see sup_harmonic_solve. */
SUP_NODISCARD sup_status sup_mesh_of_volume_field(sup_mesh **mesh, double **extent, double *depth,
                                                  const sup_mesh *cells, sup_field_kind kind,
                                                  double margin);
/** Depth D of the deepest point alone [m]. */
SUP_NODISCARD sup_status sup_mesh_depth(const sup_mesh *cells, double *depth);
