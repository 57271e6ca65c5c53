/* Setting of positions and velocities of a state between steps. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/kinematics.h"
#include "simulator/simulator_parts.h"

/** Bodies before and after their trees are moved. */
typedef struct moved {
  sup_arena     *arena;
  sup_increment  inc;
  sup_kinematics before, after;
} moved;

static void moved_free(moved *m) { sup_arena_destroy(&m->arena); }

static const char *name_of(const sup_simulator *s, sup_quantity quantity, int handle,
                           char text[4 * SUP_NAME_MAX + 2]) {
  return sup_simulator_name(s, sup_quantity_object(quantity), handle, text, 4 * SUP_NAME_MAX + 2);
}

static sup_status check_numbers(const sup_simulator *s, sup_quantity quantity, int handle,
                                const double *value, int count, int wanted) {
  char text[4 * SUP_NAME_MAX + 2];
  if (count != wanted)
    return SUP_FAIL(SUP_E_ARG, "%s of '%s' takes %d number%s; found %d",
                    sup_quantity_name(quantity), name_of(s, quantity, handle, text), wanted,
                    wanted == 1 ? "" : "s", count);
  for (int i = 0; i < count; i++)
    if (!isfinite(value[i]))
      return SUP_FAIL(SUP_E_ARG, "%s of '%s': number %d is %g; it must be finite",
                      sup_quantity_name(quantity), name_of(s, quantity, handle, text), i, value[i]);
  return SUP_OK;
}

/** Set a quaternion [4] to the length 1.  E_ARG: its length is 0. */
static sup_status unite(double *q, const char *name) {
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(length > 0 && isfinite(length)))
    return SUP_FAIL(SUP_E_ARG,
                    "the quaternion of '%s' is %g %g %g %g (w x y z); its length must be above 0",
                    name, q[0], q[1], q[2], q[3]);
  for (int k = 0; k < 4; k++) q[k] /= length;
  return SUP_OK;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/** Copy the positions of joints [link, end), with quaternions of length 1. */
static sup_status put_joints(double *to, const sup_tree *tree, int link, int end,
                             const double *value) {
  const int first = tree->links[link].q_start;
  for (; link < end; link++) {
    const sup_tree_link *l = &tree->links[link];
    double               q[7];
    int                  turn = sup_joint_quaternion(l);
    memcpy(q, value + l->q_start - first, (size_t)l->nq * sizeof *q);
    if (turn != SUP_NONE) SUP_TRY(unite(q + turn, l->joint_name));
    memcpy(to + l->q_start - first, q, (size_t)l->nq * sizeof *q);
  }
  return SUP_OK;
}

/** Joint frame of a link that floats freely; E_ARG: it does not. */
static sup_status free_frame(const sup_simulator *s, const char *what, int body, sup_frame *X_WJ) {
  const sup_tree      *tree = s->model->tree[s->model->body[body].tree];
  const sup_tree_link *link = &tree->links[s->model->body[body].link];
  if (link->joint != SUP_JOINT_FLOATING || !link->rests || tree->motion.num_rows > 0)
    return SUP_FAIL(SUP_E_ARG, "%s of '%s': the body does not float freely; set %s of its joints",
                    what, s->model->body[body].name,
                    strcmp(what, "pose") == 0 ? "joint_position" : "joint_velocity");
  *X_WJ = link->X_PJ;
  for (int p = link->parent; p != SUP_NONE; p = tree->links[p].parent)
    *X_WJ = sup_frame_mul(&tree->links[p].X_PJ, X_WJ);
  *X_WJ = sup_frame_mul(&tree->X_WB0, X_WJ);
  return SUP_OK;
}

