/** Contacts of a soft surface at its vertices, one each (THEORY 20.4).  Private to layer collide.
 *
 *  The pressure of a patch is that of its vertices, each with the area A_a that sees the shape and
 * the gap g_a = 1/A_a int psi_a phi over the faces around it, psi_a the functions dual to the
 * element's own: int psi_a N_b = delta_ab int N_a.  The gap depends only on the vertex's own
 * velocity and on the shape between vertices: g_a is the depth at the vertex minus the mean
 * sagitta.  Facets that cannot follow the shape act by their pieces instead.
 *
 *  Quadratic faces have contacts at the middles of their sides, each with a third of the area and
 * the depth at the middle: a rule exact to second degree.  Uniform pressure then gives the
 * element's consistent loads, 0 at corners.  Corners of the body itself, where face normals differ,
 * have contacts by this difference; otherwise they would overlap up to the next middles. */
#pragma once

#include "collide/surface/surface_depth.h"

/** Distance beyond the reach within which faces with these boxes [num_faces] are searched [m]: an
 * acting vertex needs area and gap of all faces around it. */
double sup_surface_vertex_offered(const sup_box *box, int num_faces);
