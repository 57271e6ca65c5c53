/* Limits of verdicts and of the histories that they come from, on numbers without a run. */
#include "measure/flight_watch.h"
#include "measure/pair_watch.h"
#include "measure/slide_watch.h"
#include "measure/verdict/measure.h"
#include "scene_test.h"

/* ---- contacts of a pair ---------------------------------------------------------------------- */

/** A step of 1 s of contacts of one pair of bodies, with coefficients of friction of 1. */
static void step_pair(sup_pair_watch *watch, int count, const sup_contact *contact) {
  static sup_pair        pair = {.friction = {.mu = 1, .mu_static = 1}};
  static int             body_pair[1];
  static bool            is_idle[1];
  static const sup_model model = {.pair = &pair, .num_pairs = 1};
  sup_observation        obs = {.model = &model, .body_pair = body_pair, .num_pairs = 1};
  sup_stick_sum          scratch[1] = {{0}};
  obs.options.stiction_tolerance = 1e-3;
  sup_pair_watch_step(watch, &obs, count, contact, 0, 1, scratch, is_idle);
}

static sup_contact press(double normal, double friction, double slip) {
  return (sup_contact){
      .normal = {0, 0, 1}, .force = {friction, 0, normal}, .slip = {slip, 0, 0}, .given = -1};
}

/** Creep in a step of a pair with this friction over its bound and slip. */
static double creep(double share, double slip) {
  sup_contact    contact = press(1, share, slip);
  sup_pair_watch watch = {0};
  step_pair(&watch, 1, &contact);
  return watch.creep;
}

static void a_pair_creeps_while_a_load_of_friction_sticks(void) {
  NEAR(creep(.5, 1e-3), 1e-3, 1e-12, 0);
  CHECK(creep(.11, 1e-3) > 0 && creep(.09, 1e-3) == 0);   /* hardly a load */
  CHECK(creep(.89, 1e-3) > 0 && creep(.91, 1e-3) == 0);   /* about to slide */
  CHECK(creep(.5, 2.4e-3) > 0 && creep(.5, 2.6e-3) == 0); /* over the stiction tolerance: slides */
}

static void a_contact_at_its_bound_does_not_stick(void) {
  for (int slides = 0; slides < 2; slides++) {
    sup_contact    contact[] = {press(1, slides ? .995 : .98, 1e-5), press(.9, .1, 1e-5)};
    sup_pair_watch watch = {0};
    step_pair(&watch, 2, contact);
    CHECK((watch.creep > 0) == !slides);
  }
}

/** Energy lost in the second of two steps under these normal forces, whose contacts take 1 W. */
static double loss(double before, double after) {
  sup_contact    contact[] = {press(before, 0, 0), press(after, 0, 0)};
  sup_pair_watch watch = {0};
  for (int k = 0; k < 2; k++) step_pair(&watch, 1, &contact[k]);
  return watch.lost;
}

static void energy_is_lost_by_contacts_that_last(void) {
  NEAR(loss(1, 1), 1, 1e-12, 0);
  CHECK(loss(1, .51) > 0 && loss(.51, 1) > 0);
  CHECK(loss(1, .49) == 0 && loss(.49, 1) == 0); /* an impact */
}

/* ---- errors that travel ---------------------------------------------------------------------- */

/* THEORY 17: extrapolation leaves 2/9 of the estimate of a kink. */
static void an_impact_leaves_two_ninths_of_its_error(void) {
  sup_flight_watch watch = {0};
  sup_flight       flies = {.is_free = 1, .flies = 1}, hits = {.is_free = 1, .error = 9};
  sup_flight_watch_step(&watch, 1, &flies, 1, 1, 1);
  sup_flight_watch_step(&watch, 1, &hits, 1.5, .5, 1);
  sup_flight_watch_step(&watch, 1, &flies, 2.5, 1, 1);
  NEAR(watch.error, 2, 1e-12, 0);
  NEAR(watch.way, 2, 1e-12, 0);
}

