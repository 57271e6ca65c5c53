#include "step/error_control.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "law/normal.h"
#include "step/stepper.h"

/** What an increment leaves but for the state; memory that outlives the arena's reset. */
typedef struct part {
  double         *effort, *force;    /* [num_v], [num_vertices x 3] */
  sup_wrench     *wrench, *reaction; /* [num_softs], [num_dirichlet] */
  sup_soft_spin  *spin;              /* [num_softs] */
  double          contact_energy;
  int             touches; /* contacts, limits or drives had rows */
  int             changes; /* a contact of a soft body opened or closed */
  int             has_barrier;
  sup_step_report report;
} part;

struct sup_error_control {
  sup_state *whole, *halves; /* after one step of h, after two of h/2 */
  part       one, first, second;
};

/** An attempt: its increment and what came of it. */
typedef struct attempt {
  sup_increment inc;
  double        error;     /* over the tolerance [-] */
  int           is_second; /* by BDF2 and Milne's estimate, with nothing to extrapolate */
  double        weight;    /* of E, which is weight (halves - whole) */
} attempt;

/* ---- life cycle ------------------------------------------------------------------------------ */

static sup_status create_part(part *p, const sup_model *model) {
  SUP_TRY(SUP_CALLOC(p->effort, model->v_start[model->num_trees]));
  SUP_TRY(SUP_CALLOC(p->force, 3 * model->num_vertices));
  SUP_TRY(SUP_CALLOC(p->wrench, model->num_softs));
  SUP_TRY(SUP_CALLOC(p->reaction, model->num_dirichlet));
  SUP_TRY(SUP_CALLOC(p->spin, model->num_softs));
  return SUP_OK;
}

static void free_part(part *p) {
  SUP_FREE(p->effort);
  SUP_FREE(p->force);
  SUP_FREE(p->wrench);
  SUP_FREE(p->reaction);
  SUP_FREE(p->spin);
}

sup_status sup_error_control_create(sup_error_control **out, const sup_model *model,
                                    const sup_options *options) {
  sup_error_control *c = NULL;
  sup_status         status;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(c, 1));
  SUP_TRY_GOTO(sup_state_create(&c->whole, model, options), status, fail);
  SUP_TRY_GOTO(sup_state_create(&c->halves, model, options), status, fail);
  SUP_TRY_GOTO(create_part(&c->one, model), status, fail);
  SUP_TRY_GOTO(create_part(&c->first, model), status, fail);
  SUP_TRY_GOTO(create_part(&c->second, model), status, fail);
  *out = c;
  return SUP_OK;
fail:
  sup_error_control_destroy(&c);
  return status;
}

void sup_error_control_destroy(sup_error_control **control) {
  if (!*control) return;
  sup_state_destroy(&(*control)->whole);
  sup_state_destroy(&(*control)->halves);
  free_part(&(*control)->one);
  free_part(&(*control)->first);
  free_part(&(*control)->second);
  SUP_FREE(*control);
}

/* ---- increments ------------------------------------------------------------------------------ */

/** Does a contact of a soft body push at one end of the increment only? */
static int opens_or_closes(const sup_model *model, const sup_contact_list *list) {
  for (int k = 0; k < list->count; k++) {
    const sup_contact *c = &list->contact[k];
    if (model->body[c->body_a].soft == SUP_NONE && model->body[c->body_b].soft == SUP_NONE)
      continue;
    if ((sup_v3_dot(c->force, c->normal) > 0) != (c->phi < 0)) return 1;
  }
  return 0;
}

/** Does a contact keep its gap open?  What is extrapolated might close it. */
static int keeps_gap(const sup_stepper *s) {
  for (int k = 0; k < s->contact.list.count; k++) {
    const sup_pair *pair = &s->model->pair[s->contact.list.contact[k].pair];
    if (sup_increment_model(&s->end.result.increment, pair) != SUP_MODEL_SAP &&
        sup_normal_table(pair->normal_law)->is_barrier)
      return 1;
  }
  return 0;
}

