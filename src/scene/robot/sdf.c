#include "scene/robot/sdf.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "scene/robot/sdf_parts.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/** The reader of the format's functions, which get the shared one. */
typedef struct reader {
  sup_sdf *s;
  int      frame_of[SUP_ROBOT_MAX_LINKS]; /* of r->links; SUP_SDF_WORLD */
} reader;

/* ---- links ----------------------------------------------------------------------------------- */

static sup_status add_world(sup_robot_reader *r, reader *a, const sup_xml_node *model) {
  SUP_TRY(sup_robot_add_link(r, model, "world"));
  a->frame_of[0] = SUP_SDF_WORLD;
  return SUP_OK;
}

/** A joint or `static` may fix links to the world, which is a link then. */
static sup_status needs_world(sup_sdf *s, bool *needs) {
  *needs = s->rests;
  for (int i = 0; i < s->num_frames && !*needs; i++) {
    const sup_sdf_frame *f = &s->frame[i];
    const char          *parent;
    if (f->kind != SUP_SDF_JOINT) continue;
    SUP_TRY(sup_xml_text(f->node, "parent", &parent));
    *needs = strcmp(parent, "world") == 0;
  }
  return SUP_OK;
}

static sup_status collect_links(sup_robot_reader *r, reader *a) {
  const sup_sdf *s = a->s;
  bool           has_world;
  SUP_TRY(needs_world(a->s, &has_world));
  if (has_world) SUP_TRY(add_world(r, a, s->frame[0].node));
  for (int i = 0; i < s->num_frames; i++) {
    if (s->frame[i].kind != SUP_SDF_LINK) continue;
    SUP_TRY(sup_robot_add_link(r, s->frame[i].node, s->frame[i].name));
    a->frame_of[r->num_links - 1] = i;
  }
  if (r->num_links == 0) return SUP_XML_FAIL(s->frame[0].node, "the model has no <link>%s", "");
  return SUP_OK;
}

/** Link of a joint's <parent> or <child>, by the frame that it names. */
static sup_status joint_end(sup_robot_reader *r, reader *a, const sup_sdf_frame *joint,
                            const char *end, int *link) {
  const char *name;
  int         frame;
  SUP_TRY(sup_xml_text(joint->node, end, &name));
  SUP_TRY(sup_sdf_find(a->s, joint->node, joint->model, name, &frame));
  SUP_TRY(sup_sdf_link_of(a->s, frame, &frame));
  for (*link = 0; *link < r->num_links; ++*link)
    if (a->frame_of[*link] == frame) return SUP_OK;
  return SUP_XML_FAIL(joint->node, "the <%s> of joint '%s' is the world", end, joint->name);
}

static sup_status collect_joints(sup_robot_reader *r, reader *a) {
  for (int i = 0; i < a->s->num_frames; i++) {
    const sup_sdf_frame *f = &a->s->frame[i];
    sup_robot_joint      joint = {.name = f->name, .node = f->node};
    if (f->kind != SUP_SDF_JOINT) continue;
    SUP_TRY(joint_end(r, a, f, "parent", &joint.parent));
    SUP_TRY(joint_end(r, a, f, "child", &joint.child));
    if (joint.parent == joint.child)
      return SUP_XML_FAIL(f->node, "joint '%s' joins a link to itself", f->name);
    SUP_TRY(sup_robot_add_joint(r, &joint));
  }
  for (int i = 1; i < r->num_links && a->frame_of[0] == SUP_SDF_WORLD; i++) {
    sup_robot_joint free = {.name = r->links[i].name, .child = i};
    if (r->links[i].parent_joint == SUP_NONE) SUP_TRY(sup_robot_add_joint(r, &free));
  }
  return SUP_OK;
}

