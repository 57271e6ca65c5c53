/* Whatever outlives a step is in the state: another stepper goes on from its file with equal bits.
 * The whole grasp is in suite grasp. */
#include "example.h"
#include "la/linear_solver.h"
#include "model/model.h"
#include "step/step.h"

static const char grasp[] = "examples/finray_grasp.yaml";
static const char drop[] = "examples/soft_cube_drop.yaml"; /* 96 to 429 contacts of a soft body */

typedef struct run {
  sup_scene   *scene;
  sup_model   *model;
  sup_state   *state;
  sup_stepper *stepper;
} run;

static void open_run(run *r, const char *path, int num_sets, const char *const *sets) {
  *r = (run){NULL, NULL, NULL, NULL};
  OK(sup_scene_load(&r->scene, path, sets, num_sets));
  OK(sup_model_create(&r->model, &r->scene->model));
  OK(sup_state_create(&r->state, r->model, &r->scene->options));
  OK(sup_stepper_create(&r->stepper, r->model, &r->scene->options));
}

static void close_run(run *r) {
  sup_stepper_destroy(&r->stepper);
  sup_state_destroy(&r->state);
  sup_model_destroy(&r->model);
  sup_scene_destroy(&r->scene);
}

static void step(const run *r, int is_static) {
  sup_step_report report;
  if (is_static)
    OK(sup_static_step(r->stepper, r->state, &r->scene->statics, &report));
  else
    OK(sup_step_until(r->stepper, r->state, r->scene->end_time, &report));
}

/** Every step twice: by the stepper of all steps, and by one that only knows the file. */
static void check_steps(const char *path, int num_sets, const char *const *sets, int is_static,
                        long steps) {
  run r;
  open_run(&r, path, num_sets, sets);
  long different = 0;
  while (r.state->step < steps && r.state->time < r.scene->end_time) {
    sup_state *again = test_step_from_file(r.scene, r.model, r.state, is_static);
    step(&r, is_static);
    different += sup_state_hash(again) != sup_state_hash(r.state) || again->time != r.state->time;
    sup_state_destroy(&again);
  }
  CHECK(different == 0);
  if (different)
    printf("\n    %s %s: %ld of %ld steps differ\n", path, num_sets ? sets[0] : "", different,
           r.state->step);
  close_run(&r);
}

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/** Clang's search for leaks ends with a signal of its own where MPI was loaded. */
static int  is_there(sup_backend backend) {
#if defined SUP_SANITIZED && !defined __SANITIZE_ADDRESS__
  if (backend == SUP_BACKEND_PETSC) return 0;
#endif
  sup_linear_solver *solver;
  sup_status         status = sup_linear_solver_create(&solver, backend, NULL);
  sup_linear_solver_destroy(&solver);
  return status == SUP_OK;
}

static void other_linear_solvers_go_on(void) {
  static const char *const        cholmod[] = {"solver.backend=cholmod"},
                           *const cg[] = {"solver.backend=cg"},
                           *const petsc[] = {"solver.backend=petsc"};
  check_steps(drop, 1, cg, 0, 30);
  if (is_there(SUP_BACKEND_CHOLMOD)) check_steps(grasp, 1, cholmod, 0, 40);
  if (is_there(SUP_BACKEND_PETSC)) check_steps(grasp, 1, petsc, 0, 20);
}

/** Those that start from the impulses, anchors, velocities of the step before, too. */
static void other_contact_solvers_and_schemes_go_on(void) {
  static const char *const sets[] = {"contact.solver=ncp_pgs", "contact.solver=tamsi",
                                     "contact.stick=elastic",  "contact.model=lagged",
                                     "time.scheme=bdf2",       "time.accuracy=1e-3"};
  for (int i = 0; i < COUNT(sets); i++) check_steps(drop, 1, &sets[i], 0, 40);
}

static void load_steps_go_on(void) {
  static const char *const many[] = {"static.steps=6"};
  check_steps("examples/finray_press.yaml", 1, many, 1, 100);
}

SUITE_TESTS(go_on, TEST(other_linear_solvers_go_on), TEST(other_contact_solvers_and_schemes_go_on),
            TEST(load_steps_go_on));
