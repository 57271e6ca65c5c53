#include "scene/robot/mjcf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "scene/robot/mjcf_parts.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* ---- compiler -------------------------------------------------------------------------------- */

static bool is_word(const sup_xml_node *node, const char *name, const char *word) {
  const char *value = sup_xml_attribute(node, name);
  return value && strcmp(value, word) == 0;
}

/** Attributes that are absent keep what an earlier element says. */
static sup_status read_compiler(sup_mjcf *m, const sup_xml_node *node) {
  sup_mjcf_compiler *c = &m->compiler;
  const char        *angle = sup_xml_attribute(node, "angle"),
             *sequence = sup_xml_attribute(node, "eulerseq"),
             *mesh = sup_xml_attribute(node, "meshdir"),
             *asset = sup_xml_attribute(node, "assetdir");
  sup_mjcf_note_attributes(m, node,
                           "angle eulerseq meshdir assetdir texturedir autolimits balanceinertia "
                           "boundmass boundinertia settotalmass inertiafromgeom inertiagrouprange "
                           "coordinate discardvisual fusestatic usethread fitaabb");
  if (is_word(node, "coordinate", "global"))
    return SUP_XML_FAIL(node, "coordinate=\"%s\" is not possible; local coordinates are", "global");
  if (angle) c->is_radian = strcmp(angle, "radian") == 0;
  if (sequence && (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3))
    return SUP_XML_FAIL(node, "eulerseq is '%s'; it must be three of x, y, z, X, Y, Z", sequence);
  if (sequence) memcpy(c->eulerseq, sequence, sizeof c->eulerseq);
  if (mesh) c->mesh_folder = mesh;
  if (asset) c->asset_folder = asset;
  if (sup_xml_attribute(node, "autolimits"))
    c->has_no_autolimits = is_word(node, "autolimits", "false");
  if (sup_xml_attribute(node, "balanceinertia"))
    c->balances = is_word(node, "balanceinertia", "true");
  c->ignores_inertial |= is_word(node, "inertiafromgeom", "true");
  c->needs_inertial |= is_word(node, "inertiafromgeom", "false");
  SUP_TRY(sup_xml_not_negative(node, "boundmass", &c->bound_mass));
  SUP_TRY(sup_xml_not_negative(node, "boundinertia", &c->bound_inertia));
  SUP_TRY(sup_xml_optional_numbers(node, "settotalmass", 1, &c->total_mass));
  SUP_TRY(sup_xml_optional_numbers(node, "inertiagrouprange", 2, c->groups));
  return SUP_OK;
}

/* ---- links ----------------------------------------------------------------------------------- */

/** Append a link; `joint` is NULL where the name is that of the body itself. */
static sup_status add_link(sup_mjcf *m, const sup_xml_node *node, int parent, const char *body,
                           const char *joint, sup_link_def **link) {
  sup_tree_def *def = m->r->def;
  char          name[2 * SUP_NAME_MAX + 2];
  snprintf(name, sizeof name, "%.*s%s%.*s", SUP_NAME_MAX, body, joint ? ":" : "", SUP_NAME_MAX,
           joint ? joint : "");
  if (!*name || strlen(name) >= SUP_NAME_MAX)
    return SUP_XML_FAIL(node, "a link's name must have 1 to %d characters; found '%.80s'",
                        SUP_NAME_MAX - 1, name);
  for (int i = 0; i < def->num_links; i++)
    if (strcmp(def->links[i].name, name) == 0)
      return SUP_XML_FAIL(node, "a second body is named '%s'", name);
  if (def->num_links == SUP_ROBOT_MAX_LINKS)
    return SUP_XML_FAIL(node, "more than %d bodies and joints are not possible",
                        SUP_ROBOT_MAX_LINKS);
  *link = &def->links[def->num_links++];
  **link = sup_default_link_def();
  (*link)->parent = parent;
  SUP_TRY(sup_text_copy((*link)->name, sizeof(*link)->name, name));
  return SUP_OK;
}

/* ---- joints ---------------------------------------------------------------------------------- */

typedef struct joint {
  const sup_xml_node *node;
  int class;
  sup_frame X; /* of the <frame>s about it, in the body */
} joint;

