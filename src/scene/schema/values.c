/* Poses, regions, motions and paths of a scene. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/table.h"
#include "scene/build.h"
#include "scene/numerics.h"

/* ---- poses ----------------------------------------------------------------------------------- */

static const sup_key pose_keys[] = {
    SUP_VECTOR("position", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_pose, p), "[0, 0, 10 cm]",
               "Position of the origin."),
    SUP_VECTOR(
        "rpy", SUP_DIM_ANGLE, SUP_ANY, SUP_BY_CODE, "[0, 0, 90 deg]",
        "Rotation by roll, pitch and yaw about the fixed axes x, y, z, in this order, as in URDF.",
        .absent = "[0, 0, 0]"),
    SUP_CUSTOM("quaternion", SUP_KEY_LIST, "[0.7071068, 0, 0, 0.7071068]",
               "Rotation as a unit quaternion [w, x, y, z], in the place of rpy.")};
static void      identity(void *target) { *(sup_pose *)target = sup_pose_identity(); }
const sup_schema sup_schema_pose = SUP_SCHEMA("pose", pose_keys, "Place and rotation of a frame.",
                                              SUP_DEFAULTS(identity, sup_pose));

/** Fixed axes x, y, z as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll). */
static sup_quat quat_from_rpy(const double rpy[3]) {
  sup_quat x = sup_quat_exp(sup_v3_make(rpy[0], 0, 0)), y = sup_quat_exp(sup_v3_make(0, rpy[1], 0)),
           z = sup_quat_exp(sup_v3_make(0, 0, rpy[2]));
  return sup_quat_mul(z, sup_quat_mul(y, x));
}

static sup_status read_quaternion(sup_node *node, double q[4]) {
  char what[SUP_SOURCE_POSITION_SIZE];
  int  i = 0;
  if (node->type != SUP_NODE_SEQUENCE || node->num_children != 4)
    return SUP_FAIL_AT(node->place, "quaternion must be a list of 4 numbers [w, x, y, z]; found %s",
                       sup_node_describe(node, what));
  for (sup_node *c = node->child; c; c = c->next)
    SUP_TRY(sup_node_number(c, "a part of quaternion", SUP_DIM_NUMBER, SUP_ANY, &q[i++]));
  double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(fabs(norm - 1) < 1e-3))
    return SUP_FAIL_AT(node->place, "quaternion has the length %g; it must be 1", norm);
  for (i = 0; i < 4; i++) q[i] /= norm;
  return SUP_OK;
}

/** Degrees without their sign are radians. */
static void warn_of_turns(const sup_node *node, const double rpy[3]) {
  char where[SUP_SOURCE_POSITION_SIZE];
  for (int k = 0; node && k < 3; k++) {
    if (!(fabs(rpy[k]) > sup_scene_numerics.turn)) continue;
    sup_log(SUP_LOG_WARNING,
            "%s: rpy turns by %g rad, more than once about; degrees are written with their unit: "
            "'%g deg'",
            sup_source_position_text(node->place, where), rpy[k], rpy[k]);
    return;
  }
}

sup_status sup_read_rotation(const sup_section *section, const char *name, double q[4]) {
  double    rpy[3] = {0, 0, 0};
  sup_node *quaternion = sup_section_entry(section, "quaternion");
  if (quaternion && sup_section_entry(section, "rpy"))
    return SUP_FAIL_AT(quaternion->key_place,
                       "%s has both rpy and quaternion; one of them gives the rotation", name);
  if (quaternion) return read_quaternion(quaternion, q);
  SUP_TRY(sup_read_vector(section, "rpy", rpy));
  warn_of_turns(sup_section_entry(section, "rpy"), rpy);
  sup_quat r = quat_from_rpy(rpy);
  q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
  return SUP_OK;
}

sup_status sup_node_pose(sup_node *node, const char *name, sup_pose *pose) {
  sup_section section;
  *pose = sup_pose_identity();
  SUP_TRY(sup_section_open(&section, node, &sup_schema_pose, name));
  SUP_TRY(sup_section_read(&section, pose));
  return sup_read_rotation(&section, name, pose->q);
}

