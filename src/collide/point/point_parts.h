/** Parts of the narrow phase of points.  Private to layer collide. */
#pragma once

#include "collide/point/point.h"

/** Largest slope of a segment that lies on a feature; steeper segments touch with one end. */
#define SUP_POINT_FLAT_LINE 0.05

/** Request for a pair: points by distances, or those of known features. */
typedef struct sup_point_query {
  double     margin, reach; /* arguments of sup_collide_point */
  const int *feature;       /* [count]; NULL: by distances */
  int        count;
} sup_point_query;

/** Points of a half space a and a shape. */
void sup_point_half_space(const sup_posed_shape *a, const sup_posed_shape *b,
                          const sup_point_query *query, sup_point_set *out);
/** Direction and phi of two overlapping boxes by their 15 separating axes; a lower bound of phi for
 * boxes apart.  Faces win over edges within 1e-6 of the size. */
double sup_point_boxes(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 *normal,
                       int *is_edge);
/** Points of a pair from its direction, its nearest points and the overlap of its features. */
void sup_point_manifold(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 normal,
                        sup_witness nearest, const sup_point_query *query, sup_point_set *out);
/** Length scale of the two shapes: half the radius of the smaller bounding ball. */
double sup_point_size(const sup_posed_shape *a, const sup_posed_shape *b);
/** Distance of the shapes along n: -h_a(n) - h_b(-n). */
double sup_point_gap(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 n);

static inline void sup_point_add(sup_point_set *out, sup_v3 a, sup_v3 b, double phi, int feature) {
  if (out->count < SUP_POINT_MAX) out->point[out->count++] = (sup_witness){a, b, phi, feature};
}
