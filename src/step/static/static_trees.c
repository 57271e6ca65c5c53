/* Trees in a load step (THEORY 18.2, 18.4). */
#include "step/static/static_trees.h"

#include <math.h>
#include <string.h>

#include "la/vector.h"
#include "model/body_point.h"
#include "step/column/cables.h"
#include "step/static/numerics.h"
#include "step/static/tree_weight.h"

/* ---- A and p --------------------------------------------------------------------------------- */

static int first_of(const sup_static_trees *trees, int t) {
  const sup_step_start *s = trees->start;
  return sup_block_first(&s->layout->A_pattern, s->model->tree_block[t]);
}

static double *diagonal_block(const sup_static_trees *trees, int t, const sup_assembly *assembly) {
  const sup_step_start *s = trees->start;
  return assembly->A + sup_block_diagonal(&s->layout->A_pattern, s->model->tree_block[t]);
}

/** Gravity and joint springs of tree t. */
static sup_status add_tree(const sup_static_trees *trees, int t, const sup_state *at,
                           sup_assembly *assembly) {
  const sup_step_start *s = trees->start;
  const sup_tree       *tree = s->model->tree[t];
  int                   n = tree->nv;
  double               *bias, *M, zero[SUP_TREE_MAX_NV] = {0}, h = s->inc->h;
  SUP_TRY(SUP_ARENA(s->arena, bias, n));
  SUP_TRY(SUP_ARENA(s->arena, M, n * n));
  const double   *q = at->q + s->model->q_start[t], *v = at->v + s->model->v_start[t];
  sup_base_motion base = {.X_WB = s->kin.base[t].X_WB};
  sup_tree_inverse_dynamics(tree, &base, q, zero, NULL, s->inc->gravity, NULL, bias);
  sup_tree_mass_matrix(tree, q, M);
  double *A = diagonal_block(trees, t, assembly), *p = assembly->p + first_of(trees, t);
  for (int i = 0; i < n; i++) {
    trees->mass[s->model->v_start[t] + i] = M[i * (n + 1)];
    p[i] -= h * bias[i];
  }
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    int                  i = link->v_start;
    if (link->nv != 1) continue;
    A[i * (n + 1)] += h * h * link->spring;
    p[i] += h * link->spring * (h * v[i] - sup_joint_stretch(link, q));
  }
  return SUP_OK;
}

sup_status sup_static_trees_add(const sup_static_trees *trees, const sup_state *at,
                                sup_assembly *assembly) {
  const sup_model *model = trees->start->model;
  for (int t = 0; t < model->num_trees; t++)
    if (model->tree[t]->nv > 0) SUP_TRY(add_tree(trees, t, at, assembly));
  return SUP_OK;
}

/* ---- geometric stiffness
 * ------------------------------------------------------------------------- */

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

/** Second derivative of the position of a point, times the force on the point.  A joint rotates all
 * later links as a rigid body: the Jacobian column of a later joint rotates with the earlier joint.
 * Within one joint only rotations have a second derivative. */
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

/** Jacobians of the place, and the sizes of forces there.
 *  @param[in] blur uncertainty of the force [N] */
static void add_size(turning *c, int link, sup_v3 place, sup_v3 force, sup_v3 torque, double blur) {
  int n = c->tree->nv;
  sup_tree_point_jacobian(c->tree, &c->kin, link, place, c->Jp);
  sup_tree_angular_jacobian(c->tree, &c->kin, link, c->Jw);
  for (int i = 0; i < n; i++) {
    c->size[i] += sup_v3_norm(force) * sup_v3_norm(column(c->Jp, n, i)) +
                  sup_v3_norm(torque) * sup_v3_norm(column(c->Jw, n, i));
    c->round_off += blur * sup_v3_norm(column(c->Jp, n, i));
  }
}

/** With the Jacobians of add_size. */
static void add_turn(turning *c, sup_v3 force, sup_v3 torque) {
  int n = c->tree->nv;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) c->K[i * n + j] -= turned(c, i, j, force, torque);
}

static void add_pull(turning *c, int link, sup_v3 place, sup_v3 force, sup_v3 torque, double blur) {
  add_size(c, link, place, force, torque, blur);
  add_turn(c, force, torque);
}

/** Weights of all links.  The later joint of a pair turns the links that it carries, whose weights
 * act in their common centre of mass, so that pairs of joints count once, not for each link. */
