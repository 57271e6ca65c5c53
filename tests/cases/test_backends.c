/* Every linear solver leads to the same step and the same equilibrium: supernodal, CHOLMOD, PETSc
 * by MUMPS and by multigrid, from one state of each example with soft bodies. */
#include <stdlib.h>

#include "example.h"
#include "la/linear_solver.h"
#include "model/model.h"
#include "step/step.h"

#define MULTIGRID "-ksp_type cg -ksp_norm_type unpreconditioned -pc_type gamg"

typedef struct other_backend {
  const char      *name;
  sup_backend      backend;
  const char      *petsc;
  sup_petsc_matrix matrix;
} other_backend;

static const other_backend others[] = {{"CHOLMOD", SUP_BACKEND_CHOLMOD, NULL},
                                       {"MUMPS", SUP_BACKEND_PETSC, NULL},
                                       {"GAMG", SUP_BACKEND_PETSC, MULTIGRID},
                                       {"cells", SUP_BACKEND_PETSC, NULL, SUP_PETSC_MATRIX_FREE}};
enum { NUM_OTHERS = sizeof others / sizeof *others };

static int is_there(const other_backend *other) {
  sup_linear_solver *solver;
  sup_status         status = sup_linear_solver_create(&solver, other->backend, other->petsc);
  sup_linear_solver_destroy(&solver);
  return status == SUP_OK;
}

typedef struct backend_case {
  const char *example;
  double      time;      /* the state, reached by the supernodal solver [s] */
  int         is_static; /* the equilibrium after a load step */
  int         is_stored; /* cells alone are refused */
} backend_case;

static void compare(const backend_case *c) {
  static const char *const sets[] = {"solver.tolerance=1e-12"};
  test_example             e;
  sup_state               *start = NULL, *after = NULL;
  test_example_start(&e, c->example, sets, 1);
  while (e.s.state->time < c->time - 1e-9) test_step(&e.s);
  OK(sup_state_create(&start, e.s.model, &e.s.options));
  OK(sup_state_create(&after, e.s.model, &e.s.options));
  OK(sup_state_copy(start, e.s.state));
  test_advance(&e.s, c->is_static);
  OK(sup_state_copy(after, e.s.state));
  int     n = 3 * after->num_vertices;
  double *force = calloc((size_t)n + 1, sizeof *force), speed = 9.81 * e.s.options.dt;
  memcpy(force, sup_stepper_result(e.s.stepper)->contact_force, (size_t)n * sizeof *force);
  printf("\n    %-20s %3d contacts", c->example, e.s.report.num_contacts);
  for (int k = 0; k < NUM_OTHERS; k++) {
    if (!is_there(&others[k])) continue;
    sup_stepper *own = e.s.stepper;
    e.s.options.backend = others[k].backend, e.s.options.petsc = others[k].petsc;
    e.s.options.petsc_matrix = others[k].matrix;
    e.s.stepper = NULL;
    if (c->is_stored && others[k].matrix == SUP_PETSC_MATRIX_FREE) {
      FAILS(sup_stepper_create(&e.s.stepper, e.s.model, &e.s.options), SUP_E_ARG, "petsc_matrix");
      e.s.stepper = own;
      continue;
    }
    OK(sup_stepper_create(&e.s.stepper, e.s.model, &e.s.options));
    OK(sup_state_copy(e.s.state, start));
    test_advance(&e.s, c->is_static);
    double places = test_difference(e.s.state->x, after->x, n, 0),
           speeds = test_difference(e.s.state->xdot, after->xdot, n, speed),
           forces = test_difference(sup_stepper_result(e.s.stepper)->contact_force, force, n, 1e-6);
    printf("; %s: places %.1e, velocities %.1e, forces %.1e", others[k].name, places, speeds,
           forces);
    CHECK(places < 1e-9 && (c->is_static || speeds < 1e-9) && forces < 1e-9);
    sup_stepper_destroy(&e.s.stepper);
    e.s.stepper = own;
  }
  printf(" ");
  free(force);
  sup_state_destroy(&start);
  sup_state_destroy(&after);
  test_example_end(&e);
}

static void a_step_of_each_example_is_the_same(void) {
  static const backend_case cases[] = {
      {"finray_grasp", 1.3, 0},     {"finray_grasp_ball", 1.3, 0},   {"finray_grasp_box", 1.3, 0},
      {"arm_grasp", 0.1, 0},        {"finray_self_contact", 0.2, 0}, {"soft_barrier", 0.1, 0},
      {"soft_cube_drop", 0.2, 0},   {"soft_stack", 0.1, 0},          {"finray_press", 0.2, 0},
      {"finray_stiffness", 0.1, 0}, {"own_finger", 0.2, 0},          {"relaxation", 0.05, 0},
      {"spring_finger", 0.05, 0, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) compare(&cases[k]);
}

static void an_equilibrium_of_each_example_is_the_same(void) {
  static const backend_case cases[] = {{"finray_press", 0, 1},
                                       {"finray_stiffness", 0, 1},
                                       {"soft_stack", 0.1, 1},
                                       {"own_finger", 0.95, 1},
                                       {"relaxation", 0.05, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) compare(&cases[k]);
}

SUITE_TESTS(backends, TEST(a_step_of_each_example_is_the_same),
            TEST(an_equilibrium_of_each_example_is_the_same));
