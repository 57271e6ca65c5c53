/** The pressure field of a soft body at its present shape.  Private to layer collide. */
#pragma once

#include "collide/field/field_contact.h"
#include "model/model.h"

/** Points, velocities, pressures and the hierarchy over the cells of the mesh; in the world frame.
 *  @param x, xdot  [num_vertices x 3] of the body
 *  @param reach    extent of the field outside of the body [m] */
SUP_NODISCARD sup_status sup_soft_field_place(const sup_soft *soft, const double *x,
                                              const double *xdot, double reach, sup_arena *arena,
                                              sup_moving_field *out);
/** Half of a bound on relative speeds of neighbouring points: the largest speed relative to the
 * mean rigid motion, since a rigid motion closes no gap. */
double sup_soft_speed(int num_vertices, const double *x, const double *xdot);
