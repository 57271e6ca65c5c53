#include "model/linkage.h"

#include <string.h>

#include "base/memory.h"
#include "model/constraint.h"
#include "model/event.h"
#include "model/inputs.h"

/** Places of trees in the linkage. */
typedef struct builder {
  const sup_model *model;
  const sup_state *state;
  sup_linkage     *out;
  int             *link, *q, *v; /* [num_trees] first of the tree in the linkage; link SUP_NONE: it
                                    is not in it */
  char *counts;                  /* [num_constraints] 1: closes a loop, or may do so */
} builder;

sup_frame sup_linkage_base(const sup_model *model, const sup_state *state, int tree) {
  const sup_tree *t = model->tree[tree];
  sup_table       motion = sup_inputs_table(state->inputs, SUP_DRIVEN_BASE, tree, &t->motion);
  return sup_tree_base_motion_along(t, &motion, state->time, 0).X_WB;
}

/* ---- trees ----------------------------------------------------------------------------------- */

static void take_tree(builder *b, int tree) {
  const sup_tree *t = b->model->tree[tree];
  sup_tree       *all = &b->out->tree;
  b->link[tree] = all->num_links, b->q[tree] = all->nq, b->v[tree] = all->nv;
  all->num_links += t->num_links, all->nq += t->nq, all->nv += t->nv;
}

static bool is_closure(const sup_body_constraint *c, const sup_state *state) {
  bool is_soft = c->num_points > 0 && (c->a.num_vertices > 0 || c->point[0].num_vertices > 0);
  return !is_soft && c->kind != SUP_CONSTRAINT_ROPE && !(c->stiffness > 0) &&
         (state ? sup_constraint_is_active(c, state->event) : c->from == SUP_NONE);
}

/** Trees of both ends; SUP_NONE: the world. */
static void trees_of(const sup_model *model, const sup_body_constraint *c, int tree[2]) {
  const int body[2] = {c->a.body, c->num_points > 0 ? c->point[0].body : SUP_NONE};
  for (int k = 0; k < 2; k++)
    tree[k] = c->kind == SUP_CONSTRAINT_COUPLER ? c->tree[k]
              : body[k] == SUP_NONE             ? SUP_NONE
                                                : model->body[body[k]].tree;
}

/** Constraints that count: not those by which a free body hangs alone, or others on it, which
 * follow without a loop. */
static sup_status find_constraints(builder *b, int tree) {
  SUP_FREED int *num = NULL; /* [num_trees] of its constraints that count */
  int            t[2];
  SUP_TRY(SUP_CALLOC(num, b->model->num_trees));
  for (int i = 0; i < b->model->num_constraints; i++) {
    b->counts[i] = is_closure(&b->model->constraint[i], b->state);
    trees_of(b->model, &b->model->constraint[i], t);
    for (int k = 0; k < 2 && b->counts[i]; k++)
      if (t[k] != SUP_NONE) num[t[k]]++;
  }
  for (bool any = true; any;) {
    any = false;
    for (int i = 0; i < b->model->num_constraints; i++) {
      trees_of(b->model, &b->model->constraint[i], t);
      for (int k = 0; k < 2 && b->counts[i]; k++) {
        bool is_free = t[k] != SUP_NONE && t[k] != tree &&
                       b->model->tree[t[k]]->links[0].joint == SUP_JOINT_FLOATING;
        if (!is_free || num[t[k]] != 1) continue;
        b->counts[i] = 0, any = true, num[t[k]]--;
        if (t[1 - k] != SUP_NONE) num[t[1 - k]]--;
      }
    }
  }
  return SUP_OK;
}

/** Take the trees that constraints join with those taken. */
static void take_trees(builder *b) {
  for (bool any = true; any;) {
    any = false;
    for (int i = 0; i < b->model->num_constraints; i++) {
      const sup_body_constraint *c = &b->model->constraint[i];
      int                        t[2];
      if (!b->counts[i]) continue;
      trees_of(b->model, c, t);
      for (int k = 0; k < 2; k++) {
        if (t[0] == SUP_NONE || t[1] == SUP_NONE || b->link[t[k]] != SUP_NONE ||
            b->link[t[1 - k]] == SUP_NONE)
          continue;
        take_tree(b, t[k]), any = true;
      }
    }
  }
}