sup_status sup_read_pose(const sup_section *section, const char *key, sup_pose *pose) {
  sup_node *node;
  SUP_TRY(sup_section_mapping(section, key, &node));
  SUP_TRY(sup_node_pose(node, key, pose));
  return SUP_OK;
}

/* ---- regions --------------------------------------------------------------------------------- */

static const sup_key box_keys[] = {
    SUP_VECTOR("lower", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_region, lower), "[0, 0, 0]",
               "Smallest coordinates, in the mesh's own frame.", .need = SUP_NEEDED),
    SUP_VECTOR("upper", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_region, upper), "[1 cm, 1 cm, 2 mm]",
               "Largest coordinates, in the mesh's own frame.", .need = SUP_NEEDED)};
static const sup_schema box_schema =
    SUP_SCHEMA("box", box_keys, "The vertices in a box along the axes.");
static const sup_key half_space_keys[] = {
    SUP_VECTOR("normal", SUP_DIM_NUMBER, SUP_ANY, SUP_AT(sup_region, normal), "[0, 0, 1]",
               "Outward normal of its plane; its length does not matter.", .need = SUP_NEEDED),
    SUP_NUMBER("offset", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_region, offset), "2 mm",
               "The region has normal . x <= offset, with the unit normal.", .need = SUP_NEEDED)};
static const sup_schema half_space_schema =
    SUP_SCHEMA("half_space", half_space_keys, "The vertices on one side of a plane.");

static const sup_key region_keys[] = {
    SUP_SECTION("box", box_schema, SUP_BY_CODE, "{lower: [0, 0, 0], upper: [1 cm, 1 cm, 2 mm]}",
                "The vertices in a box along the axes of the mesh."),
    SUP_SECTION("half_space", half_space_schema, SUP_BY_CODE, "{normal: [0, 0, 1], offset: 2 mm}",
                "The vertices on one side of a plane."),
    SUP_CUSTOM("named", SUP_KEY_REFERENCE, "base",
               "Named set of the mesh; a set of cells stands for its vertices (`supple mesh "
               "info` lists the sets).")};
const sup_schema sup_schema_region =
    SUP_SCHEMA("region", region_keys,
               "Vertices of a soft body, chosen in the mesh's own coordinates.", .is_choice = 1);

static sup_status read_box_region(sup_node *node, sup_region *region) {
  SUP_TRY(sup_section_load(node, &box_schema, NULL, region));
  for (int i = 0; i < 3; i++)
    if (region->lower[i] > region->upper[i])
      return SUP_FAIL_AT(node->place, "the box is empty: in %c, lower is %g m and upper %g m",
                         "xyz"[i], region -> lower[i], region -> upper[i]);
  region->type = SUP_REGION_BOX;
  return SUP_OK;
}

static sup_status read_half_space_region(sup_node *node, sup_region *region) {
  SUP_TRY(sup_section_load(node, &half_space_schema, NULL, region));
  sup_v3 normal = sup_v3_load(region->normal);
  if (!(sup_v3_norm(normal) > 0))
    return SUP_FAIL_AT(sup_node_find(node, "normal")->place,
                       "the normal of a half space must not be zero");
  sup_v3_store(region->normal, sup_v3_unit(normal));
  region->type = SUP_REGION_HALF_SPACE;
  return SUP_OK;
}

/** Read {named: SET}, a set of vertices by its name in the mesh. */
static sup_status read_named_region(const sup_node *node, sup_region *region) {
  const char *text;
  SUP_TRY(sup_node_text(node, "named", &text));
  if (strlen(text) >= sizeof region->name)
    return SUP_FAIL_AT(node->place, "the name '%.40s...' of a set is longer than %d letters", text,
                       SUP_NAME_MAX - 1);
  strcpy(region->name, text);
  region->type = SUP_REGION_NAMED;
  return SUP_OK;
}

