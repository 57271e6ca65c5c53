#include "measure/penetration.h"

#include "measure/verdict.h"
#include "scene_test.h"

static const sup_verdict *find(const sup_verdicts *v, const char *name) {
  for (int i = 0; i < v->count; i++)
    if (strcmp(v->list[i].name, name) == 0) return &v->list[i];
  return NULL;
}

/** A cube of 0.2 m on a plane, or on another one of `light` kg, in SAP; the verdicts after so many
 * steps. */
static void run(double light, double drop, int steps, sup_verdicts *verdicts) {
  test_scene      s;
  sup_observation obs;
  sup_statistics  statistics;
  const sup_shape cube = {SUP_SHAPE_BOX, {.2, .2, .2}, NULL, NULL};
  test_scene_init(&s);
  s.def.contact.model = SUP_MODEL_SAP, s.options.tolerance = 1e-9, s.options.dt = 1e-3;
  test_add_rigid(&s, "floor", (sup_shape){SUP_SHAPE_HALF_SPACE, {0}, NULL, NULL}, 1, 1);
  if (light > 0) test_add_rigid(&s, "light", cube, light, 0)->q0[2] = .1;
  test_add_rigid(&s, "heavy", cube, 1e3, 0)->q0[2] = (light > 0 ? .3 : .1) - drop;
  for (int i = 0; i < s.def.num_trees; i++) s.geometry[i].contact.point_stiffness = 1e9;
  test_start(&s);
  OK(sup_observation_create(&obs, s.model, &s.options));
  OK(sup_statistics_begin(&statistics, &obs, 0));
  sup_observation_update(&obs, s.state, NULL);
  OK(sup_statistics_penetration(&statistics, 0, obs.X_WL, s.state->x, false));
  for (int k = 0; k < steps; k++) {
    test_step(&s);
    OK(sup_statistics_step(&statistics, s.state->time, &s.report));
    OK(sup_statistics_penetration(&statistics, s.state->time, sup_stepper_result(s.stepper)->X_WL,
                                  s.state->x, false));
  }
  sup_verdicts_evaluate(verdicts, &statistics);
  sup_statistics_free(&statistics);
  sup_observation_free(&obs);
  test_end(&s);
}

/* SAP's near-rigid rule at a mass ratio of a million (R10) lets the light cube sink by millimetres:
 * 9 % of its size after a tenth of a second, half of it later, below the limit for a smallest shape
 * but not for what is rigid. */
static void what_sinks_in_by_the_near_rigid_rule_is_told(void) {
  static sup_verdicts v;
  run(0, 0, 80, &v);
  CHECK(!find(&v, "sunk_in"));
  CHECK(find(&v, "penetration")->severity == SUP_SEVERITY_PASS);
  run(1e-3, 0, 80, &v);
  const sup_verdict *told = find(&v, "sunk_in");
  CU_ASSERT_PTR_NOT_NULL_FATAL(told);
  printf("%s; ", told->text);
  CHECK(told->severity == SUP_SEVERITY_WARN && told->value > .05);
  CHECK(strstr(told->text, "'light'") != NULL);
}

static void overlap_at_the_start_is_told_and_half_a_body_is_void(void) {
  static sup_verdicts v;
  run(0, .01, 1, &v);
  CHECK(find(&v, "overlap_at_start") &&
        find(&v, "overlap_at_start")->severity == SUP_SEVERITY_WARN);
  NEAR(find(&v, "overlap_at_start")->value, .05, 1e-9, 0);
  CHECK(!sup_verdicts_failure(&v));
  run(0, .11, 1, &v);
  CHECK(sup_verdicts_failure(&v) && strcmp(sup_verdicts_failure(&v)->name, "half_through") == 0);
}

/* Skipped measurements follow from the numbers of steps and contacts alone; some states are always
 * measured. */
static void measures_stay_within_their_budget(void) {
  enum { N = 12, STEPS = 100 };
  test_scene      s;
  sup_penetration p;
  int             measured;
  test_scene_init(&s);
  for (int i = 0; i < N; i++) {
    char name[8];
    snprintf(name, sizeof name, "b%d", i);
    test_add_rigid(&s, name, (sup_shape){SUP_SHAPE_BOX, {.2, .2, .2}, NULL, NULL}, 1, 0)->q0[0] =
        .01 * i;
    s.geometry[i].contact.point_stiffness = 1;
  }
  test_start(&s);
  OK(sup_penetration_begin(&p, s.model));
  sup_frame X[N];
  for (int i = 0; i < N; i++) X[i] = sup_frame_identity(), X[i].p.x = .01 * i;
  for (int k = 0; k <= STEPS; k++)
    OK(sup_penetration_measure(&p, .01 * k, k, 0, X, NULL, false, &measured));
  printf("%ld of %d states, %ld evaluations; ", p.measures, STEPS, p.looks);
  CHECK(p.measures > 1 && p.measures < STEPS);
  CHECK(p.looks <= STEPS * (50 + 20 * N) + 2 * p.overlaps.evaluations);
  NEAR(p.rigid_depth_max, .19, 1e-9, 0);
  NEAR(p.depth_max, .19, 1e-9, 0);
  sup_penetration_free(&p);
  test_end(&s);
}

SUITE_TESTS(penetration, TEST(what_sinks_in_by_the_near_rigid_rule_is_told),
            TEST(overlap_at_the_start_is_told_and_half_a_body_is_void),
            TEST(measures_stay_within_their_budget));
