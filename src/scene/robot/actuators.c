/* The section `actuators`: drives of joints, one by one or all of a robot at once. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/table.h"
#include "base/text.h"
#include "scene/build.h"
#include "tree/joint.h"

#define WORD(NAME, name, meaning) {#name, meaning},
static const sup_word feedforwards[] = {SUP_FEEDFORWARD_LIST(WORD)};
#undef WORD

static const sup_key actuator_keys[] = {
    SUP_CUSTOM("joint", SUP_KEY_REFERENCE, "ROBOT/JOINT",
               "The joint that is driven: revolute, continuous or prismatic.", .need = SUP_NEEDED),
    SUP_CUSTOM("joints", SUP_KEY_LIST, "[ROBOT/JOINT]",
               "Several joints instead, each with a drive NAME_JOINT and a column of the targets.",
               .absent = "one joint"),
    SUP_CUSTOM(
        "robot", SUP_KEY_REFERENCE, "ROBOT",
        "All joints of a robot that move by themselves and have no other drive, in its order.",
        .absent = "one joint"),
    SUP_NUMBER("kp", SUP_DIM_STIFFNESS, SUP_NOT_NEGATIVE, SUP_AT(sup_actuator_def, kp),
               "1.0e+4 N/m",
               "Gain on the position: u = kp (target - q) + kd (target' - v); N m/rad where the "
               "joint turns.",
               .absent = "0; one of kp and kd is above 0"),
    SUP_NUMBER("kd", SUP_DIM_DAMPING, SUP_NOT_NEGATIVE, SUP_AT(sup_actuator_def, kd), "50 N s/m",
               "Gain on the velocity; N m s/rad where the joint turns.", .absent = "0"),
    SUP_NUMBER("effort", SUP_DIM_FORCE, SUP_POSITIVE, SUP_AT(sup_actuator_def, effort), "15 N",
               "Largest force of the drive, either way; a torque where the joint turns.",
               .need = SUP_OPTIONAL, .absent = "the limit of the joint in the URDF"),
    SUP_CUSTOM("targets", SUP_KEY_TABLE, "[[0 s, 0], [1 s, 0.1]]",
               "Positions of the joint over time; rows [t, q1, q2, ..] of several joints.",
               .need = SUP_NEEDED, .dimension = SUP_DIM_LENGTH),
    SUP_WORD("feedforward", feedforwards, SUP_BY_CODE, "gravity",
             "Effort of the robot's dynamics besides that of the gains.", .absent = "none")};
const sup_schema sup_schema_actuator =
    SUP_SCHEMA("actuator", actuator_keys, "A PD drive with a limit on its effort.");

/* ---- one drive ------------------------------------------------------------------------------- */

/** The rows of kp, kd and effort are those of a joint that slides; of one that turns they are about
 * the angle. */
static sup_status read_gains(const sup_section *section, sup_joint_type joint,
                             sup_actuator_def *a) {
  static const sup_key turning[] = {
      SUP_NUMBER("kp", SUP_DIM_ROTATION_STIFFNESS, SUP_NOT_NEGATIVE, SUP_AT(sup_actuator_def, kp),
                 "100 N m/rad", ""),
      SUP_NUMBER("kd", SUP_DIM_ROTATION_DAMPING, SUP_NOT_NEGATIVE, SUP_AT(sup_actuator_def, kd),
                 "1 N m s/rad", ""),
      SUP_NUMBER("effort", SUP_DIM_TORQUE, SUP_POSITIVE, SUP_AT(sup_actuator_def, effort), "2 N m",
                 "", .need = SUP_OPTIONAL)};
  static const sup_schema turning_schema = {.title = "actuator", SUP_KEYS(turning)};
  const sup_section       gains = {section->node, section->what,
                             joint == SUP_JOINT_PRISMATIC ? section->schema : &turning_schema, 0};
  SUP_TRY(sup_section_read(&gains, a));
  if (!(a->kp + a->kd > 0))
    return SUP_FAIL_AT(section->node->place,
                       "%s needs a kp or kd above zero, for instance 'kp: %s'", section->what,
                       sup_schema_key(gains.schema, "kp")->example);
  return SUP_OK;
}

