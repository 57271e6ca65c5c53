/** Number of cells between opposite sides of a body.  Layer geom. */
#pragma once

#include "mesh/surface.h"

typedef struct sup_wall {
  int    num_samples;
  double least, median; /* cells through the body */
  sup_v3 where;         /* of the least, on the surface [m] */
} sup_wall;

/** From the middles of triangles of the surface (all, or some 2000 of many) straight in to the
 * opposite side: length of the way over the heights of the cells at both of its ends (mean of the
 * two), which are 3 V / A for tetrahedra and V / A for hexahedra of volume V on a face of area A.
 * Rays that end on a side inclined by more than 60 degrees do not count, since they cross no wall.
 * The number is an estimate, exact for cells in layers.
 *  @param[in] surface  of the mesh */
SUP_NODISCARD sup_status sup_wall_measure(sup_wall *wall, const sup_mesh *mesh,
                                          const sup_surface *surface);
