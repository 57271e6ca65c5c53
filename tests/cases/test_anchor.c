/* contact.stick: elastic on examples: what is held does not creep, and carrying anchors from step
 * to step gives no energy. */
#include "example.h"
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
  copy->anchor[0].stretch[0] += 1e-9;
  CHECK(sup_state_hash(copy) != sup_state_hash(e.s.state));
  OK(sup_state_copy(copy, e.s.state));
  for (int i = 0; i < 5; i++) test_step(&e.s);
  for (int i = 0; i < 5; i++) OK(sup_step(e.s.stepper, copy, &report));
  CHECK(sup_state_hash(copy) == sup_state_hash(e.s.state));
  sup_state_destroy(&copy);
  test_example_end(&e);
}

SUITE_TESTS(anchor, TEST(boxes_on_an_incline_rest_for_20_s), TEST(carrying_anchors_gives_no_energy),
            TEST(a_copy_of_the_state_goes_on_alike));
