/* contact.stick: elastic on examples: what is held does not creep, and carrying anchors from step
 * to step gives no energy. */
#include "example.h"
#include "measure/observation.h"
#include "model/anchor.h"
#include "step/stepper.h"

static double way(sup_v3 a, sup_v3 b) { return sup_v3_norm(sup_v3_sub(a, b)); }

/* With regularised friction 0.17 and 2.1 mm. */
static void boxes_on_an_incline_rest_for_20_s(void) {
  static const char *const names[2] = {"mu50", "mu80"}, *const models[2] = {
                                                            "contact.model=lagged",
                                                            "contact.model=coupled"};
  for (int m = 0; m < 2; m++) {
    const char  *sets[] = {models[m], "contact.stick=elastic", "solver.tolerance=1e-12"};
    test_example e;
    sup_v3       middle[2];
    test_example_start(&e, "incline", sets, 3);
    for (int i = 1; i <= 2000; i++) {
      test_step(&e.s);
      for (int b = 0; b < 2 && i == 1000; b++) middle[b] = test_example_place(&e, names[b]);
    }
    for (int b = 0; b < 2; b++) NEAR(way(test_example_place(&e, names[b]), middle[b]), 0, 0, 1e-12);
    const sup_step_result *result = sup_stepper_result(e.s.stepper);
    CHECK(result->stick_energy > 0 && result->contact_energy > result->stick_energy);
    test_example_end(&e);
  }
}

/** Energy of the sticks at the start of the step that was just done. */
static double taken_over(const test_example *e) {
  const sup_stepper *s = e->s.stepper;
  double             sum = 0;
  for (int i = 0; i < s->contact.list.count; i++) {
    const sup_law     *law = &s->contact.rows.constraint[i].law;
    const sup_coulomb *c = &law->coulomb;
    double             time = c->normal.dt + c->tau_t;
    if (law->kind != SUP_LAW_ELASTIC_STICK) continue;
    for (int k = 0; k < 2; k++)
      sum += .5 * sup_law_spring_stiffness(law) * time * time * c->vhat[k] * c->vhat[k];
  }
  return sum;
}

static void carry(const char *name, const char *model, int steps) {
  const char  *sets[] = {model, "contact.stick=elastic"};
  test_example e;
  double       left = 0, most = 0;
  int          sticks = 0;
  test_example_start(&e, name, sets, 2);
  for (int i = 0; i < steps; i++) {
    test_step(&e.s);
    double start = taken_over(&e);
    CHECK(start <= left * (1 + 1e-12));
    left = sup_stepper_result(e.s.stepper)->stick_energy;
    most = fmax(most, left), sticks += start > 0;
    CHECK(e.s.report.friction_work_max <= 1e-12 * fmax(most, 1e-6));
  }
  printf("%s: sticks in %d of %d steps, %.2g J; ", name, sticks, steps, most);
  CHECK(sticks > steps / 10);
  test_example_end(&e);
}

static void carrying_anchors_gives_no_energy(void) {
  carry("clutter", "contact.model=lagged", 400);        /* points */
  carry("soft_cube_drop", "contact.model=lagged", 200); /* three contacts a triangle */
  carry("soft_cube_drop", "contact.model=coupled", 200);
  carry("finray_grasp", "contact.model=coupled", 150);
}

/** Speed of a body in the mean of the last half second of its example [m/s], and what share
 * of the sticks' energy steps do not take over from those before, since a contact is gone or its
 * triangle another: in that time, and the most before. */
static double creep_at_the_end(const char *name, const char *body, double end) {
  const char  *sets[] = {"output.every=0"};
  test_example e;
  sup_v3       start = {0, 0, 0};
  double       stored = 0, lost = 0, early = 0;
  test_example_start(&e, name, sets, 1);
  while (e.s.state->time < end - 1e-9) {
    double before = stored;
    test_step(&e.s);
    stored = sup_stepper_result(e.s.stepper)->stick_energy;
    if (e.s.state->time > end - .5 + 1e-9)
      lost += before - taken_over(&e);
    else
      start = test_example_place(&e, body), early += before - taken_over(&e);
  }
  double speed = way(test_example_place(&e, body), start) / .5;
  printf("%s %.2g um/s, lost %.1e, before %.1e of %.2g J; ", name, 1e6 * speed, lost, early,
         stored);
  CHECK(stored > 0 && lost >= -1e-12 * stored && lost < 1e-2 * stored);
  test_example_end(&e);
  return speed;
}

/* As the examples are: 10.7, 2.5, 7.4, 9.7 and 10.6 um/s with regularised friction. */
static void what_the_grasps_hold_creeps_by_less_than_a_fifth_um_a_second(void) {
  CHECK(creep_at_the_end("finray_grasp", "cylinder", 5) < 1e-7);
  CHECK(creep_at_the_end("finray_grasp_ball", "ball", 5) < 1e-7);
  CHECK(creep_at_the_end("finray_grasp_box", "box", 5) < 1e-7);
  CHECK(creep_at_the_end("spatula_gripper", "spatula", 4.5) < 1e-7);
  CHECK(creep_at_the_end("arm_grasp", "cylinder", 5) < 2e-7); /* its arm comes to rest meanwhile */
}

