/** Bounds on the travel of rigid shapes within a step, and the reach of pairs by them.  Layer
 * collide.
 *
 *  Every law except the logarithmic barrier gives no force if its gap stays open: phi0 + T (v_n -
 * mu |v_t|) > range, with T = dt, or dt + tau where relaxation looks ahead, and mu of SAP and
 * Similar, whose cone opens with sliding (THEORY 6.2, 6.5, 6.7; belts slide, too).  A step
 * therefore bounds the travel of each shape, includes the pairs that can act within this travel,
 * solves, and checks that the solution stays within the bounds: then no other pair would change the
 * solution.  A point across a gap lies outside at least one shape, and turning moves it with a
 * lever arm longer by the gap (THEORY 19.6): this counts in v_t, not in v_n. */
#pragma once

#include "base/memory.h"
#include "model/kinematics.h"

typedef struct sup_travel {
  double distance; /* displacement of any point of the shape and of its belt [m]; INFINITY for a
                      turning half space */
  double turn;     /* angle [rad] */
  sup_v3 way;      /* of the centre by the velocity of the step's start [m] */
  double beside;   /* of any point, too, from that way [m] */
} sup_travel;

/** Bounds at the step's start: present velocity, free fall and a hundredth of the size.
 *  @param[out] travel  [num_geometries], from the arena */
SUP_NODISCARD sup_status sup_travel_start(const sup_model *model, const sup_increment *inc,
                                          const sup_kinematics *kin, sup_arena *arena,
                                          sup_travel **travel);
/** Raise the bounds exceeded by the velocities v of all trees (at the state's q); returns the
 * number of raised bounds.
 */
SUP_NODISCARD sup_status sup_travel_check(const sup_model *model, const sup_increment *inc,
                                          const sup_kinematics *kin, const double *q,
                                          const double *v, sup_arena *arena, sup_travel *travel,
                                          int *num_exceeded);
/** Reach of a pair in point contact by its travel [m]: a gap above it and above the pair's
 * reach_range gives no force.  A logarithmic barrier acts as far as it is seen: its reach goes by
 * the way of one shape past the other.
 *
 *  mu T |w| is limited to 1/2: above it a law would act at any distance by the lever arm of the gap
 * alone, which is no motion of either surface. */
double sup_travel_reach(const sup_pair *pair, const sup_increment *inc, const sup_travel *travel);
/** mu T/h of a geometry: a bound on that of its pairs. */
double sup_travel_slide(const sup_geometry *geometry, const sup_increment *inc);
/** The least factor 1 - mu T |w| of all geometries, at least 1/2: sup_travel_growth's `lever`. */
double sup_travel_lever(const sup_model *model, const sup_increment *inc, const sup_travel *travel);
/** Upper bound on the contribution of a geometry to the largest gap of a pair that can act: largest
 * delay and largest friction over its pairs may belong to different pairs. */
double sup_travel_growth(const sup_geometry *geometry, const sup_increment *inc, sup_travel travel,
                         double lever);