static void keep(const sup_stepper *s, part *p) {
  const sup_model       *model = s->model;
  const sup_step_result *r = &s->end.result;
  size_t                 nv = (size_t)model->v_start[model->num_trees];
  if (nv) memcpy(p->effort, r->joint_effort, nv * sizeof *p->effort);
  if (model->num_vertices)
    memcpy(p->force, r->contact_force, 3 * (size_t)model->num_vertices * sizeof *p->force);
  for (int i = 0; i < model->num_softs; i++)
    p->wrench[i] = r->attach_wrench[i], p->spin[i] = r->spin[i];
  for (int i = 0; i < model->num_dirichlet; i++) p->reaction[i] = r->reaction[i];
  p->contact_energy = r->contact_energy;
  p->touches = s->contact.rows.num_constraints > 0;
  p->changes = opens_or_closes(model, &s->contact.list);
  p->has_barrier = keeps_gap(s);
}

/** What the attempts that fail cost, too. */
static void add_work(const sup_step_report *of, sup_step_report *all) {
  all->iterations += of->iterations;
  all->iterations_sum += of->iterations_sum;
  all->linear_iterations += of->linear_iterations;
  all->factorisations += of->factorisations;
  all->line_search_evaluations += of->line_search_evaluations;
  all->linearisations += of->linearisations;
  all->analysed |= of->analysed;
  for (int k = 0; k < SUP_NUM_PHASES; k++) all->seconds[k] += of->seconds[k];
}

/** The increment from the state's time to t1, by BDF2 or of first order; its work goes into `all`,
 * when it fails all of its report. */
static sup_status advance_to(sup_stepper *s, double t1, double h, int bdf2, sup_state *state,
                             part *p, sup_step_report *all) {
  sup_increment inc = sup_increment_of_motion(&s->options, state->time, state->step);
  inc.h = h, inc.t1 = t1, inc.soft_bdf2 = bdf2;
  sup_status status = sup_stepper_advance(s, &inc, state, &p->report);
  add_work(&p->report, all);
  if (status == SUP_OK) {
    keep(s, p);
    return SUP_OK;
  }
  sup_step_report work = *all;
  *all = p->report;
  memcpy(all->seconds, work.seconds, sizeof work.seconds);
  all->rejected = work.rejected;
  all->iterations = work.iterations, all->iterations_sum = work.iterations_sum;
  return status;
}

/* ---- the estimate ---------------------------------------------------------------------------- */

/** The larger of two, and NaN when one is. */
static double larger(double a, double b) { return a > b || isnan(a) ? a : b; }

static double vector_error(const double *a, const double *b, double scale) {
  double e = 0;
  for (int k = 0; k < 3; k++) e = larger(e, fabs(a[k] - b[k]) / scale);
  return e;
}

static sup_quat quaternion(const double *q) { return (sup_quat){q[0], q[1], q[2], q[3]}; }

/** Rotation vector from a to b, in the axes of a. */
static sup_v3 turn(const double *a, const double *b) {
  sup_quat inverse = {a[0], -a[1], -a[2], -a[3]};
  return sup_quat_log(sup_quat_mul(inverse, quaternion(b)));
}

/** Is the k-th velocity of the joint that of an angle? */
static int is_angle(sup_joint_type joint, int k) {
  return joint == SUP_JOINT_REVOLUTE || (joint == SUP_JOINT_FLOATING && k < 3) ||
         (joint == SUP_JOINT_PLANAR && k == 2);
}

/** Largest difference of two states' joints, positions over the length or 1 rad, velocities over
 * these per T_c. */
static double tree_difference(const sup_stepper *s, const sup_state *a, const sup_state *b) {
  const sup_model    *model = s->model;
  const sup_accuracy *o = &s->options.accuracy;
  const double        zero[3] = {0, 0, 0};
  double              e = 0;
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->tree[t]->num_links; l++) {
      const sup_tree_link *link = &model->tree[t]->links[l];
      int q = model->q_start[t] + link->q_start, v = model->v_start[t] + link->v_start;
      for (int k = 0; k < link->nv; k++) {
        double scale = is_angle(link->joint, k) ? 1 : o->length;
        e = larger(e, o->time * fabs(a->v[v + k] - b->v[v + k]) / scale);
        if (link->joint != SUP_JOINT_FLOATING)
          e = larger(e, fabs(a->q[q + k] - b->q[q + k]) / scale);
      }
      if (link->joint != SUP_JOINT_FLOATING) continue;
      double r[3];
      sup_v3_store(r, turn(a->q + q + 3, b->q + q + 3));
      e = larger(e, larger(vector_error(a->q + q, b->q + q, o->length), vector_error(r, zero, 1)));
    }
  return e;
}

