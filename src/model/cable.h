/** Cables: one tension along a path of points (THEORY 4.10).  Layer model.
 *
 *  The length of the path is a convex function of its points, its gradient are unit vectors. */
#pragma once

#include "model/inputs.h"

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

enum { SUP_CABLE_MOST_SHEAVES = 16 }; /* one after another */

/** Point of a path in the world; axis 0: an eyelet. */
typedef struct sup_cable_node {
  sup_v3 x, axis, mark;
} sup_cable_node;

/** Straight way between neighbours that a cable touches, tangent to their sheaves. */
typedef struct sup_cable_leg {
  int    from, to; /* points */
  sup_v3 end[2];   /* where it leaves and arrives [m] */
  sup_v3 t;        /* its direction */
  double length;   /* without arcs [m] */
  double wrap;     /* about the sheave that it leaves [rad] */
  double turned;   /* of the mark from the middle of that arc, with friction [rad] */
  double arc;      /* its share of the arcs at its ends [m] */
} sup_cable_leg;

/** Law of cable i at time t [s].
 *  @param[in] load  share of constants, 0 to 1 in load steps */
sup_cable_law sup_cable_law_at(const sup_model *model, const sup_inputs *inputs, int i, double t,
                               double load);
/** Length of a way between neighbours, smooth where they meet [m].
 *  @param[out] t  its direction; NULL: not needed */
double sup_cable_span(const sup_cable *cable, sup_v3 way, sup_v3 *t);
/** Strand of the way from point i to the next. */
static inline int sup_cable_strand_of(const sup_cable *cable, int i) {
  return cable->num_strands > 1 ? i : 0;
}
/** Point k of a path that is at x now. */
sup_cable_node sup_cable_node_at(const sup_cable *cable, int k, sup_v3 x, const sup_frame *X_WL);
/** Next point without a sheave after point k. */
int sup_cable_next(const sup_cable *cable, int k);
/** leg [sup_cable_next - k] := ways from point k to the next without a sheave, past sheaves that
 * the cable does not touch; returns their number.
 *  @param[in] node  points from k on */
int sup_cable_legs(const sup_cable *cable, int k, const sup_cable_node *node, sup_cable_leg *leg);
/** As sup_cable_legs at the poses X_WL [num_bodies] and the vertices x [num_vertices x 3]. */
int sup_cable_legs_at(const sup_cable *cable, int k, const sup_frame *X_WL, const double *x,
                      sup_cable_leg *leg);
/** E_ARG: a neighbour is inside a sheave, or friction has left its arcs.
 *  @param[in] t  [s] */
SUP_NODISCARD sup_status sup_cable_check(const sup_cable *cable, const sup_frame *X_WL,
                                         const double *x, double t);
/** Length of the path at these poses and vertices [m]. */
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
