/* The section `cables`. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/build.h"
#include "tree/tree.h"

static const sup_key winch_keys[] = {
    SUP_CUSTOM("joint", SUP_KEY_REFERENCE, "ROBOT/JOINT",
               "The joint that winds the cable up: revolute, continuous or prismatic.",
               .need = SUP_NEEDED),
    SUP_NUMBER("radius", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_cable_def, radius), "1 cm",
               "Radius of the drum on a joint that turns: the cable is shorter by radius times the "
               "angle since time 0; negative: longer.",
               .absent = "needed where the joint turns; a sliding one winds up its way")};
static const sup_schema winch_schema =
    SUP_SCHEMA("winch", winch_keys, "A drum that winds a cable up.");

/** Wheel of a point of a path. */
typedef struct sheave_values {
  int    point;
  double radius, axis[3];
} sheave_values;

static const sup_key sheave_keys[] = {
    SUP_INTEGER("point", 2, SUP_AT(sheave_values, point), "2",
                "Its place in the path, where 1 is the first point: a point of a link or the "
                "world is its centre.",
                .need = SUP_NEEDED),
    SUP_NUMBER("radius", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sheave_values, radius), "3 cm",
               "Radius on which the cable lies.", .need = SUP_NEEDED),
    SUP_VECTOR("axis", SUP_DIM_NUMBER, SUP_ANY, SUP_AT(sheave_values, axis), "[0, 1, 0]",
               "Its axis in the frame of its body; the cable turns about it by the right hand.",
               .need = SUP_NEEDED)};
static const sup_schema sheave_schema =
    SUP_SCHEMA("sheave", sheave_keys, "A wheel on which a cable lies with an arc, or lifts off.");

static void          defaults(void *target) { *(sup_cable_def *)target = sup_default_cable_def(); }
static const sup_key cable_keys[] = {
    SUP_CUSTOM("path", SUP_KEY_LIST, "[{world: [0, 0, 1 m]}, {ball: [0, 0, 0]}]",
               "Points that the cable passes: {BODY: [x, y, z]} in the body's frame or mesh, or "
               "{BODY: REGION}, the mean of its vertices.",
               .need = SUP_NEEDED),
    SUP_CUSTOM("sheaves", SUP_KEY_SECTIONS, "[{point: 2, radius: 3 cm, axis: [0, 1, 0]}]",
               "Wheels at points between the first and the last.", .schema = &sheave_schema,
               .need = SUP_OPTIONAL, .absent = "all points are eyelets"),
    SUP_CUSTOM("tension", SUP_KEY_TABLE, "[[0 s, 0], [1 s, 10 N]]",
               "Given tension: a constant, or rows [t, T].", .dimension = SUP_DIM_FORCE,
               .absent = "one of tension, length, added_length and winch is needed"),
    SUP_CUSTOM("length", SUP_KEY_TABLE, "[[0 s, 1 m], [1 s, 90 cm]]",
               "Given unstretched length, slack where the path is shorter: a constant, or rows [t, "
               "L].",
               .dimension = SUP_DIM_LENGTH),
    SUP_CUSTOM("added_length", SUP_KEY_TABLE, "[[0 s, 0], [1 s, -2 cm]]",
               "Given unstretched length less the length of the path at time 0; negative: pulled "
               "in.",
               .dimension = SUP_DIM_LENGTH, .absent = "with a winch: 0"),
    SUP_SECTION("winch", winch_schema, SUP_BY_CODE, "{joint: ROBOT/JOINT}",
                "A joint that winds the cable up, with its torque on the joint.",
                .need = SUP_OPTIONAL),
    SUP_NUMBER("stiffness", SUP_DIM_FORCE, SUP_POSITIVE, SUP_AT(sup_cable_def, stiffness), "50 kN",
               "Force per strain, EA, of a cable with a given length.", .need = SUP_OPTIONAL,
               .absent = "inextensible"),
    SUP_NUMBER(
        "friction", SUP_DIM_NUMBER, SUP_NOT_NEGATIVE, SUP_AT(sup_cable_def, friction), "0.2",
        "Coefficient at the points between: T_1 <= T_2 exp(friction x turn); the drive acts at "
        "the first point, and a stiffness is needed.",
        .absent = "0")};
