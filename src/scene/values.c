/* Poses, regions, motions and paths of a scene. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/table.h"
#include "scene/build.h"

sup_status sup_section_choice(const sup_section *section, int *index) {
  char   known[256] = "";
  size_t used = 0;
  *index = SUP_NONE;
  for (int i = 0; i < section->num_keys; i++) {
    if (used < sizeof known)
      used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", section->keys[i]);
    if (sup_section_find(section, section->keys[i])) *index = i;
  }
  if (section->node->num_children != 1)
    return SUP_FAIL_AT(section->node->place, "%s needs exactly one of the keys %s; found %d", section->what, known,
                       section->node->num_children);
  return SUP_OK;
}

/* ---- poses ---- */

/** Fixed axes x, y, z as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll). */
static sup_quat quat_from_rpy(const double rpy[3]) {
  sup_quat x = sup_quat_exp(sup_v3_make(rpy[0], 0, 0)), y = sup_quat_exp(sup_v3_make(0, rpy[1], 0)),
           z = sup_quat_exp(sup_v3_make(0, 0, rpy[2]));
  return sup_quat_mul(z, sup_quat_mul(y, x));
}

static sup_status read_quaternion(sup_node *node, double q[4]) {
  char what[SUP_PLACE_SIZE];
  int  i = 0;
  if (node->type != SUP_NODE_SEQUENCE || node->num_children != 4)
    return SUP_FAIL_AT(node->place, "quaternion must be a list of 4 numbers [w, x, y, z]; found %s",
                       sup_node_describe(node, what));
  for (sup_node *c = node->child; c; c = c->next)
    SUP_TRY(sup_node_number(c, "a part of quaternion", SUP_DIM_NUMBER, SUP_ANY, &q[i++]));
  double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(fabs(norm - 1) < 1e-3)) return SUP_FAIL_AT(node->place, "quaternion has the length %g; it must be 1", norm);
  for (i = 0; i < 4; i++) q[i] /= norm;
  return SUP_OK;
}

sup_status sup_node_pose(sup_node *node, const char *name, sup_pose *pose) {
  sup_section section;
  *pose = sup_pose_identity();
  SUP_TRY(SUP_SECTION_OPEN(&section, node, name, "position", "rpy", "quaternion"));
  SUP_TRY(sup_get_vector(&section, "position", SUP_DIM_LENGTH, pose->p));
  sup_node *quaternion = sup_section_find(&section, "quaternion");
  if (quaternion && sup_section_find(&section, "rpy"))
    return SUP_FAIL_AT(quaternion->key_place, "%s has both rpy and quaternion; one of them gives the rotation", name);
  if (quaternion) {
    SUP_TRY(read_quaternion(quaternion, pose->q));
    return SUP_OK;
  }
  double rpy[3] = {0, 0, 0};
  SUP_TRY(sup_get_vector(&section, "rpy", SUP_DIM_ANGLE, rpy));
  sup_quat q = quat_from_rpy(rpy);
  pose->q[0] = q.w, pose->q[1] = q.x, pose->q[2] = q.y, pose->q[3] = q.z;
  return SUP_OK;
}

sup_status sup_get_pose(const sup_section *section, const char *key, sup_pose *pose) {
  sup_node *node;
  SUP_TRY(sup_section_mapping(section, key, &node));
  SUP_TRY(sup_node_pose(node, key, pose));
  return SUP_OK;
}

/* ---- regions ---- */

static sup_status read_box_region(sup_node *node, sup_region *region) {
  sup_section section;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "box", "lower", "upper"));
  SUP_TRY(sup_need_vector(&section, "lower", SUP_DIM_LENGTH, region->lower));
  SUP_TRY(sup_need_vector(&section, "upper", SUP_DIM_LENGTH, region->upper));
  for (int i = 0; i < 3; i++)
    if (region->lower[i] > region->upper[i])
      return SUP_FAIL_AT(node->place, "the box is empty: in %c, lower is %g m and upper %g m", "xyz"[i],
                         region -> lower[i], region -> upper[i]);
  region->type = SUP_REGION_BOX;
  return SUP_OK;
}

static sup_status read_half_space_region(sup_node *node, sup_region *region) {
  sup_section section;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "half_space", "normal", "offset"));
  SUP_TRY(sup_need_vector(&section, "normal", SUP_DIM_NUMBER, region->normal));
  SUP_TRY(sup_need_number(&section, "offset", SUP_DIM_LENGTH, SUP_ANY, &region->offset));
  sup_v3 normal = sup_v3_load(region->normal);
  if (!(sup_v3_norm(normal) > 0))
    return SUP_FAIL_AT(sup_section_find(&section, "normal")->place, "the normal of a half space must not be zero");
  sup_v3_store(region->normal, sup_v3_unit(normal));
  region->type = SUP_REGION_HALF_SPACE;
  return SUP_OK;
}

/** What the mesh calls a set. */
static sup_status read_named_region(const sup_node *node, sup_region *region) {
  const char *text;
  SUP_TRY(sup_node_text(node, "named", &text));
  if (strlen(text) >= sizeof region->name)
    return SUP_FAIL_AT(node->place, "the name '%.40s...' of a set is longer than %d letters", text, SUP_NAME_MAX - 1);
  strcpy(region->name, text);
  region->type = SUP_REGION_NAMED;
  return SUP_OK;
}

