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

/** Do they put other materials in place of the scene's before they look into those?  Then files
 * that the scene names need not be there. */
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
  name_of_file(path, scene->name, sizeof scene->name);
  SUP_TRY(sup_scene_add_input(scene, &path));
  SUP_TRY(sup_yaml_read(&scene->root, path));
  SUP_TRY(sup_node_check_mapping(scene->root, "a scene"));
  if (!replace_materials(sets, num_sets)) SUP_TRY(sup_scene_include_materials(scene));
  SUP_TRY(apply_sets(scene, sets, num_sets));
  return SUP_OK;
}

/* ---- keys ------------------------------------------------------------------------------------ */

enum { SCHEME_BDF2 = 3, SCHEME_THETA = 4 };
static const sup_word schemes[] = {
    {"symplectic_euler",
     "first order, keeps the energy of rigid bodies bounded; soft bodies by implicit Euler"},
    {"implicit_euler", "first order, damps vibrations"},
    {"midpoint", "second order, keeps energy; no soft bodies"},
    {"bdf2",
     "second order for soft bodies, which vibrate on; robots and rigid bodies by symplectic Euler"},
    {"theta", "weights given by theta, theta_vq and theta_stiff"}};
static const sup_word hessians[] = {
    {"full", "its own: Newton's method"},
    {"quasi", "that of an earlier one, and its factor, while the residual falls fast enough"}};
static const sup_word newtons[] = {/* in the order of sup_newton_kind */
                                   {"primal_dual",
                                    "with the directions of slip as unknowns, where friction is "
                                    "softened by soft_norm: fewer iterations in stiction"},
                                   {"primal", "in velocities alone"}};
static const sup_word line_searches[] = {
    {"exact", "to a tenth of the slope at its start"},
    {"armijo", "1, then shorter by a fifth each time until the cost has fallen most"}};
static const sup_word backends[] =
    {/* in the order of sup_backend */
     {"supernodal", "supernodal Cholesky factorisation of this program"},
     {"cholmod", "SuiteSparse's CHOLMOD"},
     {"cg", "conjugate gradients: the same results, slower"},
     {"petsc",
      "PETSc: conjugate gradients with algebraic multigrid for large "
      "soft bodies, MUMPS for small systems"}};

static const sup_word petsc_matrices[] = {
    /* in the order of sup_petsc_matrix */
    {"stored", "all entries, from which PETSc makes its preconditioner"},
    {"free",
     "products, made cell by cell: less memory and more time; bricks and T10 that are linear or "
     "linear_corotational, on one rank"}};

static const sup_key time_keys[] = {
    SUP_NUMBER("step", SUP_DIM_TIME, SUP_POSITIVE, SUP_AT(sup_scene, options.dt), "10 ms",
               "Length of a time step; with an accuracy, of the first one.", .need = SUP_OPTIONAL,
               .absent = "needed without an accuracy; with it max_step/10"),
    SUP_NUMBER("end", SUP_DIM_TIME, SUP_NOT_NEGATIVE, SUP_AT(sup_scene, end_time), "1 s",
               "Time at which the run ends; without an accuracy it is rounded to a whole number of "
               "steps.",
               .need = SUP_NEEDED),
    SUP_WORD("scheme", schemes, SUP_BY_CODE, "bdf2", "Time scheme.", .absent = "symplectic_euler"),
    SUP_NUMBER(
        "theta", SUP_DIM_NUMBER, SUP_UP_TO_ONE, SUP_BY_CODE, "0.5",
        "Weight of the step's end in the place where forces are evaluated, with 'scheme: theta'.",
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
               "Length that the accuracy of positions is relative to.", .need = SUP_OPTIONAL,
               .absent = "radius of the smallest shape or soft body"),
    SUP_NUMBER("accuracy_time", SUP_DIM_TIME, SUP_POSITIVE,
               SUP_AT(sup_scene, options.accuracy.time), "10 ms",
               "Velocities count by what they displace in this time: short where the details of "
               "impacts do not matter.",
               .need = SUP_OPTIONAL, .absent = "max_step"),
    SUP_NUMBER("min_step", SUP_DIM_TIME, SUP_POSITIVE, SUP_AT(sup_scene, options.accuracy.min_step),
               "1 us", "Shortest step; what it does not resolve is accepted and counted.",
               .need = SUP_OPTIONAL, .absent = "1e-5 of output.every, or of max_step's default"),
    SUP_NUMBER("max_step", SUP_DIM_TIME, SUP_POSITIVE, SUP_AT(sup_scene, options.accuracy.max_step),
               "20 ms", "Longest step.", .need = SUP_OPTIONAL,
               .absent = "output.every; without frames end/50"),
    SUP_NUMBER("reference_step", SUP_DIM_TIME, SUP_POSITIVE,
               SUP_AT(sup_scene, options.accuracy.reference_step), "5 ms",
               "Near-rigid contact, limits, stiff drives and regularisation are those of a "
               "step of this length, however long a step is.",
               .need = SUP_OPTIONAL, .absent = "max_step/2")};
