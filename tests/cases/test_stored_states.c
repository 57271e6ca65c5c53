/* One step from each of stored states, solved to 1e-12, ends with the velocities that were stored
 * with it: nothing that is done to the solver or the assembly for speed may cost a digit.
 *
 * tests/data/states/NAME.bin: int32 counts {states, q, v, soft vertices}, and for each state
 * doubles time, q, v, x, xdot before the step and v, xdot after it; little-endian.
 * SUPPLE_STORE_STATES=1 writes the files anew: only when the model itself changed. */
#include <stdlib.h>

#include "base/file/file.h"
#include "example.h"
#include "la/linear_solver.h"
#include "model/model.h"
#include "step/step.h"

enum { MAX_STATES = 16 };

/** A scene and the times of its states. */
typedef struct stored_scene {
  const char        *name, *example;
  const char *const *sets;
  int                num_sets, num_states;
  double             first, every; /* [s] */
} stored_scene;

static size_t bytes_of(int count) { return (size_t)count * sizeof(double); }

/** The arrays of a state in the order of the file: before the step all, after it velocities only.
 */
static int state_arrays(sup_state *state, int after, double *array[4], int size[4]) {
  int soft = 3 * state->num_vertices, num = 0;
  if (!after) array[num] = state->q, size[num++] = state->num_q;
  array[num] = state->v, size[num++] = state->num_v;
  if (!after) array[num] = state->x, size[num++] = soft;
  array[num] = state->xdot, size[num++] = soft;
  return num;
}

static void put_state(FILE *file, sup_state *state, int after) {
  double *array[4];
  int     size[4], num = state_arrays(state, after, array, size);
  for (int k = 0; k < num; k++)
    CHECK(fwrite(array[k], 1, bytes_of(size[k]), file) == bytes_of(size[k]));
}

static void get_state(FILE *file, sup_state *state, int after) {
  double *array[4];
  int     size[4], num = state_arrays(state, after, array, size);
  for (int k = 0; k < num; k++)
    CHECK(fread(array[k], 1, bytes_of(size[k]), file) == bytes_of(size[k]));
}

static void counts_of(const stored_scene *scene, const sup_state *state, int32_t counts[4]) {
  counts[0] = scene->num_states, counts[1] = state->num_q, counts[2] = state->num_v,
  counts[3] = state->num_vertices;
}

/** Stored states do not know how the step before turned soft bodies. */
static void forget_levers(sup_state *state) {
  memset(state->lever_rate, 0, 4 * (size_t)state->num_levers * sizeof *state->lever_rate);
}

/** Step through the scene and store states, each with the velocities of a step from it. */
static void store(const stored_scene *scene, const char *path) {
  test_example e;
  sup_state   *next = NULL;
  FILE        *file = fopen(path, "wb");
  int32_t      counts[4];
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  test_example_start(&e, scene->example, scene->sets, scene->num_sets);
  counts_of(scene, e.s.state, counts);
  CHECK(fwrite(counts, sizeof counts, 1, file) == 1);
  OK(sup_state_create(&next, e.s.model, &e.s.options));
  for (int k = 0; k < scene->num_states; k++) {
    while (e.s.state->time < scene->first + k * scene->every - 1e-9) test_step(&e.s);
    CHECK(fwrite(&e.s.state->time, sizeof(double), 1, file) == 1);
    put_state(file, e.s.state, 0);
    OK(sup_state_copy(next, e.s.state));
    forget_levers(next);
    OK(sup_step(e.s.stepper, next, &e.s.report));
    put_state(file, next, 1);
  }
  CHECK(fclose(file) == 0);
  sup_state_destroy(&next);
  test_example_end(&e);
}

static double largest_difference(const double *a, const double *b, int n, double *size) {
  double difference = 0;
  for (int i = 0; i < n; i++) {
    difference = fmax(difference, fabs(a[i] - b[i]));
    *size = fmax(*size, fabs(b[i]));
  }
  return difference;
}