/** Pose of a collision or inertia in its link. */
static sup_status read_pose(sup_robot_reader *r, const sup_xml_node *part, const sup_link_def *link,
                            sup_pose *pose) {
  sup_sdf  *s = r->state;
  sup_frame X_WL, X_WG, X;
  int       frame = 0;
  while (frame < s->num_frames &&
         (s->frame[frame].kind != SUP_SDF_LINK || strcmp(s->frame[frame].name, link->name) != 0))
    frame++;
  SUP_TRY(sup_sdf_place(s, frame, &X_WL));
  SUP_TRY(sup_sdf_pose(s, part, s->frame[frame].model, frame, &X_WG));
  X = (sup_frame){sup_m3_mul(sup_m3_transpose(X_WL.R), X_WG.R),
                  sup_frame_apply_inverse(&X_WL, X_WG.p)};
  *pose = sup_pose_from_frame(&X);
  if (sup_xml_is(part, "collision")) SUP_TRY(sup_robot_turn_plane(part, pose));
  return SUP_OK;
}

/** SDF gives what has no <inertial> a mass. */
static void add_default_inertia(sup_robot_reader *r, const sup_xml_node *node, sup_link_def *link) {
  if (sup_xml_child(node, "inertial")) return;
  link->mass = link->inertia[0] = link->inertia[1] = link->inertia[2] = 1;
  if (sup_robot_first_mention(r, "inertial of SDF"))
    sup_log(SUP_LOG_NOTE,
            "%s:%ld: link '%s' has no <inertial>: it has the mass 1 kg and the moments 1 kg m^2, "
            "SDF's defaults",
            sup_xml_path(node), sup_xml_line(node), link->name);
}

/* ---- joints ---------------------------------------------------------------------------------- */

/** Direction of an axis in the world. */
static sup_status read_axis(sup_sdf *s, const sup_sdf_frame *joint, const sup_frame *X_WJ,
                            const char *which, sup_v3 *axis) {
  const sup_xml_node *node = sup_xml_child(joint->node, which),
                     *xyz = node ? sup_xml_child(node, "xyz") : NULL;
  const char *in = xyz ? sup_xml_attribute(xyz, "expressed_in") : NULL,
             *old = node ? sup_xml_attribute(node, "use_parent_model_frame") : NULL;
  double    a[3] = {0, 0, 1};
  sup_frame X = *X_WJ;
  int       frame = joint->model;
  if (!node) return SUP_XML_FAIL(joint->node, "joint '%s' has no <%s>", joint->name, which);
  SUP_TRY(sup_xml_optional_numbers(node, "xyz", 3, a));
  if (in && *in) SUP_TRY(sup_sdf_find(s, xyz, joint->model, in, &frame));
  if ((in && *in) || (old && (strcmp(old, "true") == 0 || strcmp(old, "1") == 0)))
    SUP_TRY(sup_sdf_place(s, frame, &X));
  if (!(sup_v3_norm(sup_v3_load(a)) > 0))
    return SUP_XML_FAIL(node, "joint '%s' has axis (%g %g %g); it must be a direction", joint->name,
                        a[0], a[1], a[2]);
  *axis = sup_v3_unit(sup_m3_apply(X.R, sup_v3_load(a)));
  return SUP_OK;
}

/** Limits of -1 on effort and velocity, and of 1e16 on positions, are none. */
static sup_status read_limits(const sup_xml_node *axis, bool has_limits, sup_link_def *link) {
  const sup_xml_node *limit = sup_xml_child(axis, "limit");
  const double        none = 1e15;
  double              lower = -HUGE_VAL, upper = HUGE_VAL, effort = -1, velocity = -1;
  if (!limit) return SUP_OK;
  SUP_TRY(sup_xml_optional_numbers(limit, "lower", 1, &lower));
  SUP_TRY(sup_xml_optional_numbers(limit, "upper", 1, &upper));
  SUP_TRY(sup_xml_optional_numbers(limit, "effort", 1, &effort));
  SUP_TRY(sup_xml_optional_numbers(limit, "velocity", 1, &velocity));
  if (effort >= 0 && effort < none) link->effort_limit = effort;
  if (velocity >= 0 && velocity < none) link->velocity_limit = velocity;
  if (!has_limits) return SUP_OK;
  if (lower > upper)
    return SUP_XML_FAIL(
        limit, "joint '%s' has limits from %g to %g; the lower one must not be above the upper",
        link->joint_name, lower, upper);
  if (lower > -none) link->lower = lower;
  if (upper < none) link->upper = upper;
  return SUP_OK;
}