const sup_schema sup_schema_cable =
    SUP_SCHEMA("cable", cable_keys,
               "A cable of one tension along a path of points; it pulls and never pushes.",
               SUP_DEFAULTS(defaults, sup_cable_def));

static sup_status read_point(const sup_scene_build *b, sup_node *node, const char *what,
                             sup_cable_point_def *point) {
  char            found[SUP_SOURCE_POSITION_SIZE];
  sup_body_name   body = {.soft = SUP_NONE};
  const sup_mesh *mesh = NULL;
  if (node->type != SUP_NODE_MAPPING || node->num_children != 1)
    return SUP_FAIL_AT(node->place,
                       "%s: an entry of path is {BODY: [x, y, z]} or {BODY: REGION}, for instance "
                       "{world: [0, 0, 1 m]}; found %s",
                       what, sup_node_describe(node, found));
  sup_node name = *node->child;
  name.type = SUP_NODE_SCALAR, name.text = name.key, name.place = name.key_place;
  if (strcmp(name.text, "world") == 0)
    snprintf(point->body, sizeof point->body, "world");
  else
    SUP_TRY(sup_scene_find_body(b, &name, what, point->body, &body));
  if (body.soft != SUP_NONE) mesh = b->scene->model.softs[body.soft].mesh;
  return sup_scene_read_point(node->child, "path", mesh, point->point, &point->has_region,
                              &point->region);
}

static sup_status read_path(const sup_scene_build *b, const sup_section *section, const char *what,
                            sup_cable_def *cable) {
  sup_node *path;
  SUP_TRY(sup_section_require(section, "path", &path));
  SUP_TRY(sup_node_check_list(path, "path"));
  if (path->num_children < 2)
    return SUP_FAIL_AT(path->place,
                       "%s: its path has %d points; 2 or more are expected, for instance [{world: "
                       "[0, 0, 1 m]}, {ball: [0, 0, 0]}]",
                       what, path->num_children);
  SUP_TRY(SUP_CALLOC(cable->points, path->num_children));
  for (sup_node *c = path->child; c; c = c->next)
    SUP_TRY(read_point(b, c, what, &cable->points[cable->num_points++]));
  return SUP_OK;
}

static sup_status read_sheaves(const sup_section *cable_section, const char *what,
                               sup_cable_def *cable) {
  sup_node *list = sup_section_entry(cable_section, "sheaves");
  if (!list) return SUP_OK;
  SUP_TRY(sup_node_check_list(list, "sheaves"));
  for (sup_node *c = list->child; c; c = c->next) {
    sup_section   section;
    sheave_values sheave = {0};
    SUP_TRY(sup_section_open(&section, c, &sheave_schema, NULL));
    SUP_TRY(sup_section_read(&section, &sheave));
    if (sheave.point >= cable->num_points || cable->points[sheave.point - 1].radius > 0)
      return SUP_FAIL_AT(c->place,
                         "%s: no place for a sheave at point %d of its path: there is one already, "
                         "or it is not one of the points 2 to %d between the first and the last",
                         what, sheave.point, cable->num_points - 1);
    sup_cable_point_def *point = &cable->points[sheave.point - 1];
    point->radius = sheave.radius;
    memcpy(point->axis, sheave.axis, sizeof point->axis);
  }
  return SUP_OK;
}

