/* G09, P4 Fig 13: examples/solo12_stand.yaml without the push, by solvers of each contact law. */
#include "cases/example.h"

/** Sum of the contact forces on a link [N]. */
static sup_v3 force_on(const test_example *e, const char *link) {
  const sup_step_result *r = sup_stepper_result(e->s.stepper);
  int                    body = sup_model_find_body(e->s.model, link);
  sup_v3                 sum = {0, 0, 0};
  for (int i = 0; i < r->num_contacts; i++) {
    const sup_contact *c = &r->contact[i];
    if (c->body_b == body) sum = sup_v3_add(sum, c->force);
    if (c->body_a == body) sum = sup_v3_sub(sum, c->force);
  }
  return sum;
}

/* m g/4 on each foot, straight down: the twelve drives hold exactly that. */
static void four_feet_share_the_weight_and_nothing_pulls_them_apart(void) {
  static const char *const feet[] = {"solo/FL_foot", "solo/FR_foot", "solo/HL_foot",
                                     "solo/HR_foot"};
  static const char *const solver[] = {"contact.solver=newton",   "contact.solver=ncp_pgs",
                                       "contact.solver=ccp_admm", "contact.solver=lcp_staggered",
                                       "contact.solver=raisim",   "contact.solver=mujoco"};
  for (size_t k = 0; k < sizeof solver / sizeof *solver; k++) {
    const char  *sets[] = {solver[k], "loads={}", "solver.tolerance=1e-10",
                           "contact.dual.tolerance=1e-10"};
    double       share = 2.50000279 * 9.81 / 4;
    test_example e;
    test_example_start(&e, "solo12_stand", sets, 4);
    for (int i = 0; i < 1000; i++) test_step(&e.s);
    for (int f = 0; f < 4; f++) {
      sup_v3 force = force_on(&e, feet[f]);
      NEAR(force.z, share, 1e-6, 0);
      NEAR(hypot(force.x, force.y), 0, 0, 1e-6 * share);
    }
    test_example_end(&e);
  }
}

/* P4 Fig 17: targets of a controller, played without it, still trot at 0.3 m/s. */
static void targets_alone_trot(void) {
  test_example e;
  double       lowest = 1, effort = 0;
  test_example_start(&e, "solo12_trot", NULL, 0);
  for (int i = 0; i < 3000; i++) {
    test_step(&e.s);
    const sup_step_result *r = sup_stepper_result(e.s.stepper);
    lowest = fmin(lowest, test_example_place(&e, "solo/base").z);
    for (int k = 6; k < 18; k++) effort = fmax(effort, fabs(r->joint_effort[k]));
  }
  sup_v3 p = test_example_place(&e, "solo/base");
  CHECK(p.x > 0.6 && p.x < 1 && fabs(p.y) < 0.1);
  CHECK(lowest > 0.21);
  CHECK(effort > 1 && effort <= 2.5 + 1e-9);
  test_example_end(&e);
}

SUITE_TESTS(solo12_stand, TEST(four_feet_share_the_weight_and_nothing_pulls_them_apart),
            TEST(targets_alone_trot));
