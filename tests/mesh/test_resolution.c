/* The facets of a shape that names no resolution follow its size. */
#include "base/memory.h"
#include "mesh/surface.h"
#include "test.h"

static int faces_of(sup_shape shape, double resolution) {
  sup_surface *surface;
  double      *points;
  OK(sup_surface_of_shape(&surface, &points, &shape, sup_surface_resolution(&shape, resolution)));
  int count = surface->num_faces;
  sup_surface_destroy(&surface);
  SUP_FREE(points);
  return count;
}

static void small_shapes_have_facets_of_ten_millimetres(void) {
  const sup_shape ball = {.type = SUP_SHAPE_SPHERE, .size = {.05}};
  CHECK(sup_surface_resolution(&ball, 0) == .01);
  CHECK(sup_surface_resolution(&ball, .003) == .003);
  CHECK(sup_surface_resolution(&(sup_shape){.type = SUP_SHAPE_BOX, .size = {.1, .5, .2}}, 0) ==
        .01);
}

static void large_shapes_have_fifty_along_them(void) {
  const sup_shape shapes[] = {{.type = SUP_SHAPE_SPHERE, .size = {3}},
                              {.type = SUP_SHAPE_ELLIPSOID, .size = {1, 3, 2}},
                              {.type = SUP_SHAPE_BOX, .size = {1, 6, 2}},
                              {.type = SUP_SHAPE_CYLINDER, .size = {3, 2}},
                              {.type = SUP_SHAPE_CAPSULE, .size = {1, 4}}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    NEAR(sup_surface_resolution(&shapes[k], 0), 6. / 50, 1e-15, 0);
}

/** The number of facets does not grow with the size any more. */
static void a_planet_has_no_more_facets_than_a_boulder(void) {
  int boulder = faces_of((sup_shape){.type = SUP_SHAPE_SPHERE, .size = {.25}}, 0);
  CHECK(boulder > 10000 && boulder < 30000);
  CHECK(faces_of((sup_shape){.type = SUP_SHAPE_SPHERE, .size = {6e6}}, 0) == boulder);
}

SUITE_TESTS(resolution, TEST(small_shapes_have_facets_of_ten_millimetres),
            TEST(large_shapes_have_fifty_along_them),
            TEST(a_planet_has_no_more_facets_than_a_boulder));