/** Row of a table in the file; of a CSV file its name. */
static sup_source_position place_of_row(const sup_node *table, int k) {
  const sup_node *rows = table->type == SUP_NODE_MAPPING ? sup_node_find(table, "rows") : table;
  const sup_node *row = rows ? sup_node_at(rows, k) : NULL;
  return row ? row->place : table->place;
}

enum { PIECES = 16 }; /* of a way from row to row that are looked at */

/** Targets out of the joint's limits, as 60 for 60 deg: rows before ways between them. */
static void warn_of_limits(const sup_node *targets, const char *what, const sup_link_def *link,
                           const sup_table *target) {
  char        where[SUP_SOURCE_POSITION_SIZE], hint[64] = "";
  const char *unit = link->joint == SUP_JOINT_PRISMATIC ? "m" : "rad";
  double      slack = 1e-6 * fmax(fabs(link->lower), fabs(link->upper)), q;
  int         last = PIECES * (target->num_rows - 1);
  for (int i = 0, step = PIECES; isfinite(slack) && i <= last; i += step) {
    int    k = i / PIECES;
    double t = target->time[k];
    if (i % PIECES > 0) t += (target->time[k + 1] - t) * (i % PIECES) / PIECES;
    sup_table_at(target, t, &q);
    if (q < link->lower - slack || q > link->upper + slack) {
      if (unit[0] == 'r' && step > 1)
        snprintf(hint, sizeof hint, "; degrees are written '%g deg'", q);
      sup_log(SUP_LOG_WARNING,
              "%s: %s: the target %g %s at %g s is outside the joint's limits, %g to %g %s%s",
              sup_source_position_text(place_of_row(targets, k), where), what, q, unit, t,
              link->lower, link->upper, unit, hint);
      return;
    }
    if (i == last && step > 1) i = 0, step = 1;
  }
}

/** Targets that move faster than the joint. */
static void warn_of_speed(const sup_node *targets, const char *what, const sup_link_def *link,
                          const sup_table *target) {
  char        where[SUP_SOURCE_POSITION_SIZE];
  const char *unit = link->joint == SUP_JOINT_PRISMATIC ? "m" : "rad";
  double      when = 0, fastest = sup_table_fastest(target, &when);
  int         row = 0;
  while (row < target->num_rows - 1 && target->time[row] <= when) row++;
  if (!(link->velocity_limit > 0) || fastest <= link->velocity_limit * (1 + 1e-6)) return;
  sup_log(SUP_LOG_WARNING,
          "%s: %s: the targets move at %g %s/s at %g s, faster than the joint's limit of %g %s/s; "
          "%g times the duration fits",
          sup_source_position_text(place_of_row(targets, row), where), what, fastest, unit, when,
          link->velocity_limit, unit, fastest / link->velocity_limit);
}

/** Sums of the gains and efforts of drives that the robot's file has on this joint, as defaults. */
static void take_from_file(const sup_model_def *model, sup_actuator_def *a) {
  double effort = 0;
  for (const sup_actuator_def *other = model->actuators; other < a; other++)
    if (strcmp(other->joint, a->joint) == 0)
      a->kp += other->kp, a->kd += other->kd, effort += other->effort;
  if (effort > 0) a->effort = effort;
}

