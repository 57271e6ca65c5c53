/** Profiles from text formats in memory; `name` is used in messages.  Layer profile.
 *  unit: [m] of the file's numbers; 0: that of the file. */
#pragma once

#include "profile/profile.h"

/** Loops are rows "x, y", blank lines or another value in a third column between them. */
SUP_NODISCARD sup_status sup_profile_parse_csv(sup_profile **profile, const char *name,
                                               const char *data, double unit);
/** LINE, ARC, CIRCLE, ELLIPSE, SPLINE, LWPOLYLINE, POLYLINE of the section ENTITIES of an ASCII
 * file. */
SUP_NODISCARD sup_status sup_profile_parse_dxf(sup_profile **profile, const char *name,
                                               const char *data, double unit);
