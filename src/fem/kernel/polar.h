/** Polar decomposition of 3x3 matrices.  Layer fem.  A pure function: no state, no warm start. */
#pragma once

#include "base/vec.h"

/** The rotation R that maximises trace(R^T F): F = R S, S symmetric (THEORY 4.4).  R is a rotation
 * (det +1) for every finite F: when det F < 0 the smallest singular value carries the sign in S;
 * when R is not unique (singular values s2 + s3 = 0 with that sign, or F = 0) one of the maximisers
 * is returned, the same for the same F; zero gives I. */
sup_m3 sup_fem_polar(const sup_m3 *F);