/** Largest of |x|/length and |v| T_c/length over the components that are free. */
static double soft_size(const sup_stepper *s, const double *x, const double *v) {
  const sup_accuracy *o = &s->options.accuracy;
  double              e = 0;
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    for (int a = 0; a < 3 * soft->num_vertices; a++) {
      size_t at = 3 * (size_t)soft->first_vertex + (size_t)a;
      if (soft->kind[a / 3] != SUP_VERTEX_FREE || soft->holder[a] != SUP_NONE) continue;
      e = larger(e, larger(fabs(x[at]), o->time * fabs(v[at])) / o->length);
    }
  }
  return e;
}

/** |a - b| of two states, in the norm of sup_accuracy. */
static sup_status difference(sup_stepper *s, const sup_state *a, const sup_state *b, double *e) {
  double *x, *v;
  int     n = 3 * s->model->num_vertices;
  SUP_TRY(SUP_ARENA(s->arena, x, n));
  SUP_TRY(SUP_ARENA(s->arena, v, n));
  for (int i = 0; i < n; i++) x[i] = a->x[i] - b->x[i], v[i] = a->xdot[i] - b->xdot[i];
  *e = larger(tree_difference(s, a, b), soft_size(s, x, v));
  return SUP_OK;
}

/** Of second order is the midpoint rule of trees on which nothing acts but what it knows. */
static int order_of(const sup_stepper *s, const sup_error_control *c) {
  return sup_scheme_is_second_order(&s->options.scheme) && s->model->num_softs == 0 &&
                 !c->one.touches && !c->first.touches && !c->second.touches
             ? 2
             : 1;
}

/** One step and two halves (THEORY_2 17.2). */
static sup_status attempt_halves(sup_stepper *s, const sup_state *state, attempt *try,
                                 sup_step_report *all) {
  sup_error_control *c = s->control;
  double             h = try->inc.h, middle = try->inc.t0 + 0.5 * h, e;
  SUP_TRY(sup_state_copy(c->whole, state));
  SUP_TRY(sup_state_copy(c->halves, state));
  SUP_TRY(advance_to(s, try->inc.t1, h, 0, c->whole, &c->one, all));
  SUP_TRY(advance_to(s, middle, 0.5 * h, 0, c->halves, &c->first, all));
  SUP_TRY(advance_to(s, try->inc.t1, 0.5 * h, 0, c->halves, &c->second, all));
  try->weight = 1 / (pow(2, order_of(s, c)) - 1);
  SUP_TRY(difference(s, c->halves, c->whole, &e));
  try->error = try->weight * e / s->options.accuracy.tolerance;
  try->is_second = 0;
  return SUP_OK;
}

/* ---- BDF2 ------------------------------------------------------------------------------------ */

/** States before the present one that BDF2 and its estimate need: the last steps, in none of which
 * a contact of a soft body opened or closed. */
enum { HISTORY = 2 };

/** May the soft bodies go by BDF2?  Whatever else moves is of first order. */
static int may_go_second(const sup_stepper *s, const sup_state *state) {
  return s->options.soft_bdf2 && state->num_v == 0 && state->control.num_second >= HISTORY;
}

/** C/(C + Cp) (y - y_p): what BDF2's step lacks, from the parabola through the last three states
 * (THEORY_2 17.1). */
static sup_status estimate_by_milne(sup_stepper *s, const sup_state *before, const sup_state *after,
                                    double h, double *e) {
  size_t n = 3 * (size_t)s->model->num_vertices;
  double a = before->past_step[0], b = before->past_step[1], r = h / a, *E[2];
  double C = (1 + r) * (1 + r) / (6 * r * (1 + 2 * r)) * h * h * h,
         Cp = h * (h + a) * (h + a + b) / 6, share = C / (C + Cp);
  double w0 = (h + a) * (h + a + b) / (a * (a + b)), w1 = -h * (h + a + b) / (a * b),
         w2 = h * (h + a) / (b * (a + b));
  for (int k = 0; k < 2; k++) {
    const double *y = k ? after->xdot : after->x, *y0 = k ? before->xdot : before->x,
                 *y1 = before->past + (size_t)k * n, *y2 = before->past + (size_t)(2 + k) * n;
    SUP_TRY(SUP_ARENA(s->arena, E[k], (int)n));
    for (size_t i = 0; i < n; i++) E[k][i] = share * (y[i] - w0 * y0[i] - w1 * y1[i] - w2 * y2[i]);
  }
  *e = soft_size(s, E[0], E[1]);
  return SUP_OK;
}

