#include "model/model.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "fem/growth.h"
#include "model/body_point.h"
#include "model/build/build.h"
#include "model/constraint.h"
#include "model/task.h"

static sup_status check_rules(const sup_contact_rules *o) {
  if (!(o->barrier_energy > 0) || !(o->barrier_surface_energy > 0) || !(o->barrier_range > 0))
    return SUP_FAIL(SUP_E_ARG,
                    "the barriers' energy is %g J, that of surfaces %g N/m, their range %g m; all "
                    "must be positive",
                    o->barrier_energy, o->barrier_surface_energy, o->barrier_range);
  if (!(o->layer > 0))
    return SUP_FAIL(SUP_E_ARG,
                    "the layer of soft surfaces is %g times as stiff as their cells; "
                    "it must be positive",
                    o->layer);
  return SUP_OK;
}

static int same_name_twice(const sup_model *model, int *first, int *second) {
  for (int i = 0; i < model->num_bodies; i++)
    for (int j = i + 1; j < model->num_bodies; j++)
      if (strcmp(model->body[i].name, model->body[j].name) == 0) {
        *first = i, *second = j;
        return 1;
      }
  return 0;
}

sup_status sup_model_find_side(const sup_model *model, const char *name, const char *what,
                               int *body) {
  *body = SUP_NONE;
  if (strcmp(name, "world") == 0) return SUP_OK;
  *body = sup_model_find_body(model, name);
  if (*body == SUP_NONE) return SUP_FAIL(SUP_E_ARG, "%s: there is no body '%s'", what, name);
  return SUP_OK;
}

sup_status sup_model_find_axis(const sup_model *model, const char *name, const char *what,
                               int *tree, int *q, int *v) {
  int link;
  if (!sup_model_find_joint(model, name, tree, &link))
    return SUP_FAIL(SUP_E_ARG, "%s: there is no joint '%s'", what, name);
  const sup_tree_link *at = &model->tree[*tree]->links[link];
  if (at->nv != 1 || at->nq != 1)
    return SUP_FAIL(SUP_E_ARG, "%s: the joint '%s' has %d coordinates; 1 is expected", what, name,
                    at->nv);
  *q = at->q_start, *v = at->v_start;
  return SUP_OK;
}

sup_status sup_model_start(const sup_model *model, sup_arena *arena, double **x,
                           sup_kinematics *kin) {
  const sup_increment any = {.h = 1};
  SUP_TRY(SUP_ARENA(arena, *x, 3 * model->num_vertices));
  for (int i = 0; i < model->num_softs; i++)
    memcpy(*x + 3 * (size_t)model->soft[i].first_vertex, model->soft[i].x0,
           3 * (size_t)model->soft[i].num_vertices * sizeof **x);
  return sup_kinematics_compute(kin, model, &any, model->q0, model->v0, arena);
}

sup_status sup_model_create(sup_model **out, const sup_model_def *def) {
  SUP_OWN(sup_model) *model = NULL;
  int                 i, j;
  *out = NULL;
  SUP_TRY(sup_model_check_definitions(def));
  SUP_TRY(check_rules(&def->contact));
  SUP_TRY(SUP_CALLOC(model, 1));
  model->contact = def->contact;
  model->ranks = sup_has_ranks(def->ranks) ? def->ranks : NULL;
  SUP_TRY(sup_model_build_trees(model, def));
  SUP_TRY(sup_model_build_softs(model, def));
  if (same_name_twice(model, &i, &j)) {
    return SUP_FAIL(SUP_E_ARG, "two bodies have the name '%s'", model->body[i].name);
  }
  SUP_TRY(sup_model_build_ties(model, def));
  sup_model_number_vertices(model);
  SUP_TRY(sup_model_build_springs(model, def));
  SUP_TRY(sup_model_build_loads(model, def));
  SUP_TRY(sup_model_build_chambers(model, def));
  SUP_TRY(sup_model_build_cables(model, def));
  SUP_TRY(sup_model_build_constraints(model, def));
  SUP_TRY(sup_model_build_pattern(model));
  SUP_TRY(sup_model_build_actuators(model, def));
  SUP_TRY(sup_model_build_tasks(model, def));
  SUP_TRY(sup_model_build_pairs(model, def));
  SUP_TRY(sup_model_check_tasks(model));
  *out = model;
  model = NULL;
  return SUP_OK;
}

