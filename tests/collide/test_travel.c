#include "collide/travel.h"

#include "collide/collide.h"
#include "scene_test.h"

static const sup_contact_model models[] = {SUP_MODEL_LAGGED, SUP_MODEL_SIMILAR, SUP_MODEL_SAP};

static void add_ball(test_scene *s, const char *name, double x, double speed) {
  sup_link_def *l = test_add_rigid(s, name, (sup_shape){SUP_SHAPE_SPHERE, {.05}}, 1, 0);
  l->q0[0] = x, l->v0[3] = speed;
  s->geometry[s->def.num_trees - 1].contact.point_stiffness = 1e6;
}

/* A ball at 30 m/s pushes a ball at rest, which within the same step meets a third one 5 cm farther, five times what
 * its own velocity, gravity and a hundredth of its size would bring it near. */
static void what_is_pushed_into_reach_within_the_step_is_met(void) {
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    test_scene s;
    test_scene_init(&s);
    s.def.options.gravity[2] = 0, s.def.options.contact_model = models[k], s.def.options.tolerance = 1e-10;
    add_ball(&s, "first", 0, 30);
    add_ball(&s, "second", .15, 0);
    add_ball(&s, "third", .3, 0);
    test_start(&s);
    test_step(&s);
    const double *v = s.state->v, *q = s.state->q;
    double        momentum = v[3] + v[9] + v[15];
    NEAR(momentum, 30, 1e-9, 0);
    CHECK(s.report.num_contacts >= 2);
    CHECK(v[9] > .1 && v[15] > .1);
    CHECK(q[7] - q[0] > .1 - 1e-3 && q[14] - q[7] > .1 - 1e-3);
    test_end(&s);
  }
}

/* Pairs beyond the reach of the solution's travel carry no impulse: with every pair of the scene given to the solver
 * the bits of the impulses may differ, their values may not. */
static void the_solution_is_that_with_all_pairs(void) {
  test_random random = {4};
  int         more = 0;
  for (size_t k = 0; k < sizeof models / sizeof *models; k++)
    for (int trial = 0; trial < 10; trial++) {
      double end[2][36];
      int    count[2];
      double place[6][3], speed[6][3];
      for (int i = 0; i < 18; i++)
        place[i / 3][i % 3] = .09 * test_uniform(&random), speed[i / 3][i % 3] = 5 * test_uniform(&random);
      for (int all = 0; all < 2; all++) {
        test_scene s;
        test_scene_init(&s);
        s.def.options.contact_model = models[k], s.def.options.tolerance = 1e-12, s.def.options.dt = .005;
        for (int i = 0; i < 6; i++) {
          char name[8];
          snprintf(name, sizeof name, "b%d", i);
          sup_link_def *l = test_add_rigid(
              &s, name, (sup_shape){i % 2 ? SUP_SHAPE_BOX : SUP_SHAPE_SPHERE, {.04, .04, .04}}, 1 + i, 0);
          for (int c = 0; c < 3; c++) l->q0[c] = place[i][c], l->v0[3 + c] = speed[i][c];
          s.geometry[i].contact.point_stiffness = 1e6;
        }
        test_start(&s);
        if (all) /* everything within 3 m may act */
          for (int p = 0; p < s.model->num_pairs; p++) ((sup_pair *)s.model->pair)[p].reach_factor *= 100;
        for (int g = 0; g < 6 && all; g++) s.model->geometry[g].reach_factor *= 100;
        test_step(&s);
        count[all] = s.report.num_contacts;
        memcpy(end[all], s.state->v, sizeof end[all]);
        test_end(&s);
      }
      more += count[1] - count[0];
      for (int i = 0; i < 36; i++) NEAR(end[0][i], end[1][i], 1e-8, 1e-8);
    }
  printf("%d contacts more, ", more);
  CHECK(more > 100);
}

static void bounds_grow_until_they_hold(void) {
  test_scene     s;
  sup_arena     *arena;
  sup_kinematics kin;
  double        *travel, fast[12] = {0, 0, 3, 20};
  int            num_exceeded;
  test_scene_init(&s);
  add_ball(&s, "a", 0, 1);
  add_ball(&s, "b", 1, 0);
  test_start(&s);
  OK(sup_arena_create(&arena, 1 << 12));
  OK(sup_kinematics_compute(&kin, s.model, 0, s.state->q, s.state->v, arena));
  OK(sup_travel_start(s.model, &kin, arena, &travel));
  double drop = .01 * .01 * 9.81;
  NEAR(travel[0], .01 + drop + .0005, 1e-12, 0);
  NEAR(travel[1], drop + .0005, 1e-12, 0);
  OK(sup_travel_check(s.model, &kin, s.state->q, s.state->v, arena, travel, &num_exceeded));
  CHECK(num_exceeded == 0);
  OK(sup_travel_check(s.model, &kin, s.state->q, fast, arena, travel, &num_exceeded));
  CHECK(num_exceeded == 1);
  NEAR(travel[0], 1.5 * .01 * (20 + 3 * .05), 1e-12, 0);
  OK(sup_travel_check(s.model, &kin, s.state->q, fast, arena, travel, &num_exceeded));
  CHECK(num_exceeded == 0);
  sup_arena_destroy(&arena);
  test_end(&s);
}

SUITE_TESTS(travel, TEST(what_is_pushed_into_reach_within_the_step_is_met), TEST(the_solution_is_that_with_all_pairs),
            TEST(bounds_grow_until_they_hold));
