/* The section `tasks`. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/build.h"
#include "tree/tree.h"

/* ---- keys ------------------------------------------------------------------------------------ */

static const sup_word paths[] = {{"joints", "all joints begin and end together"},
                                 {"line", "the frame moves along a line and turns evenly"}};
static const sup_word rotations[] = {{"all", "the whole rotation"},
                                     {"axis", "the direction of the frame's z axis"},
                                     {"none", "the position alone"}};

static void phase_defaults(void *target) {
  *(sup_phase_def *)target =
      (sup_phase_def){.interpolation = SUP_INTERPOLATION_MINIMUM_JERK, .retries = 1};
}
static const sup_key move_keys[] = {
    SUP_VECTOR("position", SUP_DIM_LENGTH, SUP_ANY, SUP_BY_CODE, "[40 cm, 0, 20 cm]",
               "Place of the frame's origin in the world, or past the body.",
               .absent = "one of position and offset is needed", .need = SUP_OPTIONAL),
    SUP_VECTOR("offset", SUP_DIM_LENGTH, SUP_ANY, SUP_BY_CODE, "[0, 0, 10 cm]",
               "Way from where the frame is aimed at, along the world's axes.",
               .absent = "one of position and offset is needed", .need = SUP_OPTIONAL),
    SUP_CUSTOM(
        "body", SUP_KEY_REFERENCE, "ball",
        "Body past whose place, when the phase begins, the position is: the origin, of a soft body "
        "the centre of mass.",
        .need = SUP_OPTIONAL, .absent = "the world's origin"),
    SUP_VECTOR("rpy", SUP_DIM_ANGLE, SUP_ANY, SUP_BY_CODE, "[180 deg, 0, 0]",
               "Rotation of the frame in the world: roll, pitch, yaw.", .need = SUP_OPTIONAL,
               .absent = "that at which it is aimed"),
    SUP_CUSTOM("quaternion", SUP_KEY_LIST, "[0, 1, 0, 0]",
               "Rotation as a unit quaternion [w, x, y, z], in the place of rpy.",
               .need = SUP_OPTIONAL),
    SUP_WORD("path", paths, SUP_AT(sup_phase_def, is_line), "line", "Way to the goal."),
    SUP_WORD("rotation", rotations, SUP_AT(sup_phase_def, counts), "axis",
             "Part of the rotation that counts.")};
static const sup_schema move_schema =
    SUP_SCHEMA("move", move_keys, "A goal of the task's frame, reached by inverse kinematics.",
               SUP_DEFAULTS(phase_defaults, sup_phase_def));

static const sup_key phase_keys[] = {
    SUP_SECTION("move", move_schema, SUP_BY_CODE, "{offset: [0, 0, 10 cm], path: line}",
                "Goal of the frame.", .need = SUP_OPTIONAL, .absent = "it stays"),
    SUP_CUSTOM("joints", SUP_KEY_ENTRIES, "{ROBOT/JOINT: 5 mm}",
               "Targets of joints with a drive at the end of the motion.", .need = SUP_OPTIONAL),
    SUP_CUSTOM("effort", SUP_KEY_ENTRIES, "{ROBOT/JOINT: 10 N}",
               "Largest efforts of drives from here on, at most those of their definitions.",
               .need = SUP_OPTIONAL, .absent = "as before"),
    SUP_NUMBER("duration", SUP_DIM_TIME, SUP_NOT_NEGATIVE, SUP_AT(sup_phase_def, duration), "1 s",
               "Duration of the motion."),
    SUP_CUSTOM(
        "speed", SUP_KEY_TEXT, "0.1 m/s",
        "Largest speed of the motion, in place of its duration: of the frame on a line or of "
        "sliding joints in m/s, of turning ones in rad/s.",
        .need = SUP_OPTIONAL, .absent = "that of the duration"),
    SUP_WORD("interpolation", sup_interpolation_words, SUP_AT(sup_phase_def, interpolation),
             "trapezoid", "Course of the motion over its duration."),
    SUP_SECTION("until", sup_schema_event, SUP_BY_CODE, "{when: {column: time, above: 0.1}}",
                "Guard that ends the phase: the frame stops, other drives go on to their targets.",
                .need = SUP_OPTIONAL, .absent = "the end of the motion"),
    SUP_NUMBER("timeout", SUP_DIM_TIME, SUP_POSITIVE, SUP_AT(sup_phase_def, timeout), "2 s",
               "Longest duration of a phase with a guard.", .need = SUP_OPTIONAL, .absent = "none"),
    SUP_CUSTOM("then", SUP_KEY_TEXT, "next",
               "After the guard or the end of the motion: next, stop, or the name of a phase.",
               .need = SUP_OPTIONAL, .absent = "next"),
    SUP_CUSTOM("otherwise", SUP_KEY_TEXT, "next",
               "After a timeout or a goal out of reach: stop, next, or the name of a phase.",
               .need = SUP_OPTIONAL, .absent = "stop"),
    SUP_INTEGER("retries", 0, SUP_AT(sup_phase_def, retries), "3",
                "How often the phase of `otherwise` is gone back to before the task stops.")};
