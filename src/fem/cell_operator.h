/** The stiffness of a body without its matrix.  Layer fem. */
#pragma once

#include "fem/body.h"
#include "la/linear_operator.h"

/** 1: cells have a rotation and a K0: H8, and T10 whose materials all are linear in a step or
 * corotational. */
int sup_fem_has_cell_stiffness(const sup_fem_body *body);
/** y := scale K(R) x, both [num_vertices x 3], without K: from the cells, in some half of the time
 * that assembling it takes.  Collective. */
void sup_fem_apply_stiffness(const sup_fem_body *body, const sup_m3 *R, double scale,
                             const double *x, double *y);
/** scale K(R) cell by cell, vertices as block columns, of those bodies. */
void sup_fem_visit_stiffness(const sup_fem_body *body, const sup_m3 *R, double scale,
                             sup_clique_visitor *visit, void *user);