/** The file's limits, of which `limited` says whether they act; by itself where there are some. */
static sup_status read_limits(sup_mjcf *m, const joint *j, double unit, sup_link_def *link) {
  double              range[2] = {0}, force[2] = {0};
  const sup_xml_node *holder = sup_mjcf_holder(m, j->node, j->class, "range");
  const char         *limited = sup_mjcf_text(m, j->node, j->class, "limited");
  bool                is_limited = limited && strcmp(limited, "auto") != 0
                                       ? strcmp(limited, "true") == 0
                                       : holder && !m->compiler.has_no_autolimits;
  SUP_TRY(sup_mjcf_numbers(m, j->node, j->class, "range", 2, range));
  if (is_limited && !sup_joint_is_single(link->joint)) {
    if (sup_robot_first_mention(m->r, "range of a ball"))
      sup_log(SUP_LOG_WARNING,
              "%s:%ld: the range of joint '%s' is not used; hinges and slides "
              "have limits",
              sup_xml_path(j->node), sup_xml_line(j->node), link->joint_name);
  } else if (is_limited) {
    if (range[0] > range[1])
      return SUP_XML_FAIL(
          j->node, "joint '%s' has limits from %g to %g; the lower one must not be above the upper",
          link->joint_name, range[0], range[1]);
    link->lower = unit * range[0], link->upper = unit * range[1];
  }
  if (sup_mjcf_holder(m, j->node, j->class, "actuatorfrcrange")) {
    SUP_TRY(sup_mjcf_numbers(m, j->node, j->class, "actuatorfrcrange", 2, force));
    link->effort_limit = fmax(fabs(force[0]), fabs(force[1]));
    if (force[0] != -force[1])
      sup_log(SUP_LOG_WARNING,
              "%s:%ld: joint '%s' has efforts from %g to %g; both ways up to %g act",
              sup_xml_path(j->node), sup_xml_line(j->node), link->joint_name, force[0], force[1],
              link->effort_limit);
  }
  return SUP_OK;
}

/** Springs, dampers, the rotor; q is that of MuJoCo, which is `ref` in the pose of the file. */
static sup_status read_dynamics(sup_mjcf *m, const joint *j, double unit, sup_link_def *link) {
  double reference = 0;
  struct {
    const char *name;
    double     *to;
  } numbers[] = {{"damping", &link->damping},       {"stiffness", &link->spring},
                 {"armature", &link->armature},     {"frictionloss", &link->friction},
                 {"springref", &link->spring_rest}, {"ref", &reference}};
  for (int k = 0; k < COUNT(numbers); k++) {
    SUP_TRY(sup_mjcf_numbers(m, j->node, j->class, numbers[k].name, 1, numbers[k].to));
    if (k < 4 && !(*numbers[k].to >= 0))
      return SUP_XML_FAIL(j->node, "joint '%s' has %s %g; it must be 0 or more", link->joint_name,
                          numbers[k].name, *numbers[k].to);
  }
  sup_robot_check_friction(m->r, j->node, link);
  if (link->spring > 0 && !sup_joint_is_single(link->joint)) {
    link->spring = 0;
    sup_log(SUP_LOG_NOTE, "%s:%ld: joint '%s' has several coordinates; its stiffness is left out",
            m->r->path, sup_xml_line(j->node), link->joint_name);
  }
  if (!sup_joint_is_single(link->joint)) return SUP_OK;
  link->spring_rest *= unit, reference *= unit;
  link->q0[0] = reference;
  sup_frame X = sup_frame_from_pose(&link->X_PJ), back = sup_frame_identity();
  sup_v3    way = sup_v3_scale(-reference, sup_v3_load(link->axis));
  if (link->joint == SUP_JOINT_REVOLUTE)
    back.R = sup_quat_matrix(sup_quat_exp(way));
  else
    back.p = way;
  X = sup_frame_mul(&X, &back);
  if (reference != 0) link->X_PJ = sup_pose_from_frame(&X);
  return SUP_OK;
}

static sup_status read_type(sup_mjcf *m, const joint *j, sup_joint_type *type) {
  static const char *const    names[] = {"hinge", "slide", "ball", "free"};
  static const sup_joint_type types[] = {SUP_JOINT_REVOLUTE, SUP_JOINT_PRISMATIC, SUP_JOINT_BALL,
                                         SUP_JOINT_FLOATING};
  const char                 *word =
      sup_xml_is(j->node, "freejoint") ? "free" : sup_mjcf_text(m, j->node, j->class, "type");
  for (int k = 0; k < COUNT(names); k++)
    if (strcmp(word ? word : "hinge", names[k]) == 0) {
      *type = types[k];
      return SUP_OK;
    }
  return SUP_XML_FAIL(j->node, "a joint has the type '%s'; known: hinge, slide, ball, free", word);
}

