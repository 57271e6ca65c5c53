/** The part of a pressure field outside of a body that need not be convex.  Layer geom.
 *
 *  Prisms on the surface as wide as the margin would overlap in hollows, and what is in two cells
 * acts twice.  Where they do, among themselves or with the body, they are made narrower until they
 * do not; in the end they vanish. */
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