sup_status sup_node_region(sup_node *node, const char *name, sup_region *region) {
  sup_section section;
  int         choice;
  *region = (sup_region){.type = SUP_REGION_BOX};
  SUP_TRY(SUP_SECTION_OPEN(&section, node, name, "box", "half_space", "named"));
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
  if (*axes == 0) return SUP_FAIL_AT(node->place, "%s is empty; it needs one of x, y, z at least", name);
  return SUP_OK;
}

/* ---- motion ---- */

/** Both tables at the times of both, in order. */
static sup_status join_tables(const sup_table *position, const sup_table *rotation, sup_table *motion) {
  int capacity = position->num_rows + rotation->num_rows, p = 0, r = 0;
  *motion = (sup_table){.width = 6};
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
  return SUP_OK;
}

/** Displacement amplitude sin(2 pi t/period + phase): a table that is exact at the times of the steps, where a motion
 * is looked at. */
static sup_status read_sine(const sup_scene_build *b, sup_node *node, sup_table *motion) {
  double      amplitude[3], period, phase = 0, dt = b->scene->model.options.dt;
  int         n = (int)fmin(round(b->scene->end_time / dt) + 2, 1e8);
  sup_section section;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, "sine", "amplitude", "period", "phase"));
  SUP_TRY(sup_need_vector(&section, "amplitude", SUP_DIM_LENGTH, amplitude));
  SUP_TRY(sup_need_number(&section, "period", SUP_DIM_TIME, SUP_POSITIVE, &period));
  SUP_TRY(sup_get_number(&section, "phase", SUP_DIM_ANGLE, SUP_ANY, &phase));
  *motion = (sup_table){.num_rows = n, .width = 6};
  SUP_TRY(SUP_CALLOC(motion->time, n));
  SUP_TRY(SUP_CALLOC(motion->value, 6 * (size_t)n));
  for (int i = 0; i < n; i++) {
    motion->time[i] = i * dt;
    double sine = sin(2 * 3.14159265358979323846 * motion->time[i] / period + phase);
    for (int k = 0; k < 3; k++) motion->value[6 * (ptrdiff_t)i + k] = amplitude[k] * sine;
  }
  return SUP_OK;
}

static sup_status read_split_motion(const sup_scene_build *b, sup_node *node, const char *name, sup_table *position,
                                    sup_table *rotation, sup_table *motion) {
  static const sup_dimension lengths[] = {SUP_DIM_LENGTH, SUP_DIM_LENGTH, SUP_DIM_LENGTH},
                             angles[] = {SUP_DIM_ANGLE, SUP_DIM_ANGLE, SUP_DIM_ANGLE};
  sup_section section;
  SUP_TRY(SUP_SECTION_OPEN(&section, node, name, "position", "rotation", "sine"));
  sup_node *positions = sup_section_find(&section, "position"), *rotations = sup_section_find(&section, "rotation");
  sup_node *sine = sup_section_find(&section, "sine");
  if (sine && (positions || rotations))
    return SUP_FAIL_AT(sine->key_place, "%s has a sine besides its tables; one of them gives the motion", name);
  if (sine) {
    SUP_TRY(read_sine(b, sine, motion));
    return SUP_OK;
  }
  if (!positions && !rotations)
    return SUP_FAIL_AT(node->place,
                       "%s needs position: [[t, x, y, z], ...] or rotation: [[t, rx, ry, rz], ...], or a sine", name);
  if (positions) SUP_TRY(sup_node_table(positions, "position", 3, lengths, position));
  if (rotations) SUP_TRY(sup_node_table(rotations, "rotation", 3, angles, rotation));
  SUP_TRY(join_tables(position, rotation, motion));
  return SUP_OK;
}

sup_status sup_node_motion(const sup_scene_build *b, sup_node *node, const char *name, sup_table *motion) {
  static const sup_dimension both[] = {SUP_DIM_LENGTH, SUP_DIM_LENGTH, SUP_DIM_LENGTH,
                                       SUP_DIM_ANGLE,  SUP_DIM_ANGLE,  SUP_DIM_ANGLE};
  if (node->type != SUP_NODE_MAPPING) {
    SUP_TRY(sup_node_table(node, name, 6, both, motion));
    return SUP_OK;
  }
  sup_table  position = {0}, rotation = {0};
  sup_status status = read_split_motion(b, node, name, &position, &rotation, motion);
  sup_table_free(&position);
  sup_table_free(&rotation);
  return status;
}

/* ---- files ---- */

sup_status sup_node_path(const sup_scene *scene, sup_node *node, const char *name, char *path, size_t size) {
  const char *text;
  char        folder[4096], full[8300];
  SUP_TRY(sup_node_text(node, name, &text));
  /* an override of the command line counts as written in the scene file */
  const char *from = node->place.line > 0 ? node->place.file : scene->input[0];
  if (sup_path_beside(path, size, from, text) != SUP_OK) return SUP_FAIL_WRAP(SUP_E_PARSE, node->place);
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
