/** Derivatives of columns along a path of load steps (THEORY 24).  Layer adjoint.
 *
 *  With the residual r_m(x_m; x_(m-1), p) of each load step, K_m its derivative by the end and S_m
 * that by the start, and objectives that are sums of columns times weights of the rows:
 *
 *      adjoint:  K_m^T l_m = L_(x_m) - S_(m+1)^T l_(m+1),   dL/dp = L_p - sum l_m . r_(m,p)
 *      tangent:  K_m dx_m = -r_(m,p) - S_m dx_(m-1),        dL/dp = L_p + L_x dx
 *
 *  Decisions of the search are constant.  Derivatives by p are central differences between scenes:
 * of L - l . r at fixed positions, or of r and L along the tangent, which is corrected until r
 * stays. */
#pragma once

#include "adjoint/load_path.h"

/** Way to the derivatives. */
typedef enum sup_load_way {
  SUP_LOAD_ADJOINT, /* a system an objective, whose columns positions and contacts decide */
  SUP_LOAD_TANGENT  /* a system a parameter, any columns */
} sup_load_way;

/** Weighted sum over the rows of one column. */
typedef struct sup_load_objective {
  int     column; /* of the path */
  double *weight; /* [num_steps + 1] */
} sup_load_objective;

typedef struct sup_load_gradient {
  const sup_load_path      *path;
  const char *const        *column;
  const sup_load_objective *objective;
  int                       num_objectives;
  sup_load_way              way;
  double                   *value;   /* [num_objectives] L - l . r of the path */
  double                  **adjoint; /* [num_objectives x num_steps] each [num_scalars] */
  double                  **initial; /* [num_objectives] dL/dx of the start [num_scalars] */
  double place;    /* [m] a contact of the path allows in differences; infinite: any */
  double residual; /* largest of the linear systems, over their right side */
} sup_load_gradient;

/** Gradient by a way, with the adjoints of all objectives.  Path, objectives and names of columns
 * outlive it.  E_NOT_SPD: a saddle; E_ARG: the way does not have what is asked for.  Empty on
 * failure. */
SUP_NODISCARD sup_status sup_load_gradient_create(sup_load_gradient *gradient, sup_load_way way,
                                                  const sup_load_path      *path,
                                                  const char *const        *column,
                                                  const sup_load_objective *objective, int num);
void                     sup_load_gradient_free(sup_load_gradient *gradient);
/** Derivative of an objective, and its slopes on both sides of the parameter: they differ by a kink
 * of forces and columns, at fixed positions or along the tangent. */
typedef struct sup_load_slope {
  double gradient, below, above;
  double error; /* by that of the adjoint, which differences of products give it; 0: unknown */
} sup_load_slope;

/** slope [num_objectives] := derivatives by a parameter.
 *  @param[in] beside  the scene with the parameter at sup_difference[k].at times `width` */
SUP_NODISCARD sup_status sup_load_gradient_by(sup_load_gradient   *gradient,
                                              const sup_load_scene beside[SUP_DIFFERENCE_POINTS],
                                              double width, sup_load_slope *slope);