static sup_status put_pose(sup_simulator *s, int body, const double pose[7]) {
  const sup_body *b = &s->model->body[body];
  double         *q = s->state->q + sup_model_link_q(s->model, b->tree, b->link), at[4];
  sup_frame       X_WJ;
  SUP_TRY(free_frame(s, "pose", body, &X_WJ));
  memcpy(at, pose + 3, sizeof at);
  SUP_TRY(unite(at, b->name));
  sup_quat turn = sup_quat_from_matrix(X_WJ.R);
  turn = sup_quat_mul((sup_quat){turn.w, -turn.x, -turn.y, -turn.z},
                      (sup_quat){at[0], at[1], at[2], at[3]});
  sup_v3_store(q, sup_frame_apply_inverse(&X_WJ, sup_v3_load(pose)));
  q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
  return SUP_OK;
}

/** The joint's velocities are the angular velocity in the link's axes and that of the origin. */
static sup_status put_velocity(sup_simulator *s, int body, const double value[6]) {
  const sup_body *b = &s->model->body[body];
  const double   *q = s->state->q + sup_model_link_q(s->model, b->tree, b->link);
  double         *v = s->state->v + sup_model_link_v(s->model, b->tree, b->link);
  sup_frame       X_WJ;
  SUP_TRY(free_frame(s, "velocity", body, &X_WJ));
  sup_m3 R_WL =
      sup_m3_mul(X_WJ.R, sup_quat_matrix(sup_quat_unit((sup_quat){q[3], q[4], q[5], q[6]})));
  const sup_frame turn = {.R = R_WL};
  sup_v3_store(v, sup_frame_apply_inverse(&turn, sup_v3_load(value + 3)));
  memcpy(v + 3, value, 3 * sizeof *v);
  return SUP_OK;
}

/* ---- soft bodies ----------------------------------------------------------------------------- */

/** Components of a vertex that its own numbers move. */
static bool is_own(const sup_soft *soft, const int *holder, int i, int c) {
  return soft->kind[i] != SUP_VERTEX_ATTACHED && soft->kind[i] != SUP_VERTEX_TIED &&
         holder[3 * i + c] == SUP_NONE;
}

/** Numbers [n x 3] of the vertices in an array of all; attached, tied and held components follow
 * what moves them. */
static sup_status put_vertices(sup_simulator *s, const sup_soft *soft, double *to,
                               const double *value) {
  SUP_FREED int *holder = NULL;
  to += 3 * (size_t)soft->first_vertex;
  SUP_TRY(SUP_CALLOC(holder, 3 * soft->num_vertices));
  sup_soft_active_holders(soft, s->state->event, holder);
  for (int i = 0; i < soft->num_vertices; i++)
    for (int c = 0; c < 3; c++)
      if (is_own(soft, holder, i, c)) to[3 * i + c] = value[3 * i + c];
  return SUP_OK;
}

/** Move a soft body as a rigid one: pose [7] of its centre of mass, which is turned from now, or
 * velocity [6]. */
static sup_status put_soft(sup_simulator *s, int body, bool is_pose, const double *value) {
  const sup_soft *soft = &s->model->soft[s->model->body[body].soft];
  double         *x = s->state->x + 3 * (size_t)soft->first_vertex,
         *xdot = s->state->xdot + 3 * (size_t)soft->first_vertex, q[4] = {1, 0, 0, 0};
  if (soft->num_attachments > 0 || soft->num_dirichlet > 0 || soft->in_tie)
    return SUP_FAIL(SUP_E_ARG,
                    "%s of '%s': the body is attached, held or tied; set its vertices, or what "
                    "carries it",
                    is_pose ? "pose" : "velocity", soft->name);
  if (is_pose) memcpy(q, value + 3, sizeof q);
  SUP_TRY(unite(q, soft->name));
  sup_simulator_update_observation(s, 0);
  const sup_v3 centre = s->obs.X_WL[body].p, to = sup_v3_load(value);
  const sup_m3 R = sup_quat_matrix((sup_quat){q[0], q[1], q[2], q[3]});
  for (int i = 0; i < soft->num_vertices; i++) {
    sup_v3 arm = sup_v3_sub(sup_v3_load(x + 3 * i), centre);
    if (is_pose)
      sup_v3_store(x + 3 * i, sup_v3_add(to, sup_m3_apply(R, arm)));
    else
      sup_v3_store(xdot + 3 * i, sup_v3_add(to, sup_v3_cross(sup_v3_load(value + 3), arm)));
  }
  return SUP_OK;
}