static sup_status read_actuator(sup_scene_build *b, sup_node *node, sup_actuator_def *a) {
  char                what[2 * SUP_NAME_MAX], where[SUP_SOURCE_POSITION_SIZE];
  sup_section         section;
  sup_node           *joint_node, *targets;
  const sup_link_def *link;
  int                 feedforward = 0;
  *a = sup_default_actuator_def();
  SUP_TRY(sup_section_open_named(&section, node, &sup_schema_actuator, "actuator", a->name, what));
  SUP_TRY(sup_section_require(&section, "joint", &joint_node));
  SUP_TRY(sup_scene_find_joint(b, joint_node, what, a->joint, &link));
  if (!sup_joint_is_single(link->joint))
    return SUP_FAIL_AT(
        joint_node->place,
        "%s: the joint '%s' is %s; revolute, continuous and prismatic ones can be driven", what,
        a->joint,
        link->joint == SUP_JOINT_FIXED  ? "fixed"
        : link->joint == SUP_JOINT_BALL ? "a ball"
                                        : "floating");
  for (const sup_node *c = node->parent->child; c != node; c = c->next) {
    const sup_node *other = sup_node_find(c, "joint");
    if (strcmp(other->text, a->joint) == 0)
      return SUP_FAIL_AT(joint_node->place, "the joint '%s' already has the actuator '%s' at %s",
                         a->joint, c->key, sup_source_position_text(c->key_place, where));
  }
  take_from_file(&b->scene->model, a);
  SUP_TRY(read_gains(&section, link->joint, a));
  SUP_TRY(sup_read_word(&section, "feedforward", &feedforward));
  a->feedforward = (sup_feedforward)feedforward;
  SUP_TRY(sup_section_require(&section, "targets", &targets));
  sup_dimension position = sup_joint_dimension(link->joint);
  SUP_TRY(sup_node_table(b, targets, "targets", 1, &position, &a->target));
  warn_of_limits(targets, what, link, &a->target);
  warn_of_speed(targets, what, link, &a->target);
  return SUP_OK;
}

/* ---- drives of several joints ---------------------------------------------------------------- */

/** 1: an entry drives the joint. */
static bool is_driven(const sup_node *actuators, const char *joint) {
  for (const sup_node *c = actuators->child; c; c = c->next) {
    const sup_node *one = sup_node_find(c, "joint"), *several = sup_node_find(c, "joints");
    if (one && one->text && strcmp(one->text, joint) == 0) return 1;
    for (const sup_node *j = several ? several->child : NULL; j; j = j->next)
      if (j->text && strcmp(j->text, joint) == 0) return 1;
  }
  return 0;
}

/** Append a list of scalars with this text. */
static sup_status add_text(sup_node *list, const char *text) {
  sup_node *node = NULL;
  SUP_TRY(sup_node_create_scalar(&node, text, list->place));
  sup_node_append(list, &node);
  return SUP_OK;
}

/** Full names of a robot's joints that move by themselves and have no drive yet. */
static sup_status joints_of_robot(const sup_scene_build *b, const sup_node *actuators,
                                  const sup_node *robot, sup_node *list) {
  const sup_tree_def *tree = NULL;
  const char         *names[SUP_SCHEMA_MAX_KEYS], *text;
  char                joint[2 * SUP_NAME_MAX + 1], known[512];
  int                 count = 0;
  SUP_TRY(sup_node_text(robot, "robot", &text));
  for (int t = 0; t < b->scene->model.num_trees; t++) {
    const sup_tree_def *other = &b->scene->model.trees[t];
    if (other->is_rigid_body) continue;
    if (count < SUP_SCHEMA_MAX_KEYS) names[count++] = other->name;
    if (strcmp(other->name, text) == 0) tree = other;
  }
  if (!tree)
    return SUP_FAIL_AT(robot->place, "there is no robot '%.60s'%s", text,
                       sup_known_text(text, names, count, known, sizeof known));
  for (int l = 0; l < tree->num_links; l++) {
    const sup_link_def *link = &tree->links[l];
    snprintf(joint, sizeof joint, "%s/%s", tree->name, link->joint_name);
    if (!sup_joint_is_single(link->joint) || link->mimic != SUP_NONE || is_driven(actuators, joint))
      continue;
    SUP_TRY(add_text(list, joint));
  }
  return SUP_OK;
}

static sup_status wrong_length(const sup_node *list, const char *what, int expected) {
  return SUP_FAIL_AT(list->place, "%s has %d entries; this drive of several joints needs %d", what,
                     list->num_children, expected);
}

