#include "scene/robot/urdf.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vec.h"
#include "scene/robot/package.h"
#include "scene/robot/robot_reader.h"

static const char *const joint_types[] = {"fixed",     "revolute", "continuous",
                                          "prismatic", "floating", "planar"};
static const char *const robot_children[] = {
    "link", "joint", "transmission", "material", "gazebo", "frame", "drake:collision_filter_group"};
static const char *const joint_children[] = {
    "parent", "child", "origin", "axis", "limit", "dynamics", "safety_controller", "calibration"};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* ---- parts of links and joints --------------------------------------------------------------- */

/** <origin xyz rpy> of an element; the identity when there is none. */
static sup_status read_origin(sup_robot_reader *r, const sup_xml_node *parent,
                              const sup_link_def *link, sup_pose *pose) {
  static const char *const known[] = {"xyz", "rpy"};
  const sup_xml_node      *node = sup_xml_child(parent, "origin");
  double                   rpy[3] = {0};
  (void)link;
  *pose = sup_pose_identity();
  if (!node) return SUP_OK;
  sup_robot_check_attributes(r, node, known, COUNT(known));
  SUP_TRY(sup_xml_optional_numbers(node, "xyz", 3, pose->p));
  SUP_TRY(sup_xml_optional_numbers(node, "rpy", 3, rpy));
  sup_robot_turn(pose, rpy);
  return SUP_OK;
}

static sup_status read_joint_type(const sup_xml_node *node, sup_link_def *link, int *continuous) {
  const char *type;
  SUP_TRY(sup_xml_text(node, "type", &type));
  *continuous = strcmp(type, "continuous") == 0;
  if (*continuous || strcmp(type, "revolute") == 0)
    link->joint = SUP_JOINT_REVOLUTE;
  else if (strcmp(type, "prismatic") == 0)
    link->joint = SUP_JOINT_PRISMATIC;
  else if (strcmp(type, "fixed") == 0)
    link->joint = SUP_JOINT_FIXED;
  else if (strcmp(type, "floating") == 0)
    link->joint = SUP_JOINT_FLOATING;
  else if (strcmp(type, "planar") == 0)
    link->joint = SUP_JOINT_PLANAR;
  else {
    int nearest = sup_text_nearest(type, joint_types, COUNT(joint_types));
    return SUP_XML_FAIL(node, "joint '%s' has the unknown type '%s'; %s%s%s", link->joint_name,
                        type, nearest == SUP_NONE ? "" : "did you mean '",
                        nearest == SUP_NONE
                            ? "known: fixed, revolute, continuous, prismatic, floating, planar"
                            : joint_types[nearest],
                        nearest == SUP_NONE ? "" : "'?");
  }
  return SUP_OK;
}

/** URDF asks for limits of these types: without them the joint moves freely, which a file may not
 * have meant. */
static void look_at_limits(sup_robot_reader *r, const sup_xml_node *node,
                           const sup_link_def *link) {
  const char *type = sup_xml_attribute(node, "type");
  if (strcmp(type, "revolute") != 0 && strcmp(type, "prismatic") != 0) return;
  if (link->lower > -HUGE_VAL || link->upper < HUGE_VAL) return;
  if (r->free_joints.count == 0) r->first_free = node;
  sup_robot_list_add(&r->free_joints, link->joint_name);
}

static sup_status read_joint(sup_robot_reader *r, const sup_xml_node *node, sup_link_def *link) {
  static const char *const dynamics_has[] = {"damping", "friction"};
  int                      continuous;
  SUP_TRY(read_joint_type(node, link, &continuous));
  SUP_TRY(read_origin(r, node, link, &link->X_PJ));
  for (const sup_xml_node *c = sup_xml_first(node); c; c = sup_xml_next(c)) {
    if (sup_xml_is(c, "axis")) {
      SUP_TRY(sup_robot_read_axis(r, c, link));
    } else if (sup_xml_is(c, "limit")) {
      SUP_TRY(sup_robot_read_limits(r, c, continuous || link->joint == SUP_JOINT_PLANAR, link));
    } else if (sup_xml_is(c, "dynamics")) {
      sup_robot_check_attributes(r, c, dynamics_has, 2);
      SUP_TRY(sup_xml_not_negative(c, "damping", &link->damping));
      SUP_TRY(sup_xml_not_negative(c, "friction", &link->friction));
    } else if (!sup_xml_is(c, "parent") && !sup_xml_is(c, "child") && !sup_xml_is(c, "origin") &&
               !sup_xml_is(c, "mimic")) {
      sup_robot_warn_unknown(r, c, joint_children, COUNT(joint_children));
    }
  }
  look_at_limits(r, node, link);
  sup_robot_check_friction(r, node, link);
  return SUP_OK;
}

