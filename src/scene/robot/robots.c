/* The section `robots`. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "geom/shape.h"
#include "scene/build.h"
#include "scene/robot/mjcf.h"
#include "scene/robot/robot_loops.h"
#include "scene/robot/sdf.h"
#include "scene/robot/urdf.h"
#include "tree/joint.h"

enum { MAX_PACKAGES = 32, PATH_SIZE = 4096 };

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_word bases[] = {
    {"fixed", "the root link stands at the pose, or follows the motion"},
    {"free", "the root link floats, with six joint velocities"}};
enum { BASE_FIXED, BASE_FREE };
/** Name of the joint that carries a free base. */
static const char base_joint[] = "floating_base";

static const sup_key twist_keys[] = {
    SUP_VECTOR("velocity", SUP_DIM_VELOCITY, SUP_ANY, SUP_ITSELF(double[3]), "[0.5 m/s, 0, 0]",
               "Velocity of the link's origin.", .absent = "[0, 0, 0]", .by_code = 1),
    SUP_VECTOR("angular_velocity", SUP_DIM_ANGULAR_VELOCITY, SUP_ANY, SUP_ITSELF(double[3]),
               "[0, 0, 30 deg/s]", "Angular velocity.", .absent = "[0, 0, 0]", .by_code = 1)};
static const sup_schema twist_schema = SUP_SCHEMA(
    "the velocity of a joint", twist_keys,
    "Velocities of the link that a floating or planar joint carries, in the joint's axes.");

#define MOMENTS \
  { offsetof(sup_link_def, inertia), 3 * sizeof(double) }
static const sup_key inertial_keys[] = {
    SUP_NUMBER("mass", SUP_DIM_MASS, SUP_NOT_NEGATIVE, SUP_AT(sup_link_def, mass), "2 kg", "Mass.",
               .absent = "that of the URDF"),
    SUP_VECTOR("center", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_link_def, com), "[0, 0, 5 cm]",
               "Centre of mass in the link's frame.", .absent = "that of the URDF"),
    SUP_VECTOR("inertia", SUP_DIM_INERTIA, SUP_NOT_NEGATIVE, MOMENTS,
               "[2.0e-4 kg m^2, 2.0e-4 kg m^2, 1.0e-4 kg m^2]",
               "Moments Ixx, Iyy, Izz about the centre of mass in the link's axes; products of "
               "inertia stay as they are.",
               .absent = "those of the URDF")};
#undef MOMENTS
static const sup_schema inertial_schema =
    SUP_SCHEMA("an entry of inertials", inertial_keys, "Inertia of a link in place of the URDF's.");

static const sup_word velocity_limits[] = {
    {"ignored", "joints may move faster than the URDF says"},
    {"enforced",
     "joints stop accelerating at the velocity limits of the URDF, whatever drives them"}};

static const sup_word loop_starts[] = {
    {"as_given", "joints that 'joints' does not name stay, and a loop that is open is told"},
    {"closed", "joints that 'joints' does not name, balls and free bodies too, close them"}};
enum { LOOPS_AS_GIVEN, LOOPS_CLOSED };

static const sup_key dynamics_keys[] = {
    SUP_NUMBER("damping", SUP_DIM_DAMPING, SUP_NOT_NEGATIVE, SUP_AT(sup_link_def, damping),
               "2 N s/m", "Viscous damping; N m s/rad where the joint turns.",
               .absent = "that of the URDF"),
    SUP_NUMBER(
        "friction", SUP_DIM_FORCE, SUP_NOT_NEGATIVE, SUP_AT(sup_link_def, friction), "0.5 N",
        "Dry friction: the largest effort, either way, against motion and against what would "
        "begin it; N m where the joint turns.",
        .absent = "that of the URDF"),
    SUP_NUMBER("velocity", SUP_DIM_VELOCITY, SUP_POSITIVE, SUP_AT(sup_link_def, velocity_limit),
               "0.2 m/s", "Largest velocity with 'velocity_limits: enforced'; rad/s of an angle.",
               .absent = "that of the URDF")};
static const sup_schema dynamics_schema =
    SUP_SCHEMA("an entry of dynamics", dynamics_keys,
               "Damping and friction of a joint in place of the URDF's.");

