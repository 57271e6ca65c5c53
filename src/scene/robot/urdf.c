#include "scene/robot/urdf.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vec.h"
#include "scene/robot/package.h"
#include "scene/robot/urdf_parts.h"

static const char *const joint_types[] = {"fixed",     "revolute", "continuous",
                                          "prismatic", "floating", "planar"};
static const char *const robot_children[] = {
    "link", "joint", "transmission", "material", "gazebo", "frame", "drake:collision_filter_group"};
static const char *const link_children[] = {"inertial", "visual", "collision",
                                            "self_collision_checking", "gazebo"};
static const char *const joint_children[] = {
    "parent", "child", "origin", "axis", "limit", "dynamics", "safety_controller", "calibration"};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* ---- warnings of the log --------------------------------------------------------------------- */

int sup_urdf_list_add(sup_urdf_list *list, const char *what) {
  size_t used = strlen(list->text), length = strlen(what);
  for (const char *at = list->text; length > 0 && (at = strstr(at, what)) != NULL; at += length)
    if ((at == list->text || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0')) return 0;
  list->count++;
  if (list->count - 1 > list->listed || used + length + 3 > sizeof list->text) return 1;
  snprintf(list->text + used, sizeof list->text - used, "%s%s", used ? ", " : "", what);
  list->listed++;
  return 1;
}

int sup_urdf_first_mention(sup_urdf_reader *r, const char *what) {
  for (int i = 0; i < r->num_noted; i++)
    if (strncmp(r->noted[i], what, SUP_URDF_NOTED_SIZE - 1) == 0) return 0;
  if (r->num_noted == SUP_URDF_MAX_NOTED) return 0;
  snprintf(r->noted[r->num_noted++], SUP_URDF_NOTED_SIZE, "%.*s", SUP_URDF_NOTED_SIZE - 1, what);
  return 1;
}

/** Note once a file that an element says something we do not use. */
static void note_unused(sup_urdf_reader *r, const sup_xml_node *node) {
  if (sup_urdf_first_mention(r, sup_xml_name(node)))
    sup_log(SUP_LOG_NOTE, "%s:%ld: <%s> is not used", r->path, sup_xml_line(node),
            sup_xml_name(node));
}

void sup_urdf_warn_unknown(sup_urdf_reader *r, const sup_xml_node *node, const char *const *known,
                           int n) {
  const char *name = sup_xml_name(node);
  int         nearest = sup_text_nearest(name, known, n);
  if (nearest == SUP_NONE || strcmp(name, known[nearest]) == 0) {
    note_unused(r, node);
  } else if (sup_urdf_first_mention(r, name)) {
    sup_log(SUP_LOG_WARNING, "%s:%ld: <%s> is not known and not used; did you mean <%s>?", r->path,
            sup_xml_line(node), name, known[nearest]);
  }
}

void sup_urdf_check_attributes(sup_urdf_reader *r, const sup_xml_node *node,
                               const char *const *known, int n) {
  const char *name;
  for (int k = 0; (name = sup_xml_attribute_name(node, k)) != NULL; k++) {
    char what[SUP_URDF_NOTED_SIZE], list[128] = "";
    int  found = 0;
    for (int i = 0; i < n; i++) {
      found |= strcmp(name, known[i]) == 0;
      snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", known[i]);
    }
    snprintf(what, sizeof what, "%.50s %.50s", sup_xml_name(node), name);
    if (!found && sup_urdf_first_mention(r, what))
      sup_log(SUP_LOG_WARNING,
              "%s:%ld: attribute '%s' of <%s> is not known and not used; known: %s", r->path,
              sup_xml_line(node), name, sup_xml_name(node), list);
  }
}

/* ---- parts of links and joints --------------------------------------------------------------- */

sup_status sup_urdf_read_origin(sup_urdf_reader *r, const sup_xml_node *parent, sup_pose *pose) {
  static const char *const known[] = {"xyz", "rpy"};
  const sup_xml_node      *node = sup_xml_child(parent, "origin");
  double                   rpy[3] = {0};
  *pose = sup_pose_identity();
  if (!node) return SUP_OK;
  sup_urdf_check_attributes(r, node, known, COUNT(known));
  SUP_TRY(sup_xml_optional_numbers(node, "xyz", 3, pose->p));
  SUP_TRY(sup_xml_optional_numbers(node, "rpy", 3, rpy));
  /* roll about x, then pitch about y, then yaw about z, all fixed axes */
  sup_quat q = sup_quat_mul(sup_quat_exp(sup_v3_make(0, 0, rpy[2])),
                            sup_quat_mul(sup_quat_exp(sup_v3_make(0, rpy[1], 0)),
                                         sup_quat_exp(sup_v3_make(rpy[0], 0, 0))));
  q = sup_quat_unit(q);
  pose->q[0] = q.w, pose->q[1] = q.x, pose->q[2] = q.y, pose->q[3] = q.z;
  return SUP_OK;
}

static sup_status read_inertial(sup_urdf_reader *r, const sup_xml_node *node, sup_link_def *link) {
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  static const char *const mass_has[] = {"value"};
  const sup_xml_node *mass = sup_xml_child(node, "mass"), *inertia = sup_xml_child(node, "inertia");
  double              I[6] = {0};
  sup_pose            pose;
  if (!mass)
    return SUP_XML_FAIL(node, "<inertial> of link '%s' has no <mass value=\"...\"/>", link->name);
  if (!inertia)
    return SUP_XML_FAIL(node, "<inertial> of link '%s' has no <inertia ixx=\"...\" .../>",
                        link->name);
  sup_urdf_check_attributes(r, mass, mass_has, 1);
  sup_urdf_check_attributes(r, inertia, names, 6);
  SUP_TRY(sup_xml_numbers(mass, "value", 1, &link->mass));
  if (link->mass < 0)
    return SUP_XML_FAIL(mass, "the mass of link '%s' is %g kg; it must be 0 or more", link->name,
                        link->mass);
  for (int k = 0; k < 6; k++) {
    if (k < 3)
      SUP_TRY(sup_xml_numbers(inertia, names[k], 1, &I[k]));
    else
      SUP_TRY(sup_xml_optional_numbers(inertia, names[k], 1, &I[k]));
  }
  SUP_TRY(sup_urdf_read_origin(r, node, &pose));
  sup_frame X = sup_frame_from_pose(&pose);
  sup_m3    full = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
  full = sup_m3_mul(sup_m3_mul(X.R, full), sup_m3_transpose(X.R)); /* into the link's axes */
  memcpy(link->com, pose.p, sizeof link->com);
  for (int k = 0; k < 3; k++) link->inertia[k] = full.m[k][k];
  link->inertia[3] = full.m[0][1], link->inertia[4] = full.m[0][2], link->inertia[5] = full.m[1][2];
  return SUP_OK;
}

/** Note the name of a visual's mesh, which is not read, and count it if its file is missing. */
static void look_at_visual(sup_urdf_reader *r, const sup_xml_node *node) {
  const sup_xml_node *geometry = sup_xml_child(node, "geometry"),
                     *mesh = geometry ? sup_xml_child(geometry, "mesh") : NULL;
  const char *uri = mesh ? sup_xml_attribute(mesh, "filename") : NULL;
  char        path[4096];
  if (!uri) return;
  const char *slash = strrchr(uri, '/');
  if (!sup_urdf_list_add(&r->visuals, slash ? slash + 1 : uri)) return;
  if (sup_package_find(path, sizeof path, r->path, uri, r->context->package_paths,
                       r->context->num_package_paths) != SUP_OK)
    r->missing_visual_meshes++;
}

static sup_status read_link(sup_urdf_reader *r, const sup_xml_node *node, sup_link_def *link) {
  int collisions = 0, inertials = 0;
  for (const sup_xml_node *c = sup_xml_first(node); c; c = sup_xml_next(c))
    collisions += sup_xml_is(c, "collision");
  SUP_TRY(SUP_CALLOC(link->geometries, collisions));
  for (const sup_xml_node *c = sup_xml_first(node); c; c = sup_xml_next(c)) {
    if (sup_xml_is(c, "inertial")) {
      if (inertials++)
        return SUP_XML_FAIL(c, "link '%s' has a second <inertial>; it must have one", link->name);
      SUP_TRY(read_inertial(r, c, link));
    } else if (sup_xml_is(c, "collision")) {
      SUP_TRY(sup_urdf_read_collision(r, c, link));
    } else if (sup_xml_is(c, "visual")) {
      look_at_visual(r, c);
    } else {
      sup_urdf_warn_unknown(r, c, link_children, COUNT(link_children));
    }
  }
  return SUP_OK;
}

static sup_status read_limits(sup_urdf_reader *r, const sup_xml_node *node, int continuous,
                              sup_link_def *link) {
  static const char *const known[] = {"lower", "upper", "effort", "velocity"};
  double                   unused = 0;
  sup_urdf_check_attributes(r, node, known, COUNT(known));
  SUP_TRY(sup_xml_optional_numbers(node, "lower", 1, continuous ? &unused : &link->lower));
  SUP_TRY(sup_xml_optional_numbers(node, "upper", 1, continuous ? &unused : &link->upper));
  SUP_TRY(sup_xml_not_negative(node, "effort", &link->effort_limit));
  SUP_TRY(sup_xml_not_negative(node, "velocity", &link->velocity_limit));
  if (link->lower > link->upper)
    return SUP_XML_FAIL(
        node, "joint '%s' has limits from %g to %g; the lower one must not be above the upper",
        link->joint_name, link->lower, link->upper);
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

/** Files from the wild give joints that do not move an axis, too, often of zeros. */
static sup_status read_axis(sup_urdf_reader *r, const sup_xml_node *node, sup_link_def *link) {
  static const char *const has[] = {"xyz"};
  double                   axis[3];
  if (link->joint == SUP_JOINT_FIXED || link->joint == SUP_JOINT_FLOATING) return SUP_OK;
  sup_urdf_check_attributes(r, node, has, 1);
  SUP_TRY(sup_xml_numbers(node, "xyz", 3, axis));
  double length = sup_v3_norm(sup_v3_load(axis));
  if (!(length > 0) || !isfinite(length))
    return SUP_XML_FAIL(node, "joint '%s' has axis (%s); it must be a direction", link->joint_name,
                        sup_xml_attribute(node, "xyz"));
  for (int k = 0; k < 3; k++) link->axis[k] = axis[k] / length;
  return SUP_OK;
}

/** URDF asks for limits of these types: without them the joint moves freely, which a file may not
 * have meant. */
static void look_at_limits(sup_urdf_reader *r, const sup_xml_node *node, const sup_link_def *link) {
  const char *type = sup_xml_attribute(node, "type");
  if (strcmp(type, "revolute") != 0 && strcmp(type, "prismatic") != 0) return;
  if (link->lower > -HUGE_VAL || link->upper < HUGE_VAL) return;
  if (r->free_joints.count == 0) r->first_free = node;
  sup_urdf_list_add(&r->free_joints, link->joint_name);
}

static void note_free_joints(const sup_urdf_reader *r) {
  const sup_urdf_list *list = &r->free_joints;
  if (list->count == 0) return;
  sup_log(SUP_LOG_NOTE,
          "%s:%ld: no limits on %d revolute or prismatic joint%s, which move%s freely: %s%s; "
          "<limit lower=\"..\" upper=\"..\"/> keeps a joint within limits, type continuous says "
          "that there are none",
          r->path, sup_xml_line(r->first_free), list->count, list->count == 1 ? "" : "s",
          list->count == 1 ? "s" : "", list->text, list->count > list->listed ? ", ..." : "");
}

static sup_status read_joint(sup_urdf_reader *r, const sup_xml_node *node, sup_link_def *link) {
  static const char *const dynamics_has[] = {"damping", "friction"};
  int                      continuous;
  double                   friction = 0;
  SUP_TRY(read_joint_type(node, link, &continuous));
  SUP_TRY(sup_urdf_read_origin(r, node, &link->X_PJ));
  for (const sup_xml_node *c = sup_xml_first(node); c; c = sup_xml_next(c)) {
    if (sup_xml_is(c, "axis")) {
      SUP_TRY(read_axis(r, c, link));
    } else if (sup_xml_is(c, "limit")) {
      SUP_TRY(read_limits(r, c, continuous || link->joint == SUP_JOINT_PLANAR, link));
    } else if (sup_xml_is(c, "dynamics")) {
      sup_urdf_check_attributes(r, c, dynamics_has, 2);
      SUP_TRY(sup_xml_not_negative(c, "damping", &link->damping));
      SUP_TRY(sup_xml_not_negative(c, "friction", &friction));
      if (friction > 0 && sup_urdf_first_mention(r, "dynamics friction"))
        sup_log(SUP_LOG_NOTE, "%s:%ld: joint friction is not used; damping is", r->path,
                sup_xml_line(c));
    } else if (!sup_xml_is(c, "parent") && !sup_xml_is(c, "child") && !sup_xml_is(c, "origin") &&
               !sup_xml_is(c, "mimic")) {
      sup_urdf_warn_unknown(r, c, joint_children, COUNT(joint_children));
    }
  }
  look_at_limits(r, node, link);
  return SUP_OK;
}

/** The rotor J behind a gear of ratio rho adds rho^2 J to the joint's inertia (THEORY 3.4). */
static sup_status read_transmission(sup_urdf_reader *r, const sup_xml_node *node) {
  const sup_xml_node *joint = sup_xml_child(node, "joint");
  const char         *name = joint ? sup_xml_attribute(joint, "name") : NULL;
  for (const sup_xml_node *c = sup_xml_first(node); c; c = sup_xml_next(c)) {
    if (!sup_xml_is(c, "actuator")) continue;
    const sup_xml_node *gear_node = sup_xml_child(c, "drake:gear_ratio"),
                       *rotor_node = sup_xml_child(c, "drake:rotor_inertia");
    double gear = 1, rotor = 0;
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

static sup_status element_name(const sup_xml_node *node, const char *what, const char **name) {
  SUP_TRY(sup_xml_text(node, "name", name));
  if (!**name || strlen(*name) >= SUP_NAME_MAX)
    return SUP_XML_FAIL(node, "a %s's name must have 1 to %d characters; found '%.80s'", what,
                        SUP_NAME_MAX - 1, *name);
  return SUP_OK;
}

static sup_status collect_links(sup_urdf_reader *r, const sup_xml_node *robot) {
  for (const sup_xml_node *node = sup_xml_first(robot); node; node = sup_xml_next(node)) {
    if (!sup_xml_is(node, "link")) continue;
    const char *name;
    SUP_TRY(element_name(node, "link", &name));
    for (int i = 0; i < r->num_links; i++)
      if (strcmp(r->links[i].name, name) == 0)
        return SUP_XML_FAIL(node, "a second link is named '%s'; the first is in line %ld", name,
                            sup_xml_line(r->links[i].node));
    if (r->num_links == SUP_URDF_MAX_LINKS)
      return SUP_XML_FAIL(node, "more than %d links are not possible", SUP_URDF_MAX_LINKS);
    r->links[r->num_links++] = (sup_urdf_link){name, node, SUP_NONE, SUP_NONE};
  }
  if (r->num_links == 0) return SUP_XML_FAIL(robot, "the robot has no <link>%s", "");
  return SUP_OK;
}

/** The link that <parent link="..."/> or <child link="..."/> names. */
static sup_status joint_end(const sup_urdf_reader *r, const sup_xml_node *joint,
                            const char *joint_name, const char *end, int *link) {
  const char         *name, *known[SUP_URDF_MAX_LINKS];
  const sup_xml_node *node = sup_xml_child(joint, end);
  if (!node) return SUP_XML_FAIL(joint, "joint '%s' has no <%s link=\"...\"/>", joint_name, end);
  SUP_TRY(sup_xml_text(node, "link", &name));
  for (*link = 0; *link < r->num_links; ++*link) {
    known[*link] = r->links[*link].name;
    if (strcmp(r->links[*link].name, name) == 0) return SUP_OK;
  }
  int nearest = sup_text_nearest(name, known, r->num_links);
  return SUP_XML_FAIL(node, "joint '%s' names the link '%s', which is not defined%s%s%s",
                      joint_name, name, nearest == SUP_NONE ? "" : "; did you mean '",
                      nearest == SUP_NONE ? "" : known[nearest], nearest == SUP_NONE ? "" : "'?");
}

static sup_status collect_joints(sup_urdf_reader *r, const sup_xml_node *robot) {
  for (const sup_xml_node *node = sup_xml_first(robot); node; node = sup_xml_next(node)) {
    if (!sup_xml_is(node, "joint")) continue;
    sup_urdf_joint joint = {.node = node};
    SUP_TRY(element_name(node, "joint", &joint.name));
    for (int i = 0; i < r->num_joints; i++)
      if (strcmp(r->joints[i].name, joint.name) == 0)
        return SUP_XML_FAIL(node, "a second joint is named '%s'; the first is in line %ld",
                            joint.name, sup_xml_line(r->joints[i].node));
    SUP_TRY(joint_end(r, node, joint.name, "parent", &joint.parent));
    SUP_TRY(joint_end(r, node, joint.name, "child", &joint.child));
    sup_urdf_link *carried = &r->links[joint.child];
    if (carried->parent_joint != SUP_NONE)
      return SUP_XML_FAIL(node,
                          "link '%s' is the child of joint '%s' and of joint '%s' (line %ld); a "
                          "link has one parent",
                          carried->name, joint.name, r->joints[carried->parent_joint].name,
                          sup_xml_line(r->joints[carried->parent_joint].node));
    carried->parent_joint = r->num_joints; /* one parent a link: never more joints than links */
    r->joints[r->num_joints++] = joint;
  }
  return SUP_OK;
}

static sup_status find_root(const sup_urdf_reader *r, int *root) {
  *root = SUP_NONE;
  for (int i = 0; i < r->num_links; i++) {
    if (r->links[i].parent_joint != SUP_NONE) continue;
    if (*root != SUP_NONE)
      return SUP_XML_FAIL(
          r->links[i].node,
          "link '%s' and link '%s' (line %ld) both have no parent; only one root is possible",
          r->links[i].name, r->links[*root].name, sup_xml_line(r->links[*root].node));
    *root = i;
  }
  if (*root == SUP_NONE)
    return SUP_XML_FAIL(r->links[0].node,
                        "the joints form a cycle: every link, '%s' too, has a parent",
                        r->links[0].name);
  return SUP_OK;
}

/** Number the links depth first, the joints of one link in the order of the file.  Walks back up
 * instead of recursing.
 */
static sup_status order_links(sup_urdf_reader *r, int root, int *order) {
  int count = 0, link = root;
  r->links[root].index = 0;
  order[count++] = root;
  while (link != SUP_NONE) {
    int next = SUP_NONE;
    for (int j = 0; j < r->num_joints && next == SUP_NONE; j++)
      if (r->joints[j].parent == link && r->links[r->joints[j].child].index == SUP_NONE)
        next = r->joints[j].child;
    if (next != SUP_NONE) {
      r->links[next].index = count;
      order[count++] = next;
      link = next;
    } else {
      link = link == root ? SUP_NONE : r->joints[r->links[link].parent_joint].parent;
    }
  }
  for (int i = 0; i < r->num_links; i++)
    if (r->links[i].index == SUP_NONE)
      return SUP_XML_FAIL(
          r->links[i].node,
          "link '%s' hangs on a cycle of joints; it must hang on the root link '%s'",
          r->links[i].name, r->links[root].name);
  return SUP_OK;
}

/** <mimic joint="LEADER" multiplier="1" offset="0"/>; the tree checks its validity. */
static sup_status read_mimic(sup_urdf_reader *r, const sup_xml_node *node, sup_link_def *link) {
  static const char *const has[] = {"joint", "multiplier", "offset"};
  const char              *name, *known[SUP_URDF_MAX_LINKS];
  sup_urdf_check_attributes(r, node, has, COUNT(has));
  SUP_TRY(sup_xml_text(node, "joint", &name));
  SUP_TRY(sup_xml_optional_numbers(node, "multiplier", 1, &link->mimic_ratio));
  SUP_TRY(sup_xml_optional_numbers(node, "offset", 1, &link->mimic_offset));
  for (int i = 0; i < r->num_joints; i++) {
    known[i] = r->joints[i].name;
    if (strcmp(known[i], name) == 0) link->mimic = r->links[r->joints[i].child].index;
  }
  if (link->mimic != SUP_NONE) return SUP_OK;
  int nearest = sup_text_nearest(name, known, r->num_joints);
  return SUP_XML_FAIL(node, "joint '%s' mimics the joint '%s', which is not defined%s%s%s",
                      link->joint_name, name, nearest == SUP_NONE ? "" : "; did you mean '",
                      nearest == SUP_NONE ? "" : known[nearest], nearest == SUP_NONE ? "" : "'?");
}

static sup_status read_links(sup_urdf_reader *r, const int *order) {
  for (int k = 0; k < r->num_links; k++) {
    const sup_urdf_link *from = &r->links[order[k]];
    sup_link_def        *link = &r->def->links[k];
    *link = sup_default_link_def();
    SUP_TRY(sup_text_copy(link->name, sizeof link->name, from->name));
    r->def->num_links = k + 1;
    if (from->parent_joint != SUP_NONE) {
      const sup_urdf_joint *joint = &r->joints[from->parent_joint];
      SUP_TRY(sup_text_copy(link->joint_name, sizeof link->joint_name, joint->name));
      link->parent = r->links[joint->parent].index;
      SUP_TRY(read_joint(r, joint->node, link));
      const sup_xml_node *mimic = sup_xml_child(joint->node, "mimic");
      if (mimic) SUP_TRY(read_mimic(r, mimic, link));
    }
    SUP_TRY(read_link(r, from->node, link));
  }
  return SUP_OK;
}

static sup_status read_robot(sup_urdf_reader *r, const sup_xml_node *robot) {
  int         order[SUP_URDF_MAX_LINKS], root;
  const char *name;
  if (!sup_xml_is(robot, "robot"))
    return SUP_XML_FAIL(robot,
                        "the file begins with <%s>; a URDF file begins with <robot name=\"...\">",
                        sup_xml_name(robot));
  SUP_TRY(element_name(robot, "robot", &name));
  SUP_TRY(sup_text_copy(r->def->name, sizeof r->def->name, name));
  for (const sup_xml_node *c = sup_xml_first(robot); c; c = sup_xml_next(c)) {
    if (strncmp(sup_xml_name(c), "xacro:", 6) == 0)
      return SUP_XML_FAIL(c, "<%s> is a macro; expand the file with xacro first", sup_xml_name(c));
    if (!sup_xml_is(c, "link") && !sup_xml_is(c, "joint") && !sup_xml_is(c, "transmission") &&
        !sup_xml_is(c, "material") && !sup_xml_is(c, "drake:collision_filter_group"))
      sup_urdf_warn_unknown(r, c, robot_children, COUNT(robot_children));
  }
  SUP_TRY(collect_links(r, robot));
  SUP_TRY(collect_joints(r, robot));
  SUP_TRY(find_root(r, &root));
  SUP_TRY(order_links(r, root, order));
  SUP_TRY(SUP_CALLOC(r->def->links, r->num_links));
  SUP_TRY(read_links(r, order));
  SUP_TRY(sup_urdf_check_meshes(r));
  note_free_joints(r);
  for (const sup_xml_node *c = sup_xml_first(robot); c; c = sup_xml_next(c))
    if (sup_xml_is(c, "transmission")) SUP_TRY(read_transmission(r, c));
  SUP_TRY(sup_urdf_read_filters(r, robot));
  if (r->hulls > 0)
    sup_log(SUP_LOG_NOTE,
            "%s: %d collision mesh%s without <drake:declare_convex/>: the convex hull is used",
            r->path, r->hulls, r->hulls == 1 ? "" : "es");
  if (r->missing_visual_meshes > 0)
    sup_log(SUP_LOG_NOTE,
            "%s: %d of %d visual meshes were not found; visual geometry is not used: %s%s", r->path,
            r->missing_visual_meshes, r->visuals.count, r->visuals.text,
            r->visuals.count > r->visuals.listed ? ", ..." : "");
  return SUP_OK;
}

sup_status sup_urdf_read(sup_tree_def *def, const char *path, const char *const *package_paths,
                         int num_package_paths) {
  sup_urdf_context context = {sup_default_contact_def(), package_paths, num_package_paths, NULL,
                              NULL};
  sup_status       status = sup_urdf_read_with(def, path, &context);
  return status;
}

sup_status sup_urdf_read_with(sup_tree_def *def, const char *path,
                              const sup_urdf_context *context) {
  sup_status       status;
  sup_xml         *xml = NULL;
  sup_urdf_reader *reader = NULL;
  *def = sup_default_tree_def();
  SUP_TRY_GOTO(SUP_CALLOC(reader, 1), status, done);
  reader->path = path, reader->def = def, reader->context = context;
  SUP_TRY_GOTO(sup_xml_read(&xml, path), status, done);
  SUP_TRY_GOTO(read_robot(reader, sup_xml_root(xml)), status, done);
done:
  sup_xml_destroy(&xml);
  SUP_FREE(reader);
  if (status != SUP_OK) sup_tree_def_free(def);
  return status;
}
