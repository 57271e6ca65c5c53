#include "tree/inverse_kinematics.h"

#include <math.h>
#include <string.h>

#include "la/dense_cholesky.h"
#include "tree/joint.h"
#include "tree/numerics.h"

/* Rows of a frame: place and rotation. */
enum {
  ROWS = 6,
  MAX_ROWS = ROWS * (1 + SUP_IK_MAX_CLOSURES),
  MAX_JACOBIAN = ROWS * SUP_IK_MAX_COLUMNS
};
static const double PI = 3.14159265358979323846;

/** Joints that move the frame, and those of loops that they move. */
typedef struct chain {
  const sup_tree        *tree;
  const sup_base_motion *base;
  const sup_ik_goal     *goal;
  int                    num_closures; /* the goal, and loops */
  sup_ik_closure         closure[1 + SUP_IK_MAX_CLOSURES];
  int                    num, rows;
  const sup_tree_link   *joint[SUP_TREE_MAX_NV];         /* those that lead */
  int                    coordinate[SUP_TREE_MAX_NV];    /* of joints that have several */
  char                   follows[SUP_TREE_MAX_NV];       /* 1: nothing but the loop moves it */
  double lower[SUP_TREE_MAX_NV], upper[SUP_TREE_MAX_NV]; /* their followers' included */
  double reach;                                          /* length of the chain, stretched [m] */
  double length; /* by which rotations are weighed against ways [m] */
  double posture[SUP_TREE_MAX_NV];
} chain;

/** Errors and Jacobian of the frame and of loops by the joints of the chain, rotations times
 * `length`. */
typedef struct place {
  double e[MAX_ROWS], size; /* [m] */
  double J[MAX_JACOBIAN];   /* [num x rows] */
} place;

sup_frame sup_tree_frame(const sup_tree *tree, const sup_base_motion *base, const double *q,
                         int link, const sup_frame *X_LF) {
  sup_frame X = *X_LF;
  for (int l = link; l != SUP_NONE; l = tree->links[l].parent) {
    sup_frame X_PL = sup_joint_frame(&tree->links[l], q);
    X = sup_frame_mul(&X_PL, &X);
  }
  return sup_frame_mul(&base->X_WB, &X);
}

/* ---- the chain ------------------------------------------------------------------------------- */

static int leader_of(const sup_tree *tree, int link) {
  return tree->links[link].mimic == SUP_NONE ? link : tree->links[link].mimic;
}

static void add_joint(chain *c, int link, bool in_loop, const double *q) {
  const sup_tree_link *joint = &c->tree->links[link];
  const char          *may = c->goal->may_move;
  bool                 follows = may ? may[link] == SUP_IK_FOLLOWS : joint->nv > 1;
  bool                 stays = may && (may[link] == SUP_IK_STAYS || may[link] == SUP_IK_RESTS);
  if (stays || (follows && !in_loop)) return;
  for (int i = 0; i < c->num; i++)
    if (c->joint[i] == joint) return;
  double lower = joint->nv == 1 ? joint->lower : -HUGE_VAL,
         upper = joint->nv == 1 ? joint->upper : HUGE_VAL;
  for (int l = 0; l < c->tree->num_links; l++) {
    const sup_tree_link *f = &c->tree->links[l];
    if (f->mimic != link || f->mimic_ratio == 0) continue;
    double a = (f->lower - f->mimic_offset) / f->mimic_ratio,
           b = (f->upper - f->mimic_offset) / f->mimic_ratio;
    lower = fmax(lower, fmin(a, b)), upper = fmin(upper, fmax(a, b));
  }
  for (int k = 0; k < joint->nv; k++, c->num++) {
    c->joint[c->num] = joint, c->coordinate[c->num] = k, c->follows[c->num] = follows;
    c->lower[c->num] = lower, c->upper[c->num] = upper;
    c->posture[c->num] = q[joint->q_start];
  }
}

/** has [num_links] := 2 bit of the joints that move one end of a closure past the other; true: one
 * of them is on already. */