static bool has_drive(const sup_model *model, int tree, int link) {
  for (int a = 0; a < model->num_actuators; a++)
    if (model->actuator[a].tree == tree && model->actuator[a].link == link) return true;
  return false;
}

static void copy_tree(const builder *b, int tree) {
  const sup_tree *t = b->model->tree[tree];
  const int       first = b->link[tree];
  sup_frame       X_WB = b->state ? sup_linkage_base(b->model, b->state, tree) : t->X_WB0;
  if (b->state)
    memcpy(b->out->q + b->q[tree], b->state->q + b->model->q_start[tree],
           (size_t)t->nq * sizeof *b->out->q);
  for (int l = 0; l < t->num_links; l++) {
    sup_tree_link *link = &b->out->tree.links[first + l];
    *link = t->links[l];
    link->q_start += b->q[tree], link->v_start += b->v[tree];
    if (link->mimic != SUP_NONE) link->mimic += first;
    if (link->parent == SUP_NONE)
      link->X_PJ = sup_frame_mul(&X_WB, &link->X_PJ);
    else
      link->parent += first;
    b->out->may_move[first + l] = has_drive(b->model, tree, l) ? SUP_IK_STAYS : SUP_IK_FOLLOWS;
  }
}

/** Take a tree and those in loops with it.  robot: SUP_NONE: of none, as loops are looked for. */
static sup_status take_all(builder *b, int tree, int robot) {
  SUP_TRY(find_constraints(b, robot));
  for (int k = 0; k < b->model->num_trees; k++) b->link[k] = SUP_NONE;
  b->out->tree = (sup_tree){0};
  take_tree(b, tree);
  take_trees(b);
  return SUP_OK;
}

static bool has_joints(const sup_tree *tree) {
  for (int l = 0; l < tree->num_links; l++)
    if (tree->links[l].nv == 1) return true;
  return false;
}

/** True if a link hangs on a floating joint and no joint of one coordinate moves it past that. */
static bool is_free(const sup_tree *tree, int link) {
  for (int l = link; l != SUP_NONE; l = tree->links[l].parent)
    if (tree->links[l].nv == 1 || tree->links[l].joint == SUP_JOINT_FLOATING)
      return tree->links[l].nv != 1;
  return false;
}

/** The robot that moves a body: its own tree, or of a free one that in a loop with it. */
static sup_status find_robot(builder *b, const sup_body *body, int *robot) {
  const sup_model *m = b->model;
  *robot = is_free(m->tree[body->tree], body->link) ? SUP_NONE : body->tree;
  if (*robot != SUP_NONE) return SUP_OK;
  SUP_TRY(take_all(b, body->tree, SUP_NONE));
  for (int k = 0; k < m->num_trees; k++) {
    if (b->link[k] == SUP_NONE || k == body->tree || !has_joints(m->tree[k])) continue;
    *robot = k;
    break;
  }
  if (*robot == SUP_NONE && has_joints(m->tree[body->tree])) *robot = body->tree; /* on its legs */
  if (*robot == SUP_NONE)
    return SUP_FAIL(SUP_E_ARG,
                    "no joints move '%s', a free body that constraints now hold in no loop with a "
                    "robot",
                    body->name);
  return SUP_OK;
}

/* ---- constraints ----------------------------------------------------------------------------- */

/** The follower's joint follows the leader's, and so do those that follow the follower. */
static void couple(const builder *b, const sup_body_constraint *c) {
  sup_tree *all = &b->out->tree;
  int       joint[2];
  for (int k = 0; k < 2; k++) {
    const sup_tree *t = b->model->tree[c->tree[k]];
    joint[k] = b->link[c->tree[k]];
    while (all->links[joint[k]].nv != 1 ||
           all->links[joint[k]].q_start - b->q[c->tree[k]] != c->q[k])
      if (++joint[k] == b->link[c->tree[k]] + t->num_links) return;
  }
  const sup_tree_link *leader = &all->links[joint[0]];
  double               ratio = c->ratio, offset = c->offset;
  if (leader->mimic != SUP_NONE)
    offset += ratio * leader->mimic_offset, ratio *= leader->mimic_ratio, joint[0] = leader->mimic;
  if (joint[0] == joint[1] || all->links[joint[1]].mimic != SUP_NONE) return;
  for (int l = 0; l < all->num_links; l++) {
    sup_tree_link *link = &all->links[l];
    if (l != joint[1] && link->mimic != joint[1]) continue;
    double own = l == joint[1] ? 1 : link->mimic_ratio;
    link->mimic_offset = own * offset + (l == joint[1] ? 0 : link->mimic_offset);
    link->mimic_ratio = own * ratio, link->mimic = joint[0];
  }
}