static const sup_key robot_keys[] = {
    SUP_CUSTOM("urdf", SUP_KEY_FILE, "robot.urdf",
               "Description of the robot: links, joints, collision geometry.",
               .absent = "another description is needed", .need = SUP_OPTIONAL),
    SUP_CUSTOM("mjcf", SUP_KEY_FILE, "robot.xml",
               "Description in MuJoCo's format in place of a URDF; its drives hold their zero "
               "unless actuators name their joints.",
               .absent = "another description is needed", .need = SUP_OPTIONAL),
    SUP_CUSTOM("sdf", SUP_KEY_FILE, "model.sdf",
               "Description in Gazebo's format in place of a URDF: one model.",
               .absent = "another description is needed", .need = SUP_OPTIONAL),
    SUP_BOOLEAN("visuals", SUP_BY_CODE, "true",
                "Frames show the visual meshes (.obj, .stl, .ply; .dae, .gltf, .glb by assimp) in "
                "place of the shapes of contact.",
                .absent = "false"),
    SUP_CUSTOM("packages", SUP_KEY_LIST, "[../packages]",
               "Folders searched for package://NAME/FILE before those above the URDF file; 32 "
               "at most."),
    SUP_SECTION("pose", sup_schema_pose, SUP_BY_CODE, "{position: [0, 0, 0.5 m]}",
                "Pose of the base in the world."),
    SUP_WORD("base", bases, SUP_BY_CODE, "free",
             "Root link welded to the world or floating; also a link named world.",
             .absent = "fixed"),
    SUP_VECTOR("velocity", SUP_DIM_VELOCITY, SUP_ANY, SUP_BY_CODE, "[0.5 m/s, 0, 0]",
               "With 'base: free': velocity of the root link's origin at the start, in world axes.",
               .need = SUP_OPTIONAL, .absent = "[0, 0, 0]"),
    SUP_VECTOR("angular_velocity", SUP_DIM_ANGULAR_VELOCITY, SUP_ANY, SUP_BY_CODE,
               "[0, 0, 30 deg/s]",
               "With 'base: free': angular velocity of the root link at the start, in world axes.",
               .need = SUP_OPTIONAL, .absent = "[0, 0, 0]"),
    SUP_CUSTOM("joints", SUP_KEY_ENTRIES, "{slide: 5 cm}",
               "Positions of joints at the start by name: an angle, a length, or the pose of a "
               "floating or planar joint.",
               .absent = "0, or as an MJCF file has it"),
    SUP_CUSTOM("keyframe", SUP_KEY_TEXT, "home",
               "Keyframe of an MJCF file where joints start that 'joints' does not name.",
               .need = SUP_OPTIONAL, .absent = "the file's pose"),
    SUP_WORD("loops", loop_starts, SUP_BY_CODE, "as_given", "Loops of an MJCF file at the start.",
             .absent = "as_given"),
    SUP_CUSTOM(
        "velocities", SUP_KEY_ENTRIES, "{slide: 5 cm/s}",
        "Velocities of joints at the start by name; {velocity, angular_velocity} of a floating "
        "or planar one, in the joint's axes.",
        .absent = "0", .need = SUP_OPTIONAL),
    SUP_CUSTOM("motion", SUP_KEY_SECTION, "[[0 s, 0, 0, 0, 0, 0, 0], [1 s, 0, 0, 10 cm, 0, 0, 0]]",
               "Motion of the base from its pose: rows [t, x, y, z, rx, ry, rz], or a section.",
               .need = SUP_OPTIONAL, .absent = "at rest", .schema = &sup_schema_motion),
    SUP_CUSTOM("inertials", SUP_KEY_ENTRIES, "{lever: {mass: 0.5 kg}}",
               "Mass, centre of mass and inertia of links by name, in place of the URDF's.",
               .schema = &inertial_schema),
    SUP_CUSTOM("contact", SUP_KEY_ENTRIES, "{lever: {friction: 0.8}}",
               "Contact properties of links by name; they override the URDF's tags.",
               .schema = &sup_schema_rigid_contact),
    SUP_CUSTOM("dynamics", SUP_KEY_ENTRIES, "{slide: {friction: 0.5 N}}",
               "Damping, dry friction and velocity limit of joints of one coordinate by name, in "
               "place of the URDF's.",
               .schema = &dynamics_schema),
    SUP_WORD("velocity_limits", velocity_limits, SUP_BY_CODE, "enforced",
             "Limits of velocity of the URDF or of 'dynamics'.", .absent = "ignored")};
const sup_schema sup_schema_robot =
    SUP_SCHEMA("robot", robot_keys, "An articulated robot from a file.");

/* ---- the file -------------------------------------------------------------------------------- */

