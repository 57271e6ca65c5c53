/** Outward orientation of triangles whose orders of points disagree in a file.  Layer mesh. */
#pragma once

#include "base/status.h"

/** Turn triangles so that two that share an edge pass it in opposite directions, and a closed part
 * has its outside outwards: parts that lie in no other one enclose a positive volume; of those
 * inside another, one that was of one mind in the file keeps its side (and turns with the part
 * about it), every other one becomes a hollow or a body by turns.  Open parts take the side of most
 * of their triangles.  Edges of more than two triangles join nothing; a part that has one side only
 * (a Moebius strip) stays as it is.
 *  @param[in,out] triangle  [num_triangles x 3] points
 *  @param[out] num_turned   triangles that were turned */
SUP_NODISCARD sup_status sup_surface_orient(const double *point, int num_triangles, int *triangle,
                                            int *num_turned);
