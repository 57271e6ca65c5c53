/** Bodies that meet or pass each other within a step at present velocities.  Layer collide.
 * Pressure fields also extend sideways from a body.  Beyond their specified margins, fields count
 * only if the bodies would meet, not if the bodies fly past each other. */
#pragma once

#include "collide/surface/surface_depth.h"
#include "geom/support.h"

/** 1: two convex shapes come nearer than `slack` while b moves straight by `travel` past a [m]. */
int sup_meets_shape(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 travel,
                    double slack);
/** 1: two convex shapes without a present contact meet within the step and are apart again at its
 * end. */
int sup_passes_shape(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 travel);
/** 1: points of a soft surface enter the rigid shape b within dt [s]. */
int sup_meets_surface(const sup_moving_surface *a, const sup_moving_shape *b, double dt);
/** 1: points of a soft surface enter the rigid shape b and leave it within dt [s]. */
int sup_passes_surface(const sup_moving_surface *a, const sup_moving_shape *b, double dt);
