/** Cavities: closed pieces of a surface whose triangles face inwards.  Layer mesh. */
#pragma once

#include "mesh/surface_check.h"

/** A point in each cavity, for meshers that need a point in each hollow.
 *  @param[out] point  [num_cavities x 3] freed by the caller with SUP_FREE
 *  @param surface  closed, its triangles face out of the solid */
SUP_NODISCARD sup_status sup_surface_cavities(const sup_triangle_list *surface, int *num_cavities,
                                              double **point);