static sup_status read_winch(const sup_scene_build *b, sup_node *node, const char *what,
                             sup_cable_def *cable) {
  sup_section         section;
  sup_node           *joint;
  const sup_link_def *link;
  SUP_TRY(sup_section_open(&section, node, &winch_schema, NULL));
  SUP_TRY(sup_section_require(&section, "joint", &joint));
  SUP_TRY(sup_scene_find_joint(b, joint, what, cable->winch, &link));
  if (!sup_joint_is_single(link->joint))
    return SUP_FAIL_AT(joint->place,
                       "%s: the joint '%s' is %s; revolute, continuous and prismatic ones wind up",
                       what, cable->winch,
                       link->joint == SUP_JOINT_FIXED ? "fixed" : "floating, planar or a ball");
  if (link->mimic != SUP_NONE)
    return SUP_FAIL_AT(joint->place, "%s: the joint '%s' follows another; take that one", what,
                       cable->winch);
  bool has_radius = sup_section_entry(&section, "radius") != NULL;
  if (link->joint == SUP_JOINT_PRISMATIC && has_radius)
    return SUP_FAIL_AT(node->place, "%s: the joint '%s' slides; a drum with a radius turns", what,
                       cable->winch);
  cable->radius = 1;
  SUP_TRY(sup_section_read(&section, cable));
  if (link->joint != SUP_JOINT_PRISMATIC && (!has_radius || cable->radius == 0))
    return SUP_FAIL_AT(node->place, "%s: its winch needs a radius other than 0, for instance 1 cm",
                       what);
  return SUP_OK;
}

static sup_status read_drive(const sup_scene_build *b, const sup_section *section,
                             const sup_node *node, const char *what, sup_cable_def *cable) {
  sup_node *tension = sup_section_entry(section, "tension"),
           *length = sup_section_entry(section, "length"),
           *added = sup_section_entry(section, "added_length"),
           *winch = sup_section_entry(section, "winch");
  int given = (tension != NULL) + (length != NULL) + (added != NULL);
  if (given > 1 || given + (winch != NULL) == 0 || (tension && winch))
    return SUP_FAIL_AT(node->place,
                       "%s has one of the keys tension (for instance 10 N), length (1 m), "
                       "added_length (-2 cm) and winch ({joint: ROBOT/JOINT, radius: 1 cm}), or a "
                       "winch with a length",
                       what);
  sup_node *stiffness = sup_section_entry(section, "stiffness");
  sup_node *friction = sup_section_entry(section, "friction");
  if (tension && stiffness && !friction)
    return SUP_FAIL_AT(stiffness->place,
                       "%s: stiffness goes with a given length or friction; its tension is given",
                       what);
  cable->drive = tension ? SUP_CABLE_TENSION : SUP_CABLE_LENGTH;
  cable->is_added = length == NULL;
  if (winch) SUP_TRY(read_winch(b, winch, what, cable));
  if (tension)
    return sup_scene_read_over_time(b, tension, "tension", SUP_DIM_FORCE, &cable->tension,
                                    &cable->schedule);
  if (length || added)
    return sup_scene_read_over_time(b, length ? length : added, length ? "length" : "added_length",
                                    SUP_DIM_LENGTH, &cable->length, &cable->schedule);
  return SUP_OK;
}

static sup_status read_cable(const sup_scene_build *b, sup_node *node, sup_cable_def *cable) {
  char        what[2 * SUP_NAME_MAX];
  sup_section section;
  *cable = sup_default_cable_def();
  SUP_TRY(sup_section_open_named(&section, node, &sup_schema_cable, "cable", cable->name, what));
  SUP_TRY(read_path(b, &section, what, cable));
  SUP_TRY(read_sheaves(&section, what, cable));
  SUP_TRY(sup_section_read(&section, cable));
  return read_drive(b, &section, node, what, cable);
}

sup_status sup_scene_read_cables(sup_scene_build *b, sup_node *cables) {
  sup_model_def *model = &b->scene->model;
  SUP_TRY(SUP_CALLOC(model->cables, cables->num_children));
  for (sup_node *c = cables->child; c; c = c->next)
    SUP_TRY(read_cable(b, c, &model->cables[model->num_cables++]));
  return SUP_OK;
}