/** One step of BDF2; *applies 0: a contact opens or closes, which its history knows nothing of. */
static sup_status attempt_second(sup_stepper *s, const sup_state *state, attempt *try, int *applies,
                                 sup_step_report *all) {
  sup_error_control *c = s->control;
  double             e;
  SUP_TRY(sup_state_copy(c->halves, state));
  SUP_TRY(advance_to(s, try->inc.t1, try->inc.h, 2, c->halves, &c->second, all));
  *applies = !c->second.changes;
  if (!*applies) return SUP_OK;
  SUP_TRY(estimate_by_milne(s, state, c->halves, try->inc.h, &e));
  try->error = e / s->options.accuracy.tolerance;
  try->is_second = 1;
  return SUP_OK;
}

/** What BDF2 will want to know of the step from `before` to `after`, the state that it becomes. */
static void keep_past(const sup_stepper *s, const sup_state *before, const attempt *try,
                      int changes, sup_state *after) {
  size_t n = 3 * (size_t)s->model->num_vertices;
  if (!s->options.soft_bdf2) return;
  memcpy(after->past + 2 * n, before->past, 2 * n * sizeof *after->past);
  memcpy(after->past, before->x, n * sizeof *after->past);
  memcpy(after->past + n, before->xdot, n * sizeof *after->past);
  after->past_step[1] = before->past_step[0], after->past_step[0] = try->inc.h;
  after->control.num_second = changes ? 0 : before->control.num_second + 1;
  if (try->is_second) return; /* the scheme kept the rest */
  for (size_t i = 0; i < n; i++) after->mean[i] = (after->x[i] - before->x[i]) / try->inc.h;
  for (int i = 0; i < s->model->num_softs; i++) {
    size_t first = 3 * (size_t)s->model->soft[i].first_vertex;
    sup_fem_mass_multiply(s->model->soft[i].fem, before->xdot + first,
                          after->momentum_before + first);
    after->has_history[i] = 1;
  }
  after->mean_step = try->inc.h;
}

/* ---- what is accepted ------------------------------------------------------------------------ */

/** y := y + weight (y - whole). */
static void extrapolate(const double *whole, double weight, int n, double *y) {
  for (int i = 0; i < n; i++) y[i] += weight * (y[i] - whole[i]);
}

static void extrapolate_trees(const sup_model *model, const sup_state *whole, double weight,
                              sup_state *y) {
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->tree[t]->num_links; l++) {
      const sup_tree_link *link = &model->tree[t]->links[l];
      int                  q = model->q_start[t] + link->q_start;
      if (link->joint != SUP_JOINT_FLOATING) {
        extrapolate(whole->q + q, weight, link->nv, y->q + q);
        continue;
      }
      sup_v3   r = sup_v3_scale(weight, turn(whole->q + q + 3, y->q + q + 3));
      sup_quat next = sup_quat_unit(sup_quat_mul(quaternion(y->q + q + 3), sup_quat_exp(r)));
      extrapolate(whole->q + q, weight, 3, y->q + q);
      y->q[q + 3] = next.w, y->q[q + 4] = next.x, y->q[q + 5] = next.y, y->q[q + 6] = next.z;
    }
  extrapolate(whole->v, weight, y->num_v, y->v);
}

/** Attached vertices ride on their link. */
static void place_attached(const sup_stepper *s, sup_state *y) {
  for (int i = 0; i < s->model->num_softs; i++) {
    const sup_soft *soft = &s->model->soft[i];
    if (soft->attach_tree == SUP_NONE) continue;
    const sup_frame *X =
        &s->end.kin_next.X_WL[sup_model_link_body(s->model, soft->attach_tree, soft->attach_link)];
    for (int a = 0; a < soft->num_vertices; a++)
      if (soft->attach_slot[a] != SUP_NONE)
        sup_v3_store(y->x + 3 * (size_t)(soft->first_vertex + a),
                     sup_frame_apply(X, sup_v3_load(soft->attach_point + 3 * a)));
  }
}

/** Mean over the step: of what the halves' means and the whole step's are, so that impulses close
 * the balance of momentum. */