/* The last two estimates of stick are 4 and 1: half of the one or all of the other is carried. */
static void a_body_slides_on_with_the_error_of_the_stick_before(void) {
  sup_flight_watch watch = {0};
  sup_flight       sticks = {.is_free = 1, .touches = 1, .error = 4},
             slides = {.is_free = 1, .touches = 1, .slides = 1, .error = 100};
  sup_flight_watch_step(&watch, 1, &slides, 1, 1, 2);
  CHECK(watch.slid == 0);
  sup_flight_watch_step(&watch, 1, &sticks, 2, 1, 2), sticks.error = 1;
  sup_flight_watch_step(&watch, 1, &sticks, 3, 1, 2);
  sup_flight_watch_step(&watch, 1, &slides, 6, 3, 2);
  NEAR(watch.slid, 2 * 3 / 2., 1e-12, 0);
  NEAR(watch.slid_time, 6, 0, 0);
}

/** Error of a joint after two steps of 1 s and `h` that slide. */
static double slide_error(double first, double second, double h) {
  static sup_tree_link link = {.joint = SUP_JOINT_PRISMATIC, .nv = 1};
  static sup_tree      tree = {.num_links = 1, .links = &link};
  static sup_tree     *trees[] = {&tree};
  static int           v_start[2];
  const sup_model      model = {.tree = trees, .num_trees = 1, .v_start = v_start};
  sup_flight           flight = {.slides = 1};
  sup_slide_watch      watch = {0};
  for (int k = 0; k < 2; k++) {
    double          off = k ? second : first;
    sup_step_result result = {.flight = &flight, .joint_off = &off, .increment = {.h = k ? h : 1}};
    sup_slide_watch_step(&watch, &model, &result, 1);
  }
  return watch.error;
}

static void a_slide_carries_half_of_the_change_of_its_error(void) {
  CHECK(slide_error(1, 1, 1) == 0);
  NEAR(slide_error(1, 3, 1), 1, 1e-12, 0);
  NEAR(slide_error(1, 3, .5), .5 * (3 - .25), 1e-12, 0);
  NEAR(slide_error(1, 17, 3.9), .5 * (17 - 3.9 * 3.9), 1e-12, 0);
  CHECK(slide_error(1, 17, 4.1) == 0); /* no change is known */
}

/* ---- verdicts on energy ---------------------------------------------------------------------- */

static void energy_may_grow_by_a_thousandth(void) {
  sup_verdict    v = {0};
  sup_statistics s = {.energy_scale = 2, .energy_growth = 1};
  CHECK(sup_measure_energy(&s, 0, &v));
  NEAR(v.warn, 2e-3, 1e-12, 0);
  s.explosion.ratio = 999;
  CHECK(sup_measure_energy(&s, 0, &v));
  s.explosion.ratio = 1001; /* energy_blowup has the finding */
  CHECK(!sup_measure_energy(&s, 0, &v));
}

static void losses_of_a_scene_at_rest_are_none(void) {
  sup_verdict    v = {.warn = .1};
  sup_statistics s = {.account = {.most = 1.1e-12, .numerical = 1e-12, .damping = 1e-12}};
  CHECK(sup_measure_numerical_dissipation(&s, 0, &v) && sup_measure_material_damping(&s, 0, &v));
  s.account.most = .9e-12;
  CHECK(!sup_measure_numerical_dissipation(&s, 0, &v) && !sup_measure_material_damping(&s, 0, &v));
}

static void momentum_is_missed_of_bodies_that_turn(void) {
  test_scene       scene;
  sup_observation  obs;
  sup_statistics   s;
  sup_spin_account half = {.taken = {1, 0, 0}, .most = 2};
  sup_verdict      v = {.warn = .01};
  test_scene_init(&scene);
  test_add_soft_box(&scene, "wheel", .1, .1, .1, 1, 1, 1, SUP_PATTERN_HEX, 1e5, .3, 1000);
  test_start(&scene);
  OK(sup_observation_create(&obs, scene.model, &scene.options));
  OK(sup_statistics_begin(&s, &obs, 0));
  *s.spin = half, s.spin->turned = .011;
  CHECK(sup_measure_angular_momentum(&s, 0, &v));
  *s.spin = half, s.spin->turned = .009;
  CHECK(!sup_measure_angular_momentum(&s, 0, &v));
  sup_statistics_free(&s);
  sup_observation_free(&obs);
  test_end(&scene);
}

