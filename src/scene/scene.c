#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "mesh/mesh.h"
#include "scene/build.h"
#include "scene/file/yaml.h"
#include "scene/robot/urdf.h"
#include "scene/schema/set.h"
#include "supple/parsers.h"

enum { FORMAT = 1 };

/* ---- files and overrides --------------------------------------------------------------------- */

static void name_of_file(const char *path, char *name, size_t size) {
  const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path,
             *dot = strrchr(start, '.');
  size_t length = dot && dot > start ? (size_t)(dot - start) : strlen(start);
  snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), start);
  for (char *c = name; *c; c++)
    if ((unsigned char)*c < ' ') *c = '_';
}

/** 1: the first override of materials replaces all of them, `materials=`.  Files of materials that
 * the scene names are then not read. */
static int replace_materials(const char *const *sets, int num_sets) {
  for (int i = 0; i < num_sets; i++)
    if (strncmp(sets[i], "materials", 9) == 0 && (sets[i][9] == '=' || sets[i][9] == '.'))
      return sets[i][9] == '=';
  return 0;
}

static sup_status apply_sets(sup_scene *scene, const char *const *sets, int num_sets) {
  SUP_TRY(SUP_CALLOC(scene->argument, num_sets));
  for (int i = 0; i < num_sets; i++) {
    size_t size = strlen(sets[i]) + sizeof "--set ";
    SUP_TRY(SUP_CALLOC(scene->argument[i], size));
    snprintf(scene->argument[i], size, "--set %s", sets[i]);
    scene->num_arguments++;
    SUP_TRY(sup_set_apply(scene->root, sets[i], scene->argument[i]));
    if (!replace_materials(sets + i + 1, num_sets - i - 1))
      SUP_TRY(sup_scene_include_materials(
          scene)); /* it may have named other files, which the next may change */
  }
  return SUP_OK;
}

