/** Scenes of examples/ as a program runs them: what users see is what is tested. */
#pragma once

#include "scene/scene.h"
#include "scene_test.h"

typedef struct test_example {
  sup_scene *scene;
  test_scene s;
} test_example;

/** Load examples/NAME.yaml with overrides "KEY=VALUE" [num_sets], ready to step. */
static inline void test_example_start(test_example *e, const char *name, const char *const *sets,
                                      int num_sets) {
  char path[128];
  e->scene = NULL;
  snprintf(path, sizeof path, "examples/%s.yaml", name);
  test_scene_init(&e->s);
  OK(sup_scene_load(&e->scene, path, sets, num_sets));
  e->s.def = e->scene->model, e->s.options = e->scene->options;
  test_start(&e->s);
}

static inline void test_example_end(test_example *e) {
  e->s.def.num_softs = 0; /* the scene's, not the test's */
  test_end(&e->s);
  sup_scene_destroy(&e->scene);
}

/** Origin of a body after the last step, its velocity and its angular velocity, world axes. */
static inline sup_v3 test_example_place(const test_example *e, const char *body) {
  return sup_stepper_result(e->s.stepper)->X_WL[sup_model_find_body(e->s.model, body)].p;
}
static inline sup_v3 test_example_velocity(const test_example *e, const char *body) {
  return sup_stepper_result(e->s.stepper)->link_v[sup_model_find_body(e->s.model, body)];
}
static inline sup_v3 test_example_spin(const test_example *e, const char *body) {
  return sup_stepper_result(e->s.stepper)->link_w[sup_model_find_body(e->s.model, body)];
}

static const char *const test_models[] = {
    "contact.model=lagged", "contact.model=lagged_regularized", "contact.model=similar",
    "contact.model=similar_regularized", "contact.model=sap"};
enum {
  TEST_LAGGED,
  TEST_LAGGED_REGULARIZED,
  TEST_SIMILAR,
  TEST_SIMILAR_REGULARIZED,
  TEST_SAP,
  TEST_NUM_MODELS
};

/** Largest difference over the largest number of b or `least`. */
static inline double test_difference(const double *a, const double *b, int n, double least) {
  double most = 0, size = least;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i])), size = fmax(size, fabs(b[i]));
  return size > 0 ? most / size : 0;
}

/** A step, or the equilibrium after a load step up to `end` [s], to 1e-11. */
static inline void test_advance(test_scene *s, int is_static, double end) {
  sup_static_options statics = sup_default_static_options();
  if (!is_static) {
    OK(sup_step(s->stepper, s->state, &s->report));
    return;
  }
  statics.tolerance = 1e-11, statics.end = end;
  OK(sup_static_step(s->stepper, s->state, &statics, &s->report));
}

/** The state after the next step by another stepper, which knows the file of the one before alone.
 */
static inline sup_state *test_step_from_file(const sup_scene *scene, const sup_model *model,
                                             const sup_state *state, int is_static) {
  char            path[300];
  sup_state      *again = NULL;
  sup_stepper    *other = NULL;
  sup_step_report report;
  snprintf(path, sizeof path, "%s/state.bin", test_folder());
  OK(sup_state_save(state, path));
  OK(sup_state_load(&again, model, &scene->options, path));
  OK(sup_stepper_create(&other, model, &scene->options));
  if (is_static)
    OK(sup_static_step(other, again, &scene->statics, &report));
  else
    OK(sup_step_until(other, again, scene->end_time, &report));
  sup_stepper_destroy(&other);
  remove(path);
  return again;
}
