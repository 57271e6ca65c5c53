/** Plane profiles: an outer boundary and holes, closed loops of straight and curved pieces, as
 * drawings give them.  Layer profile. */
#pragma once

#include <stddef.h>

#include "base/status.h"

enum { SUP_LOOP_ID_SIZE = 40, SUP_PLACE_SIZE = 64 };

/** Points in a row; piece i leads from point i to the next, the last piece back to point 0. */
typedef struct sup_loop {
  int            num_points;
  double        *x;         /* [num_points x 2] [m] */
  unsigned char *is_curved; /* [num_points] piece i is 1: a chord of a smooth curve, 2: of an arc
                               that rounds a corner, 0: straight */
  size_t x_capacity, curved_capacity;
  char   id[SUP_LOOP_ID_SIZE]; /* in the drawing; "": none */
} sup_loop;

typedef struct sup_profile {
  int num_loops;
  sup_loop
        *loop; /* finished: the outer one first, counter-clockwise; holes clockwise, from below */
  size_t capacity;
  double scale[2], shift[2]; /* coordinates are scale * those of the drawing + shift; 0: mm */
} sup_profile;

SUP_NODISCARD sup_status sup_profile_create(sup_profile **profile);
void                     sup_profile_destroy(sup_profile **profile);
SUP_NODISCARD sup_status sup_profile_begin_loop(sup_profile *profile);
/** A point of the last loop.
 *  @param is_curved  of the piece that begins there */
SUP_NODISCARD sup_status sup_profile_add_point(sup_profile *profile, double x, double y,
                                               bool is_curved);
/** Drop points that coincide, turn and sort the loops.  E_GEOMETRY with the place [mm]: a loop of
 * fewer than three points or without area, loops that cross or touch, a loop outside the outer one
 * or inside of a hole.
 *  @param name  of the file, for messages */
SUP_NODISCARD sup_status sup_profile_finish(sup_profile *profile, const char *name);
/** Find the curves of polylines, which do not say what is curved: five straight pieces or more that
 * turn by at most 20 degrees at each point, to the same side, are one curve; the first and the last
 * belong to it when they are no longer than twice the next one.  The profile is finished. */
SUP_NODISCARD sup_status sup_profile_find_curves(sup_profile *profile);
/** Move the loops of a finished profile that have an id in the drawing along their normals: holes
 * grow by a positive distance, and so does the outer boundary.  E_ARG: no loop has the id;
 * E_GEOMETRY: a side vanishes, or as sup_profile_finish.
 *  @param distance  [m] */
SUP_NODISCARD sup_status sup_profile_offset(sup_profile *profile, const char *id, double distance,
                                            const char *name);
/** Round the corners at which the material's angle is above 200 degrees, between straight sides and
 * curves: those of holes and notches, not those of a polygon drawn for a curve.  E_GEOMETRY names
 * the first corner where the radius does not fit, and the largest that does.
 *  @param radius  [m] */
SUP_NODISCARD sup_status sup_profile_fillet(sup_profile *profile, double radius);

/** A place for messages: "(3, 4) of the drawing", by its own numbers, or "(3, 4) mm". */
const char *sup_profile_place(const double scale[2], const double shift[2], const double x[2],
                              char text[SUP_PLACE_SIZE]);

/** @param curve  as is_curved */
SUP_NODISCARD sup_status sup_loop_add_point(sup_loop *loop, double x, double y, int curve);
/** Length of piece i, from point i to the next one [m]. */
double sup_loop_length(const sup_loop *loop, int i);
/** Angle by which the boundary turns at point i [degrees], positive to the left. */
double sup_loop_turn(const sup_loop *loop, int i);
/** 1: a smooth curve, an arc of a fillet or a straight side ends at point i. */
bool sup_loop_is_corner(const sup_loop *loop, int i);
/** Signed area [m^2], positive counter-clockwise. */
double sup_loop_area(const sup_loop *loop);
/** 1: the point is inside of the loop. */
int sup_loop_contains(const sup_loop *loop, const double x[2]);
/** 1: the point is inside of the outer loop and of no hole. */
int sup_profile_contains(const sup_profile *profile, const double x[2]);
/** Area of the material [m^2]. */
double sup_profile_area(const sup_profile *profile);
void   sup_profile_bounds(const sup_profile *profile, double lower[2], double upper[2]);
/** Diagonal of the bounds [m]. */
double sup_profile_size(const sup_profile *profile);
/** Point of the boundary nearest to x; @return its distance from x [m]. */
double sup_profile_nearest(const sup_profile *profile, const double x[2], double nearest[2]);
/** Move a point to the smooth curve through the points of the boundary nearest to it, unless that
 * is straight there.  1: it is on a curve. */
bool sup_profile_onto_curve(const sup_profile *profile, double x[2]);

static inline const double *sup_loop_point(const sup_loop *loop, int i) {
  return loop->x + 2 * (i % loop->num_points);
}