static sup_status read_files(sup_scene *scene, const char *path, const char *const *sets,
                             int num_sets) {
  const char *text = strchr(path, '\n') ? path : NULL;
  if (text) path = "scene"; /* of the working folder */
  scene->is_text = text != NULL;
  name_of_file(path, scene->name, sizeof scene->name);
  SUP_TRY(sup_scene_add_input(scene, &path));
  SUP_TRY(text ? sup_yaml_parse(&scene->root, text, strlen(text), path, 0)
               : sup_yaml_read(&scene->root, path));
  SUP_TRY(sup_node_check_mapping(scene->root, "a scene"));
  if (!replace_materials(sets, num_sets)) SUP_TRY(sup_scene_include_materials(scene));
  SUP_TRY(apply_sets(scene, sets, num_sets));
  return SUP_OK;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_key scene_keys[] = {
    SUP_CUSTOM("supple", SUP_KEY_INTEGER, "1", "Version of the format of the file.",
               .need = SUP_NEEDED, .lowest = 1),
    SUP_CUSTOM("title", SUP_KEY_TEXT, "a ball on a table",
               "Title of the run, one line of at most 200 bytes.",
               .absent = "the name of the file"),
    SUP_SECTION("time", sup_schema_time, SUP_HERE, "{step: 10 ms, end: 1 s}",
                "Steps, end of the run, time scheme.", .need = SUP_NEEDED),
    SUP_VECTOR("gravity", SUP_DIM_ACCELERATION, SUP_ANY, SUP_AT(sup_scene, options.gravity),
               "[0, 0, -9.81 m/s^2]", "Acceleration of free fall."),
    SUP_SECTION("solver", sup_schema_solver, SUP_HERE, "{tolerance: 1.0e-6, threads: 2}",
                "Newton's method and its linear solver."),
    SUP_SECTION("static", sup_schema_static, SUP_HERE, "{steps: 20}",
                "Load steps of `supple static`."),
    SUP_SECTION("contact", sup_schema_contact, SUP_HERE,
                "{model: similar, defaults: {friction: 0.4}}",
                "Contact laws, properties that bodies have by default, and those of pairs."),
    SUP_CUSTOM("materials", SUP_KEY_COLLECTION,
               "{rubber: {youngs_modulus: 5 MPa, poissons_ratio: 0.49, density: 1100 kg/m^3}}",
               "Materials of soft bodies by name; or a list of files and such mappings.",
               .schema = &sup_schema_material),
    SUP_CUSTOM("robots", SUP_KEY_COLLECTION, "{arm: {urdf: robot.urdf}}",
               "Articulated robots, each from a file in URDF, MJCF or SDF.",
               .schema = &sup_schema_robot),
    SUP_CUSTOM("rigid", SUP_KEY_COLLECTION,
               "{ball: {shape: {sphere: {radius: 2 cm}}, mass: 100 g}}",
               "Rigid bodies of one shape or several.", .schema = &sup_schema_rigid),
    SUP_CUSTOM(
        "soft", SUP_KEY_COLLECTION,
        "{cube: {mesh: {box: {size: [1 cm, 1 cm, 1 cm], cells: [4, 4, 4]}}, material: rubber}}",
        "Deformable bodies.", .schema = &sup_schema_soft),
    SUP_CUSTOM("actuators", SUP_KEY_COLLECTION,
               "{lift: {joint: arm/slide, kp: 1.0e+4 N/m, kd: 200 N s/m, targets: [[0 s, 0], [1 s, "
               "10 cm]]}}",
               "Drives of robots' joints.", .schema = &sup_schema_actuator),
    SUP_CUSTOM("springs", SUP_KEY_COLLECTION,
               "{lead: {bodies: [world, ball], stiffness: 100 N/m, damping: 1 N s/m}}",
               "Springs with dampers between two bodies, or a body and the world.",
               .schema = &sup_schema_spring),
    SUP_CUSTOM("loads", SUP_KEY_COLLECTION, "{push: {body: ball, force: [2 N, 0, 0]}}",
               "Forces and torques on links and rigid bodies over time.",
               .schema = &sup_schema_load),
    SUP_CUSTOM("chambers", SUP_KEY_COLLECTION, "{air: {surface: [cube], gas: {pressure: 10 kPa}}}",
               "Closed volumes behind walls of soft bodies, with what they hold.",
               .schema = &sup_schema_chamber),
    SUP_CUSTOM("cables", SUP_KEY_COLLECTION,
               "{pull: {path: [{world: [0, 0, 1 m]}, {ball: [0, 0, 0]}], tension: [[0 s, 5 N]]}}",
               "Cables along points of bodies, with what is given of them.",
               .schema = &sup_schema_cable),
    SUP_CUSTOM("constraints", SUP_KEY_COLLECTION, "{grip: {type: weld, bodies: [world, ball]}}",
               "Motions of a body past another, or past the world, that are kept.",
               .schema = &sup_schema_constraint),
    SUP_CUSTOM("tasks", SUP_KEY_COLLECTION,
               "{grip: {phases: {close: {joints: {arm/slide: 5 mm}, duration: 1 s}}}}",
               "Motions of robots in phases, with guards.", .schema = &sup_schema_task),
    SUP_CUSTOM("ties", SUP_KEY_COLLECTION, "{glue: {slave: {body: cube}, master: {body: finger}}}",
               "Soft bodies glued to each other, whose meshes need not match.",
               .schema = &sup_schema_tie),
    SUP_SECTION("output", sup_schema_output, SUP_HERE, "{every: 20 ms, pairs: [[ball, floor]]}",
                "What a run writes, and how often.")};
static void scene_defaults(void *target) {
  sup_scene *scene = target;
  scene->options = sup_default_options();
  scene->model = sup_default_model_def();
  scene->statics = sup_default_static_options();
  scene->output = sup_default_output_def();
}
const sup_schema sup_schema_scene =
    SUP_SCHEMA("the scene", scene_keys, "A scene file.", SUP_DEFAULTS(scene_defaults, sup_scene));

/** Receiver of all keys. */
typedef struct told {
  sup_scene_key_function *tell;
  void                   *user;
} told;

static int tell_key(const sup_schema_step *step, void *user) {
  char        kind[1024], absent[1024];
  const told *to = user;
  return to->tell(&(sup_scene_key){.path = step->path,
                                   .value = sup_key_kind(step->key, kind, sizeof kind),
                                   .absent = sup_key_default(step, absent, sizeof absent),
                                   .example = step->key->example,
                                   .meaning = step->key->meaning,
                                   .has_names = step->key->type == SUP_KEY_COLLECTION},
                  to->user);
}

int sup_scene_schema(sup_scene_key_function *tell, void *user) {
  return sup_schema_walk(&sup_schema_scene, tell_key, &(told){tell, user});
}

/* ---- title and format ----------------------------------------------------------------------- */

static sup_status check_format(sup_node *root) {
  sup_node *node = sup_node_find(root, "supple"), *scene = sup_node_find(root, "scene");
  double    format;
  if (scene && (sup_node_find(root, "levels") || sup_node_find(root, "quantities")))
    return SUP_FAIL_AT(
        scene->key_place,
        "found a study of the scene '%s', expected a scene: supple converge runs studies",
        scene->text ? scene->text : "");
  if (!node)
    return SUP_FAIL_AT(root->place,
                       "a scene begins with 'supple: %d', the version of its format; it is missing",
                       FORMAT);
  SUP_TRY(sup_node_number(node, "supple", SUP_DIM_NUMBER, SUP_ANY, &format));
  if (format != FORMAT)
    return SUP_FAIL_AT(node->place, "the scene has format %g; this program reads 'supple: %d'",
                       format, FORMAT);
  return SUP_OK;
}

static sup_status read_title(sup_scene_build *b) {
  sup_scene  *scene = b->scene;
  sup_node   *node = sup_section_entry(&b->root, "title");
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
    if ((unsigned char)*c < ' ')
      return SUP_FAIL_AT(node->place, "title must be one line without control characters");
  if (strlen(text) > SUP_TITLE_MAX)
    return SUP_FAIL_AT(node->place, "title has %zu bytes; at most %d fit", strlen(text),
                       SUP_TITLE_MAX);
  snprintf(scene->title, sizeof scene->title, "%s", text);
  return SUP_OK;
}

/* ---- bodies and references to them ----------------------------------------------------------- */

sup_status sup_scene_collection(const sup_scene_build *b, const char *key, sup_node **node) {
  *node = sup_section_entry(&b->root, key);
  if (*node) SUP_TRY(sup_node_check_mapping(*node, key));
  return SUP_OK;
}

static sup_status read_bodies(sup_scene_build *b) {
  sup_model_def *model = &b->scene->model;
  sup_node *robots, *rigid, *softs, *actuators, *springs, *loads, *chambers, *cables, *constraints,
      *tasks, *ties;
  SUP_TRY(sup_scene_collection(b, "robots", &robots));
  SUP_TRY(sup_scene_collection(b, "rigid", &rigid));
  SUP_TRY(sup_scene_collection(b, "soft", &softs));
  SUP_TRY(sup_scene_collection(b, "actuators", &actuators));
  SUP_TRY(sup_scene_collection(b, "springs", &springs));
  SUP_TRY(sup_scene_collection(b, "loads", &loads));
  SUP_TRY(sup_scene_collection(b, "chambers", &chambers));
  SUP_TRY(sup_scene_collection(b, "cables", &cables));
  SUP_TRY(sup_scene_collection(b, "constraints", &constraints));
  SUP_TRY(sup_scene_collection(b, "tasks", &tasks));
  SUP_TRY(sup_scene_collection(b, "ties", &ties));
  int num_trees = (robots ? robots->num_children : 0) + (rigid ? rigid->num_children : 0);
  SUP_TRY(SUP_CALLOC(model->trees, num_trees));
  if (robots) SUP_TRY(sup_scene_read_robots(b, robots));
  if (rigid) SUP_TRY(sup_scene_read_rigid(b, rigid));
  if (softs) SUP_TRY(sup_scene_read_softs(b, softs));
  if (actuators) SUP_TRY(sup_scene_read_actuators(b, actuators));
  if (springs) SUP_TRY(sup_scene_read_springs(b, springs));
  if (loads) SUP_TRY(sup_scene_read_loads(b, loads));
  if (chambers) SUP_TRY(sup_scene_read_chambers(b, chambers));
  if (cables) SUP_TRY(sup_scene_read_cables(b, cables));
  if (constraints) SUP_TRY(sup_scene_read_constraints(b, constraints));
  if (ties) SUP_TRY(sup_scene_read_ties(b, ties));
  if (tasks) SUP_TRY(sup_scene_read_tasks(b, tasks));
  if (num_trees + model->num_softs == 0)
    return SUP_FAIL_AT(b->root.node->place,
                       "the scene has no body; give it some under robots, rigid or soft");
  return SUP_OK;
}

static sup_status read_sections(sup_scene_build *b) {
  sup_node *root = b->scene->root;
  SUP_TRY(check_format(root));
  SUP_TRY(sup_section_open(&b->root, root, &sup_schema_scene, NULL));
  SUP_TRY(read_title(b));
  SUP_TRY(sup_scene_read_time(b));
  SUP_TRY(sup_read_vector(&b->root, "gravity", b->scene->options.gravity));
  SUP_TRY(sup_scene_read_solver(b));
  SUP_TRY(sup_scene_read_contact(b));
  SUP_TRY(sup_scene_read_materials(b));
  SUP_TRY(read_bodies(b));
  SUP_TRY(sup_scene_read_static(b));
  SUP_TRY(sup_scene_check_scheme(b));
  SUP_TRY(sup_scene_read_pairs(b));
  SUP_TRY(sup_scene_read_output(b));
  SUP_TRY(sup_scene_read_accuracy(b));
  SUP_TRY(sup_scene_read_stiction(b));
  return SUP_OK;
}

/* ---- life cycle ------------------------------------------------------------------------------ */

sup_status sup_scene_read(sup_scene **scene, const char *path, const char *const *sets,
                          int num_sets) {
  SUP_TRY(sup_scene_load_on(scene, path, sets, num_sets, NULL));
  return SUP_OK;
}

static sup_status load(sup_scene **out, const char *path, const char *const *sets, int num_sets,
                       const sup_collective *ranks, double most_cells) {
  sup_scene_build b = {.ranks = ranks, .most_cells = most_cells};
  sup_scene      *scene = NULL;
  sup_status      status;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(scene, 1));
  scene_defaults(scene);
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

sup_status sup_scene_load_on(sup_scene **scene, const char *path, const char *const *sets,
                             int num_sets, const sup_collective *ranks) {
  SUP_TRY(load(scene, path, sets, num_sets, ranks, HUGE_VAL));
  return SUP_OK;
}

/** A region may hold vertices of the finer mesh alone: what the plan refuses is asked of that. */
sup_status sup_scene_plan(sup_scene **scene, const char *path, const char *const *sets,
                          int num_sets, double most) {
  if (load(scene, path, sets, num_sets, NULL, most) == SUP_OK) return SUP_OK;
  SUP_TRY(load(scene, path, sets, num_sets, NULL, HUGE_VAL));
  return SUP_OK;
}

bool sup_scene_is_coarser(const sup_scene *scene) {
  for (int s = 0; s < scene->model.num_softs; s++)
    if (scene->cells[s] > scene->mesh[s]->num_cells) return 1;
  return 0;
}

void sup_scene_forget_meshes(sup_scene *scene) {
  for (int s = 0; s < scene->model.num_softs; s++) {
    sup_mesh_destroy(&scene->mesh[s]);
    scene->model.softs[s].mesh = NULL;
  }
}

static void free_model(sup_model_def *model) {
  for (int t = 0; t < model->num_trees; t++) sup_tree_def_free(&model->trees[t]);
  for (int s = 0; s < model->num_softs; s++) {
    sup_soft_def *soft = &model->softs[s];
    for (int k = 0; k < soft->num_tractions; k++) sup_table_free(&soft->tractions[k].scale);
    for (int k = 0; k < soft->num_growths; k++) sup_table_free(&soft->growths[k].scale);
    SUP_FREE_ALL(&soft->tractions, &soft->growths, &soft->parts, &soft->clamps, &soft->attachments);
    for (int k = 0; k < soft->num_dirichlet; k++) sup_table_free(&soft->dirichlet[k].motion);
    SUP_FREE(soft->dirichlet);
  }
  for (int a = 0; a < model->num_actuators; a++) sup_table_free(&model->actuators[a].target);
  for (int l = 0; l < model->num_loads; l++) {
    sup_table_free(&model->loads[l].force);
    sup_table_free(&model->loads[l].torque);
  }
  for (int c = 0; c < model->num_chambers; c++) {
    SUP_FREE(model->chambers[c].walls);
    sup_table_free(&model->chambers[c].schedule);
    sup_table_free(&model->chambers[c].source_schedule);
  }
  for (int c = 0; c < model->num_cables; c++) {
    SUP_FREE(model->cables[c].points);
    sup_table_free(&model->cables[c].schedule);
  }
  for (int t = 0; t < model->num_tasks; t++) {
    for (int p = 0; p < model->tasks[t].num_phases; p++) SUP_FREE(model->tasks[t].phases[p].drives);
    SUP_FREE(model->tasks[t].phases);
  }
  SUP_FREE_ALL(&model->chambers, &model->cables, &model->constraints, &model->ties, &model->tasks);
  SUP_FREE_ALL(&model->trees, &model->softs, &model->actuators, &model->springs, &model->loads,
               &model->pairs);
}

void sup_scene_destroy(sup_scene **handle) {
  sup_scene *scene = *handle;
  if (!scene) return;
  sup_scene_forget_meshes(scene);
  free_model(&scene->model);
  SUP_FREE_ALL(&scene->mesh, &scene->cells, &scene->output.pair, &scene->output.probes,
               &scene->output.body, &scene->output.column, &scene->output.column_place);
  sup_node_destroy(&scene->root);
  for (int i = 0; i < scene->num_inputs; i++) SUP_FREE(scene->input[i]);
  for (int i = 0; i < scene->num_arguments; i++) SUP_FREE(scene->argument[i]);
  SUP_FREE_ALL(&scene->input, &scene->argument, handle);
}

sup_status sup_scene_write_resolved(const sup_scene *scene, const char *path) {
  char comment[4200];
  snprintf(comment, sizeof comment, "%.4000s with all defaults and overrides; SI units and radians",
           scene->input[0]);
  for (char *c = comment; *c; c++)
    if ((unsigned char)*c < ' ') *c = '?';
  SUP_TRY(sup_node_write(scene->root, path, comment));
  return SUP_OK;
}

/* ---- functions for driving programs ---------------------------------------------------------- */

const sup_model_def *sup_scene_model_def(const sup_scene *scene) { return &scene->model; }
sup_static_options   sup_scene_static_options(const sup_scene *scene) { return scene->statics; }
double               sup_scene_end_time(const sup_scene *scene) { return scene->end_time; }

sup_simulator_def sup_scene_simulator_def(const sup_scene *scene, const sup_model *model) {
  sup_simulator_def def = sup_default_simulator_def();
  def.model = model, def.options = scene->options;
  def.num_pairs = scene->output.num_pairs, def.pair = scene->output.pair;
  def.num_probes = scene->output.num_probes, def.probes = scene->output.probes;
  return def;
}

sup_status sup_scene_simulator_create(sup_simulator **simulator, const sup_scene *scene,
                                      const sup_model *model) {
  const sup_simulator_def def = sup_scene_simulator_def(scene, model);
  SUP_TRY(sup_simulator_create(simulator, &def));
  return SUP_OK;
}