static const sup_schema time_schema = {
    .title = "time",
    .meaning = "Length of the steps, end of the run and time scheme.",
    SUP_KEYS(time_keys)};

static const sup_key solver_keys[] = {
    SUP_NUMBER(
        "tolerance", SUP_DIM_NUMBER, SUP_BELOW_ONE, SUP_AT(sup_scene, options.tolerance), "1.0e-5",
        "Momentum error, relative to the momenta of the step, at which Newton's method ends."),
    SUP_INTEGER("max_iterations", 1, SUP_AT(sup_scene, options.max_iterations), "100",
                "Newton iterations a step after which it fails."),
    SUP_WORD("backend", backends, SUP_AT(sup_scene, options.backend), "cholmod",
             "Linear solver of Newton's method."),
    SUP_CUSTOM("petsc", SUP_KEY_TEXT, "-pc_type hypre -pc_hypre_type boomeramg",
               "Options for PETSc, as on a command line, with 'backend: petsc'.",
               .absent = "none: conjugate gradients and GAMG"),
    SUP_WORD("petsc_matrix", petsc_matrices, SUP_AT(sup_scene, options.petsc_matrix), "free",
             "What PETSc is given of the matrix of soft bodies, with 'backend: petsc'."),
    SUP_INTEGER("threads", 0, SUP_AT(sup_scene, threads), "2",
                "Threads that share soft bodies, pairs and islands; the results have the same bits "
                "for any number.",
                .absent = "0: one"),
    SUP_BOOLEAN("certificate", SUP_AT(sup_scene, options.certificate), "true",
                "Measure in every step how far the contact model is from Coulomb's law; columns of "
                "history.csv."),
    SUP_BOOLEAN(
        "report_condition", SUP_AT(sup_scene, options.report_condition), "true",
        "Estimate the condition number of the Hessian in every step; a column of history.csv."),
    SUP_WORD("newton", newtons, SUP_AT(sup_scene, options.newton), "primal",
             "Unknowns of Newton's method."),
    SUP_WORD("line_search", line_searches, SUP_AT(sup_scene, options.line_search), "armijo",
             "How far an iteration of Newton's method goes."),
    SUP_WORD("hessian", hessians, SUP_AT(sup_scene, options.quasi_newton), "quasi",
             "Which Hessian an iteration of Newton's method goes by."),
    SUP_BOOLEAN("convergence_control", SUP_AT(sup_scene, options.convergence_control), "true",
                "A step of fixed length in which Newton's method fails is done in 2, 4, .. 64 "
                "parts; without it the run ends there.")};
static const sup_schema solver_schema = {
    .title = "solver", .meaning = "Newton's method and its linear solver.", SUP_KEYS(solver_keys)};

static const sup_word static_moduli[] = {
    {"long_term", "those that are left when all has relaxed: the loads have acted for long"},
    {"instantaneous", "those of a sudden strain: the loads have just come"}};
