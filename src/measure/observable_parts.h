/** Shared by the tables of observables.  Private to layer measure. */
#pragma once

#include "measure/observable.h"

#define SUP_COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define ROWS(a) (a), SUP_COUNT(a)

/** A function `value` that reads one number of the observation. */
#define NUMBER(function, number)                             \
  static int function(const sup_observed *at, double *out) { \
    out[0] = (double)(number);                               \
    return 1;                                                \
  }

/** Likewise a vector. */
#define VECTOR(function, vector)                             \
  static int function(const sup_observed *at, double *out) { \
    sup_v3_store(out, vector);                               \
    return 1;                                                \
  }
/** Things of the model with names: their number and prefix. */
#define NAMED(things, kind)                                                                       \
  static int num_##things(const sup_observed_scene *scene) { return scene->model->num_##things; } \
  static int kind##_prefix(const sup_observed_scene *scene, int i, char *text) {                  \
    snprintf(text, SUP_COLUMN_MAX, #kind ".%s.", scene->model->kind[i].name);                     \
    return 1;                                                                                     \
  }

/** Groups of what acts on bodies: attachments, holds, ties, chambers, cables, constraints, tasks,
 * and probes. */
enum { SUP_NUM_DEVICE_GROUPS = 8 };
extern const sup_observable_group sup_observable_devices[SUP_NUM_DEVICE_GROUPS];
