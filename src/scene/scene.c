#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "mesh/mesh.h"
#include "scene/build.h"
#include "scene/set.h"
#include "scene/urdf.h"
#include "scene/yaml.h"

enum { FORMAT = 1 };

/* ---- files and overrides ---- */

static void name_of_file(const char *path, char *name, size_t size) {
  const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path, *dot = strrchr(start, '.');
  size_t      length = dot && dot > start ? (size_t)(dot - start) : strlen(start);
  snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), start);
  for (char *c = name; *c; c++)
    if ((unsigned char)*c < ' ') *c = '_';
}

static sup_status apply_sets(sup_scene *scene, const char *const *sets, int num_sets) {
  SUP_TRY(SUP_CALLOC(scene->argument, num_sets));
  for (int i = 0; i < num_sets; i++) {
    size_t size = strlen(sets[i]) + sizeof "--set ";
    SUP_TRY(SUP_CALLOC(scene->argument[i], size));
    snprintf(scene->argument[i], size, "--set %s", sets[i]);
    scene->num_arguments++;
    SUP_TRY(sup_set_apply(scene->root, sets[i], scene->argument[i]));
    SUP_TRY(sup_scene_include_materials(scene)); /* it may have named other files, which the next may change */
  }
  return SUP_OK;
}

static sup_status read_files(sup_scene *scene, const char *path, const char *const *sets, int num_sets) {
  name_of_file(path, scene->name, sizeof scene->name);
  SUP_TRY(sup_scene_add_input(scene, &path));
  SUP_TRY(sup_yaml_read(&scene->root, path));
  SUP_TRY(sup_node_check_mapping(scene->root, "a scene"));
  SUP_TRY(sup_scene_include_materials(scene));
  SUP_TRY(apply_sets(scene, sets, num_sets));
  return SUP_OK;
}

/* ---- sections without bodies ---- */

static sup_status check_format(sup_node *root) {
  sup_node *node = sup_node_find(root, "supple");
  double    format;
  if (!node)
    return SUP_FAIL_AT(root->place, "a scene begins with 'supple: %d', the version of its format; it is missing",
                       FORMAT);
  SUP_TRY(sup_node_number(node, "supple", SUP_DIM_NUMBER, SUP_ANY, &format));
  if (format != FORMAT)
    return SUP_FAIL_AT(node->place, "the scene has format %g; this program reads 'supple: %d'", format, FORMAT);
  return SUP_OK;
}

static sup_status read_title(sup_scene_build *b) {
  sup_scene  *scene = b->scene;
  sup_node   *node = sup_section_find(&b->root, "title");
  const char *text;
  if (!node) {
    sup_node *title = NULL;
    SUP_TRY(sup_node_create_scalar(&title, scene->name, b->root.node->place));
    SUP_TRY(sup_section_add(&b->root, "title", &title));
    snprintf(scene->title, sizeof scene->title, "%.*s", SUP_TITLE_MAX, scene->name);
    return SUP_OK;
  }
  SUP_TRY(sup_node_text(node, "title", &text));
  for (const char *c = text; *c; c++)
    if ((unsigned char)*c < ' ') return SUP_FAIL_AT(node->place, "title must be one line without control characters");
  if (strlen(text) > SUP_TITLE_MAX)
    return SUP_FAIL_AT(node->place, "title has %zu bytes; at most %d fit", strlen(text), SUP_TITLE_MAX);
  snprintf(scene->title, sizeof scene->title, "%s", text);
  return SUP_OK;
}

static sup_status read_weight(const sup_section *time, const char *key, double *value) {
  SUP_TRY(sup_get_number(time, key, SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, value));
  if (*value > 1)
    return SUP_FAIL_AT(sup_section_find(time, key)->place, "%s is %g; it must lie between 0 and 1", key, *value);
  return SUP_OK;
}

