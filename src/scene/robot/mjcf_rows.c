/* Pairs that touch, drives and constraints of an MJCF model. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/friction.h"
#include "scene/robot/mjcf_parts.h"

/** Note once a file what is left out, with the reason. */
static void note(sup_mjcf *m, const sup_xml_node *node, const char *reason) {
  char what[SUP_ROBOT_NOTED_SIZE];
  snprintf(what, sizeof what, "%.30s %.90s", sup_xml_name(node), reason);
  if (sup_robot_first_mention(m->r, what))
    sup_log(SUP_LOG_NOTE, "%s:%ld: <%s> is not used: %s", sup_xml_path(node), sup_xml_line(node),
            sup_xml_name(node), reason);
}

/** Number of the link of a body, or of the one that a joint carries. */
static sup_status find_link(const sup_mjcf *m, const sup_xml_node *node, const char *attribute,
                            bool is_joint, int *link) {
  const sup_tree_def *def = m->r->def;
  const char         *name, *known[SUP_ROBOT_MAX_LINKS];
  SUP_TRY(sup_xml_text(node, attribute, &name));
  for (*link = 0; *link < def->num_links; ++*link) {
    known[*link] = is_joint ? def->links[*link].joint_name : def->links[*link].name;
    if (strcmp(known[*link], name) == 0) return SUP_OK;
  }
  int nearest = sup_text_nearest(name, known, def->num_links);
  return SUP_XML_FAIL(node, "<%s> names the %s '%s', which is not defined%s%s%s",
                      sup_xml_name(node), is_joint ? "joint" : "body", name,
                      nearest == SUP_NONE ? "" : "; did you mean '",
                      nearest == SUP_NONE ? "" : known[nearest], nearest == SUP_NONE ? "" : "'?");
}

/* ---- pairs of links -------------------------------------------------------------------------- */

/** The body to which a link's body is welded, itself if it has joints. */
static int welded_to(const sup_mjcf *m, int link) {
  const sup_link_def *links = m->r->def->links;
  while (links[link].joint == SUP_JOINT_FIXED && links[link].parent != SUP_NONE &&
         links[link].parent == m->parent_body[link])
    link = links[link].parent;
  return link;
}

/** A body and the one that carries it do not touch, unless that rests; the tree knows where a
 * single joint is between them. */
static bool are_neighbours(const sup_mjcf *m, int i, int j) {
  int a = welded_to(m, i), b = welded_to(m, j);
  return a > 0 && b > 0 &&
         (welded_to(m, m->parent_body[a]) == b || welded_to(m, m->parent_body[b]) == a);
}

/** Pairs of geoms on two links, and those of them that have a bit in common. */
static void count_pairs(const sup_mjcf *m, int i, int j, int *pairs, int *touching) {
  *pairs = *touching = 0;
  for (int a = 0; a < m->num_touches; a++)
    for (int b = 0; b < m->num_touches; b++) {
      const sup_mjcf_touch *s = &m->touch[a], *t = &m->touch[b];
      if (s->link != i || t->link != j) continue;
      ++*pairs;
      *touching += (s->type & t->affinity) || (t->type & s->affinity);
    }
}

sup_status sup_mjcf_filter(sup_mjcf *m) {
  const sup_link_def *links = m->r->def->links;
  for (int i = 1; i < m->r->def->num_links; i++)
    for (int j = 0; j < i; j++) {
      int pairs, touching;
      count_pairs(m, i, j, &pairs, &touching);
      if (pairs == 0) continue;
      if (touching == 0 || are_neighbours(m, i, j)) {
        SUP_TRY(sup_robot_add_filter(m->r->def, i, j));
      } else if (touching < pairs && sup_robot_first_mention(m->r, "bits of one body")) {
        sup_log(SUP_LOG_WARNING,
                "%s: some geoms of the bodies '%s' and '%s' may touch by contype and conaffinity, "
                "some not; all of them do",
                m->r->path, links[i].name, links[j].name);
      }
    }
  return SUP_OK;
}

static sup_status geom_link(const sup_mjcf *m, const sup_xml_node *node, const char *attribute,
                            int *link) {
  const char *name;
  SUP_TRY(sup_xml_text(node, attribute, &name));
  *link = SUP_NONE;
  for (int i = 0; i < m->num_touches; i++)
    if (m->touch[i].name && strcmp(m->touch[i].name, name) == 0) *link = m->touch[i].link;
  return SUP_OK;
}