typedef struct package_list {
  char        path[MAX_PACKAGES][PATH_SIZE];
  const char *pointer[MAX_PACKAGES];
  int         count;
} package_list;

static sup_status read_packages(const sup_scene *scene, const sup_section *section,
                                package_list *list) {
  sup_node *node = sup_section_entry(section, "packages");
  if (!node) return SUP_OK;
  SUP_TRY(sup_node_check_list(node, "packages"));
  if (node->num_children > MAX_PACKAGES)
    return SUP_FAIL_AT(node->place, "packages names %d folders; at most %d are searched",
                       node->num_children, MAX_PACKAGES);
  for (sup_node *c = node->child; c; c = c->next) {
    SUP_TRY(sup_node_path(scene, c, "a folder of packages", list->path[list->count], PATH_SIZE));
    list->pointer[list->count] = list->path[list->count];
    list->count++;
  }
  return SUP_OK;
}

static sup_status add_input(void *scene, const char *path) {
  SUP_TRY(sup_scene_add_input(scene, &path));
  return SUP_OK;
}

/** Formats of descriptions, by their keys. */
static const struct {
  const char *key;
  sup_status (*read)(sup_tree_def *def, const char *path, const sup_robot_context *context);
} formats[] = {{"urdf", sup_urdf_read_with}, {"mjcf", sup_mjcf_read}, {"sdf", sup_sdf_read}};
enum { NUM_FORMATS = sizeof formats / sizeof *formats };

/** The entry of the robot's description; there must be one. */
static sup_status find_description(const sup_section *section, sup_node **node, int *format) {
  *node = NULL;
  for (int k = 0; k < NUM_FORMATS; k++) {
    sup_node *entry = sup_section_entry(section, formats[k].key);
    if (entry && *node)
      return SUP_FAIL_AT(entry->key_place, "%s has the keys '%s' and '%s'; one must go",
                         section->what, formats[*format].key, formats[k].key);
    if (entry) *node = entry, *format = k;
  }
  if (!*node) SUP_TRY(sup_section_require(section, "urdf", node));
  return SUP_OK;
}

static sup_status read_description(sup_scene_build *b, const sup_section *section, const char *name,
                                   sup_tree_def *tree, double **start) {
  sup_node               *node;
  SUP_FREED package_list *packages = NULL;
  char                    path[PATH_SIZE];
  const char             *file = path;
  int                     format = 0, has_visuals = 0;
  SUP_TRY(SUP_CALLOC(packages, 1));
  SUP_TRY(find_description(section, &node, &format));
  SUP_TRY(sup_node_path(b->scene, node, formats[format].key, path, sizeof path));
  SUP_TRY(read_packages(b->scene, section, packages));
  SUP_TRY(sup_scene_add_input(b->scene, &file));
  sup_robot_context context = {
      b->contact, packages->pointer, packages->count, add_input, b->scene, &b->scene->model, name};
  SUP_TRY(sup_read_boolean(section, "visuals", &has_visuals));
  context.has_visuals = has_visuals, context.start = start;
  sup_node *keyframe = sup_section_entry(section, "keyframe");
  if (keyframe) SUP_TRY(sup_node_text(keyframe, "keyframe", &context.keyframe));
  if (keyframe && formats[format].read != sup_mjcf_read)
    return SUP_FAIL_AT(keyframe->place, "%s: keyframes are of MJCF files", section->what);
  sup_status status = formats[format].read(tree, file, &context);
  return status == SUP_E_IO ? SUP_FAIL_WRAP(status, node->place) : status;
}

/* ---- names of parts -------------------------------------------------------------------------- */

typedef enum robot_part { SUP_PART_JOINT, SUP_PART_LINK, SUP_PART_GEOMETRY } robot_part;

/** The key of the node is no joint that can move, no link, or no link with a collision geometry. */
static sup_status unknown_part(const sup_tree_def *tree, const sup_node *node, robot_part part) {
  static const char *const ends[] = {" that can move", "", " that can touch anything"};
  const char             **names = NULL;
  char                     known[512];
  int                      count = 0;
  SUP_TRY(SUP_CALLOC(names, tree->num_links));
  for (int l = 0; l < tree->num_links; l++) {
    const sup_link_def *link = &tree->links[l];
    if (part == SUP_PART_JOINT && link->joint != SUP_JOINT_FIXED) names[count++] = link->joint_name;
    if (part == SUP_PART_LINK || (part == SUP_PART_GEOMETRY && link->num_geometries > 0))
      names[count++] = link->name;
  }
  sup_status status = SUP_FAIL_AT(node->key_place, "robot '%s' has no %s '%.60s'%s%s", tree->name,
                                  part == SUP_PART_JOINT ? "joint" : "link", node->key, ends[part],
                                  sup_known_text(node->key, names, count, known, sizeof known));
  SUP_FREE(names);
  return status;
}