/** A named scheme, or `theta` with its weights; the joint springs take theta too unless theta_stiff says otherwise. */
static sup_status read_scheme(const sup_section *time, sup_options *options) {
  enum { BDF2 = 3, THETA = 4, NUM_WEIGHTS = 3 };
  static const char *const names[] = {"symplectic_euler", "implicit_euler", "midpoint", "bdf2", "theta"};
  static const char *const keys[NUM_WEIGHTS] = {"theta", "theta_vq", "theta_stiff"};
  const sup_scheme known[THETA] = {sup_scheme_symplectic_euler(), sup_scheme_implicit_euler(), sup_scheme_midpoint(),
                                   sup_scheme_symplectic_euler()};
  sup_scheme      *scheme = &options->scheme;
  int              name = 0;
  SUP_TRY(sup_get_word(time, "scheme", names, THETA + 1, &name));
  if (name == THETA) {
    sup_node *need;
    for (int k = 0; k < 2; k++) SUP_TRY(sup_section_need(time, keys[k], "0.5", &need));
    SUP_TRY(read_weight(time, "theta", &scheme->theta));
    SUP_TRY(read_weight(time, "theta_vq", &scheme->theta_vq));
    scheme->theta_stiff = scheme->theta;
    SUP_TRY(read_weight(time, "theta_stiff", &scheme->theta_stiff));
    return SUP_OK;
  }
  for (int k = 0; k < NUM_WEIGHTS; k++) {
    const sup_node *stray = sup_section_find(time, keys[k]);
    if (stray)
      return SUP_FAIL_AT(stray->key_place, "%s belongs to 'scheme: theta'; this scheme is %s", keys[k], names[name]);
  }
  *scheme = known[name];
  options->soft_bdf2 = name == BDF2;
  return SUP_OK;
}

/** Soft bodies go with q0 + dt v and the forces of the step's end only (THEORY 2.2). */
static sup_status check_scheme(const sup_scene_build *b) {
  const sup_scheme *c = &b->scene->model.options.scheme;
  const sup_node   *time = sup_section_find(&b->root, "time");
  if (b->scene->model.num_softs == 0 && b->scene->model.options.soft_bdf2)
    return SUP_FAIL_AT(time->place,
                       "scheme bdf2 is one of soft bodies, and the scene has none: for rigid bodies and "
                       "robots midpoint is of second order");
  if (b->scene->model.num_softs == 0 || (c->theta_stiff >= 1 && c->theta_vq >= 1)) return SUP_OK;
  return SUP_FAIL_AT(time->place,
                     "soft body '%s' moves by q0 + dt v under the forces of the step's end; with this time scheme it "
                     "would ring and gain angular momentum: use scheme symplectic_euler or implicit_euler, or bdf2, "
                     "which is of second order for soft bodies",
                     b->scene->model.softs[0].name);
}

/** The run ends at a whole step. */
static sup_status read_time(sup_scene_build *b) {
  sup_scene  *scene = b->scene;
  double      tolerance = 1e-9, *dt = &scene->model.options.dt;
  char        where[SUP_PLACE_SIZE];
  sup_node   *node;
  sup_section section;
  SUP_TRY(sup_section_need(&b->root, "time", "{step: 10 ms, end: 1 s}", &node));
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "time", "step", "end", "scheme", "theta", "theta_vq", "theta_stiff"));
  SUP_TRY(sup_need_number(&section, "step", SUP_DIM_TIME, SUP_POSITIVE, dt));
  SUP_TRY(sup_need_number(&section, "end", SUP_DIM_TIME, SUP_NOT_NEGATIVE, &scene->end_time));
  SUP_TRY(read_scheme(&section, &scene->model.options));
  sup_node *end = sup_section_find(&section, "end");
  double    steps = round(scene->end_time / *dt), rounded = steps * *dt;
  if (!(steps < 1e12))
    return SUP_FAIL_AT(end->place, "end is %g s with a step of %g s: that many steps would never end", scene->end_time,
                       *dt);
  if (fabs(rounded - scene->end_time) > tolerance)
    sup_log(SUP_LOG_WARNING, "%s: end %g s is no whole number of steps of %g s; %g s is taken",
            sup_place_text(end->place, where), scene->end_time, *dt, rounded);
  scene->end_time = end->number = rounded;
  return SUP_OK;
}

