/* The registry of keys: every row is complete, its example is a value of it, and a scene with the
 * example loads. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "scene/build.h"
#include "scene/file/yaml.h"
#include "scene/scene.h"
#include "scene/schema/section.h"
#include "study/study.h"
#include "test.h"

enum { MAX_SETS = 16, SET_SIZE = 1024 };

static sup_node *parse(const char *text) {
  sup_node *node = NULL;
  OK(sup_yaml_parse(&node, text, strlen(text), "example", 1));
  return node;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/** Fail the test, with the key's path and the reason. */
static int complain(const sup_schema_step *step, const char *what) {
  printf("\n    %s: %s", step->path, what);
  CU_FAIL("a row of the registry");
  return 0;
}

static size_t size_of_type(sup_key_type type) {
  switch (type) {
    case SUP_KEY_NUMBER:
      return sizeof(double);
    case SUP_KEY_INTEGER:
    case SUP_KEY_BOOLEAN:
    case SUP_KEY_WORD:
      return sizeof(int);
    case SUP_KEY_VECTOR:
    case SUP_KEY_AXES:
      return 3 * sizeof(double);
    case SUP_KEY_NAME:
      return SUP_NAME_MAX;
    default:
      return 0;
  }
}

static int is_sentence(const char *text) {
  size_t length = text ? strlen(text) : 0;
  return length >= 5 && length <= 140 && text[length - 1] == '.' && !strstr(text, "  ");
}

static int check_row(const sup_schema_step *step, void *user) {
  const sup_key *key = step->key;
  int           *count = user, same = 0;
  (*count)++;
  if (!is_sentence(key->meaning))
    complain(step, "its meaning is no sentence of at most 140 letters");
  if (!key->example || !key->example[0]) complain(step, "it has no example");
  if (!is_sentence(step->schema->meaning)) complain(step, "its section has no meaning");
  for (int i = 0; i < step->schema->num_keys; i++)
    same += sup_schema_has(step->schema, &step->schema->keys[i]) &&
            strcmp(step->schema->keys[i].name, key->name) == 0;
  if (same != 1) complain(step, "its section has two keys of this name");
  size_t size = size_of_type(key->type);
  if (key->place.size > 0 && size > 0 && key->place.size != size)
    complain(step, "its member is of another type");
  if (key->place.size > 0 && size == 0 && key->type != SUP_KEY_SECTION)
    complain(step, "it has a place, but no reader");
  if (step->schema->defaults &&
      key->place.offset + (size ? key->place.size : 0) > step->schema->size)
    complain(step, "its member is outside of the struct");
  if (key->type == SUP_KEY_WORD && key->num_words < 1) complain(step, "it has no words");
  if ((key->type == SUP_KEY_SECTION || key->type == SUP_KEY_SECTIONS) && !key->schema)
    complain(step, "it has no table");
  char text[512];
  int  says_default = sup_key_default(step, text, sizeof text)[0] != '\0';
  if (size > 0 && !says_default) complain(step, "nobody knows what it is when it is absent");
  if (!sup_key_kind(key, text, sizeof text)[0]) complain(step, "it has no kind");
  return 0;
}

static void every_key_says_what_it_is(void) {
  int scene = 0, study = 0;
  CHECK(sup_schema_walk(&sup_schema_scene, check_row, &scene) == 0);
  CHECK(sup_schema_walk(&sup_schema_study, check_row, &study) == 0);
  CHECK(scene > 300 && study > 20);
}

/* ---- values against the tables --------------------------------------------------------------- */

static sup_status check_mapping(sup_node *node, const sup_schema *schema);

/** One value through the reader of single keys, as if it were all of a section. */
static sup_status check_value(const sup_node *value, const sup_key *key) {
  double     target[SUP_NAME_MAX] = {0};
  sup_key    row = *key;
  sup_schema schema = {.title = "a section", .keys = &row, .num_keys = 1};
  sup_node  *mapping = NULL, *copy = NULL;
  row.place = (sup_key_member){0, size_of_type(key->type)};
  row.only = 0;
  OK(sup_node_create(&mapping, SUP_NODE_MAPPING, value->place));
  OK(sup_node_copy(&copy, value));
  OK(sup_node_set_key(copy, key->name, value->place));
  sup_node_append(mapping, &copy);
  sup_status status = sup_section_load(mapping, &schema, NULL, target);
  sup_node_destroy(&mapping);
  return status;
}