/* ---- initial joint positions ----------------------------------------------------------------- */

static sup_status check_joint_names(const sup_tree_def *tree, const sup_node *joints) {
  for (const sup_node *c = joints->child; c; c = c->next) {
    int found = 0;
    for (int l = 0; l < tree->num_links; l++)
      if (tree->links[l].joint != SUP_JOINT_FIXED && strcmp(tree->links[l].joint_name, c->key) == 0)
        found = 1;
    if (!found) return unknown_part(tree, c, SUP_PART_JOINT);
  }
  return SUP_OK;
}

/** Convert a pose or velocity to the coordinates of a planar joint; components out of its plane are
 * an error.
 *  @param[in]  across  must have no part along the axis; along: none across it
 *  @param[out] q       the three coordinates (supple/robot.h) */
static sup_status put_in_plane(sup_source_position place, sup_v3 across, sup_v3 along,
                               const char *what, const sup_link_def *link, double q[3]) {
  const double tolerance = 1e-9;
  sup_v3       axis = sup_v3_load(link->axis);
  if (fabs(sup_v3_dot(axis, across)) > tolerance * sup_v3_norm(across))
    return SUP_FAIL_AT(place,
                       "joint '%s' is planar: its %s has a component along the axis (%g %g %g) of "
                       "the joint, expected none",
                       link->joint_name, what, axis.x, axis.y, axis.z);
  if (sup_v3_norm(sup_v3_cross(axis, along)) > tolerance * sup_v3_norm(along))
    return SUP_FAIL_AT(place,
                       "joint '%s' is planar: its rotation is about its axis (%g %g %g), expected "
                       "none about other axes",
                       link->joint_name, axis.x, axis.y, axis.z);
  for (int k = 0; k < 2; k++) q[k] = sup_v3_dot(sup_joint_plane(axis, k), across);
  q[2] = sup_v3_dot(axis, along);
  return SUP_OK;
}

static sup_status place_in_plane(sup_source_position place, const sup_pose *pose,
                                 sup_link_def *link) {
  sup_quat q = {pose->q[0], pose->q[1], pose->q[2], pose->q[3]};
  return put_in_plane(place, sup_v3_load(pose->p), sup_quat_log(q), "position", link, link->q0);
}

/** Read the initial position of the joint: its entry in `joints`, whose keys are the robot's
 * joints. */
static sup_status read_position(sup_node *joints, sup_link_def *link) {
  const double      tolerance = 1e-9;
  const sup_key     row = {.name = link->joint_name,
                           .type = SUP_KEY_NUMBER,
                           .dimension = sup_joint_dimension(link->joint),
                           .example = sup_dimension_example(sup_joint_dimension(link->joint))};
  const sup_schema  schema = {.title = "joints", .keys = &row, .num_keys = 1};
  const sup_section section = {.node = joints, .what = "joints", .schema = &schema};
  if (!sup_joint_is_single(link->joint)) {
    sup_pose pose = sup_pose_identity();
    bool     is_placed = memcmp(link->q0, &pose, sizeof pose) != 0; /* by the robot's file */
    if (is_placed && !sup_node_find(joints, link->joint_name)) return SUP_OK;
    SUP_TRY(sup_read_pose(&section, link->joint_name, &pose));
    if (link->joint == SUP_JOINT_PLANAR)
      return place_in_plane(sup_node_find(joints, link->joint_name)->place, &pose, link);
    if (link->joint == SUP_JOINT_BALL && sup_v3_norm(sup_v3_load(pose.p)) > 0)
      return SUP_FAIL_AT(sup_node_find(joints, link->joint_name)->place,
                         "joint '%s' is a ball: it turns and has no position", link->joint_name);
    for (int i = 0; i < 3; i++) link->q0[i] = pose.p[i];
    for (int i = 0; i < 4; i++) link->q0[3 + i] = pose.q[i];
    return SUP_OK;
  }
  double q = link->q0[0];
  SUP_TRY(sup_read_number(&section, link->joint_name, &q));
  sup_source_position place = sup_node_find(joints, link->joint_name)->place;
  if (link->mimic != SUP_NONE && fabs(q - link->q0[0]) > tolerance)
    return SUP_FAIL_AT(place,
                       "joint '%s' follows another, which puts it at %g; it cannot start at %g",
                       link->joint_name, link->q0[0], q);
  link->q0[0] = q;
  return SUP_OK;
}

