#include "step/control/error_control.h"

#include <math.h>
#include <string.h>

#include "base/table.h"
#include "step/control/error_norm.h"
#include "step/control/flight.h"
#include "step/control/numerics.h"
#include "step/control/parts.h"
#include "step/control/reversal.h"
#include "step/stepper.h"

/** An attempt at a step: its increment and errors. */
typedef struct attempt {
  sup_increment inc;
  double        error;     /* estimated error over the tolerance [-] */
  int           is_second; /* 1: step of BDF2 with Milne's estimate; nothing to extrapolate */
  double        weight;    /* factor of the error: E = weight (halves - whole) */
  double        reversal;  /* error by reversed slip over its bound [-] */
  double        turn;      /* time of the reversal [s] */
  double        shorter;   /* length over h in which friction from rest is seen [-] */
} attempt;

/* ---- the estimate ---------------------------------------------------------------------------- */

/** Order of the scheme: 2 for the midpoint rule of trees without contacts, limits and drives, else
 * 1. */
static int order_of(const sup_stepper *s, const sup_step_parts *c) {
  return sup_scheme_is_second_order(&s->layout->options.scheme) &&
                 s->layout->model->num_softs == 0 && !c->one.touches && !c->first.touches &&
                 !c->second.touches
             ? 2
             : 1;
}

/** Record the reversal of slip in a solved half that ends at t1, if its error is the largest so
 * far. */
static sup_status note_reversal(sup_stepper *s, double t1, int late, attempt *try) {
  sup_increment inc = try->inc;
  sup_reversal  found;
  inc.h = 0.5 * try->inc.h, inc.t1 = t1;
  inc.t0 = late ? t1 - inc.h : try->inc.t0;
  SUP_TRY(sup_step_find_reversal(&s->start, &s->assembly, &s->contact, &s->solution, &inc, late,
                                 s->parts->rests, &found));
  if (found.error > try->reversal)
    try->reversal = found.error, try->turn = inc.t0 + found.at * inc.h;
  return SUP_OK;
}

/** Find the stick of the part from t0 that was just solved. */
static sup_status find_stick(sup_stepper *s, const attempt *try, double t0, double h,
                             sup_stick *stick) {
  sup_increment inc = try->inc;
  inc.t0 = t0, inc.t1 = t0 + h, inc.h = h;
  return sup_step_find_stick(&s->start, &s->assembly, &s->contact, &s->solution, &inc, stick);
}

/** Compare the friction of a first half that breaks away with friction at its start, where it holds
 * after slip has turned round. */
static sup_status note_breaking(sup_stepper *s, const sup_state *state, attempt *try,
                                sup_step_report *all) {
  sup_step_parts *c = s->parts;
  sup_stick      *taken = &c->stick[0], *brief = &c->stick[1];
  double          half = 0.5 * try->inc.h, error = 0,
         h = fmax(sup_control_numerics.brief * try->inc.h, s->layout->options.accuracy.min_step);
  if (!taken->breaks || try->reversal > 1) return SUP_OK;
  for (; h < half; h *= 4) {
    SUP_TRY(sup_state_copy(c->brief, state));
    SUP_TRY(sup_stepper_advance_part(s, try->inc.t0 + h, h, 0, c->brief, &c->second, all));
    SUP_TRY(find_stick(s, try, try->inc.t0, h, brief));
    if (brief->holds || !brief->slides) break;
  }
  if (!brief->holds || h >= half) return SUP_OK;
  SUP_TRY(sup_step_error_of_stick(&s->start, &s->assembly, brief, taken, half, &error));
  if (error > 1) try->shorter = fmax(1 / error, h / try->inc.h);
  return SUP_OK;
}

/** One step and two halves (THEORY 17.2). */
static sup_status attempt_halves(sup_stepper *s, const sup_state *state, attempt *try,
                                 sup_step_report *all) {
  sup_step_parts *c = s->parts;
  double          h = try->inc.h, middle = try->inc.t0 + 0.5 * h, e;
  SUP_TRY(sup_state_copy(c->whole, state));
  SUP_TRY(sup_state_copy(c->halves, state));
  SUP_TRY(sup_stepper_advance_part(s, try->inc.t1, h, 0, c->whole, &c->one, all));
  SUP_TRY(sup_stepper_advance_part(s, middle, 0.5 * h, 0, c->halves, &c->first, all));
  try->reversal = 0, try->shorter = 1;
  SUP_TRY(note_reversal(s, middle, 0, try));
  SUP_TRY(find_stick(s, try, try->inc.t0, 0.5 * h, &c->stick[0]));
  int holds = c->stick[0].holds;
  SUP_TRY(note_breaking(s, state, try, all));
  SUP_TRY(sup_stepper_advance_part(s, try->inc.t1, 0.5 * h, 0, c->halves, &c->second, all));
  SUP_TRY(note_reversal(s, try->inc.t1, 1, try));
  SUP_TRY(find_stick(s, try, middle, 0.5 * h, &c->stick[0]));
  try->weight = 1 / (pow(2, order_of(s, c)) - 1);
  SUP_TRY(sup_error_of_states(s->layout, c->halves, c->whole, s->start.arena, &e));
  try->error = try->weight * e / s->layout->options.accuracy.tolerance;
  if (holds && c->stick[0].breaks) try->error /= sup_control_numerics.breaking;
  try->is_second = 0;
  return SUP_OK;
}