static double mean_of(double one, double first, double second, double weight) {
  return 0.5 * (1 + weight) * (first + second) - weight * one;
}

static sup_v3 mean_vector(sup_v3 one, sup_v3 first, sup_v3 second, double weight) {
  return sup_v3_make(mean_of(one.x, first.x, second.x, weight),
                     mean_of(one.y, first.y, second.y, weight),
                     mean_of(one.z, first.z, second.z, weight));
}

static sup_wrench mean_wrench(const sup_wrench *one, const sup_wrench *first,
                              const sup_wrench *second, double weight) {
  return (sup_wrench){mean_vector(one->force, first->force, second->force, weight),
                      mean_vector(one->moment, first->moment, second->moment, weight)};
}

/** The result of the second half becomes that of the step. */
static void join_results(sup_stepper *s, double weight) {
  const sup_model   *model = s->model;
  sup_error_control *c = s->control;
  sup_step_result   *r = &s->end.result;
  part              *a = &c->one, *b = &c->first, *d = &c->second;
  for (int i = 0; i < model->v_start[model->num_trees]; i++)
    d->effort[i] = mean_of(a->effort[i], b->effort[i], d->effort[i], weight);
  for (int i = 0; i < 3 * model->num_vertices; i++)
    d->force[i] = mean_of(a->force[i], b->force[i], d->force[i], weight);
  for (int i = 0; i < model->num_softs; i++) {
    d->wrench[i] = mean_wrench(&a->wrench[i], &b->wrench[i], &d->wrench[i], weight);
    sup_v3 taken = mean_vector(a->spin[i].taken, b->spin[i].taken, d->spin[i].taken, weight);
    taken = sup_v3_madd(taken, 0.5 * (1 + weight), sup_v3_add(b->spin[i].taken, d->spin[i].taken));
    d->spin[i].taken = taken, d->spin[i].angle += b->spin[i].angle;
  }
  for (int i = 0; i < model->num_dirichlet; i++)
    d->reaction[i] = mean_wrench(&a->reaction[i], &b->reaction[i], &d->reaction[i], weight);
  r->joint_effort = d->effort, r->contact_force = d->force, r->attach_wrench = d->wrench;
  r->reaction = d->reaction, r->spin = d->spin;
  r->contact_energy = fmax(d->contact_energy + weight * (d->contact_energy - a->contact_energy), 0);
}

/** What both halves say; energies that went in and out as the state, sums otherwise the worse. */
static void join_reports(const sup_error_control *c, double weight, sup_step_report *r) {
  const sup_step_report *a = &c->one.report, *b = &c->first.report;
  r->soft_work += b->soft_work, r->soft_work += weight * (r->soft_work - a->soft_work);
  r->soft_damping += b->soft_damping;
  r->soft_damping += weight * (r->soft_damping - a->soft_damping);
  r->sweeps = b->sweeps > r->sweeps ? b->sweeps : r->sweeps;
  r->at_cap |= b->at_cap, r->friction_at_cap |= b->friction_at_cap;
  if (r->ambiguous == 0) r->ambiguous_pair = b->ambiguous_pair;
  r->ambiguous += b->ambiguous;
  r->substeps = b->substeps > r->substeps ? b->substeps : r->substeps;
  r->hand_overs += b->hand_overs;
  r->sweep_change = fmax(r->sweep_change, b->sweep_change);
  if (b->momentum_error > r->momentum_error)
    r->momentum_error = b->momentum_error, r->reason = b->reason, r->error_body = b->error_body;
  r->momentum_residual = fmax(r->momentum_residual, b->momentum_residual);
  r->island_error = fmax(r->island_error, b->island_error);
  r->round_off = fmax(r->round_off, b->round_off);
  r->penetration_max = fmax(r->penetration_max, b->penetration_max);
  if (b->stiff_penetration_max > r->stiff_penetration_max)
    r->stiff_penetration_max = b->stiff_penetration_max, r->deepest_pair = b->deepest_pair;
  r->friction_work_max = fmax(r->friction_work_max, b->friction_work_max);
  r->ncp_primal = fmax(r->ncp_primal, b->ncp_primal);
  r->ncp_dual = fmax(r->ncp_dual, b->ncp_dual);
  r->ncp_complementarity = fmax(r->ncp_complementarity, b->ncp_complementarity);
  r->friction_lag = fmax(r->friction_lag, b->friction_lag);
  r->stick_speed_max = fmax(r->stick_speed_max, b->stick_speed_max);
  r->condition = fmax(r->condition, b->condition);
  r->law_residual = fmax(r->law_residual, b->law_residual);
  r->law_primal = fmax(r->law_primal, b->law_primal);
  r->law_dual = fmax(r->law_dual, b->law_dual);
  r->law_complementarity = fmax(r->law_complementarity, b->law_complementarity);
  if (b->inverted_cells > r->inverted_cells)
    r->inverted_cells = b->inverted_cells, r->inverted_body = b->inverted_body;
  r->discarded_small += b->discarded_small, r->discarded_backward += b->discarded_backward;
  r->discarded_inverted += b->discarded_inverted;
  if (b->silent_pairs > 0) r->silent_pairs = b->silent_pairs, r->silent_pair = b->silent_pair;
  if (b->passed_pairs > 0) r->passed_pairs = b->passed_pairs, r->passed_pair = b->passed_pair;
  r->arena_peak = b->arena_peak > r->arena_peak ? b->arena_peak : r->arena_peak;
}

