/** A simulation of a scene file, driven through supple.h. */
#pragma once

#include "simulator/simulator_parts.h"
#include "test.h"

typedef struct driven {
  sup_scene     *scene;
  sup_model     *model;
  sup_simulator *sim;
} driven;

static void start(driven *d, const char *path, int num_sets, const char *const *sets) {
  *d = (driven){NULL, NULL, NULL};
  OK(sup_scene_load(&d->scene, path, sets, num_sets));
  OK(sup_model_create(&d->model, sup_scene_model_def(d->scene)));
  OK(sup_scene_simulator_create(&d->sim, d->scene, d->model));
}

static void end(driven *d) {
  sup_simulator_destroy(&d->sim);
  sup_model_destroy(&d->model);
  sup_scene_destroy(&d->scene);
}