static sup_status add_weight(turning *c, sup_v3 gravity, sup_arena *arena) {
  const sup_tree *tree = c->tree;
  const sup_v3    none = {0, 0, 0};
  sup_v3         *moment; /* mass times place [kg m] of links and what they carry */
  double         *mass;
  int             n = tree->nv;
  SUP_TRY(SUP_ARENA(arena, moment, tree->num_links));
  SUP_TRY(SUP_ARENA(arena, mass, tree->num_links));
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    sup_v3               place = sup_frame_apply(&c->kin.X_WL[l], link->com);
    add_size(c, l, place, sup_v3_scale(link->mass, gravity), none, 0);
    mass[l] = link->mass, moment[l] = sup_v3_scale(link->mass, place);
  }
  for (int l = tree->num_links - 1; l >= 0; l--) {
    int p = tree->links[l].parent, first = tree->links[l].v_start;
    if (p != SUP_NONE) mass[p] += mass[l], moment[p] = sup_v3_add(moment[p], moment[l]);
    if (tree->links[l].nv == 0 || !(mass[l] > 0)) continue;
    sup_tree_point_jacobian(tree, &c->kin, l, sup_v3_scale(1 / mass[l], moment[l]), c->Jp);
    sup_tree_angular_jacobian(tree, &c->kin, l, c->Jw);
    for (int j = first; j < first + tree->links[l].nv; j++)
      for (int i = 0; i < first + tree->links[l].nv; i++) {
        double pull = turned(c, i, j, sup_v3_scale(mass[l], gravity), none);
        c->K[i * n + j] -= pull;
        if (i < first) c->K[j * n + i] -= pull;
      }
  }
  return SUP_OK;
}

/** Force of a spring on its end b [N]. */
static sup_v3 spring_force(const sup_spring *spring, const sup_frame *X_WL, const double *x) {
  sup_v3        d = sup_spring_stretch(spring, X_WL, x);
  const double *k = spring->stiffness;
  return sup_v3_make(-k[0] * d.x, -k[1] * d.y, -k[2] * d.z);
}

static void pull_springs(const sup_step_start *s, const sup_state *at, int t, turning *c) {
  const sup_v3 none = {0, 0, 0};
  for (int i = 0; i < s->model->num_springs; i++) {
    const sup_spring *spring = &s->model->spring[i];
    sup_v3            force = spring_force(spring, s->kin.X_WL, at->x);
    double blur = sup_static_numerics.round_off * sup_v3_norm(sup_v3_load(spring->stiffness));
    for (int e = 0; e < 2; e++) {
      const sup_body_point *end = &spring->end[e];
      if (end->body == SUP_NONE || end->num_vertices > 0 || s->model->body[end->body].tree != t)
        continue;
      sup_v3 place = sup_frame_apply(&s->kin.X_WL[end->body], end->point);
      add_pull(c, s->model->body[end->body].link, place, sup_v3_scale(e ? 1 : -1, force), none,
               blur * sup_v3_norm(place));
    }
  }
}

static void pull_loads(const sup_step_start *s, int t, turning *c) {
  for (int i = 0; i < sup_increment_num_externals(s->inc, s->model); i++) {
    sup_external load;
    if (!sup_increment_external(s->inc, s->model, i, &load) || load.cell ||
        s->model->body[load.body].tree != t)
      continue;
    add_pull(c, s->model->body[load.body].link,
             sup_frame_apply(&s->kin.X_WL[load.body], load.point), sup_v3_load(load.force),
             sup_v3_load(load.torque), 0);
  }
}

static void pull_cables(const sup_static_trees *trees, int t, turning *c) {
  const sup_model *model = trees->start->model;
  for (int i = 0; i < trees->assembly->num_cables; i++)
    for (int k = 0; k < 2 * trees->assembly->cable[i].num_ways; k++) {
      const sup_cable_way  *way = trees->assembly->cable[i].way[k / 2];
      const sup_body_point *at = &way->at[k % 2];
      if (at->body == SUP_NONE || at->num_vertices > 0 || model->body[at->body].tree != t) continue;
      sup_v3 place = sup_frame_apply(&trees->start->kin.X_WL[at->body], at->point),
             force = sup_cable_pull(trees->assembly, i, way, k % 2);
      add_pull(c, model->body[at->body].link, place, force, (sup_v3){0, 0, 0},
               sup_static_numerics.round_off * sup_v3_norm(force));
    }
}

/** Link that carries vertex a of a soft body; elastic: [N]. */
static const sup_attachment_link *carrier_of(const sup_static_trees *trees, const sup_soft *soft,
                                             int a, sup_v3 *elastic) {
  const double *f = trees->assembly->soft[soft - trees->start->model->soft].elastic;
  if (!f || soft->attach_slot[a] == SUP_NONE) return NULL;
  *elastic = sup_v3_load(f + 3 * a);
  return &soft->attachment[soft->attach_of[a]];
}

