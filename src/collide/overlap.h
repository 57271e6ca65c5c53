/** Penetration depth of bodies by their geometry alone.  Layer collide.
 *
 *  Contacts of a step give the penetration of the contacts that were found.  This measurement
 * covers all pairs of the model: two convex shapes by the least separating translation; a surface
 * and a convex shape by the deepest point of the facets, and by the shape's ball if its middle is
 * inside the surface; two surfaces by the points of each in the other. */
#pragma once

#include "base/memory.h"
#include "model/model.h"

typedef struct sup_overlaps {
  const sup_model *model;
  sup_arena       *arena;
  double          *depth; /* [num_pairs] of the model, 0: apart [m] */
  int             *near;  /* [num_near] pairs whose boxes meet: all others are 0 */
  size_t           near_capacity;
  int              num_near;
  long evaluations; /* cost of the last measurement: number of depths and triangles, about 0.1 us
                       each */
} sup_overlaps;

/** Depth of two convex rigid shapes by the least separating translation [m]; 0: they are apart, or
 * of other kinds. */
double sup_overlap_of_shapes(const sup_model *model, const sup_pair *pair, const sup_frame *X_WL);

/** Memory for the pairs of a model, which must outlive it. */
SUP_NODISCARD sup_status sup_overlaps_create(sup_overlaps *overlaps, const sup_model *model);
void                     sup_overlaps_free(sup_overlaps *overlaps);
/** Fill in depth, near, evaluations.  Self-overlap of soft bodies is not measured.
 *  @param[in] X_WL  [num_bodies] of the links
 *  @param[in] x     [num_vertices x 3] of all soft bodies */
SUP_NODISCARD sup_status sup_overlaps_measure(sup_overlaps *overlaps, const sup_frame *X_WL,
                                              const double *x);
