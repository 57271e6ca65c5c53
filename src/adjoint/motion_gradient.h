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
  const sup_load_path      *path; /* run with records */
  const char *const        *column;
  const sup_load_objective *objective;
  int                       num;     /* number of objectives */
  int                       last;    /* number of records up to the last row with a weight */
  double                  **adjoint; /* [last x num] each l [num_scalars] */
  double **after;        /* [last x num] each k after the step, without the row at its end; at held
                            components of vertices the derivatives of - l . r by their motion */
  int             *held; /* [num_held] components of vertices that are no unknowns */
  int              num_held;
  double         **initial;  /* [num] k at the start: x, xdot, q, v */
  sup_fem_moments *moments;  /* [num x num_softs] of - l . r of all steps */
  double          *own;      /* [last x num] - l . r of the run without these bodies */
  sup_state       *end;      /* after the last of the steps */
  sup_origins     *origins;  /* [last] of the contacts at the start of each step */
  double          *depth;    /* [last] depth of the deepest contact at the start of each step [m] */
  double           deepest;  /* largest depth [m] */
  int              first;    /* first record with a depth */
  double           residual; /* largest residual of the linear systems over their right sides */
} sup_motion_gradient;

/** Adjoints of all objectives.  Path, objectives and names outlive them.  E_ARG: a column, body,
 * contact or scheme without an adjoint, or a kink, with a method that takes it.
 * E_NOT_CONVERGED: a linear system.  Empty on failure. */
SUP_NODISCARD sup_status sup_motion_gradient_create(sup_motion_gradient      *gradient,
                                                    const sup_load_path      *path,
                                                    const char *const        *column,
                                                    const sup_load_objective *objective, int num);
void                     sup_motion_gradient_free(sup_motion_gradient *gradient);
/** *reach := largest shift of a vertex of a nonlinear body, or change of the deepest contact at
 * equal positions, in a scene beside the path's, over that allowed in differences [-]. */
SUP_NODISCARD sup_status sup_motion_gradient_reach(const sup_motion_gradient *gradient,
                                                   const sup_load_scene *beside, double *reach);
/** slope [num] := derivatives by a parameter.  E_ARG: another length of the step or run; a kink.
 *  @param[in] beside  scene with the parameter `width` below its value, and above
 *  @param[in] width  [unit of the parameter] */
SUP_NODISCARD sup_status sup_motion_gradient_by(sup_motion_gradient *gradient,
                                                const sup_load_scene beside[2], double width,
                                                sup_load_slope *slope);