/** Elastic forces on attached vertices turn with the link; their sizes are in no sum, as they are
 * of the solution. */
static void pull_attached(const sup_static_trees *trees, int t, turning *c) {
  const sup_model *model = trees->start->model;
  sup_v3           f;
  for (int i = 0; i < model->num_softs; i++)
    for (int a = 0; a < model->soft[i].num_vertices && model->soft[i].num_attached > 0; a++) {
      const sup_soft            *soft = &model->soft[i];
      const sup_attachment_link *on = carrier_of(trees, soft, a, &f);
      if (!on || on->tree != t) continue;
      sup_v3 place = sup_frame_apply(&trees->start->kin.X_WL[on->body],
                                     sup_v3_load(soft->attach_point + 3 * a));
      sup_tree_point_jacobian(c->tree, &c->kin, model->body[on->body].link, place, c->Jp);
      sup_tree_angular_jacobian(c->tree, &c->kin, model->body[on->body].link, c->Jw);
      add_turn(c, f, (sup_v3){0, 0, 0});
    }
}

static sup_status turn_forces(const sup_static_trees *trees, int t, const sup_state *at,
                              turning *c) {
  const sup_step_start *s = trees->start;
  const sup_tree       *tree = s->model->tree[t];
  int                   n = tree->nv, first = s->model->v_start[t];
  *c = (turning){
      .tree = tree, .kin = sup_kinematics_tree(&s->kin, s->model, t), .size = trees->force + first};
  SUP_TRY(SUP_ARENA(s->arena, c->joint, n));
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, 3 * n, &c->Jp, &c->Jw));
  SUP_TRY(SUP_ARENA(s->arena, c->K, n * n));
  memset(c->K, 0, (size_t)(n * n) * sizeof *c->K);
  memset(c->size, 0, (size_t)n * sizeof *c->size);
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    for (int k = 0; k < link->nv; k++) c->joint[link->v_start + k] = l;
    if (link->nv == 1)
      c->size[link->v_start] +=
          link->spring * fabs(sup_joint_stretch(link, at->q + s->model->q_start[t]));
  }
  for (int j = 0; s->inc->inputs && j < n; j++)
    c->size[j] += fabs(s->inc->inputs->effort[first + j]);
  SUP_TRY(add_weight(c, s->inc->gravity, s->arena));
  pull_springs(s, at, t, c);
  pull_loads(s, t, c);
  pull_cables(trees, t, c);
  pull_attached(trees, t, c);
  return SUP_OK;
}

/* ---- proximal weights ---------------------------------------------------------------------------
 */

/** Add geometric stiffness and proximal weights of tree t, own->K and own->bend being set. */
static sup_status hold_tree(const sup_static_trees *trees, int t, const double *v, double weight,
                            sup_assembly *assembly) {
  const sup_step_start *s = trees->start;
  sup_static_tree      *own = &trees->tree[t];
  int                   n = s->model->tree[t]->nv, from = s->model->v_start[t];
  int                   first = first_of(trees, t);
  double               *A = diagonal_block(trees, t, assembly), *p = assembly->p + first, *L;
  double               *held = trees->held + first;
  SUP_TRY(SUP_ARENA(s->arena, L, n * n));
  sup_tree_weight tree = {.n = n,
                          .A = A,
                          .K = own->K,
                          .bend = own->bend,
                          .force = trees->force + from,
                          .mass = trees->mass + from,
                          .h = s->inc->h,
                          .size = trees->size,
                          .pull = own->pull};
  own->raises = sup_tree_weight_find(&tree, weight, trees->least + first, L, held);
  for (int i = 0; i < n; i++) {
    A[i * (n + 1)] += held[i];
    p[i] += held[i] * v[i];
    for (int j = 0; j < n; j++) {
      A[j * n + i] += own->bend * own->K[i * n + j];
      p[i] += own->bend * own->K[i * n + j] * v[j];
    }
  }
  return SUP_OK;
}

sup_status sup_static_trees_add_weights(sup_static_trees *trees, const sup_state *at, double weight,
                                        double bend, int is_start, sup_assembly *assembly) {
  const sup_model *model = trees->start->model;
  memcpy(trees->q, at->q, (size_t)at->num_q * sizeof *at->q);
  memcpy(trees->v, at->v, (size_t)at->num_v * sizeof *at->v);
  trees->is_start = is_start;
  for (int t = 0; t < model->num_trees; t++) {
    sup_static_tree *own = &trees->tree[t];
    turning          c;
    if (model->tree[t]->nv == 0) continue;
    SUP_TRY(turn_forces(trees, t, at, &c));
    own->K = c.K, own->bend = bend, own->round_off = c.round_off;
    if (is_start) own->first = sup_norm(c.size, c.tree->nv);
    SUP_TRY(hold_tree(trees, t, at->v + model->v_start[t], weight, assembly));
  }
  return SUP_OK;
}

