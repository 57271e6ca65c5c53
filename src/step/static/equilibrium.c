/* Equilibrium at the end of a load step: linearise about the last iterate, find contacts there,
 * solve the convex problem, and take a step towards its solution that reduces the cost (THEORY 18).
 */
#include "step/static/equilibrium.h"

#include <math.h>
#include <string.h>

#include "solve/accept.h"
#include "step/static/numerics.h"
#include "step/static/proximal_weight.h"

typedef struct sup_static_iteration iteration;

static sup_status prepare(iteration *it) {
  sup_stepper *s = it->s;
  int          n = s->layout->A_pattern.num_scalars;
  SUP_TRY(sup_arena_reset(s->start.arena));
  SUP_TRY(sup_assembly_begin(&s->start, &s->assembly));
  SUP_TRY(SUP_ARENA(s->start.arena, s->solution.v, n));
  SUP_TRY(SUP_ARENA(s->start.arena, it->r, n));
  SUP_TRY(SUP_ARENA(s->start.arena, it->push, s->layout->A_pattern.num_blocks));
  SUP_TRY(SUP_ARENA(s->start.arena, it->way, s->layout->A_pattern.num_blocks));
  SUP_TRY(SUP_ARENA(s->start.arena, it->before, n));
  SUP_TRY(sup_statics_allocate_trees(s, it->state));
  SUP_TRY(sup_kinematics_compute(&it->start, s->model, s->start.inc, it->state->q, it->state->v,
                                 s->start.arena));
  s->start.kin = it->start;
  SUP_TRY(sup_statics_start_softs(s, it->state));
  memset(s->solution.v, 0, (size_t)n * sizeof *s->solution.v);
  sup_assembly_dirichlet_velocity(&s->assembly, s->solution.v);
  it->cost = (sup_true_cost){.start = &s->start,
                             .problem = &it->problem,
                             .assembly = &s->assembly,
                             .solution = &s->solution,
                             .excess = sup_statics_tree_excess,
                             .user = s};
  SUP_TRY(sup_true_cost_allocate(&it->cost));
  if (it->state->num_v > 0) return SUP_OK; /* bodies carried by trees do not move along lines */
  SUP_TRY(SUP_ARENA(s->start.arena, it->cost.trial_energy, s->model->num_softs));
  for (int i = 0; i < s->model->num_softs; i++) it->cost.trial_energy[i] = (double)NAN;
  memset(it->cost.trial, 0, (size_t)n * sizeof *it->cost.trial);
  return SUP_OK;
}

/* ---- the iteration --------------------------------------------------------------------------- */

/** The state at the velocities s->solution.v, from the start of the load step. */
sup_status sup_statics_move(iteration *it) {
  it->s->start.kin = it->start;
  return sup_statics_integrate(it->s);
}

static int count_inverted(const sup_stepper *s) {
  int count = 0;
  for (int i = 0; i < s->model->num_softs; i++) count += s->assembly.soft[i].inverted_now;
  return count;
}

/** Linearise at an extrapolation of the last load steps; *is_good := 0: too far from a balance. */
static sup_status predict(iteration *it, int *is_good, sup_equilibrium *out) {
  sup_stepper *s = it->s;
  sup_assembly_begin_softs(&s->start, &s->assembly);
  sup_line_search_set_base(&it->cost, s->solution.v);
  SUP_TRY(sup_statics_remember_start(it));
  int before = count_inverted(s);
  s->statics->phase = SUP_STATIC_GLOBAL;
  SUP_TRY(sup_statics_move(it));
  SUP_TRY(sup_statics_linearise(it, 0, out));
  *is_good = out->error < sup_static_numerics.predicted && count_inverted(s) <= before;
  return SUP_OK;
}

/** First linearisation: at the prediction, if it is good, else at the start. */
static sup_status begin(iteration *it, int is_cut, sup_equilibrium *out) {
  sup_stepper *s = it->s;
  int          is_good = 0;
  out->error = HUGE_VAL;
  if (!is_cut && sup_statics_predict(s, it->state, s->solution.v))
    SUP_TRY(predict(it, &is_good, out));
  if (is_good) return SUP_OK;
  memset(s->solution.v, 0, (size_t)s->layout->A_pattern.num_scalars * sizeof *s->solution.v);
  sup_assembly_dirichlet_velocity(&s->assembly, s->solution.v);
  s->statics->phase = SUP_STATIC_START;
  SUP_TRY(sup_statics_move(it)); /* with the motion of bases */
  SUP_TRY(sup_statics_linearise(it, 0, out));
  return it->force0 ? SUP_OK : sup_statics_remember_start(it);
}

/** True if the worst body moves far without constraints on it. */
static int is_falling(const iteration *it, const sup_equilibrium *out) {
  return it->overshoot > 1 && out->worst_block != SUP_NONE &&
         !sup_statics_is_touched(it, out->worst_block);
}

/** Test the iterate k: not finite, a balance, or without progress; out->end.  *is_left := 1: a
 * saddle, from which a step was taken. */