/** Range of joint l by its limits and those of joints that follow it. */
static void range_of(const sup_tree_def *tree, int l, double *lower, double *upper) {
  *lower = tree->links[l].lower, *upper = tree->links[l].upper;
  for (int f = 0; f < tree->num_links; f++) {
    const sup_link_def *link = &tree->links[f];
    if (link->joint == SUP_JOINT_FIXED || link->mimic != l || link->mimic_ratio == 0) continue;
    double a = (link->lower - link->mimic_offset) / link->mimic_ratio,
           b = (link->upper - link->mimic_offset) / link->mimic_ratio;
    *lower = fmax(*lower, fmin(a, b)), *upper = fmin(*upper, fmax(a, b));
  }
}

/** All joints that start outside of limits, their own and those of joints that follow, in one
 * message, with a line that helps. */
static sup_status check_starts(const sup_node *joints, const sup_tree_def *tree) {
  const double        tolerance = 1e-9;
  const sup_link_def *first = NULL;
  char                one[120], names[400] = "", line[400] = "";
  int                 count = 0;
  for (int l = 0; l < tree->num_links; l++) {
    const sup_link_def *link = &tree->links[l];
    const char         *unit = link->joint == SUP_JOINT_PRISMATIC ? "m" : "rad";
    double              lower, upper, q = link->q0[0];
    if (!sup_joint_is_single(link->joint) || link->mimic != SUP_NONE) continue;
    range_of(tree, l, &lower, &upper);
    if (q >= lower - tolerance && q <= upper + tolerance) continue;
    if (count == 0) first = link;
    if (count == 0)
      snprintf(one, sizeof one, "%g %s, outside its limits %g to %g", q, unit, lower, upper);
    size_t at = strlen(names), end = strlen(line);
    snprintf(names + at, sizeof names - at, "%s'%s' at %g %s (%g to %g)", count ? ", " : "",
             link->joint_name, q, unit, lower, upper);
    snprintf(line + end, sizeof line - end, "%s%s: %.10g %s", count ? ", " : "", link->joint_name,
             fmin(fmax(q, lower), upper), unit);
    count++;
  }
  if (count == 0) return SUP_OK;
  sup_source_position place = sup_node_find(joints, first->joint_name)->place;
  if (count == 1)
    return SUP_FAIL_AT(place, "joint '%s' starts at %s; set it under joints: {%s}",
                       first->joint_name, one, line);
  return SUP_FAIL_AT(place, "%d joints start outside their limits: %s; set them under joints: {%s}",
                     count, names, line);
}

static sup_status read_joints(const sup_section *robot, const sup_robot_loops *loops,
                              sup_tree_def *tree) {
  enum { NAMED, OTHERS, FOLLOWERS };
  sup_node *node;
  int       start = LOOPS_AS_GIVEN;
  SUP_TRY(sup_section_mapping(robot, "joints", &node));
  SUP_TRY(check_joint_names(tree, node));
  SUP_TRY(sup_read_word(robot, "loops", &start));
  for (int pass = NAMED; pass <= FOLLOWERS; pass++) {
    if (pass == OTHERS && start == LOOPS_CLOSED) SUP_TRY(sup_robot_close_loops(loops, node, tree));
    for (int l = 0; l < tree->num_links; l++) {
      sup_link_def *link = &tree->links[l];
      if (link->joint == SUP_JOINT_FIXED) continue;
      bool is_named = sup_node_find(node, link->joint_name);
      if (pass != (link->mimic != SUP_NONE ? FOLLOWERS : is_named ? NAMED : OTHERS)) continue;
      if (pass == FOLLOWERS)
        link->q0[0] = link->mimic_ratio * tree->links[link->mimic].q0[0] + link->mimic_offset;
      SUP_TRY(read_position(node, link));
    }
  }
  if (start == LOOPS_AS_GIVEN) sup_robot_warn_of_loops(loops, tree, node->place);
  SUP_TRY(check_starts(node, tree));
  return SUP_OK;
}

/* ---- initial velocities ---------------------------------------------------------------------- */