/** The state after the two halves, extrapolated when the attempt is resolved, and what goes with
 * it. */
static sup_status accept_halves(sup_stepper *s, const sup_state *before, attempt *try) {
  sup_error_control *c = s->control;
  sup_state         *y = s->end.next;
  if (try->error > 1 || c->first.has_barrier || c->second.has_barrier) try->weight = 0;
  SUP_TRY(sup_state_copy(y, c->halves));
  if (try->weight > 0) {
    extrapolate_trees(s->model, c->whole, try->weight, y);
    extrapolate(c->whole->x, try->weight, 3 * y->num_vertices, y->x);
    extrapolate(c->whole->xdot, try->weight, 3 * y->num_vertices, y->xdot);
  }
  s->inc = &try->inc;
  sup_status status = sup_stepper_look_ahead(s);
  s->inc = NULL;
  if (status != SUP_OK) return status;
  place_attached(s, y);
  join_results(s, try->weight);
  s->end.result.X_WL = s->end.kin_next.X_WL;
  s->end.result.link_w = s->end.kin_next.w, s->end.result.link_v = s->end.kin_next.v;
  keep_past(s, before, try, c->one.changes || c->first.changes || c->second.changes, y);
  return SUP_OK;
}

/** The attempt becomes the step. */
static sup_status accept(sup_stepper *s, sup_state *state, attempt *try, sup_step_report *all) {
  sup_error_control *c = s->control;
  sup_step_report    work = *all;
  long               step = state->step + 1;
  *all = c->second.report;
  if (try->is_second) {
    SUP_TRY(sup_state_copy(s->end.next, c->halves));
    keep_past(s, state, try, 0, s->end.next);
  } else {
    SUP_TRY(accept_halves(s, state, try));
    join_reports(c, try->weight, all);
  }
  SUP_TRY(sup_state_copy(state, s->end.next));
  state->step = step, state->time = try->inc.t1;
  s->end.result.increment = try->inc;
  s->end.result.step = step, s->end.result.time = state->time;
  memset(all->seconds, 0, sizeof all->seconds);
  all->iterations = all->iterations_sum = all->linear_iterations = 0;
  all->factorisations = 0;
  all->line_search_evaluations = all->linearisations = all->analysed = 0;
  add_work(&work, all);
  all->step_size = try->inc.h;
  all->step_error = try->error * s->options.accuracy.tolerance;
  all->rejected = work.rejected;
  all->unresolved = try->error > 1;
  return SUP_OK;
}

/* ---- the controller (THEORY_2 17.3) ---------------------------------------------------------- */

static const double safety = 0.9, least_error = 1e-8, least_memory = 1e-4;

static double clip(double x, double least, double most) { return fmin(fmax(x, least), most); }

/** Factor to the step that follows an accepted one. */
static double next_factor(const attempt *try, double last) {
  double e = fmax(try->error, least_error), k = try->is_second ? 3 : 2;
  if (last == 0) last = 1;
  double f = clip(safety * pow(e, -0.7 / k) * pow(last, 0.4 / k), 0.2, try->is_second ? 1.5 : 2);
  /* a change of ratio costs BDF2 accuracy, and all of it the factors */
  return try->is_second && f > 1 && f < 1.2 ? 1 : f;
}

