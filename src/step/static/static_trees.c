/* Trees in a load step: gravity, springs and loads on links at the last iterate, their geometric
 * stiffness, and their energy on the path to the next iterate. */
#include <math.h>
#include <string.h>

#include "step/static/numerics.h"
#include "step/static/statics.h"
#include "step/static/tree_weight.h"

/* ---- A and p --------------------------------------------------------------------------------- */

static double *diagonal_block(const sup_stepper *s, int t) {
  return s->assembly.A + sup_block_diagonal(&s->layout->A_pattern, s->model->tree_block[t]);
}

/** Gravity and joint springs of tree t in A and p at the positions and velocities of `at`. */
static sup_status add_tree(sup_stepper *s, int t, const sup_state *at) {
  const sup_model *model = s->model;
  const sup_tree  *tree = model->tree[t];
  int              n = tree->nv;
  double          *bias, *M, zero[SUP_TREE_MAX_NV] = {0}, h = s->start.inc->h;
  if (n == 0) return SUP_OK;
  SUP_TRY(SUP_ARENA(s->start.arena, bias, n));
  SUP_TRY(SUP_ARENA(s->start.arena, M, n * n));
  const double   *q = at->q + model->q_start[t], *v = at->v + model->v_start[t];
  sup_base_motion base = {.X_WB = s->start.kin.base[t].X_WB};
  sup_tree_inverse_dynamics(tree, &base, q, zero, NULL, s->start.inc->gravity, NULL, bias);
  sup_tree_mass_matrix(tree, q, M);
  for (int i = 0; i < n; i++) s->statics->tree_mass[model->v_start[t] + i] = M[i * (n + 1)];
  double *A = diagonal_block(s, t),
         *p = s->assembly.p + sup_block_first(&s->layout->A_pattern, model->tree_block[t]);
  for (int i = 0; i < n; i++) p[i] -= h * bias[i];
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    int                  i = link->v_start;
    if (link->nv != 1) continue;
    A[i * (n + 1)] += h * h * link->spring;
    p[i] += h * link->spring * (h * v[i] - q[link->q_start]);
  }
  return SUP_OK;
}

/* ---- how forces turn ------------------------------------------------------------------------- */

/** Sums over forces and torques with directions fixed in the world: sizes and derivatives of their
 * effect on the joints of one tree. */
typedef struct turning {
  const sup_tree          *tree;
  sup_tree_kinematics_data kin;
  int                     *joint;   /* [nv] link of each velocity */
  double                  *Jp, *Jw; /* [3 x nv] */
  double *K, *size; /* [nv x nv] minus the derivative of the joints' forces; [nv] their sizes */
  double  round_off;
} turning;

static sup_v3 column(const double *J, int n, int j) {
  return sup_v3_make(J[j], J[n + j], J[2 * n + j]);
}

/** Second derivative of the place of a point, times the force on it.  A joint turns what comes
 * behind it as a rigid body: the column of a later joint turns with the earlier one.  Of one
 * joint's velocities only turns have one. */
static double turned(const turning *c, int i, int j, sup_v3 force, sup_v3 torque) {
  int    n = c->tree->nv, early = i < j ? i : j, late = i < j ? j : i;
  sup_v3 w = column(c->Jw, n, early), w_late = column(c->Jw, n, late), x = column(c->Jp, n, late);
  if (c->joint[i] != c->joint[j])
    return sup_v3_dot(force, sup_v3_cross(w, x)) +
           0.5 * sup_v3_dot(torque, sup_v3_cross(w, w_late));
  if (sup_v3_norm(w) == 0 || sup_v3_norm(w_late) == 0) return 0;
  sup_v3 both = sup_v3_add(sup_v3_cross(w, x), sup_v3_cross(w_late, column(c->Jp, n, early)));
  return 0.5 * sup_v3_dot(force, both);
}

