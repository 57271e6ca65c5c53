#include <stdlib.h>

#include "base/timer.h"
#include "collide/broad.h"
#include "test.h"

/** n balls of radius .05 at random in a cube of constant density, on a half space and in a large
 * box. */
typedef struct crowd {
  sup_model_def     def;
  sup_tree_def     *tree;
  sup_link_def     *link;
  sup_geometry_def *geometry;
  sup_model        *model;
  sup_box          *box;
} crowd;

static void crowd_create(crowd *c, int n) {
  test_random r = {17};
  double      side = .2 * cbrt(n);
  *c = (crowd){.def = sup_default_model_def()};
  OK(SUP_CALLOC(c->tree, n + 2));
  OK(SUP_CALLOC(c->link, n + 2));
  OK(SUP_CALLOC(c->geometry, n + 2));
  OK(SUP_CALLOC(c->box, n + 2));
  for (int i = 0; i < n + 2; i++) {
    sup_tree_def *t = &c->tree[i];
    *t = sup_default_tree_def();
    snprintf(t->name, sizeof t->name, "b%d", i);
    t->is_rigid_body = t->num_links = 1;
    t->links = &c->link[i];
    c->link[i] = sup_default_link_def();
    snprintf(c->link[i].name, sizeof c->link[i].name, "b%d", i);
    c->link[i].num_geometries = 1, c->link[i].geometries = &c->geometry[i];
    c->geometry[i] = (sup_geometry_def){.marker = SUP_INITIALISED,
                                        .X_LG = sup_pose_identity(),
                                        .contact = sup_default_contact_def()};
    c->geometry[i].contact.point_stiffness = 1e5, c->geometry[i].contact.resolution = 1;
    c->geometry[i].shape = (sup_shape){SUP_SHAPE_SPHERE, {.05}};
    if (i == 0) c->geometry[i].shape = (sup_shape){SUP_SHAPE_HALF_SPACE, {0}};
    if (i == 1) c->geometry[i].shape = (sup_shape){SUP_SHAPE_BOX, {10, 10, 10}};
    sup_v3 centre = {side * test_uniform(&r) / 2, side * test_uniform(&r) / 2,
                     side * test_uniform(&r) / 2};
    double e = i == 0 ? HUGE_VAL : i == 1 ? 5 : .05;
    sup_v3 half = {e, e, e};
    c->box[i] = (sup_box){sup_v3_sub(centre, half), sup_v3_add(centre, half)};
    if (i < 2) continue;
    c->link[i].joint = SUP_JOINT_FLOATING, c->link[i].mass = 1;
    for (int k = 0; k < 3; k++) c->link[i].inertia[k] = 1e-3;
  }
  c->def.num_trees = n + 2, c->def.trees = c->tree;
  OK(sup_model_create(&c->model, &c->def));
}

static void crowd_destroy(crowd *c) {
  sup_model_destroy(&c->model);
  SUP_FREE(c->tree);
  SUP_FREE(c->link);
  SUP_FREE(c->geometry);
  SUP_FREE(c->box);
}

static void candidates_are_those_of_testing_all_pairs_in_order(void) {
  for (int n = 1; n < 300; n = 3 * n + 1) {
    crowd      c;
    sup_arena *arena;
    int       *pair = NULL, count, expected = 0;
    size_t     capacity = 0;
    crowd_create(&c, n);
    OK(sup_arena_create(&arena, 1 << 16));
    OK(sup_broad_phase(c.model, c.box, arena, &pair, &capacity, &count));
    for (int p = 0; p < c.model->num_pairs; p++) {
      const sup_pair *q = &c.model->pair[p];
      int             is_half_space = q->geometry_a == 0 || q->geometry_b == 0;
      if (!is_half_space && !sup_box_overlap(&c.box[q->geometry_a], &c.box[q->geometry_b]))
        continue;
      CHECK(expected < count && pair[expected] == p);
      expected++;
    }
    CHECK(count == expected);
    SUP_FREE(pair);
    sup_arena_destroy(&arena);
    crowd_destroy(&c);
  }
}

/* Sixteen times as many balls: testing all pairs would take 256 times as long, n log n and a table
 * that outgrows the cache about 35 times. */
static void time_grows_with_the_number_of_bodies(void) {
  double      seconds[2] = {1, 1};
  test_random r = {2};
  for (int k = 0; k < 5; k++) {
    crowd      c;
    sup_arena *arena;
    int       *pair = NULL, count, n = 40 << k;
    size_t     capacity = 0;
    double     best = HUGE_VAL;
    crowd_create(&c, n);
    OK(sup_arena_create(&arena, 1 << 20));
    for (int repeat = 0; repeat < 20; repeat++) {
      /* moved each time: what the processor remembers of a small scene's branches is no property of
       * the method */
      for (int i = 2; i < n + 2; i++) {
        sup_v3 move = {.05 * test_uniform(&r), .05 * test_uniform(&r), .05 * test_uniform(&r)};
        c.box[i] = (sup_box){sup_v3_add(c.box[i].lower, move), sup_v3_add(c.box[i].upper, move)};
      }
      double start = sup_wall_time();
      OK(sup_broad_phase(c.model, c.box, arena, &pair, &capacity, &count));
      best = fmin(best, sup_wall_time() - start);
      OK(sup_arena_reset(arena));
    }
    printf("%d: %.1f us, ", n, 1e6 * best);
    if (k == 0) seconds[0] = best;
    if (k == 4) seconds[1] = best;
    SUP_FREE(pair);
    sup_arena_destroy(&arena);
    crowd_destroy(&c);
  }
  CHECK(seconds[1] < 64 * seconds[0]);
}

SUITE_TESTS(broad, TEST(candidates_are_those_of_testing_all_pairs_in_order),
            TEST(time_grows_with_the_number_of_bodies));