/** Every key below the node is one of the tables, every simple value is right for its row. */
static sup_status check_node(sup_node *node, const sup_key *key) {
  int is_mapping = node->type == SUP_NODE_MAPPING;
  if (size_of_type(key->type) > 0) {
    SUP_TRY(check_value(node, key));
  } else if (key->type == SUP_KEY_SECTION) {
    if (is_mapping) SUP_TRY(check_mapping(node, key->schema)); /* some have a short form */
  } else if (key->type == SUP_KEY_ONE_OR_MORE && is_mapping) {
    SUP_TRY(check_mapping(node, key->schema));
  } else if (key->type == SUP_KEY_SECTIONS || key->type == SUP_KEY_ONE_OR_MORE) {
    SUP_TRY(sup_node_check_list(node, key->name));
    for (sup_node *c = node->child; c; c = c->next) SUP_TRY(check_mapping(c, key->schema));
  } else if (sup_key_has_names(key)) {
    for (sup_node *c = node->child; c; c = c->next)
      if (is_mapping && key->schema && c->type == SUP_NODE_MAPPING)
        SUP_TRY(check_mapping(c, key->schema));
  } else if (key->type == SUP_KEY_LIST && is_mapping) {
    SUP_TRY(check_mapping(node, &sup_schema_region)); /* in the place of a point */
  } else if (key->type == SUP_KEY_TABLE && is_mapping) {
    SUP_TRY(check_mapping(node, &sup_schema_table));
  } else if (key->type == SUP_KEY_LIST || key->type == SUP_KEY_TABLE) {
    SUP_TRY(sup_node_check_list(node, key->name));
  }
  return SUP_OK;
}

static sup_status check_mapping(sup_node *node, const sup_schema *schema) {
  sup_section section;
  /* the dimensions of gains are those of the joint, which may turn */
  int depends = sup_schema_key(schema, "kp") != NULL;
  SUP_TRY(sup_section_open(&section, node, schema, NULL));
  for (sup_node *c = node->child; c; c = c->next)
    if (!depends) SUP_TRY(check_node(c, sup_schema_key(schema, c->key)));
  return SUP_OK;
}

static int check_example(const sup_schema_step *step, void *user) {
  (void)user;
  sup_node *node = parse(step->key->example);
  if (check_node(node, step->key) != SUP_OK) complain(step, sup_error_message());
  sup_node_destroy(&node);
  return 0;
}

static void every_example_is_a_value_of_its_key(void) {
  CHECK(sup_schema_walk(&sup_schema_scene, check_example, NULL) == 0);
  CHECK(sup_schema_walk(&sup_schema_study, check_example, NULL) == 0);
}

/** All scenes or studies of a folder. */
static int check_folder(const char *path, const sup_schema *schema, const char *needs) {
  char           name[1024];
  struct dirent *entry;
  DIR           *folder = opendir(path);
  int            count = 0;
  CU_ASSERT_FATAL(folder != NULL);
  while ((entry = readdir(folder)) != NULL) {
    sup_node *root = NULL;
    if (!strstr(entry->d_name, ".yaml")) continue;
    snprintf(name, sizeof name, "%s/%.255s", path, entry->d_name);
    OK(sup_yaml_read(&root, name));
    if (sup_node_find(root, needs)) {
      OK(check_mapping(root, schema));
      count++;
    }
    sup_node_destroy(&root);
  }
  closedir(folder);
  return count;
}

static void the_tables_have_every_key_of_the_examples(void) {
  CHECK(check_folder("examples", &sup_schema_scene, "time") > 15);
  CHECK(check_folder("examples/peers", &sup_schema_scene, "time") > 3);
  CHECK(check_folder("examples/studies", &sup_schema_scene, "time") > 5);
  CHECK(check_folder("tests/data/scene", &sup_schema_scene, "time") > 0);
  CHECK(check_folder("examples/studies", &sup_schema_study, "quantities") > 5);
}

/* ---- scenes with the examples ---------------------------------------------------------------- */

/** Scene with the things that the examples name; the first entry of every section is that of its
 * example. */
