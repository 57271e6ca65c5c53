/* Forces and torques on links: means over the step, applied at the link's pose at the step's start;
 * with theta > 0 the loads are part of the free motion, at the poses of the scheme. */
#include "step/assembly.h"

/** p [n] += J^T impulse, J [3 x n]. */
static void add_impulse(double *p, const double *J, int n, const double impulse[3]) {
  for (int j = 0; j < n; j++)
    for (int r = 0; r < 3; r++) p[j] += J[r * n + j] * impulse[r];
}

sup_status sup_step_tree_loads(const sup_step_start *s, int tree, const sup_tree_load **loads,
                               int *num_loads) {
  const sup_model *model = s->model;
  sup_tree_load   *out;
  *num_loads = 0;
  SUP_TRY(SUP_ARENA(s->arena, out, sup_increment_num_externals(s->inc, model)));
  for (int i = 0; i < sup_increment_num_externals(s->inc, model); i++) {
    sup_external load;
    if (!sup_increment_external(s->inc, model, i, &load) || load.cell ||
        model->body[load.body].tree != tree)
      continue;
    out[(*num_loads)++] = (sup_tree_load){model->body[load.body].link, load.point,
                                          sup_v3_load(load.force), sup_v3_load(load.torque)};
  }
  *loads = out;
  return SUP_OK;
}

sup_status sup_assembly_loads(const sup_step_start *s, sup_assembly *assembly) {
  const sup_model *model = s->model;
  double           dt = s->inc->h;
  for (int i = 0; i < sup_increment_num_externals(s->inc, model); i++) {
    sup_external load;
    if (!sup_increment_external(s->inc, model, i, &load) || load.cell) continue;
    int             t = model->body[load.body].tree, link = model->body[load.body].link;
    const sup_tree *tree = model->tree[t];
    if (model->tree_block[t] == SUP_NONE) continue; /* set on a link that cannot move */
    sup_tree_kinematics_data part = sup_kinematics_tree(&s->kin, model, t);
    double *p = assembly->p + sup_block_first(&s->layout->A_pattern, model->tree_block[t]), *J;
    for (int r = 0; r < 3; r++) load.force[r] *= dt, load.torque[r] *= dt;
    SUP_TRY(SUP_ARENA(s->arena, J, 3 * tree->nv));
    sup_tree_point_jacobian(tree, &part, link, sup_frame_apply(&s->kin.X_WL[load.body], load.point),
                            J);
    add_impulse(p, J, tree->nv, load.force);
    sup_tree_angular_jacobian(tree, &part, link, J);
    add_impulse(p, J, tree->nv, load.torque);
  }
  return SUP_OK;
}

void sup_assembly_point_loads(const sup_step_start *s, sup_assembly *assembly) {
  const sup_model *model = s->model;
  for (int i = 0; i < model->num_loads; i++) {
    sup_external load;
    if (!sup_increment_external(s->inc, model, i, &load) || !load.cell) continue;
    for (int k = 0; k < load.cell->num_vertices; k++) {
      int             a;
      const sup_soft *soft = sup_model_vertex(model, load.cell->vertex[k], &a);
      double          p[3];
      for (int c = 0; c < 3; c++) p[c] = s->inc->h * load.cell->weight[k] * load.force[c];
      sup_assembly_add_free_momentum(assembly, (int)(soft - model->soft), a, p);
    }
  }
}

void sup_assembly_point_forces(const sup_step_start *s, double *force) {
  for (int i = 0; i < s->model->num_loads; i++) {
    sup_external load;
    if (!sup_increment_external(s->inc, s->model, i, &load) || !load.cell) continue;
    for (int k = 0; k < load.cell->num_vertices; k++)
      sup_v3_accumulate(force + 3 * load.cell->vertex[k], load.cell->weight[k],
                        sup_v3_load(load.force));
  }
}

void sup_assembly_efforts(const sup_step_start *s, sup_assembly *assembly) {
  const sup_model *model = s->model;
  if (!s->inc->inputs) return;
  for (int t = 0; t < model->num_trees; t++) {
    if (model->tree_block[t] == SUP_NONE) continue;
    const double *effort = s->inc->inputs->effort + model->v_start[t];
    double       *p = assembly->p + sup_block_first(&s->layout->A_pattern, model->tree_block[t]);
    for (int j = 0; j < model->tree[t]->nv; j++) p[j] += s->inc->h * s->inc->load * effort[j];
  }
}
