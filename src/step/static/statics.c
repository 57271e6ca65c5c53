/* Load steps towards the equilibrium under all loads: the requested number, halved where one does
 * not converge; workspace of load steps. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/cable.h"
#include "model/constraint.h"
#include "model/event.h"
#include "step/static/critical_load.h"
#include "step/static/equilibrium.h"
#include "step/static/load_cuts.h"
#include "step/static/rigid_modes.h"
#include "step/static/static_equations.h"
#include "step/static/static_softs.h"
#include "step/stepper.h"

enum { TEXT_SIZE = 256 };

sup_static_options sup_default_static_options(void) {
  return (sup_static_options)SUP_DEFAULT_STATIC_OPTIONS;
}

static int may_touch(const sup_model *model, int body) {
  for (int p = 0; p < model->num_pairs; p++)
    if (model->pair[p].a == body || model->pair[p].b == body) return 1;
  return 0;
}

static bool has_spring(const sup_model *model, int body) {
  for (int i = 0; i < model->num_springs; i++)
    if (model->spring[i].end[0].body == body || model->spring[i].end[1].body == body) return true;
  for (int i = 0; i < model->num_constraints; i++)
    if (sup_constraint_is_on(&model->constraint[i], body)) return true;
  return sup_model_cable_on(model, body) != NULL;
}

/* Links alone have no stiffness to go by. */
sup_status sup_statics_check_constraints(const sup_model *model) {
  for (int i = 0; i < model->num_constraints; i++) {
    const sup_body_constraint *c = &model->constraint[i];
    bool is_soft = c->a.num_vertices > 0 || (c->num_points > 0 && c->point[0].num_vertices > 0);
    if (c->line == SUP_NONE && (c->kind == SUP_CONSTRAINT_ROD || c->kind == SUP_CONSTRAINT_ROPE))
      return SUP_FAIL(SUP_E_ARG,
                      "static equilibria and modes couple all vertices that the %s '%s' is on, too "
                      "many in its region: take a point [x, y, z] of the body",
                      sup_constraint_name(c->kind), c->name);
    if (is_soft || c->line != SUP_NONE) continue;
    return SUP_FAIL(
        SUP_E_ARG,
        "static equilibria and modes take rods, ropes and constraints of soft bodies; the %s '%s' "
        "joins rigid ones: run the scene in time, with damping",
        sup_constraint_name(c->kind), c->name);
  }
  return SUP_OK;
}

/** True if something else may hold a body of the tied group; supports of a movable link do, too. */
static bool may_be_supported(const sup_model *model, int group) {
  bool may = false;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    may = may ||
          (soft->group == group && (may_touch(model, soft->body) || soft->num_attach_trees > 0 ||
                                    has_spring(model, soft->body)));
  }
  return may;
}

/** Refuse rigid motions that no support prevents; the iteration decides about motions that contact
 * may prevent. */
static sup_status check_held(const sup_model *model, const sup_state *state, int *is_held) {
  char mode[TEXT_SIZE];
  *is_held = model->v_start[model->num_trees] == 0;
  for (int i = 0; i < model->num_softs; i++) {
    const sup_soft *soft = &model->soft[i];
    if (!sup_rigid_mode(model, i, state->x, mode, sizeof mode)) continue;
    *is_held = 0;
    if (may_be_supported(model, soft->group)) continue;
    return SUP_FAIL(
        SUP_E_ARG,
        "soft body '%s' is free to move as a rigid body: %s meets no resistance; clamp or attach "
        "three vertices that do not lie on a line, or give it something to touch",
        soft->name, mode);
  }
  return SUP_OK;
}

/** Share of gravity and constant loads, which grow over the ramp; tables are followed. */
static double ramp_at(const sup_static_options *o, double time) {
  double end = o->ramp_end > 0 ? o->ramp_end : o->end;
  return o->ramp && end > 0 ? fmin(1, time / end) : 1;
}