static sup_status read_axis_numbers(sup_robot_reader *r, const sup_xml_node *joint,
                                    const char *which, sup_link_def *link) {
  const sup_xml_node *axis = sup_xml_child(joint, which),
                     *dynamics = axis ? sup_xml_child(axis, "dynamics") : NULL;
  const char *type = sup_xml_attribute(joint, "type");
  if (axis) SUP_TRY(read_limits(axis, strcmp(type, "continuous") != 0, link));
  if (!dynamics) return SUP_OK;
  SUP_TRY(sup_xml_not_negative(dynamics, "damping", &link->damping));
  SUP_TRY(sup_xml_not_negative(dynamics, "spring_stiffness", &link->spring));
  SUP_TRY(sup_xml_optional_numbers(dynamics, "spring_reference", 1, &link->spring_rest));
  SUP_TRY(sup_xml_not_negative(dynamics, "friction", &link->friction));
  sup_robot_check_friction(r, dynamics, link);
  return SUP_OK;
}

/** Way a turn [m/rad]: of screw_thread_pitch [m a turn], or of the older thread_pitch [rad/m]. */
static sup_status read_pitch(const sup_xml_node *joint, sup_link_def *link) {
  const double turn = 2 * acos(-1.0);
  double       way = 0, old = 0;
  SUP_TRY(sup_xml_optional_numbers(joint, "screw_thread_pitch", 1, &way));
  SUP_TRY(sup_xml_optional_numbers(joint, "thread_pitch", 1, &old));
  if (way == 0 && old != 0) way = -turn / old;
  if (way == 0) way = -turn; /* a thread_pitch of 1, SDF's default */
  link->pitch = way / turn;
  return SUP_OK;
}

static sup_status read_type(const sup_sdf_frame *joint, sup_joint_type *type, bool *is_universal) {
  static const char *const    names[] = {"fixed",     "revolute", "continuous", "universal",
                                         "prismatic", "ball",     "screw"};
  static const sup_joint_type types[] = {
      SUP_JOINT_FIXED,     SUP_JOINT_REVOLUTE, SUP_JOINT_REVOLUTE, SUP_JOINT_REVOLUTE,
      SUP_JOINT_PRISMATIC, SUP_JOINT_BALL,     SUP_JOINT_SCREW};
  const char *word;
  SUP_TRY(sup_xml_text(joint->node, "type", &word));
  *is_universal = strcmp(word, "universal") == 0;
  for (int k = 0; k < COUNT(names); k++) {
    *type = types[k];
    if (strcmp(word, names[k]) == 0) return SUP_OK;
  }
  return SUP_XML_FAIL(joint->node,
                      "joint '%s' has the type '%s'; known: fixed, revolute, continuous, "
                      "prismatic, ball, universal, screw",
                      joint->name, word);
}

/* ---- the tree -------------------------------------------------------------------------------- */

/** Frames of the links so far, in the order of the tree. */
typedef struct placed {
  sup_frame X[SUP_ROBOT_MAX_LINKS];
} placed;

static sup_status add_link(sup_robot_reader *r, placed *at, const sup_xml_node *node, int parent,
                           const char *name, const char *joint, const sup_frame *X_WL,
                           sup_link_def **link) {
  int       k = r->def->num_links;
  sup_frame X = *X_WL;
  if (k == SUP_ROBOT_MAX_LINKS)
    return SUP_XML_FAIL(node, "more than %d links are not possible", SUP_ROBOT_MAX_LINKS);
  *link = &r->def->links[k];
  **link = sup_default_link_def();
  r->def->num_links++;
  if (snprintf((*link)->name, SUP_NAME_MAX, "%s", name) >= SUP_NAME_MAX ||
      snprintf((*link)->joint_name, SUP_NAME_MAX, "%s", joint) >= SUP_NAME_MAX)
    return SUP_XML_FAIL(node, "a link's or joint's name must have 1 to %d characters: %s",
                        SUP_NAME_MAX - 1, name);
  at->X[k] = *X_WL;
  (*link)->parent = parent;
  if (parent != SUP_NONE)
    X = (sup_frame){sup_m3_mul(sup_m3_transpose(at->X[parent].R), X_WL->R),
                    sup_frame_apply_inverse(&at->X[parent], X_WL->p)};
  (*link)->X_PJ = sup_pose_from_frame(&X);
  return SUP_OK;
}