sup_status sup_node_region(sup_node *node, const char *name, sup_region *region) {
  sup_section section;
  int         choice;
  *region = (sup_region){.type = SUP_REGION_BOX};
  SUP_TRY(sup_section_open(&section, node, &sup_schema_region, name));
  SUP_TRY(sup_section_choice(&section, &choice));
  if (choice == 0)
    SUP_TRY(read_box_region(node->child, region));
  else if (choice == 1)
    SUP_TRY(read_half_space_region(node->child, region));
  else
    SUP_TRY(read_named_region(node->child, region));
  return SUP_OK;
}

sup_status sup_node_axes(const sup_node *node, const char *name, int *axes) {
  static const char *const words[] = {"x", "y", "z"};
  *axes = 0;
  SUP_TRY(sup_node_check_list(node, name));
  for (const sup_node *c = node->child; c; c = c->next) {
    int axis;
    SUP_TRY(sup_node_word(c, "axis", words, 3, &axis));
    *axes |= 1 << axis;
  }
  if (*axes == 0)
    return SUP_FAIL_AT(node->place, "%s is empty; it needs one of x, y, z at least", name);
  return SUP_OK;
}

/* ---- motion ---------------------------------------------------------------------------------- */

typedef struct sine_values {
  double amplitude[3], cosine[3], period, phase; /* [m], [m], [s], [rad] */
} sine_values;
static const sup_key sine_keys[] = {
    SUP_VECTOR("amplitude", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sine_values, amplitude), "[0, 0, 5 mm]",
               "Displacement amplitude sin(2 pi t/period + phase) along the world's axes.",
               .need = SUP_NEEDED),
    SUP_VECTOR("cosine", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sine_values, cosine), "[5 mm, 0, 0]",
               "Amplitude a quarter of a period ahead, which makes a circle or an ellipse: plus "
               "cosine cos(2 pi t/period + phase)."),
    SUP_NUMBER("period", SUP_DIM_TIME, SUP_POSITIVE, SUP_AT(sine_values, period), "0.5 s",
               "Period.", .need = SUP_NEEDED),
    SUP_NUMBER("phase", SUP_DIM_ANGLE, SUP_ANY, SUP_AT(sine_values, phase), "90 deg",
               "Phase at the time 0.")};
static void no_sine(void *target) { *(sine_values *)target = (sine_values){.phase = 0}; }
static const sup_schema sine_schema = SUP_SCHEMA("sine", sine_keys, "A displacement that swings.",
                                                 SUP_DEFAULTS(no_sine, sine_values));

static const sup_key motion_keys[] = {
    SUP_CUSTOM("position", SUP_KEY_TABLE, "[[0 s, 0, 0, 0], [1 s, 0, 0, 10 cm]]",
               "Displacement: rows [t, x, y, z].", .dimension = SUP_DIM_LENGTH),
    SUP_CUSTOM("rotation", SUP_KEY_TABLE, "[[0 s, 0, 0, 0], [1 s, 0, 0, 90 deg]]",
               "Rotation vector in world axes: rows [t, rx, ry, rz].", .dimension = SUP_DIM_ANGLE),
    SUP_CUSTOM("rows", SUP_KEY_TABLE, "[[0 s, 0, 0, 0, 0, 0, 0], [1 s, 0, 0, 10 cm, 0, 0, 0]]",
               "Both: rows [t, x, y, z, rx, ry, rz].", .need = SUP_OPTIONAL),
    SUP_CUSTOM("file", SUP_KEY_FILE, "motion.csv", "Both: rows of a CSV file.",
               .need = SUP_OPTIONAL),
    SUP_CUSTOM("columns", SUP_KEY_LIST, "[time, x, y, z, rx, ry, rz]",
               "Columns of the file by heading or by number from 1.", .need = SUP_OPTIONAL,
               .absent = "the first ones"),
    SUP_WORD("interpolation", sup_interpolation_words, SUP_BY_CODE, "minimum_jerk",
             "Way from row to row.", .need = SUP_OPTIONAL, .absent = "linear"),
    SUP_SECTION("sine", sine_schema, SUP_BY_CODE, "{amplitude: [0, 0, 5 mm], period: 0.5 s}",
                "A sinusoidal displacement, in place of tables.", .need = SUP_OPTIONAL)};