static double retry_factor(const attempt *try) {
  double k = try->is_second ? 3 : 2;
  if (!isfinite(try->error)) return 0.1;
  return fmax(0.1, safety * pow(try->error, -1 / k));
}

/** Remember how long the next step may be; `wanted`: what this one would have been without its
 * stop, which takes nothing from those after it. */
static void plan_next(const sup_accuracy *o, const attempt *try, double wanted, int rejected,
                      double last_error, sup_step_control *next) {
  double factor = next_factor(try, last_error), h = try->inc.h;
  if (rejected) factor = fmin(factor, 1);
  if (!rejected && h < wanted)
    factor = fmax(factor, fmin(wanted / h, safety * pow(fmax(try->error, least_error),
                                                        try->is_second ? -1. / 3 : -1. / 2)));
  next->step = clip(factor * h, o->min_step, o->max_step);
  next->error = fmax(try->error, least_memory);
}

/** The next time at which something that is moved changes its speed at once: inside a step that is
 * an error that no length resolves. */
static double next_corner(const sup_stepper *s, double t) {
  const sup_model    *model = s->model;
  const sup_accuracy *o = &s->options.accuracy;
  double              jump = 0.5 * o->tolerance * fmin(o->length, 1) / o->time, next = HUGE_VAL;
  for (int i = 0; i < model->num_trees; i++)
    next = fmin(next, sup_table_next_corner(&model->tree[i]->motion, t, jump));
  for (int i = 0; i < model->num_actuators; i++)
    next = fmin(next, sup_table_next_corner(&model->actuator[i].target, t, jump));
  for (int i = 0; i < model->num_softs; i++)
    for (int k = 0; k < model->soft[i].num_dirichlet; k++)
      next = fmin(next, sup_table_next_corner(&model->soft[i].dirichlet[k].motion, t, jump));
  return next;
}

/** From the state's time; no sliver remains before the stop. */
static void set_end(sup_increment *inc, double t0, double h, double stop) {
  double left = stop - t0;
  inc->t0 = t0;
  if (h >= left)
    inc->h = left, inc->t1 = stop;
  else
    inc->h = fmin(h, 0.5 * left), inc->t1 = t0 + inc->h;
}

/** One attempt. */
static sup_status attempt_step(sup_stepper *s, const sup_state *state, attempt *try,
                               sup_step_report *all) {
  int is_done = 0;
  if (may_go_second(s, state)) SUP_TRY(attempt_second(s, state, try, &is_done, all));
  if (!is_done) SUP_TRY(attempt_halves(s, state, try, all));
  return SUP_OK;
}

sup_status sup_stepper_controlled_step(sup_stepper *s, sup_state *state, double stop,
                                       sup_step_report *report) {
  const sup_accuracy *o = &s->options.accuracy;
  sup_step_control    before = state->control;
  sup_step_report     all = {.error_body = SUP_NONE};
  attempt             try = {.inc = sup_increment_of_motion(&s->options, state->time, state->step)};
  double              wanted = before.step > 0 ? before.step : s->options.dt,
         h = clip(wanted, o->min_step, o->max_step);
  *report = all;
  if (!(stop > state->time))
    return SUP_FAIL(SUP_E_ARG, "a step from %g s can not end at %g s", state->time, stop);
  stop = fmin(stop, next_corner(s, state->time));
  for (;; all.rejected++) {
    set_end(&try.inc, state->time, h, stop);
    int        is_least = try.inc.h <= o->min_step;
    sup_status status = attempt_step(s, state, &try, &all);
    if (status != SUP_OK && (status != SUP_E_NOT_CONVERGED || is_least)) {
      *report = all;
      return status;
    }
    if (status == SUP_OK && (try.error <= 1 || is_least) && isfinite(try.error)) break;
    if (is_least)
      return SUP_FAIL(SUP_E_NONFINITE, "step %ld at %g s: positions or velocities are not finite",
                      state->step + 1, state->time);
    h = fmax(try.inc.h * (status == SUP_OK ? retry_factor(&try) : 0.25), o->min_step);
  }
  int rejected = all.rejected;
  SUP_TRY(accept(s, state, &try, &all));
  plan_next(o, &try, wanted, rejected, before.error, &state->control);
  *report = all;
  return SUP_OK;
}