static sup_status read_solver(sup_scene_build *b) {
  static const char *const backends[] = {"supernodal", "cholmod", "cg"}; /* in the order of sup_backend */
  sup_options             *o = &b->scene->model.options;
  sup_node                *node;
  sup_section              section;
  int                      backend = (int)o->backend;
  SUP_TRY(sup_section_mapping(&b->root, "solver", &node));
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "solver", "tolerance", "max_iterations", "backend", "threads", "certificate",
                           "report_condition"));
  SUP_TRY(sup_get_number(&section, "tolerance", SUP_DIM_NUMBER, SUP_POSITIVE, &o->tolerance));
  if (!(o->tolerance < 1))
    return SUP_FAIL_AT(sup_section_find(&section, "tolerance")->place,
                       "tolerance is %g; it is relative and must lie below 1, for instance 1.0e-5", o->tolerance);
  SUP_TRY(sup_get_integer(&section, "max_iterations", 1, &o->max_iterations));
  SUP_TRY(sup_get_word(&section, "backend", backends, 3, &backend));
  o->backend = (sup_backend)backend;
  SUP_TRY(sup_get_integer(&section, "threads", 0, &b->scene->threads));
  SUP_TRY(sup_get_boolean(&section, "certificate", &o->certificate));
  SUP_TRY(sup_get_boolean(&section, "report_condition", &o->report_condition));
  return SUP_OK;
}

/** Does something change on the way, so that one load step to the end would miss it? */
static int follows_tables(const sup_model_def *model) {
  int rows = 0;
  for (int t = 0; t < model->num_trees; t++) rows |= model->trees[t].motion.num_rows > 1;
  for (int i = 0; i < model->num_actuators; i++) rows |= model->actuators[i].target.num_rows > 1;
  for (int i = 0; i < model->num_loads; i++)
    rows |= model->loads[i].force.num_rows > 1 || model->loads[i].torque.num_rows > 1;
  for (int s = 0; s < model->num_softs; s++) {
    const sup_soft_def *soft = &model->softs[s];
    for (int k = 0; k < soft->num_tractions; k++) rows |= soft->tractions[k].scale.num_rows > 1;
    for (int k = 0; k < soft->num_holds; k++) rows |= soft->holds[k].motion.num_rows > 1;
  }
  return rows;
}

/** Load steps of `supple static`; the last one ends with the scene's time. */
static sup_status read_static(sup_scene_build *b) {
  enum { STEPS_ALONG_TABLES = 20 };
  sup_static_options *o = &b->scene->statics;
  sup_node           *node;
  sup_section         section;
  o->end = b->scene->end_time;
  if (follows_tables(&b->scene->model)) o->steps = STEPS_ALONG_TABLES;
  SUP_TRY(sup_section_mapping(&b->root, "static", &node));
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "static", "steps", "tolerance", "ramp"));
  SUP_TRY(sup_get_integer(&section, "steps", 1, &o->steps));
  SUP_TRY(sup_get_number(&section, "tolerance", SUP_DIM_NUMBER, SUP_POSITIVE, &o->tolerance));
  if (!(o->tolerance < 1))
    return SUP_FAIL_AT(sup_section_find(&section, "tolerance")->place,
                       "tolerance is %g; it is relative and must lie below 1, for instance 1.0e-8", o->tolerance);
  SUP_TRY(sup_get_boolean(&section, "ramp", &o->ramp));
  return SUP_OK;
}

/* ---- bodies and what refers to them ---- */

sup_status sup_scene_collection(const sup_scene_build *b, const char *key, sup_node **node) {
  *node = sup_section_find(&b->root, key);
  if (*node) SUP_TRY(sup_node_check_mapping(*node, key));
  return SUP_OK;
}

static sup_status read_bodies(sup_scene_build *b) {
  sup_model_def *model = &b->scene->model;
  sup_node      *robots, *rigid, *softs, *actuators, *springs, *loads;
  SUP_TRY(sup_scene_collection(b, "robots", &robots));
  SUP_TRY(sup_scene_collection(b, "rigid", &rigid));
  SUP_TRY(sup_scene_collection(b, "soft", &softs));
  SUP_TRY(sup_scene_collection(b, "actuators", &actuators));
  SUP_TRY(sup_scene_collection(b, "springs", &springs));
  SUP_TRY(sup_scene_collection(b, "loads", &loads));
  int num_trees = (robots ? robots->num_children : 0) + (rigid ? rigid->num_children : 0);
  SUP_TRY(SUP_CALLOC(model->trees, num_trees));
  if (robots) SUP_TRY(sup_scene_read_robots(b, robots));
  if (rigid) SUP_TRY(sup_scene_read_rigid(b, rigid));
  if (softs) SUP_TRY(sup_scene_read_softs(b, softs));
  if (actuators) SUP_TRY(sup_scene_read_actuators(b, actuators));
  if (springs) SUP_TRY(sup_scene_read_springs(b, springs));
  if (loads) SUP_TRY(sup_scene_read_loads(b, loads));
  if (num_trees + model->num_softs == 0)
    return SUP_FAIL_AT(b->root.node->place, "the scene has no body; give it some under robots, rigid or soft");
  return SUP_OK;
}