static bool closes(const sup_tree *tree, const sup_ik_closure *closure, const char *on, char *has) {
  bool meets = false;
  memset(has, 0, (size_t)tree->num_links);
  for (int end = 0; end < 2; end++)
    for (int l = closure->link[end]; l != SUP_NONE; l = tree->links[l].parent) has[l] ^= 1;
  for (int l = 0; l < tree->num_links; l++) {
    if (!has[l] || tree->links[l].nv == 0) continue;
    has[leader_of(tree, l)] |= 2; /* which may be elsewhere */
    meets |= on[leader_of(tree, l)];
  }
  return meets;
}

/** sup_tree_find_movers; is_in [num_closures] := 1 of closures of these loops. */
static void find_loops(const sup_tree *tree, const sup_ik_goal *goal, char *on, char *is_in) {
  char       has[SUP_TREE_MAX_LINKS];
  const bool all = goal->is_free && goal->link == SUP_NONE;
  memset(on, 0, (size_t)tree->num_links);
  for (int l = goal->link; l != SUP_NONE; l = tree->links[l].parent)
    if (tree->links[l].nv > 0) on[leader_of(tree, l)] = 1;
  for (bool any = true; any;) {
    any = false;
    for (int k = 0; k < goal->num_closures; k++) {
      if (is_in[k] || (!closes(tree, &goal->closure[k], on, has) && !all)) continue;
      any = true, is_in[k] = 1;
      for (int l = 0; l < tree->num_links; l++)
        if (has[l] & 2) on[l] = 2;
    }
  }
}

void sup_tree_find_movers(const sup_tree *tree, const sup_ik_goal *goal, char *on) {
  find_loops(tree, goal, on, (char[SUP_IK_MAX_CLOSURES]){0});
}

/** Length of the chain to a point of a link. */
static double length_to(const sup_tree *tree, int end, sup_v3 point) {
  double length = sup_v3_norm(point);
  for (int l = end; l != SUP_NONE; l = tree->links[l].parent) {
    const sup_tree_link *link = &tree->links[l];
    length += sup_v3_norm(link->X_PJ.p);
    if (link->joint == SUP_JOINT_PRISMATIC)
      length += fmax(isfinite(link->lower) ? fabs(link->lower) : 0,
                     isfinite(link->upper) ? fabs(link->upper) : 0);
  }
  return length;
}

static void find_reach(chain *c) {
  const sup_ik_goal *goal = c->goal;
  c->reach = length_to(c->tree, goal->link, goal->X_LF.p);
  bool by_others = goal->link == SUP_NONE || c->tree->links[goal->link].joint == SUP_JOINT_FLOATING;
  for (int k = 0; k < 2 * c->num_closures && by_others; k++) {
    const sup_ik_closure *closure = &c->closure[k / 2];
    if (closure->link[k % 2] == SUP_NONE) continue;
    c->reach = fmax(c->reach, length_to(c->tree, closure->link[k % 2], closure->X[k % 2].p));
  }
  if (!(c->reach > 0)) c->reach = 1; /* turns in its place */
  c->length = c->reach / 4;
}

static void find_chain(chain *c, const double *q) {
  const sup_ik_goal *goal = c->goal;
  char               on[SUP_TREE_MAX_LINKS], is_in[SUP_IK_MAX_CLOSURES] = {0};
  if (!goal->is_free)
    c->closure[c->num_closures++] =
        (sup_ik_closure){{SUP_NONE, goal->link}, {goal->X_WF, goal->X_LF}, goal->rotation, 0};
  find_loops(c->tree, goal, on, is_in);
  for (int k = 0; k < goal->num_closures; k++)
    if (is_in[k]) c->closure[c->num_closures++] = goal->closure[k];
  for (int l = goal->link; l != SUP_NONE; l = c->tree->links[l].parent) {
    int leader = leader_of(c->tree, l);
    if (c->tree->links[l].nv > 0) add_joint(c, leader, on[leader] == 2, q);
  }
  for (int l = 0; l < c->tree->num_links; l++)
    if (on[l] == 2) add_joint(c, l, true, q);
  c->rows = ROWS * c->num_closures;
  find_reach(c);
}

static double scale_of(const chain *c, int i) {
  return sup_joint_turns(c->joint[i], c->coordinate[i]) ? 1 : c->length;
}

static void follow(const sup_tree *tree, double *q) {
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    if (link->mimic == SUP_NONE) continue;
    q[link->q_start] = link->mimic_ratio * q[tree->links[link->mimic].q_start] + link->mimic_offset;
  }
}

