/* Curvature of surfaces: sums of both directions, by which soft bodies share the way of a contact.
 */
#include "mesh/surface_curvature.h"

#include <math.h>

#include "base/memory.h"
#include "test.h"

static double mean_of(const sup_shape *shape, double resolution) {
  sup_surface *surface = NULL;
  double      *points = NULL, mean = 0;
  OK(sup_surface_of_shape(&surface, &points, shape, resolution));
  OK(sup_surface_mean_curvature(surface, points, &mean));
  sup_surface_destroy(&surface);
  SUP_FREE(points);
  return mean;
}

static void round_shapes_have_the_curvature_of_their_radius(void) {
  sup_shape ball = {.type = SUP_SHAPE_SPHERE, .size = {.02}},
            roller = {.type = SUP_SHAPE_CYLINDER, .size = {.03, .05}},
            box = {.type = SUP_SHAPE_BOX, .size = {.1, .2, .3}};
  NEAR(mean_of(&ball, .004), 2 / .02, .1, 0);
  NEAR(mean_of(&ball, .001), 2 / .02, .05, 0);
  NEAR(mean_of(&roller, .001), 1 / .03, .15, 0); /* uneven shares of triangles raise it by .11 */
  NEAR(mean_of(&box, .01), 0, 0, 0);
}

/* Points on a ball's surface have it, too; inside out it is hollow. */
static void points_have_a_curvature_of_their_own(void) {
  sup_shape    ball = {.type = SUP_SHAPE_SPHERE, .size = {.02}};
  sup_surface *surface = NULL;
  double      *points = NULL, *curvature = NULL;
  OK(sup_surface_of_shape(&surface, &points, &ball, .002));
  OK(SUP_CALLOC(curvature, surface->num_points));
  OK(sup_surface_curvature(surface, points, curvature));
  int num_off = 0;
  for (int i = 0; i < surface->num_points; i++) num_off += fabs(curvature[i] * .01 - 1) > .15;
  CHECK(num_off == 6); /* corners of the octahedron, at four triangles: 1.5 times as much */
  for (int i = 0; i < surface->num_points; i++) points[3 * i] *= -1;
  OK(sup_surface_curvature(surface, points, curvature));
  for (int i = 0; i < surface->num_points; i++) NEAR(curvature[i], 0, 0, 0);
  sup_surface_destroy(&surface);
  SUP_FREE(points);
  SUP_FREE(curvature);
}

SUITE_TESTS(surface_curvature, TEST(round_shapes_have_the_curvature_of_their_radius),
            TEST(points_have_a_curvature_of_their_own));
