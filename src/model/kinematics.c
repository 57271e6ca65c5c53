#include "model/kinematics.h"

#include <math.h>

#include "model/numerics.h"

/** Base of a tree with the motion that it follows: the model's table, or a ramp of the inputs. */
typedef struct driven_base {
  const sup_tree *tree;
  sup_table       motion;
} driven_base;

static driven_base base_of(const sup_model *model, int tree, const sup_increment *inc) {
  const sup_table *own = &model->tree[tree]->motion;
  return (driven_base){model->tree[tree],
                       sup_inputs_table(inc->inputs, SUP_DRIVEN_BASE, tree, own)};
}

static sup_base_motion motion_of(const driven_base *b, double t, double dt) {
  return sup_tree_base_motion_along(b->tree, &b->motion, t, dt);
}

/** Base motion of the step with the acceleration from its change of velocity since the last step.
 */
static sup_base_motion base_motion(const driven_base *b, double t, double dt) {
  sup_base_motion now = motion_of(b, t, dt);
  if (b->motion.num_rows == 0 || t <= 0)
    return now;                           /* no jump of velocity for a base that starts moving */
  double          back = t < dt ? t : dt; /* nothing is known of what was before the run */
  sup_base_motion before = motion_of(b, t - back, back);
  now.wdot = sup_v3_scale(1 / dt, sup_v3_sub(now.w, before.w));
  now.vdot = sup_v3_scale(1 / dt, sup_v3_sub(now.v, before.v));
  return now;
}

/** Velocity of the base before `t` into base, of second order in `length`, in which the motion has
 * no corner. */
static void set_velocity_before(const driven_base *b, double t, double length,
                                sup_base_motion *base) {
  sup_base_motion near = motion_of(b, t - length, length),
                  far = motion_of(b, t - 2 * length, length);
  base->w = sup_v3_madd(near.w, 0.5, sup_v3_sub(near.w, far.w));
  base->v = sup_v3_madd(near.v, 0.5, sup_v3_sub(near.v, far.v));
}

/** Base motion with the velocity of the step's end; acceleration from the velocity before the step.
 */
static sup_base_motion end_motion(const driven_base *b, double t, double dt) {
  sup_base_motion now = motion_of(b, t, dt), before;
  if (b->motion.num_rows == 0) return now;
  set_velocity_before(b, t + dt, sup_model_numerics.velocity * dt, &now);
  if (t > 2 * sup_model_numerics.velocity * dt)
    set_velocity_before(b, t, sup_model_numerics.velocity * dt, &before);
  else /* nothing is known of what was before the run */
    before = motion_of(b, t, sup_model_numerics.velocity * dt);
  now.wdot = sup_v3_scale(1 / dt, sup_v3_sub(now.w, before.w));
  now.vdot = sup_v3_scale(1 / dt, sup_v3_sub(now.v, before.v));
  return now;
}

/** Acceleration of the base up to the middle of the first step of a run, from the table's first
 * slope, which is the initial velocity of links without joint velocity. */
static void start_acceleration(const driven_base *b, double dt, double share,
                               sup_base_motion *now) {
  int row = 0;
  while (row < b->motion.num_rows && !(b->motion.time[row] > 0)) row++;
  if (row == b->motion.num_rows || b->motion.time[row] >= dt) return; /* one slope */
  sup_base_motion first = motion_of(b, 0, b->motion.time[row]);
  now->wdot = sup_v3_scale(1 / (share * dt), sup_v3_sub(now->w, first.w));
  now->vdot = sup_v3_scale(1 / (share * dt), sup_v3_sub(now->v, first.v));
}

sup_base_motion sup_kinematics_base_within(const sup_model *model, int tree,
                                           const sup_increment *inc) {
  const driven_base b = base_of(model, tree, inc);
  double            t = inc->t0, dt = inc->h, theta = inc->scheme.theta;
  if (inc->base_at_end) return end_motion(&b, t, dt);
  sup_base_motion now = base_motion(&b, t, dt);
  if (b.motion.num_rows == 0 || theta <= 0) return now;
  sup_base_motion next = base_motion(&b, t + dt, dt);
  if (t < 0.5 * dt && theta < 1) start_acceleration(&b, dt, 1 - theta, &now);
  now.X_WB = motion_of(&b, t + theta * dt, 0).X_WB;
  now.wdot = sup_v3_madd(sup_v3_scale(1 - theta, now.wdot), theta, next.wdot);
  now.vdot = sup_v3_madd(sup_v3_scale(1 - theta, now.vdot), theta, next.vdot);
  return now;
}

