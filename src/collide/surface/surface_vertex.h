/** Contacts of a soft surface at its vertices, one each (THEORY 20.4).  Private to layer collide.
 *
 *  The pressure of a patch is that of its vertices, each with the area A_a that sees the shape and
 * the gap g_a = 1/A_a int psi_a phi over the faces around it, psi_a the functions dual to the
 * element's own: int psi_a N_b = delta_ab int N_a.  The gap then depends on the vertex's own
 * velocity alone and on the shape between the vertices: g_a is the depth at the vertex less the
 * mean sagitta. Where facets cannot follow the shape their pieces act instead.
 *
 *  Quadratic faces have their contacts at the middles of their sides, with a third of the area each
 * and the depth there: a rule that is exact to second degree.  Uniform pressure
 * then has the element's own loads, nothing at corners.  Corners of the body itself, where face
 * normals differ, have contacts by the difference, or would overlap up to the next middles. */
#pragma once

#include "collide/surface/surface_depth.h"

/** Distance beyond their reach within which faces with these boxes [num_faces] are searched [m]: a
 * vertex that acts needs the area and the gap of all faces around it. */
double sup_surface_vertex_offered(const sup_box *box, int num_faces);
