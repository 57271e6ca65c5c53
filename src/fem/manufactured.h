/** The method of manufactured solutions: a given displacement, the body force of linear elasticity
 * for which it is the solution, and the error of a body's displacement.  Layer fem.
 *
 *  u_i = a_i sin(pi s_x) sin(pi s_y) sin(pi s_z) with s from 0 to 1 over the box around the mesh at
 * rest: zero on the faces of a box, which are clamped.  f = -div sigma(u) (Roache, J. Fluids Eng.
 * 124 (2002), for the method). */
#pragma once

#include "fem/body.h"

typedef struct sup_manufactured {
  double amplitude[3]; /* a [m] */
  sup_v3 lower, upper; /* of the box [m] */
} sup_manufactured;

/** Manufactured solution over the bounds of the body's mesh. */
sup_manufactured sup_fem_manufactured(const sup_fem_body *body, const double amplitude[3]);
/** f [num_vertices x 3] += integrals of N_a times the body force [N], by a rule of degree 5 and
 * more on every cell. */
void sup_fem_manufactured_load(const sup_fem_body *body, const sup_manufactured *solution,
                               double *f);
/** Distance of the displacement u [num_vertices x 3] (mesh axes) from the solution; for bricks, of
 * the displacement by vertices without incompatible modes.
 *  @param[out] l2  root of the integral of |u_h - u|^2 [m^2.5]
 *  @param[out] h1  root of the integral of |grad u_h - grad u|^2 [m^1.5] */
void sup_fem_manufactured_error(const sup_fem_body *body, const sup_manufactured *solution,
                                const double *u, double *l2, double *h1);
