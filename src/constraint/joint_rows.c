#include "constraint/joint_rows.h"

#include <math.h>

#include "base/table.h"
#include "constraint/feed_forward.h"
#include "constraint/numerics.h"

/** Near-rigid regularisation of joint constraints: beta = 0.1 (THEORY 6.2, 11). */
static double rigid_compliance(double w) {
  const double beta = 0.1, pi = 3.14159265358979323846;
  return beta * beta / (4 * pi * pi) * w;
}

static sup_status begin_row(sup_joint_rows *out, sup_rows *rows, const sup_model *model, int tree,
                            const sup_law *law, double **J) {
  SUP_TRY(sup_rows_begin(rows, law));
  SUP_TRY(sup_rows_block(rows, model->tree_block[tree], model->tree[tree]->nv, J));
  out->num_rows++;
  return SUP_OK;
}

/** Add a joint velocity to the last row. */
static void add_entry(sup_joint_rows *out, const sup_model *model, int tree, int link,
                      double factor, sup_joint_role role, double *J) {
  J[model->tree[tree]->links[link].v_start] = factor;
  out->row[out->num_entries] = out->num_rows - 1;
  out->velocity[out->num_entries] = sup_model_link_v(model, tree, link);
  out->role[out->num_entries] = role;
  out->factor[out->num_entries++] = factor;
}

static sup_status add_row(sup_joint_rows *out, sup_rows *rows, const sup_model *model, int tree,
                          int link, double sign, sup_joint_role role, const sup_law *law) {
  double *J;
  SUP_TRY(begin_row(out, rows, model, tree, law, &J));
  add_entry(out, model, tree, link, sign, role, J);
  return SUP_OK;
}

/** A near-rigid spring with the damper tau = the reference step, as a step of dt sees it: its
 * stiffness is that of a step of the reference length (THEORY 17.4). */
static sup_limit rigid_law(double gap, const sup_increment *inc, double w) {
  double dt = inc->h, tau = inc->reference, factor = 1;
  if (tau != dt) factor = dt * (dt + tau) / (tau * (tau + tau));
  return (sup_limit){-gap / (dt + tau), factor / rigid_compliance(w)};
}

/** A limit that is not reached yet stops the joint there at the end of the step (vhat = -g/dt); one
 * that is exceeded pulls back with tau = dt (vhat = -g/(2 dt)): no action at a distance and no need
 * of a window. */
static sup_limit limit_law(double gap, const sup_increment *inc, double w) {
  if (!(gap > 0)) return rigid_law(gap, inc, w);
  double share = inc->h / inc->reference;
  return (sup_limit){-gap / inc->h, share * share / rigid_compliance(w)};
}

/** True if a limit is far away: it gets a row only after a solution without one passed it. */
static bool is_far(const sup_tree_link *link, double gap, double h, double v0) {
  return gap > 10 * h * fabs(v0) + 0.1 * fmin(link->upper - link->lower, 1);
}

int sup_joint_rows_missed(const sup_model *model, const sup_increment *inc, const double *q,
                          const double *v0, const double *v) {
  for (int i = 0; i < model->num_trees; i++)
    for (int l = 0; l < model->tree[i]->num_links; l++) {
      const sup_tree_link *link = &model->tree[i]->links[l];
      if (link->nv != 1) continue;
      double at = q[sup_model_link_q(model, i, l)], before = v0[sup_model_link_v(model, i, l)];
      double way = inc->h * v[sup_model_link_v(model, i, l)];
      double gap[2] = {at - link->lower, link->upper - at}, left[2] = {gap[0] + way, gap[1] - way};
      for (int side = 0; side < 2; side++)
        if (left[side] < 0 && is_far(link, gap[side], inc->h, before)) return 1;
    }
  return 0;
}

static sup_status add_limits(sup_joint_rows *out, sup_rows *rows, const sup_model *model,
                             const sup_increment *inc, int tree, int link, double q, double v0,
                             double w, int all_limits) {
  const sup_tree_link *l = &model->tree[tree]->links[link];
  double               gap[2] = {q - l->lower, l->upper - q};
  for (int side = 0; side < 2; side++) {
    double sign = side == 0 ? 1 : -1;
    if (!isfinite(gap[side]) || (!all_limits && is_far(l, gap[side], inc->h, v0))) continue;
    sup_law law = {.kind = SUP_LAW_LIMIT};
    law.limit = limit_law(gap[side], inc, w);
    SUP_TRY(add_row(out, rows, model, tree, link, sign, SUP_JOINT_ROW_EFFORT, &law));
  }
  return SUP_OK;
}