/** Carry soft bodies along with the first link that they are attached to; at the places of trees
 * that were not moved nothing changes. */
static void carry_softs(sup_simulator *s, const moved *m) {
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    if (soft->num_attachments == 0) continue;
    int              body = soft->attachment[0].body;
    const sup_frame *from = &m->before.X_WL[body], *to = &m->after.X_WL[body];
    double          *x = s->state->x + 3 * (size_t)soft->first_vertex;
    if (memcmp(from, to, sizeof *from) == 0) continue;
    for (int k = 0; k < soft->num_vertices; k++)
      sup_v3_store(x + 3 * k,
                   sup_frame_apply(to, sup_frame_apply_inverse(from, sup_v3_load(x + 3 * k))));
  }
}

/** Joints that follow others of the tree. */
static void couple(sup_simulator *s, int tree) {
  const sup_tree *t = s->model->tree[tree];
  double *q = s->state->q + s->model->q_start[tree], *v = s->state->v + s->model->v_start[tree];
  for (const sup_tree_link *l = t->links; l < t->links + t->num_links; l++) {
    if (l->mimic == SUP_NONE) continue;
    const sup_tree_link *leader = &t->links[l->mimic];
    q[l->q_start] = l->mimic_ratio * q[leader->q_start] + l->mimic_offset;
    v[l->v_start] = l->mimic_ratio * v[leader->v_start];
  }
}

/* ---- state ----------------------------------------------------------------------------------- */

static sup_status begin(sup_simulator *s, moved *m) {
  SUP_TRY(sup_arena_create(&m->arena, 1 << 14));
  m->inc = sup_increment_of_state(&s->options, s->state);
  SUP_TRY(
      sup_kinematics_compute(&m->before, s->model, &m->inc, s->state->q, s->state->v, m->arena));
  return SUP_OK;
}

/** Vertices follow what carries them; steps know nothing of the way to here. */
static sup_status follow(sup_simulator *s, moved *m) {
  sup_state *state = s->state;
  for (int i = 0; i < s->model->num_trees; i++) couple(s, i);
  SUP_TRY(sup_kinematics_compute(&m->after, s->model, &m->inc, state->q, state->v, m->arena));
  carry_softs(s, m);
  for (int i = 0; i < s->model->num_softs; i++)
    sup_soft_move_attached(&s->model->soft[i], m->after.X_WL, state->x);
  SUP_TRY(sup_state_set_attached_velocities(state, s->model, &m->inc, false));
  for (int i = 0; i < s->model->num_softs; i++)
    sup_soft_move_tied(s->model, i, state->x, state->xdot);
  sup_state_forget_history(state);
  sup_simulator_leave(s);
  return SUP_OK;
}

static sup_status put(sup_simulator *s, sup_quantity quantity, int handle, const double *value) {
  const sup_model *model = s->model;
  int              tree, link;
  switch (quantity) {
    case SUP_READ_POSE:
      return model->body[handle].soft == SUP_NONE ? put_pose(s, handle, value)
                                                  : put_soft(s, handle, 1, value);
    case SUP_READ_VELOCITY:
      return model->body[handle].soft == SUP_NONE ? put_velocity(s, handle, value)
                                                  : put_soft(s, handle, 0, value);
    case SUP_READ_TREE_POSITION:
      return put_joints(s->state->q + model->q_start[handle], model->tree[handle], 0,
                        model->tree[handle]->num_links, value);
    case SUP_READ_JOINT_POSITION:
      sup_simulator_link(s, handle, &tree, &link);
      return put_joints(s->state->q + sup_model_link_q(model, tree, link), model->tree[tree], link,
                        link + 1, value);
    case SUP_READ_VERTICES:
      return put_vertices(s, &model->soft[handle], s->state->x, value);
    case SUP_READ_VERTEX_VELOCITIES:
      return put_vertices(s, &model->soft[handle], s->state->xdot, value);
    case SUP_READ_TREE_VELOCITY:
      if (model->tree[handle]->nv)
        memcpy(s->state->v + model->v_start[handle], value,
               (size_t)model->tree[handle]->nv * sizeof *value);
      return SUP_OK;
    default: /* SUP_READ_JOINT_VELOCITY */
      sup_simulator_link(s, handle, &tree, &link);
      if (model->tree[tree]->links[link].nv)
        memcpy(s->state->v + sup_model_link_v(model, tree, link), value,
               (size_t)model->tree[tree]->links[link].nv * sizeof *value);
      return SUP_OK;
  }
}

