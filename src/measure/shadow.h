/** Shadows of bodies: their convex outlines along a direction, inscribed.  Layer measure. */
#pragma once

#include "measure/observation.h"

/** Area that the shadows of bodies a and b along the unit direction share, a = SUP_NONE: that of b
 * [m^2]; without b's shadow, as of a half space, that of a; 0: none of them has one. */
double sup_shadow_overlap(const sup_observation *obs, int a, int b, sup_v3 along);