double sup_static_trees_force(const sup_static_trees *trees, int t, double tolerance) {
  const sup_model       *model = trees->start->model;
  const sup_static_tree *own = &trees->tree[t];
  double                 size = sup_norm(trees->force + model->v_start[t], model->tree[t]->nv);
  return fmax(fmax(size, own->first), own->round_off / tolerance);
}

/* ---- energy ---------------------------------------------------------------------------------- */

/** q [nq] of tree t after its block velocities u [nv] in this load step; d [nv] := u - v. */
static void go_on(const sup_static_trees *trees, int t, const double *u, double *d, double *q) {
  const sup_model *model = trees->start->model;
  const sup_tree  *tree = model->tree[t];
  for (int j = 0; j < tree->nv; j++) d[j] = u[j] - trees->v[model->v_start[t] + j];
  memcpy(q, trees->q + model->q_start[t], (size_t)tree->nq * sizeof *q);
  sup_tree_integrate(tree, q, d, trees->start->inc->h);
}

void sup_static_trees_move(const sup_static_trees *trees, const double *v, sup_state *next) {
  const sup_model *model = trees->start->model;
  double           d[SUP_TREE_MAX_NV];
  for (int t = 0; t < model->num_trees; t++) {
    if (model->tree_block[t] == SUP_NONE) continue;
    const double *u = v + first_of(trees, t);
    memcpy(next->v + model->v_start[t], u, (size_t)model->tree[t]->nv * sizeof *u);
    go_on(trees, t, u, d, next->q + model->q_start[t]);
  }
}

void sup_static_trees_place(const sup_static_trees *trees, const double *v) {
  const sup_model *model = trees->start->model;
  double           d[SUP_TREE_MAX_NV], q[7 * SUP_TREE_MAX_LINKS];
  for (int t = 0; t < model->num_trees; t++) {
    const sup_tree *tree = model->tree[t];
    int             first = model->tree_body[t];
    sup_v3         *w = trees->w + first, *w_linear = trees->w_linear + first;
    sup_base_motion base = {.X_WB = trees->end->base[t].X_WB};
    if (tree->nv > 0) go_on(trees, t, v + first_of(trees, t), d, q);
    sup_tree_kinematics(tree, &base, q, d,
                        &(sup_tree_kinematics_data){trees->X_end + first, w, w_linear});
    if (trees->is_start) base = trees->start->kin.base[t];
    sup_tree_kinematics(tree, &base, trees->q + model->q_start[t], d,
                        &(sup_tree_kinematics_data){trees->X_start + first, w, w_linear});
  }
}

/** World position of a link's point in X_end; straight := its linearised position. */
static sup_v3 arrive(const sup_static_trees *trees, int body, sup_v3 point, sup_v3 *straight) {
  sup_v3 arm = sup_m3_apply(trees->X_start[body].R, point),
         moves = sup_v3_add(trees->w_linear[body], sup_v3_cross(trees->w[body], arm));
  *straight = sup_v3_madd(sup_v3_add(trees->X_start[body].p, arm), trees->start->inc->h, moves);
  return sup_frame_apply(&trees->X_end[body], point);
}

/** Work of a force from the linearised position to the true one [J]. */
static double work_off(const sup_static_trees *trees, int body, sup_v3 point, sup_v3 force) {
  sup_v3 straight, end = arrive(trees, body, point, &straight);
  return sup_v3_dot(force, sup_v3_sub(end, straight));
}

/** work_off of elastic forces on attached vertices [J]. */
static double work_off_attached(const sup_static_trees *trees) {
  const sup_model *model = trees->start->model;
  double           sum = 0;
  sup_v3           f;
  for (int i = 0; i < model->num_softs; i++)
    for (int a = 0; a < model->soft[i].num_vertices && model->soft[i].num_attached > 0; a++) {
      const sup_soft            *soft = &model->soft[i];
      const sup_attachment_link *on = carrier_of(trees, soft, a, &f);
      if (on && model->tree[on->tree]->nv > 0)
        sum += work_off(trees, on->body, sup_v3_load(soft->attach_point + 3 * a), f);
    }
  return sum;
}

