/* The section `springs`. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/build.h"

static const sup_key spring_keys[] = {
    SUP_CUSTOM("bodies", SUP_KEY_LIST, "[world, ball]",
               "The two bodies A, B, links, rigid or soft; A may be world.", .need = SUP_NEEDED),
    SUP_CUSTOM("points", SUP_KEY_LIST, "[[0, 0, 1 m], [0, 0, 2 cm]]",
               "Points [x, y, z] in the frames of the bodies, of soft ones in the coordinates of "
               "their mesh, or {named: SET}: the mean of its vertices.",
               .dimension = SUP_DIM_LENGTH, .absent = "the origins"),
    SUP_AXES("stiffness", SUP_DIM_STIFFNESS, SUP_NOT_NEGATIVE, SUP_AT(sup_spring_def, stiffness),
             "100 N/m", "Stiffness along the world's axes, one number or one for each axis."),
    SUP_AXES("damping", SUP_DIM_DAMPING, SUP_NOT_NEGATIVE, SUP_AT(sup_spring_def, damping),
             "1 N s/m", "Damping along the world's axes, one number or one for each axis."),
    SUP_VECTOR("rest", SUP_DIM_LENGTH, SUP_ANY, SUP_AT(sup_spring_def, rest), "[0, 0, -10 cm]",
               "Rest: force on B = -stiffness (p_B - p_A - rest) - damping d/dt(p_B - p_A).")};
static void      defaults(void *target) { *(sup_spring_def *)target = sup_default_spring_def(); }
const sup_schema sup_schema_spring = SUP_SCHEMA(
    "spring", spring_keys, "A spring with a damper between two bodies, implicit in time.",
    SUP_DEFAULTS(defaults, sup_spring_def));

sup_status sup_scene_read_end(const sup_scene_build *b, const sup_node *node, const char *what,
                              int may_be_world, char name[2 * SUP_NAME_MAX],
                              const sup_mesh **mesh) {
  sup_body_name body = {.soft = SUP_NONE};
  const char   *text;
  SUP_TRY(sup_node_text(node, what, &text));
  if (may_be_world && strcmp(text, "world") == 0) {
    snprintf(name, 2 * SUP_NAME_MAX, "world");
    return SUP_OK;
  }
  SUP_TRY(sup_scene_find_body(b, node, what, name, &body));
  if (body.soft != SUP_NONE) *mesh = b->scene->model.softs[body.soft].mesh;
  return SUP_OK;
}

static sup_status read_points(const sup_section *section, const sup_mesh *const mesh[2],
                              sup_spring_def *spring) {
  sup_node *points = sup_section_entry(section, "points");
  char      found[SUP_SOURCE_POSITION_SIZE];
  if (!points) return SUP_OK;
  if (points->type != SUP_NODE_SEQUENCE || points->num_children != 2)
    return SUP_FAIL_AT(points->place,
                       "points must be a list of two points [[x, y, z], [x, y, z]]; found %s",
                       sup_node_describe(points, found));
  SUP_TRY(sup_scene_read_point(sup_node_at(points, 0), "points", mesh[0], spring->point_a,
                               &spring->has_region_a, &spring->region_a));
  return sup_scene_read_point(sup_node_at(points, 1), "points", mesh[1], spring->point_b,
                              &spring->has_region_b, &spring->region_b);
}

static sup_status read_spring(sup_scene_build *b, sup_node *node, sup_spring_def *spring) {
  char            what[2 * SUP_NAME_MAX], found[SUP_SOURCE_POSITION_SIZE];
  sup_section     section;
  sup_node       *bodies;
  const sup_mesh *mesh[2] = {NULL, NULL};
  double          sum = 0;
  *spring = sup_default_spring_def();
  SUP_TRY(sup_section_open_named(&section, node, &sup_schema_spring, "spring", spring->name, what));
  SUP_TRY(sup_section_require(&section, "bodies", &bodies));
  if (bodies->type != SUP_NODE_SEQUENCE || bodies->num_children != 2)
    return SUP_FAIL_AT(bodies->place, "bodies must be a list of two bodies [A, B]; found %s",
                       sup_node_describe(bodies, found));
  SUP_TRY(sup_scene_read_end(b, sup_node_at(bodies, 0), what, 1, spring->a, &mesh[0]));
  SUP_TRY(sup_scene_read_end(b, sup_node_at(bodies, 1), what, 0, spring->b, &mesh[1]));
  if (!mesh[0] && !mesh[1] && strcmp(spring->a, spring->b) == 0)
    return SUP_FAIL_AT(bodies->place, "a spring needs two bodies; '%s' is named twice", spring->a);
  SUP_TRY(read_points(&section, mesh, spring));
  SUP_TRY(sup_section_read(&section, spring));
  for (int k = 0; k < 3; k++) sum += spring->stiffness[k] + spring->damping[k];
  if (!(sum > 0))
    return SUP_FAIL_AT(
        node->place,
        "%s needs a stiffness or damping above zero, for instance 'stiffness: 100 N/m'", what);
  return SUP_OK;
}

sup_status sup_scene_read_springs(sup_scene_build *b, sup_node *springs) {
  sup_model_def *model = &b->scene->model;
  SUP_TRY(SUP_CALLOC(model->springs, springs->num_children));
  for (sup_node *c = springs->child; c; c = c->next)
    SUP_TRY(read_spring(b, c, &model->springs[model->num_springs++]));
  return SUP_OK;
}