/** @param[in] blur  to which the force is known [N] */
static void add_pull(turning *c, int link, sup_v3 place, sup_v3 force, sup_v3 torque, double blur) {
  int n = c->tree->nv;
  sup_tree_point_jacobian(c->tree, &c->kin, link, place, c->Jp);
  sup_tree_angular_jacobian(c->tree, &c->kin, link, c->Jw);
  for (int i = 0; i < n; i++) {
    c->size[i] += sup_v3_norm(force) * sup_v3_norm(column(c->Jp, n, i)) +
                  sup_v3_norm(torque) * sup_v3_norm(column(c->Jw, n, i));
    c->round_off += blur * sup_v3_norm(column(c->Jp, n, i));
    for (int j = 0; j < n; j++) c->K[i * n + j] -= turned(c, i, j, force, torque);
  }
}

/** Force of a spring on its end b [N]. */
static sup_v3 spring_force(const sup_spring *spring, const sup_frame *X_WL) {
  sup_v3        d = sup_spring_stretch(spring, X_WL);
  const double *k = spring->stiffness;
  return sup_v3_make(-k[0] * d.x, -k[1] * d.y, -k[2] * d.z);
}

static void pull_springs(const sup_stepper *s, int t, turning *c) {
  const sup_model *model = s->model;
  for (int i = 0; i < model->num_springs; i++) {
    const sup_spring *spring = &model->spring[i];
    int               body[2] = {spring->body_a, spring->body_b};
    sup_v3            point[2] = {spring->point_a, spring->point_b},
           force = spring_force(spring, s->start.kin.X_WL);
    for (int e = 0; e < 2; e++) {
      if (body[e] == SUP_NONE || model->body[body[e]].tree != t) continue;
      sup_v3 place = sup_frame_apply(&s->start.kin.X_WL[body[e]], point[e]);
      add_pull(c, model->body[body[e]].link, place, sup_v3_scale(e ? 1 : -1, force),
               (sup_v3){0, 0, 0},
               sup_static_numerics.round_off * sup_v3_norm(sup_v3_load(spring->stiffness)) *
                   sup_v3_norm(place));
    }
  }
}

static void pull_loads(const sup_stepper *s, int t, turning *c) {
  const sup_model *model = s->model;
  for (int i = 0; i < sup_increment_num_externals(s->start.inc, model); i++) {
    sup_external load;
    if (!sup_increment_external(s->start.inc, model, i, &load) || model->body[load.body].tree != t)
      continue;
    add_pull(c, model->body[load.body].link,
             sup_frame_apply(&s->start.kin.X_WL[load.body], load.point), sup_v3_load(load.force),
             sup_v3_load(load.torque), 0);
  }
}

static sup_status turn_forces(sup_stepper *s, int t, const sup_state *at, turning *c) {
  const sup_model *model = s->model;
  const sup_tree  *tree = model->tree[t];
  int              n = tree->nv;
  *c = (turning){.tree = tree, .kin = sup_kinematics_tree(&s->start.kin, model, t)};
  SUP_TRY(SUP_ARENA(s->start.arena, c->joint, n));
  SUP_TRY(SUP_ARENA(s->start.arena, c->Jp, 3 * n));
  SUP_TRY(SUP_ARENA(s->start.arena, c->Jw, 3 * n));
  SUP_TRY(SUP_ARENA(s->start.arena, c->K, n * n));
  c->size = s->statics->tree_force + model->v_start[t];
  memset(c->K, 0, (size_t)(n * n) * sizeof *c->K);
  memset(c->size, 0, (size_t)n * sizeof *c->size);
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    for (int k = 0; k < link->nv; k++) c->joint[link->v_start + k] = l;
    if (link->nv == 1)
      c->size[link->v_start] += link->spring * fabs(at->q[model->q_start[t] + link->q_start]);
  }
  for (int j = 0; s->start.inc->inputs && j < n; j++)
    c->size[j] += fabs(s->start.inc->inputs->effort[model->v_start[t] + j]);
  for (int l = 0; l < tree->num_links; l++)
    add_pull(c, l, sup_frame_apply(&c->kin.X_WL[l], tree->links[l].com),
             sup_v3_scale(tree->links[l].mass, s->start.inc->gravity), (sup_v3){0, 0, 0}, 0);
  pull_springs(s, t, c);
  pull_loads(s, t, c);
  return SUP_OK;
}