/** Elastic energy of the fingers that hold a cylinder of this mass, 2 s after the start [J]. */
static double energy_of_a_grasp(double mass) {
  char            set[64];
  const char     *sets[] = {set, "solver.tolerance=1e-10"};
  test_example    e;
  sup_observation obs;
  snprintf(set, sizeof set, "rigid.cylinder.mass=%.17g", mass);
  test_example_start(&e, "finray_grasp", sets, 2);
  OK(sup_observation_create(&obs, e.s.model, &e.s.options));
  while (e.s.state->time < 2 - 1e-9) test_step(&e.s);
  sup_observation_update(&obs, e.s.state, sup_stepper_result(e.s.stepper));
  double energy = obs.elastic;
  sup_observation_free(&obs);
  test_example_end(&e);
  return energy;
}

/* Anchors that changed hands made jumps: slopes of -1.360 and -1.401 mJ before. */
static void a_grasp_has_a_slope(void) {
  double slope[2], mass = .1;
  for (int k = 0; k < 2; k++) {
    double h = k ? 1e-4 : 1e-3;
    slope[k] = (energy_of_a_grasp(mass * (1 + h)) - energy_of_a_grasp(mass * (1 - h))) / (2 * h);
  }
  NEAR(slope[0], slope[1], 1e-3, 0);
}

/* Solvers that iterate on impulses take the stick's spring as compliance of friction.  Those of
 * Coulomb's law end where coupled friction does; the relaxation and RaiSim's law slip another way
 * in the first steps, in which the box settles, and all hold it from then on. */
static void every_dual_solver_holds_by_elastic_sticks(void) {
  static const char *const solvers[] = {
      "contact.solver=newton",        "contact.solver=ncp_pgs",       "contact.solver=lcp_pgs",
      "contact.solver=ncp_staggered", "contact.solver=lcp_staggered", "contact.solver=ccp_pgs",
      "contact.solver=ccp_admm",      "contact.solver=raisim"};
  enum { NUM_SOLVERS = sizeof solvers / sizeof *solvers, OF_COULOMB = 5 };
  sup_v3 newton = {0, 0, 0};
  for (int m = 0; m < NUM_SOLVERS; m++) {
    const char  *sets[] = {solvers[m],
                           "contact.model=coupled",
                           "contact.stick=elastic",
                           "contact.dual.tolerance=1e-12",
                           "contact.dual.max_iterations=5000",
                           "solver.tolerance=1e-12"};
    test_example e;
    sup_v3       middle = {0, 0, 0};
    test_example_start(&e, "incline", sets, 6);
    for (int i = 1; i <= 200; i++) {
      test_step(&e.s);
      if (i == 150) middle = test_example_place(&e, "mu50");
    }
    sup_v3 place = test_example_place(&e, "mu50");
    if (m == 0) newton = place;
    printf("%s %.1e m, %.1e m; ", solvers[m], way(place, newton), way(place, middle));
    CHECK(sup_stepper_result(e.s.stepper)->stick_energy > 0);
    CHECK(way(place, newton) < (m < OF_COULOMB ? 1e-9 : 2e-6));
    CHECK(way(place, middle) < 1e-9); /* in half a second; regularised friction 53 um */
    test_example_end(&e);
  }
}

/* Two solvers have a creep of their own: the scene runs, without anchors, and that is said. */
static void solvers_without_anchors_run_the_scene(void) {
  static const char *const solvers[] = {"contact.solver=tamsi", "contact.solver=mujoco"};
  for (int m = 0; m < 2; m++) {
    const char  *sets[] = {solvers[m], "contact.stick=elastic", "contact.tamsi.coupling=one_way",
                           "contact.model=lagged"};
    test_example e;
    test_example_start(&e, "incline", sets, 4);
    for (int i = 0; i < 20; i++) test_step(&e.s);
    CHECK(e.s.state->num_anchors == 0);
    CHECK(sup_stepper_result(e.s.stepper)->stick_energy == 0);
    test_example_end(&e);
  }
}

/* The state has the anchors: a copy goes on as the original does, to the bit. */
static void a_copy_of_the_state_goes_on_alike(void) {
  const char     *sets[] = {"contact.stick=elastic"};
  test_example    e;
  sup_state      *copy;
  sup_step_report report;
  test_example_start(&e, "soft_cube_drop", sets, 1);
  for (int i = 0; i < 120; i++) test_step(&e.s);
  OK(sup_state_create(&copy, e.s.model, &e.s.options));
  OK(sup_state_copy(copy, e.s.state));
  CHECK(e.s.state->num_anchors > 0 && sup_state_hash(copy) == sup_state_hash(e.s.state));
  copy->anchor[0].side[0].stretch[0] += 1e-9;
  CHECK(sup_state_hash(copy) != sup_state_hash(e.s.state));
  OK(sup_state_copy(copy, e.s.state));
  for (int i = 0; i < 5; i++) test_step(&e.s);
  for (int i = 0; i < 5; i++) OK(sup_step(e.s.stepper, copy, &report));
  CHECK(sup_state_hash(copy) == sup_state_hash(e.s.state));
  sup_state_destroy(&copy);
  test_example_end(&e);
}

SUITE_TESTS(anchor, TEST(boxes_on_an_incline_rest_for_20_s), TEST(carrying_anchors_gives_no_energy),
            TEST(a_copy_of_the_state_goes_on_alike), TEST(a_grasp_has_a_slope),
            TEST(what_the_grasps_hold_creeps_by_less_than_a_fifth_um_a_second),
            TEST(every_dual_solver_holds_by_elastic_sticks),
            TEST(solvers_without_anchors_run_the_scene));
