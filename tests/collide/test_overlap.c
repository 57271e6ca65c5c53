#include "collide/overlap.h"

#include "model/kinematics.h"
#include "scene_test.h"

/** The deepest pair of a scene at its start. */
static double depth_of(test_scene *s) {
  sup_overlaps   o;
  sup_arena     *arena;
  sup_kinematics kin;
  double         depth = 0;
  OK(sup_arena_create(&arena, 1 << 12));
  sup_increment inc = test_increment(s);
  OK(sup_kinematics_compute(&kin, s->model, &inc, s->state->q, s->state->v, arena));
  OK(sup_overlaps_create(&o, s->model));
  for (int twice = 0; twice < 2; twice++) { /* memory that is kept says the same again */
    OK(sup_overlaps_measure(&o, kin.X_WL, s->state->x));
    for (int p = 0; p < s->model->num_pairs; p++) depth = fmax(depth, o.depth[p]);
  }
  sup_overlaps_free(&o);
  sup_arena_destroy(&arena);
  return depth;
}

static sup_link_def *add(test_scene *s, const char *name, sup_shape shape, double x, double y,
                         double z) {
  sup_link_def *l = test_add_rigid(s, name, shape, 1, 0);
  for (int c = 0; c < 3; c++) l->inertia[c] = 1e-6;
  l->q0[0] = x, l->q0[1] = y, l->q0[2] = z;
  return l;
}

/** A slab of 60 x 60 x 20 mm of twelve triangles, its top at z = 0. */
static sup_hull *slab(void) {
  static const int face[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                  {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  double           points[24];
  sup_hull        *hull;
  for (int i = 0; i < 8; i++)
    points[3 * i] = i & 1 ? .03 : -.03, points[3 * i + 1] = i & 2 ? .03 : -.03,
               points[3 * i + 2] = i & 4 ? 0 : -.02;
  OK(sup_polyhedron_create(&hull, 8, points, 12, &face[0][0]));
  return hull;
}

static void convex_shapes_overlap_by_the_least_way_out(void) {
  for (int apart = 0; apart < 2; apart++) {
    test_scene s;
    test_scene_init(&s);
    add(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.1}, NULL, NULL}, 0, 0, 0);
    add(&s, "box", (sup_shape){SUP_SHAPE_BOX, {.2, .3, .4}, NULL, NULL}, .17 + .05 * apart, 0, 0);
    test_start(&s);
    NEAR(depth_of(&s), apart ? 0 : .03, 1e-9, 0);
    test_end(&s);
  }
}

/* A ball on, in and through a facet thirty times its size, which no contact of the facet's corners
 * sees. */
static void a_ball_in_a_facet_is_as_deep_as_it_is(void) {
  const double height[] = {.0021, .0015, 0, -.003, -.01};
  for (int k = 0; k < 5; k++) {
    test_scene s;
    sup_shape  mesh = {SUP_SHAPE_MESH, {0}, slab(), NULL};
    test_scene_init(&s);
    test_add_rigid(&s, "slab", mesh, 1, 1);
    add(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.002}, NULL, NULL}, .011, -.007, height[k]);
    test_start(&s);
    double depth = depth_of(&s);
    NEAR(depth, fmax(0, .002 - height[k]), 0, 1e-2 * .004);
    test_end(&s);
    sup_hull_destroy(&mesh.hull);
  }
}

/* The same with a soft block of one cell, and with a needle that is thinner than it is deep. */
static void soft_bodies_overlap_by_what_is_in_them(void) {
  const sup_shape shapes[] = {{SUP_SHAPE_SPHERE, {.003}, NULL, NULL},
                              {SUP_SHAPE_CAPSULE, {.001, .01}, NULL, NULL}};
  const double    height[] = {.001, .002}, expected[] = {.002, .004};
  for (int k = 0; k < 2; k++) {
    test_scene s;
    test_scene_init(&s);
    test_add_soft_box(&s, "block", .1, .1, .1, 1, 1, 1, SUP_PATTERN_HEX, 1e5, .3, 1000);
    add(&s, "tool", shapes[k], .03, .05, .1 + height[k]);
    test_start(&s);
    NEAR(depth_of(&s), expected[k], 0, 1e-4);
    test_end(&s);
  }
}

static void two_soft_bodies_overlap_by_the_points_of_each(void) {
  test_scene s;
  test_scene_init(&s);
  test_add_soft_box(&s, "lower", .1, .1, .1, 2, 2, 2, SUP_PATTERN_HEX, 1e5, .3, 1000);
  test_add_soft_box(&s, "upper", .02, .02, .02, 1, 1, 1, SUP_PATTERN_KUHN, 1e5, .3, 1000);
  s.soft[1].X_WS.p[0] = .04, s.soft[1].X_WS.p[1] = .03, s.soft[1].X_WS.p[2] = .1 - .007;
  test_start(&s);
  NEAR(depth_of(&s), .007, 1e-9, 0);
  test_end(&s);
}

/* A half space has no points, but facets in it: a block on the floor, in it, and below it. */
static void a_soft_body_is_as_deep_in_a_half_space_as_its_lowest_point(void) {
  static const double depth[] = {0, .007, .3};
  for (int k = 0; k < 3; k++) {
    test_scene s;
    test_scene_init(&s);
    test_add_soft_box(&s, "block", .1, .1, .1, 1, 1, 1, SUP_PATTERN_HEX, 1e5, .3, 1000);
    test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 0, 1);
    s.soft[0].X_WS.p[2] = -depth[k];
    test_start(&s);
    NEAR(depth_of(&s), depth[k], 1e-9, 1e-12);
    test_end(&s);
  }
}

SUITE_TESTS(overlap, TEST(convex_shapes_overlap_by_the_least_way_out),
            TEST(a_ball_in_a_facet_is_as_deep_as_it_is),
            TEST(soft_bodies_overlap_by_what_is_in_them),
            TEST(two_soft_bodies_overlap_by_the_points_of_each),
            TEST(a_soft_body_is_as_deep_in_a_half_space_as_its_lowest_point));