/** The links that a joint carries: a cross for the first axis of a universal joint, a massless one
 * where the joint is beside the child's origin, the child. */
static sup_status add_jointed(sup_robot_reader *r, reader *a, placed *at,
                              const sup_robot_link *link, int parent, const sup_frame *X_WC) {
  sup_sdf             *s = a->s;
  const double         same = 1e-12;
  const sup_sdf_frame *joint = NULL;
  const char          *name = r->joints[link->parent_joint].name;
  char                 aside[2 * SUP_NAME_MAX + 4], second[SUP_NAME_MAX + 4];
  sup_joint_type       type = SUP_JOINT_FIXED;
  sup_link_def        *def;
  bool                 is_universal = false;
  sup_frame            X_WJ, X = *X_WC;
  sup_v3               axis = {0, 0, 1};
  int                  frame = 0;
  while (s->frame[frame].kind != SUP_SDF_JOINT || strcmp(s->frame[frame].name, name) != 0) frame++;
  joint = &s->frame[frame];
  SUP_TRY(read_type(joint, &type, &is_universal));
  SUP_TRY(sup_sdf_place(s, frame, &X_WJ));
  bool is_aside = type != SUP_JOINT_FIXED && type != SUP_JOINT_PRISMATIC &&
                  sup_v3_norm(sup_v3_sub(X_WJ.p, X_WC->p)) > same;
  if (is_aside) X.p = X_WJ.p;
  snprintf(second, sizeof second, "%s:2", name);
  for (int k = 0; k < (is_universal ? 2 : 1); k++) {
    bool        is_child = !is_aside && k == is_universal;
    const char *which = k == 0 ? "axis" : "axis2";
    snprintf(aside, sizeof aside, "%s:%s", link->name, k == 0 ? name : second);
    SUP_TRY(add_link(r, at, joint->node, parent, is_child ? link->name : aside,
                     k == 0 ? name : second, &X, &def));
    def->joint = type;
    parent = r->def->num_links - 1;
    if (type == SUP_JOINT_FIXED) continue;
    SUP_TRY(read_axis_numbers(r, joint->node, which, def));
    if (type == SUP_JOINT_BALL) continue;
    SUP_TRY(read_axis(s, joint, &X_WJ, which, &axis));
    sup_v3_store(def->axis, sup_m3_apply_t(X.R, axis));
    if (type == SUP_JOINT_SCREW) SUP_TRY(read_pitch(joint->node, def));
  }
  snprintf(second, sizeof second, "%s:0", name);
  if (is_aside) SUP_TRY(add_link(r, at, joint->node, parent, link->name, second, X_WC, &def));
  return SUP_OK;
}

/** A link of the tree after its parent: the world, the root, one that floats, or one on a joint. */
static sup_status add_one(sup_robot_reader *r, reader *a, placed *at, int number) {
  sup_robot_link *link = &r->links[number];
  sup_link_def   *def;
  sup_frame       X;
  SUP_TRY(sup_sdf_place(a->s, a->frame_of[number], &X));
  const sup_robot_joint *joint =
      link->parent_joint == SUP_NONE ? NULL : &r->joints[link->parent_joint];
  int parent = joint ? r->links[joint->parent].index : SUP_NONE;
  if (joint && joint->node) {
    SUP_TRY(add_jointed(r, a, at, link, parent, &X));
  } else {
    SUP_TRY(add_link(r, at, link->node, parent, link->name, joint ? joint->name : "", &X, &def));
    if (joint && !a->s->rests) {
      def->joint = SUP_JOINT_FLOATING;
      memcpy(def->q0, &def->X_PJ, sizeof def->X_PJ);
      def->X_PJ = sup_pose_identity();
    }
  }
  link->index = r->def->num_links - 1;
  if (a->frame_of[number] == SUP_SDF_WORLD) return SUP_OK;
  def = &r->def->links[link->index];
  SUP_TRY(sup_robot_read_link(r, link->node, def));
  add_default_inertia(r, link->node, def);
  return SUP_OK;
}