static const char scene_text[] =
    "supple: 1\n"
    "time: {step: 10 ms, end: 20 ms}\n"
    "materials: {rubber: {youngs_modulus: 5 MPa, poissons_ratio: 0.49, density: 1100 kg/m^3}}\n"
    "robots:\n"
    "  arm: {urdf: robot.urdf}\n"
    "  ROBOT: {urdf: robot.urdf}\n"
    "rigid:\n"
    "  ball: {shape: {sphere: {radius: 2 cm}}, mass: 100 g}\n"
    "  cylinder: {shape: {cylinder: {radius: 2 cm, length: 4 cm}}, mass: 100 g}\n"
    "  NAME: {shape: {sphere: {radius: 2 cm}}, mass: 100 g}\n"
    "  floor: {fixed: true, shape: {half_space: {}}}\n"
    "soft:\n"
    "  cube: {mesh: {box: {size: [1 cm, 1 cm, 1 cm], cells: [2, 2, 5]}}, material: rubber}\n"
    "  finger: {mesh: {box: {size: [1 cm, 1 cm, 1 cm], cells: [1, 1, 1]}}, material: rubber}\n"
    "actuators: {lift: {joint: arm/slide, kp: 1.0e+4 N/m, targets: [[0 s, 0]]}}\n"
    "springs: {lead: {bodies: [world, ball], stiffness: 100 N/m}}\n"
    "loads: {push: {body: ball, force: [2 N, 0, 0]}}\n"
    "chambers: {air: {surface: [cube], gas: {pressure: 10 kPa}}}\n"
    "constraints: {grip: {type: weld, bodies: [world, ball]}}\n"
    "cables: {pull: {path: [{world: [0, 0, 1 m]}, {ball: [0, 0, 0]}], added_length: 0}}\n"
    "tasks: {grip: {frame: arm/hand, phases: {close: {joints: {arm/slide: 5 mm}, duration: 1 "
    "s}}}}\n"
    "ties: {glue: {slave: {body: cube}, master: {body: finger}}}\n";

static const char urdf_text[] =
    "<robot name='robot'><link name='LINK'/><link name='lever'><inertial><mass value='1'/><inertia "
    "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><box "
    "size='0.1 0.1 0.1'/></geometry></collision></link><link name='hand'><inertial><mass "
    "value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint "
    "name='slide' type='prismatic'><parent link='LINK'/><child link='lever'/><axis xyz='0 0 "
    "1'/><limit lower='-1' upper='1' effort='100' velocity='1'/></joint><joint name='JOINT' "
    "type='prismatic'><parent link='lever'/><child link='hand'/><axis xyz='0 0 1'/><limit "
    "lower='-1' upper='1' effort='100' velocity='1'/></joint><link name='drum'><inertial><mass "
    "value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint "
    "name='TURN' type='continuous'><parent link='hand'/><child link='drum'/></joint></robot>\n";

/** A tetrahedron; one that is large enough for cells of some millimetres. */
static const char svg_text[] =
    "<svg width='30mm' viewBox='0 0 30 20'><path id='pin' d='M0 0H30V20H0Z M8 "
    "8V12H22V8Z'/></svg>\n";
static const char obj_text[] =
    "v 0 0 0\nv 0.02 0 0\nv 0 0.02 0\nv 0 0 0.02\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/** Overrides that keys of these paths need: those of the longest prefix alone. */
