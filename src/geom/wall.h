/** How many cells lie between opposite sides of a body.  Layer geom. */
#pragma once

#include "mesh/surface.h"

typedef struct sup_wall {
  int    num_samples;
  double least, median; /* cells through the body */
  sup_v3 where;         /* of the least, on the surface [m] */
} sup_wall;

/** From the middles of triangles of the surface (all, or some 2000 of many) straight in to the opposite side: length of
 *  the way over the height of the cell behind the triangle, which is 3 V / A for tetrahedra and V / A for hexahedra of
 *  volume V on a face of area A.  An estimate: exact where cells lie in layers.
 *  @param[in] surface  of the mesh */
SUP_NODISCARD sup_status sup_wall_measure(sup_wall *wall, const sup_mesh *mesh, const sup_surface *surface);