sup_base_motion sup_kinematics_base_at_end(const sup_model *model, int tree,
                                           const sup_increment *inc) {
  const driven_base b = base_of(model, tree, inc);
  sup_base_motion   base = motion_of(&b, inc->t0, inc->h);
  double            back = inc->t0 < inc->h ? inc->t0 : inc->h;
  if (!(back > 0)) return base;
  sup_base_motion last = motion_of(&b, inc->t0 - back, back);
  base.w = last.w, base.v = last.v;
  return base;
}

sup_status sup_kinematics_update(sup_kinematics *kin, const sup_model *model, const double *q,
                                 const double *v, sup_arena *arena) {
  SUP_TRY(SUP_ARENA(arena, kin->X_WL, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, kin->w, model->num_bodies));
  SUP_TRY(SUP_ARENA(arena, kin->v, model->num_bodies));
  for (int b = 0; b < model->num_bodies; b++) {
    kin->X_WL[b] = sup_frame_identity();
    kin->w[b] = kin->v[b] = sup_v3_make(0, 0, 0);
  }
  for (int i = 0; i < model->num_trees; i++) {
    sup_tree_kinematics_data part = sup_kinematics_tree(kin, model, i);
    sup_tree_kinematics(model->tree[i], &kin->base[i], q + model->q_start[i], v + model->v_start[i],
                        &part);
  }
  return SUP_OK;
}

sup_status sup_kinematics_compute(sup_kinematics *kin, const sup_model *model,
                                  const sup_increment *inc, const double *q, const double *v,
                                  sup_arena *arena) {
  kin->time = inc->t0;
  SUP_TRY(SUP_ARENA(arena, kin->base, model->num_trees));
  for (int i = 0; i < model->num_trees; i++) {
    const driven_base b = base_of(model, i, inc);
    kin->base[i] =
        inc->base_at_end ? end_motion(&b, inc->t0, inc->h) : base_motion(&b, inc->t0, inc->h);
  }
  SUP_TRY(sup_kinematics_update(kin, model, q, v, arena));
  return SUP_OK;
}

bool sup_attachment_on_hub(const sup_model *model, const sup_attachment_link *on) {
  const sup_tree      *tree = model->tree[on->tree];
  const sup_tree_link *link = &tree->links[on->link];
  while (link->joint == SUP_JOINT_FIXED && link->parent != SUP_NONE)
    link = &tree->links[link->parent];
  if (on->nv == 0) return false;
  return sup_joint_quaternion(link) != SUP_NONE || link->joint == SUP_JOINT_PLANAR ||
         (link->joint == SUP_JOINT_REVOLUTE &&
          link->upper - link->lower > sup_model_numerics.hub_turn);
}

void sup_soft_move_attached(const sup_soft *soft, const sup_frame *X_WL, double *x) {
  for (int i = 0; soft->num_attachments > 0 && i < soft->num_vertices; i++)
    if (soft->attach_of[i] != SUP_NONE)
      sup_v3_store(x + 3 * (size_t)(soft->first_vertex + i),
                   sup_frame_apply(&X_WL[soft->attachment[soft->attach_of[i]].body],
                                   sup_v3_load(soft->attach_point + 3 * i)));
}

void sup_soft_move_tied(const sup_model *model, int i, double *x, double *v) {
  const sup_soft *soft = &model->soft[i];
  for (int k = 0; k < soft->num_tied; k++) {
    sup_v3 at = {0, 0, 0}, rate = {0, 0, 0};
    for (int j = soft->mover_start[k]; j < soft->mover_start[k + 1]; j++) {
      const sup_mover *m = &soft->mover[j];
      size_t           from = 3 * (size_t)(model->soft[m->soft].first_vertex + m->vertex);
      if (x) at = sup_v3_madd(at, m->weight, sup_v3_load(x + from));
      if (v) rate = sup_v3_madd(rate, m->weight, sup_v3_load(v + from));
    }
    size_t to = 3 * (size_t)(soft->first_vertex + soft->tied_vertex[k]);
    if (x) sup_v3_store(x + to, at);
    if (v) sup_v3_store(v + to, rate);
  }
}
