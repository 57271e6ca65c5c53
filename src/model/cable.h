/** Cables: one tension along a path of points (THEORY 4.10).  Layer model.
 *
 *  The length of the path is a convex function of its points, its gradient are unit vectors. */
#pragma once

#include "model/model.h"

/** Given tension or length at one time. */
typedef struct sup_cable_law {
  double tension; /* given [N] */
  double rest;    /* unstretched length, without a winch [m] */
} sup_cable_law;

/** Law at time t [s].
 *  @param[in] load  share of constants, 0 to 1 in load steps */
sup_cable_law sup_cable_law_at(const sup_cable *cable, double t, double load);
/** Length of the path through x [num_points] [m], with its directions t [num_points - 1] and the
 * lengths of its segments; t and segment may be NULL. */
double sup_cable_measure(const sup_cable *cable, const sup_v3 *x, sup_v3 *t, double *segment);
/** Length of the path at the poses X_WL [num_bodies] and the vertices x [num_vertices x 3] [m]. */
double sup_cable_length(const sup_cable *cable, const sup_frame *X_WL, const double *x);
/** Energy of an elastic cable of this length and tension [J]; others: 0. */
double sup_cable_energy(const sup_cable *cable, double length, double tension);
/** Energy of all cables at their tensions [num_cables] [J]; X_WL, x as of sup_cable_length. */
double sup_model_cable_energy(const sup_model *model, const double *tension, const sup_frame *X_WL,
                              const double *x);
/** Cable with a point on the body; NULL: none. */
const sup_cable *sup_model_cable_on(const sup_model *model, int body);
/** Largest number of block columns that move two neighbours on the path. */
int sup_cable_most_blocks(const sup_cable *cable);