static void compare(const stored_scene *scene) {
  test_example e;
  sup_state   *after = NULL;
  char         path[128];
  int32_t      counts[4], found[4];
  double       worst = 0;
  int          contacts = 0;
  snprintf(path, sizeof path, "tests/data/states/%s.bin", scene->name);
  if (getenv("SUPPLE_STORE_STATES")) store(scene, path);
  FILE *file = fopen(path, "rb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  test_example_start(&e, scene->example, scene->sets, scene->num_sets);
  counts_of(scene, e.s.state, counts);
  CHECK(fread(found, sizeof found, 1, file) == 1);
  for (int k = 0; k < 4; k++) NEAR(found[k], counts[k], 0, 0);
  OK(sup_state_create(&after, e.s.model, &e.s.options));
  for (int k = 0; k < scene->num_states; k++) {
    CHECK(fread(&e.s.state->time, sizeof(double), 1, file) == 1);
    get_state(file, e.s.state, 0);
    get_state(file, after, 1);
    forget_levers(e.s.state);
    e.s.state->step = lround(e.s.state->time / e.s.options.dt);
    test_step(&e.s);
    double size =
        9.81 *
        e.s.options.dt; /* what a step of free fall adds: bodies at rest creep by nanometres */
    double difference =
        largest_difference(e.s.state->xdot, after->xdot, 3 * after->num_vertices, &size);
    difference = fmax(difference, largest_difference(e.s.state->v, after->v, after->num_v, &size));
    NEAR(difference, 0, 0, 1e-9 * size);
    worst = fmax(worst, difference / size), contacts += e.s.report.num_contacts;
  }
  printf("%d states, %.0f contacts in the mean, velocities differ by %.1e of the largest ... ",
         scene->num_states, (double)contacts / scene->num_states, worst);
  CHECK(contacts >= 10 * scene->num_states);
  CHECK(fgetc(file) == EOF);
  fclose(file);
  sup_state_destroy(&after);
  test_example_end(&e);
}

#define FINGER(name)                                     \
  "soft." name "_finger.mesh.finray.cells.inner=3",      \
      "soft." name "_finger.mesh.finray.cells.cavity=2", \
      "soft." name "_finger.mesh.finray.cells.depth=1", "soft." name "_finger.mesh.finray.ribs=3"
#define SHARP "solver.tolerance=1e-12"
#define LAGGED "contact.model=lagged", "contact.friction_sweeps=2" /* as what was stored */
#define SOFT_STICK "contact.stick=soft" /* what was stored has no anchors */

static void the_grasp_steps_as_stored(void) {
  static const char *const sets[] = {SHARP,
                                     LAGGED,
                                     SOFT_STICK,
                                     FINGER("left"),
                                     FINGER("right"),
                                     "actuators.close_left.effort=1.5 N",
                                     "actuators.close_right.effort=1.5 N"};
  compare(&(stored_scene){"finray_grasp", "finray_grasp", sets, sizeof sets / sizeof *sets, 10, 1.2,
                          .2});
}

static void soft_cubes_step_as_stored(void) {
  static const char *const sets[] = {SHARP,
                                     LAGGED,
                                     "contact.stiction_tolerance=1e-4",
                                     "contact.layer=10",
                                     "soft.lower.mesh.box.cells=[2, 2, 2]",
                                     "soft.middle.mesh.box.cells=[2, 2, 2]",
                                     "soft.upper.mesh.box.cells=[2, 2, 2]"};
  compare(
      &(stored_scene){"soft_stack", "soft_stack", sets, sizeof sets / sizeof *sets, 5, .15, .1});
}

static void clutter_steps_as_stored(void) {
  static const char *const sets[] = {SHARP};
  compare(&(stored_scene){"clutter", "clutter", sets, 1, 5, .4, .3});
}

/* An iterative backend ends with the same velocities: its solutions are certified as all others. */
static void conjugate_gradients_end_where_the_factor_does(void) {
  static const char *const grasp[] = {SHARP,
                                      LAGGED,
                                      SOFT_STICK,
                                      FINGER("left"),
                                      FINGER("right"),
                                      "actuators.close_left.effort=1.5 N",
                                      "actuators.close_right.effort=1.5 N",
                                      "solver.backend=cg"};
  static const char *const clutter[] = {SHARP, "solver.backend=cg"};
  compare(&(stored_scene){"finray_grasp", "finray_grasp", grasp, sizeof grasp / sizeof *grasp, 10,
                          1.2, .2});
  compare(&(stored_scene){"clutter", "clutter", clutter, 2, 5, .4, .3});
}

/* PETSc by MUMPS, as it is for systems of this size, and by multigrid. */
static void petsc_ends_where_the_factor_does(void) {
  static const char *const grasp[2][16] = {
      {SHARP, LAGGED, SOFT_STICK, FINGER("left"), FINGER("right"),
       "actuators.close_left.effort=1.5 N", "actuators.close_right.effort=1.5 N",
       "solver.backend=petsc"},
      {SHARP, LAGGED, SOFT_STICK, FINGER("left"), FINGER("right"),
       "actuators.close_left.effort=1.5 N", "actuators.close_right.effort=1.5 N",
       "solver.backend=petsc",
       "solver.petsc=-ksp_type cg -ksp_norm_type unpreconditioned -pc_type gamg"}};
  static const char *const cubes[] = {SHARP,
                                      LAGGED,
                                      "contact.stiction_tolerance=1e-4",
                                      "contact.layer=10",
                                      "soft.lower.mesh.box.cells=[2, 2, 2]",
                                      "soft.middle.mesh.box.cells=[2, 2, 2]",
                                      "soft.upper.mesh.box.cells=[2, 2, 2]",
                                      "solver.backend=petsc",
                                      "solver.threads=2"};
  NEED_PETSC;
  for (int k = 0; k < 2; k++)
    compare(&(stored_scene){"finray_grasp", "finray_grasp", grasp[k], 15 + k, 10, 1.2, .2});
  compare(
      &(stored_scene){"soft_stack", "soft_stack", cubes, sizeof cubes / sizeof *cubes, 5, .15, .1});
}

SUITE_TESTS(stored_states, TEST(the_grasp_steps_as_stored), TEST(soft_cubes_step_as_stored),
            TEST(clutter_steps_as_stored), TEST(conjugate_gradients_end_where_the_factor_does),
            TEST(petsc_ends_where_the_factor_does));