sup_increment sup_static_increment(const sup_options *run, const sup_state *state,
                                   const sup_static_options *o, double h) {
  sup_increment inc = sup_increment_of_state(run, state);
  inc.h = inc.reference = h, inc.t1 = state->time + h;
  inc.motion = 0, inc.is_large = 1;
  inc.load = ramp_at(o, inc.t1);
  inc.gravity = sup_v3_scale(inc.load, inc.gravity);
  inc.scheme = sup_scheme_implicit_euler(), inc.soft_bdf2 = 0;
  inc.rest = o->moduli == SUP_MODULI_LONG_TERM ? HUGE_VAL : 0;
  inc.beta = 0, inc.patch_thirds = 1;
  /* friction builds up over a slip length, that of a step of motion; a sticking contact may creep
   * by this length in a load step, so each load step gets a share of it */
  double slip = run->static_slip > 0 ? run->static_slip : run->stiction_tolerance * run->dt;
  inc.stiction_tolerance = slip / o->end;
  return inc;
}

/** Equilibrium of a load step of duration h, into the state, contacts and result of the stepper. */
static sup_status try_step(sup_stepper *s, const sup_state *state, int is_held, int is_cut,
                           const sup_static_options *o, double h, sup_equilibrium *out) {
  const sup_increment  inc = sup_static_increment(&s->layout->options, state, o, h);
  sup_static_iteration it = {.assembly = &s->assembly,
                             .contacts = &s->contact,
                             .solution = &s->solution,
                             .end = &s->end,
                             .reduction = s->reduction,
                             .options = o,
                             .memory = s->statics,
                             .is_held = is_held,
                             .start = {.model = s->layout->model,
                                       .layout = s->layout,
                                       .inc = &inc,
                                       .state = state,
                                       .arena = s->arena}};
  sup_status           status = sup_equilibrium_find(&it, is_cut);
  *out = it.out;
  return status;
}

static int is_hopeless(const sup_equilibrium *first, const sup_equilibrium *last, int cuts) {
  int both_fall = first->end == SUP_STATIC_FALLS && last->end == SUP_STATIC_FALLS;
  return sup_load_cuts_is_hopeless(cuts, both_fall, first->error, last->error);
}

/** Fail with the reason that no equilibrium was found between state->time and h later. */
static sup_status not_found(const sup_state *state, double end, double h,
                            const sup_equilibrium *first, const sup_equilibrium *last) {
  int moves_far = first->end == SUP_STATIC_FALLS || first->end == SUP_STATIC_SLIDES;
  const sup_equilibrium *out = moves_far ? first : last;
  return SUP_FAIL(SUP_E_NOT_CONVERGED,
                  "no equilibrium between load %.4g and %.4g of 1 was found (load step cut to %.3g "
                  "s): after %d iterations %s",
                  state->time / end, (state->time + h) / end, h, out->report.linearisations,
                  out->text);
}

static sup_status step_with_cuts(sup_stepper *s, sup_state *state, const sup_static_options *o,
                                 sup_step_report *report) {
  sup_equilibrium found, first = {0};
  double          full = o->end / o->steps, h = state->load_step > 0 ? state->load_step : full;
  double          next = full * (floor(state->time / full + 1e-6) + 1),
         left = fmin(next, o->end) - state->time;
  int is_held;
  SUP_TRY(check_held(s->layout->model, state, &is_held));
  for (int cuts = 0;; cuts++) { /* shortened steps end where whole ones would have ended */
    double wanted = h;
    if (h > left * (1 - 1e-6)) h = left;
    SUP_TRY(try_step(s, state, is_held, cuts > 0, o, h, &found));
    if (found.end == SUP_STATIC_INTERRUPTED) {
      *report = (sup_step_report){.reason = SUP_REASON_STOPPED,
                                  .linearisations = found.report.linearisations,
                                  .load_cuts = cuts};
      return SUP_OK;
    }
    if (found.end == SUP_STATIC_BALANCE) {
      if (o->steps > 2) /* only Newton uses this option */
        SUP_TRY(sup_static_softs_update_path(s->end.next, state, found.report.saddles == 0));
      s->end.next->load_step = sup_load_cuts_next(full, wanted, h, found.report.linearisations);
      *report = found.report, report->load_cuts = cuts;
      sup_step_measure(&s->assembly, &s->contact, report);
      return SUP_OK;
    }
    if (cuts == 0) first = found;
    if (sup_load_cuts_is_last(full, h) || is_hopeless(&first, &found, cuts)) {
      SUP_TRY(sup_arena_reset(s->statics->inner));
      if (is_held)
        SUP_TRY(sup_critical_load_explain(s->layout, &s->assembly, o, state, h, s->statics->inner,
                                          found.text));
      return not_found(state, o->end, h, &first, &found);
    }
    h *= 0.5;
  }
}

