#include "measure/drive_work.h"

#include <math.h>

#include "base/table.h"
#include "fem/growth.h"
#include "model/body_point.h"
#include "model/cable.h"
#include "model/constraint.h"
#include "model/inputs.h"

static bool is_belt(const sup_contact_def *contact) {
  return sup_v3_norm(sup_v3_load(contact->surface_velocity)) > 0 ||
         sup_v3_norm(sup_v3_load(contact->surface_amplitude)) > 0;
}

bool sup_model_is_driven(const sup_model *model) {
  if (model->num_actuators > 0 || model->num_loads > 0) return 1;
  for (int c = 0; c < model->num_chambers; c++)
    if (model->chamber[c].fill != SUP_CHAMBER_GAS || model->chamber[c].schedule.num_rows > 0 ||
        model->chamber[c].flows)
      return 1;
  for (int c = 0; c < model->num_cables; c++) {
    const sup_cable *at = &model->cable[c];
    if (at->drive == SUP_CABLE_TENSION || at->schedule.num_rows > 0) return 1;
    if (!(at->stiffness > 0) && sup_cable_law_at(model, NULL, c, 0, 1).rest < at->length0) return 1;
  }
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree[t]->motion.num_rows > 1) return 1;
  for (int g = 0; g < model->num_geometries; g++)
    if (is_belt(&model->geometry[g].contact)) return 1;
  for (int s = 0; s < model->num_softs; s++) {
    if (model->soft[s].num_tractions > 0) return 1;
    if (sup_fem_num_growths(model->soft[s].fem) > 0) return 1;
    for (int h = 0; h < model->soft[s].num_dirichlet; h++)
      if (model->soft[s].dirichlet[h].motion.num_rows > 1) return 1;
  }
  return 0;
}

/** Velocity of the link's point that is at x [m/s]. */
static sup_v3 velocity_at(const sup_step_result *result, int body, sup_v3 x) {
  sup_v3 arm = sup_v3_sub(x, result->X_WL[body].p);
  return sup_v3_add(result->link_v[body], sup_v3_cross(result->link_w[body], arm));
}

static double power_of_loads(const sup_model *model, const sup_state *state,
                             const sup_step_result *result) {
  const sup_inputs *in = result->increment.inputs;
  double            power = 0;
  for (int i = 0; i < model->num_loads; i++) {
    const sup_load *load = &model->load[i];
    double          force[3] = {0, 0, 0}, torque[3] = {0, 0, 0};
    sup_table       forces = sup_inputs_table(in, SUP_DRIVEN_FORCE, i, &load->force);
    sup_table       torques = sup_inputs_table(in, SUP_DRIVEN_TORQUE, i, &load->torque);
    if (forces.num_rows) sup_table_at(&forces, state->time, force);
    if (torques.num_rows) sup_table_at(&torques, state->time, torque);
    if (load->at.num_vertices > 0) {
      power += fabs(sup_v3_dot(sup_v3_load(force), sup_body_point_mean(&load->at, state->xdot)));
      continue;
    }
    sup_v3 x = sup_frame_apply(&result->X_WL[load->at.body], load->at.point);
    power += fabs(sup_v3_dot(sup_v3_load(force), velocity_at(result, load->at.body, x))) +
             fabs(sup_v3_dot(sup_v3_load(torque), result->link_w[load->at.body]));
  }
  return power;
}

/** Forces that a program sets besides those of the model. */
static double power_of_inputs(const sup_model *model, const sup_state *state,
                              const sup_step_result *result) {
  const sup_inputs *in = result->increment.inputs;
  double            power = 0;
  if (!in) return 0;
  for (int b = 0; result->link_v && b < model->num_bodies; b++) {
    const double *wrench = in->wrench + 6 * b;
    if (model->body[b].soft != SUP_NONE) continue;
    power += fabs(sup_v3_dot(sup_v3_load(wrench), result->link_v[b])) +
             fabs(sup_v3_dot(sup_v3_load(wrench + 3), result->link_w[b]));
  }
  for (int j = 0; j < state->num_v; j++) power += fabs(in->effort[j] * state->v[j]);
  return power;
}

/** 1: the body is a link of a tree whose base has a motion prescribed by the scene or the
 * program. */
