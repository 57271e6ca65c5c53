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

/** Derivatives of a function by numbers of the body, of which bodies beside it have others, at
 * constant positions and velocities: a sum over steps. */
typedef struct sup_fem_moments {
  size_t  size; /* numbers of a cell */
  double *cell; /* [num_cells x size] by stiffness, mean gradients, arms at rest, moduli times the
                   volume, stiffness damping; NULL: left out */
  double *mass, *damped; /* [entries of the mass] by masses, and by these times the mass damping */
  double *volume;        /* [num_vertices] by volumes of the vertices */
} sup_fem_moments;

/** Derivatives at a start to which functions here add. */
typedef struct sup_fem_slopes {
  double          *x, *v, *u; /* [num_vertices x 3] by positions, velocities, the solution */
  sup_fem_moments *moments;   /* NULL: not asked for */
} sup_fem_slopes;

/** Moments of zero.
 *  @param[in] has_cells  with those of cells */
SUP_NODISCARD sup_status sup_fem_moments_create(sup_fem_moments *moments, const sup_fem_body *body,
                                                bool has_cells);
void                     sup_fem_moments_free(sup_fem_moments *moments);
/** Change of the function to first order from the body to another of equal cells. */
double sup_fem_moments_change(const sup_fem_moments *moments, const sup_fem_body *body,
                              const sup_fem_body *other);
/** Add the derivatives of l . (M a + alpha M b) by masses; vectors [num_vertices x 3]. */
void sup_fem_moments_add_mass(sup_fem_moments *moments, const sup_fem_body *body, const double *l,
                              const double *a, const double *b);

/** Add to `slopes` and by_w the derivatives of l . (A u - dt f), A without masses and f of
 * sup_fem_step_system with predicted turns of both kinds, at constant l; u, l [num_vertices x 3].
 */
void sup_fem_step_gradient(const sup_fem_body *body, const sup_fem_step *step, const double *u,
                           const double *l, const sup_fem_slopes *slopes, sup_v3 *by_w);
/** Add to `slopes` the derivatives of by_w . sup_fem_spin at x, v [num_vertices x 3]. */
void sup_fem_spin_gradient(const sup_fem_body *body, const double *x, const double *v, sup_v3 by_w,
                           const sup_fem_slopes *slopes);