/** Velocities of a floating joint are along the link's own axes, q0 turns them from the joint's. */
static sup_status read_twist(sup_node *node, sup_link_def *link) {
  double      velocity[3] = {0}, angular[3] = {0};
  sup_pose    pose = sup_pose_identity();
  sup_section section;
  SUP_TRY(sup_section_open(&section, node, &twist_schema, NULL));
  SUP_TRY(sup_read_vector(&section, "velocity", velocity));
  SUP_TRY(sup_read_vector(&section, "angular_velocity", angular));
  if (link->joint == SUP_JOINT_BALL && sup_v3_norm(sup_v3_load(velocity)) > 0)
    return SUP_FAIL_AT(node->place, "joint '%s' is a ball: it has an angular velocity alone",
                       link->joint_name);
  if (link->joint == SUP_JOINT_PLANAR)
    return put_in_plane(node->place, sup_v3_load(velocity), sup_v3_load(angular), "velocity", link,
                        link->v0);
  memcpy(pose.q, link->q0 + 3, sizeof pose.q);
  sup_frame X = sup_frame_from_pose(&pose);
  sup_v3_store(link->v0, sup_m3_apply_t(X.R, sup_v3_load(angular)));
  sup_v3_store(link->v0 + 3, sup_m3_apply_t(X.R, sup_v3_load(velocity)));
  return SUP_OK;
}

static sup_status read_velocity(sup_node *velocities, sup_node *entry, sup_link_def *link) {
  const sup_dimension dimension =
      link->joint == SUP_JOINT_PRISMATIC ? SUP_DIM_VELOCITY : SUP_DIM_ANGULAR_VELOCITY;
  const sup_key     row = {.name = link->joint_name,
                           .type = SUP_KEY_NUMBER,
                           .dimension = dimension,
                           .example = sup_dimension_example(dimension)};
  const sup_schema  schema = {.title = "velocities", .keys = &row, .num_keys = 1};
  const sup_section section = {.node = velocities, .what = "velocities", .schema = &schema};
  if (link->mimic != SUP_NONE)
    return SUP_FAIL_AT(entry->key_place,
                       "joint '%s' follows another and starts with that one's velocity; give the "
                       "velocity of the joint that leads",
                       link->joint_name);
  if (!sup_joint_is_single(link->joint))
    SUP_TRY(read_twist(entry, link));
  else
    SUP_TRY(sup_read_number(&section, link->joint_name, link->v0));
  return SUP_OK;
}

static sup_status read_velocities(const sup_section *robot, sup_tree_def *tree) {
  sup_node *node = sup_section_entry(robot, "velocities");
  if (!node) return SUP_OK;
  SUP_TRY(sup_node_check_mapping(node, "velocities of a robot"));
  SUP_TRY(check_joint_names(tree, node));
  for (int l = 0; l < tree->num_links; l++) {
    sup_link_def *link = &tree->links[l];
    sup_node *entry = link->joint == SUP_JOINT_FIXED ? NULL : sup_node_find(node, link->joint_name);
    if (entry) SUP_TRY(read_velocity(node, entry, link));
  }
  for (int l = 0; l < tree->num_links; l++) {
    sup_link_def *link = &tree->links[l];
    if (link->mimic != SUP_NONE) link->v0[0] = link->mimic_ratio * tree->links[link->mimic].v0[0];
  }
  return SUP_OK;
}

/* ---- the base -------------------------------------------------------------------------------- */

static sup_status check_fixed_base(const sup_section *robot) {
  static const char *const keys[] = {"velocity", "angular_velocity"};
  for (int i = 0; i < 2; i++) {
    const sup_node *node = sup_section_entry(robot, keys[i]);
    if (node)
      return SUP_FAIL_AT(node->key_place,
                         "%s has the key '%s', but its base is fixed: 'base: free' "
                         "lets it float",
                         robot->what, keys[i]);
  }
  return SUP_OK;
}