static const struct {
  const char *prefix, *sets[4];
} before[] = {
    {"robots.mjcf", {"tasks={}", "actuators={}", "robots={arm: {mjcf: robot.xml}}"}},
    {"robots.keyframe", {"tasks={}", "actuators={}", "robots={arm: {mjcf: robot.xml}}"}},
    {"robots.sdf", {"tasks={}", "actuators={}", "robots={arm: {sdf: model.sdf}}"}},
    {"solver.petsc", {"solver.backend=petsc"}},
    {"solver.petsc_matrix", {"solver.backend=petsc"}},
    {"time.theta",
     {"soft={}", "chambers={}", "ties={}",
      "time={step: 10 ms, end: 0 s, scheme: theta, theta: 0.5, theta_vq: 0.5}"}},
    {"time.theta_vq",
     {"soft={}", "chambers={}", "ties={}",
      "time={step: 10 ms, end: 0 s, scheme: theta, theta: 0.5, theta_vq: 0.5}"}},
    {"time.theta_stiff",
     {"soft={}", "chambers={}", "ties={}",
      "time={step: 10 ms, end: 0 s, scheme: theta, theta: 0.5, theta_vq: 0.5}"}},
    {"time.accuracy_length", {"time={end: 0 s, accuracy: 1.0e-3}"}},
    {"time.accuracy_time", {"time={end: 0 s, accuracy: 1.0e-3}"}},
    {"time.min_step", {"time={end: 0 s, accuracy: 1.0e-3}"}},
    {"time.max_step", {"time={end: 0 s, accuracy: 1.0e-3}"}},
    {"time.reference_step", {"time={end: 0 s, accuracy: 1.0e-3}"}},
    {"contact.pairs.enabled", {"contact.pairs=[{bodies: [cylinder, floor]}]"}},
    {"rigid.shape", {"rigid.ball.shape={}"}},
    {"rigid.shape.half_space", {"springs={}", "loads={}", "rigid.ball={fixed: true, shape: {}}"}},
    {"rigid.shape.convex.file", {"rigid.ball.shape={convex: {}}"}},
    {"rigid.shape.convex.scale", {"rigid.ball.shape={convex: {file: part.obj}}"}},
    {"rigid.shapes", {"rigid.ball={mass: 100 g}"}},
    {"rigid.shapes.shape", {"rigid.ball={mass: 100 g, shapes: [{shape: {}}]}"}},
    {"rigid.shapes.shape.half_space",
     {"springs={}", "loads={}", "rigid.ball={fixed: true, shapes: [{shape: {}}]}"}},
    {"rigid.shapes.shape.convex.file",
     {"rigid.ball={mass: 100 g, shapes: [{shape: {convex: {}}}]}"}},
    {"rigid.shapes.shape.convex.scale",
     {"rigid.ball={mass: 100 g, shapes: [{shape: {convex: {file: part.obj}}}]}"}},
    {"rigid.shapes.pose",
     {"rigid.ball={mass: 100 g, shapes: [{shape: {sphere: {radius: 1 cm}}}]}"}},
    {"robots.motion.interpolation", {"robots.arm.motion={rows: [[0, 0, 0, 0, 0, 0, 0]]}"}},
    {"rigid.motion.interpolation",
     {"springs={}", "loads={}", "rigid.ball.motion={rows: [[0, 0, 0, 0, 0, 0, 0]]}"}},
    {"soft.hold.motion.interpolation",
     {"soft.cube.hold=[{region: {named: x_min}, axes: [x], motion: {rows: [[0, 0, 0, 0, 0, 0, "
      "0]]}}]"}},
    {"actuators.joints", {"actuators.lift={kp: 1, targets: [[0 s, 0]]}"}},
    {"actuators.robot", {"actuators.lift={kp: 1, targets: [[0 s, 0, 0, 0]]}"}},
    {"robots.motion.columns", {"robots.arm.motion={file: motion.csv}"}},
    {"rigid.motion.columns", {"springs={}", "loads={}", "rigid.ball.motion={file: motion.csv}"}},
    {"soft.hold.motion.columns",
     {"soft.cube.hold=[{region: {named: x_min}, axes: [x], motion: {file: motion.csv}}]"}},
    {"robots.velocity", {"robots.arm.base=free"}},
    {"robots.angular_velocity", {"robots.arm.base=free"}},
    {"robots.contact.surface_velocity",
     {"robots.arm.contact={lever: {surface_velocity: {amplitude: [1, 0, 0], frequency: 1}}}"}},
    {"rigid.contact.surface_velocity",
     {"rigid.ball.contact.surface_velocity={amplitude: [1, 0, 0], frequency: 1}"}},
    {"rigid.density", {"rigid.ball={shape: {sphere: {radius: 2 cm}}}"}},
    {"rigid.plane_normal", {"rigid.ball.joint=planar"}},
    {"rigid.pose.quaternion", {"rigid.ball.pose={}"}},
    {"rigid.fixed", {"springs={}", "loads={}"}},
    {"rigid.motion", {"springs={}", "loads={}"}},
    {"rigid.contact.compliant.field",
     {"rigid.ball={mass: 1 g, shape: {mesh: {file: part.obj}}, contact: {compliant: {modulus: 1 "
      "MPa}}}"}},
    {"soft.mesh", {"soft.cube.mesh={}"}},
    {"soft.mesh.box.corners", {"soft.cube.mesh={box: {cells: [1, 1, 1]}}"}},
    {"soft.mesh.scale", {"soft.cube.mesh={surface: part.stl, size: 5 mm}"}},
    {"soft.mesh.size", {"soft.cube.mesh={surface: part.stl}"}},
    {"soft.mesh.quality", {"soft.cube.mesh={surface: part.stl, size: 5 mm}"}},
    {"soft.mesh.inserts", {"soft.cube.mesh={surface: part.stl, size: 5 mm}"}},
    {"soft.mesh.surface", {"soft.cube.mesh={size: 5 mm}"}},
    {"soft.mesh.refine", {"soft.cube.mesh={box: {size: [1, 1, 1], cells: [1, 1, 1]}}"}},
    {"soft.mesh.order",
     {"soft.cube.mesh={box: {size: [1, 1, 1], cells: [1, 1, 1], pattern: mirror}}"}},
    {"materials.loss_factor", {"materials.rubber.loss_frequency=1 Hz"}},
    {"soft.material", {"soft.cube.material={base: rubber}"}},
    {"soft.material.loss_factor", {"soft.cube.material={base: rubber, loss_frequency: 1 Hz}"}},
    {"soft.materials",
     {"soft.cube.mesh={finray: {}}", "soft.cube.materials={ribs: {base: rubber}}"}},
    {"soft.materials.loss_factor",
     {"soft.cube.mesh={finray: {}}",
      "soft.cube.materials={ribs: {base: rubber, loss_frequency: 1 Hz}}"}},
    {"soft.materials.model",
     {"soft.cube.mesh={finray: {}}", "soft.cube.material={base: rubber, model: corotational}",
      "soft.cube.materials={ribs: {base: rubber}}"}},
    {"soft.mesh.finray.rib_angles", {"soft.cube.mesh={finray: {ribs: 3}}"}},
    {"soft.mesh.finray.rib_heights", {"soft.cube.mesh={finray: {ribs: 3}}"}},
    {"soft.mesh.finray.rib_thicknesses", {"soft.cube.mesh={finray: {ribs: 3}}"}},
    {"soft.mesh.finray.front_notches", {"soft.cube.mesh={finray: {cells: {cavity: 8}}}"}},
    {"soft.mesh.finray.back_notches", {"soft.cube.mesh={finray: {cells: {cavity: 8}}}"}},
    {"soft.dilatation", {"soft.cube.mesh.order=2", "soft.cube.mesh.box.pattern=mirror"}},
    {"soft.clamp", {"soft.cube.clamp=[{}]"}},
    {"soft.clamp.named", {"soft.cube.mesh={finray: {}}", "soft.cube.clamp=[{}]"}},
    {"soft.hold.region", {"soft.cube.hold=[{region: {}, axes: [x]}]"}},
    {"soft.hold.region.named",
     {"soft.cube.mesh={finray: {}}", "soft.cube.hold=[{region: {}, axes: [x]}]"}},
    {"constraints.points",
     {"constraints.grip={type: rod, bodies: [world, ball], points: [[0, 0, 1 m], [0, 0, 0]]}"}},
    {"constraints.length",
     {"constraints.grip={type: rod, bodies: [world, ball], points: [[0, 0, 1 m], [0, 0, 0]]}"}},
    {"constraints.stiffness",
     {"constraints.grip={type: rod, bodies: [world, ball], points: [[0, 0, 1 m], [0, 0, 0]]}"}},
    {"constraints.damping",
     {"constraints.grip={type: rod, bodies: [world, ball], points: [[0, 0, 1 m], [0, 0, 0]], "
      "stiffness: 1 kN/m}"}},
    {"constraints.axis", {"constraints.grip.type=hinge"}},
    {"constraints.region", {"constraints.grip.bodies=[world, cube]"}},
    {"constraints.region.named",
     {"soft.cube.mesh={finray: {}}",
      "constraints.grip={type: weld, bodies: [world, cube], region: {}}"}},
    {"constraints.joints", {"constraints.grip={type: coupler, joints: [ROBOT/JOINT, arm/slide]}"}},
    {"constraints.ratio", {"constraints.grip={type: coupler, joints: [ROBOT/JOINT, arm/slide]}"}},
    {"constraints.offset", {"constraints.grip={type: coupler, joints: [ROBOT/JOINT, arm/slide]}"}},
    {"constraints.from.when", {"constraints.grip.from={when: {column: time, above: 0.1}}"}},
    {"constraints.from.when.below", {"constraints.grip.from={when: {column: time}}"}},
    {"constraints.until.when", {"constraints.grip.until={when: {column: time, above: 0.1}}"}},
    {"constraints.until.when.below", {"constraints.grip.until={when: {column: time}}"}},
    {"soft.hold.from.when",
     {"soft.cube.hold=[{region: {named: x_min}, axes: [x], from: {when: {column: time, above: "
      "1}}}]"}},
    {"soft.hold.from.when.below",
     {"soft.cube.hold=[{region: {named: x_min}, axes: [x], from: {when: {column: time}}}]"}},
    {"soft.hold.until.when",
     {"soft.cube.hold=[{region: {named: x_min}, axes: [x], until: {when: {column: time, above: "
      "1}}}]"}},
    {"soft", {"ties={}"}},
    {"soft.hold.until.when.below",
     {"soft.cube.hold=[{region: {named: x_min}, axes: [x], until: {when: {column: time}}}]"}},
    {"soft.attach.region", {"soft.cube.attach={link: ROBOT/LINK, region: {}}"}},
    {"soft.attach.region.named",
     {"soft.cube.mesh={finray: {}}", "soft.cube.attach={link: ROBOT/LINK, region: {}}"}},
    {"soft.growth.region", {"soft.cube.growth=[{region: {}, strain: 0.02}]"}},
    {"soft.growth.region.named",
     {"soft.cube.mesh={finray: {}}", "soft.cube.growth=[{region: {}, strain: 0.02}]"}},
    {"soft.tractions.region", {"soft.cube.tractions=[{region: {}, pressure: 1 kPa}]"}},
    {"soft.tractions.region.named",
     {"soft.cube.mesh={finray: {}}", "soft.cube.tractions=[{region: {}, pressure: 1 kPa}]"}},
    {"soft.tractions.traction", {"soft.cube.tractions=[{region: {named: z_max}}]"}},
    {"soft.tractions.pressure", {"soft.cube.tractions=[{region: {named: z_max}}]"}},
    {"chambers.pressure", {"chambers.air={surface: [cube]}"}},
    {"chambers.volume", {"chambers.air={surface: [cube]}"}},
    {"chambers.added_volume", {"chambers.air={surface: [cube]}"}},
    {"chambers.gas", {"chambers.air={surface: [cube]}"}},
    {"chambers.gas.inlet.chamber",
     {"chambers.air={surface: [cube]}", "chambers.air.gas={inlet: {conductance: 10 cm^3/s}}"}},
    {"cables.tension", {"cables.pull={path: [{world: [0, 0, 1 m]}, {ball: [0, 0, 0]}]}"}},
    {"cables.length", {"cables.pull={path: [{world: [0, 0, 1 m]}, {ball: [0, 0, 0]}]}"}},
    {"cables.sheaves",
     {"cables.pull.path=[{world: [0, 0, 1 m]}, {world: [1 m, 0, 1 m]}, {ball: [0, 0, 0]}]"}},
    {"cables.sheaves.point",
     {"cables.pull.path=[{world: [0, 0, 1 m]}, {world: [1 m, 0, 1 m]}, {ball: [0, 0, 0]}]",
      "cables.pull.sheaves=[{radius: 3 cm, axis: [0, 1, 0]}]"}},
    {"cables.sheaves.radius",
     {"cables.pull.path=[{world: [0, 0, 1 m]}, {world: [1 m, 0, 1 m]}, {ball: [0, 0, 0]}]",
      "cables.pull.sheaves=[{point: 2, axis: [0, 1, 0]}]"}},
    {"cables.sheaves.axis",
     {"cables.pull.path=[{world: [0, 0, 1 m]}, {world: [1 m, 0, 1 m]}, {ball: [0, 0, 0]}]",
      "cables.pull.sheaves=[{point: 2, radius: 3 cm}]"}},
    {"cables.winch.radius", {"cables.pull.winch={joint: ROBOT/TURN}"}},
    {"tasks.phases.speed", {"tasks.grip.phases.close={joints: {arm/slide: 5 mm}}"}},
    {"tasks.phases.timeout", {"tasks.grip.phases.close.until={at: 0.1 s}"}},
    {"tasks.phases.retries", {"tasks.grip.phases.close.otherwise=next"}},
    {"tasks.phases.move.position", {"tasks.grip.phases.close.move={}"}},
    {"tasks.phases.move.body", {"tasks.grip.phases.close.move={position: [0, 0, 0]}"}},
    {"tasks.phases.until.at", {"tasks.grip.phases.close.until={}"}},
    {"tasks.phases.until.when",
     {"tasks.grip.phases.close.until={when: {column: time, above: 0.1}}"}},
    {"tasks.phases.until.when.below", {"tasks.grip.phases.close.until={when: {column: time}}"}},
    {"ties.slave.region", {"ties.glue={slave: {body: cube, region: {}}, master: {body: finger}}"}},
    {"ties.master.region", {"ties.glue={master: {body: finger, region: {}}, slave: {body: cube}}"}},
    {"ties.inside", {"ties.glue={}"}},
    {"ties.inside.body", {"ties.glue={inside: {in: finger}}"}},
    {"ties.inside.in", {"ties.glue={inside: {body: cube}}"}},
    {"ties.inside.region", {"ties.glue={inside: {body: cube, in: finger, region: {}}}"}},
    {"soft.manufactured", {"soft.cube.material={base: rubber, model: linear}"}}};

