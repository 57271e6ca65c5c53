/** Strips of one layer of bricks along a curve in the plane of x and z. */
#pragma once

#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "mesh/mesh.h"
#include "test.h"

typedef struct test_curve_point {
  sup_v3 at, normal;
} test_curve_point;

/** s in 0 .. 1 */
typedef test_curve_point test_curve(double s);

static inline test_curve_point test_straight(double s) {
  return (test_curve_point){{s, 0, 0}, {0, 0, 1}};
}

/** A quarter of a circle of radius 1 m from the top to the right. */
static inline test_curve_point test_quarter_circle(double s) {
  double a = s * acos(0);
  return (test_curve_point){{sin(a), 0, cos(a)}, {sin(a), 0, cos(a)}};
}

/** n cells along, one across the width and one through the thickness; vertices 4 i .. 4 i + 3 at
 * station i: inside at y = 0 and y = width, then outside.
 *  @param[in] skew  way of the vertices inside the plan, to and fro, over a cell's length */
static inline sup_mesh *test_sheet(test_curve *curve, double width, double thickness, int n,
                                   double skew) {
  sup_mesh *mesh = NULL;
  OK(sup_mesh_create(&mesh, SUP_CELL_H8, 4 * (n + 1), n));
  for (int i = 0; i <= n; i++)
    for (int k = 0; k < 4; k++) {
      double           s = i % n ? skew / n * (i % 2 ? 1 : -1) * (k % 2 ? 1 : -1) : 0;
      test_curve_point p = curve((double)i / n + s);
      sup_v3           x = sup_v3_madd(p.at, k < 2 ? -.5 * thickness : .5 * thickness, p.normal);
      x.y = k % 2 ? width : 0;
      sup_v3_store(mesh->x + 3 * (4 * i + k), x);
    }
  for (int i = 0; i < n; i++) {
    int a = 4 * i, b = a + 4;
    memcpy(mesh->cell + 8 * (size_t)i, (int[8]){a, b, b + 1, a + 1, a + 2, b + 2, b + 3, a + 3},
           8 * sizeof *mesh->cell);
  }
  return mesh;
}
