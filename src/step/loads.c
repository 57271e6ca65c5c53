/* Forces and torques on links: their means over the step, at the point where the step starts; with
 * theta > 0 they are part of the free motion, where the scheme sees the link. */
#include "step/stepper.h"

/** p [n] += J^T impulse, J [3 x n]. */
static void add_impulse(double *p, const double *J, int n, const double impulse[3]) {
  for (int j = 0; j < n; j++)
    for (int r = 0; r < 3; r++) p[j] += J[r * n + j] * impulse[r];
}

sup_status sup_stepper_tree_loads(sup_stepper *s, int tree, const sup_tree_load **loads,
                                  int *num_loads) {
  const sup_model *model = s->model;
  sup_tree_load   *out;
  *num_loads = 0;
  SUP_TRY(SUP_ARENA(s->arena, out, model->num_loads));
  for (int i = 0; i < model->num_loads; i++) {
    const sup_load *load = &model->load[i];
    double          force[3] = {0, 0, 0}, torque[3] = {0, 0, 0};
    if (model->body[load->body].tree != tree) continue;
    sup_increment_load(s->inc, &load->force, force);
    sup_increment_load(s->inc, &load->torque, torque);
    out[(*num_loads)++] = (sup_tree_load){model->body[load->body].link, load->point,
                                          sup_v3_load(force), sup_v3_load(torque)};
  }
  *loads = out;
  return SUP_OK;
}

sup_status sup_stepper_loads(sup_stepper *s) {
  const sup_model *model = s->model;
  double           dt = s->inc->h;
  for (int i = 0; i < model->num_loads; i++) {
    const sup_load          *load = &model->load[i];
    int                      t = model->body[load->body].tree, link = model->body[load->body].link;
    const sup_tree          *tree = model->tree[t];
    sup_tree_kinematics_data part = sup_kinematics_tree(&s->kin, model, t);
    double *p = s->assembly.p + sup_block_first(&s->A_pattern, model->tree_block[t]), *J;
    double  force[3] = {0, 0, 0}, torque[3] = {0, 0, 0};
    sup_increment_load(s->inc, &load->force, force);
    sup_increment_load(s->inc, &load->torque, torque);
    for (int r = 0; r < 3; r++) force[r] *= dt, torque[r] *= dt;
    SUP_TRY(SUP_ARENA(s->arena, J, 3 * tree->nv));
    sup_tree_point_jacobian(tree, &part, link,
                            sup_frame_apply(&s->kin.X_WL[load->body], load->point), J);
    add_impulse(p, J, tree->nv, force);
    sup_tree_angular_jacobian(tree, &part, link, J);
    add_impulse(p, J, tree->nv, torque);
  }
  return SUP_OK;
}