/* ---- what holds on --------------------------------------------------------------------------- */

/** Add geometric stiffness and the least proximal weight tried with which A is positive definite.
 */
static sup_status steady_tree(sup_stepper *s, int t, const sup_state *at) {
  const sup_model *model = s->model;
  sup_statics     *statics = s->statics;
  int              n = model->tree[t]->nv, first = model->v_start[t];
  double          *A = diagonal_block(s, t), *L;
  double          *p = s->assembly.p + sup_block_first(&s->layout->A_pattern, model->tree_block[t]);
  const double    *v = at->v + first;
  sup_statics_tree *own = &statics->tree[t];
  SUP_TRY(SUP_ARENA(s->start.arena, L, n * n));
  SUP_TRY(SUP_ARENA(s->start.arena, own->held, n));
  SUP_TRY(SUP_ARENA(s->start.arena, own->pulled, n));
  own->bend = statics->phase != SUP_STATIC_PROJECTED ? s->start.inc->h * s->start.inc->h : 0;
  sup_tree_weight tree = {.n = n,
                          .A = A,
                          .K = own->K,
                          .bend = own->bend,
                          .force = statics->tree_force + first,
                          .mass = statics->tree_mass + first,
                          .h = s->start.inc->h,
                          .size = statics->length,
                          .pull = own->pull};
  own->raises = sup_tree_weight_find(&tree, fmax(statics->soft_weight, statics->tree_weight),
                                     own->pulled, L, own->held);
  for (int i = 0; i < n; i++) {
    A[i * (n + 1)] += own->held[i];
    p[i] += own->held[i] * v[i];
    for (int j = 0; j < n; j++) {
      A[j * n + i] += own->bend * own->K[i * n + j];
      p[i] += own->bend * own->K[i * n + j] * v[j];
    }
  }
  return SUP_OK;
}

void sup_statics_proximal(const sup_stepper *s, double *held, double *least) {
  const sup_model *model = s->model;
  memset(held, 0, (size_t)s->layout->A_pattern.num_scalars * sizeof *held);
  memset(least, 0, (size_t)s->layout->A_pattern.num_scalars * sizeof *least);
  for (int t = 0; t < model->num_trees; t++) {
    if (model->tree[t]->nv == 0) continue;
    size_t first = (size_t)sup_block_first(&s->layout->A_pattern, model->tree_block[t]),
           size = (size_t)model->tree[t]->nv * sizeof *held;
    memcpy(held + first, s->statics->tree[t].held, size);
    memcpy(least + first, s->statics->tree[t].pulled, size);
  }
}

static double size_of(const turning *c) {
  double sum = 0;
  for (int i = 0; i < c->tree->nv; i++) sum += c->size[i] * c->size[i];
  return sqrt(sum);
}

double sup_statics_tree_force(const sup_stepper *s, int t, double tolerance) {
  const sup_statics_tree *own = &s->statics->tree[t];
  turning now = {.tree = s->model->tree[t], .size = s->statics->tree_force + s->model->v_start[t]};
  return fmax(fmax(size_of(&now), own->first), own->round_off / tolerance);
}

/** Add geometric stiffness and proximal terms about `at` to A and p, as the last of each tree,
 * until its A is positive definite; set s->statics->tree_force. */
static sup_status steady_trees(sup_stepper *s, const sup_state *at) {
  const sup_model *model = s->model;
  memcpy(s->statics->q, at->q, (size_t)at->num_q * sizeof *at->q);
  memcpy(s->statics->v, at->v, (size_t)at->num_v * sizeof *at->v);
  for (int t = 0; t < model->num_trees; t++) {
    turning c;
    if (model->tree[t]->nv == 0) continue;
    SUP_TRY(turn_forces(s, t, at, &c));
    s->statics->tree[t].K = c.K, s->statics->tree[t].round_off = c.round_off;
    if (s->statics->phase == SUP_STATIC_START) s->statics->tree[t].first = size_of(&c);
    SUP_TRY(steady_tree(s, t, at));
  }
  return SUP_OK;
}