/** The root link floats from the pose at the start, as a free rigid body does. */
static sup_status free_base(const sup_section *robot, const sup_pose *pose, sup_tree_def *tree) {
  double          velocity[3] = {0}, angular[3] = {0};
  sup_link_def   *root = &tree->links[0];
  const sup_node *motion = sup_section_entry(robot, "motion");
  if (motion)
    return SUP_FAIL_AT(motion->key_place,
                       "%s has a motion of its base and 'base: free'; delete one of the two",
                       robot->what);
  for (int l = 1; l < tree->num_links; l++)
    if (strcmp(tree->links[l].joint_name, base_joint) == 0)
      return SUP_FAIL_AT(robot->node->place,
                         "%s has a joint named '%s', the name of the joint of a free base; rename "
                         "it in the URDF",
                         robot->what, base_joint);
  SUP_TRY(sup_read_vector(robot, "velocity", velocity));
  SUP_TRY(sup_read_vector(robot, "angular_velocity", angular));
  sup_frame X = sup_frame_from_pose(pose);
  root->joint = SUP_JOINT_FLOATING;
  snprintf(root->joint_name, sizeof root->joint_name, "%s", base_joint);
  memcpy(root->q0, pose->p, sizeof pose->p);
  memcpy(root->q0 + 3, pose->q, sizeof pose->q);
  sup_v3_store(root->v0, sup_m3_apply_t(X.R, sup_v3_load(angular)));
  sup_v3_store(root->v0 + 3, sup_m3_apply_t(X.R, sup_v3_load(velocity)));
  return SUP_OK;
}

static sup_status read_base(const sup_section *robot, sup_tree_def *tree) {
  sup_pose pose = sup_pose_identity();
  int      base = BASE_FIXED;
  SUP_TRY(sup_read_pose(robot, "pose", &pose));
  SUP_TRY(sup_read_word(robot, "base", &base));
  if (base == BASE_FREE) {
    SUP_TRY(free_base(robot, &pose, tree));
    return SUP_OK;
  }
  SUP_TRY(check_fixed_base(robot));
  tree->X_WB = pose;
  return SUP_OK;
}

/* ---- contact --------------------------------------------------------------------------------- */

/** `contact: {LINK: {...}}`; overrides the URDF. */
static sup_status read_links_contact(sup_node *contact, sup_tree_def *tree) {
  SUP_TRY(sup_node_check_mapping(contact, "contact of a robot"));
  for (sup_node *c = contact->child; c; c = c->next) {
    sup_link_def *link = NULL;
    for (int l = 0; l < tree->num_links; l++)
      if (tree->links[l].num_geometries > 0 && strcmp(tree->links[l].name, c->key) == 0)
        link = &tree->links[l];
    if (!link) return unknown_part(tree, c, SUP_PART_GEOMETRY);
    SUP_TRY(sup_read_link_contact(c, link));
  }
  return SUP_OK;
}

/** `inertials: {LINK: {...}}`; overrides the URDF. */
static sup_status read_inertials(sup_node *inertials, sup_tree_def *tree) {
  SUP_TRY(sup_node_check_mapping(inertials, "inertials of a robot"));
  for (sup_node *c = inertials->child; c; c = c->next) {
    sup_link_def *link = NULL;
    sup_section   section;
    for (int l = 0; l < tree->num_links; l++)
      if (strcmp(tree->links[l].name, c->key) == 0) link = &tree->links[l];
    if (!link) return unknown_part(tree, c, SUP_PART_LINK);
    SUP_TRY(sup_section_open(&section, c, &inertial_schema, NULL));
    SUP_TRY(sup_section_read(&section, link));
  }
  return SUP_OK;
}

/** An entry of `dynamics`; its rows are those of a joint that slides. */
static sup_status read_joint_dynamics(sup_node *node, sup_link_def *link) {
  static const sup_key turning[] = {
      SUP_NUMBER("damping", SUP_DIM_ROTATION_DAMPING, SUP_NOT_NEGATIVE,
                 SUP_AT(sup_link_def, damping), "2 N m s/rad", ""),
      SUP_NUMBER("friction", SUP_DIM_TORQUE, SUP_NOT_NEGATIVE, SUP_AT(sup_link_def, friction),
                 "0.5 N m", ""),
      SUP_NUMBER("velocity", SUP_DIM_ANGULAR_VELOCITY, SUP_POSITIVE,
                 SUP_AT(sup_link_def, velocity_limit), "1 rad/s", "")};
  static const sup_schema turning_schema = {.title = "an entry of dynamics", SUP_KEYS(turning)};
  sup_section             section;
  SUP_TRY(sup_section_open(&section, node, &dynamics_schema, NULL));
  if (link->joint != SUP_JOINT_PRISMATIC) section.schema = &turning_schema;
  return sup_section_read(&section, link);
}

