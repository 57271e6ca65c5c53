/** Adjoint of a run of motion (THEORY 24.6).  Layer adjoint.
 *
 *  A step maps a state y to next(v, y) with r(v; y, p) = 0; L is a sum of columns times weights of
 * the rows, whose part of a step is L_m.  Backwards, from the end:
 *
 *      H^T l = next_v^T k + (L_m)_v,    k := next_y^T k + (L_m)_y - r_y^T l
 *      dL/dp = k . (y_start - y)_p + sum of (L_m)_p + k . (next - y of the next step)_p - l . r_p
 *
 *  along the states y of the run, where bodies act by numbers of their own: derivatives of l . r by
 * these are summed over the steps. */
#pragma once

#include "adjoint/load_gradient.h"
#include "fem/step_gradient.h"

typedef struct sup_motion_gradient {
  sup_load_path            *path; /* run with records */
  const char *const        *column;
  const sup_load_objective *objective;
  int                       num;  /* number of objectives */
  int                       last; /* number of records up to the last row with a weight */
  int                      *held; /* [num_held] components of vertices that are no unknowns */
  int                       num_held;
  double                  **initial;  /* [num] k: x, xdot, q, v; at the start, when all is summed */
  sup_fem_moments          *moments;  /* [num x num_softs] of - l . r of all steps */
  double                    residual; /* largest of the linear systems over their right sides */
  /* of the present step */
  double **adjoint; /* [num] each l [num_scalars] */
  double **after;   /* [num] each k after the step, without the row at its end; at held components
                       of vertices the derivatives of - l . r by their motion */
  sup_origins origins; /* of the contacts at the start */
} sup_motion_gradient;

/** Parameter of the scene. */
typedef struct sup_motion_parameter {
  const sup_load_scene *beside; /* [2] scenes with it below its value, and above */
  double                width;  /* distance from its value [unit of the parameter] */
} sup_motion_parameter;

/** Gradient of objectives of a run, without numbers yet.  Path, objectives and names outlive it.
 * Empty on failure. */
SUP_NODISCARD sup_status sup_motion_gradient_create(sup_motion_gradient *gradient,
                                                    sup_load_path *path, const char *const *column,
                                                    const sup_load_objective *objective, int num);
void                     sup_motion_gradient_free(sup_motion_gradient *gradient);
/** *reach := largest shift of a vertex of a nonlinear body, or change of the deepest contact at
 * equal positions, in a scene beside the path's, over that allowed in differences [-]. */
SUP_NODISCARD sup_status sup_motion_gradient_reach(const sup_motion_gradient *gradient,
                                                   const sup_load_scene *beside, double *reach);
/** slope [num_parameters x num] := derivatives by parameters, once backwards through the run.
 * E_ARG: a column, body, contact or scheme without an adjoint, another length of the step or run,
 * or a kink, with a method that takes it.  E_NOT_CONVERGED: a linear system.
 *  @param[out] failed  parameter by which it failed; SUP_NONE: by none */
SUP_NODISCARD sup_status sup_motion_gradient_by(sup_motion_gradient        *gradient,
                                                const sup_motion_parameter *parameter,
                                                int num_parameters, sup_load_slope *slope,
                                                int *failed);
