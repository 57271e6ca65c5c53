/* The section `loads`. */
#include <stdio.h>

#include "base/memory.h"
#include "scene/build.h"
#include "tree/tree.h"

static const sup_key load_keys[] = {
    SUP_CUSTOM("body", SUP_KEY_REFERENCE, "NAME",
               "A soft body, or a link ROBOT/LINK or rigid body that can move.",
               .need = SUP_NEEDED),
    SUP_CUSTOM(
        "point", SUP_KEY_LIST, "[0, 0, 5 cm]",
        "Point of action in the body's frame, or in the coordinates of a soft body's mesh, or "
        "{named: SET}: shared by its area.",
        .dimension = SUP_DIM_LENGTH, .absent = "the origin"),
    SUP_CUSTOM("force", SUP_KEY_TABLE, "[[0 s, 0, 0, 0], [1 s, 2 N, 0, 0]]",
               "Force in world axes: a constant [x, y, z], or rows [t, x, y, z].",
               .dimension = SUP_DIM_FORCE, .absent = "none; one of force and torque is needed"),
    SUP_CUSTOM("torque", SUP_KEY_TABLE, "[0, 0, 0.1 N m]",
               "Torque in world axes: a constant [x, y, z], or rows [t, x, y, z].",
               .dimension = SUP_DIM_TORQUE)};
static void      defaults(void *target) { *(sup_load_def *)target = sup_default_load_def(); }
const sup_schema sup_schema_load =
    SUP_SCHEMA("load", load_keys,
               "A force or torque over time; a step takes the mean over "
               "itself.",
               SUP_DEFAULTS(defaults, sup_load_def));

static sup_status read_load(const sup_scene_build *b, sup_node *node, sup_load_def *load) {
  char          what[2 * SUP_NAME_MAX];
  sup_section   section;
  sup_node     *body_node;
  sup_body_name body;
  *load = sup_default_load_def();
  SUP_TRY(sup_section_open_named(&section, node, &sup_schema_load, "load", load->name, what));
  SUP_TRY(sup_section_require(&section, "body", &body_node));
  SUP_TRY(sup_scene_find_body(b, body_node, what, load->body, &body));
  if (body.soft == SUP_NONE && !sup_tree_def_moves(&b->scene->model.trees[body.tree], body.link))
    return SUP_FAIL_AT(body_node->place,
                       "%s: '%s' is fixed or moves as prescribed; a load would do nothing", what,
                       load->body);
  SUP_TRY(sup_section_read(&section, load));
  sup_node *point = sup_section_entry(&section, "point");
  if (point)
    SUP_TRY(sup_scene_read_point(
        point, "point", body.soft == SUP_NONE ? NULL : b->scene->model.softs[body.soft].mesh,
        load->point, &load->has_region, &load->region));
  sup_node *force = sup_section_entry(&section, "force"),
           *torque = sup_section_entry(&section, "torque");
  if (torque && body.soft != SUP_NONE)
    return SUP_FAIL_AT(torque->place,
                       "%s: '%s' is a soft body, whose points take a force and no torque; "
                       "'tractions' spread a force over a region",
                       what, load->body);
  if (!force && !torque)
    return SUP_FAIL_AT(
        node->place,
        "%s needs a force or a torque, for instance 'force: [[0 s, 0, 0, 0], [1 s, 2 N, 0, 0]]'",
        what);
  if (force)
    SUP_TRY(sup_scene_read_vector_over_time(b, force, "force", SUP_DIM_FORCE, &load->force));
  if (torque)
    SUP_TRY(sup_scene_read_vector_over_time(b, torque, "torque", SUP_DIM_TORQUE, &load->torque));
  return SUP_OK;
}

sup_status sup_scene_read_loads(sup_scene_build *b, sup_node *loads) {
  sup_model_def *model = &b->scene->model;
  SUP_TRY(SUP_CALLOC(model->loads, loads->num_children));
  for (sup_node *c = loads->child; c; c = c->next)
    SUP_TRY(read_load(b, c, &model->loads[model->num_loads++]));
  return SUP_OK;
}