static const sup_key static_keys[] = {
    SUP_INTEGER("steps", 1, SUP_AT(sup_scene, statics.steps), "20",
                "Load steps up to time.end; each is cut in half, down to a thousandth, where it "
                "does not converge.",
                .absent = "1; 20 when motions, targets or loads have tables"),
    SUP_NUMBER(
        "tolerance", SUP_DIM_NUMBER, SUP_BELOW_ONE, SUP_AT(sup_scene, statics.tolerance), "1.0e-8",
        "Largest residual force on a body, over the forces in it, at which a load step ends."),
    SUP_BOOLEAN("ramp", SUP_AT(sup_scene, statics.ramp), "false",
                "Gravity and loads without a table grow linearly to their full value, instead of "
                "acting at once."),
    SUP_WORD("moduli", static_moduli, SUP_AT(sup_scene, statics.moduli), "instantaneous",
             "Which moduli of viscoelastic materials hold the balance.")};
static const sup_schema static_schema = {
    .title = "static", .meaning = "Load steps of `supple static`.", SUP_KEYS(static_keys)};

static const sup_key scene_keys[] = {
    SUP_CUSTOM("supple", SUP_KEY_INTEGER, "1", "Version of the format of the file.",
               .need = SUP_NEEDED, .lowest = 1),
    SUP_CUSTOM("title", SUP_KEY_TEXT, "a ball on a table",
               "Title of the run, one line of at most 200 bytes.",
               .absent = "the name of the file"),
    SUP_SECTION("time", time_schema, SUP_HERE, "{step: 10 ms, end: 1 s}",
                "Steps, end of the run, time scheme.", .need = SUP_NEEDED),
    SUP_VECTOR("gravity", SUP_DIM_ACCELERATION, SUP_ANY, SUP_AT(sup_scene, options.gravity),
               "[0, 0, -9.81 m/s^2]", "Acceleration of free fall."),
    SUP_SECTION("solver", solver_schema, SUP_HERE, "{tolerance: 1.0e-6, threads: 2}",
                "Newton's method and its linear solver."),
    SUP_SECTION("static", static_schema, SUP_HERE, "{steps: 20}", "Load steps of `supple static`."),
    SUP_SECTION("contact", sup_schema_contact, SUP_HERE,
                "{model: similar, defaults: {friction: 0.4}}",
                "Contact laws, properties that bodies have by default, and those of pairs."),
    SUP_CUSTOM("materials", SUP_KEY_COLLECTION,
               "{rubber: {youngs_modulus: 5 MPa, poissons_ratio: 0.49, density: 1100 kg/m^3}}",
               "Materials of soft bodies by name; or a list of files and such mappings.",
               .schema = &sup_schema_material),
    SUP_CUSTOM("robots", SUP_KEY_COLLECTION, "{arm: {urdf: robot.urdf}}",
               "Articulated robots, each from a URDF file.", .schema = &sup_schema_robot),
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
    SUP_SECTION("output", sup_schema_output, SUP_HERE, "{every: 20 ms, pairs: [[ball, floor]]}",
                "What a run writes, and how often.")};
static void scene_defaults(void *target) {
  sup_scene *scene = target;
  scene->options = sup_default_options();
  scene->model = sup_default_model_def();
  scene->statics = sup_default_static_options();
  scene->output = sup_default_output_def();
}
const sup_schema sup_schema_scene = {.title = "the scene",
                                     .meaning = "A scene file.",
                                     SUP_KEYS(scene_keys),
                                     .defaults = scene_defaults,
                                     .size = sizeof(sup_scene)};

/* ---- sections without bodies ----------------------------------------------------------------- */

static sup_status check_format(sup_node *root) {
  sup_node *node = sup_node_find(root, "supple"), *scene = sup_node_find(root, "scene");
  double    format;
  if (scene && (sup_node_find(root, "levels") || sup_node_find(root, "quantities")))
    return SUP_FAIL_AT(scene->key_place,
                       "this is a study of the scene '%s', no scene: supple converge runs it",
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
    if ((unsigned char)*c < ' ')
      return SUP_FAIL_AT(node->place, "title must be one line without control characters");
  if (strlen(text) > SUP_TITLE_MAX)
    return SUP_FAIL_AT(node->place, "title has %zu bytes; at most %d fit", strlen(text),
                       SUP_TITLE_MAX);
  snprintf(scene->title, sizeof scene->title, "%s", text);
  return SUP_OK;
}

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
    const sup_node *stray = sup_section_find(time, keys[k]);
    if (stray)
      return SUP_FAIL_AT(stray->key_place, "%s belongs to 'scheme: theta'; this scheme is %s",
                         keys[k], schemes[name].name);
  }
  *scheme = known[name];
  options->soft_bdf2 = name == SCHEME_BDF2;
  return SUP_OK;
}