/* ---- error and Jacobian ---------------------------------------------------------------------- */

static double error_size(const chain *c, const double *e) {
  double sum = 0;
  for (int k = 0; k < c->rows; k++) sum += e[k] * e[k];
  return sqrt(sum);
}

/** Rotation vector in world axes that takes R to R_to, as far as it counts. */
static sup_v3 rotation_error(sup_ik_rotation counts, const sup_m3 *R, const sup_m3 *R_to) {
  if (counts == SUP_IK_POSITION) return (sup_v3){0, 0, 0};
  if (counts == SUP_IK_POSE)
    return sup_quat_log(sup_quat_from_matrix(sup_m3_mul(*R_to, sup_m3_transpose(*R))));
  sup_v3 z = sup_m3_column(R, 2), to = sup_m3_column(R_to, 2), n = sup_v3_cross(z, to);
  double s = sup_v3_norm(n), angle = atan2(s, sup_v3_dot(z, to));
  if (!(s > 0)) return sup_v3_scale(angle, sup_m3_column(R, 0)); /* none, or half a turn */
  return sup_v3_scale(angle / s, n);
}

/** e [ROWS] of a closure with its frames at X; of a rod *along it, else of length 0. */
static void find_error(const chain *c, const sup_ik_closure *closure, const sup_frame X[2],
                       sup_v3 *along, double *e) {
  sup_v3 apart = sup_v3_sub(X[0].p, X[1].p);
  *along = (sup_v3){0, 0, 0};
  if (closure->length > 0) {
    *along = sup_v3_unit(apart);
    e[0] = sup_v3_norm(apart) - closure->length;
    return;
  }
  sup_v3_store(e, apart);
  sup_v3_store(e + 3, sup_v3_scale(c->length, rotation_error(closure->rotation, &X[1].R, &X[0].R)));
}

/** Add factor times the twist s, world axes and at the frame X of its end, to a column. */
static void add_column(const chain *c, const sup_ik_closure *closure, const sup_m3 *R, sup_v3 along,
                       double factor, sup_motion s, double *column) {
  if (closure->length > 0) {
    column[0] += factor * sup_v3_dot(along, s.v);
    return;
  }
  sup_v3_accumulate(column, factor, s.v);
  if (closure->rotation == SUP_IK_POSITION) return;
  if (closure->rotation == SUP_IK_AXIS) { /* turns about the axis do not count */
    sup_v3 z = sup_m3_column(R, 2);
    s.w = sup_v3_madd(s.w, -sup_v3_dot(z, s.w), z);
  }
  sup_v3_accumulate(column + 3, factor * c->length, s.w);
}

/** Add the motion of a frame at the world point p of the link `end` by the joints of its chain to
 * the rows of a closure. */
static void add_end(const chain *c, const sup_ik_closure *closure, const double *q,
                    const sup_frame *X_WL, int end, sup_v3 p, const sup_m3 *R, sup_v3 along,
                    double sign, double *J) {
  for (int l = end; l != SUP_NONE; l = c->tree->links[l].parent) {
    const sup_tree_link *link = &c->tree->links[l],
                        *leader = &c->tree->links[leader_of(c->tree, l)];
    for (int i = 0; i < c->num && link->nv > 0; i++) {
      if (c->joint[i] != leader) continue;
      sup_frame  X_PL = sup_joint_frame(link, q);
      sup_motion s = sup_joint_column(link, &X_PL, c->coordinate[i]);
      s.w = sup_m3_apply(X_WL[l].R, s.w), s.v = sup_m3_apply(X_WL[l].R, s.v);
      s.v = sup_v3_add(s.v, sup_v3_cross(s.w, sup_v3_sub(p, X_WL[l].p)));
      add_column(c, closure, R, along, leader == link ? sign : sign * link->mimic_ratio, s,
                 J + (ptrdiff_t)i * c->rows);
    }
  }
}

