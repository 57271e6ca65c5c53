/* Optimal control by study files: what is asked for, and what is found. */
#include "study/control/control.h"

#include "scene/scene.h"
#include "test.h"

static sup_study *prepare(const char *path) {
  sup_study *study = NULL;
  OK(sup_study_load(&study, path, SUP_STUDY_CONTROL));
  OK(sup_study_prepare(study, path));
  return study;
}

/** End of a term by its name. */
static double end_of(const sup_control_study *c, const char *name) {
  for (int i = 0; i < c->num_terms; i++)
    if (strcmp(c->term_name[i], name) == 0) return c->y[c->num_steps * c->num_terms + i];
  CU_FAIL_FATAL("no such term");
  return 0;
}

static void check_limits(const sup_control_study *c) {
  for (int k = 0; k < c->num_steps * c->num_controls; k++) {
    int i = k % c->num_controls;
    CHECK(c->u[k] >= c->low[i] && c->u[k] <= c->high[i]);
  }
}

static void print_costs(const sup_control_study *c) {
  printf("\n    cost %.4g -> %.4g in %d iterations, %d rollouts; a linearisation costs %.2g ",
         c->first, c->cost, c->num_iterations, c->num_rollouts,
         c->seconds_derivatives / c->num_linearisations / (c->seconds_rollouts / c->num_rollouts));
}

static void an_arm_rolls_a_ball_aside(void) {
  sup_study         *study = prepare("examples/studies/gen3_ball_side.yaml");
  sup_control_study *c = study->control;
  CHECK(c->num_steps == 50 && c->num_controls == 7 && c->high[6] == 9);
  c->max_iterations = 20; /* of 36, which leave 2 % less */
  OK(sup_control_run(study, 1, NULL, NULL));
  print_costs(c);
  double y = end_of(c, "ball.y");
  printf("y %.4f ", y);
  CHECK(y > .1 && y < .16 && c->cost < .3 * c->first);
  check_limits(c);
  NEAR(c->report.cost, c->cost, 1e-12, 0); /* the controls alone repeat the trajectory */
  sup_study_destroy(&study);
}

/* Orders of sums part the ways of iLQR: five of them ended at costs of 1.3 to 2.4 from 6.7. */
static void an_arm_lifts_a_ball(void) {
  sup_study         *study = prepare("examples/studies/gen3_ball_lift.yaml");
  sup_control_study *c = study->control;
  OK(sup_control_run(study, 1, NULL, NULL));
  print_costs(c);
  double z = end_of(c, "ball.z");
  printf("z %.4f ", z);
  CHECK(z > .27 && z < .33 && c->cost < .4 * c->first);
  check_limits(c);
  sup_study_destroy(&study);
}

/* Derivatives on one thread and on two, the same bits. */
static void threads_change_no_bit(void) {
  double cost[2];
  for (int k = 0; k < 2; k++) {
    sup_study *study = prepare("examples/studies/gen3_ball_side.yaml");
    study->control->max_iterations = 3;
    OK(sup_control_run(study, k + 1, NULL, NULL));
    cost[k] = study->control->cost;
    sup_study_destroy(&study);
  }
  CHECK(cost[0] == cost[1]);
}

/* A pole on a cart that looks 0.6 s ahead, falls without control and is held within 12 N. */
static void a_horizon_recedes(void) {
  sup_study         *study = prepare("tests/data/control/cart_pole.yaml");
  sup_control_study *c = study->control;
  OK(sup_control_run(study, 1, NULL, NULL));
  print_costs(c);
  CHECK(c->num_steps == 150 && c->num_controls == 1 && !c->gains);
  NEAR(end_of(c, "cart.q"), .3, 0, .02);
  NEAR(end_of(c, "pole.q"), 0, 0, .02);
  CHECK(c->cost < .1 * c->first);
  check_limits(c);
  double most = 0;
  for (int k = 0; k < c->num_steps; k++) most = fmax(most, fabs(c->u[k]));
  NEAR(most, 12, 1e-12, 0); /* the limit is needed */
  sup_study_destroy(&study);
}

SUITE_TESTS(control, TEST(an_arm_rolls_a_ball_aside), TEST(an_arm_lifts_a_ball),
            TEST(threads_change_no_bit), TEST(a_horizon_recedes));