typedef struct list_of_sets {
  int         count;
  char        text[MAX_SETS][SET_SIZE];
  const char *pointer[MAX_SETS];
} list_of_sets;

static void add_set(list_of_sets *list, const char *text) {
  CU_ASSERT_FATAL(list->count < MAX_SETS && strlen(text) < SET_SIZE);
  strcpy(list->text[list->count], text);
  list->pointer[list->count] = list->text[list->count];
  list->count++;
}

static void add_value(list_of_sets *list, const char *path, const char *value) {
  char text[SET_SIZE];
  CU_ASSERT_FATAL((size_t)snprintf(text, sizeof text, "%s=%s", path, value) < sizeof text);
  add_set(list, text);
}

/** 1: the path equals the prefix or is below it. */
static int is_below(const char *path, const char *prefix) {
  size_t length = strlen(prefix);
  return strncmp(path, prefix, length) == 0 && (path[length] == '.' || path[length] == '\0');
}

/** The name that the example of a collection gives its first entry, or "0" for a list. */
static void entry_name(const sup_key *key, char name[SUP_NAME_MAX]) {
  snprintf(name, SUP_NAME_MAX, "0");
  if (!sup_key_has_names(key)) return;
  sup_node *node = parse(key->example);
  snprintf(name, SUP_NAME_MAX, "%.60s", node->child->key);
  sup_node_destroy(&node);
}

