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
/** Set the point's area and sagitta to zero. */
void sup_surface_vertex_begin(sup_surface_point *point);
/** Add the normal of part f of a quadratic face to its corner (faces 4 k to 4 k + 2 are at corners,
 * mesh/surface.h). */
void sup_surface_vertex_lean(int f, sup_surface_point *const point[SUP_FACE_MAX_CORNERS]);
/** Move the area at the corner of part f of a quadratic face to the middles of its two sides,
 * except for a share by its sharpness.
 *  @param[in,out] share  [3] area vectors of the part's points [m^2] */
void sup_surface_vertex_pass_on(int f, sup_surface_point *const point[SUP_FACE_MAX_CORNERS],
                                sup_v3 share[SUP_FACE_MAX_VERTICES]);
/** Add to the points of a face their shares of it: the area that sees the shape, and the sagitta of
 * this area.
 *  @param[in] share  [vertices] area vectors that each vertex has of the face, world [m^2]
 *  @param[in] follow from 0 to 1: how far the face follows the shape
 *  @param[in] slope  C of the layer [Pa/m] */
void sup_surface_vertex_add(const sup_moving_surface *a, const sup_moving_shape *b,
                            sup_surface_point *const point[SUP_FACE_MAX_CORNERS],
                            const sup_v3 share[SUP_FACE_MAX_VERTICES], double follow, double slope);
/** Append the contact of vertex i when it is inside or near, or acts within the step, seen `drop`
 * ahead. */
SUP_NODISCARD sup_status sup_surface_vertex_contact(sup_contact_list         *list,
                                                    const sup_contact        *prototype,
                                                    const sup_moving_surface *a, int i,
                                                    sup_surface_point *point, double drop);
