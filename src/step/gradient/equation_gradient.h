/** Derivatives of a step's equations in adjoint form, by soft bodies at its start and by its
 * solution (THEORY 24.6).  Layer step.
 *
 *  The function is F = sum of weight . force - l . r(v), forces those of contacts on their b.
 * Decisions of the search are constant.  Trees at the start are the caller's, by differences. */
#pragma once

#include "step/equations.h"

/** Weights of F. */
typedef struct sup_step_weights {
  const double *l;     /* [num_scalars] */
  const sup_v3 *force; /* [num_contacts] of the equations' list [1/N]; NULL: 0 */
} sup_step_weights;

/** E_ARG: the scene has something whose derivative is not here, with its name. */
SUP_NODISCARD sup_status sup_step_gradient_check(const sup_step_layout *layout);
/** E_ARG: the state has it. */
SUP_NODISCARD sup_status sup_step_gradient_check_state(const sup_step_layout *layout,
                                                       const sup_state       *state);
/** y [2 num_scalars]: first half := H^T x at v, second half is workspace.  The equations are
 * factored. */
SUP_NODISCARD sup_status sup_step_equations_multiply_transposed(const sup_step_equations *e,
                                                                const double *v, const double *x,
                                                                double *y);
/** y [num_scalars] += derivative of sum of weight . force by v. */
SUP_NODISCARD sup_status sup_step_equations_add_forces(const sup_step_equations *e,
                                                       const sup_v3 *weight, double *y);
/** Contacts that are searched beside the start, against derivatives at constant decisions: they
 * differ where faces touch flush. */
typedef struct sup_step_kink {
  double size, jump; /* derivative of F along a rough direction, and the difference [1/m] */
} sup_step_kink;
/** Add to by_x and by_xdot [num_vertices of the model x 3] the derivatives of F by positions and
 * velocities of vertices at the start, at constant v.  E_ARG: a contact has none. */
SUP_NODISCARD sup_status sup_step_equations_start_gradient(sup_step_equations *e, const double *v,
                                                           const sup_step_weights *weights,
                                                           double *by_x, double *by_xdot,
                                                           sup_step_kink *kink);
