#include "collide/turned.h"

#include "scene_test.h"

static sup_link_def *add_ball(test_scene *s, const char *name, double x, double y) {
  sup_link_def *l = test_add_rigid(s, name, (sup_shape){SUP_SHAPE_SPHERE, {.05}}, 1, 0);
  l->q0[0] = x, l->q0[1] = y;
  s->geometry[s->def.num_trees - 1].contact.modulus = 1e6;
  return l;
}

static sup_v3 centre(const test_scene *s, const sup_kinematics *kin, int g) {
  return sup_frame_apply(&kin->X_WL[s->model->geometry[g].body], s->model->geometry[g].X_LG.p);
}

/** Approach of the first pair, and that of the centres from the start to where they are seen, which
 * differ by h^2 of the spins. */
static int approach(const test_scene *s, double *way, double *moved) {
  sup_arena     *arena;
  sup_kinematics kin;
  sup_turned     turned;
  sup_v3         lever;
  OK(sup_arena_create(&arena, 1 << 12));
  const sup_pair *pair = &s->model->pair[0];
  sup_increment   inc = test_increment(s);
  OK(sup_kinematics_compute(&kin, s->model, &inc, s->state->q, s->state->v, arena));
  OK(sup_turned_create(&turned, s->model, &inc, &kin, s->state->xdot, arena));
  sup_v3 shift = sup_turned_shift(&turned, s->model, pair, &inc, &lever);
  sup_v3 before = sup_v3_sub(centre(s, &kin, pair->geometry_b), centre(s, &kin, pair->geometry_a));
  sup_v3 after = sup_v3_add(sup_v3_sub(centre(s, &turned.kin, pair->geometry_b),
                                       centre(s, &turned.kin, pair->geometry_a)),
                            shift);
  *moved = sup_v3_dot(sup_v3_unit(before), sup_v3_sub(before, after));
  int known = sup_turned_approach(&turned, s->model, pair, &inc, way);
  sup_arena_destroy(&arena);
  return known;
}

static void the_approach_of_balls_is_known_before_a_search(void) {
  test_random random = {7};
  int         num_known = 0;
  for (int k = 0; k < 200; k++) {
    test_scene s;
    double     way, moved;
    test_scene_init(&s);
    for (int b = 0; b < 2; b++) {
      sup_link_def *l = add_ball(&s, b ? "b" : "a", .098 * b, 0);
      for (int c = 0; c < 3; c++) {
        l->v0[c] = 5 * test_uniform(&random), l->v0[3 + c] = test_uniform(&random);
        l->com[c] = .01 * test_uniform(&random);
      }
    }
    test_start(&s);
    if (approach(&s, &way, &moved)) NEAR(way, moved, 0, 3e-5), num_known++;
    test_end(&s);
  }
  printf("%d of 200 known, ", num_known);
  CHECK(num_known > 100);
}

/** Numbers of contacts of a pair of balls, and of those that are seen turned. */
static int count(double speed, int *num_turned) {
  test_scene s;
  test_scene_init(&s);
  add_ball(&s, "a", 0, 0)->v0[3] = speed;
  add_ball(&s, "b", .098, .002);
  test_start(&s);
  OK(sup_stepper_observe(s.stepper, s.state));
  const sup_step_result *result = sup_stepper_result(s.stepper);
  int                    num_seen = result->num_seen;
  *num_turned = 0;
  for (int i = 0; i < num_seen; i++) *num_turned += result->seen[i].advance != 0;
  test_end(&s);
  return num_seen;
}

/* 1 mm a step, 2 % of the radius, lies between both speeds. */
static void what_turning_brings_into_each_other_is_seen_as_it_stands(void) {
  int turned;
  CHECK(count(.09, &turned) > 0 && turned > 0);
  CHECK(count(.11, &turned) > 0 && turned == 0);
}

SUITE_TESTS(turned, TEST(the_approach_of_balls_is_known_before_a_search),
            TEST(what_turning_brings_into_each_other_is_seen_as_it_stands));
