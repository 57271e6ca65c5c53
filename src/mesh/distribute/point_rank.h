/** An order of points that does not go by their numbers.  Layer mesh. */
#pragma once

#include "base/status.h"

/** rank [n]: place of each point in the order of its distance from the mean of all, the same
 * wherever they stand, in the mirror and under other numbers.  Of one distance (to 1e-9 of the
 * largest) the order goes by |z|, |y|, |x| from the mean, the same in the mirror, then by z, y, x.
 *  @param[in] x  [n x 3] */
SUP_NODISCARD sup_status sup_point_rank(int n, const double *x, int *rank);