const sup_schema sup_schema_motion =
    SUP_SCHEMA("motion", motion_keys,
               "A motion over time, in world axes; also as rows [t, x, y, z, rx, ry, rz].");

/** Merge both tables into one motion at the times of both; between rows of a smooth one no row may
 * be put. */
static sup_status join_tables(const sup_node *node, const sup_table *position,
                              const sup_table *rotation, sup_table *motion) {
  int              capacity = position->num_rows + rotation->num_rows, p = 0, r = 0;
  const sup_table *first = position->num_rows > 0 ? position : rotation;
  *motion = (sup_table){.width = 6, .interpolation = first->interpolation};
  SUP_TRY(SUP_CALLOC(motion->time, capacity));
  SUP_TRY(SUP_CALLOC(motion->value, 6 * capacity));
  while (p < position->num_rows || r < rotation->num_rows) {
    double tp = p < position->num_rows ? position->time[p] : HUGE_VAL;
    double tr = r < rotation->num_rows ? rotation->time[r] : HUGE_VAL;
    double t = fmin(tp, tr), *row = motion->value + (ptrdiff_t)6 * motion->num_rows;
    motion->time[motion->num_rows++] = t;
    sup_table_at(position, t, row);
    sup_table_at(rotation, t, row + 3);
    p += tp <= t, r += tr <= t;
  }
  bool is_split = position->num_rows > 0 && rotation->num_rows > 0 &&
                  position->num_rows + rotation->num_rows != 2 * motion->num_rows;
  if (is_split && position->interpolation + rotation->interpolation != SUP_INTERPOLATION_LINEAR)
    return SUP_FAIL_AT(node->place,
                       "position and rotation are at rest at rows of the other; without linear "
                       "interpolation both need the same times");
  if (position->num_rows > 0 && rotation->num_rows > 0 &&
      position->interpolation != rotation->interpolation)
    return SUP_FAIL_AT(node->place, "position has the interpolation %s and rotation %s; give one",
                       sup_interpolation_words[position->interpolation].name,
                       sup_interpolation_words[rotation->interpolation].name);
  return SUP_OK;
}

/** Displacement amplitude sin(2 pi t/period + phase) + cosine cos(..), exact at any time. */
static sup_status read_sine(sup_node *node, sup_table *motion) {
  static const double place[] = {0, 0.2, 0.45, 0.7, 1}; /* of the period: those to compare at */
  enum { ROWS = sizeof place / sizeof *place };
  sine_values sine;
  no_sine(&sine);
  SUP_TRY(sup_section_load(node, &sine_schema, NULL, &sine));
  *motion = (sup_table){.num_rows = ROWS, .width = 6, .period = sine.period, .phase = sine.phase};
  SUP_TRY(SUP_CALLOC(motion->time, ROWS));
  SUP_TRY(SUP_CALLOC(motion->value, 6 * ROWS));
  for (int i = 0; i < ROWS; i++) motion->time[i] = place[i] * sine.period;
  for (int k = 0; k < 3; k++)
    motion->value[k] = sine.amplitude[k], motion->value[6 + k] = sine.cosine[k];
  return SUP_OK;
}

/** Interpolation of both tables, where the motion has one. */
static sup_status read_way(const sup_section *motion, sup_table *position, sup_table *rotation) {
  int way;
  if (!sup_section_entry(motion, "interpolation")) return SUP_OK;
  SUP_TRY(sup_read_word(motion, "interpolation", &way));
  position->interpolation = rotation->interpolation = (sup_interpolation)way;
  return SUP_OK;
}