/** THEORY 11, coupler: g = q - ratio q_leader - offset with tau = dt. */
static sup_status add_coupler(sup_joint_rows *out, sup_rows *rows, const sup_model *model,
                              const sup_increment *inc, int tree, int link, const double *q,
                              const double *D) {
  const sup_tree_link *l = &model->tree[tree]->links[link],
                      *leader = &model->tree[tree]->links[l->mimic];
  int    n = model->tree[tree]->nv;
  double ratio = l->mimic_ratio, *J;
  double g = q[sup_model_link_q(model, tree, link)] -
             ratio * q[sup_model_link_q(model, tree, l->mimic)] - l->mimic_offset;
  double  w = 1 / D[l->v_start * (n + 1)] + ratio * ratio / D[leader->v_start * (n + 1)];
  sup_law law = {.kind = SUP_LAW_COUPLER};
  law.limit = rigid_law(g, inc, w);
  SUP_TRY(begin_row(out, rows, model, tree, &law, &J));
  add_entry(out, model, tree, link, 1, SUP_JOINT_ROW_EFFORT, J);
  add_entry(out, model, tree, l->mimic, -ratio, SUP_JOINT_ROW_EFFORT, J);
  return SUP_OK;
}

/** Weights with which a drive sees the step: those of its end, as constraints do, or, with a scheme
 * of second order, those of its middle.  A drive that is stiffer than the step resolves, w (dt^2 kp
 * + dt kd) > 1, would ring there and stays with the end. */
static sup_scheme drive_weights(const sup_actuator *a, const sup_increment *inc, double w) {
  bool is_resolved = w * inc->reference * (inc->reference * a->kp + a->kd) <= 1;
  return sup_scheme_is_second_order(&inc->scheme) && is_resolved ? inc->scheme
                                                                 : sup_scheme_symplectic_euler();
}

/** THEORY 11: u = clamp(tau - kp (q + dt v - target) - kd (v - dtarget/dt)); target and its rate at
 * the end of the step, tau of the feedforward at its start. With weights below 1 q, v and the
 * target are those within the step.  At rest a drive without kp holds on by its damping, others
 * lose it. */
static sup_law actuator_law(const sup_actuator *a, const sup_table *table, double limit,
                            const sup_increment *inc, double q, double v0, double w, double tau) {
  double     t = inc->t0, dt = inc->h, target = q, before = q, kp = a->kp;
  double     kd = kp > 0 ? inc->motion * a->kd : a->kd;
  sup_scheme c = drive_weights(a, inc, w);
  bool       is_end = c.theta_stiff >= 1 && c.theta_vq >= 1;
  sup_table_at(table, t + dt, &target);
  sup_table_at(table, t, &before);
  double R = rigid_compliance(w), whole = inc->reference;
  if (whole * (whole * kp + kd) * R >
      1) { /* stiffer than the step resolves: scale both gains, kd / kp kept */
    double ratio = kp > 0 ? kd / kp : 0;
    kd = kp > 0 ? ratio / (whole * (whole + ratio) * R) : 1 / (whole * R);
    kp = kp > 0 ? 1 / (whole * (whole + ratio) * R) : 0;
  }
  double  slope = dt * kp + kd;
  sup_law law = {.kind = SUP_LAW_PD};
  law.pd = (sup_pd){dt, -kp * (q - target) + kd * (target - before) / dt, slope, limit};
  if (tau != 0) law.pd.u0 += tau; /* no other bits without */
  if (is_end) return law;
  double within = target;
  sup_table_mean(table, t, t + dt, &within);
  law.pd.slope = c.theta_stiff * (dt * c.theta_vq * kp + kd);
  law.pd.u0 = -kp * (q + c.theta_stiff * dt * (1 - c.theta_vq) * v0 - within) -
              kd * ((1 - c.theta_stiff) * v0 - (target - before) / dt);
  if (tau != 0) law.pd.u0 += tau;
  return law;
}

/** THEORY 11, dry friction: gamma = clamp(-v/R, -dt tau_c, dt tau_c), which reaches its bound at
 * the slip R dt tau_c, that of a light link at most `dry_slip`: a drive to v = 0 with the bound as
 * its effort. */
