/* Section `time` of a scene. */
#include <math.h>

#include "scene/build.h"

enum { SCHEME_BDF2 = 3, SCHEME_THETA = 4 };
static const sup_word schemes[] = {
    {"symplectic_euler",
     "first order, keeps the energy of rigid bodies bounded; soft bodies by implicit Euler"},
    {"implicit_euler", "first order, damps vibrations"},
    {"midpoint", "second order, keeps energy; no soft bodies"},
    {"bdf2",
     "second order for soft bodies, with little damping of vibrations; robots and "
     "rigid bodies by symplectic Euler"},
    {"theta", "weights given by theta, theta_vq and theta_stiff"}};

static const sup_key time_keys[] = {
    SUP_NUMBER("step", SUP_DIM_TIME, SUP_POSITIVE, SUP_AT(sup_scene, options.dt), "10 ms",
               "Length of a time step; with an accuracy, of the first one.", .need = SUP_OPTIONAL,
               .absent = "needed without an accuracy; with it max_step/10"),
    SUP_NUMBER("end", SUP_DIM_TIME, SUP_NOT_NEGATIVE, SUP_AT(sup_scene, end_time), "1 s",
               "Time at which the run ends; without an accuracy it is rounded to a whole number of "
               "steps.",
               .need = SUP_NEEDED),
    SUP_WORD("scheme", schemes, SUP_BY_CODE, "bdf2", "Time scheme.", .absent = "symplectic_euler"),
    SUP_NUMBER("theta", SUP_DIM_NUMBER, SUP_UP_TO_ONE, SUP_BY_CODE, "0.5",
               "Weight of the step's end in the position at which forces are evaluated, with "
               "'scheme: theta'.",
               .need = SUP_NEEDED, .absent = "needed with 'scheme: theta'"),
    SUP_NUMBER("theta_vq", SUP_DIM_NUMBER, SUP_UP_TO_ONE, SUP_BY_CODE, "0.5",
               "Weight of the new velocity in the velocity that moves the positions, with 'scheme: "
               "theta'.",
               .need = SUP_NEEDED, .absent = "needed with 'scheme: theta'"),
    SUP_NUMBER("theta_stiff", SUP_DIM_NUMBER, SUP_UP_TO_ONE, SUP_BY_CODE, "1",
               "Weight of the step's end for springs and for joint springs and dampers, with "
               "'scheme: theta'.",
               .absent = "theta"),
    SUP_NUMBER("accuracy", SUP_DIM_NUMBER, SUP_BELOW_ONE,
               SUP_AT(sup_scene, options.accuracy.tolerance), "1.0e-3",
               "Error that a step may have over accuracy_length, of positions (1 rad is that "
               "length) and velocities times accuracy_time; sets the steps.",
               .need = SUP_OPTIONAL, .absent = "none: all steps have the length 'step'"),
    SUP_NUMBER("accuracy_length", SUP_DIM_LENGTH, SUP_POSITIVE,
               SUP_AT(sup_scene, options.accuracy.length), "2 cm",
               "Reference length of the accuracy.", .need = SUP_OPTIONAL,
               .absent = "radius of the smallest shape or soft body"),
    SUP_NUMBER("accuracy_time", SUP_DIM_TIME, SUP_POSITIVE,
               SUP_AT(sup_scene, options.accuracy.time), "10 ms",
               "Time by which errors of velocities are multiplied; short where the details of "
               "impacts do not matter.",
               .need = SUP_OPTIONAL, .absent = "max_step"),
    SUP_NUMBER("min_step", SUP_DIM_TIME, SUP_POSITIVE, SUP_AT(sup_scene, options.accuracy.min_step),
               "1 us", "Shortest step; larger errors are then accepted and counted.",
               .need = SUP_OPTIONAL, .absent = "1e-5 of output.every, or of max_step's default"),
    SUP_NUMBER("max_step", SUP_DIM_TIME, SUP_POSITIVE, SUP_AT(sup_scene, options.accuracy.max_step),
               "20 ms", "Longest step.", .need = SUP_OPTIONAL,
               .absent = "output.every; without frames end/50"),
    SUP_NUMBER("reference_step", SUP_DIM_TIME, SUP_POSITIVE,
               SUP_AT(sup_scene, options.accuracy.reference_step), "5 ms",
               "Step length that sets near-rigid contact, limits, stiff drives and "
               "regularisation in steps of any length.",
               .need = SUP_OPTIONAL, .absent = "max_step/2")};
