/** Derivatives of a linear step's cells by the start of the step, in adjoint form (THEORY 24.6).
 * Layer fem. */
#pragma once

#include "fem/body.h"

/** Start of a step of a body that is linear in a step, elastic or damped. */
typedef struct sup_fem_step {
  double        dt;    /* [s] */
  const sup_m3 *R;     /* [num_cells] rotations at x */
  const double *x, *v; /* [num_vertices x 3] positions [m], velocities [m/s] at the start */
  sup_v3        w;     /* spin of sup_fem_step_system [rad/s]; 0: none */
} sup_fem_step;

/** Add to by_x, by_v [num_vertices x 3] and by_w the derivatives of l . (A u - dt f), A without
 * masses and f of sup_fem_step_system with predicted turns of both kinds, at constant u and l
 * [num_vertices x 3]. */
void sup_fem_step_gradient(const sup_fem_body *body, const sup_fem_step *step, const double *u,
                           const double *l, double *by_x, double *by_v, sup_v3 *by_w);
/** Add to by_x, by_v [num_vertices x 3] the derivatives of by_w . sup_fem_spin at x, v
 * [num_vertices x 3]. */
void sup_fem_spin_gradient(const sup_fem_body *body, const double *x, const double *v, sup_v3 by_w,
                           double *by_x, double *by_v);
/** turn [num_vertices] := mean of R R0^T of the cells around each vertex.
 *  @param[in] R, R0  [num_cells] of sup_fem_rotations */
void sup_fem_vertex_turns(const sup_fem_body *body, const sup_m3 *R, const sup_m3 *R0,
                          sup_m3 *turn);
