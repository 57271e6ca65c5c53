/** Inertia of sparse symmetric matrices.  Layer la. */
#pragma once

#include "la/block_matrix.h"

/** *count := number of negative eigenvalues of the matrix, by Sylvester's law. */
SUP_NODISCARD sup_status sup_inertia(const sup_block_pattern *pattern, const double *values,
                                     int *count);
