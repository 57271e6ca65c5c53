/* The section `constraints`. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/build.h"
#include "tree/tree.h"

#define WORD(NAME, name, meaning) {#name, meaning},
static const sup_word kinds[] = {SUP_CONSTRAINT_LIST(WORD)};
#undef WORD

static const sup_key constraint_keys[] = {
    SUP_WORD("type", kinds, SUP_AT(sup_constraint_def, kind), "weld", "Motion that is kept.",
             .need = SUP_NEEDED),
    SUP_CUSTOM("bodies", SUP_KEY_LIST, "[world, ball]",
               "The two bodies A, B, links, rigid or soft; A may be world.",
               .absent = "needed by all but couplers"),
    SUP_VECTOR("point", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_constraint_def, point_b),
               "[0, 0, 2 cm]",
               "The common point, in the frame of B or the coordinates of its mesh; for a weld the "
               "place of its force."),
    SUP_SECTION("region", sup_schema_region, SUP_BY_CODE,
                "{box: {lower: [0, 0, 0], upper: [1, 1 mm, 1]}}",
                "Vertices of a soft B: welded one by one, or their mean in the place of the point.",
                .need = SUP_OPTIONAL, .absent = "the point"),
    SUP_CUSTOM("points", SUP_KEY_LIST, "[[0, 0, 1 m], [0, 0, 2 cm]]",
               "Ends of a rod or rope on A and on B, in their frames or the coordinates of their "
               "mesh.",
               .dimension = SUP_DIM_LENGTH, .absent = "the origins"),
    SUP_VECTOR("axis", SUP_DIM_NUMBER, SUP_ANY, SUP_AT(sup_constraint_def, axis), "[0, 1, 0]",
               "Axis of a hinge, in the frame of B."),
    SUP_NUMBER("length", SUP_DIM_LENGTH, SUP_POSITIVE, SUP_AT(sup_constraint_def, length), "50 cm",
               "Length of a rod, greatest length of a rope.", .need = SUP_OPTIONAL,
               .absent = "the distance of the points as it begins"),
    SUP_NUMBER("stiffness", SUP_DIM_STIFFNESS, SUP_POSITIVE, SUP_AT(sup_constraint_def, stiffness),
               "1 kN/m", "Stiffness of a rod or rope.", .need = SUP_OPTIONAL,
               .absent = "as stiff as the step resolves"),
    SUP_NUMBER("damping", SUP_DIM_DAMPING, SUP_NOT_NEGATIVE, SUP_AT(sup_constraint_def, damping),
               "1 N s/m", "Damping of a rod or rope with a stiffness."),
    SUP_CUSTOM("joints", SUP_KEY_LIST, "[ROBOT/JOINT, arm/slide]",
               "Joints of a coupler, leader and follower, of one robot or two.",
               .absent = "needed by couplers"),
    SUP_NUMBER("ratio", SUP_DIM_NUMBER, SUP_ANY, SUP_AT(sup_constraint_def, ratio), "2",
               "Position of the follower over that of the leader, in m and rad."),
    SUP_NUMBER("offset", SUP_DIM_NUMBER, SUP_ANY, SUP_AT(sup_constraint_def, offset), "0.1",
               "Position of the follower where that of the leader is 0, in m or rad."),
    SUP_SECTION("from", sup_schema_event, SUP_BY_CODE, "{at: 0.1 s}",
                "Event with which it begins, at the places of that moment.", .need = SUP_OPTIONAL,
                .absent = "the start"),
    SUP_SECTION("until", sup_schema_event, SUP_BY_CODE, "{at: 0.2 s}",
                "Event with which it ends; the bodies keep their velocities.", .need = SUP_OPTIONAL,
                .absent = "the end of the run")};
static void defaults(void *target) { *(sup_constraint_def *)target = sup_default_constraint_def(); }
const sup_schema sup_schema_constraint =
    SUP_SCHEMA("constraint", constraint_keys,
               "Motion of a body past another, or past the world, that is kept.",
               SUP_DEFAULTS(defaults, sup_constraint_def));

/** Keys that go with some types alone: bits by sup_constraint_kind. */
static const struct {
  const char *key;
  unsigned    kinds;
} uses[] = {
#define KIND(NAME) (1U << SUP_CONSTRAINT_##NAME)
    {"bodies", ~KIND(COUPLER)},
    {"point", KIND(WELD) | KIND(BALL) | KIND(HINGE)},
    {"region", KIND(WELD) | KIND(BALL)},
    {"points", KIND(ROD) | KIND(ROPE)},
    {"axis", KIND(HINGE)},
    {"length", KIND(ROD) | KIND(ROPE)},
    {"stiffness", KIND(ROD) | KIND(ROPE)},
    {"damping", KIND(ROD) | KIND(ROPE)},
    {"joints", KIND(COUPLER)},
    {"ratio", KIND(COUPLER)},
    {"offset", KIND(COUPLER)},
#undef KIND
};

