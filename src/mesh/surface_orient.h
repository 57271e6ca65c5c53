/** Outward orientation of triangles whose orders of points disagree in a file.  Layer mesh. */
#pragma once

#include "base/status.h"

/** Turn triangles so that two triangles use their common edge in opposite directions, and closed
 * parts face outwards.  Parts inside no other part enclose a positive volume.  A part inside
 * another one keeps its orientation if all its triangles agreed in the file (and turns with the
 * part around it); otherwise nested parts alternate between hollow and body.  Open parts take the
 * side of most of their triangles.  Edges of more than two triangles join nothing; one-sided parts
 * (a Moebius strip) stay unchanged.
 *  @param[in,out] triangle  [num_triangles x 3] points
 *  @param[out] num_turned   triangles that were turned */
SUP_NODISCARD sup_status sup_surface_orient(const double *point, int num_triangles, int *triangle,
                                            int *num_turned);