static void energy_set_free_is_a_snap_from_a_tenth_of_the_work(void) {
  test_scene      scene;
  sup_observation obs;
  sup_statistics  s;
  test_scene_init(&scene);
  test_add_soft_box(&scene, "dome", .1, .1, .1, 1, 1, 1, SUP_PATTERN_HEX, 1e5, .3, 1000);
  test_start(&scene);
  OK(sup_observation_create(&obs, scene.model, &scene.options));
  OK(sup_statistics_begin(&s, &obs, 1e-6));
  test_step(&scene);
  scene.report.held_back = 10, scene.report.soft_work = -1;
  for (int k = 0; k < 2; k++) {
    scene.report.snap_energy = k ? .11 : .09;
    OK(sup_statistics_step(&s, k, &scene.report));
    CHECK(s.snaps.steps == k);
  }
  sup_statistics_free(&s);
  sup_observation_free(&obs);
  test_end(&scene);
}

static void what_merely_touches_or_rests_has_no_finding(void) {
  test_scene      scene;
  sup_observation obs;
  sup_statistics  s;
  sup_verdict     v = {.warn = 1e-9};
  test_scene_init(&scene);
  test_add_rigid(&scene, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}}, 1, 1);
  test_add_rigid(&scene, "ball", (sup_shape){SUP_SHAPE_SPHERE, {.05}}, 1, 0);
  test_start(&scene);
  OK(sup_observation_create(&obs, scene.model, &scene.options));
  OK(sup_statistics_begin(&s, &obs, 0));
  CHECK(obs.num_pairs == 1);
  for (int k = 0; k < 2; k++) {
    s.watch->overlap = k ? 1.1e-6 : .9e-6;
    CHECK(sup_measure_overlap_at_start(&s, 0, &v) == k);
    s.watch->lost = 1, s.account.most = k ? 1.1e-9 : .9e-9;
    CHECK(sup_measure_contact_loss(&s, 0, &v) == k);
  }
  const double feature = s.feature_size;
  s.feature_size = 1e-6;
  for (int k = 0; k < 2; k++) {
    s.watch->overlap = k ? 1.1e-9 : .9e-9;
    CHECK(sup_measure_overlap_at_start(&s, 0, &v) == k);
  }
  s.feature_size = feature;
  for (int k = 0; k < 2; k++) {
    s.watch->stored = k ? .49 : .51;
    CHECK(sup_measure_contact_loss(&s, 0, &v) == k);
  }
  sup_contact patch = {.stored = .01, .power = 1.5};
  obs.num_contacts = 1, obs.contact = &patch;
  sup_statistics_energy(&s);
  obs.contact_energy = .0009; /* a tenth of the secant's is not known */
  sup_statistics_energy(&s);
  NEAR(s.energy_growth, 0, 0, 0);
  obs.contact_energy = .0011;
  sup_statistics_energy(&s);
  NEAR(s.energy_growth, 1e-4, 1e-9, 0);
  obs.num_contacts = 0;
  sup_statistics_free(&s);
  sup_observation_free(&obs);
  test_end(&scene);
}

SUITE_TESTS(watch, TEST(a_pair_creeps_while_a_load_of_friction_sticks),
            TEST(a_contact_at_its_bound_does_not_stick), TEST(energy_is_lost_by_contacts_that_last),
            TEST(an_impact_leaves_two_ninths_of_its_error),
            TEST(a_body_slides_on_with_the_error_of_the_stick_before),
            TEST(a_slide_carries_half_of_the_change_of_its_error),
            TEST(energy_may_grow_by_a_thousandth), TEST(losses_of_a_scene_at_rest_are_none),
            TEST(momentum_is_missed_of_bodies_that_turn),
            TEST(what_merely_touches_or_rests_has_no_finding),
            TEST(energy_set_free_is_a_snap_from_a_tenth_of_the_work));