/** Rows [t, q_k] of rows [t, q1, q2, ..]. */
static sup_status column_of_rows(const sup_node *rows, int k, int num, sup_node *out) {
  for (const sup_node *row = rows->child; row; row = row->next) {
    SUP_OWN(sup_node) *one = NULL, *copy = NULL;
    if (row->type != SUP_NODE_SEQUENCE || row->num_children != num + 1)
      return wrong_length(row, "a row of targets, the time first,", num + 1);
    SUP_TRY(sup_node_create(&one, SUP_NODE_SEQUENCE, row->place));
    sup_node *at = one;
    sup_node_append(out, &one);
    for (int i = 0; i < 2; i++) {
      SUP_TRY(sup_node_copy(&copy, sup_node_at(row, i * (1 + k))));
      sup_node_append(at, &copy);
    }
  }
  return SUP_OK;
}

/** Columns of a CSV file: the time and that of the joint. */
static sup_status columns_of_file(const sup_node *given, int k, int num, sup_node *targets) {
  SUP_OWN(sup_node) *columns = NULL;
  char               number[16];
  SUP_TRY(sup_node_create(&columns, SUP_NODE_SEQUENCE, targets->place));
  sup_node *at = columns;
  SUP_TRY(sup_node_set_key(columns, "columns", targets->place));
  sup_node_append(targets, &columns);
  if (given && given->num_children != num + 1)
    return wrong_length(given, "columns, the time first,", num + 1);
  for (int i = 0; i < 2; i++) {
    const sup_node *of = given ? sup_node_at(given, i * (1 + k)) : NULL;
    snprintf(number, sizeof number, "%d", 1 + i * (1 + k));
    SUP_TRY(add_text(at, of && of->text ? of->text : number));
  }
  return SUP_OK;
}

/** Targets of joint k of `num`. */
static sup_status part_of_targets(const sup_node *from, int k, int num, sup_node **out) {
  if (from->type == SUP_NODE_SEQUENCE) {
    SUP_TRY(sup_node_create(out, SUP_NODE_SEQUENCE, from->place));
    return column_of_rows(from, k, num, *out);
  }
  SUP_TRY(sup_node_create(out, SUP_NODE_MAPPING, from->place));
  for (const sup_node *c = from->child; c; c = c->next) {
    SUP_OWN(sup_node) *part = NULL;
    bool               is_rows = strcmp(c->key, "rows") == 0 && c->type == SUP_NODE_SEQUENCE;
    if (strcmp(c->key, "columns") == 0) continue;
    SUP_TRY(is_rows ? sup_node_create(&part, SUP_NODE_SEQUENCE, c->place)
                    : sup_node_copy(&part, c));
    sup_node *at = part;
    SUP_TRY(sup_node_set_key(part, c->key, c->key_place));
    sup_node_append(*out, &part);
    if (is_rows) SUP_TRY(column_of_rows(c, k, num, at));
  }
  return sup_node_find(*out, "file") ? columns_of_file(sup_node_find(from, "columns"), k, num, *out)
                                     : SUP_OK;
}

/** Value of a key for joint k of `num`: an entry of a list, or the one for all. */
static sup_status part_of(const sup_node *from, int k, int num, sup_node **out) {
  bool is_table = strcmp(from->key, "targets") == 0;
  if (is_table && from->type != SUP_NODE_SCALAR) return part_of_targets(from, k, num, out);
  if (from->type != SUP_NODE_SEQUENCE) return sup_node_copy(out, from);
  if (from->num_children != num) return wrong_length(from, from->key, num);
  return sup_node_copy(out, sup_node_at(from, k));
}