static sup_ik_closure closure_of(const builder *b, const sup_body_constraint *c) {
  const double *places = b->state ? b->state->constraint_place : b->model->constraint_place,
               *place = places + c->first_place, *turn = place + 3;
  const int      body[2] = {c->a.body, c->point[0].body};
  sup_ik_closure k = {.rotation = c->kind == SUP_CONSTRAINT_HINGE  ? SUP_IK_AXIS
                                  : c->kind == SUP_CONSTRAINT_WELD ? SUP_IK_POSE
                                                                   : SUP_IK_POSITION};
  bool           is_rod = c->kind == SUP_CONSTRAINT_ROD;
  sup_m3         axes =
      k.rotation == SUP_IK_AXIS ? sup_m3_frame_of_normal(c->axis) : sup_frame_identity().R;
  sup_m3 R_AB = sup_quat_matrix((sup_quat){turn[0], turn[1], turn[2], turn[3]});
  if (is_rod) k.length = place[7];
  k.X[0] = (sup_frame){sup_m3_mul(R_AB, axes), is_rod ? c->a.point : sup_v3_load(place)};
  k.X[1] = (sup_frame){axes, c->point[0].point};
  for (int n = 0; n < 2; n++) {
    const sup_body *on = body[n] == SUP_NONE ? NULL : &b->model->body[body[n]];
    k.link[n] = on ? b->link[on->tree] + on->link : SUP_NONE;
  }
  return k;
}

static sup_status take_constraints(const builder *b, const char *name) {
  sup_linkage *out = b->out;
  for (int i = 0; i < b->model->num_constraints; i++) {
    const sup_body_constraint *c = &b->model->constraint[i];
    int                        t[2];
    if (!b->counts[i]) continue;
    trees_of(b->model, c, t);
    if (b->link[t[0] == SUP_NONE ? t[1] : t[0]] == SUP_NONE) continue;
    if (c->kind == SUP_CONSTRAINT_COUPLER) {
      couple(b, c);
      continue;
    }
    if (out->num_closures == SUP_IK_MAX_CLOSURES ||
        (2 + out->num_closures) * out->tree.nv > SUP_IK_MAX_COLUMNS)
      return SUP_FAIL(SUP_E_ARG,
                      "inverse kinematics: the constraints of '%s' are more than %d, or its %d "
                      "velocities times them more than %d",
                      name, SUP_IK_MAX_CLOSURES, out->tree.nv, SUP_IK_MAX_COLUMNS);
    out->closure[out->num_closures++] = closure_of(b, c);
  }
  return SUP_OK;
}

/* ---- linkages -------------------------------------------------------------------------------- */