sup_status sup_statics_assemble(sup_stepper *s, const sup_state *state, const double *v) {
  const sup_state *at = v ? s->end.next : state;
  sup_statics_add_proximal(s, v);
  SUP_TRY(sup_assembly_softs(&s->start, &s->assembly, v));
  s->assembly.within = s->start.kin, s->assembly.about = NULL,
  s->assembly.elapsed = v ? s->start.inc->h : 0;
  for (int t = 0; t < s->model->num_trees; t++) SUP_TRY(add_tree(s, t, at));
  SUP_TRY(sup_assembly_springs(&s->start, &s->assembly, at->v));
  sup_assembly_efforts(&s->start, &s->assembly);
  SUP_TRY(sup_assembly_loads(&s->start, &s->assembly));
  SUP_TRY(steady_trees(s, at));
  sup_assembly_share_trees(&s->assembly);
  return SUP_OK;
}

/* ---- energy ---------------------------------------------------------------------------------- */

/** q [nq] of tree t after its velocities v [nv] in this load step. */
static void go_on(const sup_stepper *s, int t, const double *v, double *q) {
  const sup_model *model = s->model;
  const sup_tree  *tree = model->tree[t];
  double           d[SUP_TREE_MAX_NV];
  for (int j = 0; j < tree->nv; j++) d[j] = v[j] - s->statics->v[model->v_start[t] + j];
  memcpy(q, s->statics->q + model->q_start[t], (size_t)tree->nq * sizeof *q);
  sup_tree_integrate(tree, q, d, s->start.inc->h);
}

sup_status sup_statics_integrate(sup_stepper *s) {
  const sup_model *model = s->model;
  SUP_TRY(sup_step_begin_next(&s->start, s->end.next));
  for (int t = 0; t < model->num_trees; t++) {
    if (model->tree_block[t] == SUP_NONE) continue;
    double *v = s->end.next->v + model->v_start[t];
    memcpy(v, s->solution.v + sup_block_first(&s->layout->A_pattern, model->tree_block[t]),
           (size_t)model->tree[t]->nv * sizeof *v);
    go_on(s, t, v, s->end.next->q + model->q_start[t]);
  }
  SUP_TRY(sup_step_set_end(&s->start, &s->assembly, s->solution.v, &s->end));
  return SUP_OK;
}

/** Poses of links at the velocities v: X_end; and their linearisation in A and p: X_start, w,
 * w_linear. */
static void go(const sup_stepper *s, const double *v) {
  const sup_model *model = s->model;
  sup_statics     *statics = s->statics;
  double           d[SUP_TREE_MAX_NV], q[7 * SUP_TREE_MAX_LINKS];
  for (int t = 0; t < model->num_trees; t++) {
    const sup_tree *tree = model->tree[t];
    const double   *q0 = statics->q + model->q_start[t], *v0 = statics->v + model->v_start[t];
    int             first = model->tree_body[t];
    sup_tree_kinematics_data end = {statics->X_end + first, statics->w + first,
                                    statics->w_linear + first},
                             straight = {statics->X_start + first, statics->w + first,
                                         statics->w_linear + first};
    sup_base_motion base = {.X_WB = s->end.kin_next.base[t].X_WB};
    if (tree->nv > 0) {
      const double *u = v + sup_block_first(&s->layout->A_pattern, model->tree_block[t]);
      go_on(s, t, u, q);
      for (int j = 0; j < tree->nv; j++) d[j] = u[j] - v0[j];
    }
    sup_tree_kinematics(tree, &base, q, d, &end);
    base = statics->phase == SUP_STATIC_START ? s->start.kin.base[t] : base;
    sup_tree_kinematics(tree, &base, q0, d, &straight);
  }
}

/** World position of a link's point in X_end; straight := its linearised position. */
static sup_v3 arrive(const sup_stepper *s, int body, sup_v3 point, sup_v3 *straight) {
  const sup_statics *statics = s->statics;
  sup_v3             arm = sup_m3_apply(statics->X_start[body].R, point),
         moves = sup_v3_add(statics->w_linear[body], sup_v3_cross(statics->w[body], arm));
  *straight = sup_v3_madd(sup_v3_add(statics->X_start[body].p, arm), s->start.inc->h, moves);
  return sup_frame_apply(&statics->X_end[body], point);
}