/** Overrides that put the example of the key at `path` into the scene, with the examples of the
 * sections above it, from what `before` says on.  Sections of the scene itself have their entries
 * already. */
static void sets_of(const char *path, const char *example, list_of_sets *list) {
  char start[SUP_SCHEMA_PATH_SIZE], real[SUP_SCHEMA_PATH_SIZE] = "", name[SUP_NAME_MAX];
  sup_schema_target place;
  size_t            prepared = 0;
  list->count = 0;
  for (size_t i = 0, best = 0; i < sizeof before / sizeof *before; i++)
    if (is_below(path, before[i].prefix) && strlen(before[i].prefix) > best)
      best = strlen(before[i].prefix), prepared = i + 1;
  for (int k = 0; prepared && k < 4; k++)
    if (before[prepared - 1].sets[k]) add_set(list, before[prepared - 1].sets[k]);
  size_t ready = prepared ? strlen(before[prepared - 1].prefix) : strcspn(path, ".");
  for (size_t i = 0; path[i];) {
    i += strcspn(path + i, ".");
    size_t used = strlen(real);
    snprintf(start, sizeof start, "%.*s", (int)i, path);
    CU_ASSERT_FATAL(sup_schema_find(&sup_schema_scene, start, &place));
    snprintf(real + used, sizeof real - used, "%s%s", used ? "." : "", place.key->name);
    if (!path[i]) break;
    sup_node *node = parse(place.key->example);
    int       is_short = node->type != SUP_NODE_MAPPING && place.key->type == SUP_KEY_SECTION;
    sup_node_destroy(&node);
    if (i > ready) add_value(list, real, is_short ? "{}" : place.key->example);
    entry_name(place.key, name);
    used = strlen(real);
    if (sup_key_has_names(place.key) || place.key->type == SUP_KEY_SECTIONS)
      snprintf(real + used, sizeof real - used, ".%s", name);
    i++;
  }
  add_value(list, real, example);
}