/** The link that joint j of a body carries: the body itself, or a massless one before it.
 *  @param[in,out] X  its frame in the parent link; then the body's in its own */
static sup_status add_joint(sup_mjcf *m, const joint *j, const char *body, bool is_last,
                            int *parent, sup_frame *X) {
  const double   degree = acos(-1.0) / 180;
  char           number[32];
  const char    *name = sup_xml_attribute(j->node, "name");
  double         p[3] = {0}, axis[3] = {0, 0, 1};
  sup_link_def  *link;
  sup_joint_type type = SUP_JOINT_FIXED;
  snprintf(number, sizeof number, "joint%d", m->num_joints++);
  if (!name) name = number;
  SUP_TRY(read_type(m, j, &type));
  SUP_TRY(sup_mjcf_numbers(m, j->node, j->class, "pos", 3, p));
  SUP_TRY(sup_mjcf_numbers(m, j->node, j->class, "axis", 3, axis));
  sup_frame at = {sup_m3_identity(), sup_frame_apply(&j->X, sup_v3_load(p))}; /* in the body */
  if (type == SUP_JOINT_PRISMATIC || type == SUP_JOINT_FLOATING) at.p = sup_v3_make(0, 0, 0);
  bool is_body = is_last && sup_v3_norm(at.p) == 0;
  SUP_TRY(add_link(m, j->node, *parent, body, is_body ? NULL : name, &link));
  link->joint = type;
  SUP_TRY(sup_text_copy(link->joint_name, sizeof link->joint_name, name));
  sup_v3 direction = sup_m3_apply(j->X.R, sup_v3_load(axis));
  if (!(sup_v3_norm(direction) > 0))
    return SUP_XML_FAIL(j->node, "joint '%s' has the axis (%g %g %g); it must be a direction", name,
                        axis[0], axis[1], axis[2]);
  sup_v3_store(link->axis, sup_v3_unit(direction));
  *X = sup_frame_mul(X, &at);
  link->X_PJ = sup_pose_from_frame(X);
  if (type == SUP_JOINT_FLOATING) {
    memcpy(link->q0, &link->X_PJ, sizeof link->X_PJ);
    link->X_PJ = sup_pose_identity();
    SUP_TRY(read_dynamics(m, j, 1, link));
  } else {
    double unit = type == SUP_JOINT_PRISMATIC || m->compiler.is_radian ? 1 : degree;
    SUP_TRY(read_limits(m, j, unit, link));
    SUP_TRY(read_dynamics(m, j, unit, link));
  }
  *parent = m->r->def->num_links - 1;
  *X = (sup_frame){sup_m3_identity(), sup_v3_scale(-1, at.p)};
  return SUP_OK;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/** A body that is to be read, once its parent is. */
typedef struct body {
  const sup_xml_node *node;
  int                 parent; /* link */
  sup_frame           X;      /* of the <frame>s about it, in the parent */
  int                 childclass;
} body;

typedef struct body_list {
  body  *at;
  int    count;
  size_t capacity;
} body_list;

static sup_status add_joints(sup_mjcf *m, const body *b, const char *name, int childclass) {
  enum { MOST = 6 };
  joint               joints[MOST];
  int                 count = 0, parent = b->parent;
  const sup_xml_node *c;
  sup_frame           X;
  sup_mjcf_children   at = sup_mjcf_children_of(b->node, childclass);
  SUP_TRY(sup_mjcf_place(m, b->node, SUP_NONE, &X));
  X = sup_frame_mul(&b->X, &X);
  for (;;) {
    SUP_TRY(sup_mjcf_next(m, &at, &c));
    if (!c) break;
    if (sup_xml_is(c, "joint") || sup_xml_is(c, "freejoint")) {
      if (count == MOST) return SUP_XML_FAIL(c, "body '%s' has more than %d joints", name, MOST);
      sup_mjcf_note_attributes(m, c,
                               "type pos axis range limited damping stiffness armature "
                               "frictionloss springref ref actuatorfrcrange align");
      joints[count] = (joint){.node = c, .X = at.level[at.depth].X};
      SUP_TRY(sup_mjcf_class(m, c, "class", at.level[at.depth].childclass, &joints[count].class));
      count++;
    }
  }
  for (int k = 0; k < count; k++)
    SUP_TRY(add_joint(m, &joints[k], name, k + 1 == count, &parent, &X));
  if (count > 0 && sup_v3_norm(X.p) == 0) return SUP_OK;
  sup_link_def *link;
  SUP_TRY(add_link(m, b->node, parent, name, NULL, &link));
  link->X_PJ = sup_pose_from_frame(&X);
  if (count > 0) snprintf(link->joint_name, sizeof link->joint_name, "%.60s:0", name);
  return SUP_OK;
}

/** Warn once of what would add bodies or vertices. */
static void note_part(sup_mjcf *m, const sup_xml_node *node) {
  static const char *const known[] = {"joint", "freejoint", "inertial", "site", "camera", "light"};
  for (int k = 0; k < COUNT(known); k++)
    if (sup_xml_is(node, known[k])) return;
  if (sup_robot_first_mention(m->r, sup_xml_name(node)))
    sup_log(SUP_LOG_WARNING, "%s:%ld: <%s> is not read; what it would add is missing",
            sup_xml_path(node), sup_xml_line(node), sup_xml_name(node));
}

/** Geoms, inertia and further bodies of a body. */
static sup_status read_parts(sup_mjcf *m, const sup_xml_node *node, int childclass, int link,
                             body_list *bodies) {
  const sup_xml_node *c, *inertial = sup_xml_child(node, "inertial");
  sup_mjcf_children   at = sup_mjcf_children_of(node, childclass);
  sup_mjcf_mass       sum = {.mass = 0};
  size_t              capacity = 0;
  if (m->compiler.ignores_inertial) inertial = NULL;
  bool weighs = link > 0 && !inertial && !m->compiler.needs_inertial;
  for (;;) {
    SUP_TRY(sup_mjcf_next(m, &at, &c));
    if (!c) break;
    if (sup_xml_is(c, "inertial") && c != sup_xml_child(node, "inertial"))
      sup_log(SUP_LOG_WARNING, "%s:%ld: <inertial> is read as a child of its <body> alone",
              sup_xml_path(c), sup_xml_line(c));
    const sup_frame *X = &at.level[at.depth].X;
    int class = at.level[at.depth].childclass;
    if (sup_xml_is(c, "body")) {
      SUP_TRY(SUP_GROW(bodies->at, bodies->capacity, bodies->count + 1));
      bodies->at[bodies->count++] = (body){c, link, *X, class};
    } else if (sup_xml_is(c, "geom")) {
      SUP_TRY(sup_mjcf_read_geom(m, c, X, class, link, &capacity, weighs ? &sum : NULL));
    } else {
      note_part(m, c);
    }
  }
  if (link > 0) SUP_TRY(sup_mjcf_set_inertia(m, inertial, &sum, &m->r->def->links[link]));
  return SUP_OK;
}

static void turn_round(body *at, int count) {
  for (int i = 0; i < count / 2; i++) {
    body other = at[i];
    at[i] = at[count - 1 - i], at[count - 1 - i] = other;
  }
}

/** Bodies in the order of the file, parents first: the children of the last one are next. */
static sup_status read_bodies(sup_mjcf *m, const sup_xml_node *world, body_list *bodies) {
  int first = bodies->count;
  SUP_TRY(read_parts(m, world, SUP_NONE, 0, bodies));
  turn_round(bodies->at + first, bodies->count - first);
  while (bodies->count > 0) {
    body        b = bodies->at[--bodies->count];
    char        number[32];
    const char *name = sup_xml_attribute(b.node, "name");
    int         childclass;
    snprintf(number, sizeof number, "body%d", ++m->num_bodies);
    if (!name) name = number;
    sup_mjcf_note_attributes(m, b.node, "pos quat axisangle euler xyaxes zaxis");
    SUP_TRY(sup_mjcf_class(m, b.node, "childclass", b.childclass, &childclass));
    first = m->r->def->num_links;
    SUP_TRY(add_joints(m, &b, name, childclass));
    while (first < m->r->def->num_links) m->parent_body[first++] = b.parent;
    first = bodies->count;
    SUP_TRY(read_parts(m, b.node, childclass, m->r->def->num_links - 1, bodies));
    turn_round(bodies->at + first, bodies->count - first);
  }
  return SUP_OK;
}

/** Scale all masses to a sum. */
static void scale_mass(sup_tree_def *def, double wanted) {
  double total = 0;
  for (int i = 0; i < def->num_links; i++) total += def->links[i].mass;
  for (int i = 0; i < def->num_links && wanted > 0 && total > 0; i++) {
    def->links[i].mass *= wanted / total;
    for (int k = 0; k < 6; k++) def->links[i].inertia[k] *= wanted / total;
  }
}

/* ---- the model ------------------------------------------------------------------------------- */

typedef sup_status (*section_reader)(sup_mjcf *m, const sup_xml_node *section);

/** Call `read` for each section of this name; there may be several. */
static sup_status for_each(sup_mjcf *m, const char *name, section_reader read) {
  const sup_xml_node *c;
  sup_mjcf_children   top = sup_mjcf_children_of(m->root, SUP_NONE);
  for (;;) {
    SUP_TRY(sup_mjcf_next(m, &top, &c));
    if (!c) break;
    if (sup_xml_is(c, name)) SUP_TRY(read(m, c));
  }
  return SUP_OK;
}

static sup_status read_world(sup_mjcf *m, const sup_xml_node *world) {
  body_list  bodies = {.count = 0};
  sup_status status = read_bodies(m, world, &bodies);
  SUP_FREE(bodies.at);
  return status;
}

/** Sections that are neither read nor a matter of looks. */
static sup_status note_sections(sup_mjcf *m) {
  static const char *const used[] = {"compiler",  "default",  "asset",    "worldbody",
                                     "contact",   "equality", "actuator", "visual",
                                     "statistic", "custom",   "keyframe"};
  const sup_xml_node      *c;
  sup_mjcf_children        top = sup_mjcf_children_of(m->root, SUP_NONE);
  for (;;) {
    SUP_TRY(sup_mjcf_next(m, &top, &c));
    if (!c) return SUP_OK;
    bool is_used = false;
    for (int k = 0; k < COUNT(used); k++) is_used |= sup_xml_is(c, used[k]);
    if (!is_used) sup_robot_warn_unknown(m->r, c, used, COUNT(used));
  }
}

static sup_status read_model(sup_mjcf *m) {
  sup_link_def *world;
  const char   *name = sup_xml_attribute(m->root, "model");
  if (!sup_xml_is(m->root, "mujoco"))
    return SUP_XML_FAIL(m->root, "the file begins with <%s>; an MJCF file begins with <mujoco>",
                        sup_xml_name(m->root));
  snprintf(m->r->def->name, sizeof m->r->def->name, "%.*s", SUP_NAME_MAX - 1,
           name ? name : "model");
  SUP_TRY(SUP_CALLOC(m->r->def->links, SUP_ROBOT_MAX_LINKS));
  m->r->def->base_touches = 1;
  SUP_TRY(note_sections(m));
  SUP_TRY(for_each(m, "compiler", read_compiler));
  SUP_TRY(sup_mjcf_read_defaults(m, m->root));
  SUP_TRY(add_link(m, m->root, SUP_NONE, "world", NULL, &world));
  SUP_TRY(for_each(m, "worldbody", read_world));
  scale_mass(m->r->def, m->compiler.total_mass);
  SUP_TRY(sup_mjcf_filter(m));
  SUP_TRY(for_each(m, "contact", sup_mjcf_read_contact));
  SUP_TRY(for_each(m, "keyframe", sup_mjcf_read_keyframes));
  if (m->r->context->keyframe && !m->key)
    return SUP_XML_FAIL(m->root, "there is no keyframe '%s'; known: %s", m->r->context->keyframe,
                        m->keys.count ? m->keys.text : "none");
  SUP_TRY(for_each(m, "equality", sup_mjcf_read_equality)); /* drives go to joints that lead */
  SUP_TRY(for_each(m, "actuator", sup_mjcf_read_actuators));
  return SUP_OK;
}

static sup_status read_root(sup_robot_reader *r, const sup_xml_node *root) {
  sup_mjcf m = {.r = r, .root = root, .compiler = {.eulerseq = "xyz", .groups = {0, 5}}};
  m.compiler.total_mass = -1;
  sup_status status = read_model(&m);
  for (int i = 0; i < m.num_files; i++) sup_xml_destroy(&m.file[i]);
  SUP_FREE_ALL(&m.defaults, &m.touch);
  return status;
}

sup_status sup_mjcf_read(sup_tree_def *def, const char *path, const sup_robot_context *context) {
  static const sup_robot_format mjcf = {.read = read_root};
  SUP_TRY(sup_robot_read(def, path, &mjcf, context));
  return SUP_OK;
}