/** <mechanicalReduction>n</..> of the actuator, the joint or the transmission, the gear of a rotor
 * without <drake:gear_ratio>.  Drives act on joints, behind gears. */
static sup_status read_reduction(sup_robot_reader *r, const sup_xml_node *transmission,
                                 const sup_xml_node *actuator, bool has_rotor, double *gear) {
  static const char   name[] = "mechanicalReduction";
  const sup_xml_node *joint = sup_xml_child(transmission, "joint"),
                     *node = sup_xml_child(actuator, name);
  if (!node && joint) node = sup_xml_child(joint, name);
  if (!node) node = sup_xml_child(transmission, name);
  if (!node) return SUP_OK;
  const char *text = sup_xml_content(node);
  char        word[64] = "";
  double      ratio = 0;
  if (!text || sscanf(text, "%63s", word) != 1 || !sup_text_number(word, &ratio) || ratio == 0)
    return SUP_XML_FAIL(node, "<%s> is '%.40s'; it must be a number other than 0", name, word);
  *gear = ratio;
  if (!has_rotor && fabs(ratio) != 1 && sup_robot_first_mention(r, name))
    sup_log(SUP_LOG_NOTE,
            "%s:%ld: <%s> %g is not used: drives and their efforts act on the joint, behind the "
            "gear; <drake:rotor_inertia value=\"..\"/> in the actuator gives the rotor before it",
            r->path, sup_xml_line(node), name, ratio);
  return SUP_OK;
}