static sup_status read_sections(sup_scene_build *b) {
  sup_node *root = b->scene->root;
  SUP_TRY(check_format(root));
  SUP_TRY(SUP_SECTION_OPEN(&b->root, root, "the scene", "supple", "title", "time", "gravity", "solver", "static",
                           "contact", "materials", "robots", "rigid", "soft", "actuators", "springs", "loads",
                           "output"));
  SUP_TRY(read_title(b));
  SUP_TRY(read_time(b));
  SUP_TRY(sup_get_vector(&b->root, "gravity", SUP_DIM_ACCELERATION, b->scene->model.options.gravity));
  SUP_TRY(read_solver(b));
  SUP_TRY(sup_scene_read_contact(b));
  SUP_TRY(sup_scene_read_materials(b));
  SUP_TRY(read_bodies(b));
  SUP_TRY(read_static(b));
  SUP_TRY(check_scheme(b));
  SUP_TRY(sup_scene_read_pairs(b));
  SUP_TRY(sup_scene_read_output(b));
  return SUP_OK;
}

/* ---- life cycle ---- */

sup_status sup_scene_load(sup_scene **out, const char *path, const char *const *sets, int num_sets) {
  sup_scene_build b = {0};
  sup_scene      *scene = NULL;
  sup_status      status;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(scene, 1));
  scene->model.options = sup_default_options();
  scene->statics = sup_default_static_options();
  scene->output = sup_default_output_def();
  b.scene = scene;
  SUP_TRY_GOTO(read_files(scene, path, sets, num_sets), status, done);
  SUP_TRY_GOTO(read_sections(&b), status, done);
  *out = scene;
  scene = NULL;
done:
  SUP_FREE(b.material);
  sup_scene_destroy(&scene);
  return status;
}

static void free_model(sup_model_def *model) {
  for (int t = 0; t < model->num_trees; t++) sup_tree_def_free(&model->trees[t]);
  for (int s = 0; s < model->num_softs; s++) {
    sup_soft_def *soft = &model->softs[s];
    for (int k = 0; k < soft->num_tractions; k++) sup_table_free(&soft->tractions[k].scale);
    SUP_FREE(soft->tractions);
    SUP_FREE(soft->parts);
    SUP_FREE(soft->clamps);
    for (int k = 0; k < soft->num_holds; k++) sup_table_free(&soft->holds[k].motion);
    SUP_FREE(soft->holds);
  }
  for (int a = 0; a < model->num_actuators; a++) sup_table_free(&model->actuators[a].target);
  for (int l = 0; l < model->num_loads; l++) {
    sup_table_free(&model->loads[l].force);
    sup_table_free(&model->loads[l].torque);
  }
  SUP_FREE(model->trees);
  SUP_FREE(model->softs);
  SUP_FREE(model->actuators);
  SUP_FREE(model->springs);
  SUP_FREE(model->loads);
  SUP_FREE(model->pairs);
}

void sup_scene_destroy(sup_scene **handle) {
  sup_scene *scene = *handle;
  if (!scene) return;
  for (int i = 0; i < scene->model.num_softs; i++) sup_mesh_destroy(&scene->mesh[i]);
  free_model(&scene->model);
  SUP_FREE(scene->mesh);
  SUP_FREE(scene->output.pair);
  SUP_FREE(scene->output.probes);
  sup_node_destroy(&scene->root);
  for (int i = 0; i < scene->num_inputs; i++) SUP_FREE(scene->input[i]);
  for (int i = 0; i < scene->num_arguments; i++) SUP_FREE(scene->argument[i]);
  SUP_FREE(scene->input);
  SUP_FREE(scene->argument);
  SUP_FREE(*handle);
}

sup_status sup_scene_write_resolved(const sup_scene *scene, const char *path) {
  char comment[4200];
  snprintf(comment, sizeof comment, "%.4000s with all defaults and overrides; SI units and radians", scene->input[0]);
  for (char *c = comment; *c; c++)
    if ((unsigned char)*c < ' ') *c = '?';
  SUP_TRY(sup_node_write(scene->root, path, comment));
  return SUP_OK;
}