static const sup_schema phase_schema =
    SUP_SCHEMA("phase", phase_keys, "A part of a task: a motion, and what ends it.",
               SUP_DEFAULTS(phase_defaults, sup_phase_def));

static const sup_key task_keys[] = {
    SUP_CUSTOM("frame", SUP_KEY_REFERENCE, "ROBOT/LINK", "Link of the frame that phases move.",
               .need = SUP_OPTIONAL, .absent = "phases move joints alone"),
    SUP_SECTION("tool", sup_schema_pose, SUP_BY_CODE, "{position: [0, 0, 10 cm]}",
                "The frame in its link."),
    SUP_CUSTOM("phases", SUP_KEY_COLLECTION,
               "{close: {joints: {ROBOT/JOINT: 5 mm}, duration: 1 s}}",
               "Phases by name, in their order.", .need = SUP_NEEDED, .schema = &phase_schema)};
const sup_schema sup_schema_task =
    SUP_SCHEMA("task", task_keys, "Motions of a robot, one after the other.");

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_empty(const sup_node *node) { return node == NULL || node->num_children == 0; }

/** Entry of a drive's joint in the phase; a new one for a joint that has none yet. */
static sup_status find_drive(const sup_scene_build *b, const sup_node *entry, const char *what,
                             sup_phase_def *phase, sup_phase_drive_def **drive,
                             const sup_link_def **link) {
  sup_node name = *entry; /* the key instead of the value */
  name.type = SUP_NODE_SCALAR, name.text = entry->key, name.place = entry->key_place;
  char joint[2 * SUP_NAME_MAX];
  SUP_TRY(sup_scene_find_joint(b, &name, what, joint, link));
  if (!sup_joint_is_single((*link)->joint))
    return SUP_FAIL_AT(entry->key_place,
                       "%s: the joint '%s' has no coordinate, or several; revolute, continuous, "
                       "prismatic ones and screws have drives",
                       what, joint);
  for (int k = 0; k < phase->num_drives; k++)
    if (strcmp(phase->drives[k].joint, joint) == 0) {
      *drive = &phase->drives[k];
      return SUP_OK;
    }
  *drive = &phase->drives[phase->num_drives++];
  memcpy((*drive)->joint, joint, sizeof joint);
  return SUP_OK;
}

static sup_status read_drives(const sup_scene_build *b, const sup_section *section,
                              const char *what, sup_phase_def *phase) {
  sup_node *joints = sup_section_entry(section, "joints"),
           *effort = sup_section_entry(section, "effort");
  int num = (joints ? joints->num_children : 0) + (effort ? effort->num_children : 0);
  SUP_TRY(SUP_CALLOC(phase->drives, num));
  sup_phase_drive_def *drive;
  const sup_link_def  *link;
  if (joints) SUP_TRY(sup_node_check_mapping(joints, "joints of a phase"));
  for (sup_node *c = joints ? joints->child : NULL; c; c = c->next) {
    SUP_TRY(find_drive(b, c, what, phase, &drive, &link));
    drive->has_target = 1;
    SUP_TRY(sup_node_number(c, c->key, sup_joint_dimension(link->joint), SUP_ANY, &drive->target));
  }
  if (effort) SUP_TRY(sup_node_check_mapping(effort, "effort of a phase"));
  for (sup_node *c = effort ? effort->child : NULL; c; c = c->next) {
    SUP_TRY(find_drive(b, c, what, phase, &drive, &link));
    bool slides = link->joint == SUP_JOINT_PRISMATIC;
    SUP_TRY(sup_node_number(c, c->key, slides ? SUP_DIM_FORCE : SUP_DIM_TORQUE, SUP_POSITIVE,
                            &drive->effort));
  }
  return SUP_OK;
}

static sup_status read_move(const sup_scene_build *b, sup_node *node, const char *what,
                            sup_phase_def *phase) {
  sup_section     section;
  const sup_mesh *soft = NULL;
  SUP_TRY(sup_section_open(&section, node, &move_schema, what));
  sup_node *position = sup_section_entry(&section, "position"),
           *offset = sup_section_entry(&section, "offset"),
           *body = sup_section_entry(&section, "body");
  bool has_rotation =
      sup_section_entry(&section, "rpy") || sup_section_entry(&section, "quaternion");
  if ((position != NULL) == (offset != NULL))
    return SUP_FAIL_AT(node->place, "%s: move has one of the keys position and offset; found %d",
                       what, position ? 2 : 0);
  if (offset && body)
    return SUP_FAIL_AT(body->key_place,
                       "%s: an offset is from the frame's place; a body goes with "
                       "a position",
                       what);
  SUP_TRY(sup_section_read(&section, phase));
  phase->moves = 1, phase->is_offset = offset != NULL, phase->has_rotation = has_rotation;
  SUP_TRY(sup_read_vector(&section, position ? "position" : "offset", phase->position));
  if (body) SUP_TRY(sup_scene_read_end(b, body, what, 0, phase->body, &soft));
  phase->rotation[0] = 1;
  return has_rotation ? sup_read_rotation(&section, what, phase->rotation) : SUP_OK;
}