/** <mimic> of an axis, or Drake's of a joint: q = multiplier (leader - reference) + offset. */
static sup_status read_mimic(sup_robot_reader *r, const sup_robot_joint *joint) {
  const sup_xml_node *axis = joint->node ? sup_xml_child(joint->node, "axis") : NULL,
                     *node = axis ? sup_xml_child(axis, "mimic") : NULL;
  const char   *name;
  double        reference = 0;
  sup_link_def *link = &r->def->links[r->links[joint->child].index];
  if (joint->node && !node) node = sup_xml_child(joint->node, "drake:mimic");
  if (!node) return SUP_OK;
  SUP_TRY(sup_xml_text(node, "joint", &name));
  SUP_TRY(sup_xml_optional_numbers(node, "multiplier", 1, &link->mimic_ratio));
  SUP_TRY(sup_xml_optional_numbers(node, "offset", 1, &link->mimic_offset));
  SUP_TRY(sup_xml_optional_numbers(node, "reference", 1, &reference));
  link->mimic_offset -= link->mimic_ratio * reference;
  SUP_TRY(sup_robot_find_leader(r, node, name, link));
  return SUP_OK;
}

static sup_status read_tree(sup_robot_reader *r, sup_sdf *s) {
  reader            a = {.s = s};
  int               order[SUP_ROBOT_MAX_LINKS];
  SUP_FREED placed *at = NULL;
  SUP_TRY(collect_links(r, &a));
  SUP_TRY(collect_joints(r, &a));
  SUP_TRY(sup_robot_order_links(r, order));
  SUP_TRY(SUP_CALLOC(r->def->links, SUP_ROBOT_MAX_LINKS));
  SUP_TRY(SUP_CALLOC(at, 1));
  for (int k = 0; k < r->num_links; k++) SUP_TRY(add_one(r, &a, at, order[k]));
  for (int k = 0; k < r->num_joints; k++) SUP_TRY(read_mimic(r, &r->joints[k]));
  SUP_TRY(sup_urdf_read_filters(r, s->frame[0].node));
  return SUP_OK;
}

static sup_status read_model(sup_robot_reader *r, const sup_xml_node *root, sup_sdf *s) {
  const sup_xml_node *model = sup_xml_child(root, "model");
  const char         *rests, *name;
  if (!sup_xml_is(root, "sdf"))
    return SUP_XML_FAIL(root, "the file begins with <%s>; an SDF file begins with <sdf>",
                        sup_xml_name(root));
  if (!model || sup_xml_child(root, "world"))
    return SUP_XML_FAIL(root, "<sdf> has %s; one <model> in it is read",
                        model ? "a <world>" : "no <model>");
  for (const sup_xml_node *c = sup_xml_first(root); c; c = sup_xml_next(c))
    if (sup_xml_is(c, "model") && c != model)
      sup_log(SUP_LOG_WARNING, "%s:%ld: the first <model> of a file is read, others are left out",
              sup_xml_path(c), sup_xml_line(c));
  rests = sup_xml_attribute(model, "static");
  s->rests = rests && (strcmp(rests, "true") == 0 || strcmp(rests, "1") == 0);
  SUP_TRY(sup_sdf_collect(s, model));
  SUP_TRY(sup_xml_text(model, "name", &name));
  snprintf(r->def->name, sizeof r->def->name, "%.*s", SUP_NAME_MAX - 1, name);
  SUP_TRY(read_tree(r, s));
  return SUP_OK;
}

static sup_status read_root(sup_robot_reader *r, const sup_xml_node *root) {
  sup_sdf   *s = NULL;
  sup_status status;
  SUP_TRY(SUP_CALLOC(s, 1));
  s->r = r, r->state = s;
  sup_xml_values_in_elements(sup_xml_document(root));
  status = read_model(r, root, s);
  for (int i = 0; i < s->num_files; i++) sup_xml_destroy(&s->file[i]);
  SUP_FREE(s);
  return status;
}

sup_status sup_sdf_read(sup_tree_def *def, const char *path, const sup_robot_context *context) {
  static const char *const link_children[] = {
      "inertial", "visual", "collision", "self_collide", "gravity", "enable_wind", "sensor"};
  static const sup_robot_format sdf = {read_root, read_pose, "pose", link_children,
                                       COUNT(link_children)};
  SUP_TRY(sup_robot_read(def, path, &sdf, context));
  return SUP_OK;
}