/** Soft bodies go with q0 + dt v and the forces of the step's end only (THEORY 2.2). */
static sup_status check_scheme(const sup_scene_build *b) {
  const sup_scheme *c = &b->scene->options.scheme;
  const sup_node   *time = sup_section_find(&b->root, "time");
  if (b->scene->model.num_softs == 0 && b->scene->options.soft_bdf2)
    return SUP_FAIL_AT(time->place,
                       "scheme bdf2 is one of soft bodies, and the scene has none: for rigid "
                       "bodies and robots midpoint is of second order");
  if (b->scene->model.num_softs == 0 || (c->theta_stiff >= 1 && c->theta_vq >= 1)) return SUP_OK;
  return SUP_FAIL_AT(
      time->place,
      "soft body '%s' moves by q0 + dt v under the forces of the step's end; with this time scheme "
      "it would ring and gain angular momentum: use scheme symplectic_euler or implicit_euler, or "
      "bdf2, which is of second order for soft bodies",
      b->scene->model.softs[0].name);
}

/** The run ends at a whole step, if all steps are alike. */
static sup_status read_time(sup_scene_build *b) {
  sup_scene  *scene = b->scene;
  double      tolerance = 1e-9, dt;
  char        where[SUP_PLACE_SIZE];
  sup_node   *node;
  sup_section section;
  SUP_TRY(sup_section_require(&b->root, "time", &node));
  SUP_TRY(sup_section_open(&section, node, &time_schema, NULL));
  SUP_TRY(sup_section_read(&section, scene));
  SUP_TRY(read_scheme(&section, &scene->options));
  SUP_TRY(sup_scene_check_accuracy(&section, &scene->options));
  if (scene->options.accuracy.tolerance > 0) return SUP_OK;
  dt = scene->options.dt;
  sup_node *end = sup_section_find(&section, "end");
  double    steps = round(scene->end_time / dt), rounded = steps * dt;
  if (!(steps < 1e12))
    return SUP_FAIL_AT(end->place,
                       "end is %g s with a step of %g s: that many steps would never end",
                       scene->end_time, dt);
  if (steps == 0 && scene->end_time > tolerance)
    return SUP_FAIL_AT(end->place,
                       "end is %g s, less than half a step of %g s, so that no step would be "
                       "taken; is the unit of 'step' right, as in 'step: 10 ms'?",
                       scene->end_time, dt);
  if (fabs(rounded - scene->end_time) > tolerance)
    sup_log(SUP_LOG_WARNING, "%s: end %g s is no whole number of steps of %g s; %g s is taken",
            sup_place_text(end->place, where), scene->end_time, dt, rounded);
  scene->end_time = end->number = rounded;
  return SUP_OK;
}

static sup_status read_accuracy(sup_scene_build *b) {
  sup_section section;
  sup_node   *node = sup_section_find(&b->root, "time");
  SUP_TRY(sup_section_open(&section, node, &time_schema, NULL));
  SUP_TRY(sup_scene_choose_accuracy(&section, b->scene));
  return SUP_OK;
}

/** A section all of whose keys have a place in the scene. */
static sup_status read_simple(sup_scene_build *b, const char *key, const sup_schema *schema) {
  sup_node *node;
  SUP_TRY(sup_section_mapping(&b->root, key, &node));
  SUP_TRY(sup_section_load(node, schema, NULL, b->scene));
  return SUP_OK;
}

