/** The pressure field of a soft body at its present shape.  Private to layer collide. */
#pragma once

#include "collide/field_contact.h"
#include "model/model.h"

/** Points, velocities, pressures and the hierarchy over the cells of the mesh; in the world frame.
 *  @param x, xdot  [num_vertices x 3] of the body
 *  @param reach    how far outside of the body the field must go on [m] */
SUP_NODISCARD sup_status sup_soft_field_place(const sup_soft *soft, const double *x,
                                              const double *xdot, double reach, sup_arena *arena,
                                              sup_moving_field *out);
/** Bound on the speeds of points near each other against each other, halved: the largest speed
 * about the mean rigid motion of all, which brings nothing together. */
double sup_soft_speed(int num_vertices, const double *x, const double *xdot);