/** Read the members; keys that the type does not have are named. */
static sup_status read_members(sup_section *section, const char *what, sup_constraint_def *c) {
  enum { NUM = sizeof uses / sizeof *uses };
  const sup_node *entry[NUM]; /* reading them adds the defaults of others */
  for (int i = 0; i < NUM; i++) entry[i] = sup_section_entry(section, uses[i].key);
  SUP_TRY(sup_section_read(section, c));
  for (int i = 0; i < NUM; i++)
    if (entry[i] && !(uses[i].kinds >> c->kind & 1U))
      return SUP_FAIL_AT(entry[i]->key_place, "%s: a %s has no key '%s'", what, kinds[c->kind].name,
                         uses[i].key);
  return SUP_OK;
}

static sup_status check_pair(const sup_node *list, const char *key, const char *example) {
  char found[SUP_SOURCE_POSITION_SIZE];
  if (list->type == SUP_NODE_SEQUENCE && list->num_children == 2) return SUP_OK;
  return SUP_FAIL_AT(list->place, "%s must be a list of two, for instance %s; found %s", key,
                     example, sup_node_describe(list, found));
}

static sup_status read_joints(const sup_scene_build *b, const sup_section *section,
                              const char *what, sup_constraint_def *c) {
  sup_node *joints;
  SUP_TRY(sup_section_require(section, "joints", &joints));
  SUP_TRY(check_pair(joints, "joints", "[arm/turn, hand/slide]"));
  for (int k = 0; k < 2; k++) {
    const sup_link_def *link;
    sup_node           *node = sup_node_at(joints, k);
    SUP_TRY(sup_scene_find_joint(b, node, what, k == 0 ? c->a : c->b, &link));
    if (!sup_joint_is_single(link->joint))
      return SUP_FAIL_AT(node->place,
                         "%s: the joint '%s' has more or less than one coordinate; revolute, "
                         "continuous, prismatic ones and screws are coupled",
                         what, k == 0 ? c->a : c->b);
  }
  return SUP_OK;
}

static sup_status read_bodies(const sup_scene_build *b, const sup_section *section,
                              const char *what, bool has_point, sup_constraint_def *c) {
  sup_node *bodies, *points = sup_section_entry(section, "points"),
                    *region = sup_section_entry(section, "region");
  const sup_mesh *mesh[2] = {NULL, NULL};
  SUP_TRY(sup_section_require(section, "bodies", &bodies));
  SUP_TRY(check_pair(bodies, "bodies", "[world, ball]"));
  SUP_TRY(sup_scene_read_end(b, sup_node_at(bodies, 0), what, 1, c->a, &mesh[0]));
  SUP_TRY(sup_scene_read_end(b, sup_node_at(bodies, 1), what, 1, c->b, &mesh[1]));
  if (region && has_point)
    return SUP_FAIL_AT(region->place, "%s has one of the keys point and region", what);
  if (region && !mesh[1])
    return SUP_FAIL_AT(region->place, "%s: a region is one of a soft body; '%s' is rigid", what,
                       c->b);
  if (region)
    SUP_TRY(
        sup_scene_read_point(region, what, mesh[1], c->point_b, &c->has_region_b, &c->region_b));
  if (!points) return SUP_OK;
  SUP_TRY(check_pair(points, "points", "[[0, 0, 1 m], [0, 0, 2 cm]]"));
  for (int k = 0; k < 2; k++)
    SUP_TRY(sup_node_vector(sup_node_at(points, k), "points", SUP_DIM_LENGTH, SUP_ANY,
                            k == 0 ? c->point_a : c->point_b));
  return SUP_OK;
}

static sup_status read_constraint(const sup_scene_build *b, sup_node *node, sup_constraint_def *c) {
  char        what[2 * SUP_NAME_MAX];
  sup_section section;
  *c = sup_default_constraint_def();
  SUP_TRY(
      sup_section_open_named(&section, node, &sup_schema_constraint, "constraint", c->name, what));
  c->file = node->place.file, c->line = node->place.line, c->column = node->place.column;
  bool has_point = sup_section_entry(&section, "point") != NULL; /* the default comes next */
  SUP_TRY(read_members(&section, what, c));
  SUP_TRY(sup_scene_read_event(b, &section, "from", &c->from));
  SUP_TRY(sup_scene_read_event(b, &section, "until", &c->until));
  return c->kind == SUP_CONSTRAINT_COUPLER ? read_joints(b, &section, what, c)
                                           : read_bodies(b, &section, what, has_point, c);
}

sup_status sup_scene_read_constraints(sup_scene_build *b, sup_node *constraints) {
  sup_model_def *model = &b->scene->model;
  size_t         capacity = (size_t)model->num_constraints; /* those of robots' files */
  SUP_TRY(
      SUP_GROW(model->constraints, capacity, model->num_constraints + constraints->num_children));
  for (sup_node *c = constraints->child; c; c = c->next)
    SUP_TRY(read_constraint(b, c, &model->constraints[model->num_constraints++]));
  return SUP_OK;
}
