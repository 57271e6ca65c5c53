/* Scenes of what rolls: bodies of a text on a floor, with a step and gravity. */
#pragma once

#include <math.h>

#include "example.h"

static const double pi = 3.14159265358979323846, g = 9.81;
static const double steps[] = {1e-3, 2e-3, 5e-3, 1e-2};
enum { NUM_STEPS = sizeof steps / sizeof *steps };

static const char floor_text[] = "rigid:\n  floor: {shape: {half_space: {}}, fixed: true}\n";

static const char *scheme = ""; /* of time, beside steps */

/** A scene of the bodies in `rest`, YAML below `rigid:` but for the floor; `set`: an override. */
static void start_set(test_example *e, const char *set, double step, double friction,
                      double dissipation, const double gravity[3], const char *top,
                      const char *rest) {
  char  path[512];
  FILE *file;
  e->scene = NULL;
  snprintf(path, sizeof path, "%s/rolling.yaml", test_folder());
  CHECK((file = fopen(path, "w")) != NULL);
  fprintf(file,
          "supple: 1\ntime: {step: %.17g, end: 100%s}\ngravity: [%.17g, %.17g, %.17g]\n"
          "contact: {defaults: {friction: %g, dissipation: %g}}\n%s%s",
          step, scheme, gravity[0], gravity[1], gravity[2], friction, dissipation, top, rest);
  fclose(file);
  test_scene_init(&e->s);
  OK(sup_scene_load(&e->scene, path, &set, set != NULL));
  e->s.def = e->scene->model, e->s.options = e->scene->options;
  test_start(&e->s);
}

static void start(test_example *e, double step, double friction, double dissipation,
                  const double gravity[3], const char *top, const char *rest) {
  start_set(e, NULL, step, friction, dissipation, gravity, top, rest);
}

static void go(test_example *e, double time) {
  int count = (int)lround(time / e->s.options.dt);
  for (int i = 0; i < count; i++) test_step(&e->s);
}

static const double down[3] = {0, 0, -9.81};
