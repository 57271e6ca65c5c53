/** Paths of a drawing made into a profile: lines, arcs and Bezier curves as points, open paths
 * joined to closed ones.  Layer profile, private: shared by the readers of SVG, DXF and CSV. */
#pragma once

#include "profile/profile.h"

typedef struct sup_path {
  sup_loop line;
  int      is_closed;
} sup_path;

typedef struct sup_drawing {
  int       num_paths;
  sup_path *path;
  size_t    capacity;
  double    affine[6];            /* to metres: x' = a0 x + a2 y + a4, y' = a1 x + a3 y + a5 */
  double    at[2];                /* the pen, before the affine map */
  double    scale[2], shift[2];   /* as of the profile */
  char      id[SUP_LOOP_ID_SIZE]; /* of the paths that are begun from now on */
} sup_drawing;

void sup_drawing_free(sup_drawing *drawing);
/** Begin a path here. */
SUP_NODISCARD sup_status sup_drawing_begin(sup_drawing *d, double x, double y);
SUP_NODISCARD sup_status sup_drawing_line(sup_drawing *d, double x, double y);
/** Part of an ellipse in pieces of at most 5 degrees, from the angle t0 to t1 [rad]; a path that
 * has not reached its beginning goes there by a line.
 *  @param turn  of its first axis against x [rad] */
SUP_NODISCARD sup_status sup_drawing_ellipse(sup_drawing *d, const double centre[2],
                                             const double axis[2], double turn, double t0,
                                             double t1);
/** A cubic Bezier curve from the pen by its points [3 x 2]. */
SUP_NODISCARD sup_status sup_drawing_bezier(sup_drawing *d, const double point[6]);
/** A point of a smooth curve. */
SUP_NODISCARD sup_status sup_drawing_curve(sup_drawing *d, double x, double y);
void                     sup_drawing_close(sup_drawing *d);
/** The finished profile; ends of open paths that are as near as 1e-5 of the drawing are one point.
 * E_GEOMETRY: an open end [mm], and the errors of sup_profile_finish. */
SUP_NODISCARD sup_status sup_drawing_finish(sup_drawing *d, const char *name,
                                            sup_profile **profile);
