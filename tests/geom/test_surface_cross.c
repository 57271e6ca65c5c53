#include "geom/surface_cross.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/format/surface_file.h"
#include "test.h"

/** Two spheres beside each other, their centres this far apart, as one surface. */
static void two_spheres(double distance, sup_surface **both, double **points) {
  const sup_shape shape = {.type = SUP_SHAPE_SPHERE, .size = {1}};
  sup_surface    *one;
  double         *x;
  OK(sup_surface_of_shape(&one, &x, &shape, 0.4));
  int n = one->num_points, m = one->num_faces;
  OK(sup_surface_create(both, 2 * n, 2 * m, 3));
  OK(SUP_CALLOC(*points, 6 * (size_t)n));
  for (int i = 0; i < 3 * n; i++) {
    (*points)[i] = x[i];
    (*points)[3 * n + i] = x[i] + (i % 3 == 0 ? distance : i % 3 == 1 ? 0.013 : 0.007);
  }
  for (int i = 0; i < 3 * m; i++)
    (*both)->face[i] = one->face[i], (*both)->face[3 * m + i] = one->face[i] + n;
  sup_surface_destroy(&one);
  SUP_FREE(x);
}

/** Spheres that overlap cross along a circle half way, others do not. */
static void spheres_cross_when_they_overlap(void) {
  for (int k = 0; k < 2; k++) {
    sup_surface          *both;
    double               *points;
    sup_surface_crossings c;
    two_spheres(k == 0 ? 2.1 : 1.2, &both, &points);
    OK(sup_surface_find_crossings(both, points, &c));
    if (k == 0) CHECK(c.num_pairs == 0 && c.triangle[0] == SUP_NONE);
    if (k == 1) {
      CHECK(c.num_pairs > 20);
      CHECK(c.triangle[0] < both->num_faces / 2 && c.triangle[1] >= both->num_faces / 2);
      NEAR(c.where.x, 0.6, 0, 0.1); /* the circle stands half way, its radius is 0.8 */
      NEAR(hypot(c.where.y, c.where.z), 0.8, 0, 0.1);
    }
    sup_surface_destroy(&both);
    SUP_FREE(points);
  }
}

/** Triangles that touch in a corner and go on through each other are found, those that only touch
 * are not. */
static void a_common_corner_hides_nothing(void) {
  for (int k = 0; k < 2; k++) {
    /* the second triangle's far edge goes through the first one, or beside it */
    double       points[] = {0, 0, 0, 2, -1, 0, 2, 1, 0, 1, k ? 3 : 0, -1, 1, k ? 3 : 0, 1};
    const int    face[] = {0, 1, 2, 0, 3, 4};
    sup_surface *s;
    sup_surface_crossings c;
    OK(sup_surface_create(&s, 5, 2, 3));
    memcpy(s->face, face, sizeof face);
    OK(sup_surface_find_crossings(s, points, &c));
    CHECK(c.num_pairs == (k == 0));
    if (k == 0) CHECK(c.where.x == 1 && c.where.y == 0 && c.where.z == 0);
    sup_surface_destroy(&s);
  }
}

SUITE_TESTS(surface_cross, TEST(spheres_cross_when_they_overlap),
            TEST(a_common_corner_hides_nothing));