/** Refuse barriers of soft surfaces: their number of points depends on the gap, and a load step has
 * no balance on both sides of a change of that number. */
static sup_status check_gaps(const sup_model *model) {
  for (int p = 0; p < model->num_pairs; p++) {
    const sup_pair *pair = &model->pair[p];
    if (!sup_pair_has_barrier(pair)) continue;
    return SUP_FAIL(SUP_E_ARG,
                    "static equilibria do not take the normal law %s of '%s' and '%s': give them "
                    "hunt_crossley, or let the scene come to rest in steps of motion",
                    sup_normal_name(pair->normal_law), model->body[pair->a].name,
                    model->body[pair->b].name);
  }
  return SUP_OK;
}

/** Velocities := 0. */
static void stop(sup_state *state) {
  if (state->num_v) memset(state->v, 0, (size_t)state->num_v * sizeof *state->v);
  if (state->num_vertices)
    memset(state->xdot, 0, 3 * (size_t)state->num_vertices * sizeof *state->xdot);
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
  SUP_TRY(check_gaps(s->layout->model));
  SUP_TRY(sup_model_refuse_events(s->layout->model, "static equilibria"));
  SUP_TRY(sup_statics_check_constraints(s->layout->model));
  for (int a = 0; a < s->layout->model->num_actuators; a++)
    if (s->layout->model->actuator[a].feedforward)
      return SUP_FAIL(SUP_E_ARG,
                      "static equilibria go by the energy of drives, which the feedforward of "
                      "actuator '%s' does not have: set it to none there",
                      s->layout->model->actuator[a].name);
  for (int c = 0; c < s->layout->model->num_chambers; c++)
    if (s->layout->model->chamber[c].flows)
      return SUP_FAIL(
          SUP_E_ARG,
          "static equilibria have no time in which gas flows into chamber '%s'; give its "
          "pressure or leave out the inlet",
          s->layout->model->chamber[c].name);
  if (!s->statics) SUP_TRY(sup_statics_create(&s->statics));
  stop(state);
  if (state->time == 0) sup_state_set_loads(state, s->layout->model, 0);
  SUP_TRY(step_with_cuts(s, state, o, report));
  if (report->reason == SUP_REASON_STOPPED) return SUP_OK;
  SUP_TRY(sup_state_copy(state, s->end.next));
  if (state->time > o->end * (1 - 1e-9)) state->time = o->end;
  state->num_anchors =
      0; /* the reference point of resting friction is no stretch of an elastic stick */
  stop(state);
  return SUP_OK;
}

sup_status sup_static(sup_stepper *s, sup_state *state, const sup_static_options *options) {
  sup_step_report report = {.reason = SUP_REASON_TOLERANCE};
  while (state->time < options->end && report.reason > 0)
    SUP_TRY(sup_static_step(s, state, options, &report));
  return SUP_OK;
}

/* ---- workspace ------------------------------------------------------------------------------- */

sup_status sup_statics_create(sup_statics **out) {
  SUP_OWN(sup_statics) *statics = NULL;
  *out = NULL;
  SUP_TRY(SUP_CALLOC(statics, 1));
  for (int k = 0; k < 2; k++) SUP_TRY(sup_arena_create(&statics->turn[k], 1 << 20));
  SUP_TRY(sup_arena_create(&statics->inner, 1 << 20));
  SUP_TRY(sup_arena_create(&statics->kept, 1 << 16));
  *out = statics, statics = NULL;
  return SUP_OK;
}

void sup_statics_destroy(sup_statics **handle) {
  if (!*handle) return;
  for (int k = 0; k < 2; k++) sup_arena_destroy(&(*handle)->turn[k]);
  sup_arena_destroy(&(*handle)->inner);
  sup_arena_destroy(&(*handle)->kept);
  SUP_FREE(*handle);
}
