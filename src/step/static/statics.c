/* Load steps towards the equilibrium under all loads: as many as asked for, cut in half where one
 * does not converge. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "step/static/rigid_modes.h"
#include "step/static/static_equilibrium.h"

enum { TEXT_SIZE = 256, MAX_CUTS = 10 };

sup_static_options sup_default_static_options(void) {
  return (sup_static_options){
      .marker = SUP_INITIALISED, .end = 1, .steps = 1, .tolerance = 1e-8, .ramp = 1};
}

static int may_touch(const sup_model *model, int body) {
  for (int p = 0; p < model->num_pairs; p++)
    if (model->pair[p].a == body || model->pair[p].b == body) return 1;
  return 0;
}

/** Refuse rigid motions that nothing prevents; those that contact may prevent are left to the
 * iteration. */
static sup_status check_held(const sup_model *model, const sup_state *state, int *is_held) {
  char mode[TEXT_SIZE];
  *is_held = model->v_start[model->num_trees] == 0;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    if (!sup_rigid_mode(model, i, state->x + 3 * soft->first_vertex, mode, sizeof mode)) continue;
    *is_held = 0;
    if (may_touch(model, soft->body) || soft->num_attach_trees > 0)
      continue; /* what holds a link that can move holds the body */
    return SUP_FAIL(
        SUP_E_ARG,
        "soft body '%s' is free to move as a rigid body: %s meets no resistance; clamp or attach "
        "three vertices that do not lie on a line, or give it something to touch",
        soft->name, mode);
  }
  return SUP_OK;
}

/** Share of gravity and constant loads, which grow towards the end; tables are followed. */
static double ramp_at(const sup_static_options *o, double time) {
  return o->ramp && o->end > 0 ? fmin(1, time / o->end) : 1;
}

/** Increment of a load step to state->time + h: implicit Euler without inertia and dissipation,
 * Coulomb's law, and the full stiffness of surfaces, since nothing vibrates. */
static sup_increment increment_of(const sup_options *run, const sup_state *state,
                                  const sup_static_options *o, double h) {
  sup_increment inc = sup_increment_of_state(run, state);
  inc.h = inc.reference = h, inc.t1 = state->time + h;
  inc.motion = 0, inc.is_large = 1;
  inc.load = ramp_at(o, inc.t1);
  inc.gravity = sup_v3_scale(inc.load, inc.gravity);
  inc.scheme = sup_scheme_implicit_euler(), inc.soft_bdf2 = 0;
  inc.rest = o->moduli == SUP_MODULI_LONG_TERM ? HUGE_VAL : 0;
  inc.beta = 0, inc.patch_thirds = 1;
  /* slip over which friction builds up is a length, that of a step in motion; what sticks may creep
   * by it in a load step: each gets its share, so that all of them together creep no farther */
  double slip = run->static_slip > 0 ? run->static_slip : run->stiction_tolerance * run->dt;
  inc.stiction_tolerance = slip / o->end;
  return inc;
}

static sup_status try_step(sup_stepper *s, const sup_state *state, int is_held, int is_cut,
                           const sup_static_options *o, double h, sup_equilibrium *out) {
  const sup_increment inc = increment_of(&s->layout->options, state, o, h);
  s->start = (sup_step_start){
      .model = s->model, .layout = s->layout, .inc = &inc, .state = state, .arena = s->arena};
  sup_status status = sup_equilibrium_find(s, state, is_held, is_cut, o, out);
  s->start.inc = NULL, s->start.state = NULL;
  return status;
}

static int moves_far(const sup_equilibrium *e) {
  return e->end == SUP_STATIC_FALLS || e->end == SUP_STATIC_SLIDES;
}

/** True if a shorter load step is hopeless: a body moves without end at both loads, or the error at
 * a small part of the load is as large as at first. */
static int is_hopeless(const sup_equilibrium *first, const sup_equilibrium *last, int cuts) {
  enum { FAR_CUTS = 2, CUTS = 5 };
  static const double coarse = 0.01;
  if (cuts >= FAR_CUTS && first->end == SUP_STATIC_FALLS && last->end == SUP_STATIC_FALLS) return 1;
  return cuts >= CUTS && last->error > coarse && last->error > 0.5 * first->error;
}

static void report_of(const sup_stepper *s, const sup_equilibrium *found, int cuts,
                      sup_step_report *report) {
  *report = (sup_step_report){.reason = SUP_REASON_TOLERANCE,
                              .iterations = found->newton,
                              .linear = found->linear,
                              .linearisations = found->iterations,
                              .sweeps = 1,
                              .momentum_error = found->error,
                              .error_body = SUP_NONE,
                              .ambiguous_pair = SUP_NONE,
                              .load_cuts = cuts,
                              .held_back = found->held_back,
                              .snap_energy = found->released,
                              .soft_work = found->work,
                              .arena_peak = sup_arena_peak(s->start.arena)};
  report->saddles = found->saddles, report->saddle_directions = found->directions,
  report->is_saddle = found->is_saddle;
  snprintf(report->saddle_place, sizeof report->saddle_place, "%.199s", found->saddle);
  memcpy(report->seconds, found->seconds, sizeof report->seconds);
  sup_step_measure(&s->assembly, &s->contact, report);
}

