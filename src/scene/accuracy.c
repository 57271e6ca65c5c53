/* Steps of controlled length: defaults of a scene with an accuracy. */
#include <math.h>

#include "scene/build.h"
#include "scene/numerics.h"

/** Keys that mean nothing without an accuracy. */
static const char *const belongs[] = {"accuracy_length", "accuracy_time", "min_step", "max_step",
                                      "reference_step"};

sup_status sup_scene_check_accuracy(const sup_section *time, const sup_options *o) {
  if (o->accuracy.tolerance > 0) return SUP_OK;
  for (size_t k = 0; k < sizeof belongs / sizeof *belongs; k++) {
    const sup_node *stray = sup_section_entry(time, belongs[k]);
    if (stray)
      return SUP_FAIL_AT(stray->key_place,
                         "%s is for steps of controlled length, which need time.accuracy, for "
                         "instance 'accuracy: 1.0e-3'",
                         belongs[k]);
  }
  if (!sup_section_entry(time, "step"))
    return SUP_FAIL_AT(time->node->place,
                       "time needs the key 'step', for instance 'step: 10 ms', or 'accuracy', for "
                       "instance 'accuracy: 1.0e-3', which controls the steps");
  return SUP_OK;
}

/** A value that the scene does not give, into the tree. */
static sup_status choose(const sup_section *time, const char *key, const char *unit, double value,
                         double *out) {
  if (sup_section_entry(time, key)) return SUP_OK;
  *out = value;
  SUP_TRY(sup_scene_write_entry(time, key, unit, out));
  return SUP_OK;
}

sup_status sup_scene_choose_accuracy(const sup_section *time, sup_scene *scene) {
  sup_options  *o = &scene->options;
  sup_accuracy *a = &o->accuracy;
  if (!(a->tolerance > 0)) return SUP_OK;
  double size = sup_scene_smallest_radius(&scene->model), every = scene->output.every;
  double frame = every > 0 ? every : sup_scene_numerics.longest_step * scene->end_time;
  if (!(frame > 0)) frame = o->dt;
  if (!(size > 0 && isfinite(size))) size = 1;
  SUP_TRY(choose(time, "max_step", "s", frame, &a->max_step));
  SUP_TRY(choose(time, "min_step", "s", fmin(1e-5 * frame, a->max_step), &a->min_step));
  SUP_TRY(choose(time, "accuracy_length", "m", size, &a->length));
  SUP_TRY(choose(time, "accuracy_time", "s", a->max_step, &a->time));
  SUP_TRY(choose(time, "reference_step", "s", 0.5 * a->max_step, &a->reference_step));
  SUP_TRY(choose(time, "step", "s", fmax(0.1 * a->max_step, a->min_step), &o->dt));
  if (a->min_step <= a->max_step) return SUP_OK;
  return SUP_FAIL_AT(time->node->place, "min_step is %g s, longer than max_step, %g s", a->min_step,
                     a->max_step);
}
