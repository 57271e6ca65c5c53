/** T4 cells that can carry a pressure field.  Layer mesh.
 *
 *  A field is zero on the surface and linear on each cell: it vanishes wherever an edge, face or
 * cell inside the body has all its vertices on the surface, and thin walls would have none at all
 * (THEORY 9.1). */
#pragma once

#include "mesh/mesh.h"

/** Refine a body of T4 cells: every edge inside that joins two points of the surface is cut in the
 * middle, then faces inside with three such corners at their centres, then cells with four at
 * theirs.  E_GEOMETRY: a face that three cells share.
 *  @param[in] mesh  of T4 cells */
SUP_NODISCARD sup_status sup_mesh_open_inside(sup_mesh **out, const sup_mesh *mesh);
