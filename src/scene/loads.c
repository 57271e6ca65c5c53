/* The section `loads`. */
#include <stdio.h>

#include "base/memory.h"
#include "scene/build.h"

/** A constant vector [x, y, z], or rows [t, x, y, z]. */
static sup_status read_vector_over_time(sup_node *node, const char *name, sup_dimension dimension, sup_table *table) {
  const sup_dimension axes[3] = {dimension, dimension, dimension};
  if (node->type == SUP_NODE_SEQUENCE && node->child && node->child->type == SUP_NODE_SEQUENCE) {
    SUP_TRY(sup_node_table(node, name, 3, axes, table));
    return SUP_OK;
  }
  double value[3];
  SUP_TRY(sup_node_vector(node, name, dimension, value));
  SUP_TRY(SUP_CALLOC(table->time, 1));
  SUP_TRY(SUP_CALLOC(table->value, 3));
  table->num_rows = 1, table->width = 3;
  for (int k = 0; k < 3; k++) table->value[k] = value[k];
  return SUP_OK;
}

/** Does a joint between the world and the link move it? */
static int can_move(const sup_tree_def *tree, int link) {
  for (; link != SUP_NONE; link = tree->links[link].parent)
    if (tree->links[link].joint != SUP_JOINT_FIXED) return 1;
  return 0;
}

static sup_status read_load(const sup_scene_build *b, sup_node *node, sup_load_def *load) {
  char          what[2 * SUP_NAME_MAX];
  sup_section   section;
  sup_node     *body_node;
  sup_body_name body;
  SUP_TRY(sup_node_name(node, "load", load->name));
  snprintf(what, sizeof what, "load '%s'", load->name);
  SUP_TRY(SUP_SECTION_OPEN(&section, node, what, "body", "point", "force", "torque"));
  SUP_TRY(sup_section_need(&section, "body", "NAME", &body_node));
  SUP_TRY(sup_scene_find_body(b, body_node, what, load->body, &body));
  if (body.soft != SUP_NONE)
    return SUP_FAIL_AT(body_node->place, "%s: '%s' is a soft body; give it 'tractions'", what, load->body);
  if (!can_move(&b->scene->model.trees[body.tree], body.link))
    return SUP_FAIL_AT(body_node->place, "%s: '%s' is fixed or moves as prescribed; a load would do nothing", what,
                       load->body);
  SUP_TRY(sup_get_vector(&section, "point", SUP_DIM_LENGTH, load->point));
  sup_node *force = sup_section_find(&section, "force"), *torque = sup_section_find(&section, "torque");
  if (!force && !torque)
    return SUP_FAIL_AT(node->place,
                       "%s needs a force or a torque, for instance 'force: [[0 s, 0, 0, 0], [1 s, 2 N, 0, 0]]'", what);
  if (force) SUP_TRY(read_vector_over_time(force, "force", SUP_DIM_FORCE, &load->force));
  if (torque) SUP_TRY(read_vector_over_time(torque, "torque", SUP_DIM_TORQUE, &load->torque));
  return SUP_OK;
}

sup_status sup_scene_read_loads(sup_scene_build *b, sup_node *loads) {
  sup_model_def *model = &b->scene->model;
  SUP_TRY(SUP_CALLOC(model->loads, loads->num_children));
  for (sup_node *c = loads->child; c; c = c->next) SUP_TRY(read_load(b, c, &model->loads[model->num_loads++]));
  return SUP_OK;
}