sup_status sup_linkage_create(sup_linkage *linkage, const sup_model *model, const sup_state *state,
                              int robot, int body, const char *drives) {
  SUP_FREED int  *place = NULL;
  SUP_FREED char *counts = NULL;
  const int       n = model->num_trees;
  *linkage = (sup_linkage){.robot = robot, .base = {.X_WB = sup_frame_identity()}};
  SUP_TRY(SUP_CALLOC(place, 2 * n));
  SUP_TRY(SUP_CALLOC(linkage->first, n));
  SUP_TRY(SUP_CALLOC(counts, model->num_constraints));
  builder b = {model, state, linkage, linkage->first, place, place + n, counts};
  if (robot == SUP_NONE) SUP_TRY(find_robot(&b, &model->body[body], &linkage->robot));
  SUP_TRY(take_all(&b, linkage->robot, linkage->robot));
  const sup_tree *t = model->tree[linkage->robot];
  linkage->num_links = t->num_links;
  linkage->link = b.link[model->body[body].tree];
  if (linkage->link != SUP_NONE) linkage->link += model->body[body].link;
  if (linkage->tree.num_links > SUP_TREE_MAX_LINKS || linkage->tree.nv > SUP_TREE_MAX_NV)
    return SUP_FAIL(SUP_E_ARG,
                    "inverse kinematics: constraints join '%s' with others to %d links, more than "
                    "%d, or %d velocities, more than %d",
                    t->name, linkage->tree.num_links, SUP_TREE_MAX_LINKS, linkage->tree.nv,
                    SUP_TREE_MAX_NV);
  SUP_TRY(SUP_CALLOC(linkage->tree.links, linkage->tree.num_links));
  SUP_TRY(SUP_CALLOC(linkage->q, linkage->tree.nq));
  SUP_TRY(SUP_CALLOC(linkage->may_move, linkage->tree.num_links));
  for (int k = 0; k < n; k++)
    if (b.link[k] != SUP_NONE) copy_tree(&b, k);
  for (int l = 0; l < t->num_links && !drives; l++)
    if (t->links[l].nv == 1) linkage->may_move[l] = SUP_IK_MOVES;
  for (int a = 0; a < model->num_actuators && drives; a++) {
    int first = linkage->first[model->actuator[a].tree];
    if (drives[a] && first != SUP_NONE)
      linkage->may_move[first + model->actuator[a].link] = SUP_IK_MOVES;
  }
  return take_constraints(&b, t->name);
}

void sup_linkage_free(sup_linkage *linkage) {
  SUP_FREE_ALL(&linkage->tree.links, &linkage->q, &linkage->may_move, &linkage->first);
}

void sup_linkage_move_drives(sup_linkage *linkage) {
  for (int l = linkage->num_links; l < linkage->tree.num_links; l++)
    if (linkage->may_move[l] == SUP_IK_STAYS) linkage->may_move[l] = SUP_IK_MOVES;
}

sup_ik_report sup_linkage_inverse_kinematics(sup_linkage *linkage, sup_ik_goal goal, int nq,
                                             double *q) {
  sup_ik_report report;
  goal.link = linkage->link, goal.may_move = linkage->may_move;
  goal.num_closures = linkage->num_closures, goal.closure = linkage->closure;
  memcpy(linkage->q, q, (size_t)nq * sizeof *q);
  report = sup_tree_inverse_kinematics(&linkage->tree, &linkage->base, &goal, linkage->q);
  memcpy(q, linkage->q, (size_t)nq * sizeof *q);
  int num = report.num_at_limit;
  report.num_at_limit = 0;
  for (int i = 0; i < num; i++)
    if (report.at_limit[i] < linkage->num_links)
      report.at_limit[report.num_at_limit++] = report.at_limit[i];
  return report;
}

void sup_linkage_close(sup_linkage *linkage, int nq, double *q) {
  sup_ik_goal          goal = {.X_LF = sup_frame_identity(), .is_local = 1, .is_free = 1};
  const sup_tree_link *links = linkage->tree.links;
  char                *may = linkage->may_move;
  double               to[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS];
  enum { STEPS = 16 }; /* in one, the loops could close in another assembly */
  if (linkage->num_closures == 0) memcpy(linkage->q, q, (size_t)nq * sizeof *q);
  if (linkage->num_closures == 0) return;
  memcpy(to, q, (size_t)nq * sizeof *q);
  for (int l = 0; l < linkage->tree.num_links; l++)
    may[l] = may[l] == SUP_IK_MOVES ? SUP_IK_RESTS : may[l];
  for (int k = STEPS; k > 0; k--) {
    memcpy(q, linkage->q, (size_t)nq * sizeof *q);
    for (int l = 0; l < linkage->tree.num_links; l++)
      if (may[l] == SUP_IK_RESTS && links[l].q_start < nq)
        q[links[l].q_start] += (to[links[l].q_start] - q[links[l].q_start]) / k;
    sup_linkage_inverse_kinematics(linkage, goal, nq, q);
  }
  for (int l = 0; l < linkage->tree.num_links; l++)
    may[l] = may[l] == SUP_IK_RESTS ? SUP_IK_MOVES : may[l];
}

sup_frame sup_linkage_frame(const sup_linkage *linkage, const sup_frame *X_LF) {
  return sup_tree_frame(&linkage->tree, &linkage->base, linkage->q, linkage->link, X_LF);
}
