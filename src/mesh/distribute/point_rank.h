/** Order of points independent of their numbering.  Layer mesh. */
#pragma once

#include "base/status.h"

/** rank [n]: place of each point in the order of its distance from the mean of all.  Of one
 * distance (to 1e-9 of the largest) the order goes by the means over all points of the second,
 * third and fourth power of the scalar product with them, which no rotation and no mirror changes.
 * Points that agree in these, too, are alike: images of each other where the points as a whole are
 * their own image.  Their order goes by |z|, |y|, |x| from the mean, then by z, y, x.
 *  @param[in]  x      [n x 3]
 *  @param[out] alike  [n] the lowest rank of the points that are alike; NULL: not asked for */
SUP_NODISCARD sup_status sup_point_rank(int n, const double *x, int *rank, int *alike);
