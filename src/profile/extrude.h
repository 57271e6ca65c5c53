/** Quadrilaterals extruded along z to hexahedra.  Layer profile. */
#pragma once

#include "mesh/mesh.h"
#include "profile/quads.h"

typedef struct sup_extrusion {
  double depth;        /* of the whole body [m] */
  int    num_layers;   /* over the depth that is made */
  double grading;      /* >= 1: cells at the faces are so much thinner than those in the middle */
  int    is_symmetric; /* 1: the half from z = 0 to depth/2 */
} sup_extrusion;

/** Hexahedra between z = 0 and the depth.  Sets of vertices: those of the quadrilaterals' marks,
 * "z_min", and "z_max" or "symmetry".  E_ARG: no depth, layers or grading. */
SUP_NODISCARD sup_status sup_mesh_extrude(sup_mesh **mesh, const sup_quads *quads,
                                          const sup_extrusion *e);
/** Move the vertices of the extruded boundary of a mesh that was refined from chords onto the
 * curves of its profile. */
SUP_NODISCARD sup_status sup_mesh_onto_profile(sup_mesh *mesh, const sup_profile *profile);
