/** What bodies do within one step at present velocities: meet, or pass each other.  Layer collide.
 *
 *  Margins of pressure fields reach beside a body, too: what is farther than they were asked to
 * reach counts when the bodies would meet, not when they fly past each other. */
#pragma once

#include "collide/surface_depth.h"
#include "geom/support.h"

/** Do two convex shapes come nearer than `slack` while b moves straight by `travel` past a [m]? */
int sup_meets_shape(const sup_placed *a, const sup_placed *b, sup_v3 travel, double slack);
/** Do two convex shapes that give no contact now meet, and lie on the other side of each other
 * after that? */
int sup_passes_shape(const sup_placed *a, const sup_placed *b, sup_v3 travel);
/** Do points of a soft surface enter the rigid shape b within dt [s]? */
int sup_meets_surface(const sup_moving_surface *a, const sup_moving_shape *b, double dt);
/** Do they enter it and leave it? */
int sup_passes_surface(const sup_moving_surface *a, const sup_moving_shape *b, double dt);