/* ---- BDF2 ------------------------------------------------------------------------------------ */

/** Number of previous states that BDF2 and its estimate need: of the last steps without an opening
 * or closing contact of a soft body. */
enum { HISTORY = 2 };

/** True if the step can use BDF2.  Scenes with moving trees cannot select BDF2 (sup_options_check).
 */
static int may_go_second(const sup_stepper *s, const sup_state *state) {
  return s->layout->options.soft_bdf2 && state->control.num_second >= HISTORY;
}

/** Error of a BDF2 step, C/(C + Cp) (y - y_p), with the parabola y_p through the last three states
 * (THEORY 17.1). */
static sup_status estimate_by_milne(sup_stepper *s, const sup_state *before, const sup_state *after,
                                    double h, double *e) {
  size_t n = 3 * (size_t)s->layout->model->num_vertices;
  double a = before->past_step[0], b = before->past_step[1], r = h / a, *E[2];
  double C = (1 + r) * (1 + r) / (6 * r * (1 + 2 * r)) * h * h * h,
         Cp = h * (h + a) * (h + a + b) / 6, share = C / (C + Cp);
  double w0 = (h + a) * (h + a + b) / (a * (a + b)), w1 = -h * (h + a + b) / (a * b),
         w2 = h * (h + a) / (b * (a + b));
  for (int k = 0; k < 2; k++) {
    const double *y = k ? after->xdot : after->x, *y0 = k ? before->xdot : before->x,
                 *y1 = before->past + (size_t)k * n, *y2 = before->past + (size_t)(2 + k) * n;
    SUP_TRY(SUP_ARENA(s->start.arena, E[k], (int)n));
    for (size_t i = 0; i < n; i++) E[k][i] = share * (y[i] - w0 * y0[i] - w1 * y1[i] - w2 * y2[i]);
  }
  *e = sup_error_of_vertices(s->layout, E[0], E[1]);
  return SUP_OK;
}

/** One step of BDF2; *applies := 0 if a contact opens or closes, since the history then does not
 * hold. */
static sup_status attempt_second(sup_stepper *s, const sup_state *state, attempt *try, int *applies,
                                 sup_step_report *all) {
  sup_step_parts *c = s->parts;
  double          e;
  SUP_TRY(sup_state_copy(c->halves, state));
  SUP_TRY(sup_stepper_advance_part(s, try->inc.t1, try->inc.h, 2, c->halves, &c->second, all));
  try->reversal = 0, try->shorter = 1;
  *applies = !c->second.changes;
  if (!*applies) return SUP_OK;
  SUP_TRY(estimate_by_milne(s, state, c->halves, try->inc.h, &e));
  try->error = e / s->layout->options.accuracy.tolerance;
  try->is_second = 1;
  return SUP_OK;
}

/** Store in `after` the history that BDF2 needs of the step from `before`. */
static void keep_past(const sup_stepper *s, const sup_state *before, const attempt *try,
                      int changes, sup_state *after) {
  size_t                n = 3 * (size_t)s->layout->model->num_vertices;
  const sup_step_parts *c = s->parts;
  if (!s->layout->options.soft_bdf2) return;
  memcpy(after->past + 2 * n, before->past, 2 * n * sizeof *after->past);
  memcpy(after->past, before->x, n * sizeof *after->past);
  memcpy(after->past + n, before->xdot, n * sizeof *after->past);
  after->past_step[1] = before->past_step[0], after->past_step[0] = try->inc.h;
  after->control.num_second = changes ? 0 : before->control.num_second + 1;
  if (try->is_second) return;      /* other history is stored by the scheme */
  for (size_t i = 0; i < n; i++) { /* history of the extrapolated state */
    double halves = c->first.impulse[i] + c->second.impulse[i];
    after->impulse_before[i] = halves + try->weight * (halves - c->one.impulse[i]);
  }
  for (size_t i = 0; i < n; i++) after->mean[i] = (after->x[i] - before->x[i]) / try->inc.h;
  for (int i = 0; i < s->layout->model->num_softs; i++) {
    size_t first = 3 * (size_t)s->layout->model->soft[i].first_vertex;
    sup_fem_mass_multiply(s->layout->model->soft[i].fem, before->xdot + first,
                          after->momentum_before + first);
    after->has_history[i] = 1;
  }
  after->mean_step = try->inc.h;
}

