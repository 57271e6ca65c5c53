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

/** Part of a cable with one tension, at the end of the last step. */
typedef struct sup_strand {
  double tension;   /* [N] */
  double rest;      /* unstretched length, of cables with friction [m] */
  double slip_work; /* energy that friction at its start has taken [J] */
} sup_strand;

/** Law at time t [s].
 *  @param[in] load  share of constants, 0 to 1 in load steps */
sup_cable_law sup_cable_law_at(const sup_cable *cable, double t, double load);
/** Length of a way between neighbours, smooth where they meet [m].
 *  @param[out] t  its direction; NULL: not needed */
double sup_cable_span(const sup_cable *cable, sup_v3 way, sup_v3 *t);
/** Strand of the way from point i to the next. */
static inline int sup_cable_strand_of(const sup_cable *cable, int i) {
  return cable->num_strands > 1 ? i : 0;
}
/** Length of the path through x [num_points] [m], with its directions t [num_points - 1] and the
 * lengths of its segments; t and segment may be NULL. */
double sup_cable_measure(const sup_cable *cable, const sup_v3 *x, sup_v3 *t, double *segment);
/** Length of the path at the poses X_WL [num_bodies] and the vertices x [num_vertices x 3] [m]. */
double sup_cable_length(const sup_cable *cable, const sup_frame *X_WL, const double *x);
/** Energy of an elastic cable of this length and tension [J]; others: 0. */
double sup_cable_energy(const sup_cable *cable, double length, double tension);
/** Energy of an elastic cable with its strands [num_strands] [J]; others: 0. */
double sup_cable_stored(const sup_cable *cable, const sup_strand *strand, const sup_frame *X_WL,
                        const double *x);
/** Energy of all cables with their strands [num_strands of the model] [J]; X_WL, x as of
 * sup_cable_length. */
double sup_model_cable_energy(const sup_model *model, const sup_strand *strand,
                              const sup_frame *X_WL, const double *x);
/** Cable with a point on the body; NULL: none. */
const sup_cable *sup_model_cable_on(const sup_model *model, int body);
/** Largest number of block columns that move two neighbours on the path. */
int sup_cable_most_blocks(const sup_cable *cable);