static sup_status step_with_cuts(sup_stepper *s, sup_state *state, const sup_static_options *o,
                                 sup_step_report *report) {
  sup_equilibrium found, first = {0};
  double          full = o->end / (o->steps > 1 ? o->steps : 1), h = state->load_step;
  double          next = full * (floor(state->time / full + 1e-6) + 1),
         left = fmin(next, o->end) - state->time;
  int is_held;
  SUP_TRY(check_held(s->model, state, &is_held));
  if (!(h > 0)) h = full;
  for (int cuts = 0;; cuts++) { /* shortened steps end where whole ones would have ended */
    double wanted = h;
    if (h > left * (1 - 1e-6)) h = left;
    SUP_TRY(try_step(s, state, is_held, cuts > 0, o, h, &found));
    if (found.end == SUP_STATIC_INTERRUPTED) {
      *report = (sup_step_report){
          .reason = SUP_REASON_STOPPED, .linearisations = found.iterations, .load_cuts = cuts};
      return SUP_OK;
    }
    if (found.end == SUP_STATIC_BALANCE) {
      if (o->steps > 2) /* others have no use for it */
        SUP_TRY(sup_statics_keep_path(s->end.next, state, found.saddles == 0));
      s->end.next->load_step = fmin(full, found.iterations <= 10 ? fmax(wanted, 1.5 * h) : wanted);
      report_of(s, &found, cuts, report);
      return SUP_OK;
    }
    if (cuts == 0) first = found;
    if (h < 1.5 * full / (1 << MAX_CUTS) || is_hopeless(&first, &found, cuts))
      return sup_equilibrium_not_found(s, state, o, h, moves_far(&first) ? &first : &found);
    h *= 0.5;
  }
}

/** Refuse barriers of soft surfaces: their number of points depends on the gap, and a load step has
 * no balance on both sides of a change of that number. */
static sup_status check_gaps(const sup_model *model) {
  for (int p = 0; p < model->num_pairs; p++) {
    const sup_pair *pair = &model->pair[p];
    if (!sup_pair_keeps_gap(pair)) continue;
    return SUP_FAIL(SUP_E_ARG,
                    "static equilibria do not take the normal law %s of '%s' and '%s': give them "
                    "hunt_crossley, or let the scene come to rest in steps of motion",
                    sup_normal_name(pair->normal_law), model->body[pair->a].name,
                    model->body[pair->b].name);
  }
  return SUP_OK;
}

sup_status sup_static_step(sup_stepper *s, sup_state *state, const sup_static_options *o,
                           sup_step_report *report) {
  if (o->marker != SUP_INITIALISED)
    return SUP_FAIL(SUP_E_ARG, "the options were not begun with sup_default_static_options");
  if (!(o->end > 0) || o->steps < 1 || !(o->tolerance > 0))
    return SUP_FAIL(SUP_E_ARG,
                    "statics to %g s in %d load steps with tolerance %g: all must be positive",
                    o->end, o->steps, o->tolerance);
  if (s->layout->options.contact_solver != SUP_CONTACT_SOLVER_NEWTON)
    return SUP_FAIL(SUP_E_ARG,
                    "static equilibria are found by the contact solver newton, which minimises "
                    "their energy; %s solves steps of motion only: leave contact.solver out",
                    sup_contact_solver_table(s->layout->options.contact_solver)->name);
  SUP_TRY(check_gaps(s->model));
  if (!s->statics) SUP_TRY(sup_statics_create(&s->statics));
  if (state->num_v) memset(state->v, 0, (size_t)state->num_v * sizeof *state->v);
  if (state->num_vertices)
    memset(state->xdot, 0, 3 * (size_t)state->num_vertices * sizeof *state->xdot);
  SUP_TRY(step_with_cuts(s, state, o, report));
  if (report->reason == SUP_REASON_STOPPED) return SUP_OK;
  SUP_TRY(sup_statics_keep_result(s->statics, s->model, &s->end.result));
  SUP_TRY(sup_state_copy(state, s->end.next));
  if (state->time > o->end * (1 - 1e-9)) state->time = o->end;
  state->num_anchors = 0; /* where friction is at rest is no stretch of a stick */
  if (state->num_v) memset(state->v, 0, (size_t)state->num_v * sizeof *state->v);
  if (state->num_vertices)
    memset(state->xdot, 0, 3 * (size_t)state->num_vertices * sizeof *state->xdot);
  return SUP_OK;
}

sup_status sup_static(sup_stepper *s, sup_state *state, const sup_static_options *options) {
  sup_step_report report = {.reason = SUP_REASON_TOLERANCE};
  while (state->time < options->end && report.reason > 0)
    SUP_TRY(sup_static_step(s, state, options, &report));
  return SUP_OK;
}