static bool is_carried(const sup_model *model, const sup_inputs *in, int body) {
  if (model->body[body].soft != SUP_NONE) return 0;
  int       tree = model->body[body].tree;
  sup_table motion = sup_inputs_table(in, SUP_DRIVEN_BASE, tree, &model->tree[tree]->motion);
  return motion.num_rows > 1;
}

/** Fastest that one side of a contact is driven [m/s]: the body's own motion, and its belt's. */
static double drive_speed(const sup_model *model, const sup_step_result *result, int body,
                          int geometry, sup_v3 x) {
  double speed = is_carried(model, result->increment.inputs, body)
                     ? sup_v3_norm(velocity_at(result, body, x))
                     : 0;
  if (geometry == SUP_NONE) return speed;
  const sup_contact_def *def = &model->geometry[geometry].contact;
  return speed + sup_v3_norm(sup_v3_load(def->surface_velocity)) +
         sup_v3_norm(sup_v3_load(def->surface_amplitude));
}

/** Angular speed of a carried body [rad/s]. */
static double drive_spin(const sup_model *model, const sup_step_result *result, int body) {
  return is_carried(model, result->increment.inputs, body) ? sup_v3_norm(result->link_w[body]) : 0;
}

static double power_of_contacts(const sup_model *model, const sup_step_result *result) {
  double power = 0;
  for (int i = 0; i < result->num_contacts; i++) {
    const sup_contact *c = &result->contact[i];
    double             speed = drive_speed(model, result, c->body_a, c->geometry_a, c->centroid) +
                   drive_speed(model, result, c->body_b, c->geometry_b, c->centroid);
    if (speed > 0) power += speed * sup_v3_norm(c->force);
    if (sup_v3_norm(c->couple) > 0)
      power += sup_v3_norm(c->couple) *
               (drive_spin(model, result, c->body_a) + drive_spin(model, result, c->body_b));
  }
  return power;
}

static double power_of_springs(const sup_model *model, const sup_state *state,
                               const sup_step_result *result) {
  double power = 0;
  for (int i = 0; i < model->num_springs; i++) {
    const sup_spring *spring = &model->spring[i];
    sup_v3            stretch = sup_spring_stretch(spring, result->X_WL, state->x);
    sup_v3 force = sup_v3_make(spring->stiffness[0] * stretch.x, spring->stiffness[1] * stretch.y,
                               spring->stiffness[2] * stretch.z);
    for (int k = 0; k < 2; k++) {
      const sup_body_point *end = &spring->end[k];
      if (end->body == SUP_NONE || !is_carried(model, result->increment.inputs, end->body))
        continue;
      sup_v3 x = sup_frame_apply(&result->X_WL[end->body], end->point);
      power += fabs(sup_v3_dot(force, velocity_at(result, end->body, x)));
    }
  }
  return power;
}

/** Constraints with a side whose motion is prescribed. */
static double power_of_constraints(const sup_model *model, const sup_step_result *result) {
  double power = 0;
  for (int i = 0; i < model->num_constraints; i++) {
    const sup_body_constraint *c = &model->constraint[i];
    const sup_wrench          *w = &result->constraint_wrench[i];
    if (c->num_points == 0 || c->point[0].body == SUP_NONE) continue;
    int    side[2] = {c->a.body, c->point[0].body};
    sup_v3 at = side[0] == SUP_NONE ? c->a.point : result->X_WL[side[1]].p;
    for (int k = 0; k < 2; k++)
      if (side[k] != SUP_NONE && is_carried(model, result->increment.inputs, side[k]))
        power += fabs(sup_v3_dot(w->force, velocity_at(result, side[k], at))) +
                 fabs(sup_v3_dot(w->moment, result->link_w[side[k]]));
  }
  return power;
}

double sup_drive_work(const sup_model *model, const sup_state *state,
                      const sup_step_result *result) {
  double power = power_of_contacts(model, result) + power_of_springs(model, state, result) +
                 power_of_inputs(model, state, result);
  if (result->link_v && result->X_WL) power += power_of_loads(model, state, result);
  if (result->link_v && result->X_WL && result->constraint_wrench)
    power += power_of_constraints(model, result);
  for (int j = 0; result->joint_effort && j < state->num_v; j++)
    power += fabs(result->joint_effort[j] * state->v[j]);
  return result->increment.h * power;
}