/* ---- steps of fixed length (P2's convergence control) ---------------------------------------- */

/** sum += share times what the part holds. */
static void add_part(const sup_model *model, const part *p, double share, part *sum) {
  for (int i = 0; i < model->v_start[model->num_trees]; i++) sum->effort[i] += share * p->effort[i];
  for (int i = 0; i < 3 * model->num_vertices; i++) sum->force[i] += share * p->force[i];
  for (int i = 0; i < model->num_softs; i++) {
    sum->wrench[i].force = sup_v3_madd(sum->wrench[i].force, share, p->wrench[i].force);
    sum->wrench[i].moment = sup_v3_madd(sum->wrench[i].moment, share, p->wrench[i].moment);
    sum->spin[i].momentum = p->spin[i].momentum, sum->spin[i].angle += p->spin[i].angle;
    sum->spin[i].taken = sup_v3_add(sum->spin[i].taken, p->spin[i].taken);
  }
  for (int i = 0; i < model->num_dirichlet; i++) {
    sum->reaction[i].force = sup_v3_madd(sum->reaction[i].force, share, p->reaction[i].force);
    sum->reaction[i].moment = sup_v3_madd(sum->reaction[i].moment, share, p->reaction[i].moment);
  }
}

static void clear_part(const sup_model *model, part *p) {
  size_t nv = (size_t)model->v_start[model->num_trees];
  if (nv) memset(p->effort, 0, nv * sizeof *p->effort);
  if (model->num_vertices) memset(p->force, 0, 3 * (size_t)model->num_vertices * sizeof *p->force);
  for (int i = 0; i < model->num_softs; i++)
    p->wrench[i] = (sup_wrench){{0, 0, 0}, {0, 0, 0}}, p->spin[i] = (sup_soft_spin){0};
  for (int i = 0; i < model->num_dirichlet; i++)
    p->reaction[i] = (sup_wrench){{0, 0, 0}, {0, 0, 0}};
}

/** The whole increment in so many parts, each from where the one before ended. */
static sup_status go_in_parts(sup_stepper *s, const sup_increment *inc, int parts,
                              sup_step_report *all) {
  sup_error_control *c = s->control;
  double             work = 0, damping = 0, h = inc->h / parts;
  clear_part(s->model, &c->one);
  for (int k = 1; k <= parts; k++) {
    c->first.report = c->second.report;
    SUP_TRY(advance_to(s, k < parts ? inc->t0 + k * h : inc->t1, h, s->options.soft_bdf2, c->halves,
                       &c->second, all));
    add_part(s->model, &c->second, 1. / parts, &c->one);
    work += c->second.report.soft_work, damping += c->second.report.soft_damping;
    if (k > 1) join_reports(c, 0, &c->second.report);
  }
  c->second.report.soft_work = work, c->second.report.soft_damping = damping;
  return SUP_OK;
}

sup_status sup_stepper_step_in_parts(sup_stepper *s, sup_state *state, sup_step_report *report) {
  enum { MOST = 64 };
  sup_error_control  *c = s->control;
  const sup_increment inc = sup_increment_of_motion(&s->options, state->time, state->step);
  sup_step_report     all = *report;
  sup_status          status = SUP_E_NOT_CONVERGED;
  for (int parts = 2; status == SUP_E_NOT_CONVERGED && parts <= MOST; parts *= 2) {
    all.rejected++;
    SUP_TRY(sup_state_copy(c->halves, state));
    status = go_in_parts(s, &inc, parts, &all);
  }
  *report = all;
  SUP_TRY(status);
  *report = c->second.report;
  memset(report->seconds, 0, sizeof report->seconds);
  report->iterations = report->iterations_sum = report->linear_iterations = 0;
  report->line_search_evaluations = report->linearisations = report->factorisations = 0;
  report->analysed = 0;
  add_work(&all, report);
  report->rejected = all.rejected, report->step_size = inc.h;
  c->halves->step = state->step + 1, c->halves->time = inc.t1;
  SUP_TRY(sup_state_copy(state, c->halves));
  sup_step_result *r = &s->end.result;
  r->joint_effort = c->one.effort, r->contact_force = c->one.force;
  r->attach_wrench = c->one.wrench, r->reaction = c->one.reaction, r->spin = c->one.spin;
  r->increment = inc, r->step = state->step, r->time = state->time;
  return SUP_OK;
}
