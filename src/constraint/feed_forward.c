#include "constraint/feed_forward.h"

#include <string.h>

#include "base/table.h"
#include "model/inputs.h"
#include "model/kinematics.h"

bool sup_tree_feeds_forward(const sup_model *model, int tree) {
  for (int a = 0; a < model->num_actuators; a++)
    if (model->actuator[a].tree == tree && model->actuator[a].feedforward) return 1;
  return 0;
}

int sup_soft_carrier(const sup_soft *soft) {
  bool is_alone = soft->num_attachments == 1 && soft->num_dirichlet == 0 && !soft->in_tie;
  return is_alone ? soft->attachment[0].body : SUP_NONE;
}

/** Weights of soft bodies on the links that carry them, about the links' origins. */
static bool weigh(const sup_model *model, const sup_increment *inc, int tree, sup_placed at,
                  sup_wrench *out) {
  bool any = 0;
  memset(out, 0, (size_t)model->tree[tree]->num_links * sizeof *out);
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    int             body = sup_soft_carrier(soft);
    if (body == SUP_NONE || model->body[body].tree != tree) continue;
    sup_wrench   *to = &out[body - model->tree_body[tree]];
    const double *mass = sup_fem_vertex_mass(soft->fem), *x = at.x + 3 * (size_t)soft->first_vertex;
    for (int a = 0; a < soft->num_vertices; a++) {
      sup_v3 weight = sup_v3_scale(mass[a], inc->gravity),
             arm = sup_v3_sub(sup_v3_load(x + 3 * (size_t)a), at.X_WL[body].p);
      to->force = sup_v3_add(to->force, weight);
      to->moment = sup_v3_add(to->moment, sup_v3_cross(arm, weight));
    }
    any = 1;
  }
  return any;
}

/** Acceleration of the targets over the increment: that by which velocities of steps of its length
 * follow them. */
static double acceleration_of(const sup_actuator *a, int index, const sup_increment *inc) {
  double    t = inc->t0, h = inc->h, y[3] = {0, 0, 0};
  sup_table table = sup_inputs_table(inc->inputs, SUP_DRIVEN_TARGET, index, &a->target);
  for (int k = 0; k < 3; k++) sup_table_at(&table, t + (k - 1) * h, &y[k]);
  return ((y[2] - y[1]) - (y[1] - y[0])) / (h * h);
}

/** Springs and, in motion, dampers of joints; what followers need is added to their leaders. */
static void add_joints(const sup_tree *tree, const double *q, const double *v, double *tau) {
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    if (link->nv != 1) continue;
    tau[link->v_start] +=
        link->spring * sup_joint_stretch(link, q) + link->damping * v[link->v_start];
  }
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    if (link->mimic != SUP_NONE)
      tau[tree->links[link->mimic].v_start] += link->mimic_ratio * tau[link->v_start];
  }
}

/** Accelerations of the targets of drives with inverse dynamics, and of what follows them; 0: there
 * is no such drive. */
static bool accelerate(const sup_model *model, const sup_increment *inc, int tree, double *vdot) {
  const sup_tree *t = model->tree[tree];
  bool            any = 0;
  memset(vdot, 0, (size_t)t->nv * sizeof *vdot);
  for (int a = 0; a < model->num_actuators; a++) {
    const sup_actuator *at = &model->actuator[a];
    if (at->tree != tree || at->feedforward != SUP_FEEDFORWARD_INVERSE_DYNAMICS) continue;
    vdot[t->links[at->link].v_start] = acceleration_of(at, a, inc);
    any = 1;
  }
  for (int l = 0; l < t->num_links; l++) {
    int leader = t->links[l].mimic;
    if (leader != SUP_NONE)
      vdot[t->links[l].v_start] = t->links[l].mimic_ratio * vdot[t->links[leader].v_start];
  }
  return any;
}

void sup_feed_forward(const sup_model *model, const sup_increment *inc, int tree, sup_placed at,
                      const double *v0, double *tau) {
  const sup_tree *t = model->tree[tree];
  const double   *q = at.q + model->q_start[tree], *v = v0 + model->v_start[tree];
  double          rest[SUP_TREE_MAX_NV] = {0}, vdot[SUP_TREE_MAX_NV], all[SUP_TREE_MAX_NV];
  sup_wrench      weight[SUP_TREE_MAX_LINKS];
  bool            carries = weigh(model, inc, tree, at, weight);
  sup_base_motion base = sup_kinematics_base_within(model, tree, inc), still = {.X_WB = base.X_WB};
  sup_tree_inverse_dynamics(t, &still, q, rest, NULL, inc->gravity, carries ? weight : NULL, tau);
  add_joints(t, q, rest, tau);
  if (!(inc->motion > 0) || !accelerate(model, inc, tree, vdot)) return;
  sup_tree_inverse_dynamics(t, &base, q, v, vdot, inc->gravity, carries ? weight : NULL, all);
  add_joints(t, q, v, all);
  for (int a = 0; a < model->num_actuators; a++) {
    const sup_actuator *drive = &model->actuator[a];
    if (drive->tree != tree || drive->feedforward != SUP_FEEDFORWARD_INVERSE_DYNAMICS) continue;
    tau[t->links[drive->link].v_start] = all[t->links[drive->link].v_start];
  }
}
