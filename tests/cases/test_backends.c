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
  double      time;            /* the state, reached by the supernodal solver [s] */
  int         has_equilibrium; /* after a load step from there, too */
  int         is_stored;       /* cells alone are refused */
  const char *set;
} backend_case;

/** A step, or the equilibrium after a load step, of the state `start`. */
static void compare(const backend_case *c, test_example *e, const sup_state *start, int is_static) {
  sup_state *after = NULL;
  OK(sup_state_create(&after, e->s.model, &e->s.options));
  OK(sup_state_copy(e->s.state, start));
  test_advance(&e->s, is_static, c->time + .01);
  OK(sup_state_copy(after, e->s.state));
  int     n = 3 * after->num_vertices;
  double *force = calloc((size_t)n + 1, sizeof *force), speed = 9.81 * e->s.options.dt;
  memcpy(force, sup_stepper_result(e->s.stepper)->contact_force, (size_t)n * sizeof *force);
  printf("\n    %-20s %3d contacts%s", c->example, e->s.report.num_contacts,
         is_static ? " at rest" : "");
  for (int k = 0; k < NUM_OTHERS; k++) {
    if (!is_there(&others[k])) continue;
    test_scene s = e->s; /* with another stepper */
    s.options.backend = others[k].backend, s.options.petsc = others[k].petsc;
    s.options.petsc_matrix = others[k].matrix;
    s.stepper = NULL;
    if (c->is_stored && others[k].matrix == SUP_PETSC_MATRIX_FREE) {
      FAILS(sup_stepper_create(&s.stepper, s.model, &s.options), SUP_E_ARG, "petsc_matrix");
      continue;
    }
    OK(sup_stepper_create(&s.stepper, s.model, &s.options));
    OK(sup_state_copy(s.state, start));
    test_advance(&s, is_static, c->time + .01);
    double places = test_difference(s.state->x, after->x, n, 0),
           speeds = test_difference(s.state->xdot, after->xdot, n, speed),
           forces = test_difference(sup_stepper_result(s.stepper)->contact_force, force, n, 1e-6);
    printf("; %s: places %.1e, velocities %.1e, forces %.1e", others[k].name, places, speeds,
           forces);
    CHECK(places < 1e-9 && (is_static || speeds < 1e-9) && forces < 1e-9);
    sup_stepper_destroy(&s.stepper);
  }
  printf(" ");
  free(force);
  sup_state_destroy(&after);
}

static void steps_and_equilibria_of_each_example_are_the_same(void) {
  static const char         twenty[] = "time.step=20ms";
  static const backend_case cases[] = {{"finray_grasp", 1.3, 0, 0, twenty},
                                       {"finray_grasp_ball", 1.3, 0, 0, twenty},
                                       {"finray_grasp_box", 1.3, 0, 0, twenty},
                                       {"arm_grasp", .1},
                                       {"finray_self_contact", .2},
                                       {"soft_barrier", .1},
                                       {"soft_cube_drop", .2},
                                       {"soft_stack", .1, 1},
                                       {"finray_press", .2, 1},
                                       {"finray_stiffness", .1, 1},
                                       {"own_finger", .2, 1},
                                       {"relaxation", .05, 1},
                                       {"spring_finger", .05, 0, 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const char  *sets[] = {"solver.tolerance=1e-12", cases[k].set};
    test_example e;
    sup_state   *start = NULL;
    test_example_start(&e, cases[k].example, sets, cases[k].set ? 2 : 1);
    while (e.s.state->time < cases[k].time - 1e-9) test_step(&e.s);
    OK(sup_state_create(&start, e.s.model, &e.s.options));
    OK(sup_state_copy(start, e.s.state));
    for (int i = 0; i <= cases[k].has_equilibrium; i++) compare(&cases[k], &e, start, i);
    sup_state_destroy(&start);
    test_example_end(&e);
  }
}

SUITE_TESTS(backends, TEST(steps_and_equilibria_of_each_example_are_the_same));
