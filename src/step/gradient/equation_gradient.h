/** Derivatives of a step's equations in adjoint form, by soft bodies at its start and by its
 * solution (THEORY 24.6).  Layer step.
 *
 *  The function is F = sum of weight . force - l . r(v), forces those of contacts on their b.
 * Decisions of the search are constant.  Trees at the start are the caller's, by differences. */
#pragma once

#include "fem/step_gradient.h"
#include "step/equations.h"

/** Weights of F. */
typedef struct sup_step_weights {
  const double *l;     /* [num_scalars] */
  const sup_v3 *force; /* [num_contacts] of the equations' list [1/N]; NULL: 0 */
} sup_step_weights;

/** E_ARG: a body, friction or scheme without derivatives here, with its name. */
SUP_NODISCARD sup_status sup_step_gradient_check(const sup_step_layout *layout);
/** E_ARG: a free body that rolls on soft contacts. */
SUP_NODISCARD sup_status sup_step_gradient_check_state(const sup_step_layout *layout,
                                                       const sup_state       *state);
/** y [2 num_scalars]: first half := H^T x, second half: workspace; x [num_scalars].  After
 * sup_step_equations_factor. */
SUP_NODISCARD sup_status sup_step_equations_multiply_transposed(const sup_step_equations *e,
                                                                const double *x, double *y);
/** x [num_scalars] := H^-T x, friction coupled, of bodies that are linear in a step, after
 * sup_step_equations_factor.
 *  @param[in] tolerance  residual over x */
SUP_NODISCARD sup_status sup_step_equations_solve_transposed(const sup_step_equations *e,
                                                             sup_reduction            *reduction,
                                                             double tolerance, double *x);
/** y [num_scalars] += derivative by v of the sum of weight [num_contacts] . force. */
SUP_NODISCARD sup_status sup_step_equations_add_forces(const sup_step_equations *e,
                                                       const sup_v3 *weight, double *y);
/** Derivatives by searches of contacts beside the start against those at constant decisions,
 * unequal where faces touch flush. */
typedef struct sup_step_kink {
  double size, jump; /* derivative of F along a rough direction, and the difference [1/m] */
} sup_step_kink;
/** Add to slopes->x and slopes->v [num_vertices of the model x 3] the derivatives of F by positions
 * and velocities of vertices at the start, at constant v [num_scalars], and to the moments
 * [num_softs] those by numbers of the bodies.  At held components, and in slopes->u, by velocities
 * of the solution, are those of the parts that sup_step_decisions.bodies_apart leaves out.  E_ARG:
 * a contact without derivatives. */
SUP_NODISCARD sup_status sup_step_equations_start_gradient(sup_step_equations *e, const double *v,
                                                           const sup_step_weights *weights,
                                                           const sup_fem_slopes   *slopes,
                                                           sup_step_kink          *kink);