/* ---- accepted steps -------------------------------------------------------------------------- */

/** y := y + weight (y - whole). */
static void extrapolate(const double *whole, double weight, int n, double *y) {
  for (int i = 0; i < n; i++) y[i] += weight * (y[i] - whole[i]);
}

static void extrapolate_trees(const sup_model *model, const sup_state *whole, double weight,
                              sup_state *y) {
  for (int t = 0; t < model->num_trees; t++)
    for (int l = 0; l < model->tree[t]->num_links; l++) {
      const sup_tree_link *link = &model->tree[t]->links[l];
      int                  q = model->q_start[t] + link->q_start, turn = sup_joint_quaternion(link);
      if (turn == SUP_NONE) {
        extrapolate(whole->q + q, weight, link->nv, y->q + q);
        continue;
      }
      double *o = y->q + q + turn;
      sup_joint_turn(o, sup_v3_scale(weight, sup_error_rotation(whole->q + q + turn, o)));
      extrapolate(whole->q + q, weight, turn, y->q + q);
    }
  extrapolate(whole->v, weight, y->num_v, y->v);
}

/** State after the two halves, extrapolated when the attempt is resolved, with result and history.
 */
static sup_status accept_halves(sup_stepper *s, const sup_state *before, attempt *try) {
  sup_step_parts *c = s->parts;
  sup_state      *y = s->end.next;
  if (try->error > 1 || c->first.has_barrier || c->second.has_barrier) try->weight = 0;
  SUP_TRY(sup_state_copy(y, c->halves));
  if (try->weight > 0) {
    extrapolate_trees(s->layout->model, c->whole, try->weight, y);
    extrapolate(c->whole->x, try->weight, 3 * y->num_vertices, y->x);
    extrapolate(c->whole->xdot, try->weight, 3 * y->num_vertices, y->xdot);
  }
  s->start.inc = &try->inc;
  sup_status status = sup_step_predict_kinematics(&s->start, &s->end);
  s->start.inc = NULL;
  if (status != SUP_OK) return status;
  for (int i = 0; i < s->layout->model->num_softs; i++)
    sup_soft_move_attached(&s->layout->model->soft[i], s->end.kin_next.X_WL, y->x);
  SUP_TRY(sup_step_set_flights(&s->start, &s->assembly, &s->contact, &s->solution, 1, c,
                               &s->end.result));
  sup_stepper_join_results(s, try->weight);
  s->end.result.X_WL = s->end.kin_next.X_WL;
  s->end.result.link_w = s->end.kin_next.w, s->end.result.link_v = s->end.kin_next.v;
  keep_past(s, before, try, c->one.changes || c->first.changes || c->second.changes, y);
  return SUP_OK;
}

/** Accept the attempt as the step. */
static sup_status accept(sup_stepper *s, sup_state *state, attempt *try, sup_step_report *all) {
  sup_step_parts *c = s->parts;
  sup_step_report work = *all;
  long            step = state->step + 1;
  *all = c->second.report;
  if (try->is_second) {
    SUP_TRY(sup_state_copy(s->end.next, c->halves));
    keep_past(s, state, try, 0, s->end.next);
    SUP_TRY(sup_step_set_flights(&s->start, &s->assembly, &s->contact, &s->solution, 0, c,
                                 &s->end.result));
  } else {
    SUP_TRY(accept_halves(s, state, try));
    sup_step_parts_join_reports(c, try->weight, all);
  }
  SUP_TRY(sup_state_copy(state, s->end.next));
  state->step = step, state->time = try->inc.t1;
  s->end.result.increment = try->inc;
  s->end.result.step = step, s->end.result.time = state->time;
  sup_step_work_set(&work, all);
  all->step_size = try->inc.h;
  all->step_error = try->error * s->layout->options.accuracy.tolerance;
  all->rejected = work.rejected;
  all->unresolved = try->error > 1;
  return SUP_OK;
}

/* ---- the controller (THEORY 17.3) ------------------------------------------------------------ */

static double clip(double x, double least, double most) { return fmin(fmax(x, least), most); }

/** Factor of the step length after an accepted step. */
static double next_factor(const attempt *try, double last) {
  double k = try->is_second ? 3 : 2;
  if (last == 0) last = 1;
  double f = clip(sup_control_numerics.safety * pow(try->error, -0.7 / k) * pow(last, 0.4 / k), 0.2,
                  try->is_second ? 1.5 : 2);
  /* changing the step length costs BDF2 accuracy and requires new factors */
  return try->is_second && f > 1 && f < 1.2 ? 1 : f;
}

static double retry_factor(const attempt *try) {
  double k = try->is_second ? 3 : 2;
  if (!isfinite(try->error)) return 0.1;
  return fmax(0.1, sup_control_numerics.safety * pow(try->error, -1 / k));
}

