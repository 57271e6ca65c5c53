/* Bodies and joints by name, and the messages about names that are not there. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "scene/build.h"

typedef char full_name[2 * SUP_NAME_MAX];

static void body_name(const sup_tree_def *tree, const sup_link_def *link, full_name name) {
  if (tree->is_rigid_body)
    snprintf(name, sizeof(full_name), "%s", tree->name);
  else
    snprintf(name, sizeof(full_name), "%s/%s", tree->name, link->name);
}

static void joint_name(const sup_tree_def *tree, const sup_link_def *link, full_name name) {
  snprintf(name, sizeof(full_name), "%s/%s", tree->name, link->joint_name);
}

/** Names of all bodies, or of all joints of robots that can move, in one array that the caller
 * frees. */
static sup_status list_names(const sup_model_def *model, int joints, full_name **names,
                             int *count) {
  int n = model->num_softs;
  for (int t = 0; t < model->num_trees; t++) n += model->trees[t].num_links;
  *count = 0;
  SUP_TRY(SUP_CALLOC(*names, n));
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->trees[t].num_links; l++) {
      const sup_tree_def *tree = &model->trees[t];
      if (!joints)
        body_name(tree, &tree->links[l], (*names)[(*count)++]);
      else if (!tree->is_rigid_body && tree->links[l].joint != SUP_JOINT_FIXED)
        joint_name(tree, &tree->links[l], (*names)[(*count)++]);
    }
  for (int s = 0; s < model->num_softs && !joints; s++)
    snprintf((*names)[(*count)++], sizeof(full_name), "%s", model->softs[s].name);
  return SUP_OK;
}

static sup_status unknown_name(const sup_model_def *model, const sup_node *node, const char *what,
                               int joints) {
  SUP_FREED full_name   *names = NULL;
  SUP_FREED const char **pointers = NULL;
  char                   known[512];
  int                    count = 0;
  SUP_TRY(list_names(model, joints, &names, &count));
  SUP_TRY(SUP_CALLOC(pointers, count));
  for (int i = 0; i < count; i++) pointers[i] = names[i];
  return SUP_FAIL_AT(node->place, "%s: there is no %s '%.128s'%s", what, joints ? "joint" : "body",
                     node->text, sup_known_text(node->text, pointers, count, known, sizeof known));
}

sup_status sup_scene_find_body(const sup_scene_build *b, const sup_node *node, const char *what,
                               char name[2 * SUP_NAME_MAX], sup_body_name *body) {
  const sup_model_def *model = &b->scene->model;
  const char          *text;
  SUP_TRY(sup_node_text(node, what, &text));
  *body = (sup_body_name){SUP_NONE, SUP_NONE, SUP_NONE};
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->trees[t].num_links; l++) {
      body_name(&model->trees[t], &model->trees[t].links[l], name);
      if (strcmp(name, text) != 0) continue;
      body->tree = t, body->link = l;
      return SUP_OK;
    }
  for (int s = 0; s < model->num_softs; s++) {
    if (strcmp(model->softs[s].name, text) != 0) continue;
    snprintf(name, sizeof(full_name), "%s", text);
    body->soft = s;
    return SUP_OK;
  }
  sup_status status = unknown_name(model, node, what, 0);
  return status;
}

sup_status sup_scene_find_joint(const sup_scene_build *b, const sup_node *node, const char *what,
                                char name[2 * SUP_NAME_MAX], const sup_link_def **link) {
  const sup_model_def *model = &b->scene->model;
  const char          *text;
  SUP_TRY(sup_node_text(node, what, &text));
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->trees[t].num_links; l++) {
      *link = &model->trees[t].links[l];
      joint_name(&model->trees[t], *link, name);
      if (!model->trees[t].is_rigid_body && strcmp(name, text) == 0) return SUP_OK;
    }
  sup_status status = unknown_name(model, node, what, 1);
  return status;
}

sup_status sup_scene_check_name(const sup_scene_build *b, const sup_node *node) {
  static const char *const sections[] = {"robots", "rigid", "soft"};
  char                     where[SUP_SOURCE_POSITION_SIZE];
  for (int i = 0; i < 3; i++) {
    const sup_node *section = sup_section_entry(&b->root, sections[i]);
    if (section == node->parent) break;
    const sup_node *same = section ? sup_node_find(section, node->key) : NULL;
    if (same)
      return SUP_FAIL_AT(node->key_place, "the name '%s' is already that of an entry of %s at %s",
                         node->key, sections[i], sup_source_position_text(same->key_place, where));
  }
  return SUP_OK;
}

sup_dimension sup_joint_dimension(sup_joint_type joint) {
  return joint == SUP_JOINT_PRISMATIC ? SUP_DIM_LENGTH : SUP_DIM_ANGLE;
}