static sup_status read_split_motion(const sup_scene_build *b, sup_node *node, const char *name,
                                    sup_table *position, sup_table *rotation, sup_table *motion) {
  static const sup_dimension lengths[] = {SUP_DIM_LENGTH, SUP_DIM_LENGTH, SUP_DIM_LENGTH},
                             angles[] = {SUP_DIM_ANGLE, SUP_DIM_ANGLE, SUP_DIM_ANGLE};
  sup_section section;
  SUP_TRY(sup_section_open(&section, node, &sup_schema_motion, name));
  sup_node *positions = sup_section_entry(&section, "position"),
           *rotations = sup_section_entry(&section, "rotation");
  sup_node *sine = sup_section_entry(&section, "sine");
  if (sine && (positions || rotations || sup_section_entry(&section, "interpolation")))
    return SUP_FAIL_AT(sine->key_place,
                       "%s has a sine besides its tables; one of them gives the motion", name);
  if (sine) {
    SUP_TRY(read_sine(sine, motion));
    return SUP_OK;
  }
  if (!positions && !rotations)
    return SUP_FAIL_AT(
        node->place,
        "%s needs position: [[t, x, y, z], ...] or rotation: [[t, rx, ry, rz], ...], or a sine",
        name);
  if (positions) SUP_TRY(sup_node_table(b, positions, "position", 3, lengths, position));
  if (rotations) SUP_TRY(sup_node_table(b, rotations, "rotation", 3, angles, rotation));
  SUP_TRY(read_way(&section, position, rotation));
  SUP_TRY(join_tables(node, position, rotation, motion));
  return SUP_OK;
}

sup_status sup_node_motion(const sup_scene_build *b, sup_node *node, const char *name,
                           sup_table *motion) {
  static const sup_dimension both[] = {SUP_DIM_LENGTH, SUP_DIM_LENGTH, SUP_DIM_LENGTH,
                                       SUP_DIM_ANGLE,  SUP_DIM_ANGLE,  SUP_DIM_ANGLE};
  if (node->type != SUP_NODE_MAPPING || sup_node_find(node, "rows") ||
      sup_node_find(node, "file")) {
    SUP_TRY(sup_node_table(b, node, name, 6, both, motion));
    return SUP_OK;
  }
  sup_table  position = {0}, rotation = {0};
  sup_status status = read_split_motion(b, node, name, &position, &rotation, motion);
  sup_table_free(&position);
  sup_table_free(&rotation);
  return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

sup_status sup_node_path(const sup_scene *scene, sup_node *node, const char *name, char *path,
                         size_t size) {
  const char *text;
  char        folder[4096], full[8300];
  SUP_TRY(sup_node_text(node, name, &text));
  /* an override of the command line counts as written in the scene file */
  const char *from = node->place.line > 0 ? node->place.file : scene->input[0];
  if (sup_path_relative_to(path, size, from, text) != SUP_OK)
    return SUP_FAIL_WRAP(SUP_E_PARSE, node->place);
  if (path[0] == '/')
    snprintf(full, sizeof full, "%s", path);
  else if (getcwd(folder, sizeof folder))
    snprintf(full, sizeof full, "%s/%s", folder, path);
  else
    return SUP_FAIL_AT(node->place, "the path of the working folder is too long");
  SUP_TRY(sup_node_set_text(node, full));
  return SUP_OK;
}

sup_status sup_scene_add_input(sup_scene *scene, const char **path) {
  size_t capacity = (size_t)scene->num_inputs;
  for (int i = 0; i < scene->num_inputs; i++)
    if (strcmp(scene->input[i], *path) == 0) {
      *path = scene->input[i];
      return SUP_OK;
    }
  SUP_TRY(SUP_GROW(scene->input, capacity, scene->num_inputs + 1));
  SUP_TRY(SUP_CALLOC(scene->input[scene->num_inputs], strlen(*path) + 1));
  strcpy(scene->input[scene->num_inputs], *path);
  *path = scene->input[scene->num_inputs++];
  return SUP_OK;
}
