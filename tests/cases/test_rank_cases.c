/* A step and an equilibrium on two ranks are those of one. */
#include "example.h"
#include "model/model.h"
#include "ranks_test.h"
#include "step/step.h"

typedef struct rank_case {
  const char *example;
  double      time;      /* the state, reached by the supernodal solver on one rank [s] */
  int         is_static; /* the equilibrium after a load step */
} rank_case;

static double vector_difference(sup_v3 a, sup_v3 b) { return sup_v3_norm(sup_v3_sub(a, b)); }

/** Reactions and attachment forces. */
static double wrench_difference(const sup_wrench *a, const sup_wrench *b, int n) {
  double most = 0, size = 1e-3;
  for (int i = 0; i < n; i++) {
    most = fmax(most, vector_difference(a[i].force, b[i].force));
    size = fmax(size, sup_v3_norm(b[i].force));
  }
  return most / size;
}

static void compare(const sup_collective *ranks, const rank_case *c) {
  static const char *const sets[] = {"solver.tolerance=1e-12"};
  test_example             e;
  test_scene               two;
  test_example_start(&e, c->example, sets, 1);
  while (e.s.state->time < c->time - 1e-9) test_step(&e.s);
  two = e.s, two.model = NULL, two.state = NULL, two.stepper = NULL;
  two.def.ranks = ranks, two.options.backend = SUP_BACKEND_PETSC;
  OK(sup_model_create(&two.model, &two.def));
  OK(sup_state_create(&two.state, two.model, &two.options));
  OK(sup_stepper_create(&two.stepper, two.model, &two.options));
  OK(sup_state_copy(two.state, e.s.state));
  test_advance(&e.s, c->is_static);
  test_advance(&two, c->is_static);
  const sup_step_result *a = sup_stepper_result(two.stepper), *b = sup_stepper_result(e.s.stepper);
  const sup_state       *x = two.state, *y = e.s.state;
  int                    n = 3 * y->num_vertices;
  double                 speed = 9.81 * e.s.options.dt;
  double                 places = test_difference(x->x, y->x, n, 0);
  double                 joints = test_difference(x->q, y->q, y->num_q, 1e-3);
  double                 speeds = c->is_static ? 0 : test_difference(x->xdot, y->xdot, n, speed),
         turns = c->is_static ? 0 : test_difference(x->v, y->v, y->num_v, speed);
  double forces = test_difference(a->contact_force, b->contact_force, n, 1e-6);
  double held = wrench_difference(a->reaction, b->reaction, e.s.model->num_dirichlet),
         links = wrench_difference(a->attach_wrench, b->attach_wrench, e.s.model->num_softs);
  if (ranks->rank == 0)
    printf(
        "\n= %-20s %4d contacts; places %.1e, joints %.1e, velocities %.1e %.1e, forces %.1e, "
        "reactions %.1e, attachments %.1e\n",
        c->example, e.s.report.num_contacts, places, joints, speeds, turns, forces, held, links);
  CHECK(places < 1e-9 && joints < 1e-9 && speeds < 1e-9 && turns < 1e-9);
  CHECK(forces < 1e-7 && held < 1e-7 && links < 1e-7);
  CHECK(two.report.num_contacts == e.s.report.num_contacts);
  sup_stepper_destroy(&two.stepper);
  sup_state_destroy(&two.state);
  sup_model_destroy(&two.model);
  test_example_end(&e);
}

static void a_step_of_each_example_is_that_of_one_rank(void) {
  ON_RANKS("rank_cases.a_step_of_each_example_is_that_of_one_rank");
  static const rank_case cases[] = {{"soft_cube_drop", 0.2, 0}, {"soft_stack", 0.1, 0},
                                    {"finray_grasp", 1.3, 0},   {"finray_grasp_ball", 1.3, 0},
                                    {"arm_grasp", 0.1, 0},      {"finray_self_contact", 0.2, 0},
                                    {"soft_barrier", 0.1, 0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) compare(c, &cases[k]);
}

static void an_equilibrium_of_each_example_is_that_of_one_rank(void) {
  ON_RANKS("rank_cases.an_equilibrium_of_each_example_is_that_of_one_rank");
  static const rank_case cases[] = {
      {"finray_stiffness", 0, 1}, {"finray_press", 0, 1}, {"soft_stack", 0.1, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) compare(c, &cases[k]);
}

SUITE_TESTS(rank_cases, TEST(a_step_of_each_example_is_that_of_one_rank),
            TEST(an_equilibrium_of_each_example_is_that_of_one_rank));