/** Note once a file how a pair is read otherwise than by MuJoCo. */
static void note_pair(sup_mjcf *m, const sup_xml_node *node, const char *text) {
  if (sup_robot_first_mention(m->r, text))
    sup_log(SUP_LOG_NOTE, "%s:%ld: <pair>: %s", sup_xml_path(node), sup_xml_line(node), text);
}

/** A pair touches whatever the bits say. */
static void unfilter(sup_tree_def *def, int a, int b) {
  int kept = 0;
  for (int i = 0; i < def->num_filters; i++) {
    const int p = def->filter[2 * i], q = def->filter[2 * i + 1];
    if ((p == a && q == b) || (p == b && q == a)) continue;
    def->filter[2 * kept] = p, def->filter[2 * kept + 1] = q;
    kept++;
  }
  def->num_filters = kept;
}

static int num_touches(const sup_mjcf *m, int link) {
  int n = 0;
  for (int i = 0; i < m->num_touches; i++) n += m->touch[i].link == link;
  return n;
}

/** Friction of a <pair>, which takes nothing from its geoms, as that of their links a and b. */
static sup_status read_pair(sup_mjcf *m, const sup_xml_node *node, int a, int b) {
  double all[5] = {1, 1, .005, .0001, .0001}; /* MuJoCo's: two ways to slide, spin,
                                                 two to roll */
  const sup_tree_def *def = m->r->def;
  sup_model_def      *model = m->r->context->model;
  sup_contact_def     contact = m->r->context->contact;
  sup_pair_def        pair = sup_default_pair_def();
  int class;
  SUP_TRY(sup_mjcf_class(m, node, "class", SUP_NONE, &class));
  SUP_TRY(sup_mjcf_numbers(m, node, class, "friction", 5, all));
  if (!(all[0] >= 0)) return SUP_XML_FAIL(node, "friction is %g; it must be 0 or more", all[0]);
  if (all[0] != all[1] || all[3] != all[4])
    note_pair(m, node, "its friction differs by direction; the first of both acts");
  if (num_touches(m, a) + num_touches(m, b) > 2)
    note_pair(m, node, "its friction is that of all geoms of both bodies");
  if (a == b || are_neighbours(m, a, b))
    note_pair(m, node, "one body, or two that a joint joins, do not touch here");
  contact.friction = all[0], contact.static_friction = 0;
  SUP_TRY(sup_mjcf_read_moments(m, node, class, (double[]){all[0], all[2], all[3]}, &contact));
  contact = sup_friction_without_condim(contact);
  if (!model) return SUP_OK;
  snprintf(pair.a, sizeof pair.a, "%s/%s", m->r->context->name, def->links[a].name);
  snprintf(pair.b, sizeof pair.b, "%s/%s", m->r->context->name, def->links[b].name);
  pair.friction = contact.friction, pair.is_of_file = 1;
  pair.rolling_friction = contact.rolling_friction;
  pair.torsional_friction = contact.torsional_friction;
  size_t capacity = (size_t)model->num_pairs;
  SUP_TRY(SUP_GROW(model->pairs, capacity, model->num_pairs + 1));
  model->pairs[model->num_pairs++] = pair;
  return SUP_OK;
}

sup_status sup_mjcf_read_contact(sup_mjcf *m, const sup_xml_node *section) {
  const sup_xml_node *c;
  sup_mjcf_children   at = sup_mjcf_children_of(section, SUP_NONE);
  for (;;) {
    SUP_TRY(sup_mjcf_next(m, &at, &c));
    if (!c) break;
    int a = SUP_NONE, b = SUP_NONE;
    if (sup_xml_is(c, "exclude")) {
      SUP_TRY(find_link(m, c, "body1", false, &a));
      SUP_TRY(find_link(m, c, "body2", false, &b));
      if (a != b) SUP_TRY(sup_robot_add_filter(m->r->def, a, b));
    } else if (sup_xml_is(c, "pair")) {
      sup_mjcf_note_attributes(m, c, "geom1 geom2 friction condim");
      SUP_TRY(geom_link(m, c, "geom1", &a));
      SUP_TRY(geom_link(m, c, "geom2", &b));
      if (a == SUP_NONE || b == SUP_NONE) {
        note(m, c, "a geom of the pair is not defined, or touches nothing");
        continue;
      }
      unfilter(m->r->def, a, b);
      SUP_TRY(read_pair(m, c, a, b));
    } else {
      note(m, c, "contact has exclude and pair");
    }
  }
  return SUP_OK;
}

/* ---- drives ---------------------------------------------------------------------------------- */