const sup_schema sup_schema_time =
    SUP_SCHEMA("time", time_keys, "Length of the steps, end of the run and time scheme.");

/** A named scheme, or `theta` with its weights; the joint springs take theta too unless theta_stiff
 * says otherwise. */
static sup_status read_scheme(const sup_section *time, sup_options *options) {
  static const char *const keys[] = {"theta", "theta_vq", "theta_stiff"};
  const sup_scheme         known[SCHEME_THETA] = {
              sup_scheme_symplectic_euler(),
              sup_scheme_implicit_euler(),
              sup_scheme_midpoint(),
              sup_scheme_symplectic_euler(),
  };
  sup_scheme *scheme = &options->scheme;
  int         name = 0;
  SUP_TRY(sup_read_word(time, "scheme", &name));
  if (name == SCHEME_THETA) {
    SUP_TRY(sup_read_number(time, "theta", &scheme->theta));
    SUP_TRY(sup_read_number(time, "theta_vq", &scheme->theta_vq));
    scheme->theta_stiff = scheme->theta;
    SUP_TRY(sup_read_number(time, "theta_stiff", &scheme->theta_stiff));
    return SUP_OK;
  }
  for (int k = 0; k < 3; k++) {
    const sup_node *stray = sup_section_entry(time, keys[k]);
    if (stray)
      return SUP_FAIL_AT(stray->key_place, "%s belongs to 'scheme: theta'; this scheme is %s",
                         keys[k], schemes[name].name);
  }
  *scheme = known[name];
  options->soft_bdf2 = name == SCHEME_BDF2;
  return SUP_OK;
}

sup_status sup_scene_check_scheme(const sup_scene_build *b) {
  const sup_scheme *c = &b->scene->options.scheme;
  const sup_node   *time = sup_section_entry(&b->root, "time");
  if (b->scene->model.num_softs == 0 && b->scene->options.soft_bdf2)
    return SUP_FAIL_AT(time->place,
                       "scheme bdf2 needs soft bodies, and the scene has none: for rigid bodies "
                       "and robots midpoint is of second order");
  if (b->scene->model.num_softs == 0 || (c->theta_stiff >= 1 && c->theta_vq >= 1)) return SUP_OK;
  return SUP_FAIL_AT(
      time->place,
      "soft body '%s' moves by q0 + dt v under the forces of the step's end; with this time scheme "
      "it would ring and gain angular momentum: use scheme symplectic_euler or implicit_euler, or "
      "bdf2, which is of second order for soft bodies",
      b->scene->model.softs[0].name);
}

sup_status sup_scene_read_time(sup_scene_build *b) {
  sup_scene  *scene = b->scene;
  double      tolerance = 1e-9, dt;
  char        where[SUP_SOURCE_POSITION_SIZE];
  sup_node   *node;
  sup_section section;
  SUP_TRY(sup_section_require(&b->root, "time", &node));
  SUP_TRY(sup_section_open(&section, node, &sup_schema_time, NULL));
  SUP_TRY(sup_section_read(&section, scene));
  SUP_TRY(read_scheme(&section, &scene->options));
  SUP_TRY(sup_scene_check_accuracy(&section, &scene->options));
  if (scene->options.accuracy.tolerance > 0) return SUP_OK;
  dt = scene->options.dt;
  sup_node *end = sup_section_entry(&section, "end");
  double    steps = round(scene->end_time / dt), rounded = steps * dt;
  if (!(steps < 1e12))
    return SUP_FAIL_AT(end->place, "end is %g s with a step of %g s: expected less than 1e12 steps",
                       scene->end_time, dt);
  if (steps == 0 && scene->end_time > tolerance)
    return SUP_FAIL_AT(end->place,
                       "end is %g s, less than half a step of %g s, so that no step would be "
                       "taken; is the unit of 'step' right, as in 'step: 10 ms'?",
                       scene->end_time, dt);
  if (fabs(rounded - scene->end_time) > tolerance)
    sup_log(SUP_LOG_WARNING, "%s: end %g s is no whole number of steps of %g s; %g s is taken",
            sup_source_position_text(end->place, where), scene->end_time, dt, rounded);
  scene->end_time = end->number = rounded;
  return SUP_OK;
}

sup_status sup_scene_read_accuracy(sup_scene_build *b) {
  sup_section section;
  sup_node   *node = sup_section_entry(&b->root, "time");
  SUP_TRY(sup_section_open(&section, node, &sup_schema_time, NULL));
  SUP_TRY(sup_scene_choose_accuracy(&section, b->scene));
  return SUP_OK;
}
