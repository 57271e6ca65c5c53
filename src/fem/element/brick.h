/** Geometry of a trilinear hexahedron.  Layer fem, private. */
#pragma once

#include "fem/element/element.h"

/** Gradient of shape function a with respect to the reference coordinates. */
static inline sup_v3 sup_brick_shape_derivative(int a, sup_v3 xi) {
  const double *r = sup_h8_corner[a];
  double        f = 1 + r[0] * xi.x, g = 1 + r[1] * xi.y, h = 1 + r[2] * xi.z;
  return sup_v3_make(0.125 * r[0] * g * h, 0.125 * f * r[1] * h, 0.125 * f * g * r[2]);
}

/** dx/dxi at any point of the reference cube; differences keep the digits of a small cell far from
 * the origin. */
static inline sup_m3 sup_brick_jacobian(const double *x, sup_v3 xi) {
  sup_m3 J = sup_m3_zero();
  for (int a = 1; a < 8; a++) {
    sup_v3 e = sup_v3_sub(sup_v3_load(x + 3 * a), sup_v3_load(x)),
           d = sup_brick_shape_derivative(a, xi);
    J = sup_m3_add(J, sup_m3_outer(e, d));
  }
  return J;
}

/** dx/dxi at the eight integration points. */
void sup_brick_jacobians(const double *x, sup_m3 J[8]);
/** Smallest det J at the integration points and the centre, over the cube of the longest edge. */
double sup_brick_smallest_jacobian(const double *X);