/** The rotor J behind a gear of ratio rho adds rho^2 J to the joint's inertia (THEORY 3.4). */
static sup_status read_transmission(sup_robot_reader *r, const sup_xml_node *node) {
  const sup_xml_node *joint = sup_xml_child(node, "joint");
  const char         *name = joint ? sup_xml_attribute(joint, "name") : NULL;
  for (const sup_xml_node *c = sup_xml_first(node); c; c = sup_xml_next(c)) {
    if (!sup_xml_is(c, "actuator")) continue;
    const sup_xml_node *gear_node = sup_xml_child(c, "drake:gear_ratio"),
                       *rotor_node = sup_xml_child(c, "drake:rotor_inertia");
    double gear = 1, rotor = 0;
    SUP_TRY(read_reduction(r, node, c, rotor_node != NULL, &gear));
    if (gear_node) SUP_TRY(sup_xml_numbers(gear_node, "value", 1, &gear));
    if (!rotor_node) continue;
    SUP_TRY(sup_xml_numbers(rotor_node, "value", 1, &rotor));
    if (rotor < 0)
      return SUP_XML_FAIL(rotor_node, "<drake:rotor_inertia> is %g kg m^2; it must be 0 or more",
                          rotor);
    sup_link_def *link = NULL;
    for (int i = 0; i < r->num_links && name; i++)
      if (strcmp(r->def->links[i].joint_name, name) == 0) link = &r->def->links[i];
    if (link && (link->joint == SUP_JOINT_REVOLUTE || link->joint == SUP_JOINT_PRISMATIC))
      link->armature = gear * gear * rotor;
    else
      sup_log(
          SUP_LOG_WARNING,
          "%s:%ld: the rotor of transmission joint '%s' is not used: no joint of that name moves",
          r->path, sup_xml_line(rotor_node), name ? name : "");
  }
  return SUP_OK;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static sup_status collect_links(sup_robot_reader *r, const sup_xml_node *robot) {
  for (const sup_xml_node *node = sup_xml_first(robot); node; node = sup_xml_next(node)) {
    const char *name;
    if (!sup_xml_is(node, "link")) continue;
    SUP_TRY(sup_robot_element_name(node, "link", &name));
    SUP_TRY(sup_robot_add_link(r, node, name));
  }
  if (r->num_links == 0) return SUP_XML_FAIL(robot, "the robot has no <link>%s", "");
  return SUP_OK;
}

/** The link that <parent link="..."/> or <child link="..."/> names. */
static sup_status joint_end(const sup_robot_reader *r, const sup_xml_node *joint,
                            const char *joint_name, const char *end, int *link) {
  const char         *name;
  const sup_xml_node *node = sup_xml_child(joint, end);
  if (!node) return SUP_XML_FAIL(joint, "joint '%s' has no <%s link=\"...\"/>", joint_name, end);
  SUP_TRY(sup_xml_text(node, "link", &name));
  SUP_TRY(sup_robot_find_link(r, node, joint_name, name, link));
  return SUP_OK;
}

static sup_status collect_joints(sup_robot_reader *r, const sup_xml_node *robot) {
  for (const sup_xml_node *node = sup_xml_first(robot); node; node = sup_xml_next(node)) {
    if (!sup_xml_is(node, "joint")) continue;
    sup_robot_joint joint = {.node = node};
    SUP_TRY(sup_robot_element_name(node, "joint", &joint.name));
    SUP_TRY(joint_end(r, node, joint.name, "parent", &joint.parent));
    SUP_TRY(joint_end(r, node, joint.name, "child", &joint.child));
    SUP_TRY(sup_robot_add_joint(r, &joint));
  }
  return SUP_OK;
}

/** <mimic joint="LEADER" multiplier="1" offset="0"/>; the tree checks its validity. */
static sup_status read_mimic(sup_robot_reader *r, const sup_xml_node *node, sup_link_def *link) {
  static const char *const has[] = {"joint", "multiplier", "offset"};
  const char              *name;
  sup_robot_check_attributes(r, node, has, COUNT(has));
  SUP_TRY(sup_xml_text(node, "joint", &name));
  SUP_TRY(sup_xml_optional_numbers(node, "multiplier", 1, &link->mimic_ratio));
  SUP_TRY(sup_xml_optional_numbers(node, "offset", 1, &link->mimic_offset));
  SUP_TRY(sup_robot_find_leader(r, node, name, link));
  return SUP_OK;
}

static sup_status read_links(sup_robot_reader *r, const int *order) {
  for (int k = 0; k < r->num_links; k++) {
    const sup_robot_link *from = &r->links[order[k]];
    sup_link_def         *link = &r->def->links[k];
    *link = sup_default_link_def();
    SUP_TRY(sup_text_copy(link->name, sizeof link->name, from->name));
    r->def->num_links = k + 1;
    if (from->parent_joint != SUP_NONE) {
      const sup_robot_joint *joint = &r->joints[from->parent_joint];
      SUP_TRY(sup_text_copy(link->joint_name, sizeof link->joint_name, joint->name));
      link->parent = r->links[joint->parent].index;
      SUP_TRY(read_joint(r, joint->node, link));
      const sup_xml_node *mimic = sup_xml_child(joint->node, "mimic");
      if (mimic && link->joint != SUP_JOINT_FIXED) SUP_TRY(read_mimic(r, mimic, link));
    }
    SUP_TRY(sup_robot_read_link(r, from->node, link));
  }
  return SUP_OK;
}

static sup_status read_robot(sup_robot_reader *r, const sup_xml_node *robot) {
  int         order[SUP_ROBOT_MAX_LINKS];
  const char *name;
  if (!sup_xml_is(robot, "robot"))
    return SUP_XML_FAIL(robot,
                        "the file begins with <%s>; a URDF file begins with <robot name=\"...\">",
                        sup_xml_name(robot));
  SUP_TRY(sup_robot_element_name(robot, "robot", &name));
  SUP_TRY(sup_text_copy(r->def->name, sizeof r->def->name, name));
  for (const sup_xml_node *c = sup_xml_first(robot); c; c = sup_xml_next(c)) {
    if (strncmp(sup_xml_name(c), "xacro:", 6) == 0)
      return SUP_XML_FAIL(c, "<%s> is a macro; expand the file with xacro first", sup_xml_name(c));
    if (!sup_xml_is(c, "link") && !sup_xml_is(c, "joint") && !sup_xml_is(c, "transmission") &&
        !sup_xml_is(c, "material") && !sup_xml_is(c, "drake:collision_filter_group"))
      sup_robot_warn_unknown(r, c, robot_children, COUNT(robot_children));
  }
  SUP_TRY(collect_links(r, robot));
  SUP_TRY(collect_joints(r, robot));
  SUP_TRY(sup_robot_order_links(r, order));
  SUP_TRY(SUP_CALLOC(r->def->links, r->num_links));
  SUP_TRY(read_links(r, order));
  for (const sup_xml_node *c = sup_xml_first(robot); c; c = sup_xml_next(c))
    if (sup_xml_is(c, "transmission")) SUP_TRY(read_transmission(r, c));
  SUP_TRY(sup_urdf_read_filters(r, robot));
  return SUP_OK;
}

sup_status sup_urdf_read(sup_tree_def *def, const char *path, const char *const *package_paths,
                         int num_package_paths) {
  sup_robot_context context = {sup_default_contact_def(), package_paths, num_package_paths, NULL,
                               NULL};
  sup_status        status = sup_urdf_read_with(def, path, &context);
  return status;
}

sup_status sup_urdf_read_with(sup_tree_def *def, const char *path,
                              const sup_robot_context *context) {
  static const char *const      link_children[] = {"inertial", "visual", "collision",
                                                   "self_collision_checking", "gazebo"};
  static const sup_robot_format urdf = {read_robot, read_origin, NULL, link_children,
                                        COUNT(link_children)};
  SUP_TRY(sup_robot_read(def, path, &urdf, context));
  return SUP_OK;
}
