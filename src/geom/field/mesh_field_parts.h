/** Parts of a field's construction.  Private to geom/field. */
#pragma once

#include "geom/field/mesh_field.h"

/** A point in the mean of n vertices of the mesh, where there is room for it; returns its number.
 */
int  sup_mesh_field_mean(sup_mesh_field *f, const int *vertex, int n);
void sup_mesh_field_add_tet(sup_mesh_field *f, int cell, int a, int b, int c, int d);
/** The shell about the surface, behind all other points and tetrahedra. */
SUP_NODISCARD sup_status sup_mesh_field_add_shell(sup_mesh_field *f, const sup_mesh *mesh,
                                                  const sup_surface *surface);
