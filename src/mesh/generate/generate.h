/** Parametric volume meshes: boxes and FinRay fingers.  Layer mesh. */
#pragma once

#include "mesh/mesh.h"

/** A box whose corners [8 x 3] lie anywhere, straight between them: the trilinear map, corners in
 * VTK order (000 100 110 010 001 101 111 011).  Numbered like a box. */
SUP_NODISCARD sup_status sup_mesh_between_corners(sup_mesh **mesh, const double corner[24],
                                                  const int n[3], sup_mesh_pattern pattern);

/** Part of a thick ring about the z axis, from the x axis on: z in [0, length]. */
typedef struct sup_ring {
  double inner_radius, outer_radius, length; /* [m] */
  double angle;                              /* [rad] below 2 pi */
} sup_ring;
/** n bricks along the radius, around and along the axis, numbered like a box. */
SUP_NODISCARD sup_status sup_mesh_ring(sup_mesh **mesh, const sup_ring *ring, const int n[3],
                                       sup_mesh_pattern pattern);