/** Name of a drive or constraint: the robot's, then its own, or that of the part it acts on. */
static sup_status full_name(const sup_mjcf *m, const sup_xml_node *node, const char *part,
                            char name[SUP_NAME_MAX]) {
  const char *own = sup_xml_attribute(node, "name");
  int         length = snprintf(name, SUP_NAME_MAX, "%s/%s", m->r->context->name, own ? own : part);
  if (length >= SUP_NAME_MAX)
    return SUP_XML_FAIL(node, "the name '%s/%s' must have %d characters at most",
                        m->r->context->name, own ? own : part, SUP_NAME_MAX - 1);
  return SUP_OK;
}

/** Force of a drive: gain u + bias[0] + bias[1] length + bias[2] rate; u is the keyframe's, or 0.
 */
typedef struct drive {
  double gain, bias[3], gear[6], limit, u;
} drive;

static sup_status read_law(const sup_mjcf *m, const sup_xml_node *node, int class, drive *d) {
  double      gain[10] = {1}, kp = 1, kv = sup_xml_is(node, "velocity") ? 1 : 0, bias[10] = {0};
  const char *type = sup_mjcf_text(m, node, class, "biastype");
  d->gain = 1;
  if (sup_xml_is(node, "motor")) return SUP_OK;
  if (sup_xml_is(node, "general")) {
    SUP_TRY(sup_mjcf_numbers(m, node, class, "gainprm", 10, gain));
    if (type && strcmp(type, "affine") == 0)
      SUP_TRY(sup_mjcf_numbers(m, node, class, "biasprm", 10, bias));
    d->gain = gain[0];
    memcpy(d->bias, bias, sizeof d->bias);
    return SUP_OK;
  }
  SUP_TRY(sup_mjcf_numbers(m, node, class, "kp", 1, &kp));
  SUP_TRY(sup_mjcf_numbers(m, node, class, "kv", 1, &kv));
  d->gain = sup_xml_is(node, "position") ? kp : kv;
  d->bias[1] = sup_xml_is(node, "position") ? -kp : 0;
  d->bias[2] = -kv;
  return SUP_OK;
}

/** Largest force: of forcerange, and of a motor's ctrlrange. */
static sup_status read_ranges(const sup_mjcf *m, const sup_xml_node *node, int class, drive *d) {
  static const char *const names[] = {"forcerange", "ctrlrange"};
  static const char *const flags[] = {"forcelimited", "ctrllimited"};
  d->limit = HUGE_VAL;
  for (int k = 0; k < 2; k++) {
    double      range[2] = {0};
    const char *flag = sup_mjcf_text(m, node, class, flags[k]);
    bool        is_said = sup_mjcf_holder(m, node, class, names[k]) != NULL;
    bool        acts = flag && strcmp(flag, "auto") != 0 ? strcmp(flag, "true") == 0
                                                         : !m->compiler.has_no_autolimits;
    if (!is_said || !acts || (k == 1 && (d->bias[1] != 0 || d->bias[2] != 0))) continue;
    SUP_TRY(sup_mjcf_numbers(m, node, class, names[k], 2, range));
    if (range[0] != -range[1])
      sup_log(SUP_LOG_WARNING, "%s:%ld: %s %g %g of an actuator is not the same both ways; %g acts",
              sup_xml_path(node), sup_xml_line(node), names[k], range[0], range[1],
              fmax(fabs(range[0]), fabs(range[1])));
    d->limit = fmin(d->limit, fmax(fabs(range[0]), fabs(range[1])) * (k == 1 ? fabs(d->gain) : 1));
  }
  return SUP_OK;
}

/** A PD drive whose target is where its force is zero without a signal. */
static sup_status add_drive(sup_mjcf *m, const sup_xml_node *node, const drive *d,
                            const sup_link_def *link) {
  sup_model_def *model = m->r->context->model;
  double         gear = d->gear[0], kp = -gear * gear * d->bias[1], kd = -gear * gear * d->bias[2];
  if (!model || !(kp + kd > 0)) return SUP_OK;
  if (!(kp >= 0) || !(kd >= 0)) {
    note(m, node, "its gains have the sign of an engine");
    return SUP_OK;
  }
  size_t capacity = (size_t)model->num_actuators;
  SUP_TRY(SUP_GROW(model->actuators, capacity, model->num_actuators + 1));
  sup_actuator_def *a = &model->actuators[model->num_actuators];
  *a = sup_default_actuator_def();
  model->num_actuators++;
  SUP_TRY(full_name(m, node, link->joint_name, a->name));
  snprintf(a->joint, sizeof a->joint, "%s/%s", m->r->context->name, link->joint_name);
  a->kp = kp, a->kd = kd, a->effort = fabs(gear) * d->limit;
  SUP_TRY(SUP_CALLOC(a->target.time, 1));
  SUP_TRY(SUP_CALLOC(a->target.value, 1));
  a->target.num_rows = a->target.width = 1;
  a->target.value[0] = kp > 0 ? gear * (d->bias[0] + d->gain * d->u) / kp : link->q0[0];
  return SUP_OK;
}