static sup_status read_solver(sup_scene_build *b) {
  sup_options *options = &b->scene->options;
  sup_section  solver;
  SUP_TRY(read_simple(b, "solver", &solver_schema));
  SUP_TRY(sup_section_open(&solver, sup_section_find(&b->root, "solver"), &solver_schema, NULL));
  sup_node *matrix = sup_section_find(&solver, "petsc_matrix");
  if (options->petsc_matrix == SUP_PETSC_MATRIX_FREE && options->backend != SUP_BACKEND_PETSC)
    return SUP_FAIL_AT(matrix->place, "petsc_matrix: free needs 'backend: petsc'");
  sup_node *petsc = sup_section_find(&solver, "petsc");
  if (!petsc) return SUP_OK;
  SUP_TRY(sup_node_text(petsc, "petsc", &options->petsc));
  if (options->backend != SUP_BACKEND_PETSC)
    return SUP_FAIL_AT(petsc->place, "petsc has no effect without 'backend: petsc'");
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
    for (int k = 0; k < soft->num_dirichlet; k++) rows |= soft->dirichlet[k].motion.num_rows > 1;
  }
  return rows;
}

/** Load steps of `supple static`; the last one ends with the scene's time. */
static sup_status read_static(sup_scene_build *b) {
  enum { STEPS_ALONG_TABLES = 20 };
  sup_static_options *o = &b->scene->statics;
  o->end = b->scene->end_time;
  if (follows_tables(&b->scene->model)) o->steps = STEPS_ALONG_TABLES;
  SUP_TRY(read_simple(b, "static", &static_schema));
  return SUP_OK;
}

/* ---- bodies and what refers to them ---------------------------------------------------------- */

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
    return SUP_FAIL_AT(b->root.node->place,
                       "the scene has no body; give it some under robots, rigid or soft");
  return SUP_OK;
}

static sup_status read_sections(sup_scene_build *b) {
  sup_node *root = b->scene->root;
  SUP_TRY(check_format(root));
  SUP_TRY(sup_section_open(&b->root, root, &sup_schema_scene, NULL));
  SUP_TRY(read_title(b));
  SUP_TRY(read_time(b));
  SUP_TRY(sup_read_vector(&b->root, "gravity", b->scene->options.gravity));
  SUP_TRY(read_solver(b));
  SUP_TRY(sup_scene_read_contact(b));
  SUP_TRY(sup_scene_read_materials(b));
  SUP_TRY(read_bodies(b));
  SUP_TRY(read_static(b));
  SUP_TRY(check_scheme(b));
  SUP_TRY(sup_scene_read_pairs(b));
  SUP_TRY(sup_scene_read_output(b));
  SUP_TRY(read_accuracy(b));
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

int sup_scene_is_coarser(const sup_scene *scene) {
  for (int s = 0; s < scene->model.num_softs; s++)
    if (scene->cells[s] > scene->mesh[s]->num_cells) return 1;
  return 0;
}

static void free_model(sup_model_def *model) {
  for (int t = 0; t < model->num_trees; t++) sup_tree_def_free(&model->trees[t]);
  for (int s = 0; s < model->num_softs; s++) {
    sup_soft_def *soft = &model->softs[s];
    for (int k = 0; k < soft->num_tractions; k++) sup_table_free(&soft->tractions[k].scale);
    SUP_FREE(soft->tractions);
    SUP_FREE(soft->parts);
    SUP_FREE(soft->clamps);
    SUP_FREE(soft->attachments);
    for (int k = 0; k < soft->num_dirichlet; k++) sup_table_free(&soft->dirichlet[k].motion);
    SUP_FREE(soft->dirichlet);
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
  SUP_FREE(scene->cells);
  SUP_FREE(scene->output.pair);
  SUP_FREE(scene->output.probes);
  SUP_FREE(scene->output.body);
  sup_node_destroy(&scene->root);
  for (int i = 0; i < scene->num_inputs; i++) SUP_FREE(scene->input[i]);
  for (int i = 0; i < scene->num_arguments; i++) SUP_FREE(scene->argument[i]);
  SUP_FREE(scene->input);
  SUP_FREE(scene->argument);
  SUP_FREE(*handle);
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

/* ---- what a program that drives it needs ----------------------------------------------------- */

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