static sup_status assign_one(sup_simulator *s, const sup_assignment *a) {
  static const bool is_state[SUP_NUM_QUANTITIES] = {
      [SUP_READ_POSE] = 1,          [SUP_READ_VELOCITY] = 1,         [SUP_READ_TREE_POSITION] = 1,
      [SUP_READ_TREE_VELOCITY] = 1, [SUP_READ_JOINT_POSITION] = 1,   [SUP_READ_JOINT_VELOCITY] = 1,
      [SUP_READ_VERTICES] = 1,      [SUP_READ_VERTEX_VELOCITIES] = 1};
  SUP_OWN_VALUE(moved) m = {NULL};
  const sup_quantity   quantity = a->quantity;
  sup_array            now = {NULL, 1, quantity == SUP_READ_POSE ? 7 : 6};
  if ((int)quantity < 0 || quantity >= SUP_NUM_QUANTITIES || !is_state[quantity])
    return SUP_FAIL(SUP_E_ARG,
                    "%s is no quantity of a state; pose, velocity, tree_ and joint_ position and "
                    "velocity, vertices and vertex_velocities can be assigned",
                    sup_quantity_name(quantity) ? sup_quantity_name(quantity) : "the number given");
  SUP_TRY(sup_simulator_check(s, sup_quantity_object(quantity), a->handle));
  if (quantity != SUP_READ_POSE && quantity != SUP_READ_VELOCITY)
    SUP_TRY(sup_simulator_read(s, quantity, a->handle, &now));
  SUP_TRY(check_numbers(s, quantity, a->handle, a->value, a->count, now.rows * now.width));
  SUP_TRY(begin(s, &m));
  SUP_TRY(put(s, quantity, a->handle, a->value));
  SUP_TRY(follow(s, &m));
  return SUP_OK;
}

static sup_status assign_all(sup_simulator *s, const sup_assignment *all, int num) {
  SUP_OWN(sup_arena) *arena = NULL;
  for (int i = 0; i < num; i++) SUP_TRY(assign_one(s, &all[i]));
  SUP_TRY(sup_arena_create(&arena, 1 << 14));
  SUP_TRY(sup_simulator_check_places(s, s->kept, arena));
  return SUP_OK;
}

sup_status sup_simulator_assign_all(sup_simulator *s, const sup_assignment *all, int num) {
  if (!s->kept) SUP_TRY(sup_state_create(&s->kept, s->model, &s->options));
  SUP_TRY(sup_state_copy(s->kept, s->state));
  sup_status status = assign_all(s, all, num);
  if (status == SUP_OK) return SUP_OK;
  SUP_TRY(sup_state_copy(s->state, s->kept)); /* allocates nothing: it was as large */
  sup_simulator_leave(s);
  return status;
}

sup_status sup_simulator_assign(sup_simulator *s, sup_quantity quantity, int handle,
                                const double *value, int count) {
  const sup_assignment one = {quantity, handle, value, count};
  SUP_TRY(sup_simulator_assign_all(s, &one, 1));
  return SUP_OK;
}
