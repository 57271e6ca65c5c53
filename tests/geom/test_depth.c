#include "geom/depth.h"

#include <string.h>
#include "geom/surface_bvh.h"

#include "base/memory.h"
#include "test.h"

static sup_v3 random_vector(test_random *r, double size) {
  return sup_v3_make(size * test_uniform(r), size * test_uniform(r), size * test_uniform(r));
}

/* A ball over or through a facet from a hundredth to a hundred times its size: the deepest point is
 * the nearest to its centre. */
static void a_ball_is_as_deep_as_the_nearest_point_of_the_facet(void) {
  test_random     r = {7};
  const sup_shape ball = {SUP_SHAPE_SPHERE, {1}, NULL, NULL};
  for (int trial = 0; trial < 2000; trial++) {
    double size = test_between(&r, .01, 100);
    sup_v3 corner[3], centre = {0, 0, test_uniform(&r)};
    for (int k = 0; k < 3; k++)
      corner[k] = random_vector(&r, size), corner[k].z = centre.z + .1 * corner[k].z;
    long   evaluations = 0;
    sup_v3 n = sup_v3_unit(
        sup_v3_cross(sup_v3_sub(corner[1], corner[0]), sup_v3_sub(corner[2], corner[0])));
    double found = sup_triangle_depth(&ball, corner, 0, 1e-4, &evaluations), inside = 1;
    sup_v3 foot = sup_v3_scale(sup_v3_dot(n, corner[0]), n);
    double nearest = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
      sup_v3 edge = sup_v3_sub(corner[(k + 1) % 3], corner[k]), to = sup_v3_scale(-1, corner[k]);
      double t = fmin(1, fmax(0, sup_v3_dot(edge, to) / sup_v3_dot(edge, edge)));
      nearest = fmin(nearest, sup_v3_norm(sup_v3_madd(corner[k], t, edge)));
      inside = fmin(inside, sup_v3_dot(sup_v3_cross(edge, sup_v3_sub(foot, corner[k])), n));
    }
    if (inside > 0) nearest = fmin(nearest, sup_v3_norm(foot));
    NEAR(found, fmax(0, 1 - nearest), 0, 1.0001e-4);
    CHECK(evaluations <= 4100);
  }
}

/* Every convex shape against points sampled on the facet: never less deep than any, and no deeper
 * than the shape. */
static void no_point_of_a_facet_is_deeper_than_what_is_found(void) {
  test_random     r = {8};
  const sup_shape shapes[] = {{SUP_SHAPE_BOX, {1, .6, .3}, NULL, NULL},
                              {SUP_SHAPE_CYLINDER, {.4, 1}, NULL, NULL},
                              {SUP_SHAPE_CAPSULE, {.3, 1}, NULL, NULL},
                              {SUP_SHAPE_ELLIPSOID, {.9, .4, .2}, NULL, NULL}};
  for (int trial = 0; trial < 400; trial++) {
    const sup_shape *shape = &shapes[trial % 4];
    double           size = test_between(&r, .1, 30), tolerance = 1e-3, deepest = 0;
    sup_v3           corner[3], about = random_vector(&r, .3);
    long             evaluations = 0;
    for (int k = 0; k < 3; k++) corner[k] = sup_v3_add(about, random_vector(&r, size));
    double found = sup_triangle_depth(shape, corner, 0, tolerance, &evaluations);
    for (int i = 0; i < 2000; i++) {
      double u = .5 * (1 + test_uniform(&r)), v = .5 * (1 + test_uniform(&r));
      if (u + v > 1) u = 1 - u, v = 1 - v;
      sup_v3 p = sup_v3_madd(sup_v3_madd(corner[0], u, sup_v3_sub(corner[1], corner[0])), v,
                             sup_v3_sub(corner[2], corner[0]));
      deepest = fmax(deepest, -sup_shape_depth(shape, p, &(sup_v3){0}));
    }
    CHECK(found >= deepest - tolerance);
    CHECK(found <= sup_shape_middle(shape, &(sup_v3){0}) * (1 + 1e-12));
  }
}

/* The surface of a box, of quads and of triangles, knows the depth of any point as the box does. */
static void points_in_a_closed_surface_are_as_deep_as_in_its_box(void) {
  test_random     r = {9};
  const sup_shape box = {SUP_SHAPE_BOX, {1, .7, .4}, NULL, NULL};
  sup_surface    *surface;
  double         *points;
  sup_bvh        *bvh;
  int             num_inside = 0;
  OK(sup_surface_of_shape(&surface, &points, &box, .3));
  OK(sup_surface_bvh_create(&bvh, surface, points));
  sup_solid solid = {surface, points, bvh->node};
  for (int trial = 0; trial < 3000; trial++) {
    sup_v3 p = random_vector(&r, .6);
    long   evaluations = 0;
    double depth = fmax(0, -sup_shape_depth(&box, p, &(sup_v3){0}));
    NEAR(sup_solid_depth(&solid, p, 0, &evaluations), depth, 1e-12, 1e-12);
    NEAR(sup_solid_depth(&solid, p, .1, &evaluations), depth > .1 ? depth : 0, 1e-12, 1e-12);
    num_inside += depth > 0;
  }
  CHECK(num_inside > 300);
  sup_bvh_destroy(&bvh);
  sup_surface_destroy(&surface);
  SUP_FREE(points);
}

/* An L of triangles: at its inner edge the nearest face does not tell the side. */
static void the_winding_tells_the_side_where_faces_fold_inwards(void) {
  static const double x[12][3] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0},
                                  {0, 0, 1}, {2, 0, 1}, {2, 1, 1}, {1, 1, 1}, {1, 2, 1}, {0, 2, 1}};
  static const int    face[20][3] = {{0, 2, 1},  {0, 3, 2},  {0, 5, 3},   {3, 5, 4}, {6, 7, 8},
                                     {6, 8, 9},  {6, 9, 11}, {9, 10, 11}, {0, 1, 7}, {0, 7, 6},
                                     {1, 2, 8},  {1, 8, 7},  {2, 3, 9},   {2, 9, 8}, {3, 4, 10},
                                     {3, 10, 9}, {4, 5, 11}, {4, 11, 10}, {5, 0, 6}, {5, 6, 11}};
  test_random         r = {10};
  sup_surface        *surface;
  sup_bvh            *bvh;
  OK(sup_surface_create(&surface, 12, 20, 3));
  memcpy(surface->face, face, sizeof face);
  OK(sup_surface_bvh_create(&bvh, surface, &x[0][0]));
  sup_solid solid = {surface, &x[0][0], bvh->node};
  NEAR(sup_surface_volume(surface, &x[0][0]), 3, 1e-12, 0);
  for (int trial = 0; trial < 3000; trial++) {
    sup_v3 p = sup_v3_add(sup_v3_make(1, 1, .5), random_vector(&r, 1.2));
    long   evaluations = 0;
    int    is_inside =
        p.z > 0 && p.z < 1 && p.x > 0 && p.y > 0 && ((p.x < 2 && p.y < 1) || (p.x < 1 && p.y < 2));
    CHECK((sup_solid_depth(&solid, p, 0, &evaluations) > 0) == is_inside);
  }
  sup_bvh_destroy(&bvh);
  sup_surface_destroy(&surface);
}

SUITE_TESTS(depth, TEST(a_ball_is_as_deep_as_the_nearest_point_of_the_facet),
            TEST(no_point_of_a_facet_is_deeper_than_what_is_found),
            TEST(points_in_a_closed_surface_are_as_deep_as_in_its_box),
            TEST(the_winding_tells_the_side_where_faces_fold_inwards));