/** The signal of the keyframe to the present drive; one that no place of a spring follows is noted.
 */
static sup_status read_control(sup_mjcf *m, drive *d) {
  enum { MOST = 2 * SUP_ROBOT_MAX_LINKS };
  double control[MOST] = {0};
  int    count = 0;
  if (!m->key || !sup_xml_attribute(m->key, "ctrl")) return SUP_OK;
  SUP_TRY(sup_xml_number_list(m->key, "ctrl", MOST, control, &count));
  if (m->num_controls < count && m->num_controls < MOST) d->u = control[m->num_controls];
  if (d->u != 0 && d->bias[1] == 0)
    note(m, m->key, "ctrl of drives without a position; a scene's actuators say it");
  return SUP_OK;
}

/** The fixed tendon of a drive; NULL: there is none. */
static sup_status find_tendon(sup_mjcf *m, const char *name, const sup_xml_node **tendon) {
  const sup_xml_node *section, *c;
  sup_mjcf_children   top = sup_mjcf_children_of(m->root, SUP_NONE);
  *tendon = NULL;
  for (;;) {
    SUP_TRY(sup_mjcf_next(m, &top, &section));
    if (!section) return SUP_OK;
    if (!sup_xml_is(section, "tendon")) continue;
    sup_mjcf_children at = sup_mjcf_children_of(section, SUP_NONE);
    for (;;) {
      SUP_TRY(sup_mjcf_next(m, &at, &c));
      if (!c) break;
      const char *own = sup_xml_attribute(c, "name");
      if (sup_xml_is(c, "fixed") && own && strcmp(own, name) == 0) *tendon = c;
    }
  }
}

/** The one joint that the joints of a fixed tendon follow, by which its length is a q + b;
 * SUP_NONE, with a note: there are several, or it has no such joints. */
static sup_status find_leader(sup_mjcf *m, const sup_xml_node *node, int *leader, double *a,
                              double *b) {
  const sup_xml_node *tendon, *c;
  *leader = SUP_NONE, *a = *b = 0;
  SUP_TRY(find_tendon(m, sup_xml_attribute(node, "tendon"), &tendon));
  if (!tendon) note(m, node, "drives of joints and of fixed tendons are");
  if (!tendon) return SUP_OK;
  sup_mjcf_note_attributes(m, tendon, "");
  sup_mjcf_children at = sup_mjcf_children_of(tendon, SUP_NONE);
  for (;;) {
    int    number;
    double coef = 1;
    SUP_TRY(sup_mjcf_next(m, &at, &c));
    if (!c) return SUP_OK;
    SUP_TRY(find_link(m, c, "joint", true, &number));
    SUP_TRY(sup_xml_optional_numbers(c, "coef", 1, &coef));
    const sup_link_def *link = &m->r->def->links[number];
    const bool          follows = link->mimic != SUP_NONE;
    const int           lead = follows ? link->mimic : number;
    if (*leader != SUP_NONE && *leader != lead) {
      note(m, node, "its tendon has joints that do not follow one; drive them one by one");
      *leader = SUP_NONE;
      return SUP_OK;
    }
    *leader = lead, *a += coef * (follows ? link->mimic_ratio : 1);
    *b += follows ? coef * link->mimic_offset : 0;
  }
}