/** Name of a phase to go on with; empty when absent. */
static sup_status read_next(const sup_section *section, const char *key, char name[SUP_NAME_MAX]) {
  const sup_node *node = sup_section_entry(section, key);
  const char     *text;
  if (!node) return SUP_OK;
  SUP_TRY(sup_read_text(section, key, &text));
  if (sup_text_copy(name, SUP_NAME_MAX, text) != SUP_OK)
    return SUP_FAIL_AT(node->place, "%s: %s", key, sup_error_message());
  return SUP_OK;
}

/** Speed, whose unit says of what. */
static sup_status read_speed(sup_node *node, const char *what, sup_phase_def *phase) {
  const char *text, *found;
  char        word[SUP_UNIT_WORD_SIZE];
  double      value;
  SUP_TRY(sup_node_text(node, "speed", &text));
  bool turns = sup_quantity_read(text, SUP_DIM_ANGULAR_VELOCITY, &value, word, &found) == 0;
  if (turns && sup_quantity_read(text, SUP_DIM_VELOCITY, &value, word, &found) == 0)
    return SUP_FAIL_AT(node->place, "%s: the speed %s needs its unit, m/s or rad/s", what, text);
  phase->turns = turns;
  return sup_node_number(node, "speed", turns ? SUP_DIM_ANGULAR_VELOCITY : SUP_DIM_VELOCITY,
                         SUP_POSITIVE, &phase->speed);
}

static sup_status read_phase(const sup_scene_build *b, sup_node *node, const char *task,
                             sup_phase_def *phase) {
  char        what[4 * SUP_NAME_MAX];
  sup_section section;
  phase_defaults(phase);
  SUP_TRY(sup_node_name(node, "phase", phase->name));
  snprintf(what, sizeof what, "%s, phase '%s'", task, phase->name);
  SUP_TRY(sup_section_open(&section, node, &phase_schema, what));
  phase->file = node->place.file, phase->line = node->place.line,
  phase->column = node->place.column;
  sup_node *move = sup_section_entry(&section, "move"),
           *retries = sup_section_entry(&section, "retries"),
           *jump = sup_section_entry(&section, "otherwise"),
           *speed = sup_section_entry(&section, "speed");
  SUP_TRY(sup_section_read(&section, phase));
  SUP_TRY(read_next(&section, "then", phase->then));
  SUP_TRY(read_next(&section, "otherwise", phase->otherwise));
  if (retries && !jump)
    return SUP_FAIL_AT(retries->key_place,
                       "%s: retries go with a phase to go back to, as "
                       "'otherwise: %s'",
                       what, phase->name);
  if (speed) SUP_TRY(read_speed(speed, what, phase));
  if (move) SUP_TRY(read_move(b, move, what, phase));
  SUP_TRY(read_drives(b, &section, what, phase));
  SUP_TRY(sup_scene_read_event(b, &section, "until", &phase->until));
  bool moves = move || !is_empty(sup_section_entry(&section, "joints"));
  if (moves && !(phase->duration + phase->speed > 0))
    return SUP_FAIL_AT(node->place,
                       "%s moves something and needs a duration, for instance "
                       "'duration: 1 s', or a speed",
                       what);
  return SUP_OK;
}

static sup_status read_task(const sup_scene_build *b, sup_node *node, sup_task_def *task) {
  char            what[2 * SUP_NAME_MAX];
  sup_section     section;
  sup_node       *phases;
  const sup_mesh *soft = NULL;
  *task = sup_default_task_def();
  SUP_TRY(sup_section_open_named(&section, node, &sup_schema_task, "task", task->name, what));
  task->file = node->place.file, task->line = node->place.line, task->column = node->place.column;
  sup_node *frame = sup_section_entry(&section, "frame");
  if (frame) SUP_TRY(sup_scene_read_end(b, frame, what, 0, task->link, &soft));
  if (soft)
    return SUP_FAIL_AT(frame->place, "%s: its frame is one of a link; '%s' is a soft body", what,
                       task->link);
  SUP_TRY(sup_read_pose(&section, "tool", &task->X_LF));
  SUP_TRY(sup_section_require(&section, "phases", &phases));
  SUP_TRY(sup_node_check_mapping(phases, "phases of a task"));
  SUP_TRY(SUP_CALLOC(task->phases, phases->num_children));
  for (sup_node *c = phases->child; c; c = c->next)
    SUP_TRY(read_phase(b, c, what, &task->phases[task->num_phases++]));
  return SUP_OK;
}

sup_status sup_scene_read_tasks(sup_scene_build *b, sup_node *tasks) {
  sup_model_def *model = &b->scene->model;
  SUP_TRY(SUP_CALLOC(model->tasks, tasks->num_children));
  for (sup_node *c = tasks->child; c; c = c->next)
    SUP_TRY(read_task(b, c, &model->tasks[model->num_tasks++]));
  return SUP_OK;
}
