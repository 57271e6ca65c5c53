#include "collide/travel.h"

#include "collide/collide.h"
#include "scene_test.h"

static const sup_contact_model models[] = {SUP_MODEL_LAGGED, SUP_MODEL_SIMILAR,
                                           SUP_MODEL_SIMILAR_REGULARIZED, SUP_MODEL_SAP};

static void add_ball(test_scene *s, const char *name, double x, double speed) {
  sup_link_def *l = test_add_rigid(s, name, (sup_shape){SUP_SHAPE_SPHERE, {.05}}, 1, 0);
  l->q0[0] = x, l->v0[3] = speed;
  s->geometry[s->def.num_trees - 1].contact.point_stiffness = 1e6;
}

/* A ball at 30 m/s pushes a ball at rest, which within the same step meets a third one 5 cm
 * farther, five times what its own velocity, gravity and a hundredth of its size would bring it
 * near. */
static void what_is_pushed_into_reach_within_the_step_is_met(void) {
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    test_scene s;
    test_scene_init(&s);
    s.options.gravity[2] = 0, s.def.contact.model = models[k], s.options.tolerance = 1e-10;
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

/* Pairs beyond the reach of the solution's travel carry no impulse: with every pair of the scene
 * given to the solver the bits of the impulses may differ, their values may not. */
static void the_solution_is_that_with_all_pairs(void) {
  test_random random = {4};
  int         more = 0;
  for (size_t k = 0; k < sizeof models / sizeof *models; k++)
    for (int trial = 0; trial < 10; trial++) {
      double end[2][36];
      int    count[2];
      double place[6][3], speed[6][3];
      for (int i = 0; i < 18; i++)
        place[i / 3][i % 3] = .09 * test_uniform(&random),
                         speed[i / 3][i % 3] = 5 * test_uniform(&random);
      for (int all = 0; all < 2; all++) {
        test_scene s;
        test_scene_init(&s);
        s.def.contact.model = models[k], s.options.tolerance = 1e-12, s.options.dt = .005;
        for (int i = 0; i < 6; i++) {
          char name[8];
          snprintf(name, sizeof name, "b%d", i);
          sup_link_def *l = test_add_rigid(
              &s, name, (sup_shape){i % 2 ? SUP_SHAPE_BOX : SUP_SHAPE_SPHERE, {.04, .04, .04}},
              1 + i, 0);
          for (int c = 0; c < 3; c++) l->q0[c] = place[i][c], l->v0[3 + c] = speed[i][c];
          s.geometry[i].contact.point_stiffness = 1e6;
        }
        test_start(&s);
        if (all) /* everything within 3 m may act */
          for (int p = 0; p < s.model->num_pairs; p++)
            ((sup_pair *)s.model->pair)[p].reach_factor *= 100;
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
  sup_travel    *travel;
  double         fast[12] = {0, 0, 3, 20};
  int            num_exceeded;
  test_scene_init(&s);
  add_ball(&s, "a", 0, 1);
  add_ball(&s, "b", 1, 0);
  test_start(&s);
  OK(sup_arena_create(&arena, 1 << 12));
  sup_increment inc = test_increment(&s);
  OK(sup_kinematics_compute(&kin, s.model, &inc, s.state->q, s.state->v, arena));
  OK(sup_travel_start(s.model, &inc, &kin, arena, &travel));
  double drop = .01 * .01 * 9.81;
  NEAR(travel[0].distance, .01 + drop + .0005, 1e-12, 0);
  NEAR(travel[1].distance, drop + .0005, 1e-12, 0);
  NEAR(travel[0].turn, .01, 1e-12, 0);
  OK(sup_travel_check(s.model, &inc, &kin, s.state->q, s.state->v, arena, travel, &num_exceeded));
  CHECK(num_exceeded == 0);
  OK(sup_travel_check(s.model, &inc, &kin, s.state->q, fast, arena, travel, &num_exceeded));
  CHECK(num_exceeded == 1);
  NEAR(travel[0].distance, 1.5 * .01 * (20 + 3 * .05), 1e-12, 0);
  NEAR(travel[0].turn, 1.5 * .01 * 3, 1e-12, 0);
  OK(sup_travel_check(s.model, &inc, &kin, s.state->q, fast, arena, travel, &num_exceeded));
  CHECK(num_exceeded == 0);
  sup_arena_destroy(&arena);
  test_end(&s);
}

/* Patches of two balls that meet are those of any travel, so that a push is no reason to search
 * them again. */
static void patches_do_not_depend_on_travel(void) {
  test_scene       s;
  sup_arena       *arena;
  sup_kinematics   kin;
  sup_travel      *travel;
  sup_contact_list list[2] = {{0}};
  double           fast[12] = {0, 0, 3, 20};
  int              num_exceeded;
  test_scene_init(&s);
  add_ball(&s, "a", 0, 1);
  add_ball(&s, "b", .099, 0);
  for (int g = 0; g < 2; g++)
    s.geometry[g].contact.point_stiffness = 0, s.geometry[g].contact.modulus = 1e6;
  test_start(&s);
  OK(sup_arena_create(&arena, 1 << 12));
  sup_increment inc = test_increment(&s);
  OK(sup_kinematics_compute(&kin, s.model, &inc, s.state->q, s.state->v, arena));
  OK(sup_travel_start(s.model, &inc, &kin, arena, &travel));
  OK(sup_travel_check(s.model, &inc, &kin, s.state->q, fast, arena, travel, &num_exceeded));
  CHECK(num_exceeded == 0);
  for (int k = 0; k < 2; k++) {
    OK(sup_collide(&list[k], s.model, &inc, &kin, s.state->x, s.state->xdot, travel, arena));
    for (int g = 0; g < 2; g++) travel[g].distance *= 100;
  }
  CHECK(list[0].count > 0 && list[1].count == list[0].count);
  CHECK(sup_contacts_are_same(list[0].contact, list[1].contact, list[0].count));
  list[1].contact[list[1].count - 1].phi *= 1 + 1e-12;
  CHECK(!sup_contacts_are_same(list[0].contact, list[1].contact, list[0].count));
  for (int k = 0; k < 2; k++) sup_contact_list_free(&list[k]);
  sup_arena_destroy(&arena);
  test_end(&s);
}

/** Ends of 400 steps of a ball that cannot turn, held over a belt; the gap and how many steps had
 * no contact. */
static double glide(sup_contact_model model, const double mean[3], const double amplitude[3],
                    int *num_empty) {
  test_scene s;
  test_scene_init(&s);
  s.def.contact.model = model, s.options.tolerance = 1e-10, s.options.dt = .005;
  s.options.stiction_tolerance = 1e-6;
  sup_link_def *belt = test_add_rigid(&s, "belt", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
  sup_link_def *ball = test_add_rigid(&s, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.025}}, 2, 0);
  belt->geometries[0].contact.point_stiffness = 5e4,
  ball->geometries[0].contact.point_stiffness = 1e30;
  for (int k = 0; k < 2; k++)
    s.geometry[k].contact.friction = .8, s.geometry[k].contact.dissipation = 0;
  for (int k = 0; k < 2; k++) s.geometry[k].contact.relaxation_time = .002;
  memcpy(s.geometry[0].contact.surface_velocity, mean, 3 * sizeof *mean);
  memcpy(s.geometry[0].contact.surface_amplitude, amplitude, 3 * sizeof *mean);
  s.geometry[0].contact.surface_phase = acos(-1) / 2; /* it swings no more than this: f = 0 */
  ball->joint = SUP_JOINT_TRANSLATION, ball->q0[2] = .025;
  test_add_spring(&s, "belt", "ball", 1e7);
  test_start(&s);
  *num_empty = 0;
  for (int k = 0; k < 400; k++) {
    test_step(&s);
    *num_empty += s.report.num_contacts == 0;
  }
  double gap = s.state->q[2] - .025;
  test_end(&s);
  return gap;
}

/* A ball glides over a belt at the gap mu T v - m g/k (THEORY 6.7: 2.36 mm with Similar, where T =
 * dt), whatever way the belt's velocity is given; the contact acts at a distance that the travel of
 * the bodies alone would not reach. */
static void a_belt_reaches_as_far_as_its_speed_lets_it_act(void) {
  const double none[3] = {0, 0, 0}, whole[3] = {.6, 0, 0}, half[3] = {.3, 0, 0},
               back[3] = {-.6, 0, 0};
  const double twice[3] = {1.2, 0, 0},
               *way[4][2] = {{whole, none}, {none, whole}, {half, half}, {back, twice}};
  for (int sap = 0; sap < 2; sap++)
    for (int k = 0; k < 4; k++) {
      int    num_empty;
      double T = sap ? .009 : .005;
      double gap = glide(sap ? SUP_MODEL_SAP : SUP_MODEL_SIMILAR, way[k][0], way[k][1], &num_empty);
      CHECK(num_empty == 0);
      NEAR(gap, .8 * T * .6 - 2 * 9.81 / 5e4, 1e-2, 0);
    }
}

SUITE_TESTS(travel, TEST(what_is_pushed_into_reach_within_the_step_is_met),
            TEST(the_solution_is_that_with_all_pairs), TEST(bounds_grow_until_they_hold),
            TEST(patches_do_not_depend_on_travel),
            TEST(a_belt_reaches_as_far_as_its_speed_lets_it_act));