/** Position of a spring's end at the block velocities v, and the linearised one. */
static sup_v3 arrive_at(const sup_static_trees *trees, const sup_body_point *at, const double *v,
                        sup_v3 *straight) {
  const sup_step_start *s = trees->start;
  if (at->body != SUP_NONE && at->num_vertices == 0)
    return arrive(trees, at->body, at->point, straight);
  *straight = sup_body_point_position(at, NULL, s->state->x);
  for (int i = 0; i < at->num_vertices; i++) {
    int block = sup_body_point_block(at, i, s->model);
    if (block != SUP_NONE)
      *straight = sup_v3_madd(*straight, s->inc->h * at->weight[i],
                              sup_v3_load(v + sup_block_first(&s->layout->A_pattern, block)));
  }
  return *straight;
}

static double spring_excess(const sup_static_trees *trees, const sup_spring *spring,
                            const double *v) {
  sup_v3 straight[2], end[2];
  double sum = 0, true_stretch[3], linear[3];
  for (int e = 0; e < 2; e++) end[e] = arrive_at(trees, &spring->end[e], v, &straight[e]);
  sup_v3_store(true_stretch, sup_v3_sub(sup_v3_sub(end[1], end[0]), spring->rest));
  sup_v3_store(linear, sup_v3_sub(sup_v3_sub(straight[1], straight[0]), spring->rest));
  for (int r = 0; r < 3; r++)
    sum +=
        0.5 * spring->stiffness[r] * (true_stretch[r] - linear[r]) * (true_stretch[r] + linear[r]);
  return sum;
}

/** Energy of geometric stiffness that A already has at the block velocities u [nv] of tree t [J].
 */
static double counted(const sup_static_trees *trees, int t, const double *u) {
  const sup_static_tree *own = &trees->tree[t];
  const double          *v0 = trees->v + trees->start->model->v_start[t];
  int                    n = trees->start->model->tree[t]->nv;
  double                 sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += (u[i] - v0[i]) * own->K[i * n + j] * (u[j] - v0[j]);
  return 0.5 * own->bend * sum;
}

double sup_static_trees_excess(const void *user, const double *v) {
  const sup_static_trees *trees = user;
  const sup_model        *model = trees->start->model;
  const sup_increment    *inc = trees->start->inc;
  double                  sum = 0;
  sup_static_trees_place(trees, v);
  for (int t = 0; t < model->num_trees; t++) {
    const sup_tree *tree = model->tree[t];
    if (tree->nv == 0) continue;
    for (int l = 0; l < tree->num_links; l++)
      sum -= work_off(trees, sup_model_link_body(model, t, l), tree->links[l].com,
                      sup_v3_scale(tree->links[l].mass, inc->gravity));
    sum -= counted(trees, t, v + first_of(trees, t));
  }
  for (int i = 0; i < sup_increment_num_externals(inc, model); i++) {
    sup_external load;
    if (sup_increment_external(inc, model, i, &load) && !load.cell)
      sum -= work_off(trees, load.body, load.point, sup_v3_load(load.force));
  }
  for (int i = 0; i < model->num_springs; i++) sum += spring_excess(trees, &model->spring[i], v);
  return sum - work_off_attached(trees) +
         sup_cables_excess(trees->start, trees->assembly, v, trees->X_end);
}

sup_status sup_static_trees_begin(sup_static_trees *trees, double pull) {
  const sup_step_start *s = trees->start;
  const sup_state      *state = s->state;
  int                   n = s->layout->A_pattern.num_scalars;
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, n, &trees->held, &trees->least));
  SUP_TRY(SUP_ARENA_VECTORS(s->arena, state->num_v, &trees->mass, &trees->force, &trees->v));
  SUP_TRY(SUP_ARENA(s->arena, trees->q, state->num_q));
  SUP_TRY(SUP_ARENA(s->arena, trees->tree, s->model->num_trees));
  SUP_TRY(SUP_ARENA(s->arena, trees->X_start, s->model->num_bodies));
  SUP_TRY(SUP_ARENA(s->arena, trees->X_end, s->model->num_bodies));
  SUP_TRY(SUP_ARENA(s->arena, trees->w, s->model->num_bodies));
  SUP_TRY(SUP_ARENA(s->arena, trees->w_linear, s->model->num_bodies));
  memset(trees->held, 0, (size_t)n * sizeof *trees->held);
  memset(trees->least, 0, (size_t)n * sizeof *trees->least);
  memcpy(trees->q, state->q, (size_t)state->num_q * sizeof *trees->q);
  memset(trees->v, 0, (size_t)state->num_v * sizeof *trees->v);
  for (int t = 0; t < s->model->num_trees; t++) trees->tree[t] = (sup_static_tree){.pull = pull};
  return SUP_OK;
}