static sup_status test(iteration *it, int k, int *is_left, sup_equilibrium *out) {
  *is_left = 0;
  if (!isfinite(out->error)) {
    out->end = SUP_STATIC_NOT_FINITE;
  } else if (k > 0 && sup_accept(out->error, HUGE_VAL, it->options->tolerance) > 0) {
    SUP_TRY(sup_statics_judge(it, k, is_left, out));
    if (!*is_left) out->end = SUP_STATIC_BALANCE;
  } else {
    it->progress = sup_static_progress_next(it->progress, k, out->error, is_falling(it, out));
    if (sup_static_progress_is_over(it->progress, k)) out->end = SUP_STATIC_STALLED;
  }
  return SUP_OK;
}

/** Newton's method with a trust radius and proximal weights (THEORY 18.2). */
static sup_status iterate(iteration *it, int is_cut, sup_equilibrium *out) {
  const sup_static_options *o = it->options;
  sup_stepper              *s = it->s;
  for (int k = 0;; k++) {
    int is_left = 0;
    if (o->should_stop && o->should_stop(o->user)) {
      out->end = SUP_STATIC_INTERRUPTED;
      return SUP_OK;
    }
    s->start.arena = s->statics->turn[k % 2];
    SUP_TRY(sup_arena_reset(s->start.arena));
    SUP_TRY(k == 0 ? begin(it, is_cut, out) : sup_statics_relinearise(it, out));
    out->report.linearisations = k + it->undone;
    SUP_TRY(test(it, k, &is_left, out));
    if (out->end == SUP_STATIC_GOES_ON && !is_left) SUP_TRY(sup_statics_newton_step(it, k, out));
    if (out->end != SUP_STATIC_GOES_ON) return SUP_OK;
    SUP_TRY(sup_statics_move(it));
  }
}

/** Results of a load step that found its balance; soft bodies relax, bodies are at rest. */
static sup_status finish(const iteration *it, sup_equilibrium *out) {
  sup_stepper *s = it->s;
  size_t       size = (size_t)s->model->num_bodies * sizeof *s->end.kin_next.w;
  sup_statics_account(it, &out->report);
  out->report.momentum_error = out->error;
  out->report.arena_peak = sup_arena_peak(s->start.arena);
  sup_assembly_report_inverted(&s->assembly);
  for (int i = 0; i < s->model->num_softs; i++)
    sup_assembly_vertex_velocity(&s->assembly, i, s->solution.v, s->end.soft[i].u);
  for (int i = 0; i < s->model->num_softs; i++)
    sup_assembly_relax(&s->start, &s->assembly, i, s->end.next);
  s->solution.contact_energy = sup_contact_energy(&s->contact.rows, 0, NULL, 0, &s->contact.list);
  memset(s->end.kin_next.w, 0, size);
  memset(s->end.kin_next.v, 0, size);
  return sup_step_fill_result(&s->start, &s->assembly, s->end.next, &s->solution, &s->contact,
                              &s->end);
}

/** Place and kind of the failure. */
static sup_status fail(const iteration *it, sup_equilibrium *out) {
  if (it->overshoot > 1) out->end = is_falling(it, out) ? SUP_STATIC_FALLS : SUP_STATIC_SLIDES;
  SUP_TRY(sup_equilibrium_describe(it->s, it->r, out));
  return sup_step_store_residual(&it->s->start, it->r, &it->s->solution);
}

sup_status sup_equilibrium_find(sup_stepper *s, const sup_state *state, int is_held, int is_cut,
                                const sup_static_options *o, sup_equilibrium *out) {
  sup_statics *statics = s->statics;
  iteration    it = {
         .s = s, .state = state, .options = o, .arena = s->start.arena, .is_held = is_held};
  it.trust = sup_trust_radius_of(s->model), statics->length = it.trust.size;
  it.seen = *s->start.inc, it.seen.gravity = (sup_v3){0, 0, 0};
  it.length = sup_step_length_full(), it.progress = sup_static_progress_from(0);
  *out = (sup_equilibrium){.worst_block = SUP_NONE,
                           .report = {.reason = SUP_REASON_TOLERANCE,
                                      .sweeps = 1,
                                      .error_body = SUP_NONE,
                                      .ambiguous_pair = SUP_NONE}};
  statics->soft_weight = sup_proximal_first(is_held),
  statics->tree_weight = sup_static_numerics.tree_weight;
  SUP_TRY(prepare(&it));
  for (int t = 0; t < s->model->num_trees && s->model->num_pairs > 0; t++)
    statics->tree[t].pull =
        it.trust.size / it.trust.radius; /* its forces alone move it by the radius */
  sup_status status = iterate(&it, is_cut, out);
  s->start.arena = it.arena;
  SUP_TRY(status);
  s->solution.residual = NULL, s->solution.Av = NULL;
  if (out->end == SUP_STATIC_INTERRUPTED) return SUP_OK;
  return out->end == SUP_STATIC_BALANCE ? finish(&it, out) : fail(&it, out);
}