/** Entry of joint k of a group, as if the scene had it. */
static sup_status add_drive(sup_node *actuators, const sup_node *group, const sup_node *joints,
                            int k) {
  const char        *text, *slash;
  char               name[3 * SUP_NAME_MAX];
  SUP_OWN(sup_node) *entry = NULL, *part = NULL;
  SUP_TRY(sup_node_text(sup_node_at(joints, k), "joints", &text));
  slash = strchr(text, '/');
  snprintf(name, sizeof name, "%s_%s", group->key, slash ? slash + 1 : text);
  SUP_TRY(sup_node_create(&entry, SUP_NODE_MAPPING, group->place));
  sup_node *at = entry;
  SUP_TRY(sup_node_set_key(entry, name, group->key_place));
  sup_node_append(actuators, &entry);
  SUP_TRY(sup_node_create_scalar(&part, text, sup_node_at(joints, k)->place));
  SUP_TRY(sup_node_set_key(part, "joint", group->key_place));
  sup_node_append(at, &part);
  for (const sup_node *c = group->child; c; c = c->next) {
    if (strcmp(c->key, "joints") == 0 || strcmp(c->key, "robot") == 0) continue;
    SUP_OWN(sup_node) *value = NULL;
    SUP_TRY(part_of(c, k, joints->num_children, &value));
    SUP_TRY(sup_node_set_key(value, c->key, c->key_place));
    sup_node_append(at, &value);
  }
  return SUP_OK;
}

static sup_status spread(const sup_scene_build *b, sup_node *actuators, sup_node *group) {
  sup_node *robot = sup_node_find(group, "robot"), *joints = sup_node_find(group, "joints");
  SUP_OWN(sup_node) *all = NULL;
  if ((robot != NULL) + (joints != NULL) + (sup_node_find(group, "joint") != NULL) != 1)
    return SUP_FAIL_AT(group->place, "actuator '%s' has one of the keys joint, joints and robot",
                       group->key);
  if (joints) {
    SUP_TRY(sup_node_check_list(joints, "joints"));
  } else {
    SUP_TRY(sup_node_create(&all, SUP_NODE_SEQUENCE, robot->place));
    SUP_TRY(joints_of_robot(b, actuators, robot, all));
    joints = all;
  }
  if (joints->num_children == 0)
    return SUP_FAIL_AT(group->place, "actuator '%s' finds no joint to drive", group->key);
  for (int k = 0; k < joints->num_children; k++) SUP_TRY(add_drive(actuators, group, joints, k));
  return SUP_OK;
}

/** Put an entry for each joint in the place of those that drive several. */
static sup_status spread_all(const sup_scene_build *b, sup_node *actuators) {
  for (int left = actuators->num_children; left > 0; left--) {
    SUP_OWN(sup_node) *entry = actuators->child;
    sup_node_detach(entry);
    if (entry->type == SUP_NODE_MAPPING &&
        (sup_node_find(entry, "joints") || sup_node_find(entry, "robot")))
      SUP_TRY(spread(b, actuators, entry));
    else
      sup_node_append(actuators, &entry);
  }
  return SUP_OK;
}

/** Drives of files give way to entries with the same joint. */
static void drop_replaced(sup_model_def *model, int of_files) {
  int kept = 0;
  for (int i = 0; i < model->num_actuators; i++) {
    bool is_replaced = false;
    for (int k = of_files; k < model->num_actuators && i < of_files; k++)
      is_replaced |= strcmp(model->actuators[i].joint, model->actuators[k].joint) == 0;
    if (is_replaced)
      sup_table_free(&model->actuators[i].target);
    else
      model->actuators[kept++] = model->actuators[i];
  }
  model->num_actuators = kept;
}

sup_status sup_scene_read_actuators(sup_scene_build *b, sup_node *actuators) {
  sup_model_def *model = &b->scene->model;
  int            of_files = model->num_actuators;
  size_t         capacity = (size_t)of_files;
  SUP_TRY(spread_all(b, actuators));
  SUP_TRY(SUP_GROW(model->actuators, capacity, of_files + actuators->num_children));
  for (sup_node *c = actuators->child; c; c = c->next) {
    sup_actuator_def *a = &model->actuators[model->num_actuators++];
    SUP_TRY(read_actuator(b, c, a));
  }
  drop_replaced(model, of_files);
  return SUP_OK;
}
