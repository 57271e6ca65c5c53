/** Distance between the cores of two convex shapes (Gilbert, Johnson, Keerthi 1988).  Layer geom.
 */
#pragma once

#include "geom/support.h"

typedef struct sup_gjk {
  double distance; /* between the cores; 0 when they overlap or touch */
  sup_v3 a, b;     /* nearest points of the cores, world */
  sup_v3 normal;   /* unit, from a to b; zero when they overlap */
} sup_gjk;

/** Distance after moving b by `shift` (world). size: length scale of the shapes; distances below
 * 1e-13 of it count as touching. */
sup_gjk sup_gjk_distance(const sup_posed_shape *a, const sup_posed_shape *b, sup_v3 shift,
                         double size);