static sup_status add_friction(sup_joint_rows *out, sup_rows *rows, const sup_model *model,
                               const sup_increment *inc, int tree, int link, double w) {
  const sup_tree_link *l = &model->tree[tree]->links[link];
  sup_law              law = {.kind = SUP_LAW_PD};
  double               slope = 1 / (sup_constraint_numerics.dry * inc->reference * w);
  if (!(l->friction > 0)) return SUP_OK;
  slope = fmax(slope, l->friction / sup_constraint_numerics.dry_slip);
  law.pd = (sup_pd){.dt = inc->h, .slope = slope, .effort = l->friction};
  SUP_TRY(add_row(out, rows, model, tree, link, 1, SUP_JOINT_ROW_FRICTION, &law));
  return SUP_OK;
}

/** Limits v >= -v_max and -v >= -v_max, as stiff as constraints of links. */
static sup_status add_velocity_limits(sup_joint_rows *out, sup_rows *rows, const sup_model *model,
                                      const sup_increment *inc, int tree, int link, double w) {
  if (!(inc->motion > 0)) return SUP_OK; /* load steps have no velocity */
  double  most = model->tree[tree]->links[link].velocity_limit;
  sup_law law = {.kind = SUP_LAW_LIMIT};
  law.limit = (sup_limit){-most, 1 / (sup_constraint_numerics.rigid * w)};
  for (int side = 0; side < 2 && isfinite(most); side++)
    SUP_TRY(add_row(out, rows, model, tree, link, side ? -1 : 1, SUP_JOINT_ROW_SPEED, &law));
  return SUP_OK;
}

sup_status sup_joint_rows_add(sup_joint_rows *out, sup_rows *rows, const sup_model *model,
                              const sup_increment *inc, const double *q, const double *v0,
                              sup_placed at, const sup_block_pattern *A_pattern, const double *A,
                              int all_limits, sup_arena *arena) {
  int most = 7 * model->v_start[model->num_trees] + model->num_actuators; /* two limits each, of
                                                     velocity too, friction, a coupler's two ends */
  *out = (sup_joint_rows){.first = rows->num_constraints};
  SUP_TRY(SUP_ARENA(arena, out->row, most));
  SUP_TRY(SUP_ARENA(arena, out->velocity, most));
  SUP_TRY(SUP_ARENA(arena, out->factor, most));
  SUP_TRY(SUP_ARENA(arena, out->role, most));
  for (int i = 0; i < model->num_trees; i++) {
    double tau[SUP_TREE_MAX_NV];
    bool   has_tau = sup_tree_feeds_forward(model, i);
    if (has_tau) sup_feed_forward(model, inc, i, at, v0, tau);
    for (int l = 0; l < model->tree[i]->num_links; l++) {
      const sup_tree_link *link = &model->tree[i]->links[l];
      if (link->nv != 1) continue;
      int           block = model->tree_block[i], n = model->tree[i]->nv;
      const double *D = A + sup_block_diagonal(A_pattern, block);
      double        w = 1 / D[link->v_start * n + link->v_start];
      double        position = q[sup_model_link_q(model, i, l)],
             velocity = v0[sup_model_link_v(model, i, l)];
      SUP_TRY(add_limits(out, rows, model, inc, i, l, position, velocity, w, all_limits));
      if (link->mimic != SUP_NONE) SUP_TRY(add_coupler(out, rows, model, inc, i, l, q, D));
      for (int a = 0; a < model->num_actuators; a++) {
        if (model->actuator[a].tree != i || model->actuator[a].link != l) continue;
        const sup_actuator now = sup_inputs_gains(inc->inputs, a, &model->actuator[a]),
                           *actuator = &now;
        sup_table target = sup_inputs_table(inc->inputs, SUP_DRIVEN_TARGET, a, &actuator->target);
        double    limit = sup_inputs_limit(inc->inputs, a, actuator),
               feed = actuator->feedforward ? tau[link->v_start] : 0;
        sup_law law = actuator_law(actuator, &target, limit, inc, position, velocity, w, feed);
        if (limit > 0) SUP_TRY(add_row(out, rows, model, i, l, 1, SUP_JOINT_ROW_EFFORT, &law));
      }
      SUP_TRY(add_friction(out, rows, model, inc, i, l, w));
      SUP_TRY(add_velocity_limits(out, rows, model, inc, i, l, w));
    }
  }
  return SUP_OK;
}
