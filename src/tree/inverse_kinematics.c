#include "tree/inverse_kinematics.h"

#include <math.h>
#include <string.h>

#include "la/dense_cholesky.h"
#include "tree/joint.h"
#include "tree/numerics.h"

enum { ROWS = 6 };
static const double PI = 3.14159265358979323846;

/** Joints that move the frame. */
typedef struct chain {
  const sup_tree        *tree;
  const sup_base_motion *base;
  const sup_ik_goal     *goal;
  int                    num;
  const sup_tree_link   *joint[SUP_TREE_MAX_LINKS];            /* those that lead */
  double lower[SUP_TREE_MAX_LINKS], upper[SUP_TREE_MAX_LINKS]; /* their followers' included */
  double reach;  /* length of the chain, stretched [m] */
  double length; /* by which rotations are weighed against ways [m] */
  double posture[SUP_TREE_MAX_NV];
} chain;

/** Frame, error and Jacobian by the joints of the chain, rotations times `length`. */
typedef struct place {
  double e[ROWS], size; /* [m] */
  double J[SUP_TREE_MAX_NV][ROWS];
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

static void add_joint(chain *c, int link) {
  const sup_tree_link *joint = &c->tree->links[link];
  if (c->goal->may_move && !c->goal->may_move[link]) return;
  for (int i = 0; i < c->num; i++)
    if (c->joint[i] == joint) return;
  double lower = joint->lower, upper = joint->upper;
  for (int l = 0; l < c->tree->num_links; l++) {
    const sup_tree_link *f = &c->tree->links[l];
    if (f->mimic != link || f->mimic_ratio == 0) continue;
    double a = (f->lower - f->mimic_offset) / f->mimic_ratio,
           b = (f->upper - f->mimic_offset) / f->mimic_ratio;
    lower = fmax(lower, fmin(a, b)), upper = fmin(upper, fmax(a, b));
  }
  c->lower[c->num] = lower, c->upper[c->num] = upper;
  c->joint[c->num++] = joint;
}

static void find_chain(chain *c, const double *q) {
  c->reach = sup_v3_norm(c->goal->X_LF.p);
  for (int l = c->goal->link; l != SUP_NONE; l = c->tree->links[l].parent) {
    const sup_tree_link *link = &c->tree->links[l];
    c->reach += sup_v3_norm(link->X_PJ.p);
    if (link->joint == SUP_JOINT_PRISMATIC)
      c->reach += fmax(isfinite(link->lower) ? fabs(link->lower) : 0,
                       isfinite(link->upper) ? fabs(link->upper) : 0);
    if (link->nv == 1) add_joint(c, link->mimic == SUP_NONE ? l : link->mimic);
  }
  if (!(c->reach > 0)) c->reach = 1; /* turns in its place */
  c->length = c->reach / 4;
  for (int i = 0; i < c->num; i++) c->posture[i] = q[c->joint[i]->q_start];
}

static double scale_of(const chain *c, int i) {
  return sup_joint_turns(c->joint[i], 0) ? 1 : c->length;
}

static void follow(const sup_tree *tree, double *q) {
  for (int l = 0; l < tree->num_links; l++) {
    const sup_tree_link *link = &tree->links[l];
    if (link->mimic == SUP_NONE) continue;
    q[link->q_start] = link->mimic_ratio * q[tree->links[link->mimic].q_start] + link->mimic_offset;
  }
}

/* ---- error and Jacobian ---------------------------------------------------------------------- */

/** Rotation vector in world axes that takes R to the goal. */
static sup_v3 rotation_error(const sup_ik_goal *goal, const sup_m3 *R) {
  if (goal->rotation == SUP_IK_POSE)
    return sup_quat_log(sup_quat_from_matrix(sup_m3_mul(goal->X_WF.R, sup_m3_transpose(*R))));
  sup_v3 z = sup_m3_column(R, 2), to = sup_m3_column(&goal->X_WF.R, 2), n = sup_v3_cross(z, to);
  double s = sup_v3_norm(n), angle = atan2(s, sup_v3_dot(z, to));
  if (!(s > 0)) return sup_v3_scale(angle, sup_m3_column(R, 0)); /* none, or half a turn */
  return sup_v3_scale(angle / s, n);
}

static double error_size(const double *e) {
  double sum = 0;
  for (int k = 0; k < ROWS; k++) sum += e[k] * e[k];
  return sqrt(sum);
}

static void find_error(const chain *c, const sup_frame *X_WF, place *at) {
  memset(at->e, 0, sizeof at->e);
  sup_v3_store(at->e, sup_v3_sub(c->goal->X_WF.p, X_WF->p));
  if (c->goal->rotation != SUP_IK_POSITION)
    sup_v3_store(at->e + 3, sup_v3_scale(c->length, rotation_error(c->goal, &X_WF->R)));
  at->size = error_size(at->e);
}

/** Add the twist of one link's joint to the column of the joint that leads. */
static void add_column(const chain *c, const sup_tree_link *link, double factor,
                       const sup_frame *X_WL, const sup_frame *X_WF, double *column) {
  sup_motion s = sup_joint_column(link, X_WL, 0); /* constant in the link */
  s.w = sup_m3_apply(X_WL->R, s.w), s.v = sup_m3_apply(X_WL->R, s.v);
  sup_v3 v = sup_v3_add(s.v, sup_v3_cross(s.w, sup_v3_sub(X_WF->p, X_WL->p)));
  sup_v3_accumulate(column, factor, v);
  if (c->goal->rotation == SUP_IK_POSITION) return;
  if (c->goal->rotation == SUP_IK_AXIS) { /* turns about the axis do not count */
    sup_v3 z = sup_m3_column(&X_WF->R, 2);
    s.w = sup_v3_madd(s.w, -sup_v3_dot(z, s.w), z);
  }
  sup_v3_accumulate(column + 3, factor * c->length, s.w);
}

static void find_place(const chain *c, double *q, place *at) {
  sup_frame                X_WL[SUP_TREE_MAX_LINKS];
  sup_v3                   w[SUP_TREE_MAX_LINKS], v[SUP_TREE_MAX_LINKS];
  sup_tree_kinematics_data kin = {X_WL, w, v};
  follow(c->tree, q);
  sup_tree_kinematics(c->tree, c->base, q, NULL, &kin);
  sup_frame X_WF = sup_frame_mul(&X_WL[c->goal->link], &c->goal->X_LF);
  find_error(c, &X_WF, at);
  memset(at->J, 0, (size_t)c->num * sizeof *at->J);
  for (int l = c->goal->link; l != SUP_NONE; l = c->tree->links[l].parent) {
    const sup_tree_link *link = &c->tree->links[l],
                        *leader = link->mimic == SUP_NONE ? link : &c->tree->links[link->mimic];
    for (int i = 0; i < c->num && link->nv == 1; i++)
      if (c->joint[i] == leader)
        add_column(c, link, leader == link ? 1 : link->mimic_ratio, &X_WL[l], &X_WF, at->J[i]);
  }
}

/* ---- steps ----------------------------------------------------------------------------------- */

static double mean_diagonal(const chain *c, const place *at) {
  double sum = 0;
  for (int i = 0; i < c->num; i++)
    for (int k = 0; k < ROWS; k++) sum += at->J[i][k] * at->J[i][k];
  return sum / ROWS;
}

/** y = (J J^T + damping)^-1 (e - J d) with the free joints' J in J J^T. */
static void solve_damped(const chain *c, const place *at, double damping, const char *is_blocked,
                         const double *d, double y[ROWS]) {
  double A[ROWS * ROWS] = {0};
  memcpy(y, at->e, ROWS * sizeof *y);
  for (int i = 0; i < c->num; i++) {
    const double *J = at->J[i];
    for (int k = 0; k < ROWS; k++) y[k] -= J[k] * d[i];
    for (int k = 0; k < ROWS * ROWS && !is_blocked[i]; k++) A[k] += J[k / ROWS] * J[k % ROWS];
  }
  for (int k = 0; k < ROWS; k++) A[k * (ROWS + 1)] += damping;
  sup_dense_cholesky(ROWS, A);
  sup_dense_cholesky_solve(ROWS, A, y);
}

/** Step d [num] within the limits: wish d as far as the frame lets it, plus J^T y. */
static void bounded_step(const chain *c, const place *at, double damping, const double *q,
                         double *d) {
  char   is_blocked[SUP_TREE_MAX_NV] = {0};
  double wish[SUP_TREE_MAX_NV], y[ROWS];
  memcpy(wish, d, (size_t)c->num * sizeof *d);
  for (int pass = 0, any = 1; any && pass <= c->num; pass++) {
    any = 0;
    for (int i = 0; i < c->num; i++)
      if (!is_blocked[i]) d[i] = wish[i];
    solve_damped(c, at, damping, is_blocked, d, y);
    for (int i = 0; i < c->num; i++) {
      if (is_blocked[i]) continue;
      double from = q[c->joint[i]->q_start], to;
      for (int k = 0; k < ROWS; k++) d[i] += at->J[i][k] * y[k];
      to = fmin(fmax(from + d[i], c->lower[i]), c->upper[i]);
      if (to == from + d[i]) continue;
      d[i] = to - from, is_blocked[i] = 1, any = 1;
    }
  }
}

static void go(const chain *c, const double *q, const double *d, double *next) {
  memcpy(next, q, (size_t)c->tree->nq * sizeof *q);
  for (int i = 0; i < c->num; i++) {
    const sup_tree_link *joint = c->joint[i];
    double              *to = &next[joint->q_start];
    *to = fmin(fmax(*to + d[i], c->lower[i]), c->upper[i]);
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

/** Towards the posture along the null space; the frame stays. */
static void relax(const chain *c, double *q, place *at, int *iterations) {
  double next[SUP_TREE_MAX_NV + SUP_TREE_MAX_LINKS], d[SUP_TREE_MAX_NV];
  place  there = *at;
  for (int n = 0; n < (int)sup_ik_numerics.iterations; n++) {
    double longest = 0, moved = 0;
    for (int i = 0; i < c->num; i++) {
      d[i] = c->posture[i] - q[c->joint[i]->q_start];
      longest = fmax(longest, fabs(d[i]) / scale_of(c, i));
    }
    for (int i = 0; i < c->num && longest > sup_ik_numerics.posture_step; i++)
      d[i] *= sup_ik_numerics.posture_step / longest;
    bounded_step(c, at, 1e-9 * mean_diagonal(c, at), q, d);
    for (int i = 0; i < c->num; i++) moved = fmax(moved, fabs(d[i]) / scale_of(c, i));
    go(c, q, d, next);
    if (moved < 1e-9 || !search(c, next, &there, iterations)) return;
    memcpy(q, next, (size_t)c->tree->nq * sizeof *q);
    *at = there;
  }
}

/* ---- starts ---------------------------------------------------------------------------------- */

/** Start number k: an additive sequence that fills the joints' ranges evenly (R_d of Roberts: the
 * powers of 1/g, g^(d + 1) = g + 1); joints without limits within half a turn of the posture. */
static void spread(const chain *c, int k, double *q) {
  double g = 2, share = 1;
  for (int n = 0; n < 30; n++) g = pow(1 + g, 1.0 / (c->num + 1));
  for (int i = 0; i < c->num; i++) {
    const sup_tree_link *joint = c->joint[i];
    double               half = sup_joint_turns(joint, 0) ? PI : c->reach, at = c->posture[i];
    double               low = isfinite(c->lower[i]) ? c->lower[i] : at - half,
           high = isfinite(c->upper[i]) ? c->upper[i] : at + half;
    share /= g;
    q[joint->q_start] = low + (high - low) * fmod(0.5 + k * share, 1);
  }
}

/** Whole turns that bring the joints nearer to the posture. */
static void unwind(const chain *c, double *q) {
  for (int i = 0; i < c->num; i++) {
    const sup_tree_link *joint = c->joint[i];
    double              *at = &q[joint->q_start];
    if (!sup_joint_turns(joint, 0)) continue;
    double to = *at + 2 * PI * round((c->posture[i] - *at) / (2 * PI));
    if (to >= c->lower[i] && to <= c->upper[i]) *at = to;
  }
}

static double distance(const chain *c, const double *q) {
  double sum = 0;
  for (int i = 0; i < c->num; i++) {
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
  report.num_joints = c.num;
  memcpy(first, q, (size_t)tree->nq * sizeof *q);
  go(&c, first, (double[SUP_TREE_MAX_NV]){0}, first); /* within the limits */
  if (search(&c, first, &at, &report.iterations)) {
    report.is_reached = 1;
    unwind(&c, first);
    relax(&c, first, &at, &report.iterations);
  } else if (!goal->is_local && c.num > 0) {
    report.is_reached = search_all(&c, first, &at, &report) > 0;
  }
  report.is_reached |= at.size <= sup_ik_numerics.near * c.reach;
  memcpy(q, first, (size_t)tree->nq * sizeof *q);
  follow(tree, q);
  report.position_error = sup_v3_norm(sup_v3_load(at.e));
  report.rotation_error = sup_v3_norm(sup_v3_load(at.e + 3)) / c.length;
  tell_limits(&c, q, &report);
  return report;
}
