/** Adjoint of a run of motion (THEORY 24.6).  Layer adjoint.
 *
 *  A step maps a state y to next(v, y) with r(v; y, p) = 0; L is a sum of columns times weights of
 * the rows, whose part of a step is L_m.  Backwards, from the end:
 *
 *      H^T l = next_v^T k + (L_m)_v,    k := next_y^T k + (L_m)_y - r_y^T l
 *      dL/dp = k . (y_start - y)_p + sum of (L_m)_p + k . (next - y of the next step)_p - l . r_p
 *
 *  along any states y(p): here vertices are displaced by their shift at the start, turned with the
 * cells around, so that strains hardly change. */
#pragma once

#include "adjoint/load_gradient.h"

typedef struct sup_motion_gradient {
  const sup_load_path      *path; /* with records */
  const char *const        *column;
  const sup_load_objective *objective;
  int                       num;     /* of objectives */
  int                       last;    /* records that a row with a weight follows */
  double                  **adjoint; /* [last x num] each l [num_scalars] */
  double                  **after;   /* [last x num] each k at the step's end, without its row */
  sup_m3                   *R0;      /* [cells of all soft bodies] rotations at the start */
  double                  **initial; /* [num] k at the start: x, xdot, q, v */
  double                   *value;   /* [num] L - sum of l . r at the path */
  double                   *depth; /* [last] of the deepest contact at the start of each step [m] */
  double                    deepest;  /* of all [m] */
  int                       first;    /* first record with one */
  double                    residual; /* largest of the linear systems, over their right side */
} sup_motion_gradient;

/** Adjoints of all objectives.  Path, objectives and names outlive it.  E_ARG: the run has
 * something without an adjoint, with its name and what takes it.  Empty on failure. */
SUP_NODISCARD sup_status sup_motion_gradient_create(sup_motion_gradient      *gradient,
                                                    const sup_load_path      *path,
                                                    const char *const        *column,
                                                    const sup_load_objective *objective, int num);
void                     sup_motion_gradient_free(sup_motion_gradient *gradient);
/** *reach := how far a scene beside the path's moves vertices and contacts, over what differences
 * allow, in the deepest contact at equal displacements. */
SUP_NODISCARD sup_status sup_motion_gradient_reach(const sup_motion_gradient *gradient,
                                                   const sup_load_scene *beside, double *reach);
/** slope [num] := derivatives by a parameter.
 *  @param[in] beside  the scene with the parameter `width` below its value, and above */
SUP_NODISCARD sup_status sup_motion_gradient_by(sup_motion_gradient *gradient,
                                                const sup_load_scene beside[2], double width,
                                                sup_load_slope *slope);