static void write_text(const char *name, const char *text) {
  char            path[1024];
  sup_file_writer writer;
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  OK(sup_file_open(&writer, path));
  fputs(text, writer.file);
  OK(sup_file_commit(&writer));
}

static void copy_file(const char *from, const char *name) {
  char  *text = NULL;
  size_t size;
  OK(sup_file_read(from, &text, &size));
  write_text(name, text);
  SUP_FREE(text);
}

/** Corner tetrahedron of 20 mm times `size`, moved by `at` along all axes. */
static void write_stl(const char *name, double size, double at) {
  static const double x[4][3] = {{0, 0, 0}, {0.02, 0, 0}, {0, 0.02, 0}, {0, 0, 0.02}};
  static const int    face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  char                text[4096] = "solid part\n";
  for (int f = 0; f < 4; f++) {
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, sizeof text - used, "facet normal 0 0 0\nouter loop\n");
    for (int k = 0; k < 3; k++)
      used += (size_t)snprintf(text + used, sizeof text - used, "vertex %g %g %g\n",
                               size * x[face[f][k]][0] + at, size * x[face[f][k]][1] + at,
                               size * x[face[f][k]][2] + at);
    snprintf(text + used, sizeof text - used, "endloop\nendfacet\n");
  }
  snprintf(text + strlen(text), sizeof text - strlen(text), "endsolid part\n");
  write_text(name, text);
}