/** Work of a force from the linearised position to the true one [J]. */
static double work_off(const sup_stepper *s, int body, sup_v3 point, sup_v3 force) {
  sup_v3 straight, end = arrive(s, body, point, &straight);
  return sup_v3_dot(force, sup_v3_sub(end, straight));
}

static double spring_excess(const sup_stepper *s, const sup_spring *spring) {
  sup_v3 a0 = spring->point_a, b0, a = a0, b = arrive(s, spring->body_b, spring->point_b, &b0);
  double sum = 0, true_stretch[3], straight[3];
  if (spring->body_a != SUP_NONE) a = arrive(s, spring->body_a, spring->point_a, &a0);
  sup_v3_store(true_stretch, sup_v3_sub(sup_v3_sub(b, a), spring->rest));
  sup_v3_store(straight, sup_v3_sub(sup_v3_sub(b0, a0), spring->rest));
  for (int r = 0; r < 3; r++)
    sum += 0.5 * spring->stiffness[r] * (true_stretch[r] - straight[r]) *
           (true_stretch[r] + straight[r]);
  return sum;
}

/** Energy of geometric stiffness that A already has at the velocities v [J]. */
static double counted(const sup_stepper *s, int t, const double *v) {
  const sup_model *model = s->model;
  const double    *u = v + sup_block_first(&s->layout->A_pattern, model->tree_block[t]),
               *v0 = s->statics->v + model->v_start[t];
  int    n = model->tree[t]->nv;
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      sum += (u[i] - v0[i]) * s->statics->tree[t].K[i * n + j] * (u[j] - v0[j]);
  return 0.5 * s->statics->tree[t].bend * sum;
}

double sup_statics_tree_excess(const void *user, const double *v) {
  const sup_stepper *s = user;
  const sup_model   *model = s->model;
  sup_v3             gravity = s->start.inc->gravity;
  double             sum = 0;
  go(s, v);
  for (int t = 0; t < model->num_trees; t++) {
    const sup_tree *tree = model->tree[t];
    if (tree->nv == 0) continue;
    for (int l = 0; l < tree->num_links; l++)
      sum -= work_off(s, sup_model_link_body(model, t, l), tree->links[l].com,
                      sup_v3_scale(tree->links[l].mass, gravity));
    sum -= counted(s, t, v);
  }
  for (int i = 0; i < sup_increment_num_externals(s->start.inc, model); i++) {
    sup_external load;
    if (sup_increment_external(s->start.inc, model, i, &load))
      sum -= work_off(s, load.body, load.point, sup_v3_load(load.force));
  }
  for (int i = 0; i < model->num_springs; i++) sum += spring_excess(s, &model->spring[i]);
  return sum;
}

sup_status sup_statics_allocate_trees(sup_stepper *s, const sup_state *state) {
  sup_statics *statics = s->statics;
  int          n = s->model->num_bodies;
  SUP_TRY(SUP_ARENA(s->start.arena, statics->tree_mass, state->num_v));
  SUP_TRY(SUP_ARENA(s->start.arena, statics->tree_force, state->num_v));
  SUP_TRY(SUP_ARENA(s->start.arena, statics->tree, s->model->num_trees));
  SUP_TRY(SUP_ARENA(s->start.arena, statics->q, state->num_q));
  SUP_TRY(SUP_ARENA(s->start.arena, statics->v, state->num_v));
  SUP_TRY(SUP_ARENA(s->start.arena, statics->X_start, n));
  SUP_TRY(SUP_ARENA(s->start.arena, statics->X_end, n));
  SUP_TRY(SUP_ARENA(s->start.arena, statics->w, n));
  SUP_TRY(SUP_ARENA(s->start.arena, statics->w_linear, n));
  memcpy(statics->q, state->q, (size_t)state->num_q * sizeof *statics->q);
  memset(statics->v, 0, (size_t)state->num_v * sizeof *statics->v);
  memset(statics->tree, 0, (size_t)s->model->num_trees * sizeof *statics->tree);
  return SUP_OK;
}