static sup_status read_drive(sup_mjcf *m, const sup_xml_node *node) {
  int class, number;
  double ratio = 1, offset = 0;
  drive  d = {.gear = {1}};
  bool   has_tendon = sup_xml_attribute(node, "tendon");
  if (!has_tendon && !sup_xml_attribute(node, "joint")) {
    note(m, node, "drives of joints and of fixed tendons are");
    return SUP_OK;
  }
  sup_mjcf_note_attributes(m, node,
                           "joint tendon gear kp kv ctrlrange forcerange ctrllimited "
                           "forcelimited gaintype biastype gainprm biasprm");
  SUP_TRY(sup_mjcf_class(m, node, "class", SUP_NONE, &class));
  if (has_tendon)
    SUP_TRY(find_leader(m, node, &number, &ratio, &offset));
  else
    SUP_TRY(find_link(m, node, "joint", true, &number));
  if (number == SUP_NONE) return SUP_OK;
  SUP_TRY(sup_mjcf_numbers(m, node, class, "gear", 6, d.gear));
  SUP_TRY(read_law(m, node, class, &d));
  d.bias[0] += d.bias[1] * d.gear[0] * offset, d.gear[0] *= ratio;
  SUP_TRY(read_ranges(m, node, class, &d));
  sup_link_def *link = &m->r->def->links[number];
  if (!sup_joint_is_single(link->joint)) {
    note(m, node, "drives of hinges and slides are");
    return SUP_OK;
  }
  SUP_TRY(read_control(m, &d));
  if (d.bias[1] == 0 && d.bias[2] == 0) /* a motor: the scene's drive has its limit */
    link->effort_limit = fmin(link->effort_limit, fabs(d.gear[0]) * d.limit);
  SUP_TRY(add_drive(m, node, &d, link));
  return SUP_OK;
}

sup_status sup_mjcf_read_actuators(sup_mjcf *m, const sup_xml_node *section) {
  const sup_xml_node *c;
  sup_mjcf_children   at = sup_mjcf_children_of(section, SUP_NONE);
  for (;;) {
    SUP_TRY(sup_mjcf_next(m, &at, &c));
    if (!c) break;
    if (sup_xml_is(c, "motor") || sup_xml_is(c, "position") || sup_xml_is(c, "velocity") ||
        sup_xml_is(c, "general"))
      SUP_TRY(read_drive(m, c));
    else
      note(m, c, "motor, position, velocity and general are");
    m->num_controls++;
  }
  return SUP_OK;
}

/* ---- keyframes ------------------------------------------------------------------------------- */

/** Positions of the joint in the order of the file: those of a free joint are its place. */
static void take_position(const sup_link_def *link, const double **qpos, double *q0) {
  const int first = link->joint == SUP_JOINT_BALL ? 3 : 0;
  const int num = link->joint == SUP_JOINT_FLOATING ? 7 : link->joint == SUP_JOINT_BALL ? 4 : 1;
  memcpy(q0 + first, *qpos, (size_t)num * sizeof *q0);
  *qpos += num;
}

static int num_positions(const sup_tree_def *def) {
  int n = 0;
  for (int l = 0; l < def->num_links; l++)
    n += def->links[l].joint == SUP_JOINT_FIXED      ? 0
         : def->links[l].joint == SUP_JOINT_FLOATING ? 7
         : def->links[l].joint == SUP_JOINT_BALL     ? 4
                                                     : 1;
  return n;
}

sup_status sup_mjcf_read_keyframes(sup_mjcf *m, const sup_xml_node *section) {
  enum { SIZE = 7 };
  const sup_robot_context *context = m->r->context;
  const sup_tree_def      *def = m->r->def;
  const sup_xml_node      *c;
  sup_mjcf_children        at = sup_mjcf_children_of(section, SUP_NONE);
  for (;;) {
    double        all[SIZE * SUP_ROBOT_MAX_LINKS];
    const double *next = all;
    int           count = 0, num = num_positions(def);
    SUP_TRY(sup_mjcf_next(m, &at, &c));
    if (!c) break;
    const char *name = sup_xml_attribute(c, "name");
    if (name) sup_robot_list_add(&m->keys, name);
    if (!context->keyframe || !name || strcmp(name, context->keyframe) != 0) continue;
    m->key = c;
    sup_mjcf_note_attributes(m, c, "time qpos ctrl");
    SUP_TRY(SUP_CALLOC(*context->start, SIZE * def->num_links));
    for (int l = 0; l < def->num_links; l++)
      memcpy(*context->start + SIZE * l, def->links[l].q0, sizeof def->links[l].q0);
    if (!sup_xml_attribute(c, "qpos")) continue;
    SUP_TRY(sup_xml_number_list(c, "qpos", SIZE * SUP_ROBOT_MAX_LINKS, all, &count));
    if (count != num)
      return SUP_XML_FAIL(c, "the keyframe '%s' has %d positions; the joints have %d", name, count,
                          num);
    for (int l = 0; l < def->num_links; l++)
      if (def->links[l].joint != SUP_JOINT_FIXED)
        take_position(&def->links[l], &next, *context->start + SIZE * l);
  }
  return SUP_OK;
}