static void free_soft(sup_soft *soft) {
  for (int k = 0; k < soft->num_attachments && soft->attachment; k++)
    SUP_FREE(soft->attachment[k].close);
  for (int k = 0; soft->growth && k < sup_fem_num_growths(soft->fem); k++)
    sup_table_free(&soft->growth[k]);
  SUP_FREE(soft->growth);
  sup_fem_body_destroy(&soft->fem);
  sup_surface_destroy(&soft->surface);
  sup_mesh_field_destroy(&soft->mesh_field);
  sup_mesh_near_destroy(&soft->near);
  sup_field_destroy(&soft->field);
  sup_bvh_destroy(&soft->bvh);
  SUP_FREE_ALL(&soft->cell_number, &soft->owner, &soft->kind, &soft->block, &soft->attachment,
               &soft->attach_tree, &soft->attach_slot, &soft->attach_of, &soft->attach_point,
               &soft->triangle_stiffness, &soft->vertex_face, &soft->vertex_area, &soft->curvature,
               &soft->x0);
  for (int k = 0; k < soft->num_dirichlet; k++) {
    sup_table_free(&soft->dirichlet[k].motion);
    SUP_FREE(soft->dirichlet[k].axes);
  }
  SUP_FREE_ALL(&soft->dirichlet, &soft->holder);
  for (int k = 0; k < soft->num_tractions; k++) {
    SUP_FREE(soft->traction[k].force);
    sup_fem_faces_free(&soft->traction[k].faces);
    sup_table_free(&soft->traction[k].scale);
  }
  SUP_FREE_ALL(&soft->traction, &soft->body_force, &soft->tied_slot, &soft->tied_vertex,
               &soft->tied_by, &soft->mover_start, &soft->mover);
}

void sup_model_destroy(sup_model **handle) {
  sup_model *model = *handle;
  if (!model) return;
  for (int t = 0; t < model->num_trees; t++) sup_tree_destroy(&model->tree[t]);
  for (int s = 0; s < model->num_softs; s++) free_soft(&model->soft[s]);
  for (int g = 0; g < model->num_geometries; g++) {
    sup_surface_destroy(&model->geometry[g].surface);
    sup_bvh_destroy(&model->geometry[g].bvh);
    sup_field_destroy(&model->geometry[g].field);
    sup_hull_destroy(&model->geometry[g].hull);
    SUP_FREE(model->geometry[g].points);
  }
  for (int g = 0; g < model->num_visuals; g++) {
    sup_surface_destroy(&model->visual[g].surface);
    SUP_FREE(model->visual[g].points);
  }
  for (int a = 0; a < model->num_actuators; a++) sup_table_free(&model->actuator[a].target);
  for (int i = 0; i < model->num_springs; i++)
    for (int e = 0; e < 2; e++) sup_body_point_free(&model->spring[i].end[e]);
  for (int l = 0; l < model->num_loads; l++) {
    sup_body_point_free(&model->load[l].at);
    sup_table_free(&model->load[l].force);
    sup_table_free(&model->load[l].torque);
  }
  for (int c = 0; c < model->num_chambers; c++) sup_chamber_free(&model->chamber[c]);
  for (int c = 0; c < model->num_cables + model->num_lines; c++) sup_cable_free(&model->cable[c]);
  for (int c = 0; c < model->num_constraints; c++) sup_constraint_free(&model->constraint[c]);
  for (int t = 0; t < model->num_tasks; t++) sup_task_free(&model->task[t]);
  SUP_FREE_ALL(&model->chamber, &model->cable, &model->constraint, &model->constraint_place,
               &model->tie);
  SUP_FREE_ALL(&model->tree, &model->q_start, &model->v_start, &model->tree_block,
               &model->tree_body, &model->q0, &model->v0, &model->soft, &model->body,
               &model->geometry, &model->visual, &model->actuator, &model->spring, &model->load,
               &model->pair, &model->pair_start, &model->pair_other, &model->pair_index,
               &model->block_size, &model->event, &model->task, &model->block_body, &model->owner,
               &model->touched, &model->base_pair, handle);
}

int sup_model_find_body(const sup_model *model, const char *name) {
  for (int i = 0; i < model->num_bodies; i++)
    if (strcmp(model->body[i].name, name) == 0) return i;
  return SUP_NONE;
}

int sup_model_find_joint(const sup_model *model, const char *name, int *tree, int *link) {
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->tree[t]->num_links; l++) {
      char full[2 * SUP_NAME_MAX];
      snprintf(full, sizeof full, "%s/%s", model->tree[t]->name,
               model->tree[t]->links[l].joint_name);
      if (strcmp(full, name) == 0) {
        *tree = t, *link = l;
        return 1;
      }
    }
  return 0;
}