/** A start above an enforced limit of velocity, which the first step brakes to it. */
static void warn_of_start(const sup_section *robot, const sup_link_def *link) {
  char            where[SUP_SOURCE_POSITION_SIZE];
  const char     *unit = link->joint == SUP_JOINT_PRISMATIC ? "m/s" : "rad/s";
  const sup_node *node = sup_section_entry(robot, "velocities");
  if (!node || !link->limits_velocity || !(fabs(link->v0[0]) > link->velocity_limit)) return;
  sup_log(
      SUP_LOG_WARNING,
      "%s: joint '%s' starts with %g %s; the first step brakes it to its enforced limit of %g %s",
      sup_source_position_text(node->place, where), link->joint_name, link->v0[0], unit,
      link->velocity_limit, unit);
}

/** `dynamics: {JOINT: {...}}` and `velocity_limits`. */
static sup_status read_dynamics(const sup_section *robot, sup_tree_def *tree) {
  sup_node *node;
  int       limits = 0;
  SUP_TRY(sup_section_mapping(robot, "dynamics", &node));
  SUP_TRY(check_joint_names(tree, node));
  SUP_TRY(sup_read_word(robot, "velocity_limits", &limits));
  for (int l = 0; l < tree->num_links; l++) {
    sup_link_def *link = &tree->links[l];
    bool          is_single = sup_joint_is_single(link->joint);
    sup_node *entry = link->joint == SUP_JOINT_FIXED ? NULL : sup_node_find(node, link->joint_name);
    if (entry && !is_single)
      return SUP_FAIL_AT(entry->key_place,
                         "joint '%s' has more than one coordinate; dynamics is of revolute, "
                         "continuous and prismatic joints",
                         link->joint_name);
    if (entry) SUP_TRY(read_joint_dynamics(entry, link));
    link->limits_velocity =
        limits && is_single && link->velocity_limit > 0 && isfinite(link->velocity_limit);
    warn_of_start(robot, link);
  }
  return SUP_OK;
}

/** A point that no law could push is worth a word. */
static void check_points(const sup_tree_def *tree) {
  for (int l = 0; l < tree->num_links; l++)
    for (int g = 0; g < tree->links[l].num_geometries; g++) {
      const sup_geometry_def *geometry = &tree->links[l].geometries[g];
      if (!sup_shape_is_point(&geometry->shape) || geometry->contact.point_stiffness > 0) continue;
      sup_log(SUP_LOG_WARNING,
              "robot '%s': link '%s' has a sphere of radius 0, a point, which touches in points "
              "only, and never touches as it is; give it and what it touches a point stiffness: "
              "contact: {%s: {point: {stiffness: 1.0e+5 N/m}}}",
              tree->name, tree->links[l].name, tree->links[l].name);
      return;
    }
}

/* ---- robots ---------------------------------------------------------------------------------- */

static sup_status read_robot(sup_scene_build *b, sup_node *node, sup_tree_def *tree) {
  char                           name[SUP_NAME_MAX], what[2 * SUP_NAME_MAX];
  sup_section                    section;
  SUP_OWN_VALUE(sup_robot_loops) loops = {0};
  SUP_FREED double              *start = NULL; /* of a keyframe */
  const sup_model_def           *model = &b->scene->model;
  const int                      first = model->num_constraints;
  SUP_TRY(sup_section_open_named(&section, node, &sup_schema_robot, "robot", name, what));
  SUP_TRY(sup_scene_check_name(b, node));
  SUP_TRY(read_description(b, &section, name, tree, &start));
  memcpy(tree->name, name, sizeof name);
  SUP_TRY(sup_robot_find_loops(&loops, model, first, tree));
  if (start) sup_robot_start_at(&loops, start, tree);
  SUP_TRY(read_joints(&section, &loops, tree));
  SUP_TRY(read_velocities(&section, tree));
  SUP_TRY(read_dynamics(&section, tree));
  SUP_TRY(read_base(&section, tree));
  sup_node *motion = sup_section_entry(&section, "motion"),
           *inertials = sup_section_entry(&section, "inertials"),
           *contact = sup_section_entry(&section, "contact");
  if (inertials) SUP_TRY(read_inertials(inertials, tree));
  if (motion) SUP_TRY(sup_node_motion(b, motion, "motion", &tree->motion));
  if (contact) SUP_TRY(read_links_contact(contact, tree));
  check_points(tree);
  return SUP_OK;
}

sup_status sup_scene_read_robots(sup_scene_build *b, sup_node *robots) {
  sup_model_def *model = &b->scene->model;
  for (sup_node *c = robots->child; c; c = c->next) {
    sup_tree_def *tree = &model->trees[model->num_trees++];
    *tree = sup_default_tree_def();
    SUP_TRY(read_robot(b, c, tree));
  }
  return SUP_OK;
}
