/** Part of a pressure field outside of a body that need not be convex.  Layer geom.  Prisms of the
 * margin's width on the surface would overlap in hollows, and a point in two cells would act twice.
 * Prisms that overlap each other or the body are made narrower until they do not; at the least
 * width they vanish. */
#pragma once

#include "base/status.h"

/** A body's cells and the prisms on its surface, cut into tetrahedra. */
typedef struct sup_shell {
  int        num_points, num_tets;
  double    *x;         /* [num_points x 3]; those from first_outer on are moved */
  const int *tet;       /* [num_tets x 4] of the body, from first_tet on of the prisms */
  int        first_tet; /* number of cells of the body */
  int        first_outer;
  const int *inner; /* [num_points - first_outer] point of the surface below each outer one */
  const double
      *offset; /* [num_points - first_outer x 3] way of each outer point for a width of 1 */
} sup_shell;

/** Place the outer points.
 *  @param width    [num_points - first_outer] wanted widths in, possible ones out, 0 .. the wanted
 * one [m]
 *  @param is_used  [num_tets] 1: the tetrahedron has a volume */
SUP_NODISCARD sup_status sup_shell_fit(sup_shell *shell, double *width, unsigned char *is_used);