/* ---- constraints ----------------------------------------------------------------------------- */

/** q1 = polycoef[0] + polycoef[1] q2, both from their `ref`, at which the file's pose is. */
static sup_status read_follower(sup_mjcf *m, const sup_xml_node *node) {
  double poly[5] = {0, 1, 0, 0, 0};
  int    first, second, count;
  if (!sup_xml_attribute(node, "joint2")) {
    note(m, node, "a joint that is held is not possible; one that follows another is");
    return SUP_OK;
  }
  SUP_TRY(find_link(m, node, "joint1", true, &first));
  SUP_TRY(find_link(m, node, "joint2", true, &second));
  if (sup_xml_attribute(node, "polycoef"))
    SUP_TRY(sup_xml_number_list(node, "polycoef", 5, poly, &count));
  sup_link_def       *link = &m->r->def->links[first];
  const sup_link_def *leader = &m->r->def->links[second];
  if (poly[2] != 0 || poly[3] != 0 || poly[4] != 0 || link->mimic != SUP_NONE ||
      leader->mimic != SUP_NONE || first == second || !sup_joint_is_single(link->joint) ||
      !sup_joint_is_single(leader->joint)) {
    note(m, node, "a hinge or slide can follow one other, linearly");
    return SUP_OK;
  }
  link->mimic = second, link->mimic_ratio = poly[1];
  link->mimic_offset = link->q0[0] + poly[0] - poly[1] * leader->q0[0];
  return SUP_OK;
}

/** connect: a common point, given in the first body; weld: no motion past each other. */
static sup_status read_joined(sup_mjcf *m, const sup_xml_node *node, sup_constraint_kind kind) {
  sup_model_def *model = m->r->context->model;
  const char    *robot = m->r->context->name;
  int            first, second = 0;
  if (!sup_xml_attribute(node, "body1")) {
    note(m, node, "constraints of bodies are");
    return SUP_OK;
  }
  SUP_TRY(find_link(m, node, "body1", false, &first));
  if (sup_xml_attribute(node, "body2")) SUP_TRY(find_link(m, node, "body2", false, &second));
  if (!model || first == second) return SUP_OK;
  if (sup_xml_attribute(node, "relpose")) note(m, node, "relpose; the pose at the start is kept");
  if (first == 0) { /* b moves */
    if (kind == SUP_CONSTRAINT_BALL) note(m, node, "body1 must move, in whose frame the anchor is");
    if (kind == SUP_CONSTRAINT_BALL) return SUP_OK;
    first = second, second = 0;
  }
  size_t capacity = (size_t)model->num_constraints;
  SUP_TRY(SUP_GROW(model->constraints, capacity, model->num_constraints + 1));
  sup_constraint_def *c = &model->constraints[model->num_constraints++];
  *c = sup_default_constraint_def();
  c->kind = kind;
  SUP_TRY(full_name(m, node, m->r->def->links[first].name, c->name));
  snprintf(c->a, sizeof c->a, "%s/%s", robot, m->r->def->links[second].name);
  snprintf(c->b, sizeof c->b, "%s/%s", robot, m->r->def->links[first].name);
  if (kind == SUP_CONSTRAINT_BALL) SUP_TRY(sup_xml_numbers(node, "anchor", 3, c->point_b));
  return SUP_OK;
}

sup_status sup_mjcf_read_equality(sup_mjcf *m, const sup_xml_node *section) {
  const sup_xml_node *c;
  sup_mjcf_children   at = sup_mjcf_children_of(section, SUP_NONE);
  for (;;) {
    SUP_TRY(sup_mjcf_next(m, &at, &c));
    if (!c) break;
    const char *active = sup_xml_attribute(c, "active");
    sup_mjcf_note_attributes(m, c,
                             "body1 body2 anchor joint1 joint2 polycoef active site1 site2 "
                             "relpose tendon1 tendon2");
    if (active && strcmp(active, "false") == 0)
      note(m, c, "it is not active");
    else if (sup_xml_is(c, "joint"))
      SUP_TRY(read_follower(m, c));
    else if (sup_xml_is(c, "connect") || sup_xml_is(c, "weld"))
      SUP_TRY(read_joined(m, c, sup_xml_is(c, "weld") ? SUP_CONSTRAINT_WELD : SUP_CONSTRAINT_BALL));
    else
      note(m, c, "connect, weld and joint are");
  }
  return SUP_OK;
}
