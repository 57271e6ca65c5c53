/* Parts of a robot's description that URDF, SDF and MJCF share: what the log is told once, links
 * and joints by name, the order of the links. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/vec.h"
#include "scene/robot/package.h"
#include "scene/robot/robot_reader.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* ---- warnings of the log --------------------------------------------------------------------- */

int sup_robot_list_add(sup_robot_list *list, const char *what) {
  size_t used = strlen(list->text), length = strlen(what);
  for (const char *at = list->text; length > 0 && (at = strstr(at, what)) != NULL; at += length)
    if ((at == list->text || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0')) return 0;
  list->count++;
  if (list->count - 1 > list->listed || used + length + 3 > sizeof list->text) return 1;
  snprintf(list->text + used, sizeof list->text - used, "%s%s", used ? ", " : "", what);
  list->listed++;
  return 1;
}

int sup_robot_first_mention(sup_robot_reader *r, const char *what) {
  for (int i = 0; i < r->num_noted; i++)
    if (strncmp(r->noted[i], what, SUP_ROBOT_NOTED_SIZE - 1) == 0) return 0;
  if (r->num_noted == SUP_ROBOT_MAX_NOTED) return 0;
  snprintf(r->noted[r->num_noted++], SUP_ROBOT_NOTED_SIZE, "%.*s", SUP_ROBOT_NOTED_SIZE - 1, what);
  return 1;
}

/** Note once a file that an element says something we do not use. */
static void note_unused(sup_robot_reader *r, const sup_xml_node *node) {
  if (sup_robot_first_mention(r, sup_xml_name(node)))
    sup_log(SUP_LOG_NOTE, "%s:%ld: <%s> is not used", r->path, sup_xml_line(node),
            sup_xml_name(node));
}

void sup_robot_warn_unknown(sup_robot_reader *r, const sup_xml_node *node, const char *const *known,
                            int n) {
  const char *name = sup_xml_name(node);
  int         nearest = sup_text_nearest(name, known, n);
  if (nearest == SUP_NONE || strcmp(name, known[nearest]) == 0) {
    note_unused(r, node);
  } else if (sup_robot_first_mention(r, name)) {
    sup_log(SUP_LOG_WARNING, "%s:%ld: <%s> is not known and not used; did you mean <%s>?", r->path,
            sup_xml_line(node), name, known[nearest]);
  }
}

void sup_robot_check_attributes(sup_robot_reader *r, const sup_xml_node *node,
                                const char *const *known, int n) {
  const char *name;
  for (int k = 0; (name = sup_xml_attribute_name(node, k)) != NULL; k++) {
    char what[SUP_ROBOT_NOTED_SIZE], list[128] = "";
    int  found = 0;
    for (int i = 0; i < n; i++) {
      found |= strcmp(name, known[i]) == 0;
      snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", known[i]);
    }
    snprintf(what, sizeof what, "%.50s %.50s", sup_xml_name(node), name);
    if (!found && sup_robot_first_mention(r, what))
      sup_log(SUP_LOG_WARNING,
              "%s:%ld: attribute '%s' of <%s> is not known and not used; known: %s", r->path,
              sup_xml_line(node), name, sup_xml_name(node), list);
  }
}

/* ---- the tree -------------------------------------------------------------------------------- */

sup_status sup_robot_element_name(const sup_xml_node *node, const char *what, const char **name) {
  SUP_TRY(sup_xml_text(node, "name", name));
  if (!**name || strlen(*name) >= SUP_NAME_MAX)
    return SUP_XML_FAIL(node, "a %s's name must have 1 to %d characters; found '%.80s'", what,
                        SUP_NAME_MAX - 1, *name);
  return SUP_OK;
}

sup_status sup_robot_add_link(sup_robot_reader *r, const sup_xml_node *node, const char *name) {
  for (int i = 0; i < r->num_links; i++)
    if (strcmp(r->links[i].name, name) == 0)
      return SUP_XML_FAIL(node, "a second link is named '%s'; the first is in line %ld", name,
                          sup_xml_line(r->links[i].node));
  if (r->num_links == SUP_ROBOT_MAX_LINKS)
    return SUP_XML_FAIL(node, "more than %d links are not possible", SUP_ROBOT_MAX_LINKS);
  r->links[r->num_links++] = (sup_robot_link){name, node, SUP_NONE, SUP_NONE};
  return SUP_OK;
}

sup_status sup_robot_find_link(const sup_robot_reader *r, const sup_xml_node *node,
                               const char *joint, const char *name, int *link) {
  const char *known[SUP_ROBOT_MAX_LINKS];
  for (*link = 0; *link < r->num_links; ++*link) {
    known[*link] = r->links[*link].name;
    if (strcmp(r->links[*link].name, name) == 0) return SUP_OK;
  }
  int nearest = sup_text_nearest(name, known, r->num_links);
  return SUP_XML_FAIL(node, "joint '%s' names the link '%s', which is not defined%s%s%s", joint,
                      name, nearest == SUP_NONE ? "" : "; did you mean '",
                      nearest == SUP_NONE ? "" : known[nearest], nearest == SUP_NONE ? "" : "'?");
}

sup_status sup_robot_add_joint(sup_robot_reader *r, const sup_robot_joint *joint) {
  for (int i = 0; i < r->num_joints; i++)
    if (strcmp(r->joints[i].name, joint->name) == 0)
      return SUP_XML_FAIL(joint->node, "a second joint is named '%s'; the first is in line %ld",
                          joint->name, sup_xml_line(r->joints[i].node));
  sup_robot_link *carried = &r->links[joint->child];
  if (carried->parent_joint != SUP_NONE)
    return SUP_XML_FAIL(joint->node,
                        "link '%s' is the child of joint '%s' and of joint '%s' (line %ld); a "
                        "link has one parent",
                        carried->name, joint->name, r->joints[carried->parent_joint].name,
                        sup_xml_line(r->joints[carried->parent_joint].node));
  carried->parent_joint = r->num_joints; /* one parent a link: never more joints than links */
  r->joints[r->num_joints++] = *joint;
  return SUP_OK;
}

static sup_status find_root(const sup_robot_reader *r, int *root) {
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

sup_status sup_robot_order_links(sup_robot_reader *r, int *order) {
  int count = 0, root, link;
  SUP_TRY(find_root(r, &root));
  link = root;
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

sup_status sup_robot_find_leader(const sup_robot_reader *r, const sup_xml_node *node,
                                 const char *name, sup_link_def *link) {
  const char *known[SUP_ROBOT_MAX_LINKS];
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

/* ---- links and joints ------------------------------------------------------------------------ */

void sup_robot_turn(sup_pose *pose, const double rpy[3]) {
  sup_quat q = sup_quat_mul(sup_quat_exp(sup_v3_make(0, 0, rpy[2])),
                            sup_quat_mul(sup_quat_exp(sup_v3_make(0, rpy[1], 0)),
                                         sup_quat_exp(sup_v3_make(rpy[0], 0, 0))));
  q = sup_quat_unit(q);
  pose->q[0] = q.w, pose->q[1] = q.x, pose->q[2] = q.y, pose->q[3] = q.z;
}

static sup_status read_inertial(sup_robot_reader *r, const sup_xml_node *node, sup_link_def *link) {
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
  sup_robot_check_attributes(r, mass, mass_has, 1);
  sup_robot_check_attributes(r, inertia, names, 6);
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
  SUP_TRY(r->format->read_pose(r, node, link, &pose));
  sup_frame X = sup_frame_from_pose(&pose);
  sup_m3    full = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
  full = sup_m3_mul(sup_m3_mul(X.R, full), sup_m3_transpose(X.R)); /* into the link's axes */
  memcpy(link->com, pose.p, sizeof link->com);
  for (int k = 0; k < 3; k++) link->inertia[k] = full.m[k][k];
  link->inertia[3] = full.m[0][1], link->inertia[4] = full.m[0][2], link->inertia[5] = full.m[1][2];
  return SUP_OK;
}

/** Note the name of a visual's mesh, which is not read, and count it if its file is missing. */
static void look_at_visual(sup_robot_reader *r, const sup_xml_node *node) {
  const sup_xml_node *geometry = sup_xml_child(node, "geometry"),
                     *mesh = geometry ? sup_xml_child(geometry, "mesh") : NULL;
  const char *uri = mesh ? sup_xml_attribute(mesh, "filename") : NULL;
  if (mesh && !uri) uri = sup_xml_attribute(mesh, "uri");
  char path[4096];
  if (!uri) return;
  const char *slash = strrchr(uri, '/');
  if (!sup_robot_list_add(&r->visuals, slash ? slash + 1 : uri)) return;
  if (sup_package_find(path, sizeof path, r->path, uri, r->context->package_paths,
                       r->context->num_package_paths) != SUP_OK)
    r->missing_visual_meshes++;
}

sup_status sup_robot_read_link(sup_robot_reader *r, const sup_xml_node *node, sup_link_def *link) {
  int collisions = 0, visuals = 0, inertials = 0;
  for (const sup_xml_node *c = sup_xml_first(node); c; c = sup_xml_next(c)) {
    collisions += sup_xml_is(c, "collision");
    visuals += r->context->has_visuals && sup_xml_is(c, "visual");
  }
  SUP_TRY(SUP_CALLOC(link->geometries, collisions));
  SUP_TRY(SUP_CALLOC(link->visuals, visuals));
  for (const sup_xml_node *c = sup_xml_first(node); c; c = sup_xml_next(c)) {
    if (sup_xml_is(c, "inertial")) {
      if (inertials++)
        return SUP_XML_FAIL(c, "link '%s' has a second <inertial>; it must have one", link->name);
      SUP_TRY(read_inertial(r, c, link));
    } else if (sup_xml_is(c, "collision")) {
      SUP_TRY(sup_robot_read_collision(r, c, link));
    } else if (sup_xml_is(c, "visual")) {
      if (visuals > 0)
        SUP_TRY(sup_robot_read_visual(r, c, link));
      else
        look_at_visual(r, c);
    } else if (!r->format->link_pose || !sup_xml_is(c, r->format->link_pose)) {
      sup_robot_warn_unknown(r, c, r->format->link_children, r->format->num_link_children);
    }
  }
  return SUP_OK;
}

sup_status sup_robot_read_limits(sup_robot_reader *r, const sup_xml_node *node, int continuous,
                                 sup_link_def *link) {
  static const char *const known[] = {"lower", "upper", "effort", "velocity"};
  double                   unused = 0;
  sup_robot_check_attributes(r, node, known, COUNT(known));
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

/** Files from the wild give joints that do not move an axis, too, often of zeros. */
sup_status sup_robot_read_axis(sup_robot_reader *r, const sup_xml_node *node, sup_link_def *link) {
  static const char *const has[] = {"xyz"};
  double                   axis[3];
  if (link->joint == SUP_JOINT_FIXED || link->joint == SUP_JOINT_FLOATING) return SUP_OK;
  sup_robot_check_attributes(r, node, has, 1);
  SUP_TRY(sup_xml_numbers(node, "xyz", 3, axis));
  double length = sup_v3_norm(sup_v3_load(axis));
  if (!(length > 0) || !isfinite(length))
    return SUP_XML_FAIL(node, "joint '%s' has axis (%s); it must be a direction", link->joint_name,
                        sup_xml_attribute(node, "xyz"));
  for (int k = 0; k < 3; k++) link->axis[k] = axis[k] / length;
  return SUP_OK;
}

void sup_robot_check_friction(sup_robot_reader *r, const sup_xml_node *node, sup_link_def *link) {
  if (!(link->friction > 0) || sup_joint_is_single(link->joint)) return;
  link->friction = 0;
  if (sup_robot_first_mention(r, "friction of joints"))
    sup_log(SUP_LOG_NOTE,
            "%s:%ld: friction of joint '%s' is not used, only that of joints of one coordinate",
            r->path, sup_xml_line(node), link->joint_name);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void note_free_joints(const sup_robot_reader *r) {
  const sup_robot_list *list = &r->free_joints;
  if (list->count == 0) return;
  sup_log(SUP_LOG_NOTE,
          "%s:%ld: no limits on %d revolute or prismatic joint%s, which move%s freely: %s%s; "
          "<limit lower=\"..\" upper=\"..\"/> keeps a joint within limits, type continuous says "
          "that there are none",
          r->path, sup_xml_line(r->first_free), list->count, list->count == 1 ? "" : "s",
          list->count == 1 ? "s" : "", list->text, list->count > list->listed ? ", ..." : "");
}

static void note_meshes(const sup_robot_reader *r) {
  if (r->hulls > 0)
    sup_log(SUP_LOG_NOTE,
            "%s: %d collision mesh%s without <drake:declare_convex/>: the convex hull is used",
            r->path, r->hulls, r->hulls == 1 ? "" : "es");
  if (r->missing_visual_meshes > 0)
    sup_log(SUP_LOG_NOTE,
            r->context->has_visuals
                ? "%s: %d visual meshes, %d files, are not shown: %s%s"
                : "%s: %d of %d visual meshes were not found; visual geometry is not used: %s%s",
            r->path, r->missing_visual_meshes, r->visuals.count, r->visuals.text,
            r->visuals.count > r->visuals.listed ? ", ..." : "");
}

sup_status sup_robot_read(sup_tree_def *def, const char *path, const sup_robot_format *format,
                          const sup_robot_context *context) {
  sup_status        status;
  sup_xml          *xml = NULL;
  sup_robot_reader *reader = NULL;
  *def = sup_default_tree_def();
  SUP_TRY_GOTO(SUP_CALLOC(reader, 1), status, done);
  reader->path = path, reader->def = def, reader->context = context, reader->format = format;
  SUP_TRY_GOTO(sup_xml_read(&xml, path), status, done);
  SUP_TRY_GOTO(format->read(reader, sup_xml_root(xml)), status, done);
  SUP_TRY_GOTO(sup_robot_check_meshes(reader), status, done);
  note_free_joints(reader);
  note_meshes(reader);
done:
  sup_xml_destroy(&xml);
  SUP_FREE(reader);
  if (status != SUP_OK) sup_tree_def_free(def);
  return status;
}