/** Set the length of the next step; `wanted`: length of this step before the stop shortened it. */
static void plan_next(const sup_accuracy *o, const attempt *try, double wanted, int rejected,
                      double last_error, sup_step_control *next) {
  double factor = next_factor(try, last_error), h = try->inc.h;
  if (rejected) factor = fmin(factor, 1);
  if (!rejected && h < wanted)
    factor =
        fmax(factor, fmin(wanted / h, sup_control_numerics.safety *
                                          pow(try->error, try->is_second ? -1. / 3 : -1. / 2)));
  next->step = clip(factor * h, o->min_step, o->max_step);
  next->error = fmax(try->error, sup_control_numerics.memory);
}

/** Earlier time of `next` and the next corner of a table, or of the ramp that replaces the table.
 */
static double corner(double next, const sup_inputs *in, sup_driven what, int i,
                     const sup_table *own, double t, double jump) {
  const sup_table table = sup_inputs_table(in, what, i, own);
  return fmin(next, sup_table_next_corner(&table, t, jump));
}

/** Next time at which the velocity of a prescribed motion jumps; no step length resolves a jump
 * inside a step. */
static double next_corner(const sup_stepper *s, const sup_inputs *in, double t) {
  const sup_model    *model = s->layout->model;
  const sup_accuracy *o = &s->layout->options.accuracy;
  double              jump = 0.5 * o->tolerance * fmin(o->length, 1) / o->time, next = HUGE_VAL;
  for (int i = 0; i < model->num_trees; i++)
    next = corner(next, in, SUP_DRIVEN_BASE, i, &model->tree[i]->motion, t, jump);
  for (int i = 0; i < model->num_actuators; i++)
    next = corner(next, in, SUP_DRIVEN_TARGET, i, &model->actuator[i].target, t, jump);
  for (int i = 0; i < model->num_softs; i++)
    for (int k = 0; k < model->soft[i].num_dirichlet; k++)
      next = corner(next, in, SUP_DRIVEN_HOLD, model->soft[i].first_dirichlet + k,
                    &model->soft[i].dirichlet[k].motion, t, jump);
  return next;
}

/** Set start, end and length (at most h) of the increment; the length avoids a very short last step
 * before the stop. */
static void set_end(sup_increment *inc, double t0, double h, double stop) {
  double left = stop - t0;
  inc->t0 = t0;
  if (h >= left)
    inc->h = left, inc->t1 = stop;
  else
    inc->h = fmin(h, 0.5 * left), inc->t1 = t0 + inc->h;
}

/** True if the step must be shortened to end at a reversal of slip. */
static int cuts(const sup_accuracy *o, const attempt *try) {
  double to = fmax(try->turn - try->inc.t0, o->min_step);
  return try->reversal > 1 && to < sup_control_numerics.shorter * try->inc.h;
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
  const sup_accuracy *o = &s->layout->options.accuracy;
  sup_step_control    before = state->control;
  sup_step_report     all = {.error_body = SUP_NONE};
  attempt             try = {.inc = sup_increment_of_state(&s->layout->options, state)};
  double              wanted = before.step > 0 ? before.step : s->layout->options.dt,
         h = clip(wanted, o->min_step, o->max_step);
  *report = all;
  if (!(stop > state->time))
    return SUP_FAIL(SUP_E_ARG, "a step from %g s cannot end at %g s", state->time, stop);
  stop = fmin(stop, next_corner(s, try.inc.inputs, state->time));
  int rejected = 0;
  for (;; all.rejected++) {
    set_end(&try.inc, state->time, h, stop);
    int        is_least = try.inc.h <= o->min_step;
    sup_status status = attempt_step(s, state, &try, &all);
    if (status != SUP_OK && (status != SUP_E_NOT_CONVERGED || is_least)) {
      *report = all;
      return status;
    }
    if (status == SUP_OK && cuts(o, &try)) {
      stop = fmax(try.turn, state->time + o->min_step);
      continue;
    }
    if (status == SUP_OK && try.shorter < sup_control_numerics.shorter && !is_least) {
      wanted = h = fmax(try.shorter * try.inc.h, o->min_step);
      continue;
    }
    if (status == SUP_OK && (try.error <= 1 || is_least) && isfinite(try.error)) break;
    if (is_least)
      return SUP_FAIL(SUP_E_NONFINITE, "step %ld at %g s: positions or velocities are not finite",
                      state->step + 1, state->time);
    rejected++;
    h = fmax(try.inc.h * (status == SUP_OK ? retry_factor(&try) : 0.25), o->min_step);
  }
  SUP_TRY(accept(s, state, &try, &all));
  plan_next(o, &try, wanted, rejected, before.error, &state->control);
  *report = all;
  return SUP_OK;
}