static void find_place(const chain *c, double *q, place *at) {
  sup_frame                X_WL[SUP_TREE_MAX_LINKS];
  sup_v3                   w[SUP_TREE_MAX_LINKS], v[SUP_TREE_MAX_LINKS];
  sup_tree_kinematics_data kin = {X_WL, w, v};
  follow(c->tree, q);
  sup_tree_kinematics(c->tree, c->base, q, NULL, &kin);
  memset(at->e, 0, (size_t)c->rows * sizeof *at->e);
  memset(at->J, 0, (size_t)(c->num * c->rows) * sizeof *at->J);
  for (int k = 0; k < c->num_closures; k++) {
    const sup_ik_closure *closure = &c->closure[k];
    sup_frame             X[2];
    sup_v3                along;
    for (int n = 0; n < 2; n++)
      X[n] = closure->link[n] == SUP_NONE ? closure->X[n]
                                          : sup_frame_mul(&X_WL[closure->link[n]], &closure->X[n]);
    find_error(c, closure, X, &along, at->e + (ptrdiff_t)k * ROWS);
    for (int n = 0; n < 2; n++)
      add_end(c, closure, q, X_WL, closure->link[n], X[n].p, &X[1].R, along, n ? 1 : -1,
              at->J + (ptrdiff_t)k * ROWS);
  }
  at->size = error_size(c, at->e);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static double mean_diagonal(const chain *c, const place *at) {
  double sum = 0;
  for (int i = 0; i < c->num; i++)
    for (int k = 0; k < c->rows; k++) sum += at->J[i * c->rows + k] * at->J[i * c->rows + k];
  return sum / c->rows;
}

/** y = (J J^T + damping)^-1 (e - J d) with the free joints' J in J J^T. */
static void solve_damped(const chain *c, const place *at, double damping, const char *is_blocked,
                         const double *d, double *y) {
  double    A[MAX_ROWS * MAX_ROWS];
  const int rows = c->rows;
  memset(A, 0, (size_t)(rows * rows) * sizeof *A);
  memcpy(y, at->e, (size_t)rows * sizeof *y);
  for (int i = 0; i < c->num; i++) {
    const double *J = at->J + (ptrdiff_t)i * rows;
    for (int k = 0; k < rows; k++) y[k] -= J[k] * d[i];
    for (int k = 0; k < rows * rows && !is_blocked[i]; k++) A[k] += J[k / rows] * J[k % rows];
  }
  for (int k = 0; k < rows; k++) A[k * (rows + 1)] += damping;
  sup_dense_cholesky(rows, A);
  sup_dense_cholesky_solve(rows, A, y);
}

/** Step d [num] within the limits: wish d as far as the frame lets it, plus J^T y. */
static void bounded_step(const chain *c, const place *at, double damping, const double *q,
                         double *d) {
  char   is_blocked[SUP_TREE_MAX_NV] = {0};
  double wish[SUP_TREE_MAX_NV], y[MAX_ROWS];
  memcpy(wish, d, (size_t)c->num * sizeof *d);
  for (int pass = 0, any = 1; any && pass <= c->num; pass++) {
    any = 0;
    for (int i = 0; i < c->num; i++)
      if (!is_blocked[i]) d[i] = wish[i];
    solve_damped(c, at, damping, is_blocked, d, y);
    for (int i = 0; i < c->num; i++) {
      if (is_blocked[i]) continue;
      double from = q[c->joint[i]->q_start], to;
      for (int k = 0; k < c->rows; k++) d[i] += at->J[i * c->rows + k] * y[k];
      to = fmin(fmax(from + d[i], c->lower[i]), c->upper[i]);
      if (to == from + d[i]) continue;
      d[i] = to - from, is_blocked[i] = 1, any = 1;
    }
  }
}

static void go(const chain *c, const double *q, const double *d, double *next) {
  double v[SUP_TREE_MAX_NV] = {0};
  memcpy(next, q, (size_t)c->tree->nq * sizeof *q);
  for (int i = 0; i < c->num; i++) v[c->joint[i]->v_start + c->coordinate[i]] = d[i];
  sup_tree_integrate(c->tree, next, v, 1);
  for (int i = 0; i < c->num; i++) {
    double *to = &next[c->joint[i]->q_start];
    if (c->joint[i]->nv == 1) *to = fmin(fmax(*to, c->lower[i]), c->upper[i]);
  }
}

/** Levenberg-Marquardt from q; true: reached.  *iterations counts steps. */
static bool search(const chain *c, double *q, place *at, int *iterations) {
  double next[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS], d[SUP_TREE_MAX_NV];
  double tolerance = sup_ik_numerics.tolerance * c->reach, damping = sup_ik_numerics.damping;
  double before = HUGE_VAL;
  place  there;
  find_place(c, q, at);
  for (int n = 0; n < (int)sup_ik_numerics.iterations && at->size > tolerance; n++) {
    double    mean = mean_diagonal(c, at);
    const int patience = (int)sup_ik_numerics.patience;
    if (n % patience == patience - 1) {
      if (at->size > 0.5 * before) break;
      before = at->size;
    }
    memset(d, 0, sizeof d);
    bounded_step(c, at, fmax(damping * mean, 1e-14 * c->reach * c->reach), q, d);
    go(c, q, d, next);
    find_place(c, next, &there);
    ++*iterations;
    if (there.size < at->size) {
      *at = there, damping = fmax(damping / 8, 1e-12);
      memcpy(q, next, (size_t)c->tree->nq * sizeof *q);
    } else if ((damping *= 4) > 1e6) {
      break; /* a minimum of its distance */
    }
  }
  return at->size <= tolerance;
}

/** Largest motion of a joint from q to next, ways over a quarter of the reach [rad]. */
static double leap(const chain *c, const double *q, const double *next) {
  double largest = 0;
  for (int l = 0; l < c->tree->num_links; l++) {
    sup_frame X = sup_joint_frame(&c->tree->links[l], q),
              X_next = sup_joint_frame(&c->tree->links[l], next);
    sup_m3 turn = sup_m3_mul(sup_m3_transpose(X.R), X_next.R);
    largest = fmax(largest, sup_v3_norm(sup_quat_log(sup_quat_from_matrix(turn))));
    largest = fmax(largest, sup_v3_norm(sup_v3_sub(X.p, X_next.p)) / c->length);
  }
  return largest;
}

/** Towards the posture along the null space; the frame stays, loops in their assembly. */
static void relax(const chain *c, double *q, place *at, int *iterations) {
  double next[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS], d[SUP_TREE_MAX_NV];
  place  there = *at;
  for (int n = 0; n < (int)sup_ik_numerics.iterations; n++) {
    double longest = 0, moved = 0;
    for (int i = 0; i < c->num; i++) {
      bool is_free = c->joint[i]->nv == 1 && !c->follows[i];
      d[i] = is_free ? c->posture[i] - q[c->joint[i]->q_start] : 0;
      longest = fmax(longest, fabs(d[i]) / scale_of(c, i));
    }
    for (int i = 0; i < c->num && longest > sup_ik_numerics.posture_step; i++)
      d[i] *= sup_ik_numerics.posture_step / longest;
    bounded_step(c, at, 1e-9 * mean_diagonal(c, at), q, d);
    for (int i = 0; i < c->num; i++) moved = fmax(moved, fabs(d[i]) / scale_of(c, i));
    go(c, q, d, next);
    if (moved < 1e-9 || !search(c, next, &there, iterations)) return;
    if (c->goal->num_closures > 0 && leap(c, q, next) > 2 * sup_ik_numerics.stride) return;
    memcpy(q, next, (size_t)c->tree->nq * sizeof *q);
    *at = there;
  }
}

/* ---- starts ---------------------------------------------------------------------------------- */

/** Start number k: an additive sequence that fills the joints' ranges evenly (R_d of Roberts: the
 * powers of 1/g, g^(d + 1) = g + 1); joints without limits within half a turn of the posture, those
 * that follow loops in it. */
static void spread(const chain *c, int k, double *q) {
  double g = 2, share = 1;
  for (int n = 0; n < 30; n++) g = pow(1 + g, 1.0 / (c->num + 1));
  for (int i = 0; i < c->num; i++) {
    const sup_tree_link *joint = c->joint[i];
    double               half = sup_joint_turns(joint, 0) ? PI : c->reach, at = c->posture[i];
    double               low = isfinite(c->lower[i]) ? c->lower[i] : at - half,
           high = isfinite(c->upper[i]) ? c->upper[i] : at + half;
    share /= g;
    if (!c->follows[i]) q[joint->q_start] = low + (high - low) * fmod(0.5 + k * share, 1);
  }
}

/** Whole turns that bring the joints nearer to the posture. */
static void unwind(const chain *c, double *q) {
  for (int i = 0; i < c->num; i++) {
    const sup_tree_link *joint = c->joint[i];
    double              *at = &q[joint->q_start];
    if (joint->nv > 1 || !sup_joint_turns(joint, 0)) continue;
    double to = *at + 2 * PI * round((c->posture[i] - *at) / (2 * PI));
    if (to >= c->lower[i] && to <= c->upper[i]) *at = to;
  }
}

static double distance(const chain *c, const double *q) {
  double sum = 0;
  for (int i = 0; i < c->num; i++) {
    if (c->joint[i]->nv > 1) continue;
    double d = (q[c->joint[i]->q_start] - c->posture[i]) / scale_of(c, i);
    sum += d * d;
  }
  return sum;
}

/** The best of several starts in `q`, its error in `at`; number of solutions. */
static int search_all(const chain *c, double *q, place *at, sup_ik_report *report) {
  double next[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS], best = HUGE_VAL;
  int    found = 0, most = (int)sup_ik_numerics.tries;
  place  there;
  for (int k = 1; k < most && found < (int)sup_ik_numerics.solutions; k++) {
    memcpy(next, q, (size_t)c->tree->nq * sizeof *q);
    spread(c, k, next);
    report->tries++;
    bool is_reached = search(c, next, &there, &report->iterations);
    if (is_reached) {
      unwind(c, next);
      relax(c, next, &there, &report->iterations);
    } else if (found || there.size >= at->size) {
      continue;
    }
    double far = distance(c, next);
    if (is_reached && found && far >= best) continue;
    if (is_reached && !found) most = most < 2 * k + 8 ? most : 2 * k + 8; /* others lie as near */
    found += is_reached, best = far, *at = there;
    memcpy(q, next, (size_t)c->tree->nq * sizeof *q);
  }
  return found;
}

/** The chain without the goal's rows. */
static chain loops_of(const chain *c) {
  chain loops = *c;
  loops.num_closures--, loops.rows -= ROWS;
  memmove(loops.closure, c->closure + 1, (size_t)loops.num_closures * sizeof *loops.closure);
  return loops;
}

/** Towards a goal, loops closed all the way: Gauss-Newton steps of the goal's rows with those of
 * loops as heavy ones, after each of which the loops are closed; a step by which a joint leaps
 * could lead to another assembly of the loops and is made shorter.  The goal's error at the nearest
 * place [m]; infinite: the loops do not close. */
static double approach(const chain *c, double *q, place *at, int *iterations) {
  double next[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS], d[SUP_TREE_MAX_NV];
  double damping = sup_ik_numerics.damping, weight = sup_ik_numerics.loop_weight;
  chain  loops = loops_of(c), frame = *c;
  place  there;
  frame.rows = ROWS;
  bool is_closed = search(&loops, q, &there, iterations);
  find_place(c, q, at);
  for (int n = 0; n < 200 && damping < 1e6 && is_closed; n++) {
    place heavy = *at;
    for (int k = 0; k < c->num * c->rows; k++) heavy.J[k] *= k % c->rows < ROWS ? 1 : weight;
    for (int k = ROWS; k < c->rows; k++) heavy.e[k] *= weight;
    memset(d, 0, sizeof d);
    bounded_step(c, &heavy, damping * mean_diagonal(c, at), q, d);
    go(c, q, d, next);
    ++*iterations;
    bool   stays = search(&loops, next, &there, iterations);
    double before = error_size(&frame, at->e);
    find_place(c, next, &there);
    double after = error_size(&frame, there.e);
    if (!stays || after >= before || leap(c, q, next) > sup_ik_numerics.stride) {
      damping *= 4;
      continue;
    }
    *at = there, damping = fmax(damping / 8, 1e-6);
    memcpy(q, next, (size_t)c->tree->nq * sizeof *q);
    if (before - after < 1e-12 * before) break;
  }
  return is_closed ? error_size(&frame, at->e) : HUGE_VAL;
}

/** The nearest of the places that the best one so far and other starts lead to. */
static void approach_all(const chain *c, double *q, place *at, int *iterations) {
  double next[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS], nearest = HUGE_VAL;
  place  there;
  memcpy(next, q, (size_t)c->tree->nq * sizeof *q);
  for (int k = 0; k < (int)sup_ik_numerics.approaches; k++) {
    if (k > 0) spread(c, k, next);
    double size = approach(c, next, &there, iterations);
    if (size >= nearest) continue;
    *at = there, nearest = size;
    memcpy(q, next, (size_t)c->tree->nq * sizeof *q);
  }
}

/** Towards start number k as far as loops, closed all the way, let the joints move. */
static void go_round(const chain *c, int k, double *q, int *iterations) {
  chain  loops = loops_of(c);
  double to[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS];
  place  there;
  memcpy(to, q, (size_t)c->tree->nq * sizeof *q);
  spread(c, k, to);
  for (int i = 0; i < c->num; i++) loops.posture[i] = to[c->joint[i]->q_start];
  find_place(&loops, q, &there);
  relax(&loops, q, &there, iterations);
}

/** As the loops let the frame move from q, or from `detours` places that they let it reach, no
 * other assembly of them; true: reached. */
static bool move_in_loops(const chain *c, double *q, place *at, int detours, int *iterations) {
  double from[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS], next[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS],
      start[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS];
  const size_t bytes = (size_t)c->tree->nq * sizeof *q;
  double       nearest = HUGE_VAL;
  place        there;
  memcpy(start, q, bytes);
  for (int k = 0; k <= detours; k++) {
    memcpy(from, start, bytes);
    if (k > 0) go_round(c, k, from, iterations);
    for (int is_near = 0; is_near < 2; is_near++) {
      double size = is_near ? approach(c, from, &there, iterations) : HUGE_VAL;
      if (is_near && (k == 0 || size < nearest))
        nearest = size, *at = there, memcpy(q, from, bytes);
      memcpy(next, from, bytes);
      if (!search(c, next, &there, iterations) || leap(c, from, next) > sup_ik_numerics.stride)
        continue;
      *at = there;
      memcpy(q, next, bytes);
      return true;
    }
  }
  return false;
}

static void tell_limits(const chain *c, const double *q, sup_ik_report *report) {
  for (int i = 0; i < c->num; i++) {
    const sup_tree_link *joint = c->joint[i];
    double               at = q[joint->q_start], slack = 1e-6 * scale_of(c, i);
    if (at > c->lower[i] + slack && at < c->upper[i] - slack) continue;
    if (report->num_at_limit < SUP_IK_MAX_LIMITS)
      report->at_limit[report->num_at_limit++] = (int)(joint - c->tree->links);
  }
}

sup_ik_report sup_tree_inverse_kinematics(const sup_tree *tree, const sup_base_motion *base,
                                          const sup_ik_goal *goal, double *q) {
  chain         c = {.tree = tree, .base = base, .goal = goal};
  sup_ik_report report = {.tries = 1};
  double        first[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS];
  place         at;
  find_chain(&c, q);
  for (int i = 0; i < c.num; i++) report.num_joints += c.coordinate[i] == 0;
  memcpy(first, q, (size_t)tree->nq * sizeof *q);
  go(&c, first, (double[SUP_TREE_MAX_NV]){0}, first); /* within the limits */
  const bool in_loops = c.num_closures > 1 && !goal->is_free;
  const int  detours = goal->is_local ? 0 : (int)sup_ik_numerics.detours;
  if (in_loops ? move_in_loops(&c, first, &at, detours, &report.iterations)
               : search(&c, first, &at, &report.iterations)) {
    report.is_reached = 1;
    if (!in_loops) unwind(&c, first);
    relax(&c, first, &at, &report.iterations);
  } else if (!goal->is_local && !in_loops && c.num > 0) {
    report.is_reached = search_all(&c, first, &at, &report) > 0;
  }
  report.is_reached |= at.size <= sup_ik_numerics.near * c.reach;
  if (!report.is_reached && !goal->is_free && !in_loops)
    approach_all(&c, first, &at, &report.iterations);
  memcpy(q, first, (size_t)tree->nq * sizeof *q);
  follow(tree, q);
  for (int k = 0; k < c.rows; k += ROWS) {
    report.position_error = fmax(report.position_error, sup_v3_norm(sup_v3_load(at.e + k)));
    report.rotation_error =
        fmax(report.rotation_error, sup_v3_norm(sup_v3_load(at.e + k + 3)) / c.length);
  }
  tell_limits(&c, q, &report);
  return report;
}