static int load_example(const sup_schema_step *step, void *user) {
  static list_of_sets list;
  char                path[1024];
  int                *count = user;
  sup_scene          *scene = NULL;
  /* the links of this robot are boxes; the row is the same as that of rigid bodies */
  if (strcmp(step->path, "robots.contact.compliant.field") == 0) return 0;
  if (strncmp(step->path, "soft.mesh.extrude", 17) == 0 && !test_has_program("gmsh")) return 0;
  sets_of(step->path, step->key->example, &list);
  snprintf(path, sizeof path, "%s/every.yaml", test_folder());
  if (sup_scene_load(&scene, path, list.pointer, list.count) != SUP_OK) {
    for (int i = 0; i < list.count; i++) printf("\n      --set %s", list.pointer[i]);
    complain(step, sup_error_message());
  }
  sup_scene_destroy(&scene);
  (*count)++;
  return 0;
}

static void silent(sup_log_level level, const char *message, void *user) {
  (void)level, (void)message, (void)user;
}

static void a_scene_with_the_example_of_any_key_loads(void) {
  int count = 0;
  write_text("every.yaml", scene_text);
  write_text("robot.urdf", urdf_text);
  write_text("robot.xml", "<mujoco><keyframe><key name='home'/></keyframe></mujoco>");
  write_text("model.sdf", "<sdf><model name='m'><link name='a'/></model></sdf>");
  write_text("part.obj", obj_text);
  write_text("finger.svg", svg_text);
  write_text("motion.csv", "time,x,y,z,rx,ry,rz\n0,0,0,0,0,0,0\n1,0,0,0,0,0,0\n");
  write_stl("part.stl", 1, 0), write_stl("core.stl", .2, 2e-3);
  copy_file("tests/data/scene/cube.vtk", "finger.vtk");
  sup_log_set(silent, NULL);
  CHECK(sup_schema_walk(&sup_schema_scene, load_example, &count) == 0);
  sup_log_set(NULL, NULL);
  CHECK(count > 300);
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void paths_lead_to_keys_with_and_without_names(void) {
  static const char *const good[][2] = {
      {"time.step", "time.step"},
      {"soft.finger.mesh.finray.wall", "soft.mesh.finray.wall"},
      {"soft.NAME.mesh.finray.wall", "soft.mesh.finray.wall"},
      {"soft.mesh.finray.wall", "soft.mesh.finray.wall"},
      {"contact.pairs.12.friction", "contact.pairs.friction"},
      {"robots.arm.contact.lever.friction", "robots.contact.friction"},
      {"output.pairs.0", "output.pairs"},
      {"gravity.2", "gravity"}};
  static const char *const bad[][2] = {
      {"time.stp", "time"},         {"soft.finger.mesh.finray.wal", "soft.mesh.finray"},
      {"time.step.x", "time.step"}, {"contact.pairs.first.friction", "contact.pairs"},
      {"time..step", "time"},       {"scene", ""}};
  sup_schema_target place;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    CHECK(sup_schema_find(&sup_schema_scene, good[i][0], &place) == 1);
    CHECK(strcmp(place.path, good[i][1]) == 0);
    CHECK(place.key != NULL && place.known == strlen(good[i][0]));
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK(sup_schema_find(&sup_schema_scene, bad[i][0], &place) == 0);
    CHECK(strcmp(place.path, bad[i][1]) == 0);
  }
}

SUITE_TESTS(schema, TEST(every_key_says_what_it_is), TEST(every_example_is_a_value_of_its_key),
            TEST(the_tables_have_every_key_of_the_examples),
            TEST(a_scene_with_the_example_of_any_key_loads),
            TEST(paths_lead_to_keys_with_and_without_names));
